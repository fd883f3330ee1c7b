// SPDX-License-Identifier: GPL-2.0-or-later
// The trend: cost by kernel in kernel order, with bands and steps. Sizes, micro-architectures or THP modes make the lines.

import { get } from './api.js';
import { chips } from './chips.js';
import { draw, uplot } from './chart.js';
import { $, h, replace } from './dom.js';
import * as f from './format.js';
import { bestTrend } from './pick.js';
import { Query } from './query.js';
import { betterOf } from './story.js';
import { emptyState, generatedNote, howToSend, machineName, numCell, showPicture, table } from './views.js';
import { asker, whyButton } from './why.js';

const PANELS_MOST = 12;
const LINES_MOST = 24;

async function load(query, signal) {
	const [trend, Uplot] = await Promise.all([get(query.api().url('/api/v1/trend'), signal), uplot()]);
	return { trend, Uplot };
}

const NAMES = {
	size: (s) => f.params(s.params) || s.metric,
	uarch: (s, all) =>
		all.some((o) => o !== s && o.uarch === s.uarch && o.machine !== s.machine)
			? `${s.uarch} (${s.machine})`
			: s.uarch,
	thp: (s) => `THP ${s.thp}`,
};
const PANEL_BY = {
	size: (s) => [s.machine, s.thp],
	uarch: (s) => [f.params(s.params), s.thp],
	thp: (s) => [f.params(s.params), s.machine],
};
const keyOf = (s, by) =>
	JSON.stringify([s.benchmark, s.metric, s.track, s.base_page_kib ?? null, ...PANEL_BY[by](s)]);

function standard(series) {
	const many = (get_) => new Set(series.map(get_)).size > 1;
	return many((s) => f.params(s.params))
		? 'size'
		: many((s) => s.machine)
			? 'uarch'
			: many((s) => s.thp)
				? 'thp'
				: 'size';
}

function panelsOf({ kernels, series }, by) {
	const panels = new Map();

	for (const s of series) {
		const key = keyOf(s, by);
		if (!panels.has(key)) panels.set(key, { series: [] });
		panels.get(key).series.push(s);
	}
	for (const p of panels.values()) {
		p.at = kernels
			.map((_, i) => i)
			.filter((i) => p.series.some((s) => s.y[i] !== null && s.y[i] !== undefined));
		p.kernels = p.at.map((i) => kernels[i]);
	}
	return [...panels.values()].filter((p) => p.at.length).sort((a, b) => b.at.length - a.at.length);
}

function panelTitle(p, by) {
	const s = p.series[0];
	const parts = [s.benchmark];

	if (by !== 'size' && f.params(s.params)) parts.push(f.params(s.params));
	if (by !== 'uarch') parts.push(`${s.machine} (${s.uarch})`);
	if (by !== 'thp') parts.push(`THP ${s.thp}`);
	return `${parts.join(', ')}: ${s.track}`;
}

function spec(p, query, by, height) {
	const percent = query.get('y') === 'percent';
	const list = p.series.slice(0, LINES_MOST);
	const unit = list[0].unit;
	const names = list.map((s) => NAMES[by](s, list));
	const lines = list.map((s, k) => {
		const first = p.at.map((i) => s.y[i]).find((v) => v !== null),
			scale = percent ? 100 / first : 1;
		const pick = (a) => p.at.map((i) => (a?.[i] === null || a?.[i] === undefined ? null : a[i] * scale));
		return {
			label: names[k],
			style: k,
			y: pick(s.y),
			lo: pick(s.lo),
			hi: pick(s.hi),
			n: p.at.map((i) => s.n?.[i]),
			series: s,
		};
	});
	const seen = lines.flatMap((l) => l.y).filter((v) => v !== null);
	const lo = Math.min(...seen);
	const hi = Math.max(...seen);
	const yLog = lo > 0 && hi > 20 * lo;
	const fromZero = !yLog && lo > 0 && hi > 2 * lo;
	const yText = (v) => (percent ? `${f.significant(v)}\u202f%` : f.tick(v, unit) || f.significant(v));
	const steps = lines.flatMap((l) =>
		(l.series.changes ?? [])
			.map((c) => ({
				line: l,
				at: p.at.indexOf(c.at),
				text: f.percent(c.percent),
				up: c.percent > 0,
				worse: c.percent > 0 === (betterOf(unit, [l.series]) !== 'higher'),
			}))
			.filter((c) => c.at >= 0),
	);

	return {
		label: 'Cost by kernel',
		xs: p.kernels.map((_, i) => i),
		even: true,
		xLog: false,
		xText: (i) => shortName(p.kernels[i].name),
		height,
		lines,
		yLog,
		yText,
		yFromZero: fromZero,
		yTitle:
			(percent ? '% of the first kernel' : unit) +
			(yLog ? ', log scale' : fromZero || lo <= 0 ? '' : ', the axis does not start at 0'),
		steps,
		tip: (i) => tip(i, p, lines, yText),
	};
}

const shortName = (name) => (name.length > 28 ? name.slice(0, 14) + '\u2026' + name.slice(-13) : name);

function compareLink(p, i) {
	const s = p.series[0];
	return new Query([
		['base', p.kernels[i - 1].name],
		['head', p.kernels[i].name],
		['benchmark', s.benchmark],
		['machine', s.machine],
	]).url('/compare');
}

function tip(i, p, lines, yText) {
	const before = (l) => l.y.slice(0, i).findLast((v) => v !== null);

	return {
		caption: p.kernels[i].name,
		head: ['', '', 'change', 'n'],
		rows: lines
			.filter((l) => l.y[i] !== null)
			.map((l) => ({
				style: l.style,
				label: l.label,
				cells: [
					yText(l.y[i]),
					before(l) === undefined ? '' : f.percent((l.y[i] / before(l) - 1) * 100),
					String(l.n[i] ?? ''),
				],
			})),
		link:
			i > 0
				? { href: compareLink(p, i), text: `compare with ${shortName(p.kernels[i - 1].name)}` }
				: null,
	};
}

function panelTable(p, by) {
	const list = p.series.slice(0, LINES_MOST);
	const scale = list.map((s) =>
		f.scaleFor(
			s.unit,
			p.at.map((i) => s.y[i]),
		),
	);
	const stepAt = (s, i) => s.changes?.find((c) => c.at === i);

	return table({
		tall: p.kernels.length > 25,
		heads: [
			'kernel',
			...list.map((s, k) => ({ text: NAMES[by](s, list), unit: scale[k].unit, num: true })),
		],
		rows: p.kernels.map((k, row) =>
			h(
				'tr',
				{ 'data-kernel': k.name },
				h(
					'th.k',
					{ scope: 'row', title: k.release },
					row
						? h(
								'a',
								{ href: compareLink(p, row), title: 'compare with the kernel before' },
								k.name,
							)
						: k.name,
				),
				list.map((s, c) => {
					const i = p.at[row];
					const v = s.y[i];
					const step = stepAt(s, i);
					return h(
						step ? 'td.num.strong' : 'td.num',
						step
							? [
									h(
										'span',
										{
											class:
												step.percent > 0 === (betterOf(s.unit, [s]) !== 'higher')
													? 'worse'
													: 'better',
										},
										f.percent(step.percent),
									),
									' ',
								]
							: '',
						f.number(v, scale[c]),
					);
				}),
			),
		),
	});
}

function changeWhy(trend, s, c, ask) {
	const series = trend.series.indexOf(s);
	const at = s.changes.indexOf(c);
	const title = `${trend.kernels[c.at].name}, ${s.benchmark} ${f.params(s.params)}`.trim();

	return whyButton(title, async () => {
		const told = (await ask()).series[series]?.changes[at];
		return told ? [['', told.why]] : [];
	});
}

function stepsTable(trend, ask) {
	const steps = trend.series
		.flatMap((s) => (s.changes ?? []).map((c) => ({ s, c })))
		.sort((a, b) => Math.abs(b.c.percent) - Math.abs(a.c.percent));

	if (!steps.length) return null;
	return [
		h('h2', 'Steps'),
		table({
			id: 'steps-table',
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
			rows: steps.slice(0, 200).map(({ s, c }) => {
				const worse = c.percent > 0 === (betterOf(s.unit, [s]) !== 'higher');
				return h(
					'tr',
					{ 'data-verdict': worse ? 'regression' : 'improvement' },
					h('th.k', { scope: 'row' }, trend.kernels[c.after]?.name ?? ''),
					h('td.k', trend.kernels[c.at].name),
					h('td.k', s.benchmark),
					h('td', f.params(s.params)),
					h('td', machineName(s.machine)),
					h('td', s.thp),
					numCell(f.value(c.before_center, s.unit) || f.significant(c.before_center)),
					numCell(f.value(c.after_center, s.unit) || f.significant(c.after_center)),
					h(`td.num.${worse ? 'worse' : 'better'}`, f.percentCell(c.percent)),
					h('td.verdict', c.confidence, ' ', changeWhy(trend, s, c, ask)),
					h(
						'td',
						c.alert_id
							? h('a', { href: `/alerts/${encodeURIComponent(c.alert_id)}` }, 'alert')
							: '',
					),
				);
			}),
		}),
	];
}

function statement(trend) {
	const steps = trend.series
		.flatMap((s) => (s.changes ?? []).map((c) => ({ s, c })))
		.sort((a, b) => Math.abs(b.c.percent) - Math.abs(a.c.percent));
	const over = `${f.plural(trend.kernels.length, 'kernel')}, ${trend.kernels[0].name} to ${trend.kernels.at(-1).name}`;

	if (!steps.length)
		return trend.kernels.length === 1
			? `Only ${trend.kernels[0].name} was measured: a trend needs a second kernel.`
			: `No step found over ${over}.`;
	const { s, c } = steps[0];
	const worse = steps.filter((o) => o.c.percent > 0 === (betterOf(o.s.unit, [o.s]) !== 'higher')).length;
	return `${f.tag(trend.kernels[c.at])} is the largest step, ${f.percent(c.percent)}${f.params(s.params) ? ` at ${f.params(s.params)}` : ''}: ${f.plural(worse, 'regression')} and ${f.plural(steps.length - worse, 'improvement')} over ${over}.`;
}

function about(series) {
	const one = (k) => [...new Set(series.map((s) => s[k]))];
	const some = (list, many) => (list.length <= 2 ? list.join(', ') : `${list.length} ${many}`);
	return [
		h('span.k', some(one('benchmark'), 'benchmarks')),
		` ${some(one('metric'), 'metrics')} \u00b7 `,
		one('machine').length === 1
			? [machineName(series[0].machine), ` (${series[0].uarch})`]
			: some(one('machine'), 'machines'),
		` \u00b7 THP ${some(one('thp'), 'modes')}`,
	];
}

function render({ trend, Uplot }, query, onLeave) {
	const out = $('#view');
	const by = query.get('lines') ?? standard(trend.series);
	const panels = panelsOf(trend, by);
	const shown = panels.slice(0, PANELS_MOST);

	if (!panels.length) {
		replace($('#head'), h('h1', 'Nothing measured for this selection yet'));
		$('#picture').hidden = true;
		replace(
			out,
			emptyState(
				'No data',
				'No run of this selection is stored. Remove a chip, or send one.',
				...howToSend(),
			),
		);
		return;
	}
	bar(standard(trend.series));
	document.title = `${trend.series[0].benchmark} by kernel - nsecwatch`;
	replace($('#what'), about(trend.series));
	replace(
		$('#head'),
		h('h1', statement(trend)),
		h(
			'p.trust',
			trend.series.some((s) => s.lo?.some((v) => v !== null))
				? 'Bands: 95 % confidence interval over boots.'
				: 'n = 1 a kernel: no noise estimate, so no bands.',
		),
	);
	const charts = h('div.charts.flat', { id: 'charts' });
	const height = shown.length === 1 ? 440 : 320;
	if (shown.length > 1) charts.classList.add('many');
	replace(
		out,
		generatedNote(trend.series.map((s) => s.machine)),
		charts,
		shown.length < panels.length
			? h(
					'p.hint',
					`${panels.length - shown.length} more combinations are left out: narrow the selection.`,
				)
			: null,
		stepsTable(trend, asker(query.api().with('explain', 1).url('/api/v1/trend'))),
	);
	for (const p of shown) {
		const panel = h('section.panel', shown.length > 1 ? h('h2', panelTitle(p, by)) : null);
		charts.append(panel);
		if (Uplot) onLeave(draw(Uplot, panel, [spec(p, query, by, height)]));
		panel.append(shown.length > 1 ? '' : h('h2', 'The same as a table'), panelTable(p, by));
		if (p.series.length > LINES_MOST)
			panel.append(
				h('p.hint', `${p.series.length - LINES_MOST} more lines are left out: narrow the selection.`),
			);
	}
	showPicture($('#picture'), Uplot ? null : query.api().url('/api/v1/trend.svg'));
}

// the first value of lines= is what the page takes by itself
function bar(by = 'size') {
	chips($('#bar'), {
		args: ['benchmark', 'machine', 'thp', 'uarch', 'track'],
		choices: [
			{
				name: 'lines',
				label: 'lines',
				values: [by, ...Object.keys(NAMES).filter((n) => n !== by)].map((n) => [n, n]),
			},
			{
				name: 'y',
				label: 'y',
				values: [
					['value', 'value'],
					['percent', '% of first'],
				],
			},
		],
	});
}

export const view = {
	resource: 'trend',
	svg: true,
	load,
	render,
	defaults: (query, signal) =>
		['benchmark', 'machine', 'uarch', 'isa', 'thp', 'track', 'metric'].some((a) => query.has(a))
			? null
			: bestTrend(query, signal),
	bar: () => bar(),
	failed: () => ($('#picture').hidden = true),
};
