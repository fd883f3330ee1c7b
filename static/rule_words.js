// SPDX-License-Identifier: GPL-2.0-or-later
// Rules and selectors in words.

import * as f from './format.js';

// "benchmark mm/* or mprotect/*, thp always"; "" where it is everything
export const selectorText = (selector) =>
	Object.entries(selector ?? {})
		.map(([name, v]) => `${name} ${[v].flat().join(' or ')}`)
		.join(', ');

const WAYS = { worse: ' for the worse', better: ' for the better' };

function limits(rule) {
	const unit = rule.unit ?? '';
	const one = (word, v) => (v === null ? [] : [`${word} ${f.value(v, unit) || f.significant(v)}`]);

	return [...one('above', rule.above), ...one('below', rule.below)].join(' or ');
}

// What has to happen: "a change of at least 5 %, with at least weak confidence"
export function ruleWhat(rule) {
	if (rule.kind === 'limit') return `values ${limits(rule)}, told when they cross it`;
	const sure = rule.confidence === 'none' ? '' : `, with at least ${rule.confidence} confidence`;
	const least = `${f.tidy(rule.percent)}\u202f%`;

	return rule.kind === 'baseline'
		? `worse than ${rule.baseline} by at least ${least}${sure}`
		: `a change of at least ${least}${WAYS[rule.direction] ?? ''}${sure}`;
}
