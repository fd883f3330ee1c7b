// SPDX-License-Identifier: GPL-2.0-or-later
// Where does the verdict depend on machine or THP mode: a cell a combination, the number in the cell.

import { get } from './api.js';
import { chips } from './chips.js';
import { $, h, replace } from './dom.js';
import * as f from './format.js';
import { bestPair } from './pick.js';
import { Query } from './query.js';
import { emptyState, generatedNote, howToSend, isGenerated, machineName, table } from './views.js';
import { asker, whyButton } from './why.js';

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

function wordOf(cell) {
	return cell.verdict === 'inconclusive' ? `${cell.ci ? 'inconclusive' : 'unproven'}` : cell.verdict;
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
	const s = strength(cell);
	const side = cell.verdict === 'unchanged' || !s ? '' : worse(cell) ? `w${s}` : `b${s}`;
	const title = `${cell.ci ? `95 % interval ${f.range(cell.ci[0], cell.ci[1])}; ` : ''}worst series ${f.percent(cell.worst?.change_percent)}`;

	return h(
		side ? `td.${side}` : 'td',
		{ title, 'data-verdict': cell.verdict },
		h(
			'a',
			{ href: link },
			h('b', f.percent(cell.percent)),
			h('span.word', `${wordOf(cell)}, ${f.plural(cell.n_series, 'row')}`),
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

// "better with thp always (-37 % .. -16 %), worse with never (+44 % .. +81 %)"
function statement(data, query, d) {
	const kernels = `${f.tag(data.head)} against ${f.tag(data.base)}`;
	const all = data.cells.flat().filter(Boolean);
	const columns = data.cols.map((name, c) => {
		const cells = data.cells.map((r) => r[c]).filter(Boolean);
		const is = (word) =>
			cells.length && cells.every((o) => o.direction === word && Math.abs(o.percent) >= FAINT);
		const signs = new Set(cells.map((o) => Math.sign(o.percent)));
		return {
			name,
			span: signs.size === 1 ? ` (${spanOf(cells)})` : '',
			word: is('worse') ? 'worse' : is('better') ? 'better' : '',
		};
	});
	const told = columns.filter((c) => c.word);
	const agree = new Set(told.map((c) => c.word)).size < 2 && told.length === columns.length;

	if (agree && columns.length && told.length)
		return `${kernels}: ${told[0].word} everywhere, ${spanOf(all)} over ${f.plural(all.length, 'combination')} of ${d.rows} and ${d.cols}.`;
	if (told.length)
		return `${kernels}: ${told.map((c) => `${c.word} with ${d.cols === 'thp' ? 'THP' : d.cols} ${c.name}${c.span}`).join(', ')}${told.length < columns.length ? ', mixed otherwise' : ''}.`;
	return `${kernels}: no side taken, ${spanOf(all)} over ${f.plural(all.length, 'combination')} of ${d.rows} and ${d.cols}.`;
}

const FAINT = 0.5;
const spanOf = (cells) =>
	f.range(Math.min(...cells.map((c) => c.percent)), Math.max(...cells.map((c) => c.percent)));

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
		h('h1', statement(data, query, d)),
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
}

const choice = (name, first) => ({
	name,
	label: name,
	values: [first, ...DIMENSIONS.filter((v) => v !== first)].map((v) => [v, v]),
});

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
	bar: () =>
		chips($('#bar'), {
			args: ['head', 'base', 'benchmark', 'machine', 'uarch', 'thp'],
			hide: ['rows', 'cols'],
			choices: [choice('rows', 'uarch'), choice('cols', 'thp')],
		}),
	forms: asked,
};
