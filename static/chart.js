// SPDX-License-Identifier: GPL-2.0-or-later
// Interactive pictures with uPlot where the build has it: same colours, markers and dashes as chart/svg*.c.
// Hover shows, click pins, Esc unpins, arrow keys walk, brush zooms, double click or 0 resets.

import {
	DASHES,
	extent,
	marker,
	measure,
	poly,
	ROW,
	sample,
	shorten,
	spread,
	stroke,
	STYLES,
	theme,
	ticks,
	widen,
} from './chart_marks.js';
import { h, replace } from './dom.js';

const NARROW = 620; // px; below it lines are named under the plot
export const LEFT = 72;
const KEYS_MOST = 24;
const PRINTING = ['beforeprint', 'afterprint'];

let loading;

// The constructor, or null in a build without it.
export function uplot() {
	loading ??= (async () => {
		if (document.body.dataset.plots !== 'uplot') return null;
		try {
			const [mod] = await Promise.all([
				import('/static/vendor/uPlot.esm.js'),
				sheet('/static/vendor/uPlot.min.css'),
			]);
			return mod.default;
		} catch {
			return null;
		}
	})();
	return loading;
}

function sheet(href) {
	return new Promise((done) => {
		const link = h('link', { rel: 'stylesheet', href, onload: done, onerror: done });
		// before ours, so that base.css has the last word
		document.head.insertBefore(link, document.head.querySelector('link[rel=stylesheet]'));
	});
}

/*
 * One plot in host. spec: xs, xLog, xTitle, xText(v, narrow), xAbout(v), yLog, yText(v), yFromZero, lines
 * [{label, end, style, hollow, y, lo, hi}], onsets [{x, style, text}], steps [{line, at, text, worse}], height,
 * room (px right of it), axis (false: no x names), sync, tip(i), open(i, line). Returns {destroy}.
 */
export class Plot {
	constructor(Uplot, host, spec) {
		this.Uplot = Uplot;
		/** @type {HTMLElement & {plot?: Plot}} */
		this.host = host;
		/** @type {any} */
		this.spec = spec;
		this.pinned = null;
		this.at = null;
		this.theme = theme();
		this.tip = h('div.tip', { role: 'status', hidden: true });
		host.tabIndex = 0;
		host.setAttribute('role', 'group');
		host.setAttribute('aria-label', spec.label + '. Arrow keys walk the points, Enter pins.');
		this.key = (e) => this.onKey(e);
		host.addEventListener('keydown', this.key);
		host.addEventListener('blur', (this.blur = () => this.pinned === null && this.hide()));
		this.u = new Uplot(this.options(), [spec.xs, ...spec.lines.map((l) => l.y)], host);
		host.append(this.tip);
		this.mouse();
		document.addEventListener('unpin', (this.unpin = () => this.pinned !== null && this.pin(null)));
	}

	narrow() {
		return this.host.clientWidth < NARROW;
	}

	/** @returns {any} what uPlot takes */
	options() {
		const { spec, theme: t } = this;
		const font = `12px ${t.font}`;
		const narrow = this.narrow();
		const rows = spec.onsets?.length ?? 0;
		const grid = { stroke: t.get('--rule'), width: 1 };
		const axisFont = { font, stroke: t.get('--muted') };
		const yRange = () => this.yRange();

		return {
			width: Math.max(200, this.host.clientWidth),
			height: spec.height,
			pxAlign: 0,
			padding: [8 + rows * ROW, narrow ? this.overhang(font) : spec.room, spec.axis === false ? 8 : 0, 0],
			legend: { show: false },
			scales: {
				x: { time: false, distr: spec.xLog ? 3 : 1, range: (u, min, max) => this.xRange(min, max) },
				y: { distr: spec.yLog ? 3 : 1, range: yRange },
			},
			series: [
				{},
				...spec.lines.map((l) => ({
					stroke: t.line[l.style % STYLES],
					width: 2,
					dash: DASHES[l.style % STYLES].length ? DASHES[l.style % STYLES] : undefined,
					points: { show: false },
					spanGaps: false,
				})),
			],
			axes: [
				{
					...axisFont,
					stroke: t.get('--fg'),
					grid: spec.even ? { show: false } : grid,
					ticks: { stroke: t.get('--axis'), size: 5, width: 1 },
					border: { show: true, stroke: t.get('--axis'), width: 1 },
					size: spec.axis === false ? 1 : spec.even ? this.slant().size : 44,
					gap: 4,
					filter: (u, splits) => splits,
					splits: (u) => spec.xs.filter((v) => v >= u.scales.x.min && v <= u.scales.x.max),
					values: (u, splits) =>
						spec.axis === false ? splits.map(() => '') : this.xNames(u, splits),
					rotate: spec.even && this.slant().on ? 36 : 0,
				},
				{
					...axisFont,
					size: LEFT,
					gap: 8,
					grid,
					ticks: { show: false },
					filter: (u, splits) => splits,
					splits: (u) => ticks(u.scales.y.min, u.scales.y.max, spec.yLog),
					values: (u, splits) => splits.map((v) => spec.yText(v)),
				},
			],
			cursor: {
				drag: { x: true, y: false, dist: 6 },
				sync: spec.sync ? { key: spec.sync, setSeries: false } : undefined,
				x: false,
				y: false,
				points: {
					size: 13,
					width: 2,
					fill: 'transparent',
					stroke: (u, i) => t.line[spec.lines[i - 1].style % STYLES],
				},
			},
			hooks: {
				drawAxes: [(u) => this.under(u)],
				draw: [(u) => this.over(u)],
				setCursor: [(u) => this.onCursor(u)],
			},
		};
	}

	// what the last position's name needs beside its tick, where no line names stand there
	overhang(font) {
		const { spec } = this;
		return Math.max(14, spec.even ? 0 : measure(spec.xText(spec.xs.at(-1), true), font) / 2 - 4);
	}

	// all of it with some air at both ends, or what the brush asks for
	xRange(min, max) {
		const { xs, xLog } = this.spec;
		return min === null || min === undefined || (min === xs[0] && max === xs.at(-1))
			? widen([xs[0], xs.at(-1)], xLog, 0.03)
			: [min, max];
	}

	// of all points, zoomed or not: a brush must not make a small change look large
	/** @returns {[number, number]} */
	yRange() {
		const { spec } = this;
		const seen = extent(spec.lines, spec.yLog);

		if (spec.yFromZero) ((seen[0] = Math.min(0, seen[0])), (seen[1] = Math.max(0, seen[1])));
		if (spec.yFromZero && seen[1] - seen[0] < 4 && spec.percent) ((seen[0] -= 2), (seen[1] += 2));
		let [lo, hi] = widen(seen, spec.yLog, spec.yLog ? 0.05 : 0.08);
		// what a step says stands above or below its line
		for (const up of new Set((spec.steps ?? []).map((s) => s.up))) {
			const wide = widen([lo, hi], spec.yLog, 34 / spec.height);
			[lo, hi] = up ? [lo, wide[1]] : [wide[0], hi];
		}
		return [spec.yFromZero && !spec.percent && seen[0] >= 0 ? 0 : lo, hi];
	}

	// whether names of kernels must be slanted, and the room they take
	slant() {
		const { spec } = this;
		const font = `12px ${this.theme.font}`;
		const longest = Math.max(...spec.xs.map((v) => measure(spec.xText(v), font)));
		const step =
			(this.host.clientWidth - LEFT - (this.narrow() ? 14 : spec.room)) / Math.max(1, spec.xs.length);
		const on = longest + 10 > step;

		return {
			on,
			size: on ? Math.min(130, longest * 0.6 + 26) : 30,
			every: on ? Math.ceil(19 / step) : 1,
		};
	}

	xNames(u, splits) {
		const { spec } = this;
		const font = `12px ${this.theme.font}`;
		const narrow = this.narrow();
		if (spec.even) {
			const { every } = this.slant();
			return splits.map((v) => (v % every ? null : spec.xText(v, narrow)));
		}
		const names = splits.map((v) => {
			const text = spec.xText(v, narrow),
				about = spec.xAbout?.(v) ?? '';
			return {
				text: about ? `${text}\n${about}` : text,
				at: u.valToPos(v, 'x'),
				half: Math.max(measure(text, font), measure(about, font)) / 2,
			};
		});
		// the first and the last are always named, between them what has room
		const last = names.at(-1);
		const fits = (a, b) => a === b || a.at + a.half + 8 <= b.at - b.half;
		let before = null;
		return names.map((n) => {
			if (n !== last && ((before && !fits(before, n)) || !fits(n, last))) return null;
			before = n;
			return n.text;
		});
	}

	// zero line and onsets, below the lines
	under(u) {
		const { ctx } = u;
		const { spec, theme: t } = this;
		const r = devicePixelRatio;
		const { left, top, width, height } = u.bbox;

		ctx.save();
		if (spec.yFromZero && u.scales.y.min <= 0) {
			const y = u.valToPos(0, 'y', true);
			stroke(
				ctx,
				[
					[left, y],
					[left + width, y],
				],
				t.get('--axis'),
				r,
			);
		}
		(spec.onsets ?? []).forEach((o, i) => {
			const x = u.valToPos(o.x, 'x', true);
			const y = top - (spec.onsets.length - i) * ROW * r + 2 * r;

			if (o.x < u.scales.x.min || o.x > u.scales.x.max) return;
			ctx.setLineDash([2 * r, 3 * r]);
			stroke(
				ctx,
				[
					[x, y + 4 * r],
					[x, top + height],
				],
				t.line[o.style % STYLES],
				r,
			);
			ctx.font = `${12 * r}px ${t.font}`;
			ctx.fillStyle = t.line[o.style % STYLES];
			ctx.textAlign =
				x + measure(o.text, `12px ${t.font}`) * r > left + width + (spec.room - 10) * r
					? 'right'
					: 'left';
			ctx.textBaseline = 'alphabetic';
			ctx.fillText(o.text, x - 4 * r, y);
		});
		ctx.restore();
		spec.lines.forEach((l) => this.band(u, l));
	}

	band(u, l) {
		const { ctx } = u;
		const r = devicePixelRatio;
		const { xs, yLog } = this.spec;
		const color = this.theme.line[l.style % STYLES];
		const has = (i) =>
			l.y[i] !== null &&
			Number.isFinite(l.lo?.[i]) &&
			Number.isFinite(l.hi?.[i]) &&
			(!yLog || l.lo[i] > 0);
		const X = (i) => u.valToPos(xs[i], 'x', true);
		const Y = (v) => u.valToPos(v, 'y', true);

		ctx.save();
		ctx.beginPath();
		ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
		ctx.clip();
		for (let from = 0; from < xs.length; from++) {
			let to = from;
			if (!has(from)) continue;
			while (to + 1 < xs.length && has(to + 1)) to++;
			ctx.beginPath();
			for (let i = from; i <= to; i++) ctx.lineTo(X(i), Y(l.hi[i]));
			for (let i = to; i >= from; i--) ctx.lineTo(X(i), Y(l.lo[i]));
			ctx.closePath();
			ctx.globalAlpha = 0.16;
			ctx.fillStyle = color;
			ctx.fill();
			ctx.globalAlpha = 1;
			for (let i = from; i <= to && xs.length <= 80; i++) {
				stroke(
					ctx,
					[
						[X(i), Y(l.lo[i])],
						[X(i), Y(l.hi[i])],
					],
					color,
					r,
				);
				for (const v of [l.lo[i], l.hi[i]])
					stroke(
						ctx,
						[
							[X(i) - 3 * r, Y(v)],
							[X(i) + 3 * r, Y(v)],
						],
						color,
						r,
					);
			}
			from = to;
		}
		ctx.restore();
	}

	// markers, bridges over gaps, steps, and names at the ends
	over(u) {
		const { ctx } = u;
		const { spec, theme: t } = this;
		const r = devicePixelRatio;
		const inside = (i) => spec.xs[i] >= u.scales.x.min && spec.xs[i] <= u.scales.x.max;

		ctx.save();
		for (const l of spec.lines) {
			let last = null;
			l.y.forEach((v, i) => {
				if (v === null || !inside(i)) return;
				const x = u.valToPos(spec.xs[i], 'x', true);
				const y = u.valToPos(v, 'y', true);

				if (last && last.i < i - 1) {
					ctx.setLineDash([r, 4 * r]);
					stroke(
						ctx,
						[
							[last.x, last.y],
							[x, y],
						],
						t.line[l.style % STYLES],
						r,
					);
					ctx.setLineDash([]);
				}
				if (spec.xs.length <= 80 || i === 0 || i === spec.xs.length - 1 || l.y[i - 1] === null)
					marker(ctx, x, y, l, t, r);
				last = { i, x, y };
			});
		}
		(spec.steps ?? []).filter((s) => inside(s.at)).forEach((s) => this.step(u, s));
		if (!this.narrow()) this.ends(u, inside);
		ctx.restore();
	}

	step(u, s) {
		const { ctx } = u;
		const t = this.theme;
		const r = devicePixelRatio;
		const v = s.line.y[s.at];

		if (v === null) return;
		const x = u.valToPos(s.at, 'x', true);
		const y = u.valToPos(v, 'y', true);
		const d = s.up ? -1 : 1;

		ctx.fillStyle = t.get(s.worse ? '--worse' : '--better');
		ctx.beginPath();
		poly(ctx, x, y, r, [
			[0, 8 * d],
			[-5, 16 * d],
			[5, 16 * d],
		]);
		ctx.fill();
		ctx.font = `${12 * r}px ${t.font}`;
		ctx.textAlign = 'center';
		ctx.lineWidth = 4 * r;
		ctx.strokeStyle = t.get('--bg');
		ctx.strokeText(s.text, x, y + (s.up ? -20 : 29) * r);
		ctx.fillText(s.text, x, y + (s.up ? -20 : 29) * r);
	}

	ends(u, inside) {
		const { ctx } = u;
		const { spec, theme: t } = this;
		const r = devicePixelRatio;
		const edge = u.bbox.left + u.bbox.width;
		/** @type {{l: any, x: number, y: number, at?: number}[]} */
		const labels = [];

		for (const l of spec.lines) {
			const i = l.y.findLastIndex((v, k) => v !== null && inside(k));
			if (i >= 0 && (l.end ?? l.label))
				labels.push({
					l,
					x: u.valToPos(spec.xs[i], 'x', true),
					y: u.valToPos(l.y[i], 'y', true) / r,
				});
		}
		const room = Math.max(2, Math.floor(u.bbox.height / r / ROW));
		const left = labels.length - room;
		if (left > 0) labels.length = room - 1;
		spread(labels, u.bbox.top / r + 5, (u.bbox.top + u.bbox.height) / r - 5 - (left > 0 ? ROW : 0));
		ctx.font = `${12 * r}px ${t.font}`;
		ctx.textAlign = 'left';
		ctx.textBaseline = 'middle';
		for (const { l, x, y, at } of labels) {
			stroke(
				ctx,
				[
					[x + 7 * r, y * r],
					[edge + 8 * r, at * r],
				],
				t.get('--axis'),
				0.7 * r,
			);
			ctx.fillStyle = t.line[l.style % STYLES];
			ctx.fillText(shorten(l.end ?? l.label, 34), edge + 12 * r, at * r);
		}
		if (left > 0) {
			ctx.fillStyle = t.get('--muted');
			ctx.fillText(`and ${left + 1} more`, edge + 12 * r, u.bbox.top + u.bbox.height - 4 * r);
		}
	}

	mouse() {
		const { u } = this;
		let down = null;

		u.over.addEventListener('mousedown', (e) => (down = [e.clientX, e.clientY]));
		u.over.addEventListener('mouseenter', () => (this.inside = true));
		u.over.addEventListener('mouseleave', () => {
			this.inside = false;
			if (this.pinned === null) this.hide();
		});
		u.over.addEventListener('click', (e) => {
			if (down && Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 5) return;
			this.pin(this.pinned === u.cursor.idx ? null : u.cursor.idx);
		});
	}

	onCursor(u) {
		if (this.pinned !== null || (!this.inside && !this.walking)) return;
		if (u.cursor.idx === null || u.cursor.idx === undefined || u.cursor.left < 0) this.hide();
		else this.show(u.cursor.idx);
	}

	pin(i) {
		this.pinned = i ?? null;
		this.tip.classList.toggle('pinned', this.pinned !== null);
		if (this.pinned === null && !this.inside) this.hide();
		else if (i !== null && i !== undefined) this.show(i);
	}

	show(i) {
		const { u, tip, host } = this;
		const { caption, head, rows, link } = this.spec.tip(i, this.narrow());

		this.at = i;
		replace(
			tip,
			h(
				'table',
				h('caption', caption),
				head &&
					h(
						'thead',
						h(
							'tr',
							head.map((t) => h('th', t)),
						),
					),
				h(
					'tbody',
					rows.map((row) =>
						h(
							'tr',
							h('th', sample(row.style, row.hollow), ' ', shorten(row.label, 30)),
							row.cells.map((c) => h('td', c)),
						),
					),
				),
			),
			this.pinned === null
				? null
				: h('p.hint', link ? [h('a', { href: link.href }, link.text), ' · '] : '', 'Esc unpins'),
		);
		tip.hidden = false;
		// beside the point, never on it
		const x = u.valToPos(this.spec.xs[i], 'x') + u.over.offsetLeft;
		const w = tip.offsetWidth;
		const left =
			x + 18 + w <= host.clientWidth
				? x + 18
				: x - 18 - w >= 0
					? x - 18 - w
					: Math.max(0, host.clientWidth - w);
		tip.style.left = `${left}px`;
		tip.style.top = `${u.over.offsetTop + 6}px`;
	}

	hide() {
		this.tip.hidden = true;
		this.at = null;
	}

	walk(i) {
		const { u, spec } = this;

		this.walking = true;
		this.pinned = null;
		u.setCursor({ left: u.valToPos(spec.xs[i], 'x'), top: u.over.clientHeight / 2 });
		this.show(i);
		this.walking = false;
	}

	onKey(e) {
		const n = this.spec.xs.length;
		const at = this.at ?? (e.key === 'ArrowLeft' ? n : -1);
		const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: n - 1 }[e.key];

		if (e.ctrlKey || e.metaKey || e.altKey) return;
		if (to !== undefined) this.walk(Math.min(n - 1, Math.max(0, to)));
		else if (e.key === 'Enter' && this.at !== null) this.pin(this.pinned === null ? this.at : null);
		else if (e.key === 'Escape' && (this.pinned !== null || this.at !== null))
			(this.pin(null), this.hide());
		else if (e.key === '0') this.u.setScale('x', { min: this.spec.xs[0], max: this.spec.xs.at(-1) });
		else return;
		e.preventDefault();
		e.stopPropagation();
	}

	destroy() {
		this.host.removeEventListener('keydown', this.key);
		this.host.removeEventListener('blur', this.blur);
		document.removeEventListener('unpin', this.unpin);
		this.u.destroy();
		this.tip.remove();
	}
}

// Width that names at the ends want.
export function roomFor(lines) {
	const font = `12px ${getComputedStyle(document.body).fontFamily}`;
	return Math.min(
		270,
		Math.max(40, ...lines.map((l) => measure(shorten(l.end ?? l.label, 34), font) + 22)),
	);
}

// The numbers as text, and the picture as a file: done by what is loaded when it is asked for
function takeAway(host, specs) {
	const button = (text, title, act) =>
		h(
			'button.plain',
			{
				type: 'button',
				title,
				onclick: async (e) => act(await import('./picture_out.js'), e.target),
			},
			text,
		);

	return h(
		'p.take',
		button('copy as text table', 'Its numbers, aligned for a mail', (m, el) => m.copyText(specs, el)),
		' \u00b7 ',
		button('PNG', 'The picture as a file', (m) => m.savePng(host, specs)),
	);
}

/*
 * Plots under each other in one panel, redrawn when its width or the colours change. specs share x. Kind: the class of the
 * plots. Returns destroy(), which has them as destroy.plots.
 */
export function draw(Uplot, panel, specs, Kind = Plot) {
	let plots = [];
	let width = 0;
	const host = h('div');
	/** @type {(() => void) & {plots?: Plot[]}} */
	const destroy = () => {
		resize.disconnect();
		dark.removeEventListener('change', build);
		for (const when of PRINTING) removeEventListener(when, build);
		plots.forEach((p) => p.destroy());
	};
	const hosts = specs.map(() => h('div.plot'));
	const keys = h(
		'ul.keys',
		specs[0].lines.slice(0, KEYS_MOST).map((l) => h('li', sample(l.style, l.hollow), l.label)),
		specs[0].lines.length > KEYS_MOST ? h('li', `and ${specs[0].lines.length - KEYS_MOST} more`) : null,
	);
	const room = roomFor(specs.flatMap((s) => s.lines));

	host.append(
		...specs.flatMap((s, i) => [h('div.ylabel', s.yTitle), hosts[i]]),
		specs[0].xTitle ? h('div.xlabel', specs[0].xTitle) : '',
		keys,
		takeAway(host, specs),
	);
	panel.append(host);
	const build = () => {
		plots.forEach((p) => p.destroy());
		width = panel.clientWidth;
		keys.hidden = width >= NARROW;
		plots = width ? specs.map((s, i) => new Kind(Uplot, hosts[i], { ...s, room })) : [];
		destroy.plots = plots;
	};
	const resize = new ResizeObserver(() => panel.clientWidth !== width && build());
	const dark = matchMedia('(prefers-color-scheme: dark)');

	build();
	resize.observe(panel);
	dark.addEventListener('change', build);
	for (const when of PRINTING) addEventListener(when, build); // the paper is set by then, or gone: see app.js
	return destroy;
}
