// SPDX-License-Identifier: GPL-2.0-or-later
// All alerts, newest first.

import { get } from './api.js';
import { $, h, replace } from './dom.js';
import * as f from './format.js';
import { current, go } from './query.js';
import { emptyState, generatedNote, machineName, numCell, table } from './views.js';

const load = (query, signal) => get(query.api().url('/api/v1/alerts'), signal);

const few = (list, most = 3) =>
	list.length <= most
		? list.map((m, i) => [i ? ', ' : '', machineName(m)])
		: [
				list.slice(0, most - 1).map((m, i) => [i ? ', ' : '', machineName(m)]),
				` and ${list.length - most + 1} more`,
			];

export function alertsTable(alerts, id = 'alerts-table') {
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
				{ 'data-verdict': a.kind },
				h(
					'th',
					{ scope: 'row' },
					h('a.k', { href: `/alerts/${encodeURIComponent(a.id)}` }, a.benchmark),
					' ',
					h(`span.${a.kind === 'regression' ? 'worse' : 'better'}`, a.kind),
				),
				h('td.k', a.to, h('span.dim', ` after ${a.from}`)),
				h(
					`td.num.strong.${a.kind === 'regression' ? 'worse' : 'better'}`,
					f.percent(a.worst_percent),
				),
				numCell(String(a.n_series)),
				h('td', few(a.machines)),
				h('td', few(a.thp)),
				h('td', a.state),
				h('td.dim', { title: a.created_at }, f.day(a.created_at)),
			),
		),
	});
}

function render(data, query) {
	const { alerts, next } = data;
	const bad = alerts.filter((a) => a.kind === 'regression');
	const out = $('#view');

	document.title = 'Alerts - nsecwatch';
	if (!alerts.length) {
		replace(
			$('#head'),
			h(
				'h1',
				query.get('cursor')
					? 'No older alerts.'
					: query.has('state')
						? `No alert is ${query.get('state')}.`
						: 'No alerts.',
			),
		);
		replace(
			out,
			emptyState(
				'Nothing to act on',
				'An alert appears when a new kernel differs from the one before it on its track, beyond noise and beyond the rule\u2019s percent. Single values never raise one: send repetitions, from more than one boot.',
				h('p', h('a', { href: '/compare' }, 'Compare two kernels'), ' by hand.'),
			),
		);
		return;
	}
	replace(
		$('#head'),
		h(
			'h1',
			`${f.plural(bad.length, 'regression')} and ${f.plural(alerts.length - bad.length, 'improvement')}${next ? ' on this page' : ''}${bad.length ? `; the worst is ${worst(bad)}` : ''}.`,
		),
	);
	replace(
		out,
		generatedNote(alerts.flatMap((a) => a.machines)),
		alertsTable(alerts),
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
	);
}

function worst(list) {
	const a = list.reduce((m, o) => (Math.abs(o.worst_percent) > Math.abs(m.worst_percent) ? o : m));
	return `${a.benchmark} with ${a.to}, ${f.percent(a.worst_percent)}`;
}

export const view = { resource: 'alerts', load, render };
