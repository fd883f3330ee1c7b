// SPDX-License-Identifier: GPL-2.0-or-later
// Sentences built from the facts of a sweep: what got slower, from where on, by how much, and how sure that is.

import { tag, typeset } from './format.js';

// lower, higher or neither is good: the comparison says it, else the unit does
export function betterOf(unit, rows) {
	return (
		rows?.find((r) => r.better)?.better ??
		(/^(ns|us|ms|s)(\/|$)/.test(unit ?? '') ? 'lower' : /\/s$/.test(unit ?? '') ? 'higher' : 'neutral')
	);
}

const name = (line) => tag(line.kernel);

// A fix takes something out of, or puts something on, a kernel that is shown too.
export function fixName(kernel) {
	const v = kernel.variant;

	if (!v) return tag(kernel);
	if (v.reverts?.length && !v.applies?.length)
		return `The revert of ${v.reverts.map((r) => r.slice(0, 12)).join(', ')}`;
	if (v.applies?.length && !v.reverts?.length)
		return `The patch ${v.applies.map((a) => `\u201c${a.title ?? a.url}\u201d`).join(', ')}`;
	return tag(kernel);
}

// Which way it went: "worse", "better", or "" where nothing lasting is there or nobody says what is good.
function sideOf(ratio, better) {
	if (ratio.onset === null || ratio.onset === undefined || better === 'neutral') return '';
	return ratio.points.at(-1).percent > 0 === (better === 'lower') ? 'worse' : 'better';
}

// What is said where there is nothing to compare.
function apart(base, head, ratio) {
	if (!base) return 'Nothing was measured.';
	if (!head) return `${name(base)} alone: choose a second kernel to compare.`;
	if (ratio) return typeset(ratio.statement);
	return base.unit === head.unit
		? `${name(base)} and ${name(head)} have nothing in common to compare.`
		: `${name(base)} is in ${base.unit}, ${name(head)} in ${head.unit}: not to be compared.`;
}

// {statement, side, facts[{text, ratio}]} of one panel whose lines are kernels. The server's sentences, set in type.
export function sweepStory(lines, ratios, better) {
	const [base] = lines;
	// a kernel has a line of each unit
	const [head, ...more] = lines.filter((l) => l.kernel.name !== base.kernel.name);
	const ratioOf = (line) => ratios.find((r) => r.kernel.name === line.kernel.name);
	const ratio = head && ratioOf(head);
	const facts = [head, ...more]
		.filter(Boolean)
		.map((line) => ({ ratio: ratioOf(line), line }))
		.filter((o) => o.ratio && (o.line === head ? o.ratio.cost : o.ratio.sentence))
		.map((o) => ({ ...o, text: typeset(o.line === head ? o.ratio.cost : o.ratio.sentence) }));

	if (!ratio?.points.length)
		return {
			statement: apart(base, head, ratio),
			side: '',
			facts: [],
		};
	return { statement: typeset(ratio.statement), side: sideOf(ratio, better), facts };
}

// What can be trusted: repetitions and boots behind the numbers. together: the sizes as one have verdicts.
export function trust(rows, together) {
	if (!rows.length) return '';
	const least = (k) => Math.min(...rows.flatMap((r) => [r.base[k], r.head[k]]));
	const most = (k) => Math.max(...rows.flatMap((r) => [r.base[k], r.head[k]]));
	const n = least('n');
	const boots = least('boots');

	if (most('n') === 1 && !rows.some((r) => r.change_ci))
		return `n = 1: one value a size and kernel, so no size alone has a verdict${together ? '; all of them together have' : ''}. Two more boots of each kernel would give one.`;
	const span = (a, b) => (a === b ? String(a) : `${a} to ${b}`);
	return (
		`${span(n, most('n'))} repetitions in ${span(boots, most('boots'))} boot${most('boots') === 1 ? '' : 's'} of each kernel` +
		(most('boots') === 1
			? ': repetitions of one boot are correlated, so no verdict here is stronger than weak.'
			: '.')
	);
}
