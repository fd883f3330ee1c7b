// SPDX-License-Identifier: GPL-2.0-or-later
// Expectations on the page of rules: which machine is to send what how often, and which of them are silent.

import { catalogue } from './api.js';
import { h } from './dom.js';
import { area, completed, field, formDialog, line, textOf } from './form.js';
import * as f from './format.js';
import { addButton, button, changed } from './rules_parts.js';
import { change } from './session.js';
import { emptyState, machineName, table } from './views.js';

const names = (what) => async () => (await catalogue(what)).map((one) => one.name);

export function addExpectation() {
	formDialog({
		id: 'expect-form',
		title: 'New expectation',
		body: [
			h('p', 'When no run comes for that long, an alert of its own is raised.'),
			field('Machine', completed(line('machine', '', { required: true }), names('machines'))),
			field('Benchmark', completed(line('benchmark', ''), names('benchmarks')), 'empty: any run'),
			field('At least every', line('interval', '', { required: true, placeholder: '24h' }), '90m, 24h, 7d, 2w'),
			field('Note', area('note', '', { maxlength: 2000 })),
		],
		label: 'Expect',
		submit: async (form) => {
			const el = form.elements;
			const body = {
				machine: el.machine.value.trim(),
				benchmark: textOf(el.benchmark),
				interval: el.interval.value.trim(),
				note: textOf(el.note),
			};
			const answer = await change('/api/v1/expectations', { body });
			return answer && changed(`A run of ${answer.expectation.machine} is expected every ${answer.expectation.interval}.`);
		},
	});
}

function remove(x) {
	formDialog({
		id: 'expect-remove',
		title: ['No longer expect ', h('bdi', x.machine)],
		body: h('p', x.alert ? 'The alert on its silence is accepted: nobody waits any longer.' : 'Nobody is told when it falls silent.'),
		label: 'Remove',
		submit: async () =>
			(await change(`/api/v1/expectations/${encodeURIComponent(x.id)}`, { method: 'DELETE' })) &&
			changed(`${x.machine} is no longer expected.`),
	});
}

function standing(x) {
	if (x.alert)
		return h('td', h('a.worse', { href: `/alerts/${encodeURIComponent(x.alert)}` }, h('b', 'silent')), h('span.dim', ` due ${f.time(x.due_at)}`));
	return x.late ? h('td', h('b.worse', 'late'), h('span.dim', ` due ${f.time(x.due_at)}`)) : h('td', `next by ${f.time(x.due_at)}`);
}

function row(x) {
	return h(
		'tr',
		{ 'data-expectation': x.id, 'data-state': x.alert ? 'silent' : x.late ? 'late' : 'heard' },
		h('th.wrap', { scope: 'row', title: x.note }, h('bdi', machineName(x.machine))),
		h('td.wrap.few', x.benchmark === '*' ? 'any run' : h('bdi', x.benchmark)),
		h('td', `every ${x.interval}`),
		x.last_seen_at ? h('td', f.time(x.last_seen_at)) : h('td.dim', 'no run yet'),
		standing(x),
		h('td.wrap.few', h('bdi', x.note ?? '')),
		h('td', h('bdi', x.author)),
		h('td.doing', button(`forget-${x.id}`, 'remove', `No longer expect ${x.machine}`, () => remove(x))),
	);
}

// those that are silent first
const rank = (x) => (x.alert ? 0 : x.late ? 1 : 2);

export function expectationsSection(list) {
	return h(
		'section',
		{ id: 'expectations' },
		h('h2', 'Expectations'),
		list.length
			? table({
					id: 'expectations-table',
					heads: ['machine', 'benchmark', 'expected', 'last run', 'standing', 'note', 'by', ''],
					rows: list.toSorted((a, b) => rank(a) - rank(b)).map(row),
				})
			: emptyState('Nothing is expected', 'A machine that stops sending looks like one on which nothing changed. Say which should send, and how often; silence then raises an alert.'),
		addButton('add-expectation', 'New expectation', addExpectation),
	);
}
