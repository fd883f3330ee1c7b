// SPDX-License-Identifier: GPL-2.0-or-later
// Dialogs that ask for something and send it: fields, what was wrong with them, and no second request while one is under way.

import { h, replace } from './dom.js';

let serial = 0;

// What an error says, with its places in the document
export const wrongText = (e) => [
	h('p', e.message),
	e.problems?.length
		? h(
				'ul',
				e.problems.map((p) => h('li', h('code', p.at), ' ', p.message)),
			)
		: null,
];

export const field = (label, el, hint) =>
	h('label.field', label, el, hint ? h('span.hint', hint) : null);

export const check = (label, el) => h('label.check', el, ` ${label}`);

export const line = (name, value, attrs = {}) =>
	h('input', { type: 'text', name, value: value ?? '', autocomplete: 'off', spellcheck: 'false', ...attrs });

export const area = (name, value, attrs = {}) => h('textarea', { name, rows: 2, ...attrs }, value ?? '');

// options: [[value, text]]
export const choice = (name, value, options) =>
	h(
		'select',
		{ name },
		options.map(([v, text]) => h('option', { value: v, selected: v === value }, text)),
	);

// An input that completes from values(), a promise of texts; what is not among them can be typed all the same.
export function completed(input, values) {
	const id = `values-${++serial}`;
	const list = h('datalist', { id });

	input.setAttribute('list', id);
	input.addEventListener(
		'focus',
		async () => replace(list, (await values().catch(() => [])).map((value) => h('option', { value }))),
		{ once: true },
	);
	return [input, list];
}

// A number where it is one; else the text, so that the server says what is wrong with it. Nothing: undefined.
export function numberOf(el) {
	const text = el.value.trim();
	return text === '' ? undefined : Number.isFinite(Number(text)) ? Number(text) : text;
}

export const textOf = (el) => el.value.trim() || undefined;

// submit(form): what was done, then the dialog closes; null where the person went away. also?.(form, attempt): more
// buttons; foot: what stands below them.
/**
 * @param {{id: string, title: any, body: any, label: string, submit: (form: any) => Promise<boolean>, also?: any, foot?: any}} parts
 */
export function formDialog({ id, title, body, label, submit, also, foot }) {
	const wrong = h('div.worse', { role: 'alert' });
	const button = h('button', { type: 'submit' }, label);
	const form = h('form', { method: 'dialog' }, body, wrong);
	const dialog = h(
		'dialog.act',
		{ id, 'aria-labelledby': `${id}-title` },
		h('h2', { id: `${id}-title` }, title),
		form,
		foot,
	);
	const attempt = async (does) => {
		replace(wrong);
		button.disabled = true;
		try {
			return await does();
		} catch (e) {
			replace(wrong, wrongText(e));
			wrong.scrollIntoView({ block: 'nearest' });
			return null;
		} finally {
			button.disabled = false;
		}
	};

	form.append(
		h(
			'p.buttons',
			button,
			also?.(form, attempt),
			h('button.plain', { type: 'button', onclick: () => dialog.close() }, 'Cancel'),
		),
	);
	form.addEventListener('submit', async (e) => {
		e.preventDefault();
		if (!button.disabled && (await attempt(() => submit(form)))) dialog.close();
	});
	dialog.addEventListener('close', () => dialog.remove());
	document.getElementById(id)?.remove();
	document.body.append(dialog);
	dialog.showModal();
	return dialog;
}
