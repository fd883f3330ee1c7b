// SPDX-License-Identifier: GPL-2.0-or-later
// Rules on their page: the table, the form that makes or changes one, its dry run.

import { catalogue } from './api.js';
import { $, h, replace } from './dom.js';
import { area, check, choice, completed, field, formDialog, line, numberOf, textOf, wrongText } from './form.js';
import * as f from './format.js';
import { ruleWhat, selectorText } from './rule_words.js';
import { dryResult, dryRun } from './rules_dry.js';
import { addButton, button, changed } from './rules_parts.js';
import { selectorField, selectorOf } from './selector.js';
import { change } from './session.js';
import { emptyState, table } from './views.js';

const KINDS = [
	['step', 'step: a kernel differs from the one before it'],
	['limit', 'limit: values cross a line'],
	['baseline', 'baseline: never worse than one kernel'],
];

const kernels = async () => (await catalogue('kernels', 'order=1')).map((k) => k.name).reverse();

const path = (rule) => `/api/v1/rules/${encodeURIComponent(rule.id)}`;

// ---- the form ----

// What only some kinds have; the others do not send it
const OF_KIND = {
	percent: ['step', 'baseline'],
	direction: ['step'],
	confidence: ['step', 'baseline'],
	above: ['limit'],
	below: ['limit'],
	unit: ['limit'],
	baseline: ['baseline'],
};

function kindFields(rule) {
	const num = { inputmode: 'decimal' };
	const fields = {
		percent: field('At least, in %', line('percent', rule?.percent ?? 5, num)),
		direction: field(
			'Direction',
			choice('direction', rule?.direction ?? 'both', [
				['both', 'both'],
				['worse', 'for the worse'],
				['better', 'for the better'],
			]),
		),
		confidence: field(
			'Confidence, at least',
			choice('confidence', rule?.confidence ?? 'weak', [
				['weak', 'weak'],
				['strong', 'strong'],
				['none', 'none'],
			]),
		),
		above: field('Above', line('above', rule?.above, num)),
		below: field('or below', line('below', rule?.below, num)),
		unit: field('Unit', line('unit', rule?.unit, { placeholder: 'us' }), 'empty: as it is stored, of any unit'),
		baseline: field('Kernel', completed(line('baseline', rule?.baseline, { placeholder: '6.12' }), kernels)),
	};

	return { fields, show: (kind) => Object.keys(fields).forEach((k) => (fields[k].hidden = !OF_KIND[k].includes(kind))) };
}

function ruleOf(form) {
	const el = form.elements;
	const kind = el.kind.value;
	const body = {
		name: el.name.value.trim(),
		kind,
		selector: selectorOf(el.selector.value),
		tell: el.tell.value.split('\n').map((l) => l.trim()).filter(Boolean),
		note: textOf(el.note),
		enabled: el.enabled.checked,
	};
	const read = { percent: numberOf, above: numberOf, below: numberOf };

	for (const [name, kinds] of Object.entries(OF_KIND))
		if (kinds.includes(kind)) body[name] = (read[name] ?? textOf)(el[name]);
	return body;
}

export function editRule(rule) {
	const kind = choice('kind', rule?.kind ?? 'step', KINDS);
	const { fields, show } = kindFields(rule);
	const result = h('div', { 'aria-live': 'polite' });

	kind.addEventListener('change', () => show(kind.value));
	show(kind.value);
	formDialog({
		id: 'rule-form',
		title: rule ? ['Rule ', h('bdi', rule.name)] : 'New rule',
		body: [
			rule?.origin === 'file'
				? h('p.note-generated', 'This rule comes from a file: loading the file again makes it as the file says.')
				: null,
			field('Name', line('name', rule?.name, { required: true, maxlength: 200 })),
			field('Fires at', kind),
			h('div.together', Object.values(fields)),
			selectorField(rule?.selector, 'Of which series (nothing: of all)'),
			field('Tell', area('tell', (rule?.tell ?? []).join('\n')), 'beside those of the benchmark; one address, or name of a webhook, a line'),
			field('Note', area('note', rule?.note, { maxlength: 2000 })),
			check('in force', h('input', { type: 'checkbox', name: 'enabled', checked: rule?.enabled ?? true })),
		],
		label: rule ? 'Save' : 'Add',
		submit: async (form) => {
			const body = ruleOf(form);
			const answer = await change(rule ? path(rule) : '/api/v1/rules', { method: rule ? 'PUT' : 'POST', body });
			return answer && changed(`Rule ${answer.rule.name} is ${rule ? 'changed' : 'made'}.`);
		},
		also: (form, attempt) =>
			h(
				'button',
				{
					type: 'button',
					name: 'dry',
					onclick: () =>
						attempt(async () => {
							replace(result, h('p.dim', 'Looking at all that was measured \u2026'));
							let answer = null;
							try {
								answer = await dryRun(ruleOf(form));
							} finally {
								replace(result, answer ? dryResult(answer) : null);
							}
							result.scrollIntoView({ block: 'nearest' });
						}),
				},
				'Dry run',
			),
		foot: result,
	});
}

export function removeRule(rule) {
	formDialog({
		id: 'rule-remove',
		title: ['Remove the rule ', h('bdi', rule.name)],
		body: h('p', 'It raises no alert any more. What it has raised stays, and so does what is kept of it in the audit trail.'),
		label: 'Remove',
		submit: async () => (await change(path(rule), { method: 'DELETE' })) && changed(`Rule ${rule.name} is removed.`),
	});
}

// What the list tells of a rule, as a body takes it
function bodyOf(rule) {
	const { name, kind, selector, tell: told, note, enabled } = rule;
	const own = Object.keys(OF_KIND).filter((k) => OF_KIND[k].includes(kind) && rule[k] !== null);

	return { name, kind, selector, tell: told, note: note ?? undefined, enabled, ...Object.fromEntries(own.map((k) => [k, rule[k]])) };
}

export async function tryRule(rule) {
	const body = h('div', { 'aria-live': 'polite' }, h('p.dim', 'Looking at all that was measured \u2026'));
	const dialog = h(
		'dialog.act',
		{ id: 'rule-dry', 'aria-labelledby': 'rule-dry-title' },
		h('h2', { id: 'rule-dry-title' }, 'Dry run of ', h('bdi', rule.name)),
		h('p', `${ruleWhat(rule)}, in `, h('bdi', selectorText(rule.selector) || 'anything'), '.'),
		body,
		h('form', { method: 'dialog' }, h('p.buttons', h('button', 'Close'))),
	);

	$('#rule-dry')?.remove();
	document.body.append(dialog);
	dialog.addEventListener('close', () => dialog.remove());
	dialog.showModal();
	try {
		const answer = await dryRun(bodyOf(rule));
		if (answer) replace(body, dryResult(answer));
		else dialog.close();
	} catch (e) {
		replace(body, h('div.worse', { role: 'alert' }, wrongText(e)));
	}
}

// ---- the table ----

const at = (text, never) => (text ? h('td', { title: f.time(text) }, f.day(text)) : h('td.dim', never));

function row(r) {
	return h(
		'tr',
		{ 'data-rule': r.id, 'data-off': !r.enabled },
		h(
			'th.wrap',
			{ scope: 'row', title: r.note },
			h('bdi', r.name),
			r.enabled ? '' : h('b.dim', ' off'),
			r.origin === 'api' ? '' : h('span.dim', r.origin === 'file' ? ' from a file' : ' built in'),
		),
		h('td.wrap', ruleWhat(r)),
		h('td.wrap', h('bdi', selectorText(r.selector) || 'anything')),
		h('td.wrap.few', h('bdi', r.tell.join(', '))),
		at(r.last_matched_at, r.enabled ? 'not yet' : ''),
		at(r.last_fired_at, r.enabled ? 'never' : ''),
		h(
			'td.doing',
			button(`dry-${r.id}`, 'dry run', `Dry run of ${r.name}`, () => tryRule(r)),
			' ',
			button(`edit-${r.id}`, 'edit', `Edit ${r.name}`, () => editRule(r)),
			' ',
			button(`remove-${r.id}`, 'remove', `Remove ${r.name}`, () => removeRule(r)),
		),
	);
}

export function rulesSection(rules) {
	return h(
		'section',
		{ id: 'rules' },
		rules.length
			? table({
					id: 'rules-table',
					heads: [
						'rule',
						'fires at',
						'of',
						{ text: 'also tells', title: 'beside those of the benchmark' },
						{ text: 'matched', title: 'when it last looked at something of its series' },
						{ text: 'fired', title: 'when it last raised an alert' },
						'',
					],
					rows: rules.map(row),
				})
			: emptyState('No rule, so no alert', 'Changes are found and shown, but nobody is told. Make a rule: a change of at least 5 %, of any series, is where to begin.'),
		addButton('add-rule', 'New rule', () => editRule(null)),
	);
}
