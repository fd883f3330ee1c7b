// SPDX-License-Identifier: GPL-2.0-or-later
// The numbers of a sweep's picture as tables: by size, and the fit.

import { h } from './dom.js';
import * as f from './format.js';
import { isOf, kernelName, lineName, positions, unitOf } from './sweep_lines.js';
import { changeCell, columnsTable, numCell, verdictCell } from './views.js';
import { whyButton } from './why.js';

const at = (line, x) => line?.points.find((p) => p.x === x);

const sizeColumn = (axis) => ({
	text: axis.name.replace(/_kib$/, ''),
	num: true,
	cell: (x) => h('th.num', { scope: 'row' }, f.position(x, unitOf(axis))),
});

const valueColumn = (line, text) => ({
	text,
	num: true,
	title: line.kernel.release ?? text,
	cell: (x) => numCell(f.value(at(line, x)?.y, line.unit)),
});

// The row of the comparison that stands behind a line's point.
function rowFor(compare, line, x, axis) {
	const others = f.params(line.params, axis.name);

	return compare.rows.find(
		(r) =>
			r.params[axis.name] === x &&
			r.machine === line.machine &&
			r.thp === line.thp &&
			r.benchmark === line.benchmark &&
			r.metric === line.metric &&
			f.params(r.params, axis.name) === others,
	);
}

function noiseText(row) {
	if (row.noise_percent !== null) return f.percentCell(row.noise_percent, false);
	return row.base.n === 1 && row.head.n === 1 ? 'n = 1' : 'unknown';
}

// How sure the first change is: noise, what could have been found, the verdict.
function trustColumns(rowAt, why) {
	const column = (text, title, of) => ({
		text,
		num: true,
		title,
		cell: (x) => (rowAt(x) ? of(rowAt(x)) : h('td')),
	});

	return [
		column('noise', 'standard deviation of a boot mean', (r) =>
			numCell(noiseText(r), r.noise_percent === null),
		),
		column('detectable', 'change found with 80 % power at this noise', (r) =>
			numCell(f.percentCell(r.detectable_percent, false)),
		),
		{ text: 'verdict', cell: (x) => (rowAt(x) ? verdictCell(rowAt(x), why(x)) : h('td.dim', 'not run')) },
	];
}

// x -> the button that explains the verdict at that point
function pointWhy(sweep, ratio, ask) {
	const at = sweep.ratios.indexOf(ratio);
	const parts = async (x) => {
		const point = (await ask()).ratios[at]?.points.find((p) => p.x === x);
		return point?.why ? [['', point.why]] : [];
	};

	return (x) =>
		ratio && whyButton(`${f.tag(ratio.kernel)} at ${f.position(x, unitOf(sweep.axis))}`, () => parts(x));
}

// Lines are kernels: value of each, change, what remains with the fix, what it restores, how noisy.
export function kernelTable(panel, sweep, compare, ask) {
	const { axis } = sweep;
	const [base, head, fix, ...more] = panel.lines,
		xs = positions(panel);
	const rows = new Map(head ? xs.map((x) => [x, rowFor(compare, base, x, axis)]) : []);
	const rowAt = (x) => rows.get(x),
		name = (l) => kernelName(l.kernel, panel.lines);
	const ratio = (l) => panel.ratios.find((r) => r.kernel.name === l.kernel.name);
	const changeColumn = (l, text = 'change') => ({
		text,
		num: true,
		title: `against ${name(base)}`,
		cell: (x) => numCell(f.percentCell(at(ratio(l), x)?.percent)),
	});
	/** @type {import('./views.js').Column[]} */
	const columns = [sizeColumn(axis), valueColumn(base, name(base))];

	if (head)
		columns.push(valueColumn(head, name(head)), {
			...changeColumn(head),
			cell: (x) => (rowAt(x) ? changeCell(rowAt(x)) : changeColumn(head).cell(x)),
		});
	if (fix && xs.some((x) => rowAt(x)?.fix))
		columns.push(valueColumn(fix, name(fix)), changeColumn(fix, 'remains'), {
			text: 'restored',
			num: true,
			title: 'share of the change that the third kernel takes back',
			cell: (x) => numCell(f.percentCell(rowAt(x)?.restored_percent, false)),
		});
	else if (fix) columns.push(valueColumn(fix, name(fix)), changeColumn(fix));
	for (const l of more) columns.push(valueColumn(l, name(l)), changeColumn(l));
	if (head) columns.push(...trustColumns(rowAt, pointWhy(sweep, ratio(head), ask)));
	return columnsTable({
		id: 'sweep-table',
		columns,
		rows: xs,
		attrs: (x) => ({ 'data-x': x, 'data-verdict': rowAt(x)?.verdict }),
	});
}

// Lines are machines or THP modes: a column each, and its change where the panel is not the base kernel.
export function otherTable(panel, { axis }, by) {
	const columns = [sizeColumn(axis)];

	for (const l of panel.lines) {
		const ratio = panel.ratios.find((r) => isOf(r, l));

		columns.push(valueColumn(l, lineName(l, by, panel.lines)));
		if (ratio)
			columns.push({
				text: 'change',
				num: true,
				cell: (x) => numCell(f.percentCell(at(ratio, x)?.percent)),
			});
	}
	return columnsTable({ columns, rows: positions(panel) });
}

const samePlace = (a, b) => a.machine === b.machine && a.thp === b.thp;

// Each against the first kernel of its machine and THP mode.
export function fitTable(panel) {
	const lines = panel.lines.filter((l) => l.fit);

	if (!lines.length) return [];
	const baseOf = (l) => lines.find((o) => samePlace(o, l));
	const { unit } = lines[0].fit,
		metric = lines[0].unit.replace(/\/.*/, '');
	const value = (key, text) => ({
		text,
		unit: metric,
		num: true,
		cell: (l) => numCell(f.significant(l.fit[key], 4)),
	});
	const change = (key) => ({
		text: 'change',
		num: true,
		cell: (l) => numCell(l === baseOf(l) ? '' : f.percent((l.fit[key] / baseOf(l).fit[key] - 1) * 100)),
	});
	const places = lines.every((l) => samePlace(l, lines[0])) ? [] : [{ text: 'machine', of: (l) => l.machine }, { text: 'THP', of: (l) => l.thp }];

	return [
		h('h2', `Fit: cost = fixed + ${unit}s \u00d7 cost a ${unit}`),
		columnsTable({
			id: 'fit-table',
			narrow: true,
			columns: /** @type {import('./views.js').Column[]} */ ([
				{ text: 'kernel', cell: (l) => h('th.k', { scope: 'row' }, l.kernel.name) },
				...places.map(({ text, of }) => ({ text, cell: (l) => h('td', of(l)) })),
				value('fixed', 'fixed'),
				change('fixed'),
				value('per_unit', `per ${unit}`),
				change('per_unit'),
				{
					text: 'largest error',
					num: true,
					cell: (l) => numCell(f.percent(l.fit.max_residual_percent, false)),
				},
			]),
			rows: lines,
		}),
	];
}
