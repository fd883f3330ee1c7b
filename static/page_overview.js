// SPDX-License-Identifier: GPL-2.0-or-later
// The first page: what matters most in a sentence, where each track stands, the last changes, what waits, what came.

import { get } from './api.js';
import { $, h, replace } from './dom.js';
import * as f from './format.js';
import { alertHref, kernelHref, machineHref, runHref } from './links.js';
import { heatTable } from './overview_heat.js';
import { headline, ORDER, weigh } from './overview_words.js';
import { Query } from './query.js';
import { emptyState, generatedNote, howToSend, numCell, table, when } from './views.js';

const ALERTS_SHOWN = 12;
const ALERTS_FEW = 6;
const TRACKS_SHOWN = 12;

// Which of them are generated is told above the tables, and by their names.
const names = (list) => (list.length < 2 ? list.join(', ') : f.plural(list.length, 'machine'));

const load = (query, signal) => get(query.only('track').url('/api/v1/overview'), signal);

export const kernelLink = (name, text = name) => h('a.k', { href: kernelHref(name) }, text);
const alertLink = (a, ...text) => h('a', { href: alertHref(a.id) }, ...text);

// ---- tracks ----

function found(t) {
	const [first] = t.alerts;
	const waits = t.unchecked ? h('span.dim', ' \u00b7 not all of it is checked yet') : '';

	if (!t.against) return h('td.dim', 'the only kernel of its track so far');
	if (!first) return h('td.dim', t.unchecked ? 'not checked yet' : 'no change beyond noise');
	const worse = t.regressions ? h('b.worse', f.plural(t.regressions, 'regression')) : '';
	const better = t.improvements ? h('b.better', f.plural(t.improvements, 'improvement')) : '';
	const more = t.alerts.length > 1 ? ` and ${t.alerts.length - 1} more` : '';

	return h(
		'td',
		worse,
		worse && better ? ', ' : '',
		better,
		': ',
		alertLink(first, h('span.k', first.benchmark), ` ${f.percent(first.worst_percent)}`),
		h('span.dim', more),
		waits,
	);
}

function compareCell(t) {
	const pair = t.against && [
		['base', t.against.name],
		['head', t.kernel.name],
	];
	return h('td', pair ? h('a', { href: new Query(pair).url('/compare') }, f.tag(t.against)) : '');
}

function tracksTable(tracks) {
	const columns = [
		'track',
		'newest kernel',
		'found in it',
		{ text: 'open regressions', num: true, title: 'of the track, whichever kernel brought them' },
		'compare with',
		{ text: 'machines', num: true },
		'last run came',
	];
	return table({
		id: 'tracks-table',
		caption: 'The newest measured kernel of each track, and what it brought',
		heads: columns,
		rows: tracks.slice(0, TRACKS_SHOWN).map((t) =>
			h(
				'tr',
				{ 'data-verdict': t.regressions ? 'regression' : t.improvements ? 'improvement' : 'unchanged' },
				h('th', { scope: 'row' }, t.track),
				h('td', kernelLink(t.kernel.name, f.tag(t.kernel))),
				found(t),
				numCell(
					t.open_regressions
						? h('a', { href: new Query([['track', t.track], ['kind', 'regression']]).url('/alerts') }, String(t.open_regressions))
						: '0',
					!t.open_regressions,
				),
				compareCell(t),
				numCell(f.grouped(t.machines)),
				h('td.dim', when(t.last_at)),
			),
		),
	});
}

// ---- open alerts ----

/** @type {[number, string][]} */
const DAYS = [
	[1, 'today'],
	[7, 'this week'],
	[31, 'this month'],
	[Infinity, 'older'],
];

// "4 today, 3 this month, 2 older"
function ages(alerts) {
	const age = (a) => (Date.now() - Date.parse(a.created_at)) / 86_400_000;
	let from = -Infinity;
	const parts = DAYS.map(([to, word]) => {
		const n = alerts.filter((a) => age(a) >= from && age(a) < to).length;
		from = to;
		return n ? `${n} ${word}` : '';
	});
	return parts.filter(Boolean).join(', ');
}

function alertRow(a) {
	const worse = a.kind !== 'improvement';

	return h(
		'tr',
		{ 'data-verdict': a.kind },
		h('th', { scope: 'row' }, alertLink(a, h('span.k', a.benchmark)), a.kind === 'silence' ? h('span.worse', ' silent') : ''),
		h(`td.num.strong.${worse ? 'worse' : 'better'}`, f.percent(a.worst_percent)),
		h('td.k', a.kind === 'silence' ? '' : f.tag(a.to)),
		h('td.num.dim', when(a.created_at)),
		h('td', a.state, a.assignee ? h('span.dim', ` ${a.assignee}`) : ''),
		h('td', { title: a.machines.join(', ') }, names(a.machines)),
	);
}

function openAlerts(alerts, open) {
	const sorted = weigh(alerts);

	if (!open)
		return [
			h('h2', 'Open alerts'),
			h('p', 'None: nothing moved beyond noise and the rule\u2019s percent. ', h('span.dim', 'Single values raise none.')),
		];
	return [
		h('h2', h('a', { href: '/alerts' }, f.plural(open, 'open alert')), h('span.dim', ` ${ages(alerts)}`)),
		table({
			id: 'alerts-table',
			caption: ORDER,
			heads: ['what', { text: 'worst', num: true }, 'with', { text: 'age', num: true }, 'state', 'machines'],
			rows: sorted.slice(0, ALERTS_SHOWN).map(alertRow),
		}),
		open > ALERTS_SHOWN ? h('p', h('a', { href: '/alerts' }, `All ${open}`)) : null,
	];
}

// ---- machines, uploads ----

const machineLink = (name) => h('a', { href: machineHref(name) }, name);

function silentSection(silent) {
	if (!silent.length) return null;
	return h(
		'section',
		h('h2', f.plural(silent.length, 'silent machine')),
		table({
			id: 'silent-table',
			heads: ['machine', 'last run', 'expected'],
			rows: silent.slice(0, 10).map((s) =>
				h(
					'tr',
					{ 'data-verdict': s.expected ? 'regression' : undefined },
					h('th', { scope: 'row' }, machineLink(s.machine)),
					h('td', s.last_started_at ? when(s.last_started_at) : 'never'),
					s.expected
						? h('td.worse', h('a', { href: alertHref(s.expected.alert_id) }, `every ${s.expected.every}`))
						: h('td.dim.wrap', 'nothing is; 30 days behind the lab\u2019s newest run'),
				),
			),
		}),
		silent.length > 10 ? h('p.dim', `and ${silent.length - 10} more`) : null,
	);
}

// machines that sent the same kernel one after the other are one row
function byKernel(uploads) {
	const out = [];

	for (const u of uploads) {
		let row = out.at(-1);
		if (row?.kernel.name !== u.kernel.name)
			out.push((row = { kernel: u.kernel, first: u, machines: [], thp: new Set(), runs: 0, results: 0 }));
		if (!row.machines.includes(u.machine)) row.machines.push(u.machine);
		for (const t of u.thp) row.thp.add(t);
		row.runs += u.runs;
		row.results += u.results;
	}
	return out;
}

function uploadsSection(uploads) {
	return h(
		'section',
		h('h2', 'Arrived lately'),
		table({
			id: 'runs-table',
			heads: ['kernel', 'machines', { text: 'runs', num: true }, { text: 'results', num: true }, 'came'],
			rows: byKernel(uploads).map((u) =>
				h(
					'tr',
					h(
						'th.k',
						{ scope: 'row' },
						u.runs === 1
							? h('a', { href: runHref(u.first.run_id) }, f.tag(u.kernel))
							: kernelLink(u.kernel.name, f.tag(u.kernel)),
					),
					h('td', { title: u.machines.join(', ') }, names(u.machines)),
					numCell(f.grouped(u.runs)),
					numCell(f.grouped(u.results)),
					h('td.dim', when(u.first.received_at)),
				),
			),
		}),
	);
}

// ---- the page ----

function renderEmpty() {
	replace($('#head'), h('h1', 'Nothing was measured yet.'));
	replace(
		$('#view'),
		emptyState(
			'An empty database',
			'Kernel labs send results here with one POST a run.',
			...howToSend(),
			h('p', 'A run needs a machine, a kernel and results: ', h('a', { href: '/api/openapi.json' }, 'the API'), ' says how.'),
		),
	);
}

const shownMachines = (o) => [
	...o.alerts.flatMap((a) => a.machines),
	...o.uploads.map((u) => u.machine),
	...o.silent.map((s) => s.machine),
];

function render(o) {
	document.title = 'nsecwatch: nsec per call, kernel by kernel';
	if (!o.tracks.length) {
		renderEmpty();
		return;
	}
	const { statement, facts } = headline(o);
	const { machines, benchmarks, kernels, series } = o.counts;

	replace(
		$('#what'),
		`${f.plural(machines, 'machine')}, ${f.plural(benchmarks, 'benchmark')}, ${f.plural(kernels, 'kernel')}, ${f.plural(series, 'series', 'series')}`,
	);
	// beside many alerts there is room for the silent machines, below a few there is
	const few = o.alerts.length <= ALERTS_FEW;

	replace($('#head'), h('h1', statement), facts.map((text) => h('p.fact', text)));
	replace(
		$('#view'),
		generatedNote(shownMachines(o)),
		tracksTable(o.tracks),
		heatTable(o.heat, o.tracks),
		h(
			'div.two',
			h('div', h('section', openAlerts(o.alerts, o.open)), few ? silentSection(o.silent) : null),
			h('div', few ? null : silentSection(o.silent), uploadsSection(o.uploads)),
		),
	);
}

export const view = { load, render, resource: 'overview', forms: (query) => query.only('track') };
