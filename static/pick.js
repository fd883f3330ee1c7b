// SPDX-License-Identifier: GPL-2.0-or-later
// What a page shows when nobody asked for anything: the selection with most in it, real machines before generated ones.

import { catalogue, get, list } from './api.js';
import { Query } from './query.js';
import { isGenerated } from './views.js';

// machine -> Map(kernel name -> KERNEL), from the newest runs
async function kernelsByMachine(query, signal) {
	const runs = await list(
		'runs',
		query.only('machine', 'uarch', 'isa', 'thp', 'base_page_kib', 'track').toString(),
		3000,
		signal,
	);
	const by = new Map();

	for (const r of runs) {
		if (!by.has(r.machine)) by.set(r.machine, new Map());
		by.get(r.machine).set(r.kernel.name, { ...r.kernel, thp: r.thp });
	}
	return { by, runs };
}

async function ordered() {
	const at = new Map((await catalogue('kernels', 'order=1')).map((k, i) => [k.name, i]));
	return (a, b) => (at.get(a.name) ?? 1e9) - (at.get(b.name) ?? 1e9);
}

const UNDECIDED = new Set(['new', 'acknowledged', 'reported', 'fix-posted']);
const size = (a) => Math.abs(Math.log1p(Math.max(a.worst_percent ?? 0, -99.999) / 100));

// Open regressions, the largest first: what somebody who asks for nothing comes for. Without alerts there is enough to show.
async function regressions(query, signal) {
	const asked = query.only('benchmark', 'machine', 'uarch', 'thp', 'track').with('kind', 'regression').with('limit', 200);
	const { alerts } = await get(asked.url('/api/v1/alerts'), signal).catch((e) => {
		if (e.name === 'AbortError') throw e;
		return { alerts: [] };
	});

	return alerts.filter((a) => UNDECIDED.has(a.state)).sort((a, b) => size(b) - size(a));
}

const isVariantOf = (k, base) => Boolean(k.variant) && k.variant.base.replace(/^v/, '') === base.name;

// base, head and, where there is one, the variant that shows the cause
function threeOf(kernels, order) {
	const all = [...kernels.values()].sort(order);
	const plain = all.filter((k) => !k.variant);
	const fix = all.findLast((k) => plain.some((p) => isVariantOf(k, p)));
	const same = (k) => plain.filter((p) => p.track === k.track);

	if (fix) {
		const head = plain.find((p) => isVariantOf(fix, p));
		const before = same(head)
			.filter((p) => order(p, head) < 0)
			.at(-1);
		return [before, head, fix].filter(Boolean);
	}
	const tracks = [...new Set(plain.map((k) => k.track))].sort(
		(a, b) => same({ track: b }).length - same({ track: a }).length,
	);
	return same({ track: tracks[0] }).slice(-2);
}

// The two kernels between which a regression came, where both were run
function twoOf(alert, kernels) {
	const two = [kernels.get(alert.from), kernels.get(alert.to)];
	return two.every(Boolean) ? two : null;
}

// numeric parameters with three values or more, by what the sweep's lines have in common
function sweepable(series) {
	const groups = new Map();

	for (const s of series)
		for (const [name, v] of Object.entries(s.params ?? {}))
			if (typeof v === 'number') {
				const key = JSON.stringify([s.benchmark, s.metric, s.machine, s.thp, name]);
				if (!groups.has(key))
					groups.set(key, {
						benchmark: s.benchmark,
						metric: s.metric,
						machine: s.machine,
						thp: s.thp,
						axis: name,
						values: new Set(),
					});
				groups.get(key).values.add(v);
			}
	return [...groups.values()].filter((g) => g.values.size > 2);
}

const realFirst = (g) => (isGenerated(g.machine) ? 0 : 1e6);

// Fills in what the sweep needs and the URL does not say; null where there is nothing to choose from.
export async function bestSweep(query, signal) {
	const [series, { by }, order] = await Promise.all([
		list(
			'series',
			query
				.only('benchmark', 'metric', 'machine', 'uarch', 'isa', 'thp', 'base_page_kib', 'param.*')
				.toString(),
			3000,
			signal,
		),
		kernelsByMachine(query, signal),
		ordered(),
	]);
	const worst = await regressions(query, signal);
	const more = worst.length ? await list('series', new Query([['benchmark', worst[0].benchmark]]).toString(), 1000, signal) : [];
	const axis = query.get('axis');
	const groups = sweepable([...series, ...more])
		.filter((g) => !axis || g.axis === axis)
		.map((g) => {
			const kernels = by.get(g.machine) ?? new Map();
			const at = worst.findIndex((a) => a.benchmark === g.benchmark && a.machines.includes(g.machine) && twoOf(a, kernels));
			const three = threeOf(kernels, order);
			return {
				...g,
				three: at >= 0 && three.length < 3 ? twoOf(worst[at], kernels) : three,
				score:
					realFirst(g) +
					three.length * 1e4 +
					(at >= 0 ? 6e3 - at : 0) +
					Math.min(kernels.size, 50) * 100 +
					Math.min(g.values.size, 50),
			};
		})
		.sort((a, b) => b.score - a.score);
	const best = groups[0];

	if (!best) return query.has('axis') ? null : query.with('axis', 'size_kib');
	let out = query;
	if (!axis) out = new Query([['axis', best.axis], ...out.entries]);
	if (!query.has('kernel')) for (const k of best.three) out = out.add('kernel', k.name);
	// what is narrowed already stays as wide as it was asked for
	if (!query.has('kernel') && !query.has('machine') && !query.has('uarch'))
		out = out.with('benchmark', query.get('benchmark') ?? best.benchmark).with('machine', best.machine);
	else if (!query.has('benchmark')) out = out.with('benchmark', best.benchmark);
	return out;
}

// The two neighbours of a track with most machines and THP modes in common; with a variant of the later one as fix.
/**
 * @param {Query} query
 * @param {AbortSignal} signal
 * @param {{fix?: boolean}} [wanted]
 */
export async function bestPair(query, signal, { fix } = {}) {
	const [{ runs }, order] = await Promise.all([kernelsByMachine(query, signal), ordered()]);
	const places = new Map();

	for (const r of runs) {
		if (!places.has(r.kernel.name)) places.set(r.kernel.name, { kernel: r.kernel, at: new Set() });
		places.get(r.kernel.name).at.add(`${r.machine} ${r.thp}`);
	}
	const all = [...places.values()].sort((a, b) => order(a.kernel, b.kernel));
	const plain = all.filter((p) => !p.kernel.variant);
	/** @type {any} */
	let best = null;

	plain.forEach((head, i) => {
		const base = plain
			.slice(0, i)
			.findLast((p) => p.kernel.track === head.kernel.track && [...p.at].some((a) => head.at.has(a)));
		if (!base) return;
		const common = [...head.at].filter((a) => base.at.has(a));
		// of as many the newest of mainline
		const score =
			common.reduce((n, a) => n + (isGenerated(a) ? 1 : 100), 0) + (head.kernel.track === 'mainline' ? 0.5 : 0) + i / 1e5;
		if (!best || score > best.score) best = { score, base, head };
	});
	if (!best) return null;
	const shared = (p) => [...p.at].filter((a) => best.head.at.has(a) && best.base.at.has(a)).length;
	const variant =
		fix &&
		all
			.filter((p) => isVariantOf(p.kernel, best.head.kernel) && shared(p))
			.sort((a, b) => shared(b) - shared(a))[0];
	return new Query([
		['base', best.base.kernel.name],
		['head', best.head.kernel.name],
		...(variant ? [['fix', variant.kernel.name]] : []),
		...query.without('base', 'head', 'fix').entries,
	]);
}

// The machine with most kernels, of as many one with a large regression, and that; else what it runs in most sizes.
export async function bestTrend(query, signal) {
	const [{ by }, worst] = await Promise.all([kernelsByMachine(query, signal), regressions(query, signal)]);
	const first = (name) => {
		const at = worst.findIndex((a) => a.machines.includes(name));
		return at < 0 ? Infinity : at;
	};
	const machine = [...by]
		.map(([name, kernels]) => ({ name, n: [...kernels.values()].filter((k) => !k.variant).length, at: first(name) }))
		.sort((a, b) => b.n - a.n || a.at - b.at)[0]?.name;

	if (!machine) return null;
	const told = worst[first(machine)]?.benchmark;
	if (told && !query.has('benchmark')) return new Query([['benchmark', told], ['machine', machine], ...query.without('machine').entries]);
	const series = await list('series', new URLSearchParams({ machine }).toString(), 2000, signal);
	const count = new Map();
	for (const s of series) count.set(s.benchmark, (count.get(s.benchmark) ?? 0) + 1);
	const benchmark = query.get('benchmark') ?? [...count].sort((a, b) => b[1] - a[1])[0]?.[0];
	return benchmark
		? new Query([
				['benchmark', benchmark],
				['machine', machine],
				...query.without('benchmark', 'machine').entries,
			])
		: null;
}
