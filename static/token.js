// SPDX-License-Identifier: GPL-2.0-or-later
// What needs more than reading needs a token. It is asked for once a tab and kept there, for as long as the tab; in the
// browser, if its owner wants that. It goes out with what needs it, and nowhere else.

import { ApiError, ask } from './api.js';
import { h } from './dom.js';

const KEY = 'nsecwatch.token';

// A browser may refuse to keep anything: then the token lives as long as the page.
let here = null;

function stores() {
	try {
		return [sessionStorage, localStorage];
	} catch {
		return [];
	}
}

const token = () => here ?? stores().map((s) => s.getItem(KEY)).find(Boolean) ?? null;

export const haveToken = () => Boolean(token());

export function forgetToken() {
	here = null;
	stores().forEach((s) => s.removeItem(KEY));
	dispatchEvent(new CustomEvent('session'));
}

// Header values are ASCII; what is none is no token either. remember: beyond this tab
export function keepToken(text, remember = false) {
	forgetToken();
	here = text.trim().replace(/[^!-~]/g, '?');
	try {
		stores()[remember ? 1 : 0]?.setItem(KEY, here);
	} catch {
		// full, or forbidden
	}
	dispatchEvent(new CustomEvent('session'));
}

// As the owner of the token. Credentials are left out, or the browser would ask for a password by itself.
/**
 * @param {string} url
 * @param {{method?: string, body?: any, signal?: AbortSignal}} [options]
 */
export async function askAs(url, { method = 'GET', body, signal } = {}) {
	const json = body === undefined ? {} : { 'content-type': 'application/json' };

	try {
		return await ask(url, {
			method,
			signal,
			credentials: 'omit',
			headers: { authorization: `Bearer ${token()}`, ...json },
			body: body === undefined ? undefined : JSON.stringify(body),
		});
	} catch (e) {
		if (e instanceof ApiError && e.status === 401) forgetToken();
		throw e;
	}
}

// A form for it; done() when there is one.
export function tokenForm(scope, why, done) {
	const field = h('input', {
		type: 'password',
		name: 'token',
		required: true,
		autocomplete: 'off',
		spellcheck: 'false',
		placeholder: 'nsw_...',
		'aria-label': 'Token',
	});

	return h(
		'section.state',
		{ 'data-state': 'token' },
		h('h2', 'A token is needed'),
		h('p', why),
		h(
			'form',
			{
				onsubmit: (e) => {
					e.preventDefault();
					keepToken(field.value);
					done();
				},
			},
			field,
			' ',
			h('button', { type: 'submit' }, 'Go on'),
		),
		h(
			'p.dim',
			'This tab keeps it until it is closed. ',
			h('code', `nsecwatchd token add --name you --scope ${scope}`),
			' makes one.',
		),
	);
}
