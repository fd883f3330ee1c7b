// SPDX-License-Identifier: GPL-2.0-or-later
// The log of `nsecwatch bisect`, and what its boots come to: the same as its own pictures and tables have.

const SIDES = ['good', 'bad'];

const mean = (list) => list.reduce((sum, v) => sum + v, 0) / list.length;
const positive = (v) => typeof v === 'number' && v > 0;
const boots = (b, n) => Array.isArray(b) && b.every((x) => [x.n, x.sum].every((l) => Array.isArray(l) && l.length === n && l.every(positive)));

// The text of a file as a log; an error says why it is none.
export function parse(text) {
	let log;

	try {
		log = JSON.parse(text);
	} catch (e) {
		throw new Error(`It is no JSON: ${e.message}.`);
	}
	if (log?.schema !== 'nsecwatch.bisect/1') throw new Error('It is not the log of a bisection: "schema" is not "nsecwatch.bisect/1".');
	const n = log.series?.length;
	const whole =
		n > 0 &&
		SIDES.every((s) => typeof log[s]?.kernel === 'string' && log[s].boots?.length && boots(log[s].boots, n)) &&
		Array.isArray(log.steps) &&
		log.steps.every((s) => typeof s.kernel === 'string' && typeof s.state === 'string' && boots(s.boots, n)) &&
		Array.isArray(log.log);
	if (!whole) throw new Error('Something of it is missing: boots, series, steps or their numbers.');
	return log;
}

// Logarithm of a boot, of what is worse when higher: the mean over the series.
const level = (log, boot) => mean(log.series.map((s, i) => (s.better === 'higher' ? -1 : 1) * Math.log(boot.sum[i] / boot.n[i])));
const toPercent = (x) => (Math.exp(x) - 1) * 100;

// How sure a judgement is, in percent; null: there is none.
export function sure(step) {
	const bad = 1 / (1 + Math.exp(-step.ratio));

	return step.ratio === null ? null : step.state === 'bad' ? bad * 100 : step.state === 'good' ? (1 - bad) * 100 : null;
}

// Never all: "> 99.99".
export const sureText = (p) => (p === null ? '' : `${p > 99.99 ? '> 99.99' : p.toFixed(2)}\u2009%`);

// {bad, noise, rows: [{name, kernel, state, baseline, sure, percents, level}]}: levels are percent against the good one.
export function levels(log) {
	const good = mean(log.good.boots.map((b) => level(log, b)));
	const row = (more, list) => ({ ...more, percents: list.map((b) => toPercent(level(log, b) - good)), level: list.length ? toPercent(mean(list.map((b) => level(log, b))) - good) : null });
	const rows = [
		...SIDES.map((s) => row({ name: log[s].kernel, kernel: log[s].kernel, state: s, baseline: true, sure: null }, log[s].boots)),
		...log.steps.map((s) => row({ name: s.commit ? s.commit.slice(0, 12) : s.kernel, kernel: s.kernel, state: s.state, sure: sure(s) }, s.boots)),
	];
	const groups = SIDES.map((s) => rows.filter((r) => r.state === s).flatMap((r) => r.percents));
	const squares = groups.flatMap((g) => g.map((v) => (v - mean(g)) ** 2));

	return { bad: rows[1].level, noise: squares.length > 2 ? Math.sqrt(squares.reduce((a, b) => a + b, 0) / (squares.length - 2)) : null, rows };
}
