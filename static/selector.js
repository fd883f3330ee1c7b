// SPDX-License-Identifier: GPL-2.0-or-later
// Selectors of rules and mutes: as a sentence, and as text to edit, NAME=VALUE a line.

import { everything, typed } from './chips.js';
import { combo } from './combo.js';
import { h } from './dom.js';
import { area } from './form.js';
import { Query } from './query.js';

const ARGS = ['benchmark', 'metric', 'machine', 'uarch', 'isa', 'thp', 'base_page_kib', 'track'];

const pairs = (selector) =>
	Object.entries(selector ?? {}).flatMap(([name, v]) => [v].flat().map((value) => [name, value]));

// What the lines say; throws where one is none. Without a prototype: "__proto__" is a name as any other.
export function selectorOf(text) {
	const selector = Object.create(null);

	for (const one of text.split('\n').filter((l) => l.trim())) {
		const at = one.indexOf('=');

		if (at < 1) throw new Error(`"${one.trim()}": a selector is NAME=VALUE, as machine=milan-*`);
		(selector[one.slice(0, at).trim()] ??= []).push(one.slice(at + 1).trim());
	}
	return selector;
}

export function selectorField(selector, label) {
	const lines = pairs(selector).map(([name, value]) => `${name}=${value}`);
	const text = area('selector', lines.join('\n'), {
		rows: Math.min(8, Math.max(2, lines.length + 1)),
		spellcheck: 'false',
		placeholder: 'benchmark=mprotect/*\nthp=always',
		'aria-label': label,
	});
	const add = combo({
		label: 'Add to the selector',
		placeholder: 'Add: a name, or NAME=VALUE',
		options: () => everything(ARGS, new Query()),
		choose: ({ arg, value }) => {
			const had = text.value.trimEnd();
			text.value = `${had}${had ? '\n' : ''}${arg}=${value}\n`;
		},
		free: (one) => typed(one, ARGS),
	});

	return h(
		'div.field',
		label,
		text,
		add,
		h(
			'span.hint',
			'One NAME=VALUE a line, * stands for anything; lines of one name are alternatives, different names narrow. ' +
				`Names: ${ARGS.join(', ')}, param.NAME.`,
		),
	);
}
