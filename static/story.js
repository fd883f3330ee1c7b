// SPDX-License-Identifier: GPL-2.0-or-later
// Sentences built from the facts of a sweep: what got slower, from where on, by how much, and how sure that is.

import { percent, position, range, tag, unitOfParam } from './format.js';

// lower, higher or neither is good: the comparison says it, else the unit does
export function betterOf(unit, rows) {
	return (
		rows?.find((r) => r.better)?.better ??
		(/^(ns|us|ms|s)(\/|$)/.test(unit ?? '') ? 'lower' : /\/s$/.test(unit ?? '') ? 'higher' : 'neutral')
	);
}

export function word(p, better, unit) {
	if (/^(ns|us|ms|s)(\/|$)/.test(unit ?? '')) return p > 0 ? 'slower' : 'faster';
	return better === 'neutral'
		? p > 0
			? 'higher'
			: 'lower'
		: p > 0 === (better === 'higher')
			? 'better'
			: 'worse';
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

export function fitChange(base, other) {
	if (!base?.fit || !other?.fit || !(base.fit.fixed > 0) || !(base.fit.per_unit > 0)) return null;
	const change = (k) => (other.fit[k] / base.fit[k] - 1) * 100;

	return {
		fixed: change('fixed'),
		per: change('per_unit'),
		unit: base.fit.unit,
		error: Math.max(base.fit.max_residual_percent, other.fit.max_residual_percent),
	};
}

// "per page +150 %, fixed cost +1.5 % (within the fit's error of 6.1 %)"
export function fitSentence(base, other) {
	const c = fitChange(base, other);

	if (!c) return '';
	const within = (p) =>
		Math.abs(p) <= c.error ? ` (within the fit\u2019s error of ${percent(c.error, false)})` : '';
	return `fixed cost ${percent(c.fixed)}${within(c.fixed)}, per ${c.unit} ${percent(c.per)}${within(c.per)}`;
}

// {statement, side, facts[]} of one panel whose lines are kernels; ratios are against the first
export function sweepStory(lines, ratios, axis, better) {
	const base = lines[0];
	const head = lines[1];
	const unit = axis.unit || unitOfParam(axis.name);
	const ratio = head && ratios.find((r) => r.kernel.name === head.kernel.name);

	if (!head || !ratio?.points.length)
		return {
			statement: base
				? `${name(base)} alone: choose a second kernel to compare`
				: 'Nothing was measured',
			side: '',
			facts: [],
		};
	const after =
		ratio.onset === null || ratio.onset === undefined
			? []
			: ratio.points.filter((p) => p.x >= ratio.onset);
	const all = ratio.points.map((p) => p.percent);
	const facts = [];
	let statement;
	let side = '';

	if (after.length) {
		const p = after.map((o) => o.percent).sort((a, b) => Math.abs(a) - Math.abs(b));
		const how = word(p[0], better, base.unit);
		const everywhere = ratio.onset === ratio.points[0].x;

		side = better === 'neutral' ? '' : p[0] > 0 === (better === 'lower') ? 'worse' : 'better';
		statement = `${name(head)} is ${how} than ${name(base)} ${everywhere ? 'at all sizes' : `from ${position(ratio.onset, unit)} up`}, by ${range(p[0], p.at(-1))}`;
	} else {
		statement = `${name(head)} against ${name(base)}: no lasting change, ${range(Math.min(...all), Math.max(...all))}`;
	}
	const fit = fitSentence(base, head);
	if (fit) facts.push(`The cost of ${name(head)} against ${name(base)}: ${fit}.`);
	facts.push(
		...lines
			.slice(2)
			.map((l) => restoredSentence(base, head, l, ratios))
			.filter(Boolean),
	);
	return { statement: statement + '.', side, facts };
}

// "The revert of cac1db8c3aad brings back 87 % per page; +19 % remains."
function restoredSentence(base, head, fix, ratios) {
	const a = fitChange(base, head);
	const b = fitChange(base, fix);

	if (a && b && Math.abs(a.per) > a.error)
		return `${fixName(fix.kernel)} brings back ${percent(((a.per - b.per) / a.per) * 100, false)} per ${a.unit}; ${percent(b.per)} remains.`;
	const h = ratios.find((r) => r.kernel.name === head.kernel.name)?.points.at(-1);
	const f = ratios.find((r) => r.kernel.name === fix.kernel.name)?.points.at(-1);
	return h && f && h.x === f.x && h.percent !== 0
		? `${fixName(fix.kernel)} brings back ${percent(((h.percent - f.percent) / h.percent) * 100, false)} at the largest size; ${percent(f.percent)} remains.`
		: '';
}

// What can be trusted: repetitions and boots behind the numbers.
export function trust(rows) {
	if (!rows.length) return '';
	const least = (k) => Math.min(...rows.flatMap((r) => [r.base[k], r.head[k]]));
	const most = (k) => Math.max(...rows.flatMap((r) => [r.base[k], r.head[k]]));
	const n = least('n');
	const boots = least('boots');

	if (most('n') === 1)
		return 'n = 1: one value a size and kernel, so there is no noise estimate, and no verdict. Two more boots of each kernel would give one.';
	const span = (a, b) => (a === b ? String(a) : `${a} to ${b}`);
	return (
		`${span(n, most('n'))} repetitions in ${span(boots, most('boots'))} boot${most('boots') === 1 ? '' : 's'} of each kernel` +
		(most('boots') === 1
			? ': repetitions of one boot are correlated, so no verdict here is stronger than weak.'
			: '.')
	);
}
