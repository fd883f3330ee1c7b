// SPDX-License-Identifier: GPL-2.0-or-later
// The filters of a comparison and what to compare with instead. Built once for a set of rows, so that a field keeps its focus.

import { catalogue } from './api.js';
import { basesFor, fixesFor } from './compare_suggest.js';
import { dimensionsOf, SHOW, sizeOf, sizeParam, sizeSpan } from './compare_rows.js';
import { $, h, replace } from './dom.js';
import * as f from './format.js';
import { current, go } from './query.js';

const SELECT_MOST = 40; // entries; more are typed
const NARROW = 720; // px, as in base.css
export const FILTERS = ['verdict', 'confidence', 'text', 'size', 'on', 'mode', 'group'];

const set = (name, value, options) => go(current().with(name, value || undefined), options);

function choice(name, label, values) {
	return h(
		'span.choices',
		{ role: 'group', 'aria-label': label },
		h('span', `${label}:`),
		values.map(([value, text]) =>
			h(
				'button',
				{
					type: 'button',
					'data-choice': `${name}=${value}`,
					onclick: () => set(name, value === values[0][0] ? '' : value),
				},
				text,
			),
		),
	);
}

function select(name, label, values) {
	if (values.length < 2 || values.length > SELECT_MOST) return null;
	return h(
		'label.pick',
		`${label}: `,
		h(
			'select',
			{ name, 'data-arg': name, onchange: (e) => set(name, e.target.value) },
			h('option', { value: '' }, 'all'),
			values.map((v) => h('option', { value: v }, v)),
		),
	);
}

// Both ends of a span of sizes, each may be empty
function sizes(name) {
	const field = (id, label) =>
		h('input', { type: 'text', id, 'aria-label': label, placeholder: label, autocomplete: 'off', size: 8 });
	const lo = field('size-from', 'from');
	const hi = field('size-to', 'to');
	const change = () => {
		const at = [lo, hi].map((el) => (el.value.trim() ? sizeOf(el.value, name) : ''));
		[lo, hi].forEach((el, i) => el.setAttribute('aria-invalid', String(Number.isNaN(at[i]))));
		if (at.some(Number.isNaN)) return;
		set('size', at.every((v) => v === '') ? '' : at.join('..'));
	};

	for (const el of [lo, hi]) el.addEventListener('change', change);
	return h('span.choices', { role: 'group', 'aria-label': 'Sizes' }, `${name.replace(/_kib$/, '')}:`, lo, hi);
}

function text() {
	return h('input', {
		type: 'search',
		id: 'filter-text',
		'aria-label': 'Filter rows by benchmark, machine, size',
		placeholder: 'filter rows \u2026',
		autocomplete: 'off',
		oninput: (e) => set('text', e.target.value.trim(), { replace: true }),
	});
}

const SHOWN = ['regression', 'improvement', 'unchanged', 'inconclusive', 'worse', 'better'];

function build(data) {
	const { rows } = data;
	const distinct = (of) => [...new Set(rows.map(of))].sort();
	const name = sizeParam(rows);
	const dims = dimensionsOf(rows);

	return [
		h(
			'div.line',
			text(),
			choice('verdict', 'show', [
				['all', `all ${f.grouped(rows.length)}`],
				...SHOWN.map((k) => [k, rows.filter(SHOW[k]).length, k])
					.filter(([, n]) => n)
					.map(([k, n]) => [k, `${k} ${f.grouped(n)}`]),
			]),
			choice('confidence', 'confidence', [
				['any', 'any'],
				['weak', 'weak or strong'],
				['strong', 'strong'],
			]),
		),
		h(
			'div.line',
			name && new Set(rows.map((r) => r.params[name])).size > 1 ? sizes(name) : null,
			select('on', 'machine', distinct((r) => r.machine)),
			select('mode', 'THP', distinct((r) => r.thp)),
			dims.length
				? choice('group', 'group by', [['none', 'nothing'], ...dims.map((d) => [d, d.replace('param.', '')])])
				: null,
		),
	];
}

// What the address says, in the fields.
function sync(el) {
	const query = current();
	const [lo, hi] = sizeSpan(query.get('size'));
	const put = (input, value) => input && input !== document.activeElement && (input.value = value);
	const number = (v) => (Number.isFinite(v) ? String(v) : '');

	put($('#filter-text', el), query.get('text') ?? '');
	put($('#size-from', el), number(lo));
	put($('#size-to', el), number(hi));
	for (const s of el.querySelectorAll('select')) put(s, query.get(s.name) ?? '');
	for (const b of el.querySelectorAll('[data-choice]')) {
		const [name, value] = b.dataset.choice.split('=');
		const first = b.parentElement.querySelector('[data-choice]') === b;
		b.setAttribute('aria-pressed', String(query.has(name) ? query.get(name) === value : first));
	}
}

export function filters(el, data) {
	if (el.rows !== data.rows) {
		el.rows = data.rows;
		// on a phone the rows come first; what is filtered is open
		const open = innerWidth > NARROW || FILTERS.some((a) => current().has(a));
		replace(
			el,
			data.rows.length > 1 ? h('details', { open }, h('summary', 'Filter and group'), build(data)) : null,
		);
	}
	sync(el);
}

// Links to the comparisons that people ask for next; the catalogue is asked once the rows stand.
export async function suggest(el, data, query) {
	const all = await catalogue('kernels', 'order=1').catch(() => []);
	const bases = basesFor(all, data.head).filter((o) => o.kernel.name !== data.base.name);
	const fixes = fixesFor(all, data.head).filter((o) => o.kernel.name !== data.fix?.name);
	const link = (arg, o) =>
		h(
			'a',
			{ href: query.with(arg, o.kernel.name).url('/compare'), 'data-suggest': o.what ?? arg, title: o.kernel.name },
			o.what ? `${o.what} ` : '',
			h('span.k', o.what ? o.kernel.name : f.shortKernel(o.kernel, fixes.map((x) => x.kernel))),
		);
	const list = (title, items) =>
		items.length ? [title, items.slice(0, 5).map((a, i) => [i ? ', ' : ' ', a]), '. '] : '';

	replace(
		el,
		list(
			'Compare with:',
			bases.map((o) => link('base', o)),
		),
		list(
			'What restores it:',
			fixes.map((o) => link('fix', o)),
		),
	);
}
