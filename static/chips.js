// SPDX-License-Identifier: GPL-2.0-or-later
// The selector bar: each chip is one query argument; changing it changes the URL, and only data is fetched.

import { combo } from './combo.js';
import { catalogue } from './api.js';
import { h, replace } from './dom.js';
import { current, go, isPageOnly } from './query.js';

// what the catalogue does not know of, because it is the program's own
const FIXED = {
	state: ['suspect', 'new', 'acknowledged', 'reported', 'fix-posted', 'fixed', 'accepted', 'invalid', 'muted'],
	kind: ['regression', 'improvement', 'silence'],
	overdue: ['1'],
};

const KERNEL_ARGS = ['kernel', 'base', 'head', 'fix', 'baseline'];

// What each argument can be, from the catalogue.
async function values(arg) {
	if (KERNEL_ARGS.includes(arg))
		return (await catalogue('kernels', 'order=1'))
			.map((k) => ({ arg, value: k.name, note: k.track }))
			.reverse();
	if (arg === 'benchmark')
		return (await catalogue('benchmarks')).map((b) => ({
			arg,
			value: b.name ?? b.benchmark,
			note: b.metrics?.map?.((m) => m.name ?? m).join(', ') ?? '',
		}));
	if (arg === 'machine')
		return (await catalogue('machines')).map((m) => ({ arg, value: m.name, note: m.uarch }));
	if (arg === 'uarch' || arg === 'isa')
		return unique(
			arg,
			(await catalogue('machines')).map((m) => m[arg]),
		);
	if (arg === 'thp' || arg === 'base_page_kib')
		return unique(
			arg,
			(await catalogue('configs')).map((c) => c[arg]),
		);
	if (FIXED[arg]) return FIXED[arg].map((value) => ({ arg, value, note: '' }));
	if (arg === 'assignee')
		return unique(arg, ['none', ...(await catalogue('alerts')).map((a) => a.assignee)]);
	if (arg === 'track')
		return unique(
			arg,
			(await catalogue('kernels', 'order=1')).map((k) => k.track),
		);
	return [];
}

function unique(arg, list) {
	return [...new Set(list.filter((v) => v !== null && v !== undefined && v !== '').map(String))]
		.sort()
		.map((value) => ({ arg, value, note: '' }));
}

// All of the arguments, with all that they can be; without what the query has.
export async function everything(args, query) {
	const lists = await Promise.all(
		args.filter((a) => !a.includes('*')).map((a) => values(a).catch(() => [])),
	);
	return lists.flat().filter((o) => !query.all(o.arg).includes(o.value));
}

// "machine: milan*" or "machine=milan-01", typed whole, is taken as it stands: globs are allowed.
export function typed(text, args) {
	const m = /^([a-z_.]+)\s*[:=]\s*(.+)$/i.exec(text);
	return m ? { arg: m[1], value: m[2] } : { arg: args[0], value: text };
}

const SINGLE = new Set([
	'base',
	'head',
	'fix',
	'axis',
	'rows',
	'cols',
	'onset_percent',
	'variants',
	'lines',
	'panels',
	'y',
	'baseline',
]);

function put(o) {
	const query = current();
	go(SINGLE.has(o.arg) ? query.with(o.arg, o.value) : query.add(o.arg, o.value));
}

// args: what may be added here, in the order offered. hide: arguments with their own switch.
export function chips(el, { args, hide = [], choices = [] }) {
	const query = current();
	const shown = query.entries
		.map(([name, value], index) => ({ name, value, index }))
		.filter((c) => (!isPageOnly(c.name) || c.name === 'baseline') && !hide.includes(c.name));
	const add = combo({
		label: 'Add a selection',
		placeholder: `+ ${args.slice(0, 3).join(', ')} \u2026`,
		options: () => everything(args, current()),
		choose: put,
		free: (text) => typed(text, args),
	});

	replace(
		el,
		shown.map((c) => chip(c)),
		add,
		choices.map((c) => choice(c, query)),
	);
	el.dataset.ready = query.toString();
}

function chip({ name, value, index }) {
	const box = h(
		'span.chip',
		{ 'data-arg': name },
		h(
			'button.value',
			{ type: 'button', title: `${name}=${value}: change`, onclick: () => edit(box, name, index) },
			h('span.arg', name.replace(/^param\./, '')),
			h('span.text', value),
		),
		h(
			'button.drop',
			{
				type: 'button',
				'aria-label': `Remove ${name} ${value}`,
				onclick: () => go(current().dropAt(index)),
			},
			'\u00d7',
		),
	);
	return box;
}

function edit(box, name, index) {
	const c = combo({
		label: `Change ${name}`,
		placeholder: name,
		options: () => values(name),
		choose: (o) => go(current().setAt(index, o.value)),
		cancel: () => c.replaceWith(box),
		free: (value) => ({ arg: name, value }),
	});
	box.replaceWith(c);
	c.focusInput();
}

// "lines: kernel uarch thp": one of a few, the first is the default and leaves the URL clean
function choice({ name, label, values: list }, query) {
	const now = query.get(name) ?? list[0][0];

	return h(
		'span.choices',
		{ role: 'group', 'aria-label': label },
		h('span', label + ':'),
		list.map(([value, text]) =>
			h(
				'button',
				{
					type: 'button',
					'aria-pressed': String(value === now),
					'data-choice': `${name}=${value}`,
					onclick: () =>
						value !== now && go(current().with(name, value === list[0][0] ? undefined : value)),
				},
				text,
			),
		),
	);
}
