// SPDX-License-Identifier: GPL-2.0-or-later
// Who is signed in with this browser. The server keeps that behind a cookie that no script can read; what a script knows is
// the proof that it sends with each change, so that no other site can make one.

import { ask } from './api.js';
import { $, h, replace } from './dom.js';

const SESSION = '/api/v1/session';

let known = null; // promise of what the server says: {name, scope, triage, admin, via, csrf, expires_at}

const json = (body) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

function changed(told) {
	known = told && Promise.resolve(told);
	dispatchEvent(new CustomEvent('session'));
	return told;
}

export async function session() {
	known ??= ask(SESSION);
	try {
		return await known;
	} catch (e) {
		known = null;
		throw e;
	}
}

// Asked again when it is wanted next: it ended, or somebody signed in elsewhere.
export const forgetSession = () => changed(null);

// needs: the scope without which there is no point in it. remember: beyond the life of the browser
/**
 * @param {string} token
 * @param {{needs?: string, remember?: boolean}} [how]
 */
export const signInWith = async (token, { needs, remember = false } = {}) =>
	changed(await ask(SESSION, { method: 'POST', ...json({ token: token.trim(), needs, remember }) }));

export async function signOut() {
	const { csrf } = await session();

	return changed(await ask(SESSION, { method: 'DELETE', headers: csrf ? { 'x-csrf-token': csrf } : {} }));
}

// The proof. Whom the proxy before the server knows has none until a session is begun.
async function proof() {
	const me = await session();

	if (me.via !== 'proxy') return me.csrf;
	return changed(await ask(SESSION, { method: 'POST', ...json({}) })).csrf;
}

// As who is signed in.
/**
 * @param {string} url
 * @param {{method?: string, body?: any, signal?: AbortSignal}} [options]
 */
export async function askAs(url, { method = 'GET', body, signal } = {}) {
	const headers = {};

	if (method !== 'GET') headers['x-csrf-token'] = (await proof()) ?? '';
	if (body !== undefined) headers['content-type'] = 'application/json';
	try {
		return await ask(url, { method, signal, headers, body: body === undefined ? undefined : JSON.stringify(body) });
	} catch (e) {
		if (e.status === 401 || e.status === 403) forgetSession();
		throw e;
	}
}

export const tokenField = () =>
	h('input', {
		type: 'password',
		name: 'token',
		required: true,
		autocomplete: 'off',
		spellcheck: 'false',
		placeholder: 'nsw_...',
		'aria-label': 'Token',
	});

// A form for it, in the place of what needs it; done() when somebody is signed in who may see that.
export function tokenForm(scope, why, done) {
	const field = tokenField();
	const wrong = h('p.worse', { role: 'alert' });
	const attempt = async (e) => {
		e.preventDefault();
		replace(wrong);
		try {
			await signInWith(field.value, { needs: scope });
			done();
		} catch (error) {
			replace(wrong, error.message);
			$('input[name=token]')?.select();
		}
	};

	return h(
		'section.state',
		{ 'data-state': 'token' },
		h('h2', 'A token is needed'),
		h('p', why),
		h('form', { onsubmit: attempt }, field, ' ', h('button', { type: 'submit' }, 'Sign in')),
		wrong,
		h('p.dim', h('code', `nsecwatchd token add --name you --scope ${scope}`), ' makes one.'),
	);
}
