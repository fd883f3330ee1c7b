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
import { panelsOf, panelTitle, styles } from './sweep_lines.js';
import { sweepPlots } from './sweep_plots.js';
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
	const [sweep, compare, Uplot] = await Promise.all([
		get(query.api().url('/api/v1/sweep'), signal),
		cmp ? get(cmp.url('/api/v1/compare'), signal) : { rows: [], missing: [] },
		uplot(),
	]);
	return { sweep, compare, Uplot, cmp };
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
					' \u00b7 arrow keys walk the points of the picture, ',
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

function render({ sweep, compare, Uplot, cmp }, query, onLeave) {
	const by = query.get('lines') ?? 'kernel';
	const ask = asker(query.api().with('explain', 1).url('/api/v1/sweep'));
	const mode = query.get('y') ?? 'value';

	if (!sweep.lines.length) {
		renderEmpty(query);
		return;
	}
	const panels = panelsOf(sweep, by);
	const shown = panels.slice(0, PANELS_MOST);
	const alone = shown.length === 1;
	const style = styles(sweep.lines, by);
	const height = alone && innerWidth > 720 ? 500 : 410; // what base.css keeps free
	const charts = h(alone ? 'div.charts' : 'div.charts.many', { id: 'charts' });

	renderHead(sweep, compare, ask);
	replace(
		$('#view'),
		generatedNote(sweep.lines.map((l) => l.machine)),
		charts,
		missingNote(compare),
		hints(cmp, panels.length - shown.length),
	);
	for (const p of shown) {
		const panel = h('section.panel', alone ? null : h('h2', panelTitle(p, panels, by)));

		charts.append(panel);
		if (Uplot) onLeave(draw(Uplot, panel, sweepPlots(p, sweep.axis, { by, mode, style, height })));
		panel.append(
			h('h2', 'The same as a table'),
			by === 'kernel' ? kernelTable(p, sweep, compare, ask) : otherTable(p, sweep, by),
			...(by === 'kernel' && alone ? fitTable(p) : []),
		);
	}
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
			args: ['kernel', 'machine', 'thp', 'uarch', 'benchmark'],
			hide: ['axis'],
			choices: [
				{ name: 'lines', label: 'lines', values: ['kernel', 'uarch', 'thp'].map((v) => [v, v]) },
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
