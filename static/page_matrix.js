// SPDX-License-Identifier: GPL-2.0-or-later
// Where does the verdict depend on machine or THP mode: a cell a combination, the number in the cell.

import { catalogue, get, list } from './api.js';
import { chips } from './chips.js';
import { $, h, replace } from './dom.js';
import * as f from './format.js';
import { bestPair } from './pick.js';
import { current, Query } from './query.js';
import { emptyState, generatedNote, howToSend, isGenerated, machineName, table } from './views.js';
import { asker, whyButton } from './why.js';

const PATCHES_MOST = 6;
const DIMENSIONS = ['uarch', 'machine', 'isa', 'thp', 'benchmark', 'track'];

function dims(query) {
	return { rows: query.get('rows') ?? 'uarch', cols: query.get('cols') ?? 'thp' };
}

function asked(query) {
	const d = dims(query);
	return query.api().with('rows', d.rows).with('cols', d.cols);
}

const load = (query, signal) => get(asked(query).url('/api/v1/matrix'), signal);

// Colour follows effect against noise; without a noise estimate it stays faint, whatever the number.
function strength(cell) {
	const p = Math.abs(cell.percent);

	if (p < 0.05 || cell.verdict === 'unchanged') return 0;
	if (!cell.ci) return p < 5 ? 1 : 2;
	const half = (Math.log1p(cell.ci[1] / 100) - Math.log1p(Math.max(-99.99, cell.ci[0]) / 100)) / 2;
	const z = Math.abs(Math.log1p(cell.percent / 100)) / Math.max(1e-9, half);
	return z < 1 ? 1 : z < 3 ? 2 : z < 10 ? 3 : 4;
}

const worse = (cell) => cell.direction === 'worse';

// A mean over many rows may tell nothing where some of them do.
const hidden = (cell) => cell.verdict === 'inconclusive' && cell.n_series > 1 && cell.regressions + cell.improvements > 0;

function wordOf(cell) {
	const rows = f.plural(cell.n_series, 'row');

	if (cell.signs_disagree) return `signs disagree, ${rows}`;
	if (hidden(cell)) return `${cell.regressions || cell.improvements} of ${rows} ${cell.regressions ? 'worse' : 'better'}`;
	return `${cell.verdict === 'inconclusive' ? (cell.ci ? 'inconclusive' : 'unproven') : cell.verdict}, ${rows}`;
}

// Where its metrics have no better side in common, the rows' own verdicts have one.
function sideOf(cell) {
	const s = strength(cell);

	if (cell.verdict === 'unchanged') return '';
	if (cell.direction) return s ? (worse(cell) ? `w${s}` : `b${s}`) : '';
	return hidden(cell) && !(cell.regressions && cell.improvements) ? (cell.regressions ? 'w1' : 'b1') : '';
}

function compareLink(query, rows, cols, row, col) {
	const q = new Query([
		['base', query.get('base')],
		['head', query.get('head')],
		...(query.get('fix') ? [['fix', query.get('fix')]] : []),
		...query.without('base', 'head', 'fix', 'rows', 'cols', rows, cols).api().entries,
	]);
	return q.with(rows, row).with(cols, col).url('/compare');
}

function cellOf(cell, link, why) {
	if (!cell) return h('td.empty', { title: 'not measured with both kernels' }, '\u2013');
	const side = sideOf(cell);
	const title = `${cell.signs_disagree ? `${cell.verdict}; some of its rows surely rose and some surely fell; ` : ''}${cell.ci ? `95 % interval ${f.range(cell.ci[0], cell.ci[1])}; ` : ''}worst series ${f.percent(cell.worst?.change_percent)}`;

	return h(
		side ? `td.${side}` : 'td',
		{ title, 'data-verdict': cell.verdict, 'data-signs': cell.signs_disagree ? 'disagree' : undefined, 'data-hidden': hidden(cell) || undefined },
		h(
			'a',
			{ href: link },
			h('b', f.percent(cell.percent)),
			cell.ci ? h('span.ci', `${f.percent(cell.ci[0])} .. ${f.percent(cell.ci[1])}`) : null,
			h('span.word', wordOf(cell)),
		),
		why,
	);
}

function cellWhy(ask, r, c, title) {
	return whyButton(title, async () => {
		const cell = (await ask()).cells[r]?.[c];
		return cell ? [['', cell.why]] : [];
	});
}

const NET = {
	better: 'On balance better: nowhere worse.',
	worse: 'On balance worse: nowhere better.',
	'trade-off': 'On balance a trade-off.',
	unchanged: 'On balance unchanged.',
	inconclusive: 'On balance nothing is proven.',
};

const counts = (net) =>
	['better', 'worse', 'unchanged', 'inconclusive']
		.filter((k) => net[k])
		.map((k) => `${net[k]} ${k}`)
		.join(', ');

// ---- patches ----

// Reverts and patches of the head, or of what the head is made from, each against what it is made on
async function patchesOf(data) {
	const base = data.head.variant ? data.head.variant.base.replace(/^v/, '') : data.head.name;
	const all = await catalogue('kernels', 'order=1');
	return {
		base,
		list: all.filter((k) => k.variant && k.variant.base.replace(/^v/, '') === base).slice(0, PATCHES_MOST),
	};
}

function patchRow(k, base, told, query) {
	const cells = told.cells.flat().filter(Boolean);
	const worst = cells.filter((c) => c.direction === 'worse').sort((x, y) => Math.abs(y.percent) - Math.abs(x.percent))[0];
	const q = query.with('base', base).with('head', k.name);

	return h(
		'tr',
		h('th.k', { scope: 'row' }, h('a', { href: q.url('/matrix') }, k.name)),
		h(`td.strong${{ better: '.better', worse: '.worse' }[told.net.verdict] ?? ''}`, told.net.verdict),
		['better', 'worse', 'unchanged', 'inconclusive'].map((n) => h('td.num', String(told.net[n]))),
		h('td.num', worst ? f.percentCell(worst.percent) : ''),
		h('td.wrap', f.typeset(told.sentence)),
	);
}

// The net verdict of each patch over all cells: one is better in some and worse in others, or it is not.
async function patches(el, data, query, d) {
	const { base, list } = await patchesOf(data).catch(() => ({ base: '', list: [] }));
	const asked = query.without('fix').api().with('rows', d.rows).with('cols', d.cols).with('base', base);
	const told = await Promise.all(
		list.map((k) => get(asked.with('head', k.name).url('/api/v1/matrix')).catch(() => null)),
	);
	const rows = list.map((k, i) => [k, told[i]]).filter(([, t]) => t?.cells.flat().some(Boolean));

	if (!rows.length) return;
	replace(
		el,
		h('h2', `Reverts and patches of ${base}, over the same cells`),
		table({
			id: 'patches-table',
			heads: [
				'patch',
				'on balance',
				...['better', 'worse', 'unchanged', 'inconclusive'].map((text) => ({ text, num: true })),
				{ text: 'worst cell', num: true },
				'where',
			],
			rows: rows.map(([k, t]) => patchRow(k, base, t, query)),
		}),
	);
}

function legend() {
	const box = (cls, text) => h(`span.${cls}`, text);
	return h(
		'p.scale',
		{ 'aria-hidden': 'true' },
		box('b4', 'better, far beyond noise'),
		box('b3', '\u00a0'),
		box('b2', '\u00a0'),
		box('b1', '\u00a0'),
		box('zero', 'unchanged'),
		box('w1', '\u00a0'),
		box('w2', '\u00a0'),
		box('w3', '\u00a0'),
		box('w4', 'worse, far beyond noise'),
	);
}

function render(data, query) {
	const out = $('#view');
	const d = dims(query);
	const cells = data.cells.flat().filter(Boolean);
	const inside = cells.filter(hidden).length;
	const ask = asker(asked(query).with('explain', 1).url('/api/v1/matrix'));

	document.title = `${query.get('head')} against ${query.get('base')} by ${d.rows} and ${d.cols} - nsecwatch`;
	replace(
		$('#what'),
		h('span.k', query.get('base')),
		' \u2192 ',
		h('span.k', query.get('head')),
		` \u00b7 ${d.rows} \u00d7 ${d.cols}`,
	);
	if (!cells.length) {
		replace($('#head'), h('h1', 'Nothing of this selection was measured with both kernels'));
		replace(
			out,
			emptyState(
				'An empty matrix',
				`No ${d.rows} has a result of both ${query.get('base')} and ${query.get('head')}. Choose other kernels, or measure them.`,
				...howToSend(),
			),
		);
		return;
	}
	replace(
		$('#head'),
		h('h1', `${f.tag(data.head)} against ${f.tag(data.base)}: ${f.typeset(data.sentence)}`),
		h(
			'p.fact',
			`${NET[data.net.verdict]} ${f.plural(cells.length, 'cell')}: ${counts(data.net)}.`,
			inside ? ` In ${f.plural(inside, 'cell')} the mean tells nothing, but rows of it changed beyond noise.` : '',
		),
		h(
			'p.trust',
			`Geometric mean over the rows of a cell; the colour follows the side and how far beyond noise it is. ${cells.every((c) => c.ci) ? '' : 'Faint: single values, no noise estimate, no verdict.'}`,
		),
	);
	replace(
		out,
		generatedNote([...data.rows, ...data.cols].filter(isGenerated)),
		table({
			id: 'matrix-table',
			narrow: true,
			heads: [`${d.rows} \\ ${d.cols}`, ...data.cols.map((c) => ({ text: c, num: true }))],
			rows: data.rows.map((name, r) =>
				h(
					'tr',
					h('th.k', { scope: 'row' }, machineName(name)),
					data.cols.map((c, k) =>
						cellOf(
							data.cells[r][k],
							compareLink(query, d.rows, d.cols, name, c),
							cellWhy(ask, r, k, `${name}, ${d.cols} ${c}`),
						),
					),
				),
			),
		}),
		legend(),
		cells.length === 1
			? h(
					'p.hint',
					'One combination only. The matrix answers more once the same pair of kernels is measured with other THP modes or on other machines.',
				)
			: h('p.hint', 'A click on a cell opens its rows.'),
	);
	$('#matrix-table').classList.add('heat');
	const below = h('section');
	out.append(below);
	patches(below, data, query, d);
}

// Dimensions there are, and parameters of what is selected
const choice = (name, first, query, params) => {
	const now = query.get(name);
	const all = [...new Set([first, ...DIMENSIONS, ...params, ...(now ? [now] : [])])];
	return { name, label: name, values: all.map((v) => [v, v.replace('param.', '')]) };
};

function bar(query, params = []) {
	chips($('#bar'), {
		args: ['head', 'base', 'benchmark', 'machine', 'uarch', 'thp'],
		hide: ['rows', 'cols'],
		choices: [choice('rows', 'uarch', query, params), choice('cols', 'thp', query, params)],
	});
}

// Numeric and other parameters of the series selected, of a page of them: what rows and columns can be, too
async function paramsOf(query) {
	const of = query.only('benchmark', 'metric', 'machine', 'uarch', 'isa', 'thp', 'param.*').toString();
	const series = await list('series', of, 1).catch(() => []);
	return [...new Set(series.flatMap((s) => Object.keys(s.params ?? {})))].slice(0, 8).map((n) => `param.${n}`);
}

export const view = {
	resource: 'matrix',
	svg: true,
	load,
	render,
	defaults: (query, signal) =>
		query.has('base') && query.has('head')
			? null
			: query.has('head')
				? query.with('base', 'previous')
				: bestPair(query, signal),
	bar: (query) => {
		bar(query);
		paramsOf(query).then((params) => params.length && current().toString() === query.toString() && bar(query, params));
	},
	forms: asked,
};
