// SPDX-License-Identifier: GPL-2.0-or-later
// What can be decided of alerts: buttons, the dialog that asks for what an action needs, and the requests.

import { $, h, replace } from './dom.js';
import { wrongText } from './form.js';
import { post, who } from './session.js';

const OPEN = ['suspect', 'new', 'acknowledged', 'reported', 'fix-posted'];
const ENDED = ['fixed', 'accepted', 'invalid', 'muted'];
const NOTE = { name: 'text', label: 'Comment', kind: 'text' };
const REASON = { name: 'reason', label: 'Reason', kind: 'text', required: true };

// By key: which alerts it is for, what it asks. `one`: for a single alert only.
export const ACTIONS = [
	{
		action: 'acknowledge',
		label: 'Acknowledge',
		key: 'a',
		from: ['suspect', 'new'],
		fields: [],
	},
	{
		action: 'assign',
		label: 'Assign',
		key: 's',
		from: [...OPEN, ...ENDED],
		fields: [
			{ name: 'assignee', label: 'To', kind: 'line', me: true, hint: 'empty: nobody' },
			{ name: 'due_at', label: 'Due', kind: 'date' },
		],
	},
	{
		action: 'comment',
		label: 'Comment',
		key: 'c',
		from: [...OPEN, ...ENDED],
		fields: [{ ...NOTE, required: true }],
	},
	{
		action: 'report',
		label: 'Reported',
		key: 'r',
		from: OPEN,
		fields: [
			{
				name: 'url',
				label: 'Link to the report',
				kind: 'url',
				required: true,
				hint: 'https://lore.kernel.org/r/\u2026',
			},
			NOTE,
		],
	},
	{
		action: 'fix-posted',
		label: 'Fix posted',
		from: OPEN,
		fields: [
			{ name: 'url', label: 'Link to the patch', kind: 'url' },
			{ name: 'commit', label: 'or its commit', kind: 'line' },
			NOTE,
		],
	},
	{
		action: 'fixed',
		label: 'Fixed',
		from: OPEN,
		fields: [
			{
				name: 'kernel',
				label: 'In kernel',
				kind: 'line',
				hint: 'empty: the first that the data show without it',
			},
			{ name: 'commit', label: 'By commit', kind: 'line' },
			{ name: 'unverified', label: 'although the data do not show it', kind: 'check' },
			NOTE,
		],
	},
	{
		action: 'accept',
		label: 'Accept',
		from: [...OPEN, 'muted'],
		fields: [REASON],
		about: 'A trade-off that is meant to be.',
	},
	{
		action: 'invalid',
		label: 'Invalid',
		key: 'i',
		from: [...OPEN, 'muted'],
		fields: [REASON],
		about: 'Not a change of the kernel.',
	},
	{
		action: 'mute',
		label: 'Mute',
		from: OPEN,
		fields: [REASON],
		about: 'Says nothing more, until it is opened again.',
	},
	{ action: 'reopen', label: 'Reopen', from: ENDED, fields: [NOTE] },
	{
		action: 'nudge',
		label: 'Move',
		from: [...OPEN, ...ENDED],
		one: true,
		fields: [
			{ name: 'from', label: 'Last good kernel', kind: 'line' },
			{ name: 'to', label: 'First bad kernel', kind: 'line' },
			NOTE,
		],
		about: 'To other kernels of its track.',
	},
	{
		action: 'merge',
		label: 'Merge',
		from: OPEN,
		fields: [
			{
				name: 'into',
				label: 'Into',
				kind: 'alert',
				required: true,
				hint: 'the id, or the address, of an alert',
			},
			NOTE,
		],
		about: 'Its rows go there, and what is found in its range later, too.',
	},
];

// of some rows of one alert, that the caller names
export const SPLIT = {
	action: 'split',
	label: 'Split off',
	from: OPEN,
	one: true,
	fields: [NOTE],
	about: 'The marked rows become an alert of their own.',
};

// Open still, though its day has passed
export const isLate = (alert) =>
	Boolean(alert.due_at) && Date.parse(alert.due_at) < Date.now() && OPEN.includes(alert.state);

export const allowed = (action, alert) =>
	action.from.includes(alert.state) && (!alert.merged_into || ['reopen', 'comment'].includes(action.action));

// version 4; crypto.randomUUID() is there in secure contexts only, and labs use plain HTTP
function eventId() {
	const b = crypto.getRandomValues(new Uint8Array(16));

	b[6] = (b[6] & 0x0f) | 0x40;
	b[8] = (b[8] & 0x3f) | 0x80;
	const hex = [...b].map((v) => v.toString(16).padStart(2, '0')).join('');
	return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

// A line at the foot of the page that says what was done, and goes away with the next thing.
export function tell(text, bad) {
	$('#done')?.remove();
	document.body.append(h(bad ? 'p.worse' : 'p', { id: 'done', role: bad ? 'alert' : 'status' }, text));
}

const shown = (list) => (list.length === 1 ? list[0].benchmark : `${list.length} alerts`);

// One event an alert. Ids are made once: asked again after a broken connection, nothing is done twice.
async function send(alerts, body, ids) {
	for (const a of alerts) {
		if (ids.has(a.id) && ids.get(a.id).done) continue;
		if (!ids.has(a.id)) ids.set(a.id, { key: eventId() });
		const answer = await post(`/api/v1/alerts/${encodeURIComponent(a.id)}/events`, {
			...body,
			event_id: ids.get(a.id).key,
		});
		if (!answer) return false;
		ids.get(a.id).done = true;
	}
	return true;
}

function done(action, alerts) {
	tell(`${action.label}: ${shown(alerts)}.`);
	dispatchEvent(new CustomEvent('state'));
}

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

function input(f, preset, alerts) {
	const attrs = { name: f.name, required: f.required, placeholder: f.hint, 'aria-label': f.label };

	if (f.kind === 'text') return h('textarea', { ...attrs, rows: 4, maxlength: 20000 });
	if (f.kind === 'alert' && alerts.length > 1)
		// one of those at hand takes the others
		return h(
			'select',
			{ name: f.name, 'aria-label': f.label },
			alerts.map((a) => h('option', { value: a.id }, `${a.benchmark}, ${a.from} to ${a.to}`)),
		);
	if (f.kind === 'check') return h('input', { type: 'checkbox', name: f.name });
	const el = h('input', {
		...attrs,
		type: f.kind === 'date' ? 'date' : f.kind === 'url' ? 'url' : 'text',
		autocomplete: 'off',
		spellcheck: 'false',
	});
	if (preset) el.value = preset;
	return el;
}

// What the form says, as the API takes it: what is empty is left out, but for what an assignment takes away.
function bodyOf(action, form) {
	const body = { action: action.action };

	for (const f of action.fields) {
		const el = form.elements[f.name];
		const v = el.value.trim();

		if (f.kind === 'check') {
			if (el.checked) body[f.name] = true;
		} else if (f.kind === 'date') {
			if (v) body[f.name] = `${v}T00:00:00Z`;
		} else if (v) body[f.name] = f.kind === 'alert' ? (UUID.exec(v)?.[0] ?? v) : v;
		else if (f.name === 'assignee') body.assignee = null;
	}
	return body;
}

function fieldRow(f, preset, alerts) {
	const el = input(f, preset, alerts);
	return f.kind === 'check' ? h('label.check', el, ` ${f.label}`) : h('label.field', f.label, el);
}

async function presets(action, alerts) {
	const me = action.fields.some((f) => f.me) ? await who() : null;
	const one = alerts.length === 1 ? alerts[0] : {};

	return {
		assignee: one.assignee ?? me?.name,
		due_at: one.due_at?.slice(0, 10),
		from: action.one && one.from,
		to: action.one && one.to,
	};
}

async function askFor(action, alerts, given, extra) {
	const preset = { ...(await presets(action, alerts)), ...given };
	const wrong = h('div.worse', { role: 'alert' });
	const ids = new Map();
	const form = h(
		'form',
		{ method: 'dialog' },
		action.about ? h('p', action.about) : null,
		action.fields.map((f) => fieldRow(f, preset[f.name], alerts)),
		wrong,
		h(
			'p.buttons',
			h('button', { type: 'submit' }, action.label),
			h('button.plain', { type: 'button', onclick: () => dialog.close() }, 'Cancel'),
		),
	);
	const dialog = h(
		'dialog.act',
		{ id: 'act', 'aria-labelledby': 'act-title' },
		h('h2', { id: 'act-title' }, `${action.label}: `, h('span.k', shown(alerts))),
		form,
	);

	form.addEventListener('submit', async (e) => {
		e.preventDefault();
		replace(wrong);
		try {
			const body = { ...bodyOf(action, form), ...extra };
			const others = alerts.filter((a) => a.id !== body.into);

			if (!(await send(others, body, ids))) return;
			dialog.close();
			done(action, others);
		} catch (error) {
			replace(wrong, wrongText(error));
		}
	});
	dialog.addEventListener('close', () => dialog.remove());
	$('#act')?.remove();
	document.body.append(dialog);
	dialog.showModal();
}

// Does it to all of the alerts that it is for.
export async function act(action, alerts, given, extra) {
	const list = alerts.filter((a) => allowed(action, a));

	if (!list.length) {
		tell(
			`${action.label}: not for ${alerts.length === 1 ? `what is ${alerts[0].state}` : 'any of these'}.`,
			true,
		);
		return;
	}
	if (action.fields.length) {
		await askFor(action, list, given, extra);
		return;
	}
	try {
		if (await send(list, { action: action.action }, new Map())) done(action, list);
	} catch (e) {
		tell(e.message, true);
	}
}

// Buttons for these alerts; `list` says which they are when one is pressed.
export function actionBar(alerts, { bulk = false } = {}) {
	return h(
		'div.actions',
		{ role: 'toolbar', 'aria-label': bulk ? 'Decide of the selected alerts' : 'Decide' },
		ACTIONS.filter((a) => !(bulk && a.one) && alerts.some((one) => allowed(a, one))).map((a) =>
			h(
				'button',
				{
					type: 'button',
					'data-action': a.action,
					title: a.key ? `${a.about ?? a.label} (key ${a.key})` : a.about,
					onclick: () => act(a, alerts),
				},
				a.label,
			),
		),
	);
}
