// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps the page under an address that says the same in five years. Loaded when somebody wants that.

import { h, ownPath, replace } from './dom.js';
import { post } from './session.js';

// button: what was pressed; it becomes the link, or says what went wrong
export async function keep(button) {
	const status = h('span', { role: 'status', id: 'kept' });

	button.disabled = true;
	try {
		const told = await post('/api/v1/pages', { path: location.pathname + location.search });
		if (!told) return;
		replace(status, h('a', { href: ownPath(told.url) }, 'kept: permanent link'));
		button.replaceWith(status);
	} catch (e) {
		replace(status, ` ${e.message}`);
		button.after(status);
	} finally {
		button.disabled = false;
	}
}
