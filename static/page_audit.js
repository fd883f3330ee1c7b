// SPDX-License-Identifier: GPL-2.0-or-later
// Who did what, and who may: the trail of all that people changed, and the tokens. For admins.

import { tokensSection } from './audit_tokens.js';
import { $, h, replace } from './dom.js';
import * as f from './format.js';
import { current, go } from './query.js';
import { sessionBox, who } from './session.js';
import { askAs, tokenForm } from './token.js';
import { emptyState, table } from './views.js';

const PLACES = { alert: '/alerts/', run: '/runs/', machine: '/machines/', benchmark: '/benchmarks/', kernel: '/kernels/', page: '/pages/' };

async function load(query, signal) {
	if (!(await who())?.admin) return { needs: 'Who did what from where, and who may, is for those who give access.' };
	const [trail, { tokens }] = await Promise.all([
		askAs(query.api().url('/api/v1/audit'), { signal }),
		askAs('/api/v1/tokens?limit=1000', { signal }),
	]);
	return { ...trail, tokens };
}

// What it was done to, as a link where there is a page of it
function objectOf(e) {
	const short = /^[0-9a-f]{8}-/.test(e.object) ? e.object.slice(0, 8) : e.object;
	const place = PLACES[e.subject];

	return [`${e.subject} `, place && e.object ? h('a.k', { href: place + encodeURIComponent(e.object) }, h('bdi', short)) : h('bdi', short)];
}

// "reason: noise, until: 2026-03-01": what is text or a number of the details
function detailsOf(e) {
	const said = Object.entries(e.details).filter(([, v]) => v !== null && (typeof v !== 'object' || Array.isArray(v)));

	return said.map(([k, v]) => `${k.replaceAll('_', ' ')}: ${v}`).join(', ');
}

function row(e, query) {
	return h(
		'tr',
		{ 'data-id': e.id },
		h('th', { scope: 'row', title: e.request_id ? `request ${e.request_id}` : '' }, f.time(e.at)),
		h('td', h('a', { href: query.only().with('who', e.who).url('/audit') }, h('bdi', e.who)), e.via ? h('span.dim', ` by ${e.via}`) : ''),
		h('td', e.action, e.to_state && e.to_state !== e.from_state ? h('span.dim', ` \u2192 ${e.to_state}`) : ''),
		h('td.wrap', objectOf(e)),
		h('td.wrap', h('bdi', detailsOf(e))),
		h('td.dim', e.address ?? ''),
	);
}

function sentence({ events }, query) {
	const of = query.get('who') ?? query.get('subject') ?? query.get('object');

	if (!events.length) return of ? 'Nobody did any such thing.' : 'Nobody has changed anything yet.';
	return `${of ? `Of ${of}, last` : 'The last change'}: ${events[0].who}, ${events[0].action} (${events[0].subject}), ${f.time(events[0].at)}.`;
}

function kinds(query) {
	const one = (subject, text) =>
		h('a', { href: query.only().with('subject', subject).url('/audit'), 'aria-current': query.get('subject') === subject ? 'true' : undefined }, text);

	return h('p.fact', [
		one(undefined, 'all'),
		['alert', 'rule', 'mute', 'expectation', 'run', 'machine', 'benchmark', 'kernel', 'page', 'delivery', 'token', 'session'].map((s) => [' \u00b7 ', one(s, s)]),
	]);
}

function render(data, query) {
	document.title = 'Audit - nsecwatch';
	replace($('#what'), h('a', { href: '/alerts' }, 'alerts'), ' \u00b7 ', h('a', { href: '#tokens' }, 'tokens'), ' \u00b7 ', sessionBox());
	if (data.needs) {
		replace($('#head'), h('h1', 'Audit'));
		replace($('#view'), tokenForm('admin', data.needs, () => dispatchEvent(new CustomEvent('state'))));
		return;
	}
	replace($('#head'), h('h1', sentence(data, query)), kinds(query));
	replace(
		$('#view'),
		data.events.length
			? table({
					id: 'audit-table',
					heads: ['when', 'who', 'did', 'to', 'with', 'from'],
					rows: data.events.map((e) => row(e, query)),
				})
			: emptyState('Nothing here', 'Each change that a person makes stands here: decisions, rules, tokens, and who signed in.'),
		data.next
			? h('p.more', h('button.plain', { type: 'button', onclick: () => go(current().with('cursor', data.next)) }, 'Before that'))
			: null,
		tokensSection(data.tokens),
	);
}

export const view = { load, render };
