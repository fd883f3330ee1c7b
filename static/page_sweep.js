// SPDX-License-Identifier: GPL-2.0-or-later
// The sweep: cost against size, a line a kernel (or micro-architecture, or THP mode), the change below, and the table.

import { get } from './api.js';
import { chips } from './chips.js';
import { draw, uplot } from './chart.js';
import { $, h, replace } from './dom.js';
import * as f from './format.js';
import { bestSweep } from './pick.js';
import { Query } from './query.js';
import { betterOf, sweepStory, trust } from './story.js';
import { changeCell, emptyState, generatedNote, howToSend, machineName, numCell, table, verdictCell } from './views.js';

const PANELS_MOST = 12;
const SELECTORS = ['benchmark', 'metric', 'machine', 'uarch', 'isa', 'thp', 'base_page_kib', 'track', 'run', 'param.*'];

// what else must be equal for lines to stand in one panel
const PANEL_BY = {
	kernel: (l) => [l.machine, l.thp],
	uarch: (l) => [l.kernel.name, l.thp],
	thp: (l) => [l.kernel.name, l.machine],
};
const rest = (l, axis) => [l.benchmark, l.metric, l.base_page_kib, f.params(l.params, axis)];
const keyOf = (l, by, axis) => JSON.stringify([...PANEL_BY[by](l), ...rest(l, axis)]);

function lineName(l, by, all) {
	if (by === 'kernel')
		return f.shortKernel(l.kernel, all.map((o) => o.kernel));
	if (by === 'thp')
		return `THP ${l.thp}`;
	return all.filter((o) => o.uarch === l.uarch).length > 1 ? `${l.uarch} (${l.machine})` : l.uarch;
}

function compareQuery(query) {
	const [base, head, ...others] = query.all('kernel');

	if (!head)
		return null;
	const q = new Query([['base', base], ['head', head], ...(others[0] ? [['fix', others[0]]] : [])]);
	return new Query([...q.entries, ...query.only(...SELECTORS).entries]);
}

async function load(query, signal) {
	const cmp = compareQuery(query);
	const [sweep, compare, Uplot] = await Promise.all([
		get(query.api().url('/api/v1/sweep'), signal),
		cmp ? get(cmp.url('/api/v1/compare'), signal) : { rows: [], missing: [] },
		uplot(),
	]);
	return { sweep, compare, Uplot, cmp };
}

function panelsOf({ lines, ratios, axis }, by) {
	const panels = new Map();

	for (const l of lines) {
		const key = keyOf(l, by, axis.name);
		if (!panels.has(key))
			panels.set(key, { lines: [], ratios: [] });
		panels.get(key).lines.push(l);
	}
	for (const r of ratios)
		panels.get(keyOf(r, by, axis.name))?.ratios.push(r);
	return [...panels.values()];
}

// The dimensions in which panels differ, as their titles.
function panelTitle(panel, panels, by) {
	const parts = { machine: by !== 'uarch', thp: by !== 'thp', kernel: by !== 'kernel', benchmark: true, metric: true };
	const differs = (get_) => new Set(panels.map((p) => get_(p.lines[0]))).size > 1;
	const l = panel.lines[0], out = [];

	if (parts.kernel && differs((o) => o.kernel.name))
		out.push(f.tag(l.kernel));
	if (differs((o) => o.benchmark))
		out.push(l.benchmark);
	if (differs((o) => o.metric))
		out.push(l.metric);
	if (parts.machine && differs((o) => o.machine))
		out.push(`${l.machine} (${l.uarch})`);
	if (parts.thp && differs((o) => o.thp))
		out.push(`THP ${l.thp}`);
	return out.join(', ');
}

// y of a line at each x: nsec, nsec a page, or percent of the first line
function seriesOf(l, xs, mode, first) {
	const at = new Map(l.points.map((p) => [p.x, p])), ref = new Map(first.points.map((p) => [p.x, p.y]));
	const step = l.fit?.unit_step ?? 1;
	const by = (x) => (mode === 'page' ? step / x : mode === 'percent' ? 100 / ref.get(x) : 1);
	const pick = (k) => xs.map((x) => {
		const v = at.get(x)?.[k];
		return v === null || v === undefined || !Number.isFinite(by(x)) ? null : v * by(x);
	});

	return { y: pick('y'), lo: pick('lo'), hi: pick('hi') };
}

// What a line is has one style in all panels.
function styles(lines, by) {
	const names = [...new Set(lines.map((l) => lineKey(l, by)))];
	return (l) => names.indexOf(lineKey(l, by));
}
const lineKey = (l, by) => (by === 'kernel' ? l.kernel.name : by === 'thp' ? l.thp : `${l.uarch} ${l.machine}`);

function specs(panel, { axis }, query, by, height, style) {
	const xs = [...new Set(panel.lines.flatMap((l) => l.points.map((p) => p.x)))].sort((a, b) => a - b);
	const mode = query.get('y') ?? 'value', unit = axis.unit || f.unitOfParam(axis.name);
	const names = panel.lines.map((l) => lineName(l, by, panel.lines)), value = panel.lines[0].unit;
	const lines = panel.lines.map((l, i) => ({ label: names[i], style: style(l), hollow: Boolean(l.kernel.variant), ...seriesOf(l, xs, mode, panel.lines[0]) }));
	const labelOf = (r) => lines.find((l) => l.style === style(r))?.label ?? '';
	const ratios = panel.ratios.map((r) => {
		const at = new Map(r.points.map((p) => [p.x, p]));
		const y = xs.map((x) => at.get(x)?.percent ?? null);
		return { label: labelOf(r), end: f.percent(y.findLast((v) => v !== null)), style: style(r), hollow: Boolean(r.kernel.variant), y };
	});
	const xLog = xs[0] > 0 && xs.at(-1) >= 8 * xs[0], positive = lines.every((l) => l.y.every((v) => v === null || v > 0));
	const yText = (v) => (mode === 'percent' ? `${f.grouped(Math.round(v))} %` : (f.tick(v, value) || f.significant(v)));
	const yCell = (v) => (mode === 'percent' ? f.percentCell(v, false) : f.value(v, value) || f.significant(v));
	const shared = {
		xs, xLog, sync: JSON.stringify(PANEL_BY[by](panel.lines[0])), xText: (v, narrow) => (narrow ? f.grouped(v) : f.position(v, unit)),
		xAbout: (v) => f.about(v, unit).replace(f.position(v, unit), ''),
		xTitle: `${axis.name}${xLog ? ', log scale' : ''}`,
		tip: (i) => tip(i, xs, lines, ratios, yCell, unit),
	};
	const yTitle = mode === 'percent' ? `% of ${names[0]}` : mode === 'page' ? `${value.replace(/\/.*/, '')} per ${panel.lines[0].fit?.unit ?? axis.name}` : value;

	return [
		{ ...shared, label: 'Cost by size', lines, yLog: positive, yText, yTitle: yTitle + (positive ? ', log scale' : ''), height: ratios.length ? Math.round(height * 0.62) : height, axis: !ratios.length },
		...(ratios.length ? [{
			...shared, label: 'Change by size', lines: ratios, yText: f.percent, yFromZero: true, percent: true, height: Math.round(height * 0.38),
			yTitle: `change against ${f.tag(panel.lines[0].kernel.variant || by === 'kernel' ? panel.lines[0].kernel : panel.base)}`,
			onsets: panel.ratios.filter((r) => Number.isFinite(r.onset)).map((r) => ({ x: r.onset, style: style(r), text: `from ${f.position(r.onset, unit)} on` })),
		}] : []),
	];
}

function tip(i, xs, lines, ratios, yText, unit) {
	return {
		caption: f.position(xs[i], unit) + (f.about(xs[i], unit) ? ` (${f.about(xs[i], unit)})` : ''),
		rows: lines.filter((l) => l.y[i] !== null).map((l) => {
			const r = ratios.find((o) => o.style === l.style)?.y[i];
			return { style: l.style, hollow: l.hollow, label: l.label, cells: [yText(l.y[i]), r === undefined || r === null ? '' : f.percentCell(r)] };
		}),
	};
}

const sameRow = (row, l, x, axis) => row.machine === l.machine && row.thp === l.thp && row.benchmark === l.benchmark && row.metric === l.metric &&
	row.params[axis.name] === x && f.params(row.params, axis.name) === f.params(l.params, axis.name);

const note = (row) => (row.noise_percent === null ? (row.base.n === 1 && row.head.n === 1 ? 'n = 1' : 'unknown') : f.percentCell(row.noise_percent, false));

// lines are kernels: value of each, change, what remains with the fix, what it restores, how noisy
function kernelTable(panel, { axis }, compare) {
	const xs = [...new Set(panel.lines.flatMap((l) => l.points.map((p) => p.x)))].sort((a, b) => a - b);
	const unit = axis.unit || f.unitOfParam(axis.name), [base, head, fix] = panel.lines;
	const y = (l, x) => l.points.find((p) => p.x === x)?.y;
	const ratio = (l, x) => panel.ratios.find((r) => r.kernel.name === l.kernel.name)?.points.find((p) => p.x === x)?.percent;
	const names = panel.lines.map((l) => f.shortKernel(l.kernel, panel.lines.map((o) => o.kernel)));
	const rows = head ? xs.map((x) => compare.rows.find((r) => sameRow(r, base, x, axis))) : [];
	const isFix = fix && rows.some((r) => r?.fix);
	const valueHead = (i) => ({ text: names[i], num: true, title: panel.lines[i].kernel.release ?? names[i] });
	const heads = [{ text: axis.name.replace(/_kib$/, ''), num: true }, valueHead(0)];

	panel.lines.slice(1).forEach((l, i) => heads.push(valueHead(i + 1), { text: isFix && i === 1 ? 'remains' : 'change', num: true, title: `against ${names[0]}` },
		...(isFix && i === 1 ? [{ text: 'restored', num: true, title: 'share of the change that the third kernel takes back' }] : [])));
	if (head)
		heads.push({ text: 'noise', num: true, title: 'standard deviation of a boot mean' }, { text: 'detectable', num: true, title: 'change found with 80 % power at this noise' }, 'verdict');
	const cells = (x, k) => {
		const row = rows[k], out = [h('th.num', { scope: 'row' }, f.position(x, unit)), numCell(f.value(y(base, x), base.unit))];

		panel.lines.slice(1).forEach((l, i) => {
			const p = ratio(l, x), fixes = isFix && i === 1;
			out.push(numCell(f.value(y(l, x), l.unit)), i === 0 && row ? changeCell(row, p) : numCell(f.percentCell(p)));
			if (fixes)
				out.push(numCell(row?.restored_percent === null || !row ? '' : f.percentCell(row.restored_percent, false)));
		});
		if (head)
			out.push(...(row ? [numCell(note(row), row.noise_percent === null), numCell(row.detectable_percent === null ? '' : f.percentCell(row.detectable_percent, false)), verdictCell(row)] : [h('td'), h('td'), h('td.dim', 'not run')]));
		return out;
	};
	return table({ id: 'sweep-table', heads, rows: xs.map((x, k) => h('tr', { 'data-x': x, 'data-verdict': rows[k]?.verdict }, cells(x, k))) });
}

// lines are machines or THP modes: a column each, and its change where the panel is not the base kernel
function otherTable(panel, { axis }, by) {
	const xs = [...new Set(panel.lines.flatMap((l) => l.points.map((p) => p.x)))].sort((a, b) => a - b);
	const unit = axis.unit || f.unitOfParam(axis.name);
	const heads = [{ text: axis.name.replace(/_kib$/, ''), num: true }];
	const ratioOf = (l) => panel.ratios.find((r) => r.machine === l.machine && r.thp === l.thp);

	for (const l of panel.lines)
		heads.push({ text: lineName(l, by, panel.lines), num: true }, ...(ratioOf(l) ? [{ text: 'change', num: true }] : []));
	return table({
		heads, rows: xs.map((x) => h('tr', h('th.num', { scope: 'row' }, f.position(x, unit)), panel.lines.map((l) => [
			numCell(f.value(l.points.find((p) => p.x === x)?.y, l.unit)),
			ratioOf(l) ? numCell(f.percentCell(ratioOf(l).points.find((p) => p.x === x)?.percent)) : null,
		]))),
	});
}

function fitTable(panel) {
	const fits = panel.lines.filter((l) => l.fit);

	if (!fits.length)
		return null;
	const unit = fits[0].fit.unit, metric = fits[0].unit.replace(/\/.*/, ''), base = fits[0];
	const change = (l, k) => numCell(l === base ? '' : f.percent((l.fit[k] / base.fit[k] - 1) * 100));
	return [h('h2', `Fit: cost = fixed + ${unit}s \u00d7 cost a ${unit}`), table({
		id: 'fit-table', narrow: true, heads: ['kernel', { text: 'fixed', unit: metric, num: true }, { text: 'change', num: true }, { text: `per ${unit}`, unit: metric, num: true }, { text: 'change', num: true }, { text: 'largest error', num: true }],
		rows: fits.map((l) => h('tr', h('th.k', { scope: 'row' }, l.kernel.name), numCell(f.significant(l.fit.fixed, 4)), change(l, 'fixed'), numCell(f.significant(l.fit.per_unit, 4)), change(l, 'per_unit'),
			numCell(f.percent(l.fit.max_residual_percent, false)))),
	})];
}

function about(lines) {
	const one = (k) => [...new Set(lines.map((l) => l[k]))], machines = one('machine'), l = lines[0];
	const where = machines.length === 1 ? [machineName(l.machine), ` (${l.uarch})`] : `${machines.length} machines`;
	const thp = one('thp');

	return [h('span.k', one('benchmark').join(', ')), ` ${one('metric').join(', ')} \u00b7 `, where, ` \u00b7 THP ${thp.length === 1 ? thp[0] : `${thp.length} modes`}`];
}

function headline(panels, sweep, compare, by) {
	const rowsOf = (p) => compare.rows.filter((r) => p.lines.some((l) => r.machine === l.machine && r.thp === l.thp && r.benchmark === l.benchmark && r.metric === l.metric));
	const byKernel = by === 'kernel' ? panels : panelsOf(sweep, 'kernel');
	const stories = byKernel.map((p) => ({ p, ...sweepStory(p.lines, p.ratios, sweep.axis, betterOf(p.lines[0].unit, rowsOf(p))) }));

	if (stories.length === 1)
		return stories[0];
	const bad = stories.filter((s) => s.side === 'worse'), good = stories.filter((s) => s.side === 'better');
	const kernels = byKernel[0].lines.map((l) => f.tag(l.kernel));
	const worst = bad[0] ?? good[0];
	const parts = [bad.length && `worse in ${bad.length}`, good.length && `better in ${good.length}`, stories.length - bad.length - good.length && `no lasting change in ${stories.length - bad.length - good.length}`].filter(Boolean);
	return {
		statement: kernels.length > 1 ? `${kernels[1]} against ${kernels[0]}: ${parts.join(', ')} of ${stories.length} combinations of machine and THP mode.` : 'One kernel: choose a second one to compare.',
		side: bad.length ? 'worse' : good.length ? 'better' : '', facts: worst ? [`For example ${worst.p.lines[0].machine}, THP ${worst.p.lines[0].thp}: ${worst.statement}`] : [],
	};
}

function missingNote(compare) {
	const m = compare.missing ?? [];

	if (!m.length)
		return null;
	const what = m.slice(0, 5).map((o) => `${o.machine} ${f.params(o.params)} (${o.side}: ${o.reason.replace('_', ' ')}${o.error ? `, ${o.error}` : ''})`);
	return h('p.hint', `Not compared: ${what.join('; ')}${m.length > 5 ? `; and ${m.length - 5} more` : ''}.`);
}

function render({ sweep, compare, Uplot, cmp }, query, onLeave) {
	const by = query.get('lines') ?? 'kernel', out = $('#view'), picture = $('#picture');

	if (!sweep.lines.length) {
		replace($('#head'), h('h1', 'Nothing measured for this selection yet'));
		picture.hidden = true;
		replace(out, emptyState('No data', `No run of ${query.all('kernel').join(', ') || 'these kernels'} with ${query.get('benchmark') ?? 'this benchmark'}${query.get('machine') ? ` on ${query.get('machine')}` : ''} yet.`, ...howToSend()));
		return;
	}
	const panels = panelsOf(sweep, by), shown = panels.slice(0, PANELS_MOST);
	const base = sweep.lines[0].kernel;
	const story = headline(panels, sweep, compare, by);

	const style = styles(sweep.lines, by);

	panels.forEach((p) => (p.base = base));
	document.title = `${story.statement.replace(/\.$/, '')} - nsecwatch`;
	replace($('#what'), about(sweep.lines));
	replace($('#head'), h('h1', story.statement), story.facts.map((t) => h('p.fact', t)), h('p.trust', trust(compare.rows)));
	const height = shown.length === 1 && innerWidth > 720 ? 500 : 410;	/* as much as base.css keeps free */
	const charts = h('div.charts', { id: 'charts' });
	if (shown.length > 1)
		charts.classList.add('many');
	replace(out, generatedNote(sweep.lines.map((l) => l.machine)), charts,
		shown.length < panels.length ? h('p.hint', `${panels.length - shown.length} more combinations are left out: add a machine or a THP mode to the selection.`) : null,
		missingNote(compare), cmp ? h('p.hint', h('a', { href: cmp.url('/compare') }, 'The same comparison, every row'), ' \u00b7 arrow keys walk the points of the picture, ', h('kbd', '?'), ' shows all keys') : null);
	for (const p of shown) {
		const panel = h('section.panel', shown.length > 1 ? h('h2', panelTitle(p, panels, by)) : null);
		charts.append(panel);
		if (Uplot)
			onLeave(draw(Uplot, panel, specs(p, sweep, query, by, height, style)));
		panel.append(h('h2', 'The same as a table'), by === 'kernel' ? kernelTable(p, sweep, compare) : otherTable(p, sweep, by), ...(by === 'kernel' && shown.length === 1 ? fitTable(p) ?? [] : []));
	}
	picture.hidden = Boolean(Uplot);
	if (!Uplot)
		showPicture(picture, query);
}

// Without uPlot the server's picture stays, and follows the selection.
function showPicture(picture, query) {
	const src = query.api().url('/api/v1/sweep.svg');
	const img = $('img', picture) ?? h('img', { width: 960, height: 650, alt: 'Cost against size and change, as drawn by the server' });

	if (img.getAttribute('src') !== src)
		img.setAttribute('src', src);
	if (!img.isConnected)
		picture.append(img);
}

export const view = {
	resource: 'sweep', svg: true, load, render,
	async defaults(query, signal) {
		if (query.has('kernel') && query.has('axis'))
			return null;
		return bestSweep(query, signal);
	},
	bar: () => chips($('#bar'), {
		args: ['kernel', 'machine', 'thp', 'uarch', 'benchmark'], hide: ['axis'],
		choices: [{ name: 'lines', label: 'lines', values: [['kernel', 'kernel'], ['uarch', 'uarch'], ['thp', 'thp']] },
			{ name: 'y', label: 'y', values: [['value', 'per call'], ['page', 'per page'], ['percent', '% of first']] }],
	}),
	failed: () => ($('#picture').hidden = true),
};
