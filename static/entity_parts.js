// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of the pages of one machine, kernel or benchmark.

import { h } from './dom.js';
import * as f from './format.js';
import { alertHref } from './links.js';
import { weigh } from './overview_words.js';
import { numCell, table, when } from './views.js';

export const kernelLink = (k) => h('a.k', { href: `/kernels/${encodeURIComponent(k.name)}` }, f.tag(k));

export function facts(rows) {
	return h(
		'dl.facts',
		rows
			.filter(([, v]) => v !== '' && v !== null && v !== undefined && !(Array.isArray(v) && !v.length))
			.map(([k, v]) => [h('dt', k), h('dd', v)]),
	);
}

// "governor: performance → powersave"
export function changesCell(changes) {
	if (changes === null) return h('td.dim', 'nothing before it here');
	if (!changes.length) return h('td.dim', 'as before');
	return h(
		'td.wrap',
		changes.map((d, i) => [
			i ? h('br') : '',
			h('span.dim', `${d.name}: `),
			d.from || h('span.dim', 'not said'),
			' \u2192 ',
			h('b', d.to || 'not said'),
		]),
	);
}

export function alertsOf(alerts, { id = 'alerts-table', none }) {
	if (!alerts.length) return h('p.dim', none);
	return table({
		id,
		heads: ['what', { text: 'worst', num: true }, 'with', 'after', { text: 'series', num: true }, 'THP', 'state', { text: 'age', num: true }],
		rows: weigh(alerts).map((a) =>
			h(
				'tr',
				{ 'data-verdict': a.kind },
				h('th', { scope: 'row' }, h('a.k', { href: alertHref(a.id) }, a.benchmark), ' ', h(a.kind === 'improvement' ? 'span.better' : 'span.worse', a.kind)),
				h(`td.num.strong.${a.kind === 'improvement' ? 'better' : 'worse'}`, f.percent(a.worst_percent)),
				h('td.k', f.tag(a.to)),
				h('td.k', f.tag(a.from)),
				numCell(String(a.n_series)),
				h('td', { title: a.thp.join(', ') }, a.thp.length > 2 ? `${a.thp.length} modes` : a.thp.join(', ')),
				h('td', a.state),
				h('td.num.dim', when(a.created_at)),
			),
		),
	});
}
