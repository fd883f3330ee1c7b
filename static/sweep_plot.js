// SPDX-License-Identifier: GPL-2.0-or-later
// A sweep's plot: what chart.js draws, and lines that can be marked (Shift-click, or arrows up and down and x), a window of
// the axis that is the page's to keep, and one scale for panels that stand side by side.

import { Plot } from './chart.js';
import { marker, widen } from './chart_marks.js';

const NEAR = 28; // px: a click further from every line is about none

export class SweepPlot extends Plot {
	constructor(Uplot, host, spec) {
		super(Uplot, host, spec);
		host.setAttribute(
			'aria-label',
			`${spec.label}. Arrow keys walk the points and the lines, x marks a line, Enter pins, 0 shows all.`,
		);
		host.plot = this; // for who has the element only
		this.clicked = (e) => this.shiftClick(e);
		// before the plot takes it as a pin
		this.u.over.addEventListener('click', this.clicked, true);
	}

	options() {
		const o = super.options();

		o.scales.x.range = () => this.window();
		o.cursor.drag.setScale = false;
		o.cursor.bind = { dblclick: () => () => this.spec.zoomed?.(null) };
		o.hooks.setSelect = [(u) => this.brushed(u)];
		return o;
	}

	// all of it, or from one measured position to another, with some air
	window() {
		const { xs, xLog, window: w } = this.spec;
		return widen(w ?? [xs[0], xs.at(-1)], xLog, 0.03);
	}

	move(window) {
		this.spec.window = window;
		if (this.pinned === null) this.hide();
		this.u.setScale('x', { min: this.spec.xs[0], max: this.spec.xs.at(-1) });
	}

	brushed(u) {
		const { left, width } = u.select;
		const { xs } = this.spec;

		if (width < 6) return;
		u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
		const [lo, hi] = [u.posToVal(left, 'x'), u.posToVal(left + width, 'x')];
		const within = xs.filter((x) => x >= lo && x <= hi);
		if (within.length > 1) this.spec.zoomed?.([within[0], within.at(-1)]);
	}

	yRange() {
		const { spec } = this;
		const { lines, shared } = spec;

		if (!shared) return super.yRange();
		spec.lines = [...lines, { y: shared }];
		const range = super.yRange();
		spec.lines = lines;
		return range;
	}

	// the line whose point is next to a height, and how far from it; null: no point there
	nearest(i, top) {
		let best = null;

		this.spec.lines.forEach((l, line) => {
			if (l.y[i] === null || l.y[i] === undefined) return;
			const far = Math.abs(this.u.valToPos(l.y[i], 'y') - top);
			if (!best || far < best.far) best = { line, far };
		});
		return best;
	}

	shiftClick(e) {
		const { u } = this;
		if (!e.shiftKey || !this.spec.mark) return;
		e.stopImmediatePropagation();
		const hit = this.nearest(u.cursor.idx, u.cursor.top);
		if (hit && hit.far <= NEAR) this.choose(hit.line);
	}

	choose(line) {
		this.spec.mark(this.spec.lines[line]);
		this.u.redraw(false, false);
	}

	// up and down among the lines at the point
	otherLine(by) {
		const { u, spec } = this;
		const order = spec.lines
			.map((l, i) => ({ i, y: l.y[this.at] }))
			.filter((o) => o.y !== null && o.y !== undefined)
			.sort((a, b) => b.y - a.y);
		const at = order.findIndex((o) => o.i === this.line);

		if (!order.length) return;
		this.line = order[at < 0 ? 0 : (at + by + order.length) % order.length].i;
		this.show(this.at);
		u.redraw(false, false);
	}

	show(i) {
		super.show(i);
		if (this.line === undefined) return;
		const label = this.spec.lines[this.line]?.label;
		for (const row of this.tip.querySelectorAll('tbody tr'))
			row.toggleAttribute('data-on', row.querySelector('th')?.textContent.trim() === label);
	}

	hide() {
		super.hide();
		if (this.line !== undefined) {
			this.line = undefined;
			this.u?.redraw(false, false);
		}
	}

	// the line that is chosen, and those that are marked, have rings
	over(u) {
		super.over(u);
		const r = devicePixelRatio;
		const { spec, theme: t } = this;

		spec.lines.forEach((l, k) => {
			if (!spec.isMarked?.(l) && k !== this.line) return;
			u.ctx.save();
			l.y.forEach((v, i) => {
				if (v === null || (k === this.line && !spec.isMarked?.(l) && i !== this.at)) return;
				u.ctx.beginPath();
				u.ctx.arc(u.valToPos(spec.xs[i], 'x', true), u.valToPos(v, 'y', true), 8 * r, 0, 7);
				u.ctx.strokeStyle = t.get('--focus');
				u.ctx.lineWidth = 2 * r;
				u.ctx.stroke();
				marker(u.ctx, u.valToPos(spec.xs[i], 'x', true), u.valToPos(v, 'y', true), l, t, r);
			});
			u.ctx.restore();
		});
	}

	onKey(e) {
		const plain = !e.ctrlKey && !e.metaKey && !e.altKey;
		const act = {
			ArrowUp: () => this.at !== null && this.otherLine(-1),
			ArrowDown: () => this.at !== null && this.otherLine(1),
			x: () => this.line !== undefined && this.spec.mark && this.choose(this.line),
			0: () => this.spec.zoomed?.(null),
		}[e.key];

		if (!plain || !act) {
			super.onKey(e);
			return;
		}
		act();
		e.preventDefault();
		e.stopPropagation();
	}
}
