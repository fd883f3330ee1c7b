// SPDX-License-Identifier: GPL-2.0-or-later
// Lines drawn once, for while a hand moves the plot: a strip three windows wide that each frame shows a part of. Drawing 96
// lines of 500 points anew takes longer than a frame may; showing them does not.

import { STYLES } from './chart_marks.js';

const SPAN = 3; // windows that a strip holds
const SHARPER = 2.5; // zoomed in so much further, it is drawn anew
const WIDEST = 8192; // px, what a canvas can be everywhere

function trace(ctx, xs, y, X, Y, [first, last], log) {
	let pen = false;

	ctx.beginPath();
	for (let i = first; i <= last; i++) {
		if (y[i] === null || (log && !(y[i] > 0))) {
			pen = false;
			continue;
		}
		if (pen) ctx.lineTo(X(xs[i]), Y(y[i]));
		else ctx.moveTo(X(xs[i]), Y(y[i]));
		pen = true;
	}
	ctx.stroke();
}

// The strip of plot (a TrendPlot) around its window [lo, hi].
function shoot(plot, lo, hi) {
	const { u, spec, theme } = plot;
	const [all, end] = plot.whole();
	const width = hi - lo;
	const from = Math.max(all, lo - (width * (SPAN - 1)) / 2);
	const to = Math.min(end, hi + (width * (SPAN - 1)) / 2);
	const canvas = document.createElement('canvas');

	canvas.width = Math.min(WIDEST, Math.ceil((u.bbox.width * (to - from)) / width));
	canvas.height = u.bbox.height;
	const ctx = canvas.getContext('2d');
	const X = (v) => ((v - from) / (to - from)) * canvas.width;
	const Y = (v) => u.valToPos(v, 'y', true) - u.bbox.top;
	// and the neighbours outside, where lines come from
	const first = Math.max(0, spec.xs.findIndex((v) => v >= from) - 1);
	const last = Math.min(spec.xs.length - 1, spec.xs.findLastIndex((v) => v <= to) + 1);

	ctx.lineWidth = (plot.dense ? 1 : 2) * devicePixelRatio;
	ctx.lineJoin = 'bevel';
	for (const l of spec.lines) {
		ctx.strokeStyle = theme.line[l.style % STYLES];
		trace(ctx, spec.xs, l.y, X, Y, [first, last], spec.yLog);
	}
	return { canvas, from, to, width };
}

// Shows the window [lo, hi] of it, made or made anew where it does not reach. Returns the strip to keep.
export function project(plot, film, [lo, hi]) {
	const { u } = plot;
	const width = hi - lo;
	const reaches = film && lo >= film.from && hi <= film.to && width * SHARPER >= film.width;
	const strip = reaches ? film : shoot(plot, lo, hi);
	const scale = strip.canvas.width / (strip.to - strip.from);
	const a = Math.max(lo, strip.from);
	const b = Math.min(hi, strip.to);
	const at = (v) => u.bbox.left + ((v - lo) / width) * u.bbox.width;

	u.ctx.drawImage(
		strip.canvas,
		(a - strip.from) * scale,
		0,
		Math.max(1, (b - a) * scale),
		strip.canvas.height,
		at(a),
		u.bbox.top,
		at(b) - at(a),
		u.bbox.height,
	);
	return strip;
}
