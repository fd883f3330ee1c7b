// SPDX-License-Identifier: GPL-2.0-or-later
// What rules, mutes and expectations have in common on their page.

import { tell } from './actions.js';
import { h } from './dom.js';

// Says what was done and shows what is now; true, for the dialog that did it.
export function changed(text) {
	tell(text);
	dispatchEvent(new CustomEvent('state'));
	return true;
}

// In a row; its id stays the same when the table is made again, so that the keyboard stays where it was.
export const button = (id, text, label, onclick) =>
	h('button.plain', { type: 'button', id, 'aria-label': label, onclick }, text);

export const addButton = (id, text, onclick) =>
	h('p.actions', h('button', { type: 'button', id, onclick }, text));
