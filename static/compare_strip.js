// SPDX-License-Identifier: GPL-2.0-or-later
// The raw repetitions behind a row: a dot a value, a row a boot, all sides on one scale.

import { get } from './api.js';
import { ticks } from './chart_marks.js';
import { h, replace, svg } from './dom.js';
import * as f from './format.js';

const W = 720;
const LEFT = 150;
const RIGHT = 96;
const BOOT = 12; // px a boot
const SIDES = ['base', 'head', 'fix'];

// Runs of one boot are one boot; a run without a boot's name is its own
export function boots(runs) {
	const out = new Map();

	for (const r of runs) {
		const key = r.boot_id ?? r.run_id;
		out.set(key, [...(out.get(key) ?? []), ...r.values]);
	}
	return [...out].map(([name, values]) => ({ name, values }));
}

function lane(side, x, top, list, center) {
	const mid = top + (list.length * BOOT) / 2;

	return [
		svg('line', { class: 'rule', x1: LEFT, x2: W - RIGHT, y1: top - 4, y2: top - 4 }),
		svg('text', { x: LEFT - 10, y: mid + 4, 'text-anchor': 'end' }, f.short(side.name, 20)),
		svg('line', { class: 'center', x1: x(center), x2: x(center), y1: top, y2: top + list.length * BOOT }),
		list.map((b, n) =>
			b.values.map((v) =>
				svg('circle', { class: `dot ${side.key}`, cx: x(v), cy: top + BOOT * (n + 0.5), r: 3 }),
			),
		),
		svg(
			'text',
			{ class: 'dim', x: W - RIGHT + 10, y: mid + 4 },
			`${list.reduce((n, b) => n + b.values.length, 0)} in ${f.plural(list.length, 'boot')}`,
		),
	];
}

function picture(row, sides) {
	const all = sides.flatMap((s) => s.boots.flatMap((b) => b.values));
	const [lo, hi] = [Math.min(...all), Math.max(...all)];
	const air = hi > lo ? (hi - lo) * 0.05 : Math.abs(lo) * 0.01 || 1;
	const x = (v) => LEFT + ((v - lo + air) / (hi - lo + 2 * air)) * (W - LEFT - RIGHT);
	let top = 8;
	const lanes = sides.map((s) => {
		const at = top;
		top += Math.max(1, s.boots.length) * BOOT + 8;
		return lane(s, x, at, s.boots, row[s.key].center);
	});

	return svg(
		'svg',
		{
			class: 'strip',
			viewBox: `0 0 ${W} ${top + 20}`,
			width: W,
			role: 'img',
			'aria-label': `Repetitions of ${sides.map((s) => s.name).join(', ')}; their values are in the list below`,
		},
		lanes,
		ticks(lo - air, hi + air, false).map((v) => [
			svg('line', { class: 'tick', x1: x(v), x2: x(v), y1: top - 4, y2: top }),
			svg('text', { x: x(v), y: top + 14, 'text-anchor': 'middle' }, f.tick(v, row.unit) || f.significant(v)),
		]),
	);
}

function list(row, sides) {
	const values = (b) => b.values.map((v) => f.value(v, row.unit) || f.significant(v)).join(', ');

	return h(
		'details',
		h('summary', 'The values'),
		h(
			'dl.facts',
			sides.flatMap((s) =>
				s.boots.map((b) => [h('dt', `${s.name}, boot ${f.short(b.name, 16)}`), h('dd', values(b) || 'not kept')]),
			),
		),
	);
}

// Fills el with the repetitions of a row; data: the comparison, with the query it was asked by.
export async function strip(el, row, data) {
	try {
		const url = data.asked.with('only', row.series_id).with('values', 1).url('/api/v1/compare');
		const told = (await get(url)).rows[0]?.repetitions;
		if (!told) throw new Error('The data has changed since this page was made: load it again.');
		const sides = SIDES.filter((k) => row[k]).map((key) => ({
			key,
			name: data[key].name,
			boots: boots(told[key]),
		}));
		const kept = sides.some((s) => s.boots.some((b) => b.values.length));

		replace(
			el,
			kept ? picture(row, sides) : h('p', 'Raw values of these runs are not kept, only their means.'),
			list(row, sides),
		);
	} catch (e) {
		replace(el, h('p', e.message));
	}
	el.dataset.shown = 'yes';
}
