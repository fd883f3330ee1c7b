// SPDX-License-Identifier: GPL-2.0-or-later
// What chart.js is to draw for a panel of a sweep: cost by size, and below it the change.

import * as f from './format.js';
import { extent } from './chart_marks.js';
import { isOf, lineName, positions, unitOf } from './sweep_lines.js';

const MAIN_SHARE = 0.62; // of the height, where ratios stand below

// y of a line at each x: as measured, a page, or percent of the first line
function seriesOf(line, xs, mode, first) {
	const at = new Map(line.points.map((p) => [p.x, p]));
	const ref = new Map(first.points.map((p) => [p.x, p.y]));
	const step = line.fit?.unit_step ?? 1;
	const by = (x) => (mode === 'page' ? step / x : mode === 'percent' ? 100 / ref.get(x) : 1);
	const pick = (key) =>
		xs.map((x) => {
			const v = at.get(x)?.[key];
			return v === null || v === undefined || !Number.isFinite(by(x)) ? null : v * by(x);
		});

	return { y: pick('y'), lo: pick('lo'), hi: pick('hi') };
}

function yTitle(mode, panel, firstName, axis) {
	const { unit, fit } = panel.lines[0];

	if (mode === 'percent') return `% of ${firstName}`;
	if (mode === 'page') return `${unit.replace(/\/.*/, '')} per ${fit?.unit ?? axis.name}`;
	return unit;
}

function tip(i, xs, lines, ratios, yText, unit) {
	const about = f.about(xs[i], unit);
	const cells = (l) => {
		const change = ratios.find((r) => r.style === l.style)?.y[i];
		return [yText(l.y[i]), f.percentCell(change)];
	};

	return {
		caption: f.position(xs[i], unit) + (about ? ` (${about})` : ''),
		rows: lines
			.filter((l) => l.y[i] !== null)
			.map((l) => ({ style: l.style, hollow: l.hollow, label: l.label, cells: cells(l) })),
	};
}

function ratioLines(panel, xs, lines, style) {
	return panel.ratios.map((r) => {
		const at = new Map(r.points.map((p) => [p.x, p.percent]));
		const y = xs.map((x) => at.get(x) ?? null);

		return {
			label: lines[panel.lines.findIndex((l) => isOf(r, l))]?.label ?? '',
			end: f.percent(y.findLast((v) => v !== null)),
			style: style(r),
			hollow: Boolean(r.kernel.variant),
			of: panel.lines.find((l) => isOf(r, l)),
			y,
		};
	});
}

const ONSETS_MOST = 4; // rows over a plot

// From where on it moved: those of one place stand together.
function onsets(panel, lines, style, unit) {
	const at = new Map();

	panel.ratios
		.filter((r) => Number.isFinite(r.onset))
		.forEach((r) => at.set(r.onset, [...(at.get(r.onset) ?? []), r]));
	const name = (r) => lines[panel.lines.findIndex((l) => isOf(r, l))]?.label;
	const many = panel.ratios.length > 1 && at.size > 1;
	return [...at]
		.sort((a, b) => a[0] - b[0])
		.slice(0, ONSETS_MOST)
		.map(([x, ratios]) => ({
			x,
			style: style(ratios[0]),
			text: `from ${f.position(x, unit)} on${many ? ` (${ratios.length > 1 ? ratios.length : name(ratios[0])})` : ''}`,
		}));
}

// One scale for panels that are compared by eye: what all of them need, where their unit is the same.
export function shareScale(plots) {
	for (const specs of [plots.map((p) => p[0]), plots.map((p) => p[1]).filter(Boolean)]) {
		const log = specs.every((s) => s.yLog);

		if (specs.length < 2 || new Set(specs.map((s) => s.unit)).size > 1) continue;
		const shared = extent(
			specs.flatMap((s) => s.lines),
			log,
		);
		for (const s of specs) s.shared = shared;
	}
}

// style(line or ratio) -> index; mode is the y= argument. Returns what draw() takes.
export function sweepPlots(panel, axis, { by, mode, style, height }) {
	const xs = positions(panel);
	const unit = unitOf(axis);
	const first = panel.lines[0];
	const lines = panel.lines.map((l) => ({
		label: lineName(l, by, panel.lines),
		style: style(l),
		hollow: Boolean(l.kernel.variant),
		of: l,
		...seriesOf(l, xs, mode, first),
	}));
	const ratios = ratioLines(panel, xs, lines, style);
	const xLog = xs[0] > 0 && xs.at(-1) >= 8 * xs[0];
	const yLog = lines.every((l) => l.y.every((v) => v === null || v > 0));
	const value = (v) => f.value(v, first.unit) || f.significant(v);
	const shared = {
		xs,
		xLog,
		sync: panel.key,
		unit: `${first.benchmark} ${first.unit} ${mode}`,
		// without room the unit is the title's alone, unless it is a larger one
		xText: (v, narrow) => (narrow && !(unit === 'KiB' && v >= 1024 && v % 1024 === 0) ? f.grouped(v) : f.position(v, unit)),
		xAbout: (v) => f.about(v, unit),
		xTitle: `${unit ? `${axis.name.replace(/_(kib|bytes)$/, '')} in ${unit}` : axis.name}${xLog ? ', log scale' : ''}`,
		tip: (i) =>
			tip(i, xs, lines, ratios, mode === 'percent' ? (v) => f.percentCell(v, false) : value, unit),
	};
	const main = {
		...shared,
		label: 'Cost by size',
		lines,
		yLog,
		yText: mode === 'percent' ? (v) => `${f.grouped(Math.round(v))} %` : (v) => f.tick(v, first.unit),
		yTitle: yTitle(mode, panel, lines[0].label, axis) + (yLog ? ', log scale' : ''),
		height: ratios.length ? Math.round(height * MAIN_SHARE) : height,
		axis: !ratios.length,
	};
	const below = {
		...shared,
		label: 'Change by size',
		lines: ratios,
		yText: f.percent,
		yFromZero: true,
		percent: true,
		height: Math.round(height * (1 - MAIN_SHARE)),
		yTitle: `change against ${f.tag(panel.base)}`,
		onsets: onsets(panel, lines, style, unit),
	};

	return ratios.length ? [main, below] : [main];
}
