// SPDX-License-Identifier: GPL-2.0-or-later
// The dry run of a rule: "would have fired 14 times, here", with the comparison of each and why it is one.

import { h } from './dom.js';
import * as f from './format.js';
import { Query } from './query.js';
import { change } from './session.js';
import { few, numCell, table } from './views.js';
import { asker, whyButton } from './why.js';

const MOST = 200;
const WHY_MOST = 20;

// null: nobody signed in
export const dryRun = (body) => change('/api/v1/rules:dry-run', { body });

const comparison = (one) =>
	new Query([
		['base', one.from],
		['head', one.to],
		['benchmark', one.benchmark],
		...one.machines.map((m) => ['machine', m]),
	]);

// The verdicts of its series, the largest change first
function why(one) {
	const ask = asker(comparison(one).with('explain', 1).url('/api/v1/compare'));

	return whyButton(`${one.benchmark} with ${f.tag(one.to)}`, async () => {
		const rows = (await ask()).rows
			.filter((r) => r.why)
			.sort((a, b) => Math.abs(b.change_percent ?? 0) - Math.abs(a.change_percent ?? 0));
		return rows
			.slice(0, WHY_MOST)
			.map((r) => [`${r.machine}, THP ${r.thp} ${f.params(r.params)}`.trim(), r.why]);
	});
}

function row(one) {
	const tone = one.kind === 'regression' ? 'worse' : 'better';

	return h(
		'tr',
		{ 'data-verdict': one.kind },
		h(
			'th.k',
			{ scope: 'row' },
			h('a', { href: comparison(one).url('/compare'), target: '_blank', rel: 'noopener' }, one.benchmark),
			why(one),
		),
		h('td.k', one.to, h('span.dim', ` after ${one.from}`)),
		h(`td.num.strong.${tone}`, f.percent(one.worst_percent)),
		numCell(String(one.n_series)),
		h('td', { title: one.machines.join(', ') }, few(one.machines, 2)),
	);
}

export function dryResult({ series, fired, firings }) {
	const over = `over ${f.plural(series, 'series', 'series')} and all that was measured`;

	if (!series)
		return h(
			'p',
			{ id: 'dry' },
			h('b', 'Would never have fired: '),
			'the rule looks at no series. What it names is not measured (yet), or its unit is another.',
		);
	if (!fired)
		return h(
			'p',
			{ id: 'dry' },
			h('b', 'Would not have fired'),
			`, ${over}: nothing moved so far, or nothing so surely. `,
			h('a', { href: '/compare', target: '_blank', rel: 'noopener' }, 'Compare'),
			' says why of each verdict.',
		);
	return h(
		'div',
		{ id: 'dry' },
		h('p', h('b', `Would have fired ${f.plural(fired, 'time')}, here`), `; ${over}.`),
		table({
			id: 'dry-table',
			caption: firings.length > MOST ? `The first ${MOST} of ${firings.length}` : null,
			heads: ['what', 'since', { text: 'worst', num: true }, { text: 'series', num: true }, 'machines'],
			rows: firings.slice(0, MOST).map(row),
			tall: true,
		}),
	);
}
