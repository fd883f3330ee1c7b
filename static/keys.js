// SPDX-License-Identifier: GPL-2.0-or-later
// The keyboard: ? help, / search, g + letter go to, j/k rows, n/p regressions, Enter open, u up, . text.

import { $, h } from './dom.js';
import { Query, current } from './query.js';

const GO = { o: '/', s: '/sweep', t: '/trend', c: '/compare', m: '/matrix', a: '/alerts', r: '/rules' };
// what the page of the moment adds: key -> {text, run}
export const own = new Map();

let pending = false;
let timer;

const HELP = [
	['?', 'this help'],
	['/', 'search'],
	['g o', 'overview'],
	['g s', 'sweep'],
	['g t', 'trend'],
	['g c', 'compare'],
	['g m', 'matrix'],
	['g a', 'alerts'],
	['g r', 'rules'],
	['j k', 'next, previous row'],
	['n p', 'next, previous regression'],
	['x', 'mark the row\u2019s kernel; two marked kernels can be compared'],
	['Enter', 'open the row'],
	['Esc', 'close what is open, unpin, forget the marks'],
	['w', 'why: the verdict of the row, or the first of the page, explained'],
	['u', 'up'],
	['.', 'this view as text'],
	['\u2191 \u2193', 'in a picture: the lines at the point; x marks one, two marked lines can be compared'],
	['\u2190 \u2192', 'walk the points of a picture; Enter pins, 0 resets the zoom, as a double click does'],
];

export function help() {
	let dialog = $('#help');

	if (!dialog) {
		dialog = h(
			'dialog',
			{ id: 'help', 'aria-label': 'Keys' },
			h('h2', 'Keys'),
			h(
				'dl',
				[...HELP.filter(([key]) => !own.has(key)), ...[...own].map(([key, { text }]) => [key, text])].map(
					([key, text]) => [
						h(
							'dt',
							key.split(' ').map((k, i) => [i ? ' ' : '', h('kbd', k)]),
						),
						h('dd', text),
					],
				),
			),
			h('form', { method: 'dialog' }, h('button.plain', 'Close')),
		);
		document.body.append(dialog);
	}
	dialog.showModal();
}

/** @returns {HTMLTableRowElement[]} */
const rows = () =>
	[.../** @type {NodeListOf<HTMLTableRowElement>} */ (document.querySelectorAll('main table.data tbody tr:not(.group)'))].filter((r) => r.offsetParent);

function select(row) {
	for (const r of document.querySelectorAll('tr[aria-selected]')) r.removeAttribute('aria-selected');
	row.setAttribute('aria-selected', 'true');
	row.scrollIntoView({ block: 'nearest' });
}

function move(by, only) {
	const all = rows();
	const at = all.findIndex((r) => r.getAttribute('aria-selected') === 'true');

	for (let i = at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by; i >= 0 && i < all.length; i += by)
		if (!only || all[i].matches(only)) {
			select(all[i]);
			return;
		}
}

/** @returns {HTMLTableRowElement[]} */
const marked = () => [...document.querySelectorAll('tr[data-marked]')].map((r) => /** @type {HTMLTableRowElement} */ (r));

export function clearMarks() {
	marked().forEach((r) => r.removeAttribute('data-marked'));
	$('#marks')?.remove();
}

// Two marked kernels, in the order of the table, are a comparison of the same selection.
function mark(row) {
	if (!row) return;
	row.toggleAttribute('data-marked');
	$('#marks')?.remove();
	const two = marked().map((r) => r.dataset.kernel);
	if (two.length !== 2) return;
	const q = new Query([
		['base', two[0]],
		['head', two[1]],
		...current().only('benchmark', 'metric', 'machine', 'uarch', 'isa', 'thp', 'base_page_kib', 'param.*')
			.entries,
	]);
	document.body.append(
		h(
			'div',
			{ id: 'marks', role: 'status' },
			h('a', { href: q.url('/compare') }, `Compare ${two[0]} and ${two[1]}`),
			h('span.dim', ' \u00b7 Esc forgets'),
		),
	);
}

function goTo(key) {
	clearTimeout(timer);
	pending = false;
	if (GO[key]) location.assign(GO[key]);
	return Boolean(GO[key]);
}

function onKey(key) {
	if (pending) return goTo(key);
	if (own.has(key)) return own.get(key).run() ?? true;
	switch (key) {
		case '?':
			help();
			return true;
		case '/':
			$('.search input')?.focus();
			return true;
		case 'g':
			pending = true;
			timer = setTimeout(() => (pending = false), 1500);
			return true;
		case 'j':
			move(1);
			return true;
		case 'k':
			move(-1);
			return true;
		case 'n':
			move(1, '[data-verdict=regression]');
			return true;
		case 'p':
			move(-1, '[data-verdict=regression]');
			return true;
		case 'Enter': {
			const a = $('tr[aria-selected=true] :is(a, button.open)');
			a?.click();
			return Boolean(a);
		}
		case 'w': {
			const why = $('tr[aria-selected=true] .why') ?? $('main .why');
			why?.click();
			return Boolean(why);
		}
		case 'u':
			location.assign(document.body.dataset.up ?? '/');
			return true;
		case '.':
			$('a[data-form=txt]')?.click();
			return true;
		case 'x':
			mark($('tr[aria-selected=true][data-kernel]'));
			return true;
		case 'Escape':
			document.dispatchEvent(new CustomEvent('unpin'));
			clearMarks();
			$('tr:not([hidden]) button.open[aria-expanded=true]')?.click();
			return false;
	}
	return false;
}

export function keys() {
	document.addEventListener('keydown', (e) => {
		const on = /** @type {Element} */ (e.target);

		if (e.ctrlKey || e.metaKey || e.altKey || $('dialog[open]') || on.closest('input, textarea, select'))
			return;
		// a button of a dialog that was just closed can still have the focus: it is not what Enter means
		if (e.key === 'Enter' && on.closest('a, button') && on.getClientRects().length) return;
		if (onKey(e.key)) e.preventDefault();
	});
}
