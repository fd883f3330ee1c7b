// SPDX-License-Identifier: GPL-2.0-or-later
// "Why did this fire, why not" on the page of rules: asked by benchmark, machine and kernel, which stand in the URL.

import { catalogue, get } from './api.js';
import { h } from './dom.js';
import { explainedParts } from './explain.js';
import { completed, field, line, wrongText } from './form.js';
import * as f from './format.js';
import { go, Query } from './query.js';
import { machineName } from './views.js';

const ASKED = ['kernel', 'series_id', 'benchmark', 'metric', 'machine', 'uarch', 'isa', 'thp', 'base_page_kib', 'track', 'param.*'];
const FIELDS = ['benchmark', 'machine', 'kernel'];

const names = (what) => async () => (await catalogue(what)).map((one) => one.name);

// null where nothing is asked; {items} or {error}
export async function loadExplained(query, signal) {
	if (!query.has('kernel')) return null;
	try {
		return await get(query.only(...ASKED).url('/api/v1/rules:explain'), signal);
	} catch (error) {
		if (error.name === 'AbortError') throw error;
		return { error };
	}
}

// What three fields do not hold stays as it is in the URL: "thp=always param.size_kib=400"
const more = (query) =>
	query
		.only(...ASKED)
		.entries.filter(([k], i, all) => !FIELDS.includes(k) || all.findIndex(([o]) => o === k) !== i);

function ask(query) {
	const form = h(
		'form.ask',
		{ id: 'explain-form' },
		field('Benchmark', completed(line('benchmark', query.get('benchmark')), names('benchmarks'))),
		field('Machine', completed(line('machine', query.get('machine')), names('machines'))),
		field('Kernel', completed(line('kernel', query.get('kernel'), { required: true }), names('kernels'))),
		field(
			'More',
			line('more', more(query).map(([k, v]) => `${k}=${v}`).join(' '), { placeholder: 'param.size_kib=400 thp=always' }),
		),
		h('button', { type: 'submit' }, 'Explain'),
	);

	form.addEventListener('submit', (e) => {
		e.preventDefault();
		const el = form.elements;
		const rest = el.more.value
			.split(/\s+/)
			.filter((one) => one.indexOf('=') > 0)
			.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]);
		go(new Query([...FIELDS.map((name) => [name, el[name].value.trim()]), ...rest]));
	});
	return form;
}

const OUTCOMES = {
	alert: 'alert',
	pending: 'not checked yet',
	not_measured: 'not measured',
	first: 'nothing before it',
	no_rule: 'no rule',
	not_fired: 'no alert',
	no_evidence: 'no alert yet',
	not_raised: 'no alert',
};

const standing = (item) =>
	item.alert ? h('a', { href: item.alert.url }, `alert, ${item.alert.state}`) : OUTCOMES[item.outcome];

const row = (item) =>
	h(
		'li',
		{ 'data-outcome': item.outcome },
		h(
			'h3',
			h('span.k', item.benchmark),
			` ${f.params(item.params)} `,
			h('span.dim', machineName(item.machine), `, THP ${item.thp}: `),
			standing(item),
		),
		explainedParts(item, false),
	);

function answer(told) {
	if (!told) return null;
	if (told.error) return h('div.worse', { role: 'alert' }, wrongText(told.error));
	if (!told.items.length) return h('p', 'No series fits.');
	return h('ul.explained', { id: 'explained' }, told.items.map(row));
}

export function explainSection(query, told) {
	return h(
		'section',
		{ id: 'explain' },
		h('h2', 'Why did this fire, why not?'),
		h('p.dim', 'What watch makes of a series at a kernel: the step, how sure it is, and what each rule says to it.'),
		ask(query),
		answer(told),
	);
}
