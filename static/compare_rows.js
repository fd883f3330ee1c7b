// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of a comparison: which are shown, in which order, in which groups. No DOM: 3,000 rows are sorted between two frames.

import * as f from './format.js';

// Effect in units of noise; rows without a noise estimate come after all that have one, the largest change first.
export function effect(r) {
	if (!r.change_ci) return -1 / (1 + Math.abs(r.change_percent ?? 0));
	const half = (Math.log1p(r.change_ci[1] / 100) - Math.log1p(Math.max(-99.99, r.change_ci[0]) / 100)) / 2;
	return Math.abs(Math.log1p(r.change_percent / 100)) / Math.max(1e-9, half);
}

export const SHOW = {
	all: () => true,
	regression: (r) => r.verdict === 'regression',
	improvement: (r) => r.verdict === 'improvement',
	unchanged: (r) => r.verdict === 'unchanged',
	inconclusive: (r) => r.verdict === 'inconclusive',
	worse: (r) => r.direction === 'worse',
	better: (r) => r.direction === 'better',
};

const CONFIDENCE = { any: () => true, weak: (r) => r.confidence !== 'none', strong: (r) => r.confidence === 'strong' };

const last = (v) => v ?? -Infinity;
const SORT = {
	effect,
	change: (r) => last(r.change_percent),
	noise: (r) => last(r.noise_percent),
	detectable: (r) => last(r.detectable_percent),
	restored: (r) => last(r.restored_percent),
	remains: (r) => last(r.remaining_percent),
};
export const STANDARD = '-effect';

const params = new WeakMap();

// The numeric parameter that most rows have: what "size" means here
export function sizeParam(rows) {
	if (!params.has(rows)) params.set(rows, commonest(rows));
	return params.get(rows);
}

function commonest(rows) {
	const count = new Map();

	for (const r of rows)
		for (const [k, v] of Object.entries(r.params)) if (typeof v === 'number') count.set(k, (count.get(k) ?? 0) + 1);
	return [...count].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}

const FACTOR = { '': 1, kib: 1, k: 1, mib: 1024, m: 1024, gib: 1024 ** 2, g: 1024 ** 2 };

// "400", "400 KiB", "4 MiB" of a parameter in KiB; NaN: nothing of the kind
export function sizeOf(text, name) {
	const m = /^\s*([\d.]+)\s*([a-z]*)\s*$/i.exec(text ?? '');
	if (!m) return NaN;
	if (f.unitOfParam(name ?? '') !== 'KiB') return m[2] ? NaN : Number(m[1]);
	return Number(m[1]) * (FACTOR[m[2].toLowerCase()] ?? NaN);
}

// "400.." and "..4000" and "400..4000": [lo, hi]
export function sizeSpan(text) {
	const [lo, hi] = (text ?? '').split('..');
	return [lo ? Number(lo) : -Infinity, hi ? Number(hi) : Infinity];
}

const haystack = new WeakMap();

// Each letter as its small one, whatever stands around it: as the server does for its forms (lib/utf8.c).
export const plain = (text) => text.replaceAll('\u03a3', '\u03c3').replaceAll('\u0130', 'i').toLowerCase();

function textOf(r) {
	if (!haystack.has(r))
		haystack.set(
			r,
			plain(
				`${r.benchmark} ${r.metric} ${f.params(r.params).replaceAll('\u202f', ' ')} ${Object.entries(r.params)
				.map(([k, v]) => `${k}=${v}`)
				.join(' ')} ${r.machine} ${r.uarch} thp ${r.thp}`,
			),
		);
	return haystack.get(r);
}

// What the address asks for, as one function of a row.
export function filterOf(query, rows) {
	const show = SHOW[query.get('verdict')] ?? SHOW.all;
	const sure = CONFIDENCE[query.get('confidence')] ?? CONFIDENCE.any;
	const words = plain(query.get('text') ?? '').split(/\s+/).filter(Boolean);
	const name = sizeParam(rows);
	const [lo, hi] = sizeSpan(query.get('size'));
	const sized = query.has('size');
	const on = query.get('on');
	const mode = query.get('mode');

	return (r) =>
		show(r) &&
		sure(r) &&
		(!on || r.machine === on) &&
		(!mode || r.thp === mode) &&
		(!sized || (r.params[name] >= lo && r.params[name] <= hi)) &&
		words.every((w) => textOf(r).includes(w));
}

// sort: "-effect", "change", ...; "row": as the server orders them
export function sorted(rows, sort = STANDARD) {
	const key = SORT[sort.replace('-', '')];

	if (!key) return rows;
	const down = sort.startsWith('-') ? -1 : 1;
	return rows
		.map((r) => [key(r), r])
		.sort((a, b) => (a[0] < b[0] ? -down : a[0] > b[0] ? down : 0))
		.map((p) => p[1]);
}

// The column's next order when its head is chosen: down, up, the standard one
export const nextSort = (now, column) =>
	now === `-${column}` ? column : now === column && `-${column}` !== STANDARD ? undefined : `-${column}`;

export function geomean(rows) {
	const logs = rows.filter((r) => r.change_percent > -100).map((r) => Math.log1p(r.change_percent / 100));
	return logs.length ? Math.expm1(logs.reduce((a, b) => a + b, 0) / logs.length) * 100 : null;
}

export const sweepKey = (r) => JSON.stringify([r.benchmark, r.metric, r.machine, r.thp, r.base_page_kib]);

const DIMENSIONS = {
	benchmark: (r) => r.benchmark,
	metric: (r) => r.metric,
	machine: (r) => r.machine,
	uarch: (r) => r.uarch,
	isa: (r) => r.isa,
	thp: (r) => r.thp,
	page: (r) => (r.base_page_kib ? `${r.base_page_kib} KiB pages` : 'unknown page size'),
	sweep: sweepKey,
};

export function valueOf(r, by) {
	if (!by.startsWith('param.')) return DIMENSIONS[by]?.(r) ?? '';
	const name = by.slice(6);
	return r.params[name] === undefined ? `no ${name}` : f.params({ [name]: r.params[name] });
}

// Dimensions in which the rows differ: what they can be grouped by
export function dimensionsOf(rows) {
	const params = [...new Set(rows.flatMap((r) => Object.keys(r.params)))].slice(0, 6).map((p) => `param.${p}`);
	return [...Object.keys(DIMENSIONS), ...params].filter((by) => {
		const first = rows.length && valueOf(rows[0], by);
		return rows.some((r) => valueOf(r, by) !== first);
	});
}

// [{value, rows, geomean, worse, better}] in the order in which their rows come
export function groups(rows, by) {
	const out = new Map();

	for (const r of rows) {
		const value = valueOf(r, by);
		if (!out.has(value)) out.set(value, { value, rows: [] });
		out.get(value).rows.push(r);
	}
	return [...out.values()].map((g) => ({
		...g,
		geomean: geomean(g.rows),
		worse: g.rows.filter(SHOW.regression).length,
		better: g.rows.filter(SHOW.improvement).length,
		unchanged: g.rows.filter(SHOW.unchanged).length,
	}));
}
