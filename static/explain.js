// SPDX-License-Identifier: GPL-2.0-or-later
// Why there is an alert of a series at a kernel, or why not: as a part of the dialog of a verdict, and for many on the page of rules.

import { get } from './api.js';
import { h } from './dom.js';
import * as f from './format.js';
import { Query } from './query.js';

const url = (seriesId, kernel) =>
	new Query([
		['kernel', kernel],
		['series_id', seriesId],
	]).url('/api/v1/rules:explain');

// What a rule did: "fires", "does not fire", "looks elsewhere"
const verb = (r) => (r.fires ? 'fires' : r.matches ? 'does not fire' : 'looks elsewhere');

const ruleItem = (r) =>
	h(
		'li',
		h('b', r.name),
		' ',
		h(r.fires ? 'span.strong' : 'span.dim', verb(r)),
		': ',
		f.typeset(r.text),
	);

const alertLink = (alert) =>
	h('p', h('a', { href: alert.url }, 'The alert'), ' is ', h('b', alert.state), '.');

// Sentence, alert, what each rule says, and what keeps it silent. link: to the alert, where nothing beside it leads there
export function explainedParts(item, link = true) {
	return [
		h('p.text', f.typeset(item.sentence)),
		item.alert && link ? alertLink(item.alert) : null,
		item.next && !item.sentence.includes(item.next) ? h('p', f.typeset(`What would help: ${item.next}.`)) : null,
		item.mutes.map((m) =>
			h('p', 'Muted by ', h('bdi', m.author), `${m.until ? ` until ${f.time(m.until)}` : ''}: `, h('bdi', m.reason)),
		),
		item.expectations.map((x) =>
			h('p.dim', `Expected every ${x.interval}${x.late ? ', and late' : ''}${x.last_seen_at ? `; last seen ${f.time(x.last_seen_at)}` : ''}.`),
		),
		item.rules.length
			? h('details', h('summary', f.plural(item.rules.length, 'rule')), h('ul', item.rules.map(ruleItem)))
			: null,
	];
}

// A section for the dialog of why.js
export async function alertPart(seriesId, kernel) {
	const { items } = await get(url(seriesId, kernel));

	return h('section', { id: 'why-alert' }, h('h3', 'Is there an alert?'), items.map(explainedParts));
}
