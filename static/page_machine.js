// SPDX-License-Identifier: GPL-2.0-or-later
// One machine: what it is and was, what changed of its environment, whether it still sends, what is wrong on it.

import { get } from './api.js';
import { $, h, replace } from './dom.js';
import { drift, driftOfRuns } from './drift.js';
import { alertsOf, changesCell, facts, kernelLink } from './entity_parts.js';
import * as f from './format.js';
import { alertHref, ownName, runHref } from './links.js';
import { Query } from './query.js';
import { emptyState, generatedNote, howToSend, numCell, table } from './views.js';

const load = (query, signal) => get(`/api/v1/machines/${encodeURIComponent(ownName())}`, signal);

// The words of a submission, as people say them
const WORDS = { cpu: 'CPU', virtualized: 'virtual machine', cpus: 'CPUs', memory_kib: 'memory' };
const CPU = { family: 'family', model: 'model', stepping: 'stepping' };

// "AMD EPYC 7763 64-Core Processor (AuthenticAMD, family 25, model 1, stepping 1)"
function cpuText(cpu) {
	const { model_name: name, vendor, ...rest } = cpu;
	const more = [vendor, ...Object.entries(rest).map(([k, v]) => `${CPU[k] ?? k} ${text(v)}`)].filter(Boolean).join(', ');

	return name ? `${name}${more ? ` (${more})` : ''}` : more;
}

function factText(name, v) {
	if (name === 'cpu' && v && typeof v === 'object') return cpuText(v);
	if (name === 'memory_kib' && Number.isFinite(v)) return `${f.significant(v / 1024 ** 2)}\u202fGiB`;
	return typeof v === 'boolean' ? (v ? 'yes' : 'no') : text(v);
}

function text(v) {
	return v !== null && typeof v === 'object'
		? Object.entries(v)
				.map(([k, x]) => `${k} ${text(x)}`)
				.join(', ')
		: String(v);
}

function nowFacts(m) {
	const now = m.facts.at(-1)?.facts ?? {};

	return facts([
		['micro-architecture', m.uarch],
		['instruction set', m.isa],
		...Object.entries(now).map(([k, v]) => [WORDS[k] ?? k, factText(k, v)]),
		['also called', m.aliases.join(', ')],
		['measures', `${f.plural(m.benchmarks, 'benchmark')} in ${f.plural(m.series, 'series', 'series')}`],
	]);
}

// What runs said of it, one state after the other
function history(m) {
	const states = m.facts.map((s) => ({ ...s, all: { isa: s.isa, uarch: s.uarch, ...s.facts } }));

	if (states.length < 2) return h('p.dim', states.length ? `All its runs say the same of it, since ${f.day(states[0].first_seen_at)}.` : 'No run said anything of it but its name.');
	return table({
		id: 'facts-table',
		heads: ['first told', 'what changed'],
		rows: states
			.map((s, i) => h('tr', h('th', { scope: 'row' }, f.time(s.first_seen_at)), changesCell(i ? drift(states[i - 1].all, s.all) : null)))
			.toReversed(),
	});
}

function silence(m) {
	const last = m.runs[0];

	return [
		h('p', last ? ['The newest run was started ', h('time', { datetime: last.started_at }, f.time(last.started_at)), ', with ', kernelLink(last.kernel), '; it came ', h('time', { datetime: last.received_at }, f.time(last.received_at)), '.'] : 'No run of it counts.'),
		m.expectations.length
			? table({
					id: 'expected-table',
					narrow: true,
					heads: ['expected', 'every', 'note', 'now'],
					rows: m.expectations.map((e) =>
						h(
							'tr',
							{ 'data-verdict': e.alert_id ? 'regression' : undefined },
							h('th.k', { scope: 'row' }, e.benchmark),
							h('td', e.every),
							h('td', e.note ?? ''),
							e.alert_id ? h('td.worse', h('a', { href: alertHref(e.alert_id) }, 'silent')) : h('td', 'as expected'),
						),
					),
				})
			: h('p.dim', 'Nothing is expected of it, so nobody misses its runs. ', h('a', { href: '/rules' }, 'Rules'), ' is where that is said.'),
	];
}

// Only runs that changed something, and how many did not
function driftTable(runs) {
	const all = driftOfRuns(runs);
	const moved = all.filter((d) => d.changes?.length);
	const silent = all.length - moved.length;

	if (!moved.length) return h('p.dim', `No run of the newest ${f.plural(all.length, 'run')} had another environment than the one before it in its THP mode.`);
	return [
		table({
			id: 'drift-table',
			heads: ['started', 'kernel', 'THP', { text: 'against the run before', title: 'the one before it in the same THP mode' }],
			rows: moved.map(({ run, changes }) =>
				h(
					'tr',
					h('th', { scope: 'row' }, h('a', { href: runHref(run.run_id) }, f.time(run.started_at))),
					h('td', kernelLink(run.kernel)),
					h('td', run.thp),
					changesCell(changes),
				),
			),
		}),
		silent ? h('p.hint', `${f.plural(silent, 'other run')} of the newest ${all.length} changed nothing.`) : null,
	];
}

function runsTable(runs) {
	return table({
		id: 'runs-table',
		tall: runs.length > 20,
		heads: ['started', 'kernel', 'THP', { text: 'results', num: true }, 'boot'],
		rows: runs.map((r) =>
			h(
				'tr',
				h('th', { scope: 'row' }, h('a', { href: runHref(r.run_id) }, f.time(r.started_at))),
				h('td', kernelLink(r.kernel)),
				h('td', r.thp),
				numCell(f.grouped(r.results)),
				h('td.k.dim', (r.boot_id ?? '').slice(0, 8)),
			),
		),
	});
}

function statement(m) {
	const bad = m.alerts.filter((a) => a.kind === 'regression').length;
	const silent = m.expectations.some((e) => e.alert_id);

	if (silent) return `${m.name} fell silent${bad ? `, with ${f.plural(bad, 'open regression')}` : ''}.`;
	return bad ? `${f.plural(bad, 'open regression')} on ${m.name}.` : `No open regression on ${m.name}.`;
}

function render(m) {
	const here = new Query([['machine', m.name]]);

	document.title = `${m.name} - nsecwatch`;
	replace($('#what'), 'machine ', h('b', m.name));
	replace(
		$('#head'),
		h('h1', statement(m)),
		h('p.fact', h('a', { href: here.url('/trend') }, 'Trend'), ' \u00b7 ', h('a', { href: here.url('/sweep') }, 'Sweep'), ' \u00b7 ', h('a', { href: here.url('/alerts') }, 'All its alerts')),
	);
	replace(
		$('#view'),
		generatedNote([m.name]),
		nowFacts(m),
		h('h2', 'Open alerts'),
		alertsOf(m.alerts, { none: 'None.' }),
		h('h2', 'Does it still send?'),
		silence(m),
		h('h2', 'Environment, run by run'),
		driftTable(m.runs),
		h('h2', 'Facts over time'),
		history(m),
		h('h2', 'Newest runs'),
		m.runs.length ? runsTable(m.runs) : emptyState('No run', `No run of ${m.name} counts: none came, or all were found to be wrong.`, ...howToSend()),
	);
}

export const view = {
	load,
	render,
	get resource() {
		return `machines/${encodeURIComponent(ownName())}`;
	},
};
