// SPDX-License-Identifier: GPL-2.0-or-later
// The state of a page is its URL: an ordered list of arguments, shown as chips.

// arguments that only the page knows; the API never sees them
const PAGE_ONLY = new Set(
	'lines panels y x scale baseline from to verdict sort rows_shown confidence text size on mode group open pictures'.split(' '),
);

export class Query {
	constructor(entries = []) {
		this.entries = entries.filter(([, v]) => v !== '');
	}
	static from(search) {
		return new Query([...new URLSearchParams(search)]);
	}
	get(name) {
		return this.entries.find(([k]) => k === name)?.[1];
	}
	all(name) {
		return this.entries.filter(([k]) => k === name).map(([, v]) => v);
	}
	has(name) {
		return this.entries.some(([k]) => k === name);
	}
	// a copy with the one value of name set; undefined takes it away
	with(name, value) {
		const at = this.entries.findIndex(([k]) => k === name);
		const rest = this.entries.filter(([k]) => k !== name);

		if (value !== undefined)
			rest.splice(at < 0 ? rest.length : Math.min(at, rest.length), 0, [name, String(value)]);
		return new Query(rest);
	}
	add(name, value) {
		if (this.entries.some(([k, v]) => k === name && v === value)) return this;
		// beside its like, so that chips of a kind stand together
		const last = this.entries.findLastIndex(([k]) => k === name);
		const entries = [...this.entries];
		entries.splice(last < 0 ? entries.length : last + 1, 0, [name, String(value)]);
		return new Query(entries);
	}
	dropAt(index) {
		return new Query(this.entries.filter((_, i) => i !== index));
	}
	setAt(index, value) {
		return new Query(this.entries.map((e, i) => (i === index ? [e[0], String(value)] : e)));
	}
	without(...names) {
		return new Query(this.entries.filter(([k]) => !names.includes(k)));
	}
	only(...names) {
		return new Query(
			this.entries.filter(
				([k]) => names.includes(k) || (names.includes('param.*') && k.startsWith('param.')),
			),
		);
	}
	get empty() {
		return this.entries.length === 0;
	}
	// what the API is asked
	api() {
		return new Query(this.entries.filter(([k]) => !PAGE_ONLY.has(k)));
	}
	toString() {
		return new URLSearchParams(this.entries).toString();
	}
	url(path) {
		const s = this.toString();
		return s ? `${path}?${s}` : path;
	}
}

export const current = () => Query.from(location.search);

export const isPageOnly = (name) => PAGE_ONLY.has(name);

export function go(query, { replace = false } = {}) {
	const url = query.url(location.pathname);

	if (url === location.pathname + location.search) return;
	history[replace ? 'replaceState' : 'pushState'](null, '', url);
	dispatchEvent(new CustomEvent('state'));
}
