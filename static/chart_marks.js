// SPDX-License-Identifier: GPL-2.0-or-later
// What plots are made of, without uPlot: colours, dashes, markers, ticks, ranges, names moved apart. As in
// chart/svg_marks.c and chart/svg_scale.c, so that a page and the server's picture agree.

import { svg } from './dom.js';

export const DASHES = [[], [], [7, 3], [2, 3], [9, 3, 2, 3], [4, 2], [1, 3], [12, 4], [6, 2, 1, 2], [3, 1], [14, 3, 3, 3], [1, 5]];
export const STYLES = DASHES.length;
export const ROW = 15; // px from name to name

const shapes = [
	(p, x, y, r) => p.arc(x, y, r, 0, 7),
	(p, x, y, r) => p.rect(x - r, y - r, 2 * r, 2 * r),
	(p, x, y, r) =>
		poly(p, x, y, r, [
			[0, -1.3],
			[1.25, 0.9],
			[-1.25, 0.9],
		]),
	(p, x, y, r) =>
		poly(p, x, y, r, [
			[0, -1.35],
			[1.35, 0],
			[0, 1.35],
			[-1.35, 0],
		]),
	(p, x, y, r) =>
		poly(p, x, y, r, [
			[0, 1.3],
			[1.25, -0.9],
			[-1.25, -0.9],
		]),
	(p, x, y, r) =>
		poly(p, x, y, r, [
			[-0.4, -1.2],
			[0.4, -1.2],
			[0.4, -0.4],
			[1.2, -0.4],
			[1.2, 0.4],
			[0.4, 0.4],
			[0.4, 1.2],
			[-0.4, 1.2],
			[-0.4, 0.4],
			[-1.2, 0.4],
			[-1.2, -0.4],
			[-0.4, -0.4],
		]),
	(p, x, y, r) => p.rect(x - 1.25 * r, y - 0.75 * r, 2.5 * r, 1.5 * r),
	(p, x, y, r) => p.rect(x - 0.75 * r, y - 1.25 * r, 1.5 * r, 2.5 * r),
	(p, x, y, r) =>
		poly(p, x, y, r, [
			[-1.3, 0],
			[0.9, -1.25],
			[0.9, 1.25],
		]),
	(p, x, y, r) =>
		poly(p, x, y, r, [
			[1.3, 0],
			[-0.9, -1.25],
			[-0.9, 1.25],
		]),
	(p, x, y, r) =>
		poly(p, x, y, r, [
			[-0.6, -1.1],
			[0.6, -1.1],
			[1.25, 0],
			[0.6, 1.1],
			[-0.6, 1.1],
			[-1.25, 0],
		]),
	(p, x, y, r) =>
		poly(p, x, y, r, [
			[-1.2, -1.2],
			[0, -0.45],
			[1.2, -1.2],
			[0.45, 0],
			[1.2, 1.2],
			[0, 0.45],
			[-1.2, 1.2],
			[-0.45, 0],
		]),
];

export function poly(p, x, y, r, points) {
	points.forEach(([dx, dy], i) => p[i ? 'lineTo' : 'moveTo'](x + dx * r, y + dy * r));
	p.closePath();
}

// A bit of a line with its marker, for keys and tooltips.
export function sample(style, hollow) {
	const s = style % STYLES;
	const color = `var(--s${s})`;
	const d = [
		'',
		'M7-4h8v8h-8z',
		'M11-5.2l5 8.8h-10z',
		'M11-5.4l5.4 5.4l-5.4 5.4l-5.4-5.4z',
		'M11 5.2l5-8.8h-10z',
		'M9.4-4.8h3.2v3.2h3.2v3.2h-3.2v3.2h-3.2v-3.2h-3.2v-3.2h3.2z',
		'M6-3h10v6h-10z',
		'M8-5h6v10h-6z',
		'M5.8 0l8.8-5v10z',
		'M16.2 0l-8.8-5v10z',
		'M8.6-4.4h4.8l2.6 4.4l-2.6 4.4h-4.8l-2.6-4.4z',
		'M6.2-4.8l4.8 3l4.8-3l-3 4.8l3 4.8l-4.8-3l-4.8 3l3-4.8z',
	][s];
	const look = { fill: hollow ? 'var(--bg)' : color, stroke: color, 'stroke-width': 1.6 };

	return svg(
		'svg',
		{ class: 'sample', width: 22, height: 12, viewBox: '0 -6 22 12', 'aria-hidden': 'true' },
		svg('path', {
			d: 'M0 0H22',
			stroke: color,
			'stroke-width': 2,
			'stroke-dasharray': DASHES[s].join(' ') || 'none',
		}),
		d ? svg('path', { d, ...look }) : svg('circle', { cx: 11, cy: 0, r: 4, ...look }),
	);
}

// Round values within lo..hi, as chart/svg_scale.c chooses them.
export function ticks(lo, hi, log) {
	const out = [];
	const span = hi - lo;

	if (!(span > 0)) return [lo];
	if (log && Math.log10(hi / lo) > 0.35) {
		const decades = Math.log10(hi / lo);
		const of = decades > 2.2 ? [1] : decades > 0.8 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8];
		const from = Math.floor(Math.log10(lo));
		const to = Math.ceil(Math.log10(hi));
		for (let d = from; d <= to; d += 1 + Math.floor((to - from) / 10))
			for (const m of of) if (m * 10 ** d >= lo && m * 10 ** d <= hi) out.push(m * 10 ** d);
		return out;
	}
	const rough = span / 5;
	const decade = 10 ** Math.floor(Math.log10(rough));
	const step = decade * ([1, 2, 5].find((m) => rough / decade <= m) ?? 10);
	for (let k = Math.ceil(lo / step); k * step <= hi + span * 1e-9; k++) out.push(k * step);
	return out;
}

export function theme() {
	const css = getComputedStyle(document.documentElement);
	const get = (name) => css.getPropertyValue(name).trim();
	const font = getComputedStyle(document.body).fontFamily;

	return { get, font, line: Array.from({ length: STYLES }, (_, i) => get(`--s${i}`)) };
}

export const measure = (() => {
	let ctx;
	return (text, font) => {
		ctx ??= document.createElement('canvas').getContext('2d');
		ctx.font = font;
		return ctx.measureText(text).width;
	};
})();

export function shorten(text, max) {
	const c = [...text];
	if (c.length <= max) return text;
	const tail = (max - 1) >> 1;
	return c.slice(0, max - 1 - tail).join('') + '\u2026' + c.slice(c.length - tail).join('');
}

export function extent(lines, log) {
	let lo = Infinity;
	let hi = -Infinity;

	for (const l of lines)
		for (let i = 0; i < l.y.length; i++)
			if (l.y[i] !== null)
				for (const v of [l.y[i], l.lo?.[i], l.hi?.[i]])
					if (Number.isFinite(v) && (!log || v > 0))
						((lo = Math.min(lo, v)), (hi = Math.max(hi, v)));
	return lo <= hi ? [lo, hi] : log ? [1, 10] : [-1, 1];
}

/**
 * @param {number[]} range
 * @param {boolean} log
 * @param {number} share
 * @returns {[number, number]}
 */
export function widen([lo, hi], log, share) {
	if (log) {
		const by = hi > lo ? Math.log10(hi / lo) * share : 0.3;
		return [lo / 10 ** by, hi * 10 ** by];
	}
	const by = hi > lo ? (hi - lo) * share : Math.abs(lo) * 0.1 || 1;
	return [lo - by, hi + by];
}

// Moves names apart, order kept, within top..bottom.
export function spread(labels, top, bottom) {
	let edge = top;
	labels.sort((a, b) => a.y - b.y);
	for (const l of labels) {
		l.at = Math.max(l.y, edge);
		edge = l.at + ROW;
	}
	edge = bottom;
	for (const l of labels.toReversed()) {
		l.at = Math.min(l.at, edge);
		edge = l.at - ROW;
	}
}

export function stroke(ctx, points, color, width) {
	ctx.beginPath();
	for (const [x, y] of points) ctx.lineTo(x, y);
	ctx.strokeStyle = color;
	ctx.lineWidth = width;
	ctx.stroke();
}

export function marker(ctx, x, y, l, t, r) {
	ctx.beginPath();
	shapes[l.style % STYLES](ctx, x, y, 4 * r);
	ctx.fillStyle = l.hollow ? t.get('--bg') : t.line[l.style % STYLES];
	ctx.strokeStyle = t.line[l.style % STYLES];
	ctx.lineWidth = 1.6 * r;
	ctx.setLineDash([]);
	ctx.fill();
	ctx.stroke();
}
