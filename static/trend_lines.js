// SPDX-License-Identifier: GPL-2.0-or-later
// From the answer of /api/v1/trend to what stands in a picture: panels, their lanes (a track each), and lines in them.

import * as f from './format.js';
import { Query } from './query.js';

export const LINES_MOST = 120; // in a lane

// What makes the lines, and what they are called beside others
const NAMES = {
	size: (s) => f.params(s.params) || s.metric,
	uarch: (s, all) =>
		all.some((o) => o.uarch === s.uarch && o.machine !== s.machine)
			? `${s.uarch} (${s.machine})`
			: s.uarch,
	thp: (s) => `THP ${s.thp}`,
	series: (s, all) => {
		const many = (of) => new Set(all.map(of)).size > 1;
		const parts = [
			many((o) => o.benchmark) && s.benchmark,
			many((o) => f.params(o.params)) && f.params(s.params),
			many((o) => o.machine) && s.machine,
			many((o) => o.thp) && `THP ${s.thp}`,
		].filter(Boolean);
		return parts.join(', ') || s.metric;
	},
};
export const BY = Object.keys(NAMES);

// what else must be equal for lines to stand in one panel
const PANEL_BY = {
	size: (s) => [s.benchmark, s.machine, s.thp],
	uarch: (s) => [s.benchmark, f.params(s.params), s.thp],
	thp: (s) => [s.benchmark, f.params(s.params), s.machine],
	series: () => [],
};

// The dimension in which the series differ first
export function standard(series) {
	const many = (of) => new Set(series.map(of)).size > 1;
	return many((s) => f.params(s.params))
		? 'size'
		: many((s) => s.machine)
			? 'uarch'
			: many((s) => s.thp)
				? 'thp'
				: 'size';
}

const has = (v) => v !== null && v !== undefined;
const stamp = (text) => (text ? Date.parse(text) / 1000 : null);

// When a kernel came: null where nobody said
function dates(trend, x, series) {
	if (x === 'released') return trend.kernels.map((k) => stamp(k.released_at));
	const machines = new Set(series.map((s) => s.machine));
	const told = (trend.machines ?? []).filter((m) => machines.has(m.machine));
	return trend.kernels.map((_, i) => {
		const at = told.map((m) => stamp(m.started_at[i])).filter(has);
		return at.length ? Math.min(...at) : null;
	});
}

/*
 * The kernels of a lane in the order of its axis. at: their indexes in the answer; xs: where they stand, seconds or
 * their number; undated: how many have no date and so no place.
 */
function axisOf(trend, series, x) {
	const when = x === 'kernel' ? null : dates(trend, x, series);
	const all = trend.kernels.map((_, i) => i).filter((i) => series.some((s) => has(s.y[i])));
	const plain = all.filter((i) => !trend.kernels[i].variant);
	const at = when ? plain.filter((i) => has(when[i])).sort((a, b) => when[a] - when[b] || a - b) : plain;

	return {
		at,
		xs: at.map((i, n) => (when ? when[i] : n)),
		kernels: at.map((i) => trend.kernels[i]),
		variants: all.filter((i) => trend.kernels[i].variant),
		undated: plain.length - at.length,
	};
}

function laneOf(trend, series, x) {
	const axis = axisOf(trend, series, x);
	const place = new Map(axis.kernels.map((k, n) => [k.name, n]));
	const base = (i) => place.get(trend.kernels[i].variant.base.replace(/^v/, ''));

	return {
		track: series[0].track,
		series,
		...axis,
		// off the line, at the kernel they are made from: [index in the answer, place]
		variants: axis.variants.map((i) => ({ i, at: base(i) })).filter((v) => v.at !== undefined),
	};
}

/*
 * {panels, undated}: panels with their lanes, those with most kernels first, and how many points have no place for want
 * of a date. by: what makes the lines; x: kernel, released or run.
 */
export function panelsOf(trend, by, x) {
	const panels = new Map();

	for (const s of trend.series) {
		const key = JSON.stringify([s.metric, s.unit, s.base_page_kib ?? null, ...PANEL_BY[by](s)]);
		if (!panels.has(key)) panels.set(key, { series: [], tracks: new Map() });
		const p = panels.get(key);
		p.series.push(s);
		if (!p.tracks.has(s.track)) p.tracks.set(s.track, []);
		p.tracks.get(s.track).push(s);
	}
	const all = [...panels.values()].map((p) => ({
		series: p.series,
		lanes: [...p.tracks.values()].map((list) => laneOf(trend, list, x)),
	}));
	return {
		undated: all.flatMap((p) => p.lanes).reduce((n, lane) => n + lane.undated, 0),
		panels: all
			.map((p) => ({
				...p,
				lanes: p.lanes.filter((l) => l.at.length).sort((a, b) => b.at.length - a.at.length),
			}))
			.filter((p) => p.lanes.length)
			.sort((a, b) => b.lanes[0].at.length - a.lanes[0].at.length),
	};
}

const LANES_FIRST = 8; // pictures: at most so many at first, whatever they are of
const PANELS_FIRST = 4;
export const PANELS_STEP = 6; // more of them, each time they are asked for
const PANELS_MOST = 60;

// of its steps the largest, a regression before all improvements
const largest = (p) =>
	Math.max(0, ...p.series.flatMap((s) => s.changes.map((c) => Math.abs(Math.log1p(c.percent / 100)) + (worse(c) ? 1e3 : 0))));

/*
 * {shown, left, over}: the panels to draw, how many more can be asked for, and how many cannot. asked: how many to show
 * (pictures= of the address). Where not all are shown, those with most kernels lead, of these those with the largest step.
 */
export function shownOf(panels, asked) {
	let lanes = 0;
	const first = panels.filter((p, i) => (lanes += p.lanes.length) <= LANES_FIRST || i < 2).slice(0, PANELS_FIRST).length;
	const wanted = /^\d{1,4}$/.test(asked ?? '') ? Number(asked) : first;
	const n = Math.min(Math.max(first, wanted), PANELS_MOST, panels.length);
	const steps = new Map(panels.map((p) => [p, largest(p)]));
	const order =
		first < panels.length
			? panels.toSorted((a, b) => b.lanes[0].at.length - a.lanes[0].at.length || steps.get(b) - steps.get(a))
			: panels;

	return {
		shown: order.slice(0, n),
		left: Math.min(panels.length, PANELS_MOST) - n,
		over: Math.max(0, panels.length - PANELS_MOST),
	};
}

// What the panels differ in, as a title
export function panelTitle(p, by) {
	const s = p.series[0];
	const parts = by === 'series' ? [s.metric] : [s.benchmark];

	if (by === 'series') return [...parts, f.plural(p.series.length, 'line')].join(', ');
	if (by !== 'size' && f.params(s.params)) parts.push(f.params(s.params));
	if (by !== 'uarch') parts.push(`${s.machine} (${s.uarch})`);
	if (by !== 'thp') parts.push(`THP ${s.thp}`);
	return parts.join(', ');
}

export const namesOf = (list, by) => list.map((s) => NAMES[by](s, list));

// The kernel that is 100 % when nobody chose one: the last release, else the first of all.
export function baselineOf(trend) {
	const plain = trend.kernels.filter((k) => !k.variant);
	const main = plain.filter((k) => k.track === 'mainline');
	return (main.findLast((k) => !k.rc && !k.distance) ?? plain[0])?.name;
}

// 100 divided by what is 100 %: of the line's first point, or of a kernel, on whichever track it is.
function scaleOf(trend, s, lane, y, baseline) {
	if (y === 'percent') return 100 / lane.at.map((i) => s.y[i]).find(has);
	if (y !== 'baseline') return 1;
	const i = trend.kernels.findIndex((k) => k.name === baseline);
	const same = trend.series.find((o) => o.series_id === s.series_id && has(o.y[i]));
	return i >= 0 && same ? 100 / same.y[i] : NaN;
}

/*
 * The lines of a lane: [{label, style, series, y, lo, hi, n, boots, dots: [[x, y]], off: [{at, y, kernel, n, boots}]}],
 * and how many were left out. A line without its baseline has no values.
 */
export function linesOf(trend, lane, { by, y, x, baseline }) {
	const list = lane.series.slice(0, LINES_MOST);
	const names = namesOf(list, by);
	const lines = list.map((s, k) => {
		const scale = scaleOf(trend, s, lane, y, baseline);
		const sized = (v) => (has(v) && Number.isFinite(v * scale) ? v * scale : null);
		const pick = (a) => lane.at.map((i) => sized(a?.[i]));

		return {
			label: names[k],
			style: k,
			series: s,
			scale,
			y: pick(s.y),
			lo: pick(s.lo),
			hi: pick(s.hi),
			n: lane.at.map((i) => s.n[i]),
			boots: lane.at.map((i) => s.boots[i]),
			dots: dotsOf(lane, s, x, sized),
			off: lane.variants
				.filter((v) => has(sized(s.y[v.i])))
				.map((v) => ({
					at: v.at,
					y: sized(s.y[v.i]),
					kernel: trend.kernels[v.i],
					n: s.n[v.i],
					boots: s.boots[v.i],
				})),
		};
	});

	return { lines, leftOut: lane.series.length - list.length };
}

// The answer's runs of one line, where a point has several; by date each at its own.
function dotsOf(lane, s, x, sized) {
	const place = new Map(lane.at.map((i, n) => [i, n]));
	const { at = [], y = [], started_at = [] } = s.runs ?? {};
	const out = [];

	at.forEach((i, k) => {
		const n = place.get(i);
		if (n !== undefined && has(sized(y[k])) && s.boots[i] > 1)
			out.push([x === 'run' ? stamp(started_at[k]) : lane.xs[n], sized(y[k])]);
	});
	return out;
}

const worse = (c) => c.verdict === 'regression';

// Where the level of a line changes, and by how much: {line, at, from, to, text, up, worse, confidence, alert, change}
export function stepsOf(lane, lines) {
	const place = new Map(lane.at.map((i, n) => [i, n]));

	return lines
		.flatMap((l) =>
			l.series.changes.map((c) => ({
				line: l,
				at: place.get(c.at),
				after: place.get(c.after),
				before: c.before_center * l.scale,
				now: c.after_center * l.scale,
				text: f.percent(c.percent),
				up: c.percent > 0,
				worse: worse(c),
				alert: c.alert_id,
				change: c,
			})),
		)
		.filter((s) => s.at !== undefined && s.after !== undefined && Number.isFinite(s.now));
}

// All steps of an answer, the largest first
export const changesOf = (trend) =>
	trend.series
		.flatMap((s) => s.changes.map((c) => ({ s, c })))
		.sort((a, b) => Math.abs(b.c.percent) - Math.abs(a.c.percent));

/*
 * The zoom of a lane in the address: pairs of from= and to=, each the name of a kernel of it or, by date, a day.
 * Returns [first, last] places, or null: all of it.
 */
export function windowOf(lane, query, x) {
	const to = query.all('to');

	for (const [n, from] of query.all('from').entries()) {
		const first = placeOf(lane, from, x, 1);
		const last = placeOf(lane, to[n] ?? '', x, -1);
		if (first !== undefined && last !== undefined && first < last) return [first, last];
	}
	return null;
}

function placeOf(lane, text, x, side) {
	if (x === 'kernel') {
		const at = lane.kernels.findIndex((k) => k.name === text.replace(/^v(?=\d)/, ''));
		return at < 0 ? undefined : at;
	}
	const day = stamp(text);
	if (!Number.isFinite(day)) return undefined;
	const at =
		side > 0 ? lane.xs.findIndex((v) => v >= day) : lane.xs.findLastIndex((v) => v < day + 24 * 3600);
	return at < 0 ? undefined : at;
}

export function windowQuery(query, lane, x, places) {
	const day = (v) => new Date(v * 1000).toISOString().slice(0, 10);
	const name = (at) => (x === 'kernel' ? lane.kernels[at].name : day(lane.xs[at]));
	const to = query.all('to');
	// pairs of other tracks stay
	const others = query
		.all('from')
		.map((from, n) => [from, to[n] ?? ''])
		.filter(([from]) => x === 'kernel' && !lane.kernels.some((k) => k.name === from));
	const pairs = places ? [...others, [name(places[0]), name(places[1])]] : others;

	return new Query([
		...query.without('from', 'to').entries,
		...pairs.flatMap(([from, until]) => [
			['from', from],
			['to', until],
		]),
	]);
}
