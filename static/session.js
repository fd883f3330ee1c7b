// SPDX-License-Identifier: GPL-2.0-or-later
// Who decides here: the dialog that asks for a token, who that is, and the requests that change something.

import { h, replace } from './dom.js';
import { askAs, forgetToken, haveToken, keepToken } from './token.js';

let known = null; // promise of {name, scope, triage} of the token that is kept

// {name, scope, triage} of who is signed in, or null.
export async function who() {
	if (!haveToken()) return null;
	known ??= askAs('/api/v1/token');
	try {
		return await known;
	} catch {
		known = null;
		return null;
	}
}

// The dialog. Resolves to true once somebody who may decide of alerts is signed in, to false if they went away.
export function signIn(reason) {
	const input = h('input', {
		type: 'password',
		name: 'token',
		required: true,
		autocomplete: 'off',
		spellcheck: 'false',
		'aria-label': 'Token',
	});
	const remember = h('input', { type: 'checkbox', name: 'remember' });
	const wrong = h('p.worse', { role: 'alert' });
	const form = h(
		'form',
		{ method: 'dialog' },
		h('p', reason ?? 'Deciding, and changing what is decided by, needs a token with scope triage or admin.'),
		h('label.field', 'Token', input),
		h('label.check', remember, ' remember it in this browser'),
		wrong,
		h(
			'p.buttons',
			h('button', { type: 'submit' }, 'Sign in'),
			h('button.plain', { type: 'button', onclick: () => dialog.close() }, 'Cancel'),
		),
		h(
			'p.hint',
			'Whoever runs this server makes one: ',
			h('code', 'nsecwatchd token add --name NAME --scope triage'),
		),
	);
	const dialog = h(
		'dialog',
		{ id: 'sign-in', 'aria-labelledby': 'sign-in-title' },
		h('h2', { id: 'sign-in-title' }, 'Sign in'),
		form,
	);
	let done = false;

	form.addEventListener('submit', async (e) => {
		e.preventDefault();
		replace(wrong);
		try {
			keepToken(input.value, remember.checked);
			const me = await askAs('/api/v1/token');
			if (!me.triage)
				throw new Error(`Token "${me.name}" has scope ${me.scope}; scope triage or admin is needed.`);
			done = true;
			dialog.close();
		} catch (error) {
			forgetToken();
			replace(wrong, error.message);
			input.select();
		}
	});
	document.body.append(dialog);
	dialog.showModal();
	return new Promise((resolve) =>
		dialog.addEventListener('close', () => {
			dialog.remove();
			resolve(done);
		}),
	);
}

// Asks for a token first where there is none, or where it does not suffice. null: the person went away.
/**
 * @param {string} url
 * @param {{method?: string, body?: any}} [options]
 */
export async function change(url, { method = 'POST', body } = {}) {
	if (!haveToken() && !(await signIn())) return null;
	for (;;)
		try {
			return await askAs(url, { method, body });
		} catch (e) {
			if (e.status !== 401 && e.status !== 403) throw e;
			if (!(await signIn(e.message))) return null;
		}
}

export const post = (url, body) => change(url, { body });

let box = null;

async function paint() {
	const me = await who();

	replace(
		box,
		me
			? [
					'signed in as ',
					h('b', me.name),
					` (${me.scope}) `,
					h('button.plain', { type: 'button', onclick: forgetToken }, 'sign out'),
				]
			: h('button.plain', { type: 'button', onclick: () => signIn() }, 'sign in to decide'),
	);
}

addEventListener('session', () => {
	known = null;
	if (box?.isConnected) paint();
});

// "signed in as NAME" and the way out, or the way in; follows what happens.
export function sessionBox() {
	box = h('span.session', { 'aria-live': 'polite' });
	paint();
	return box;
}
