// SPDX-License-Identifier: GPL-2.0-or-later
// Alerts, newest first: filters in the URL, rows that can be selected, and decisions over all of the selected.

import { act, actionBar, ACTIONS, isLate } from './actions.js';
import { get } from './api.js';
import { chips } from './chips.js';
import { $, h, replace } from './dom.js';
import { filterBar } from './filters.js';
import * as f from './format.js';
import { own } from './keys.js';
import { current, go } from './query.js';
import { sessionBox } from './session.js';
import { emptyState, generatedNote, numCell, table } from './views.js';

const ARGS = [
	'state',
	'kind',
	'assignee',
	'overdue',
	'benchmark',
	'machine',
	'uarch',
	'thp',
	'track',
	'metric',
	'isa',
	'base_page_kib',
];

const load = (query, signal) => get(query.api().url('/api/v1/alerts'), signal);

// ids of what is selected; a selection outlives a reload of the list, so that one thing after the other can be done with it
const selected = new Set();

// A silence is no change: nothing got worse by it, and nobody can be glad of it.
const toneOf = (a) => (a.kind === 'improvement' ? 'better' : 'worse');

const worstCell = (a) =>
	a.worst_percent === null ? h('td.num') : h(`td.num.strong.${toneOf(a)}`, f.percent(a.worst_percent));

function nameCell(a, select) {
	return h(
		'th',
		{ scope: 'row' },
		select
			? h('input', {
					type: 'checkbox',
					'aria-label': `Select ${a.benchmark} with ${a.to}`,
					checked: selected.has(a.id),
					onchange: () => select(a.id),
				})
			: null,
		h('a.k', { href: `/alerts/${encodeURIComponent(a.id)}` }, a.benchmark),
		' ',
		h(`span.${toneOf(a)}`, a.kind),
	);
}

function standing(a) {
	const late = isLate(a);

	return h(
		'td',
		a.state,
		a.assignee ? h('span.dim', ` ${a.assignee}`) : '',
		a.due_at ? h(late ? 'span.worse' : 'span.dim', ` due ${f.day(a.due_at)}`) : '',
	);
}

// By name, of more how many there are
const several = (list, what, most = 1) => h('td', { title: list.join(', ') }, list.length > most ? f.plural(list.length, what) : list.join(', '));

// select(id): what a row's box does; without it the rows have none
/**
 * @param {any[]} alerts
 * @param {{id?: string, select?: (id: string) => void}} [how]
 */
export function alertsTable(alerts, { id = 'alerts-table', select } = {}) {
	return table({
		id,
		heads: [
			'what',
			'since',
			{ text: 'worst', num: true },
			{ text: 'series', num: true },
			'machines',
			'THP',
			'state',
			'found',
		],
		rows: alerts.map((a) =>
			h(
				'tr',
				{ 'data-verdict': a.kind, 'data-id': a.id, 'data-selected': selected.has(a.id) && Boolean(select) },
				nameCell(a, select),
				h('td.k', a.to, a.kind === 'silence' ? h('span.dim', ' was the last') : h('span.dim', ` after ${a.from}`)),
				worstCell(a),
				numCell(String(a.n_series)),
				several(a.machines, 'machine'),
				several(a.thp, 'mode', 2),
				standing(a),
				h('td.dim', { title: a.created_at }, f.day(a.created_at)),
			),
		),
	});
}

function paintSelection(alerts) {
	const list = alerts.filter((a) => selected.has(a.id));
	const bar = $('#selection');

	for (const row of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('#alerts-table tr[data-id]'))) {
		row.toggleAttribute('data-selected', selected.has(row.dataset.id));
		$('input[type=checkbox]', row).checked = selected.has(row.dataset.id);
	}
	bar.hidden = !list.length;
	replace(
		bar,
		h('b', `${list.length} selected`),
		actionBar(list, { bulk: true }),
		h('button.plain', { type: 'button', onclick: () => clear(alerts) }, 'none'),
	);
}

function clear(alerts) {
	selected.clear();
	paintSelection(alerts);
}

function toggle(alerts, id) {
	if (id === undefined) return;
	if (!selected.delete(id)) selected.add(id);
	paintSelection(alerts);
}

// What a key is about: the selected alerts, else the row that j and k are on
function meant(alerts) {
	const list = alerts.filter((a) => selected.has(a.id));
	const row = $('#alerts-table tr[aria-selected=true]');

	return list.length ? list : alerts.filter((a) => a.id === row?.dataset.id);
}

function pageKeys(alerts) {
	own.clear();
	own.set('x', {
		text: 'select the row',
		run: () => toggle(alerts, $('#alerts-table tr[aria-selected=true]')?.dataset.id),
	});
	own.set('*', {
		text: 'select all, or none',
		run: () => {
			const all = alerts.every((a) => selected.has(a.id));
			alerts.forEach((a) => (all ? selected.delete(a.id) : selected.add(a.id)));
			paintSelection(alerts);
		},
	});
	for (const action of ACTIONS.filter((one) => one.key && !one.one))
		own.set(action.key, {
			text: `${action.label.toLowerCase()}: the selected, or the row`,
			run: () => {
				const list = meant(alerts);
				if (list.length) act(action, list);
			},
		});
}

function worst(list) {
	const a = list.reduce((m, o) => (Math.abs(o.worst_percent) > Math.abs(m.worst_percent) ? o : m));
	return `${a.benchmark} with ${f.tag(a.to)}, ${f.percent(a.worst_percent)}`;
}

// "2 regressions, 1 improvement and 1 silence"
function counts(alerts) {
	const of = (kind) => {
		const n = alerts.filter((a) => a.kind === kind).length;
		return n ? [f.plural(n, kind)] : [];
	};
	const list = [...of('regression'), ...of('improvement'), ...of('silence')];

	return [list.slice(0, -1).join(', '), list.at(-1)].filter(Boolean).join(' and ');
}

function renderEmpty(query) {
	const states = query.all('state');

	replace(
		$('#head'),
		h(
			'h1',
			query.get('cursor')
				? 'No older alerts.'
				: query.without('limit').empty
					? 'No alerts.'
					: query.has('overdue')
						? 'Nothing is overdue.'
						: states.length === 1 && query.entries.length === 1
						? `No alert is ${states[0]}.`
						: 'No alert is like that.',
		),
		filterBar(query, '/alerts'),
	);
	replace(
		$('#view'),
		emptyState(
			'Nothing to act on',
			'An alert appears when a new kernel differs from the one before it on its track, beyond noise and beyond the rule\u2019s percent. Single values never raise one: send repetitions, from more than one boot.',
			h(
				'p',
				h('a', { href: '/compare' }, 'Compare two kernels'),
				' by hand, with why beside each verdict; ',
				h('a', { href: '/rules' }, 'the rules'),
				' say what is told, and what they would have told before.',
			),
		),
	);
}

function render(data, query, onLeave) {
	const { alerts, next, open } = data;
	const bad = alerts.filter((a) => a.kind === 'regression');

	document.title = 'Alerts - nsecwatch';
	replace(
		$('#what'),
		`${f.plural(open, 'alert')} open \u00b7 `,
		h('a', { href: '/rules' }, 'rules and mutes'),
		' \u00b7 ',
		h('a', { href: '/deliveries' }, 'deliveries'),
		' \u00b7 ',
		h('a', { href: query.without('cursor', 'limit').api().url('/api/v1/alerts.atom') }, 'feed'),
		' \u00b7 ',
		sessionBox(),
	);
	for (const id of selected) if (!alerts.some((a) => a.id === id)) selected.delete(id);
	pageKeys(alerts);
	onLeave(() => own.clear());
	if (!alerts.length) {
		renderEmpty(query);
		return;
	}
	replace(
		$('#head'),
		h(
			'h1',
			`${counts(alerts)}${next ? ' on this page' : ''}${bad.length ? `; the worst is ${worst(bad)}` : ''}.`,
		),
		filterBar(query, '/alerts'),
	);
	replace(
		$('#view'),
		generatedNote(alerts.flatMap((a) => a.machines)),
		alertsTable(alerts, { select: (id) => toggle(alerts, id) }),
		h('div', { id: 'selection', role: 'region', 'aria-label': 'Selected alerts', hidden: true }),
		next
			? h(
					'p.more',
					h(
						'button.plain',
						{ type: 'button', onclick: () => go(current().with('cursor', next)) },
						'Older alerts',
					),
				)
			: null,
		h(
			'p.hint',
			h('kbd', 'j'),
			' ',
			h('kbd', 'k'),
			' walk, ',
			h('kbd', 'x'),
			' selects, ',
			h('kbd', 'Enter'),
			' opens, ',
			h('kbd', '?'),
			' shows all keys',
		),
	);
	paintSelection(alerts);
}

export const view = {
	resource: 'alerts',
	bar: () => chips($('#bar'), { args: ARGS, hide: ['cursor', 'limit'] }),
	load,
	render,
};
