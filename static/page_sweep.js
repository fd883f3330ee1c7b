// SPDX-License-Identifier: GPL-2.0-or-later
// The sweep: cost against size, a line a kernel (or micro-architecture, or THP mode), the change below, and the table.

import { get } from './api.js';
import { chips } from './chips.js';
import { draw, uplot } from './chart.js';
import { $, h, replace } from './dom.js';
import * as f from './format.js';
import { bestSweep } from './pick.js';
import { current, Query } from './query.js';
import { betterOf, sweepStory, trust } from './story.js';
import { LINES_MOST, panelsOf, panelTitle, styles } from './sweep_lines.js';
import { lineMarks } from './sweep_marks.js';
import { SweepPlot } from './sweep_plot.js';
import { shareScale, sweepPlots } from './sweep_plots.js';
import { fitTable, kernelTable, otherTable } from './sweep_table.js';
import { emptyState, generatedNote, howToSend, machineName, showPicture } from './views.js';
import { asker, costParts, whyButton } from './why.js';

const PANELS_MOST = 12;
const SELECTORS = [
	'benchmark',
	'metric',
	'machine',
	'uarch',
	'isa',
	'thp',
	'base_page_kib',
	'track',
	'run',
	'param.*',
];

function compareQuery(query) {
	const [base, head, ...others] = query.all('kernel');

	if (!head) return null;
	const q = new Query([['base', base], ['head', head], ...(others[0] ? [['fix', others[0]]] : [])]);
	return new Query([...q.entries, ...query.only(...SELECTORS).entries]);
}

async function load(query, signal) {
	const cmp = compareQuery(query);
	const asked = cmp ? query.api().with('compare', '1') : query.api();
	const [sweep, Uplot] = await Promise.all([get(asked.url('/api/v1/sweep'), signal), uplot()]);

	return { sweep, compare: sweep.compare ?? { rows: [], missing: [] }, Uplot, cmp };
}

function about(lines) {
	const one = (k) => [...new Set(lines.map((l) => l[k]))];
	const machines = one('machine');
	const l = lines[0];
	const where =
		machines.length === 1 ? [machineName(l.machine), ` (${l.uarch})`] : `${machines.length} machines`;
	const thp = one('thp');

	return [
		h('span.k', one('benchmark').join(', ')),
		` ${one('metric').join(', ')} \u00b7 `,
		where,
		` \u00b7 THP ${thp.length === 1 ? thp[0] : `${thp.length} modes`}`,
	];
}

// The sentence of the panel there is; of several a count, and one of them as an example.
function headline(sweep, compare) {
	const stories = panelsOf(sweep, 'kernel').map((p) => {
		const first = p.lines[0];
		const rows = compare.rows.filter((r) => r.benchmark === first.benchmark && r.metric === first.metric);
		return {
			first,
			lines: p.lines,
			...sweepStory(p.lines, p.ratios, betterOf(first.unit, rows)),
		};
	});

	if (stories.length === 1) return stories[0];
	const bad = stories.filter((s) => s.side === 'worse');
	const good = stories.filter((s) => s.side === 'better');
	const still = stories.length - bad.length - good.length;
	const example = bad[0] ?? good[0];
	const kernels = stories[0].lines.map((l) => f.tag(l.kernel));
	const parts = [
		bad.length && `worse in ${bad.length}`,
		good.length && `better in ${good.length}`,
		still && `no lasting change in ${still}`,
	].filter(Boolean);

	return {
		statement:
			kernels.length > 1
				? `${kernels[1]} against ${kernels[0]}: ${parts.join(', ')} of ${stories.length} combinations of machine and THP mode.`
				: 'One kernel: choose a second one to compare.',
		facts: example
			? [{ text: `For example ${example.first.machine}, THP ${example.first.thp}: ${example.statement}` }]
			: [],
	};
}

function missingNote(compare) {
	const list = compare.missing ?? [];
	const name = (m) =>
		`${m.machine} ${f.params(m.params)} (${m.side}: ${m.reason.replace('_', ' ')}${m.error ? `, ${m.error}` : ''})`;
	const more = list.length > 5 ? `; and ${list.length - 5} more` : '';

	return list.length ? h('p.hint', `Not compared: ${list.slice(0, 5).map(name).join('; ')}${more}.`) : null;
}

function hints(cmp, leftOut) {
	return [
		leftOut > 0
			? h(
					'p.hint',
					`${f.plural(leftOut, 'more combination')} left out: add a machine or a THP mode to the selection.`,
				)
			: null,
		cmp
			? h(
					'p.hint',
					h('a', { href: cmp.url('/compare') }, 'The same comparison, every row'),
					' \u00b7 Shift-click two lines to compare them; arrow keys walk the points and lines, x marks a line, ',
					h('kbd', '?'),
					' shows all keys',
				)
			: null,
	];
}

function renderEmpty(query) {
	const kernels = query.all('kernel').join(', ') || 'these kernels';
	const where = query.has('machine') ? ` on ${query.all('machine').join(', ')}` : '';

	replace($('#head'), h('h1', 'Nothing measured for this selection yet'));
	$('#picture').hidden = true;
	replace(
		$('#view'),
		emptyState(
			'No data',
			`No run of ${kernels} with ${query.get('benchmark') ?? 'this benchmark'}${where} yet.`,
			...howToSend(),
		),
	);
}

// The verdicts behind a sentence: the costs apart, and all sizes together.
function costsWhy(sweep, ratio, ask) {
	const at = sweep.ratios.indexOf(ratio);

	return async () => costParts((await ask()).ratios[at]);
}

function fact(sweep, { text, ratio }, ask) {
	return h(
		'p.fact',
		text,
		' ',
		ratio?.overall ? whyButton(`the cost of ${f.tag(ratio.kernel)}`, costsWhy(sweep, ratio, ask)) : '',
	);
}

function renderHead(sweep, compare, ask) {
	const story = headline(sweep, compare);

	document.title = `${story.statement.replace(/\.$/, '')} - nsecwatch`;
	replace($('#what'), about(sweep.lines));
	replace(
		$('#head'),
		h('h1', story.statement),
		story.facts.map((o) => fact(sweep, o, ask)),
		h(
			'p.trust',
			trust(
				compare.rows,
				sweep.ratios.some((r) => r.overall),
			),
		),
	);
}

// What the address says of how it is shown
const asked = (query) => ({
	by: query.get('lines') === 'uarch' ? 'machine' : (query.get('lines') ?? 'kernel'),
	split: query.get('panels') ?? 'auto',
	mode: query.get('y') ?? 'value',
});

function windowOf(query) {
	const [from, to] = ['from', 'to'].map((name) => Number(query.get(name)));
	return query.has('from') && query.has('to') && from < to ? [from, to] : null;
}

// A window that a hand chose goes into the address, and to all plots of the page.
function zoomer(plots) {
	return (window) => {
		const [from, to] = window ?? [];
		const url = current().with('from', from).with('to', to).url(location.pathname);

		// the plots of a panel are brushed together
		if (url === location.pathname + location.search) return;
		history.pushState(null, '', url);
		document.documentElement.dataset.shown = location.pathname + location.search;
		plots().forEach((p) => p.move(window));
	};
}

function tableOf(p, sweep, compare, { by, split }, ask) {
	return by === 'kernel' && split === 'auto' ? kernelTable(p, sweep, compare, ask) : otherTable(p, sweep, by);
}

// One line a panel: what its first two kernels say, where they are its lines.
function panelStory(p, { by, split }) {
	const story = by === 'kernel' && split === 'auto' && p.lines.length > 1 ? sweepStory(p.lines, p.ratios, betterOf(p.lines[0].unit, [])) : null;
	const cost = story?.facts[0]?.text;

	return story ? h('p.story', story.statement, cost ? ` ${cost}` : '') : null;
}

function panelSection(p, panels, { by, split }, table, extra) {
	const alone = panels.length === 1;

	return h(
		'section.panel',
		alone ? null : h('h2', panelTitle(p, panels, by, split)),
		alone ? null : panelStory(p, { by, split }),
		h('div.plots'),
		p.left ? h('p.hint', `${f.plural(p.left, 'more line')} left out: more than ${LINES_MOST} are not told apart.`) : null,
		alone
			? [h('h2', 'The same as a table'), table, ...extra]
			: h('details', h('summary', 'The same as a table'), table),
	);
}

function plotAll(Uplot, panels, sections, specs, onLeave, query) {
	const drawn = [];
	const plots = () => drawn.flatMap((d) => d.plots ?? []);
	const marks = lineMarks(query, () => plots().forEach((p) => p.u.redraw(false, false)));
	const zoomed = zoomer(plots);
	const window = windowOf(query);
	const forget = () => marks.forget();

	shareScale(specs);
	specs.forEach((of, i) => {
		for (const s of of)
			Object.assign(s, {
				window: window && [Math.max(window[0], s.xs[0]), Math.min(window[1], s.xs.at(-1))],
				zoomed,
				mark: (l) => marks.mark(l.of),
				isMarked: (l) => marks.isMarked(l.of),
			});
		const d = draw(Uplot, $('.plots', sections[i]), of, SweepPlot);
		drawn.push(d);
		onLeave(d);
	});
	document.addEventListener('unpin', forget);
	onLeave(() => document.removeEventListener('unpin', forget));
}

function render({ sweep, compare, Uplot, cmp }, query, onLeave) {
	const how = asked(query);
	const { by, split, mode } = how;
	const ask = asker(query.api().with('explain', 1).url('/api/v1/sweep'));

	if (!sweep.lines.length) {
		renderEmpty(query);
		return;
	}
	const panels = panelsOf(sweep, by, split);
	const shown = panels.slice(0, PANELS_MOST);
	const alone = shown.length === 1;
	const style = styles(sweep.lines, by, split);
	const height = alone && innerWidth > 720 ? 500 : 410; // what base.css keeps free
	const sections = shown.map((p) =>
		panelSection(p, panels, how, tableOf(p, sweep, compare, how, ask), by === 'kernel' ? fitTable(p) : []),
	);

	renderHead(sweep, compare, ask);
	replace(
		$('#view'),
		generatedNote(sweep.lines.map((l) => l.machine)),
		h(alone ? 'div.charts' : 'div.charts.many', { id: 'charts' }, sections),
		missingNote(compare),
		hints(cmp, panels.length - shown.length),
	);
	if (Uplot)
		plotAll(
			Uplot,
			shown,
			sections,
			shown.map((p) => sweepPlots(p, sweep.axis, { by, mode, style, height })),
			onLeave,
			query,
		);
	showPicture($('#picture'), Uplot ? null : query.api().url('/api/v1/sweep.svg'));
}

export const view = {
	resource: 'sweep',
	svg: true,
	load,
	render,
	defaults: (query, signal) => (query.has('kernel') && query.has('axis') ? null : bestSweep(query, signal)),
	bar: () =>
		chips($('#bar'), {
			args: ['kernel', 'machine', 'thp', 'uarch', 'benchmark', 'metric'],
			hide: ['axis'],
			choices: [
				{ name: 'lines', label: 'lines', values: [['kernel', 'kernel'], ['uarch', 'machine'], ['thp', 'thp']] },
				{
					name: 'panels',
					label: 'panels',
					values: [['auto', 'the rest'], ...['none', 'kernel', 'machine', 'thp'].map((v) => [v, v])],
				},
				{
					name: 'y',
					label: 'y',
					values: [
						['value', 'per call'],
						['page', 'per page'],
						['percent', '% of first'],
					],
				},
			],
		}),
	failed: () => ($('#picture').hidden = true),
};
