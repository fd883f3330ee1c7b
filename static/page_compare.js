// SPDX-License-Identifier: GPL-2.0-or-later
// Two kernels (and a fix) row by row: what got slower, by how much, how sure.

import { get } from './api.js';
import { chips } from './chips.js';
import { filters, suggest } from './compare_bar.js';
import { filterOf, sorted, STANDARD } from './compare_rows.js';
import { noRows, rowsTable, said } from './compare_table.js';
import { $, h, replace } from './dom.js';
import * as f from './format.js';
import { bestPair } from './pick.js';
import { fixName } from './story.js';
import { emptyState, generatedNote, howToSend, machineName, table } from './views.js';
import { asker } from './why.js';

const FLOOR = 2;
const ROWS = ['verdict', 'confidence', 'text', 'size', 'on', 'mode', 'sort', 'group']; // which rows, and how they stand: the API takes it as the page does
const SENTENCES_MOST = 4;

async function load(query, signal) {
	const data = await get(query.api().with('sweeps', 1).url('/api/v1/compare'), signal);

	data.fixed = data.rows.some((r) => r.fix);
	data.asked = query.api();
	data.ask = asker(data.asked.with('sweeps', 1).with('explain', 1).url('/api/v1/compare'));
	return data;
}

function missing(list) {
	if (!list?.length) return null;
	return h(
		'details',
		h('summary', `${f.plural(list.length, 'series')} not compared: one side was not run, or failed`),
		table({
			caption: list.length > 500 ? `The first 500 of ${f.grouped(list.length)}` : undefined,
			heads: ['benchmark', 'size', 'machine', 'THP', 'side', 'reason'],
			rows: list
				.slice(0, 500)
				.map((m) =>
					h(
						'tr',
						h('th.k', { scope: 'row' }, m.benchmark),
						h('td', f.params(m.params)),
						h('td', machineName(m.machine)),
						h('td', m.thp),
						h('td', m.side),
						h('td.wrap', m.reason.replace('_', ' '), m.error ? `: ${m.error}` : ''),
					),
				),
		}),
	);
}

// What has no noise estimate is not tested, and not in the family that q is over.
function confidenceOf(rows) {
	const tests = rows.filter((r) => r.q !== null).length;

	return tests
		? `Confidence from q-values over the ${f.plural(tests, 'test')} of this comparison, of ${f.plural(rows.length, 'row')}.`
		: 'No row could be tested.';
}

function trust({ rows, summary: s }) {
	if (rows.every((r) => r.base.n === 1 && r.head.n === 1))
		return 'n = 1: one value a side, so no row has a noise estimate or a verdict; signs and numbers stand as measured.';
	return `Geometric mean ${f.percent(s.geomean_percent)}; ${s.unchanged} unchanged (the interval lies within ${FLOOR} %), ${s.inconclusive} inconclusive. ${confidenceOf(rows)}`;
}

function fixFact(data) {
	if (!data.fix) return null;
	const restored = data.summary.restored_percent;
	return h(
		'p.fact',
		!data.fixed
			? `${data.fix.name} was not measured where both others were.`
			: restored === null
				? `${fixName(data.fix)}: what it restores cannot be told.`
				: `${fixName(data.fix)} brings back ${f.percent(restored, false)} of the change.`,
	);
}

function renderEmpty(data, out) {
	replace($('#head'), h('h1', 'Nothing of this selection was measured with both kernels'));
	replace($('#filters'));
	replace(
		out,
		emptyState(
			'No row has both sides',
			`Of ${data.base.name} and ${data.head.name} nothing was measured on the same machine, THP mode and size. Remove a chip, or measure it.`,
			...howToSend(),
		),
		missing(data.missing),
	);
}

function render(data, query) {
	const out = $('#view');
	const rows = data.rows.length ? sorted(data.rows.filter(filterOf(query, data.rows)), query.get('sort')) : [];

	document.title = `${f.tag(data.head)} against ${f.tag(data.base)} - nsecwatch`;
	replace(
		$('#what'),
		h('span.k', data.base.name),
		' \u2192 ',
		h('span.k', data.head.name),
		data.fix ? [' \u00b7 fix ', h('span.k', data.fix.name)] : '',
	);
	suggest($('#suggest'), data, query.without('open'));
	if (!data.rows.length) {
		renderEmpty(data, out);
		return;
	}
	const sentences = said(data);
	replace(
		$('#head'),
		h('h1', `${f.tag(data.head)} against ${f.tag(data.base)}: ${f.typeset(data.sentence)}`),
		fixFact(data),
		sentences.length && sentences.length <= SENTENCES_MOST && query.get('group') !== 'sweep'
			? h('div.said', sentences)
			: null,
		h('p.trust', trust(data)),
	);
	filters($('#filters'), data);
	replace(
		out,
		generatedNote(data.rows.map((r) => r.machine)),
		rows.length < data.rows.length && rows.length
			? h('p.hint', { role: 'status' }, `${f.grouped(rows.length)} of ${f.plural(data.rows.length, 'row')}.`)
			: null,
		rows.length ? rowsTable(data, rows, query) : noRows(data, query),
		missing(data.missing),
	);
}

export const view = {
	resource: 'compare',
	svg: true,
	forms: (query) =>
		ROWS.reduce((api, k) => api.with(k, query.get(k) || (k === 'sort' ? STANDARD : undefined)), query.api()),
	again: true,
	load,
	render,
	defaults: (query, signal) =>
		query.has('base') && query.has('head')
			? null
			: query.has('head')
				? query.with('base', 'previous')
				: bestPair(query, signal, { fix: true }),
	bar: () => chips($('#bar'), { args: ['head', 'base', 'fix', 'machine', 'thp', 'benchmark', 'uarch'] }),
	failed: () => replace($('#filters')),
};
