// SPDX-License-Identifier: GPL-2.0-or-later
// A lane of the trend as a plot: what chart.js draws, and runs as faint dots, variants off the line, steps that are links,
// a window of the axis that is the page's to keep, and ways to move it. 96 lines of 500 points must move smoothly, so
// many lines are thin, and nothing is measured or made twice while it moves.

import { LEFT, Plot } from './chart.js';
import { marker, measure, stroke, STYLES, widen } from './chart_marks.js';
import { h, replace } from './dom.js';
import { project } from './trend_film.js';

const DENSE = 24; // lines; above them they are thin, without bands and markers
const BANDS = 12;
const MARKED = 80; // points of a line with markers
const FILMED = 1500; // points; so many are not drawn anew while a hand moves them
const LABELS = 40; // steps that are named
const LEAST = 3; // points that a window shows at least
const DAY = 24 * 3600;

export class TrendPlot extends Plot {
	constructor(Uplot, host, spec) {
		super(Uplot, host, spec);
		/** @type {[number, number] | undefined} the range of y, found once */
		this.kept;
		/** @type {number | undefined} px of the longest name, likewise */
		this.longest;
		this.labels = h('div.steps');
		this.u.over.append(this.labels);
		this.label();
		this.wheel();
		host.setAttribute(
			'aria-label',
			`${spec.label}. Arrow keys walk the points and the lines, Enter pins, plus and minus zoom, 0 shows all.`,
		);
	}

	options() {
		const o = super.options();
		const { spec } = this;

		this.window ??= spec.window;
		this.dense = spec.lines.length > DENSE;
		for (const s of o.series.slice(1)) {
			s.width = this.dense ? 1 : 2;
			if (this.dense) s.dash = undefined;
			s.spanGaps = Boolean(spec.thinned);
		}
		o.scales.x.range = () => this.range();
		o.padding[0] = spec.steps.length ? 14 : 8;
		o.axes[0].grid = { show: false };
		if (spec.even) {
			o.axes[0].rotate = 0;
			o.axes[0].size = this.slant().size;
			o.axes[0].rotate = this.slant().on ? 36 : 0;
		} else {
			o.axes[0].size = 34;
			o.axes[0].splits = (u) => dateTicks(u.scales.x.min, u.scales.x.max, u.bbox.width / devicePixelRatio);
			o.axes[0].values = (u, splits) => splits.map((v) => dateText(v, splits));
		}
		o.cursor.drag.setScale = false;
		o.cursor.points.show = !this.dense;
		o.cursor.bind = { dblclick: () => () => this.move(null, true) };
		o.hooks.setSelect = [(u) => this.brushed(u)];
		o.hooks.draw.push(() => this.labels && this.label());
		return o;
	}

	// ---- the window ----

	// the scale's ends: all of it or the window's points, with some air
	range() {
		const { xs } = this.spec;
		const air = (lo, hi) => widen([lo, hi], false, this.spec.even ? 0.02 : 0.03);

		if (this.moving) return this.moving;
		return this.window ? air(xs[this.window[0]], xs[this.window[1]]) : this.whole();
	}

	whole() {
		const { xs, even } = this.spec;

		if (xs.length > 1) return widen([xs[0], xs.at(-1)], false, even ? 0.02 : 0.03);
		return even ? [xs[0] - 0.5, xs[0] + 0.5] : [xs[0] - DAY, xs[0] + DAY];
	}

	// places: [first, last], or null: all. tell: the page is to keep it
	move(places, tell) {
		const n = this.spec.xs.length;

		this.hold(false);
		this.moving = null;
		this.window = places && (places[0] > 0 || places[1] < n - 1) ? places : null;
		this.redraw();
		if (tell) this.spec.moved?.(this.window);
	}

	redraw() {
		const { xs } = this.spec;
		this.hideStale();
		this.u.setScale('x', { min: xs[0], max: xs.at(-1) });
	}

	hideStale() {
		if (this.pinned === null) this.hide();
	}

	brushed(u) {
		const { left, width } = u.select;

		if (width < 6) return;
		u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
		this.snap(u.posToVal(left, 'x'), u.posToVal(left + width, 'x'));
	}

	// the points within become the window
	snap(lo, hi) {
		const { xs } = this.spec;
		let first = xs.findIndex((v) => v >= lo);
		let last = xs.findLastIndex((v) => v <= hi);

		if (first < 0) first = xs.length - 1;
		while (last - first < LEAST - 1 && (first > 0 || last < xs.length - 1))
			((first = Math.max(0, first - 1)), (last = Math.min(xs.length - 1, last + 1)));
		this.move([first, last], true);
	}

	/*
	 * While a hand moves it the window is between points; it snaps when the hand rests. by: share of the width to go,
	 * times: what the width is multiplied with, around at (a position of the axis).
	 */
	drift(by, times = 1, at = undefined) {
		const [lo, hi] = this.moving ?? this.range();
		const [all, end] = this.whole();
		const width = Math.min(end - all, (hi - lo) * times);
		const middle = at ?? (lo + hi) / 2;
		let from = middle - (middle - lo) * (width / (hi - lo)) + by * width;

		from = Math.min(Math.max(all, from), end - width);
		if (!this.moving) this.hold(true);
		this.moving = [from, from + width];
		this.frame ??= requestAnimationFrame(() => {
			this.frame = null;
			if (this.moving) this.redraw();
		});
		clearTimeout(this.rest);
		this.rest = setTimeout(() => this.settle(), 250);
	}

	// on: the lines are shown from a strip, and uPlot draws only the axes
	hold(on) {
		const { xs, lines } = this.spec;

		if (on && lines.length * xs.length < FILMED) return;
		this.filmed = on;
		this.film = null;
		for (const s of this.u.series.slice(1)) s.show = !on;
	}

	settle() {
		if (this.moving) this.snap(...this.moving);
	}

	wheel() {
		const { over } = this.u;
		const width = () => over.clientWidth || 1;
		let from = null;

		over.addEventListener(
			'wheel',
			(e) => {
				const side = e.shiftKey ? e.deltaY || e.deltaX : e.deltaX;
				// the page scrolls as ever, unless Ctrl or sideways is meant
				if (e.ctrlKey) this.drift(0, e.deltaY > 0 ? 1.15 : 1 / 1.15, this.u.posToVal(e.offsetX, 'x'));
				else if (Math.abs(side) > Math.abs(e.shiftKey ? 0 : e.deltaY)) this.drift(side / width());
				else return;
				e.preventDefault();
			},
			{ passive: false },
		);
		// Shift and drag: along; before uPlot sees it as a brush
		over.parentElement.addEventListener(
			'mousedown',
			(e) => {
				if (!e.shiftKey) return;
				from = e.clientX;
				e.stopPropagation();
				e.preventDefault();
			},
			true,
		);
		this.drag = (e) => {
			if (from === null) return;
			this.drift((from - e.clientX) / width());
			from = e.clientX;
		};
		this.drop = () => (from = null);
		addEventListener('mousemove', this.drag);
		addEventListener('mouseup', this.drop);
	}

	// ---- ranges and names, once ----

	yRange() {
		return (this.kept ??= this.yRangeOf());
	}

	// runs and variants have their place, too
	yRangeOf() {
		const { spec } = this;
		const { lines } = spec;
		const more = lines.flatMap((l) => [...l.dots.map((d) => d[1]), ...l.off.map((o) => o.y)]);

		spec.lines = [...lines, { y: more }];
		const range = super.yRange();
		spec.lines = lines;
		return range;
	}

	visible() {
		const { xs } = this.spec;
		const [lo, hi] = this.range();
		let first = xs.findIndex((v) => v >= lo);
		const last = xs.findLastIndex((v) => v <= hi);

		if (first < 0) first = 0;
		return [first, last];
	}

	slant() {
		const { spec } = this;
		const font = `12px ${this.theme.font}`;

		this.longest ??= Math.max(...spec.xs.map((v) => measure(spec.xText(v), font)));
		const [first, last] = this.window ?? [0, spec.xs.length - 1];
		const step =
			(this.host.clientWidth - LEFT - (this.narrow() ? 14 : spec.room)) / Math.max(1, last - first + 1);
		// one way for all windows, so that the plot keeps its height
		const all =
			(this.host.clientWidth - LEFT - (this.narrow() ? 14 : spec.room)) / Math.max(1, spec.xs.length);
		const on = this.longest + 10 > all;
		return { on, size: on ? Math.min(130, this.longest * 0.6 + 26) : 30, every: on ? Math.ceil(19 / step) : 1 };
	}

	// ---- drawing ----

	under(u) {
		const { spec } = this;
		const lines = spec.lines;

		if (this.filmed) {
			this.film = project(this, this.film, this.range());
			return;
		}
		if (lines.length > BANDS) spec.lines = [];
		super.under(u);
		spec.lines = lines;
		this.dots(u);
		this.levels(u);
	}

	// every run, faint
	dots(u) {
		const { ctx } = u;
		const r = devicePixelRatio;
		const { left, top, width, height } = u.bbox;

		if (this.dense || this.moving) return;
		ctx.save();
		ctx.beginPath();
		ctx.rect(left, top, width, height);
		ctx.clip();
		ctx.globalAlpha = 0.45;
		for (const l of this.spec.lines) {
			ctx.fillStyle = this.theme.line[l.style % STYLES];
			for (const [x, y] of l.dots) {
				if (this.spec.yLog && !(y > 0)) continue;
				const X = u.valToPos(x, 'x', true);
				if (X < left || X > left + width) continue;
				ctx.beginPath();
				ctx.arc(X, u.valToPos(y, 'y', true), 2 * r, 0, 7);
				ctx.fill();
			}
		}
		ctx.restore();
	}

	// where a line's level changed: before and after as what they are, levels
	levels(u) {
		const { ctx } = u;
		const r = devicePixelRatio;
		const { xs } = this.spec;
		const [lo, hi] = this.range();

		ctx.save();
		ctx.beginPath();
		ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
		ctx.clip();
		for (const s of this.dense ? [] : this.spec.steps) {
			if (xs[s.at] < lo || xs[s.after] > hi || (this.spec.yLog && !(s.before > 0 && s.now > 0))) continue;
			const X = (v) => u.valToPos(v, 'x', true);
			const a = u.valToPos(s.before, 'y', true);
			const b = u.valToPos(s.now, 'y', true);
			const middle = (X(xs[s.after]) + X(xs[s.at])) / 2;
			const arm = Math.min(40 * r, Math.max(14 * r, (X(xs[s.at]) - X(xs[s.after])) / 2));

			ctx.globalAlpha = 0.9;
			stroke(
				ctx,
				[
					[middle - arm, a],
					[middle, a],
					[middle, b],
					[middle + arm, b],
				],
				this.theme.get(s.worse ? '--worse' : '--better'),
				3.5 * r,
			);
		}
		ctx.restore();
	}

	over(u) {
		const { ctx } = u;
		const { spec, theme: t } = this;
		const r = devicePixelRatio;
		const [first, last] = this.visible();
		const marked = !this.dense && last - first < MARKED;

		if (this.filmed) return;
		ctx.save();
		for (const l of this.dense ? [] : spec.lines) {
			if (marked) this.points(u, l, first, last);
			for (const o of l.off) if (o.at >= first && o.at <= last) this.variant(u, l, o, r);
		}
		ctx.restore();
		ctx.save();
		if (!this.narrow()) this.ends(u, (i) => i >= first && i <= last);
		ctx.restore();
		if (this.line !== undefined && this.at !== null) this.emphasize(u, t, r);
	}

	points(u, l, first, last) {
		const { ctx } = u;
		const r = devicePixelRatio;
		let before = null;

		for (let i = first; i <= last; i++) {
			if (l.y[i] === null) continue;
			const p = [u.valToPos(this.spec.xs[i], 'x', true), u.valToPos(l.y[i], 'y', true)];
			// a bridge over what was not run
			if (before && before.i < i - 1 && !this.spec.thinned) {
				ctx.setLineDash([r, 4 * r]);
				stroke(ctx, [before.p, p], this.theme.line[l.style % STYLES], r);
				ctx.setLineDash([]);
			}
			marker(ctx, ...p, l, this.theme, r);
			before = { i, p };
		}
	}

	variant(u, l, o, r) {
		const { ctx } = u;
		const x = u.valToPos(this.spec.xs[o.at], 'x', true) + 9 * r;
		const y = u.valToPos(o.y, 'y', true);
		const base = l.y[o.at];

		if (this.spec.yLog && !(o.y > 0)) return;
		if (base !== null) {
			ctx.setLineDash([2 * r, 3 * r]);
			stroke(
				ctx,
				[
					[x - 9 * r, u.valToPos(base, 'y', true)],
					[x, y],
				],
				this.theme.line[l.style % STYLES],
				r,
			);
			ctx.setLineDash([]);
		}
		marker(ctx, x, y, { ...l, hollow: true }, this.theme, r);
	}

	// the line that the keyboard is on, or the mouse is next to
	emphasize(u, t, r) {
		const l = this.spec.lines[this.line];
		const y = l?.y[this.at];

		if (y === null || y === undefined) return;
		const { ctx } = u;
		ctx.save();
		ctx.beginPath();
		ctx.arc(
			u.valToPos(this.spec.xs[this.at], 'x', true),
			u.valToPos(y, 'y', true),
			8 * r,
			0,
			7,
		);
		ctx.strokeStyle = t.get('--focus');
		ctx.lineWidth = 2 * r;
		ctx.stroke();
		ctx.restore();
	}

	// steps are links: to their alert, else to the comparison of the two kernels
	label() {
		const { u, spec } = this;
		const [lo, hi] = this.range();
		const width = u.over.clientWidth;
		const taken = [];
		const shown = spec.steps
			.filter((s) => spec.xs[s.at] >= lo && spec.xs[s.at] <= hi)
			.sort((a, b) => Math.abs(b.change.percent) - Math.abs(a.change.percent))
			.slice(0, LABELS);

		this.labels.hidden = Boolean(this.moving);
		if (this.moving) return;
		replace(
			this.labels,
			shown.map((s) => {
				const x = u.valToPos((spec.xs[s.at] + spec.xs[s.after]) / 2, 'x');
				const y = u.valToPos(s.now, 'y') + (s.up ? -19 : 19);
				const w = 11 + s.text.length * 7;
				const left = Math.min(Math.max(w / 2, x), width - w / 2);
				const box = [left - w / 2, y - 9, left + w / 2, y + 9];

				if (taken.some((b) => b[0] < box[2] && b[2] > box[0] && b[1] < box[3] && b[3] > box[1]))
					return null;
				taken.push(box);
				const a = h(
					`a.step.${s.worse ? 'worse' : 'better'}`,
					{ href: s.href, title: s.title, 'data-step': spec.xText?.(s.at) ?? '' },
					s.text,
				);
				a.style.left = `${left}px`;
				a.style.top = `${y}px`;
				// the brush begins beside it, not on it
				a.addEventListener('mousedown', (e) => e.stopPropagation());
				a.addEventListener('click', (e) => e.stopPropagation());
				return a;
			}),
		);
	}

	// ---- tip and keys ----

	// the line whose point is next to the mouse
	nearest(i) {
		const { u, spec } = this;
		let best;
		let least = Infinity;

		if (this.walking && this.line !== undefined) return this.line;
		spec.lines.forEach((l, k) => {
			const d = l.y[i] === null ? Infinity : Math.abs(u.valToPos(l.y[i], 'y') - (u.cursor.top ?? 0));
			if (d < least) ((least = d), (best = k));
		});
		return best;
	}

	show(i) {
		const before = [this.line, this.at];

		this.line = this.spec.line = this.nearest(i);
		super.show(i);
		this.spec.told?.(i, this.line, this.tip);
		if (before[0] !== this.line || before[1] !== i) this.u.redraw(false, false);
	}

	hide() {
		const was = this.line !== undefined;

		super.hide();
		this.line = undefined;
		if (was && this.u && !this.moving) this.u.redraw(false, false);
	}

	walk(i) {
		const [first, last] = this.visible();
		super.walk(Math.min(last, Math.max(first, i)));
	}

	otherLine(by) {
		const n = this.spec.lines.length;

		for (let k = 1; k <= n; k++) {
			const next = ((this.line ?? 0) + by * k + n * k) % n;
			if (this.spec.lines[next].y[this.at] !== null) {
				this.line = next;
				this.walking = true;
				this.pinned = null;
				this.show(this.at);
				this.walking = false;
				return;
			}
		}
	}

	onKey(e) {
		const plain = !e.ctrlKey && !e.metaKey && !e.altKey;
		const act = {
			'+': () => this.drift(0, 1 / 1.4),
			'=': () => this.drift(0, 1 / 1.4),
			'-': () => this.drift(0, 1.4),
			0: () => this.move(null, true),
			ArrowUp: () => this.at !== null && this.otherLine(-1),
			ArrowDown: () => this.at !== null && this.otherLine(1),
		}[e.key];
		const along = e.shiftKey && { ArrowLeft: -0.15, ArrowRight: 0.15 }[e.key];

		if (e.target.closest('a')) return;
		if (plain && along) this.drift(along);
		else if (plain && act) act();
		else {
			super.onKey(e);
			return;
		}
		e.preventDefault();
		e.stopPropagation();
	}

	destroy() {
		clearTimeout(this.rest);
		if (this.frame) cancelAnimationFrame(this.frame);
		removeEventListener('mousemove', this.drag);
		removeEventListener('mouseup', this.drop);
		super.destroy();
	}
}

const STEPS = [1, 2, 7, 14, 30.4, 61, 91.3, 182.6, 365.25, 730.5, 1826];

// Days, months or years, whichever has room: seconds
export function dateTicks(lo, hi, width) {
	const room = Math.max(2, Math.floor(width / 90));
	const days = STEPS.find((d) => (hi - lo) / (d * DAY) <= room) ?? 3652.5;
	const out = [];

	if (days < 30) {
		for (let t = Math.ceil(lo / (days * DAY)) * days * DAY; t <= hi; t += days * DAY) out.push(t);
		return out;
	}
	const months = Math.round(days / 30.4375);
	const first = new Date(lo * 1000);
	for (let m = Math.ceil((first.getUTCFullYear() * 12 + first.getUTCMonth()) / months) * months; ; m += months) {
		const t = Date.UTC(Math.floor(m / 12), m % 12, 1) / 1000;
		if (t > hi) return out;
		if (t >= lo) out.push(t);
	}
}

export function dateText(v, splits) {
	const text = new Date(v * 1000).toISOString().slice(0, 10);
	const months = splits.every((t) => new Date(t * 1000).getUTCDate() === 1);

	return months ? text.slice(0, 7) : text;
}
