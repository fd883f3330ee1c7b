// SPDX-License-Identifier: GPL-2.0-or-later
// Mails and calls of webhooks: what waits, what was given up, and "send again".

import { $, h, replace } from './dom.js';
import * as f from './format.js';
import { current, go } from './query.js';
import { change, who } from './session.js';
import { askAs, tokenForm } from './token.js';
import { emptyState, numCell, table } from './views.js';

const again = () => dispatchEvent(new CustomEvent('state'));

async function load(query, signal) {
	if (!(await who())?.triage)
		return { needs: 'Deliveries name the people who are told, so they are shown to those who triage.' };
	return askAs(query.api().url('/api/v1/deliveries'), { signal });
}

async function sendAgain(id, button) {
	button.disabled = true;
	try {
		if (await change(`/api/v1/deliveries/${encodeURIComponent(id)}:send-again`)) again();
		else button.disabled = false;
	} catch (e) {
		button.replaceWith(h('span.worse', e.message));
	}
}

function when(d) {
	if (d.state === 'sent') return `sent ${f.time(d.sent_at)}`;
	if (d.state === 'dead') return `given up ${f.time(d.dead_at)}`;
	return `next try ${f.time(d.next_try)}`;
}

function row(d) {
	const what = d.subject ?? d.event;

	return h(
		'tr',
		{ 'data-state': d.state, 'data-id': d.id },
		h('th.wrap', { scope: 'row' }, d.alert_id ? h('a', { href: `/alerts/${encodeURIComponent(d.alert_id)}` }, what) : what),
		h('td', `${d.kind} `, h('span.dim', d.target)),
		h('td', d.state === 'dead' ? h('b.worse', 'dead') : d.state),
		numCell(String(d.attempts)),
		h('td.dim', { title: d.again_by ? `asked for by ${d.again_by}` : '' }, when(d)),
		h('td.wrap', d.last_error ?? ''),
		h(
			'td',
			d.state === 'sent'
				? ''
				: h('button', { type: 'button', onclick: (e) => sendAgain(d.id, e.target) }, 'Send again'),
		),
	);
}

export function sentence({ dead, waiting, deliveries }, query) {
	const waits = `${f.plural(waiting, 'delivery', 'deliveries')} ${waiting === 1 ? 'waits' : 'wait'}`;

	if (dead) return `${f.plural(dead, 'delivery', 'deliveries')} could not be made; ${waits}.`;
	if (waiting) return `${waits}; nothing was given up.`;
	return deliveries.length || !query.empty ? 'Everything was delivered.' : 'Nobody has been told of anything.';
}

function states(query) {
	const one = (state, text) =>
		h('a', { href: query.only().with('state', state).url('/deliveries'), 'aria-current': query.get('state') === state ? 'true' : undefined }, text);

	return h('p.fact', [one(undefined, 'all'), ' \u00b7 ', one('dead', 'given up'), ' \u00b7 ', one('waiting', 'waiting'), ' \u00b7 ', one('sent', 'sent')]);
}

function render(data, query) {
	document.title = 'Deliveries - nsecwatch';
	if (data.needs) {
		replace($('#head'), h('h1', 'Deliveries'));
		replace($('#view'), tokenForm('triage', data.needs, again));
		return;
	}
	replace($('#head'), h('h1', sentence(data, query)), states(query));
	replace(
		$('#view'),
		data.deliveries.length
			? table({
					id: 'deliveries-table',
					heads: ['what', 'to', 'state', { text: 'tries', num: true }, 'when', 'last error', ''],
					rows: data.deliveries.map(row),
				})
			: emptyState(
					'Nothing here',
					'Each mail and each call of a webhook that watch makes stands here, whatever became of it. It tells nobody until --mail-to, --webhook-url or --maintainers says whom.',
				),
		data.next
			? h('p.more', h('button.plain', { type: 'button', onclick: () => go(current().with('cursor', data.next)) }, 'Older deliveries'))
			: null,
	);
}

export const view = { load, render };
