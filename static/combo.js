// SPDX-License-Identifier: GPL-2.0-or-later
// Choosing by typing: an input with a list that narrows, one row an argument and its value.

import { h, replace } from './dom.js';

const MOST = 60;
let serial = 0;

// options(): promise of [{arg, value, note}], of which those that fit are shown; or ask(text, signal): promise of those that
// fit, from who knows. choose(option). Returns the element, with .focusInput().
export function combo({ label, placeholder, options, ask, choose, cancel, free }) {
	const id = `options-${++serial}`;
	const input = h('input', {
		type: 'text',
		role: 'combobox',
		'aria-expanded': 'false',
		'aria-controls': id,
		'aria-autocomplete': 'list',
		'aria-label': label,
		placeholder,
		autocomplete: 'off',
		spellcheck: 'false',
	});
	const list = h('ul.options', { id, role: 'listbox', hidden: true });
	const box = h('span.combo', input, list);
	let all = null;
	let found = [];
	let at = -1;

	function paint() {
		const words = input.value
			.toLowerCase()
			.split(/[\s:]+/)
			.filter(Boolean);

		found = ask ? (all ?? []) : fitting(all ?? [], words);
		at = Math.min(at, found.length - 1);
		if (words.length && at < 0 && found.length) at = 0;
		replace(
			list,
			found.map((o, i) =>
				h(
					'li',
					{
						role: 'option',
						id: `${id}-${i}`,
						'aria-selected': String(i === at),
						title: o.value,
						onmousedown: (e) => {
							e.preventDefault();
							pick(o);
						},
					},
					h('span.arg', o.show ?? o.arg),
					h('span.val', o.value),
					o.note && h('span.note', o.note),
				),
			),
			found.length
				? null
				: h(
						'li.none',
						all
							? free
								? 'Nothing like it. Enter takes it as it stands.'
								: 'Nothing like it is known.'
							: 'Loading\u2026',
					),
		);
		open(true);
	}

	function open(yes) {
		list.hidden = !yes;
		input.setAttribute('aria-expanded', String(yes));
		if (yes && at >= 0) {
			input.setAttribute('aria-activedescendant', `${id}-${at}`);
			list.children[at]?.scrollIntoView({ block: 'nearest' });
		} else {
			input.removeAttribute('aria-activedescendant');
		}
	}

	function pick(o) {
		open(false);
		input.value = '';
		at = -1;
		choose(o);
	}

	let asking = null;
	let shownFor = null; // what was asked, of the list that is shown

	async function askFor(text) {
		asking?.abort();
		asking = new AbortController();
		try {
			all = await ask(text, asking.signal);
			shownFor = text;
		} catch (e) {
			if (e.name === 'AbortError') return;
			all = [];
		}
		if (document.activeElement === input && input.value === text) paint();
	}

	async function load() {
		if (ask) {
			await askFor(input.value);
			return;
		}
		if (!all)
			try {
				all = await options();
			} catch {
				all = [];
			}
		if (document.activeElement === input) paint();
	}

	input.addEventListener('focus', () => {
		paint();
		load();
	});
	input.addEventListener('input', () => {
		at = -1;
		if (ask) askFor(input.value);
		else paint();
	});
	input.addEventListener('blur', () => {
		open(false);
		cancel?.();
	});
	input.addEventListener('keydown', (e) => {
		if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
			at = (at + (e.key === 'ArrowDown' ? 1 : -1) + found.length) % (found.length || 1);
			paint();
		} else if (e.key === 'Enter') {
			const typed = input.value.trim();

			if (ask && typed && shownFor !== input.value) {
				askFor(input.value).then(() => found[0] && pick(found[Math.max(0, at)]));
				e.preventDefault();
				return;
			}
			if (found[at]) pick(found[at]);
			else if (free && typed) pick(free(typed));
			else return;
		} else if (e.key === 'Escape') {
			input.value = '';
			input.blur();
		} else {
			return;
		}
		e.preventDefault();
		e.stopPropagation();
	});
	box.focusInput = () => input.focus();
	box.input = input;
	return box;
}

function fitting(all, words) {
	return all
		.map((o, i) => ({ o, i, rank: rank(o, words) }))
		.filter((m) => m.rank > 0)
		.sort((a, b) => b.rank - a.rank || a.i - b.i)
		.slice(0, MOST)
		.map((m) => m.o);
}

function rank(o, words) {
	const text = `${o.show ?? o.arg} ${o.value} ${o.note ?? ''}`.toLowerCase();
	const value = o.value.toLowerCase();
	let sum = 1;

	for (const w of words) {
		if (!text.includes(w)) return 0;
		sum += value === w ? 8 : value.startsWith(w) ? 4 : value.includes(w) ? 2 : 1;
	}
	return sum;
}
