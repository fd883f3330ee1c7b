// SPDX-License-Identifier: GPL-2.0-or-later
// By what alerts are raised: rules, what is muted, and which machines are expected to send.

import { list } from './api.js';
import { $, h, replace } from './dom.js';
import * as f from './format.js';
import { own } from './keys.js';
import { expectationsSection } from './rules_expect.js';
import { explainSection, loadExplained } from './rules_explain.js';
import { mutesSection } from './rules_mute.js';
import { editRule, rulesSection } from './rules_rule.js';
import { sessionBox } from './session.js';

async function load(query, signal) {
	const [explained, rules, mutes, expectations] = await Promise.all([
		loadExplained(query, signal),
		...['rules', 'mutes', 'expectations'].map((name) => list(name, '', 5000, signal)),
	]);
	return { explained, rules, mutes, expectations };
}

// "2 rules in force, 1 off; 1 mute; 1 of 3 expected machines is silent."
function sentence({ rules, mutes, expectations }) {
	const off = rules.filter((r) => !r.enabled).length;
	const muted = mutes.filter((m) => m.active).length;
	const silent = expectations.filter((x) => x.alert || x.late).length;
	const on = rules.length - off;

	return [
		`${on ? f.plural(on, 'rule') : 'No rule'} in force${off ? `, ${off} off` : ''}`,
		muted ? f.plural(muted, 'mute') : 'nothing muted',
		silent
			? `${silent} of ${f.plural(expectations.length, 'expectation')} ${silent === 1 ? 'is' : 'are'} not met`
			: expectations.length
				? `${f.plural(expectations.length, 'expectation')}, all met`
				: 'nothing expected',
	].join('; ');
}

// On the row that j and k are on
function press(kind) {
	const row = $('tr[aria-selected=true][data-rule]');

	if (row) $(`#${kind}-${row.dataset.rule}`)?.click();
}

function pageKeys() {
	own.clear();
	own.set('a', { text: 'a new rule', run: () => editRule(null) });
	own.set('d', { text: 'dry run of the rule of the row', run: () => press('dry') });
	own.set('e', { text: 'edit the rule of the row', run: () => press('edit') });
}

function render(data, query, onLeave) {
	const at = document.activeElement?.id;

	document.title = 'Rules - nsecwatch';
	replace(
		$('#what'),
		h('a', { href: '/alerts' }, 'alerts'),
		' \u00b7 ',
		h('a', { href: '#explain' }, 'why, why not'),
		' \u00b7 ',
		h('a', { href: '#mutes' }, 'mutes'),
		' \u00b7 ',
		h('a', { href: '#expectations' }, 'expectations'),
		' \u00b7 ',
		sessionBox(),
	);
	pageKeys();
	onLeave(() => own.clear());
	replace($('#head'), h('h1', `${sentence(data)}.`));
	replace($('#view'), rulesSection(data.rules), explainSection(query, data.explained), mutesSection(data.mutes), expectationsSection(data.expectations));
	// what was pressed is still what Enter presses
	if (at) document.getElementById(at)?.focus();
	else if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

export const view = { resource: 'rules', forms: (query) => query.only(), load, render };
