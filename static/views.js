// SPDX-License-Identifier: GPL-2.0-or-later
// Parts that several pages show: states, verdict words, labels of generated data, tables.

import { h } from './dom.js';
import { age, percentCell, time } from './format.js';

export const isGenerated = (machine) => typeof machine === 'string' && machine.startsWith('generated-');

export const generatedTag = () =>
	h('span.generated', { title: 'Made by a generator, not measured on a machine' }, 'generated');

export function machineName(name) {
	return isGenerated(name) ? [name, generatedTag()] : name;
}

// A point in time as its age; on hover UTC, and what the reader's clock shows.
export function when(text) {
	const local = text ? new Date(text).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }) : '';

	return h('time', { datetime: text, title: text ? `${time(text)} (${local} here)` : undefined }, age(text));
}

// The first of many names
export const few = (list, most = 3) =>
	list.length <= most
		? list.map((m, i) => [i ? ', ' : '', machineName(m)])
		: [
				list.slice(0, most - 1).map((m, i) => [i ? ', ' : '', machineName(m)]),
				` and ${list.length - most + 1} more`,
			];

// One line on top of a page that shows any of it.
export function generatedNote(machines) {
	const all = [...new Set(machines)];
	const made = all.filter(isGenerated);

	if (!made.length) return null;
	return h(
		'p.note-generated',
		made.length === all.length
			? 'Generated data: these figures come from a generator, not from machines.'
			: `Partly generated data: figures of ${made.slice(0, 4).join(', ')}${made.length > 4 ? ' \u2026' : ''} come from a generator, not from machines.`,
	);
}

// The colour of a change follows its verdict; without any noise estimate, its direction. Within noise it is plain.
export function side(row) {
	const unknown = row.verdict === 'inconclusive' && !row.change_ci;

	if (row.verdict === 'regression' || (unknown && row.direction === 'worse')) return 'worse';
	if (row.verdict === 'improvement' || (unknown && row.direction === 'better')) return 'better';
	return '';
}

export function verdictWord(row) {
	if (row.verdict === 'inconclusive')
		return row.direction === 'worse' || row.direction === 'better'
			? `${row.direction}, inconclusive`
			: 'inconclusive';
	return row.confidence && row.confidence !== 'none' ? `${row.verdict}, ${row.confidence}` : row.verdict;
}

// why: the button that explains it, or nothing
export function verdictCell(row, why) {
	const proven = row.verdict === 'regression' || row.verdict === 'improvement';
	return h(
		proven ? `td.verdict.strong.${side(row)}` : 'td.verdict.dim',
		verdictWord(row),
		why ? [' ', why] : '',
	);
}

export function changeCell(row, p = row.change_percent) {
	const proven = row.verdict === 'regression' || row.verdict === 'improvement';
	return h(`td.num${side(row) ? '.' + side(row) : '.dim'}${proven ? '.strong' : ''}`, percentCell(p));
}

export const numCell = (text, dim) => h(dim ? 'td.num.dim' : 'td.num', text);

/**
 * @typedef {{text: any, unit?: string, num?: boolean, title?: string, sort?: string, cell?: (row: any) => any}} Column
 * @typedef {{caption?: string, rows: any[], id?: string, tall?: boolean, narrow?: boolean, onSort?: (name: string) => void,
 *	sorted?: string}} TableParts
 */

/** @param {TableParts & {heads: (string | Column)[]}} parts */
// heads: ['size', {text, unit, num, title, sort}]; rows: arrays of cells, first one becomes the row's head
export function table({ caption, heads, rows, id, tall, narrow, onSort, sorted }) {
	return h(
		tall ? 'div.scroll.tall' : 'div.scroll',
		{ tabindex: 0, role: 'group', 'aria-label': caption ?? 'Table' },
		h(
			narrow ? 'table.data.narrow' : 'table.data',
			{ id },
			caption && h('caption', caption),
			h(
				'thead',
				h(
					'tr',
					heads.map((c) => headCell(c, onSort, sorted)),
				),
			),
			h('tbody', rows),
		),
	);
}

/** @param {TableParts & {columns: Column[], attrs?: (row: any) => object}} parts */
// The same from columns {text, num, ..., cell(row)} and what the rows are about.
export function columnsTable({ columns, rows, attrs = () => ({}), ...more }) {
	return table({
		...more,
		heads: columns,
		rows: rows.map((r) =>
			h(
				'tr',
				attrs(r),
				columns.map((c) => c.cell(r)),
			),
		),
	});
}

function headCell(c, onSort, sorted) {
	// a column whose cells speak for themselves has a name for those who hear it
	const named = (text, title) => text || h('span.visually-hidden', title ?? 'more');

	if (typeof c === 'string') return h('th', { scope: 'col' }, named(c));
	const text = [named(c.text, c.title), c.unit ? h('span.u', ` ${c.unit}`) : ''];
	const arrow =
		c.sort && sorted?.replace('-', '') === c.sort ? (sorted.startsWith('-') ? ' \u2193' : ' \u2191') : '';

	return h(
		c.num ? 'th.num' : 'th',
		{
			scope: 'col',
			title: c.title,
			'aria-sort': arrow ? (sorted.startsWith('-') ? 'descending' : 'ascending') : undefined,
		},
		c.sort
			? h('button', { type: 'button', 'data-sort': c.sort, onclick: () => onSort(c.sort) }, text, arrow)
			: text,
	);
}

export function curlFor(what) {
	return `curl -H "Authorization: Bearer $NSECWATCH_TOKEN" -H 'Content-Type: application/json' \\
     --data-binary @${what} ${location.origin}/api/v1/runs`;
}

// An empty view says what is missing and what to do next.
export function emptyState(title, sentence, ...more) {
	return h('section.state', { 'data-state': 'empty' }, h('h2', title), h('p', sentence), ...more);
}

export function howToSend(file = 'run.json') {
	return [h('p', 'Send one:'), h('pre', h('code', curlFor(file)))];
}

export function errorState(e, query) {
	const next =
		e.status === 401
			? h('p', h('a', { href: `/signin?next=${encodeURIComponent(location.pathname + location.search)}` }, 'Sign in'), ', and come back here.')
			: e.status === 0 || e.status >= 500 || e.status === 429
			? h(
					'p',
					h(
						'button.plain',
						{ type: 'button', onclick: () => dispatchEvent(new CustomEvent('state')) },
						'Try again',
					),
					'. If it stays so: is the server, and its database, up? ',
					h('code', `curl ${location.origin}/readyz`),
				)
			: query && !query.empty
				? h(
						'p',
						h('a', { href: location.pathname }, 'Start from the default view'),
						', or change the chip that is named above.',
					)
				: h('p', h('a', { href: '/' }, 'To the overview'));
	const title =
		e.status === 400 || e.status === 422
			? 'This selection does not work'
			: e.status === 404
				? 'There is no such thing here'
				: e.status === 401 || e.status === 403
					? 'This server is read by those who are signed in'
					: 'The server could not answer';

	return h(
		'section.state.error',
		{ role: 'alert', 'data-state': 'error' },
		h('h2', title),
		h('p', e.message),
		e.problems?.length
			? h(
					'ul',
					e.problems.map((p) => h('li', p.at ? h('code', p.at) : '', p.at ? ' ' : '', p.message)),
				)
			: null,
		next,
		h(
			'p.hint',
			'Status ',
			String(e.status || 'none'),
			e.code ? ` (${e.code})` : '',
			e.requestId ? [', request ', h('code', e.requestId)] : '',
			'.',
		),
	);
}

// Without uPlot the server draws, and follows the selection; with it (src null) its picture is not even asked for.
export function showPicture(figure, src) {
	let img = figure.querySelector('img');

	figure.hidden = src === null;
	if (src === null) return;
	if (!img) figure.append((img = h('img', { width: 960, height: 470, alt: 'The numbers are in the table below' })));
	if (img.getAttribute('src') !== src) img.setAttribute('src', src);
}
