// SPDX-License-Identifier: GPL-2.0-or-later
// Mutes on the page of rules: what is silent, why, by whom and until when; made and ended.

import { h } from './dom.js';
import { area, field, formDialog, line } from './form.js';
import * as f from './format.js';
import { selectorText } from './rule_words.js';
import { addButton, button, changed } from './rules_parts.js';
import { selectorField, selectorOf } from './selector.js';
import { change } from './session.js';
import { emptyState, numCell, table } from './views.js';

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

function muteOf(form) {
	const el = form.elements;
	const selector = selectorOf(el.selector.value);
	const alert = el.alert.value.trim();

	return {
		reason: el.reason.value.trim(),
		until: el.until.value ? `${el.until.value}T00:00:00Z` : null,
		alert: alert ? (UUID.exec(alert)?.[0] ?? alert) : undefined,
		selector: Object.keys(selector).length ? selector : undefined,
	};
}

export function addMute() {
	formDialog({
		id: 'mute-form',
		title: 'New mute',
		body: [
			h('p', 'What it covers is not told. Open alerts that it covers wholly become muted, and come back when it ends.'),
			selectorField({}, 'Of which series (machine=* is everything)'),
			field('or of one alert', line('alert', '', { placeholder: 'its id, or its address' })),
			field('Reason', area('reason', '', { required: true, maxlength: 2000 })),
			field('Until', h('input', { type: 'date', name: 'until' }), 'from 00:00 UTC of that day it is over; empty: until somebody ends it'),
		],
		label: 'Mute',
		submit: async (form) => {
			const answer = await change('/api/v1/mutes', { body: muteOf(form) });
			return answer && changed(`Muted; ${f.plural(answer.mute.alerts, 'open alert')} ${answer.mute.alerts === 1 ? 'is' : 'are'} silent by it.`);
		},
	});
}

function endMute(m) {
	formDialog({
		id: 'mute-end',
		title: 'End this mute',
		body: [
			h('p', h('bdi', scopeText(m)), ': ', h('bdi', m.reason)),
			h('p', m.alerts ? `${f.plural(m.alerts, 'alert')} will be open again.` : 'No alert is muted by it now.'),
		],
		label: 'End it',
		submit: async () =>
			(await change(`/api/v1/mutes/${encodeURIComponent(m.id)}`, { method: 'DELETE' })) && changed('The mute is ended.'),
	});
}

const scopeText = (m) => (m.alert ? 'one alert' : selectorText(m.selector) || 'everything');

function standing(m) {
	if (m.active) return m.until ? `until ${f.time(m.until)}` : 'until somebody ends it';
	return m.ended_at ? `ended ${f.time(m.ended_at)}` : `over since ${f.time(m.until)}`;
}

function row(m) {
	return h(
		'tr',
		{ 'data-mute': m.id, 'data-off': !m.active },
		h(
			'th.wrap',
			{ scope: 'row' },
			m.alert ? h('a', { href: `/alerts/${encodeURIComponent(m.alert)}` }, 'one alert') : h('bdi', scopeText(m)),
		),
		h('td.wrap', h('bdi', m.reason)),
		h('td', h('bdi', m.author)),
		h('td', { title: f.time(m.created_at) }, f.day(m.created_at)),
		h(m.active ? 'td' : 'td.dim', standing(m)),
		numCell(String(m.alerts)),
		h('td.doing', m.active ? button(`end-${m.id}`, 'end', `End the mute of ${scopeText(m)}`, () => endMute(m)) : ''),
	);
}

const mutesTable = (id, mutes) =>
	table({
		id,
		heads: ['silent', 'why', 'by', 'since', 'how long', { text: 'alerts', num: true, title: 'muted by it now' }, ''],
		rows: mutes.map(row),
	});

export function mutesSection(mutes) {
	const active = mutes.filter((m) => m.active);
	const over = mutes.filter((m) => !m.active);

	return h(
		'section',
		{ id: 'mutes' },
		h('h2', 'Mutes'),
		active.length
			? mutesTable('mutes-table', active)
			: emptyState('Nothing is muted', 'A mute keeps series silent that are known to be noisy, or a machine that is being moved: with a reason, and until a day.'),
		addButton('add-mute', 'New mute', addMute),
		over.length
			? h('details', h('summary', `${f.plural(over.length, 'mute')} of before`), mutesTable('mutes-over', over))
			: null,
	);
}
