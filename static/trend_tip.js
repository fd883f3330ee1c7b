// SPDX-License-Identifier: GPL-2.0-or-later
// What a point of the trend says: values of the lines there, and of one of them what it was measured with and what of
// that differs from the point before.

import { get } from './api.js';
import { h, replace } from './dom.js';
import * as f from './format.js';
import { Query } from './query.js';

const ROWS_MOST = 10;
const ROWS_NARROW = 5;
const REST_MS = 120; // the mouse must stay so long before the server is asked

// Lines next to the one that is meant, where there are too many for a table
function some(lines, i, line, most) {
	const here = lines.filter((l) => l.y[i] !== null);
	if (here.length <= most) return here;
	const y = lines[line]?.y[i] ?? 0;
	const near = [...here].sort((a, b) => Math.abs(a.y[i] - y) - Math.abs(b.y[i] - y)).slice(0, most);
	return here.filter((l) => near.includes(l));
}

// Boots times repetitions: "3 × 5"; "3, n = 14" where boots differ
export function counts(boots, n) {
	if (!boots) return '';
	return n % boots ? `${boots}, n = ${n}` : `${boots} \u00d7 ${n / boots}`;
}

// "1.70 .. 1.73 us": the unit once where it is one
const spanText = (lo, hi) =>
	`${lo} .. ${hi}`.replace(/^([^\u202f]+)\u202f(.+) \.\. ([^\u202f]+)\u202f\2$/, '$1 .. $3\u202f$2');

// narrow: the interval and the counts have no room beside the values
export function pointTip(lane, lines, i, { yText, line, narrow }) {
	const shown = some(lines, i, line, narrow ? ROWS_NARROW : ROWS_MOST);
	const before = (l) => l.y.slice(0, i).findLast((v) => v !== null);
	const interval = (l) => (l.lo[i] === null ? '' : spanText(yText(l.lo[i]), yText(l.hi[i])));
	const wide = (...cells) => (narrow ? [] : cells);
	const row = (l) => ({
		style: l.style,
		label: l.label,
		cells: [
			yText(l.y[i]),
			before(l) === undefined ? '' : f.percent((l.y[i] / before(l) - 1) * 100),
			...wide(interval(l), counts(l.boots[i], l.n[i])),
		],
	});
	const variant = (l, o) => ({
		style: l.style,
		hollow: true,
		label: `${l.label} ${f.shortKernel(o.kernel, [])}`,
		cells: [yText(o.y), l.y[i] === null ? '' : f.percent((o.y / l.y[i] - 1) * 100), ...wide('', counts(o.boots, o.n))],
	});
	const left = lines.filter((l) => l.y[i] !== null).length - shown.length;

	return {
		caption: lane.kernels[i].name,
		head: [
			left ? `${shown.length} of ${shown.length + left}` : '',
			'',
			'change',
			...wide('95 % CI', 'boots \u00d7 n'),
		],
		rows: shown.flatMap((l) => [row(l), ...l.off.filter((o) => o.at === i).map((o) => variant(l, o))]),
		link:
			i > 0
				? {
						href: compareUrl(lane, lines[line] ?? lines[0], i - 1, i),
						text: `compare with ${f.short(lane.kernels[i - 1].name)}`,
					}
				: null,
	};
}

export function compareUrl(lane, line, base, head) {
	const s = line.series;
	return new Query([
		['base', lane.kernels[base].name],
		['head', lane.kernels[head].name],
		['benchmark', s.benchmark],
		['machine', s.machine],
		['thp', s.thp],
	]).url('/compare');
}

// {"a": {"b": 1}} as a.b: 1
function flat(o, prefix = '', out = new Map()) {
	for (const [k, v] of Object.entries(o ?? {}))
		if (v !== null && typeof v === 'object' && !Array.isArray(v)) flat(v, `${prefix}${k}.`, out);
		else out.set(prefix + k, typeof v === 'string' ? v : JSON.stringify(v));
	return out;
}

// What of an environment is not as before: [[name, before, now]], undefined where one of them does not say
export function drift(before, now) {
	const a = flat(before);
	const b = flat(now);

	return [...new Set([...a.keys(), ...b.keys()])]
		.filter((k) => a.get(k) !== b.get(k))
		.sort()
		.map((k) => [k, a.get(k), b.get(k)]);
}

const asked = new Map();

// The environment of the newest run of a kernel on a machine; null: no run
function environment(machine, kernel, thp) {
	const url = new Query([
		['machine', machine],
		['kernel', kernel],
		['thp', thp],
		['limit', '1'],
	]).url('/api/v1/runs');

	if (!asked.has(url))
		asked.set(
			url,
			get(url)
				.then((answer) => answer.runs[0] ?? null)
				.catch((e) => {
					asked.delete(url);
					throw e;
				}),
		);
	return asked.get(url);
}

function driftText(before, now, name) {
	if (!before || !now) return 'environment: no run to compare with';
	if (!Object.keys(before.environment ?? {}).length && !Object.keys(now.environment ?? {}).length)
		return 'environment: not told by the runs';
	const list = drift(before.environment, now.environment);
	if (!list.length) return `environment: as with ${name}`;
	return [
		`environment, against ${name}:`,
		h(
			'ul',
			list
				.slice(0, 6)
				.map(([k, a, b]) =>
					h('li', h('b', k), ` ${f.short(a ?? 'not told', 40)} \u2192 ${f.short(b ?? 'not told', 40)}`),
				),
			list.length > 6 ? h('li', `and ${list.length - 6} more`) : null,
		),
	];
}

let waiting;

// Below the values: of the line that is meant, its kernel, machine, and what changed around it.
export function pointDetail(lane, line, i, started, tip) {
	const s = line.series;
	const k = lane.kernels[i];
	const last = line.y.slice(0, i).findLastIndex((v) => v !== null);
	const around = h('div.around', { 'data-of': `${s.series_id} ${k.name}` });
	const when = [
		k.commit ? ['commit ', h('code', k.commit.slice(0, 12))] : null,
		k.released_at ? `released ${f.day(k.released_at)}` : null,
		`${f.plural(line.boots[i], 'boot')}, ${f.plural(line.n[i], 'value')}`,
		started ? `run ${f.time(started)}` : null,
	].filter(Boolean);

	tip.append(
		h(
			'div.detail',
			h('div', h('b', line.label), ` on ${s.machine} (${s.uarch}), THP ${s.thp}`),
			when.length ? h('div', when.map((w, n) => [n ? ' \u00b7 ' : '', w])) : null,
			around,
		),
	);
	clearTimeout(waiting);
	if (last < 0) {
		replace(around, 'environment: the first point');
		return;
	}
	const before = lane.kernels[last].name;
	replace(around, 'environment \u2026');
	waiting = setTimeout(async () => {
		try {
			const [a, b] = await Promise.all([
				environment(s.machine, before, s.thp),
				environment(s.machine, k.name, s.thp),
			]);
			replace(around, driftText(a, b, f.short(before)));
		} catch (e) {
			replace(around, `environment: ${e.message}`);
		}
	}, REST_MS);
}
