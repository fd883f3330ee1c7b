// SPDX-License-Identifier: GPL-2.0-or-later
// Who decides here: the dialog that asks for a token, who that is, and the requests that change something.

import { h, replace } from './dom.js';
import { askAs, session, signInWith, signOut, tokenField } from './token.js';

// {name, scope, triage, admin} of who is signed in, or null.
export async function who() {
	const me = await session().catch(() => null);
	return me?.name ? me : null;
}

// The dialog. Resolves to true once somebody who may decide of alerts is signed in, to false if they went away.
export function signIn(reason) {
	const input = tokenField();
	const remember = h('input', { type: 'checkbox', name: 'remember' });
	const wrong = h('p.worse', { role: 'alert' });
	const form = h(
		'form',
		{ method: 'dialog' },
		h('p', reason ?? 'Deciding, and changing what is decided by, needs a token with scope triage or admin.'),
		h('label.field', 'Token', input),
		h('label.check', remember, ' stay signed in when the browser is closed'),
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
			await signInWith(input.value, { needs: 'triage', remember: remember.checked });
			done = true;
			dialog.close();
		} catch (error) {
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

// Asks to sign in first who is not, or may not decide. null: the person went away.
/**
 * @param {string} url
 * @param {{method?: string, body?: any}} [options]
 */
export async function change(url, { method = 'POST', body } = {}) {
	if (!(await who())?.triage && !(await signIn())) return null;
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
		me?.triage
			? [
					'signed in as ',
					h('b', me.name),
					` (${me.scope}) `,
					me.admin && location.pathname !== '/audit' ? [h('a', { href: '/audit' }, 'audit'), ' '] : null,
					me.via === 'session' ? h('button.plain', { type: 'button', onclick: signOut }, 'sign out') : null,
				]
			: h('button.plain', { type: 'button', onclick: () => signIn() }, 'sign in to decide'),
	);
}

// "signed in as NAME" and the way out, or the way in; follows what happens.
export function sessionBox() {
	if (!box)
		addEventListener('session', () => {
			if (box.isConnected) paint();
		});
	box = h('span.session', { 'aria-live': 'polite' });
	paint();
	return box;
}
