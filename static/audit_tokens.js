// SPDX-License-Identifier: GPL-2.0-or-later
// Tokens on the page of the audit trail: who has access, made and revoked.

import { h, replace } from './dom.js';
import { choice, field, formDialog, line } from './form.js';
import * as f from './format.js';
import { change } from './session.js';
import { table } from './views.js';

const again = () => dispatchEvent(new CustomEvent('state'));

const names = (input) =>
	input.value
		.split(',')
		.map((s) => s.trim())
		.filter(Boolean);

// The one time that its text is seen.
function show(answer) {
	formDialog({
		id: 'token-made',
		title: `Token ${answer.token.name}`,
		body: [
			h('p', 'This is the only time that it is shown. Copy it to where it is used.'),
			h('p', h('code', { id: 'token-text' }, answer.text)),
		],
		label: 'Done',
		submit: async () => true,
	});
}

function addToken() {
	formDialog({
		id: 'token-form',
		title: 'New token',
		body: [
			field('Name', line('name', '', { required: true, maxlength: 100 }), 'it stands in the trail, with what is done with it'),
			field(
				'May',
				choice('scope', 'ingest', [
					['read', 'read'],
					['ingest', 'upload (ingest)'],
					['triage', 'decide (triage)'],
					['admin', 'everything (admin)'],
				]),
			),
			field('Only of machines', line('machines', '', { placeholder: 'milan-*, rome-1' }), 'for uploads; empty: any'),
			field('Only of benchmarks', line('benchmarks', '', { placeholder: 'mprotect/*' }), 'likewise'),
			field('Until', line('expires', '', { placeholder: '90d' }), '90d, 12h, or a time as 2027-01-01T00:00:00Z; empty: until it is revoked'),
		],
		label: 'Make it',
		submit: async (form) => {
			const el = form.elements;
			const answer = await change('/api/v1/tokens', {
				body: {
					name: el.name.value.trim(),
					scope: el.scope.value,
					machines: names(el.machines).length ? names(el.machines) : undefined,
					benchmarks: names(el.benchmarks).length ? names(el.benchmarks) : undefined,
					expires_at: el.expires.value.trim() || undefined,
				},
			});
			if (!answer) return false;
			again();
			show(answer);
			return true;
		},
	});
}

function revoke(t) {
	formDialog({
		id: 'token-revoke',
		title: ['Revoke ', h('bdi', t.name)],
		body: h('p', 'What is sent with it is refused from now on, and whoever signed in with it is signed out. There is no way back.'),
		label: 'Revoke it',
		submit: async () => {
			const done = await change(`/api/v1/tokens/${encodeURIComponent(t.name)}`, { method: 'DELETE' });

			if (done) again();
			return Boolean(done);
		},
	});
}

const limits = (t) =>
	[t.machines && `machines ${t.machines.join(', ')}`, t.benchmarks && `benchmarks ${t.benchmarks.join(', ')}`].filter(Boolean).join('; ');

function row(t) {
	return h(
		'tr',
		{ 'data-token': t.name, 'data-off': t.state !== 'active' },
		h('th.wrap', { scope: 'row' }, h('bdi', t.name)),
		h('td', t.scope),
		h('td.wrap', h('bdi', limits(t))),
		h('td', t.state === 'revoked' ? `revoked ${f.day(t.revoked_at)}` : t.expires_at ? `${t.state === 'expired' ? 'expired' : 'until'} ${f.day(t.expires_at)}` : 'until revoked'),
		h('td', { title: t.last_used_at ? f.time(t.last_used_at) : '' }, t.last_used_at ? f.day(t.last_used_at) : 'never'),
		h(
			'td.doing',
			t.state === 'active'
				? h('button.plain', { type: 'button', 'aria-label': `Revoke ${t.name}`, onclick: () => revoke(t) }, 'revoke')
				: '',
		),
	);
}

const tokensTable = (id, list) => table({ id, heads: ['token', 'may', 'only of', 'good', 'used', ''], rows: list.map(row) });

export function tokensSection(tokens) {
	const good = tokens.filter((t) => t.state === 'active');
	const over = tokens.filter((t) => t.state !== 'active');
	const section = h('section', { id: 'tokens' });

	return replace(
		section,
		h('h2', 'Tokens'),
		tokensTable('tokens-table', good),
		h('p.actions', h('button', { type: 'button', id: 'add-token', onclick: addToken }, 'New token')),
		over.length ? h('details', h('summary', `${f.plural(over.length, 'token')} of before`), tokensTable('tokens-over', over)) : null,
	);
}
