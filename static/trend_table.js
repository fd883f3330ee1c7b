// SPDX-License-Identifier: GPL-2.0-or-later
// The numbers of a trend: a table of each lane, and one of the steps.

import { h } from './dom.js';
import { alertPart } from './explain.js';
import * as f from './format.js';
import { Query } from './query.js';
import { changesOf } from './trend_lines.js';
import { compareUrl } from './trend_tip.js';
import { machineName, numCell, table } from './views.js';
import { whyButton } from './why.js';

const COLUMNS_MOST = 24;
const OPEN_MOST = 60; // rows; longer tables are made when they are opened
const STEPS_MOST = 200;

const regressed = (c) => c.verdict === 'regression';

function valueCell(s, i, scale) {
	const step = s.changes.find((c) => c.at === i);

	return h(
		step ? 'td.num.strong' : 'td.num',
		step ? [h('span', { class: regressed(step) ? 'worse' : 'better' }, f.percent(step.percent)), ' '] : '',
		f.number(s.y[i], scale),
	);
}

function rowsTable(lane, lines) {
	const shown = lines.slice(0, COLUMNS_MOST);
	const scales = shown.map((l) =>
		f.scaleFor(
			l.series.unit,
			lane.at.map((i) => l.series.y[i]),
		),
	);
	const name = (row) => lane.kernels[row].name;

	return table({
		caption:
			shown.length < lines.length ? `The first ${shown.length} of ${f.plural(lines.length, 'line')}` : undefined,
		tall: lane.at.length > 25,
		heads: ['kernel', ...shown.map((l, k) => ({ text: l.label, unit: scales[k].unit, num: true }))],
		rows: lane.at.map((i, row) =>
			h(
				'tr',
				{ 'data-kernel': name(row) },
				h(
					'th.k',
					{ scope: 'row', title: lane.kernels[row].release },
					row
						? h(
								'a',
								{
									href: compareUrl(lane, shown[0], row - 1, row),
									title: 'compare with the kernel before',
								},
								name(row),
							)
						: name(row),
				),
				shown.map((l, c) => valueCell(l.series, i, scales[c])),
			),
		),
	});
}

function variantsTable(lines) {
	const rows = lines.flatMap((l) => l.off.map((o) => ({ l, o })));
	const value = (l, v) => f.value(v / l.scale, l.series.unit) || f.significant(v / l.scale);

	if (!rows.length) return null;
	return table({
		caption: 'Reverts and patches, off the line: hollow marks at the kernel they are made from',
		heads: ['variant', 'line', { text: 'value', num: true }, { text: 'against its base', num: true }],
		rows: rows.slice(0, COLUMNS_MOST).map(({ l, o }) =>
			h(
				'tr',
				h('th.k', { scope: 'row' }, o.kernel.name),
				h('td', l.label),
				numCell(value(l, o.y)),
				numCell(l.y[o.at] === null ? '' : f.percentCell((o.y / l.y[o.at] - 1) * 100)),
			),
		),
	});
}

// Of a lane; a long one, or one of many, is made when it is opened.
export function laneTable(lane, lines, few) {
	const make = () => [rowsTable(lane, lines), variantsTable(lines)].filter(Boolean);

	if (few && lane.at.length <= OPEN_MOST) return make();
	const el = h(
		'details',
		h('summary', `The same as a table: ${f.plural(lane.at.length, 'kernel')}, ${f.plural(lines.length, 'line')}`),
	);
	el.addEventListener('toggle', () => el.open && el.children.length === 1 && el.append(...make()));
	return [el];
}

function changeWhy(trend, s, c, ask) {
	const series = trend.series.indexOf(s);
	const at = s.changes.indexOf(c);
	const title = `${trend.kernels[c.at].name}, ${s.benchmark} ${f.params(s.params)}`.trim();

	return whyButton(title, async () => {
		const told = (await ask()).series[series]?.changes[at];
		return told ? [['', told.why]] : [];
	}, () => alertPart(s.series_id, trend.kernels[c.at].name));
}

// Any of the lines, at any of the kernels: asked on the page of rules
function whyNot(trend) {
	const one = (name, of) => {
		const values = [...new Set(trend.series.map(of))];
		return values.length === 1 ? [[name, values[0]]] : [];
	};
	const query = new Query([
		...one('benchmark', (s) => s.benchmark),
		...one('machine', (s) => s.machine),
		['kernel', trend.kernels.at(-1)?.name ?? ''],
		...one('thp', (s) => s.thp),
	]);

	return h('p', { id: 'why-not' }, h('a', { href: `${query.url('/rules')}#explain` }, 'Why is there an alert, or why not?'));
}

export function stepsTable(trend, ask) {
	const steps = changesOf(trend);
	const value = (s, v) => numCell(f.value(v, s.unit) || f.significant(v));

	if (!steps.length) return [whyNot(trend)];
	return [
		h('h2', 'Steps'),
		table({
			id: 'steps-table',
			tall: steps.length > 25,
			caption:
				steps.length > STEPS_MOST ? `The ${STEPS_MOST} largest of ${f.grouped(steps.length)}` : undefined,
			heads: [
				'from',
				'to',
				'benchmark',
				'size',
				'machine',
				'THP',
				{ text: 'before', num: true },
				{ text: 'after', num: true },
				{ text: 'change', num: true },
				'confidence',
				'alert',
			],
			rows: steps
				.slice(0, STEPS_MOST)
				.map(({ s, c }) =>
					h(
						'tr',
						{ 'data-verdict': regressed(c) ? 'regression' : 'improvement' },
						h('th.k', { scope: 'row' }, trend.kernels[c.after]?.name ?? ''),
						h('td.k', trend.kernels[c.at].name),
						h('td.k', s.benchmark),
						h('td', f.params(s.params)),
						h('td', machineName(s.machine)),
						h('td', s.thp),
						value(s, c.before_center),
						value(s, c.after_center),
						h(`td.num.${regressed(c) ? 'worse' : 'better'}`, f.percentCell(c.percent)),
						h('td.verdict', c.confidence, ' ', changeWhy(trend, s, c, ask)),
						h(
							'td',
							c.alert_id
								? h('a', { href: `/alerts/${encodeURIComponent(c.alert_id)}` }, 'alert')
								: '',
						),
					),
				),
		}),
		whyNot(trend),
	];
}
