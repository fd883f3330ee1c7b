// SPDX-License-Identifier: GPL-2.0-or-later
// Why a verdict is what it is: a small button beside it, and a dialog with the sentence and the numbers behind it.

import { get } from './api.js';
import { $, h, replace } from './dom.js';
import * as f from './format.js';

// One answer with explain=1 serves all its buttons; it is asked for at the first click.
export function asker(url) {
	let answer;

	return () =>
		(answer ??= get(url).catch((e) => {
			answer = undefined;
			throw e;
		}));
}

const words = (name) => name.replaceAll('_', ' ').replace(/ percent$/, ', %');

// A variance of a logarithm as the deviation that it is: percent
const deviation = (v) => f.percent(Math.sqrt(v) * 100, false);

function varianceTable(why) {
	const total = why.variances.reduce((sum, v) => sum + (v.variance ?? 0), 0);

	if (!(total > 0)) return null;
	return h(
		'table.data.narrow',
		h(
			'thead',
			h(
				'tr',
				h('th', { scope: 'col' }, 'noise'),
				['deviation', 'share', 'df'].map((t) => h('th.num', { scope: 'col' }, t)),
			),
		),
		h(
			'tbody',
			why.variances.map((v) =>
				h(
					'tr',
					h('th.wrap', { scope: 'row' }, v.about),
					h('td.num', deviation(v.variance)),
					h('td.num', f.percent((v.variance / total) * 100, false)),
					h('td.num', v.assumed ? 'assumed' : v.df === null ? '' : f.tidy(v.df)),
				),
			),
			h(
				'tr',
				h('th.wrap', { scope: 'row' }, 'standard error'),
				h('td.num', deviation(total)),
				h('td'),
				h('td'),
			),
		),
	);
}

function facts(why) {
	const t = why.thresholds;
	const rows = [
		['noise known from', why.source ?? 'nowhere'],
		...Object.entries(why.inputs)
			.filter(([, v]) => v !== null)
			.map(([k, v]) => [words(k), f.significant(v, 4)]),
		why.family && ['q is over', `${f.plural(why.family.size, 'test')}: ${why.family.about}`],
		[
			'thresholds',
			`weak: q \u2264 ${t.q_weak}, strong: q \u2264 ${t.q_strong}; a change: at least ${f.percent(t.claim_percent, false)}; unchanged: the interval within ${f.percent(t.unchanged_percent, false)}`,
		],
	].filter(Boolean);

	return h(
		'dl.facts',
		rows.map(([k, v]) => [h('dt', k), h('dd', v)]),
	);
}

// One explanation, or several under titles of their own.
function section([title, why]) {
	return h(
		'section',
		title ? h('h3', title) : null,
		h('p.text', f.typeset(why.text)),
		varianceTable(why),
		h('details', h('summary', 'Numbers'), facts(why)),
	);
}

function dialog() {
	let el = $('#why');

	if (!el) {
		el = h('dialog', { id: 'why', 'aria-labelledby': 'why-title' });
		// a click beside it closes it, as Esc does
		el.addEventListener('click', (e) => e.target === el && el.close());
		document.body.append(el);
	}
	return el;
}

async function open(title, parts, also) {
	const el = dialog();
	const body = h('div', h('p.dim', '\u2026'));

	replace(
		el,
		h(
			'div.top',
			h('h2', { id: 'why-title' }, 'Why: ', title),
			h('form', { method: 'dialog' }, h('button.plain', { autofocus: true }, 'Close')),
		),
		body,
	);
	el.showModal();
	try {
		const list = await parts();

		replace(
			body,
			list.length
				? list.map(section)
				: h('p', 'The data has changed since this page was made: load it again.'),
		);
		if (also) body.append(await also());
	} catch (e) {
		body.append(h('p', { role: 'alert' }, e.message));
	}
	el.dataset.shown = 'yes';
}

// The parts of a ratio's explanation: its costs apart, and all sizes together.
export function costParts(ratio) {
	const titles = [
		['per_unit', `Per ${ratio?.per}`],
		['fixed', 'Fixed cost'],
		['overall', 'All sizes together'],
	];
	return titles.filter(([k]) => ratio?.[k]?.why).map(([k, title]) => [title, ratio[k].why]);
}

// parts: asynchronous, [[title, why]]; title: what the verdict is about; also: asynchronous, a node below them
export function whyButton(title, parts, also) {
	return h(
		'button.why',
		{
			type: 'button',
			'aria-haspopup': 'dialog',
			'aria-label': `Why: ${title}`,
			onclick: (e) => {
				e.stopPropagation();
				delete dialog().dataset.shown;
				open(title, parts, also);
			},
		},
		'why',
	);
}
