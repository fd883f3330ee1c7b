// SPDX-License-Identifier: GPL-2.0-or-later
// The trend: cost by kernel, release date or run date; a lane a track, with bands, runs, variants and steps.

import { get } from './api.js';
import { chips } from './chips.js';
import { draw, uplot } from './chart.js';
import { $, h, replace } from './dom.js';
import * as f from './format.js';
import { bestTrend } from './pick.js';
import { current, go } from './query.js';
import {
	baselineOf,
	BY,
	changesOf,
	linesOf,
	panelsOf,
	panelTitle,
	PANELS_STEP,
	shownOf,
	standard,
	stepsOf,
	windowOf,
	windowQuery,
} from './trend_lines.js';
import { TrendPlot } from './trend_plot.js';
import { laneTable, stepsTable } from './trend_table.js';
import { compareUrl, pointDetail, pointTip } from './trend_tip.js';
import { emptyState, generatedNote, howToSend, machineName, showPicture } from './views.js';
import { asker } from './why.js';

const TABLES_MOST = 4; // open; of more pictures they are opened one by one
const POINTS_MOST = 2000; // of a line: a screen has no more columns

// Variants are shown, off the line, unless the address says variants=0.
const asked = (query) =>
	(query.has('variants') ? query : query.with('variants', 1)).api().with('runs', 1).with('most', POINTS_MOST);

async function load(query, signal) {
	const [trend, Uplot] = await Promise.all([get(asked(query).url('/api/v1/trend'), signal), uplot()]);
	return { trend, Uplot };
}

function modesOf(trend, query) {
	return {
		by: BY.includes(query.get('lines')) ? query.get('lines') : standard(trend.series),
		x: query.get('x') ?? 'kernel',
		y: query.get('y') ?? 'value',
		scale: query.get('scale') ?? 'auto',
		baseline: query.get('baseline') ?? baselineOf(trend),
	};
}

// Logarithmic when asked for, or where a line would lie flat otherwise.
function scaleOf(lines, mode) {
	let lo = Infinity;
	let hi = -Infinity;

	for (const l of lines)
		for (const v of l.y) if (v !== null) ((lo = Math.min(lo, v)), (hi = Math.max(hi, v)));
	const log = lo > 0 && (mode === 'log' || (mode === 'auto' && hi > 20 * lo));
	return { log, fromZero: !log && lo > 0 && hi > 2 * lo };
}

const alertUrl = (s) => `/alerts/${encodeURIComponent(s.alert)}`;

function stepLinks(lane, lines) {
	return stepsOf(lane, lines).map((s) => ({
		...s,
		href: s.alert ? alertUrl(s) : compareUrl(lane, s.line, s.after, s.at),
		title: `${s.line.label}: ${s.text} from ${lane.kernels[s.after].name} to ${lane.kernels[s.at].name}, ${s.change.confidence}${s.alert ? ': its alert' : ': compare the two'}`,
	}));
}

function yTitle(modes, unit, { log, fromZero }) {
	const of = { percent: '% of the first kernel', baseline: `% of ${modes.baseline}` }[modes.y] ?? unit;
	return of + (log ? ', log scale' : fromZero ? '' : ', the axis does not start at 0');
}

const X_TITLE = { kernel: '', released: 'release date, UTC', run: 'date of the first run, UTC' };

function spec(trend, lane, lines, modes, query, height) {
	const unit = lines[0].series.unit;
	const scale = scaleOf(lines, modes.scale);
	const yText =
		modes.y === 'value'
			? (v) => f.tick(v, unit) || f.significant(v)
			: (v) => `${f.significant(v)}\u202f%`;
	const exact = modes.y === 'value' ? (v) => f.value(v, unit) || f.significant(v) : yText;
	const told = new Map((trend.machines ?? []).map((m) => [m.machine, m.started_at]));
	const it = {
		label: `Cost by kernel, ${lane.track}`,
		xs: lane.xs,
		even: modes.x === 'kernel',
		xLog: false,
		xTitle: X_TITLE[modes.x],
		xText: (v) => (modes.x === 'kernel' ? f.short(lane.kernels[v].name) : f.day(new Date(v * 1000))),
		height,
		lines,
		yLog: scale.log,
		yFromZero: scale.fromZero,
		yText,
		yTitle: yTitle(modes, unit, scale),
		steps: stepLinks(lane, lines),
		thinned: lines.some((l) => l.series.left_out),
		window: windowOf(lane, query, modes.x),
		tip: (i, narrow) => pointTip(lane, lines, i, { yText: exact, line: it.line, narrow }),
		told: (i, line, tip) => {
			const l = lines[line];
			if (l) pointDetail(lane, l, i, told.get(l.series.machine)?.[lane.at[i]], tip);
		},
	};

	return it;
}

// Without any noise estimate there are no steps, but numbers differ.
function unproven(trend) {
	/** @type {any} */
	let most;

	if (trend.series.some((s) => s.lo.some((v) => v !== null))) return null;
	for (const s of trend.series) {
		const at = trend.kernels.map((_, i) => i).filter((i) => s.y[i] !== null && !trend.kernels[i].variant);
		at.slice(1).forEach((i, n) => {
			const percent = (s.y[i] / s.y[at[n]] - 1) * 100;
			if (!most || Math.abs(percent) > Math.abs(most.percent)) most = { s, i, before: at[n], percent };
		});
	}
	return most
		? `${f.tag(trend.kernels[most.i])} differs most from the kernel before it, ${f.percent(most.percent)}${f.params(most.s.params) ? ` at ${f.params(most.s.params)}` : ''} against ${f.tag(trend.kernels[most.before])}: unproven, there is no noise estimate.`
		: null;
}

function statement(trend) {
	const steps = changesOf(trend);
	const plain = trend.kernels.filter((k) => !k.variant);
	const over = `${f.plural(plain.length, 'kernel')}, ${plain[0].name} to ${plain.at(-1).name}`;

	if (plain.length === 1) return `Only ${plain[0].name} was measured: a trend needs a second kernel.`;
	if (!steps.length) return unproven(trend) ?? `No step found over ${over}.`;
	const { s, c } = steps[0];
	const worse = steps.filter((o) => o.c.verdict === 'regression').length;
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

function trust(trend) {
	const bands = trend.series.some((s) => s.lo.some((v) => v !== null));
	const dots = trend.series.some((s) => s.boots.some((b) => b > 1));

	if (!bands) return 'n = 1 a kernel: no noise estimate, so no bands.';
	return (
		'Bands: 95 % confidence interval over boots.' +
		(!dots ? '' : trend.series.some((s) => s.runs) ? ' Dots: single runs.' : ' Too many runs to draw each: narrow the selection.')
	);
}

function renderEmpty(out) {
	replace($('#head'), h('h1', 'Nothing measured for this selection yet'));
	$('#picture').hidden = true;
	replace(
		out,
		emptyState('No data', 'No run of this selection is stored. Remove a chip, or send one.', ...howToSend()),
	);
}

function undatedNote(n, x) {
	if (!n) return null;
	return h(
		'p.hint',
		`${f.plural(n, 'point')} left out: no ${x === 'released' ? 'release date of their kernels is known. POST /api/v1/kernels tells it; or choose x: run date.' : 'date of a run is known.'}`,
	);
}

// A window that a hand chose goes into the address, and to the other lanes that have its ends.
function moved(lane, places, x, plots) {
	const query = windowQuery(current(), lane, x, places);
	const url = query.url(location.pathname);

	if (url === location.pathname + location.search) return;
	history.pushState(null, '', url);
	document.documentElement.dataset.shown = location.pathname + location.search;
	for (const p of plots())
		if (p.spec.lane !== lane) p.move(windowOf(p.spec.lane, query, x), false);
}

function panelOf(p, { trend, Uplot }, modes, query, { height, many, few }, made) {
	const el = h('section.panel', { tabindex: -1 }, many ? h('h2', panelTitle(p, modes.by)) : null);
	const plots = () => made.flatMap((d) => d.plots);

	for (const lane of p.lanes) {
		const { lines, leftOut } = linesOf(trend, lane, modes);
		const drawn = lines.filter((l) => l.y.some((v) => v !== null));

		if (p.lanes.length > 1) el.append(h('h3.lane', lane.track));
		if (!drawn.length) {
			el.append(h('p.hint', `No value of ${modes.baseline} to compare with.`));
			continue;
		}
		// h() and draw() want to know the width: the panel is in the page by then
		el.draw = (el.draw ?? []).concat(() => {
			const host = h('div');
			el.insertBefore(host, anchor);
			if (!Uplot) return;
			const one = spec(trend, lane, drawn, modes, query, height);
			made.push(
				draw(
					Uplot,
					host,
					[{ ...one, lane, moved: (places) => moved(lane, places, modes.x, plots) }],
					TrendPlot,
				),
			);
		});
		const anchor = h('div', laneTable(lane, drawn, few));
		el.append(anchor);
		if (leftOut) el.append(h('p.hint', `${leftOut} more lines are left out: narrow the selection.`));
	}
	return el;
}

// The next pictures; how many are shown the address knows. Who asked goes on at the first of them.
function more(shown, left, over) {
	const next = Math.min(PANELS_STEP, left);
	const show = (n) => {
		go(current().with('pictures', n));
		/** @type {HTMLElement} */ ($('#charts')?.children[shown])?.focus();
	};

	const button = (n, text) => h('button.plain', { type: 'button', 'data-more': n, onclick: () => show(shown + n) }, text);

	if (!left && !over) return null;
	return h(
		'p.more',
		{ id: 'more' },
		h('span.dim', `${f.grouped(shown)} of ${f.plural(shown + left + over, 'combination')} shown. `),
		left ? button(next, left > next ? `Show ${next} more` : `Show the other ${left}`) : '',
		left > next ? [' \u00b7 ', button(left, `all ${f.grouped(shown + left)}`)] : '',
		over ? h('span.dim', ` ${f.grouped(over)} are too many for a page: narrow the selection.`) : '',
	);
}

function render(data, query, onLeave) {
	const { trend, Uplot } = data;
	const out = $('#view');
	const modes = modesOf(trend, query);
	const { panels, undated } = panelsOf(trend, modes.by, modes.x);
	const { shown, left, over } = shownOf(panels, query.get('pictures'));

	if (!trend.kernels.length) {
		renderEmpty(out);
		return;
	}
	bar(standard(trend.series));
	document.title = `${trend.series[0].benchmark} by kernel - nsecwatch`;
	replace($('#what'), about(trend.series));
	replace($('#head'), h('h1', statement(trend)), h('p.trust', trust(trend)));
	const many = shown.length > 1;
	const lanes = Math.max(1, ...shown.map((p) => p.lanes.length));
	const few = shown.flatMap((p) => p.lanes).length <= TABLES_MOST;
	const size = { height: many || lanes > 1 ? 320 : 440, many, few };
	const charts = h(many ? 'div.charts.flat.many' : 'div.charts.flat', { id: 'charts', hidden: !shown.length });
	const made = [];
	const elements = shown.map((p) => panelOf(p, data, modes, query, size, made));

	charts.append(...elements);
	replace(
		out,
		generatedNote(trend.series.map((s) => s.machine)),
		charts,
		more(shown.length, left, over),
		undatedNote(undated, modes.x),
		stepsTable(trend, asker(asked(query).with('explain', 1).url('/api/v1/trend'))),
	);
	for (const el of elements) el.draw?.forEach((fn) => fn());
	onLeave(() => made.forEach((destroy) => destroy()));
	showPicture($('#picture'), Uplot ? null : query.api().url('/api/v1/trend.svg'));
}

// the first value of lines= is what the page takes by itself
function bar(by = 'size') {
	const named = (list) => list.map((v) => [v, v]);

	chips($('#bar'), {
		args: ['benchmark', 'machine', 'thp', 'uarch', 'track', 'baseline'],
		choices: [
			{ name: 'lines', label: 'lines', values: named([by, ...BY.filter((n) => n !== by)]) },
			{
				name: 'x',
				label: 'x',
				values: [
					['kernel', 'kernel'],
					['released', 'release date'],
					['run', 'run date'],
				],
			},
			{
				name: 'y',
				label: 'y',
				values: [
					['value', 'value'],
					['percent', '% of first'],
					['baseline', '% of baseline'],
				],
			},
			{ name: 'scale', label: 'scale', values: named(['auto', 'linear', 'log']) },
		],
	});
}

export const view = {
	resource: 'trend',
	svg: true,
	again: true,
	load,
	render,
	defaults: (query, signal) =>
		['benchmark', 'machine', 'uarch', 'isa', 'thp', 'track', 'metric'].some((a) => query.has(a))
			? null
			: bestTrend(query, signal),
	bar: () => bar(),
	failed: () => ($('#picture').hidden = true),
};
