// SPDX-License-Identifier: GPL-2.0-or-later
// Filters of a list with a name: a filter is a URL, so a saved one is a name for a URL, kept in this browser.

import { h } from './dom.js';
import { Query } from './query.js';
import { who } from './session.js';

const KEY = 'nsecwatch.filters';

const states = (...list) => list.map((s) => ['state', s]);

export const BUILT_IN = [
	[
		'Open regressions',
		new Query([
			['kind', 'regression'],
			...states('suspect', 'new', 'acknowledged', 'reported', 'fix-posted'),
		]),
	],
	['To look at', new Query(states('suspect', 'new'))],
	['Overdue', new Query([['overdue', '1']])],
	['Waiting for a fix', new Query(states('reported', 'fix-posted'))],
	['Improvements', new Query([['kind', 'improvement']])],
	['Ended', new Query(states('fixed', 'accepted', 'invalid', 'muted'))],
	['All', new Query()],
];

function saved() {
	try {
		const list = JSON.parse(localStorage.getItem(KEY) ?? '[]');
		return Array.isArray(list)
			? list.filter((s) => typeof s?.name === 'string' && typeof s.query === 'string')
			: [];
	} catch {
		return [];
	}
}

function write(list) {
	try {
		localStorage.setItem(KEY, JSON.stringify(list));
	} catch {
		// a browser that keeps nothing: the URL can be kept elsewhere
	}
	dispatchEvent(new CustomEvent('state'));
}

// The same arguments, in whatever order
const same = (a, b) => JSON.stringify([...a.entries].sort()) === JSON.stringify([...b.entries].sort());

function save(query) {
	const input = h('input', {
		type: 'text',
		name: 'name',
		required: true,
		maxlength: 60,
		autocomplete: 'off',
		'aria-label': 'Name',
	});
	const form = h(
		'form',
		{ method: 'dialog' },
		h('label.field', 'Name', input),
		h(
			'p.buttons',
			h('button', { type: 'submit' }, 'Save'),
			h('button.plain', { type: 'button', onclick: () => dialog.close() }, 'Cancel'),
		),
		h('p.hint', 'Kept in this browser. The address of this page is the filter: it can be sent to others.'),
	);
	const dialog = h(
		'dialog',
		{ id: 'save-filter', 'aria-labelledby': 'save-title' },
		h('h2', { id: 'save-title' }, 'Save this filter'),
		form,
	);

	form.addEventListener('submit', () =>
		write([
			...saved().filter((s) => s.name !== input.value.trim()),
			{ name: input.value.trim(), query: query.toString() },
		]),
	);
	dialog.addEventListener('close', () => dialog.remove());
	document.body.append(dialog);
	dialog.showModal();
}

// What is the reader's own, once it is known who that is
function ownLink(link) {
	const at = h('span.mine');

	who().then((me) => me && at.append(link('Mine', new Query([['assignee', me.name]]))));
	return at;
}

// Links of all filters; the one that is on is marked, one that has no name yet can get one.
export function filterBar(query, path) {
	const plain = query.without('cursor', 'limit');
	const link = (name, q) =>
		h('a', { href: q.url(path), 'aria-current': same(q, plain) ? 'true' : undefined }, name);
	const mine = saved().map((s) => ({ ...s, q: Query.from(s.query) }));
	const known = [...BUILT_IN.map(([, q]) => q), ...mine.map((s) => s.q)].some((q) => same(q, plain));

	return h(
		'nav.filters',
		{ 'aria-label': 'Filters' },
		BUILT_IN.map(([name, q]) => link(name, q)),
		ownLink(link),
		mine.map((s) =>
			h(
				'span.saved',
				link(s.name, s.q),
				h(
					'button.plain',
					{
						type: 'button',
						'aria-label': `Forget the filter ${s.name}`,
						onclick: () => write(saved().filter((o) => o.name !== s.name)),
					},
					'\u00d7',
				),
			),
		),
		known
			? null
			: h('button.plain', { type: 'button', id: 'save', onclick: () => save(plain) }, 'save this filter'),
	);
}
