// SPDX-License-Identifier: GPL-2.0-or-later
// Choosing by typing: an input with a list that narrows, one row an argument and its value.

import { h, replace } from './dom.js';

const MOST = 60;
let serial = 0;

/**
 * @typedef {{arg: string, value: string, note?: string, show?: string, url?: string}} Option
 * @typedef {{label: string, placeholder: string, options?: () => Promise<Option[]>,
 *	ask?: (text: string, signal: AbortSignal) => Promise<Option[]>, choose: (option: Option) => void, cancel?: () => void,
 *	free?: (text: string) => Option}} Parts
 */

class Combo {
	/** @param {Parts} parts */
	constructor(parts) {
		this.parts = parts;
		this.id = `options-${++serial}`;
		/** @type {HTMLInputElement} */
		this.input = h('input', {
			type: 'text',
			role: 'combobox',
			'aria-expanded': 'false',
			'aria-controls': this.id,
			'aria-autocomplete': 'list',
			'aria-label': parts.label,
			placeholder: parts.placeholder,
			autocomplete: 'off',
			spellcheck: 'false',
		});
		/** @type {HTMLUListElement} */
		this.list = h('ul.options', { id: this.id, role: 'listbox', hidden: true });
		this.box = h('span.combo', this.input, this.list);
		/** @type {Option[] | null} */
		this.all = null;
		/** @type {Option[]} */
		this.found = [];
		this.at = -1;
		/** @type {AbortController | null} */
		this.asking = null;
		/** @type {string | null} what was asked, of the list that is shown */
		this.shownFor = null;
		this.listen();
	}

	paint() {
		const words = this.input.value
			.toLowerCase()
			.split(/[\s:]+/)
			.filter(Boolean);

		this.found = this.parts.ask ? (this.all ?? []) : fitting(this.all ?? [], words);
		this.at = Math.min(this.at, this.found.length - 1);
		if (words.length && this.at < 0 && this.found.length) this.at = 0;
		replace(
			this.list,
			this.found.map((o, i) => this.row(o, i)),
			this.found.length ? null : h('li.none', this.none()),
		);
		this.open(true);
	}

	none() {
		if (!this.all) return 'Loading\u2026';
		return this.parts.free ? 'Nothing like it. Enter takes it as it stands.' : 'Nothing like it is known.';
	}

	row(o, i) {
		return h(
			'li',
			{
				role: 'option',
				id: `${this.id}-${i}`,
				'aria-selected': String(i === this.at),
				title: o.value,
				onmousedown: (e) => {
					e.preventDefault();
					this.pick(o);
				},
			},
			h('span.arg', o.show ?? o.arg),
			h('span.val', o.value),
			o.note && h('span.note', o.note),
		);
	}

	open(yes) {
		this.list.hidden = !yes;
		this.input.setAttribute('aria-expanded', String(yes));
		if (yes && this.at >= 0) {
			this.input.setAttribute('aria-activedescendant', `${this.id}-${this.at}`);
			this.list.children[this.at]?.scrollIntoView({ block: 'nearest' });
		} else {
			this.input.removeAttribute('aria-activedescendant');
		}
	}

	pick(o) {
		this.open(false);
		this.input.value = '';
		this.at = -1;
		this.parts.choose(o);
	}

	// of who knows; an answer that came too late is none
	async askFor(text) {
		this.asking?.abort();
		this.asking = new AbortController();
		try {
			this.all = await this.parts.ask(text, this.asking.signal);
			this.shownFor = text;
		} catch (e) {
			if (e.name === 'AbortError') return;
			this.all = [];
		}
		if (document.activeElement === this.input && this.input.value === text) this.paint();
	}

	async load() {
		if (this.parts.ask) {
			await this.askFor(this.input.value);
			return;
		}
		if (!this.all)
			try {
				this.all = await this.parts.options();
			} catch {
				this.all = [];
			}
		if (document.activeElement === this.input) this.paint();
	}

	// true: it was something to take
	enter() {
		const typed = this.input.value.trim();

		if (this.parts.ask && typed && this.shownFor !== this.input.value) {
			// faster than the answer
			this.askFor(this.input.value).then(() => this.found[0] && this.pick(this.found[Math.max(0, this.at)]));
			return true;
		}
		if (this.found[this.at]) this.pick(this.found[this.at]);
		else if (this.parts.free && typed) this.pick(this.parts.free(typed));
		else return false;
		return true;
	}

	onKey(e) {
		if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
			const n = this.found.length || 1;
			this.at = (this.at + (e.key === 'ArrowDown' ? 1 : -1) + n) % n;
			this.paint();
		} else if (e.key === 'Enter') {
			if (!this.enter()) return;
		} else if (e.key === 'Escape') {
			this.input.value = '';
			this.input.blur();
		} else {
			return;
		}
		e.preventDefault();
		e.stopPropagation();
	}

	listen() {
		this.input.addEventListener('focus', () => {
			this.paint();
			this.load();
		});
		this.input.addEventListener('input', () => {
			this.at = -1;
			if (this.parts.ask) this.askFor(this.input.value);
			else this.paint();
		});
		this.input.addEventListener('blur', () => {
			this.open(false);
			this.parts.cancel?.();
		});
		this.input.addEventListener('keydown', (e) => this.onKey(e));
	}
}

/**
 * options(): promise of what there is, of which those that fit are shown; or ask(text, signal): promise of those that fit, from
 * who knows. choose(option).
 * @param {Parts} parts
 * @returns the element, with .focusInput() and .input
 */
export function combo(parts) {
	const c = new Combo(parts);

	c.box.focusInput = () => c.input.focus();
	c.box.input = c.input;
	return c.box;
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
