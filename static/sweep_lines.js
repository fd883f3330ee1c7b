// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of a sweep: which of them stand in one panel, what they are called, how they are styled.

import * as f from './format.js';

// What tells lines apart: each makes the lines of a panel, or panels. The rest (benchmark, metric, ...) always makes panels:
// other units do not stand on one axis.
const DIMS = {
	kernel: (l) => l.kernel.name,
	machine: (l) => l.machine,
	thp: (l) => l.thp,
};
export const DIM_NAMES = Object.keys(DIMS);
export const LINES_MOST = 12; // of a panel; more are not told apart

const rest = (l, axis) => [l.benchmark, l.metric, l.base_page_kib, f.params(l.params, axis)];

// "uarch" is what older links call machines
const dim = (by) => (by === 'uarch' ? 'machine' : by);

// The dimensions that make panels: those named, or all but that of the lines.
export function panelDims(by, panels = 'auto') {
	if (panels === 'auto') return DIM_NAMES.filter((d) => d !== dim(by));
	return DIM_NAMES.filter((d) => d === panels && d !== dim(by));
}

const keyOf = (l, dims, axis) => JSON.stringify([...dims.map((d) => DIMS[d](l)), ...rest(l, axis)]);

// [{lines, ratios, base, left}]: left, how many lines more there are than are told apart
export function panelsOf({ lines, ratios, axis }, by, panels = 'auto') {
	const dims = panelDims(by, panels);
	const out = new Map();

	for (const l of lines) {
		const key = keyOf(l, dims, axis.name);
		if (!out.has(key)) out.set(key, { key, lines: [], ratios: [], base: lines[0].kernel, left: 0 });
		const panel = out.get(key);
		if (panel.lines.length < LINES_MOST) panel.lines.push(l);
		else panel.left++;
	}
	for (const r of ratios) {
		const panel = out.get(keyOf(r, dims, axis.name));
		if (panel?.lines.some((l) => isOf(r, l))) panel.ratios.push(r);
	}
	return [...out.values()];
}

// Whether a ratio is that of a line against the first kernel.
export const isOf = (ratio, l) => DIM_NAMES.every((d) => DIMS[d](ratio) === DIMS[d](l));

export function kernelName(kernel, lines) {
	const kernels = lines.map((l) => l.kernel);
	return f.shortKernel(kernel, kernels);
}

const nameOf = {
	kernel: (l, all) => kernelName(l.kernel, all),
	machine: (l, all) => (all.some((o) => o.uarch === l.uarch && o.machine !== l.machine) ? `${l.uarch} (${l.machine})` : l.uarch),
	thp: (l) => `THP ${l.thp}`,
};

// What a line is called among those of its panel: by all in which they differ, that of the lines first.
export function lineName(l, by, all) {
	const first = dim(by);
	const differ = DIM_NAMES.filter((d) => d !== first && new Set(all.map(DIMS[d])).size > 1);

	return [first, ...differ].map((d) => nameOf[d](l, all)).join(', ');
}

// The dimensions in which panels differ, as a panel's title.
export function panelTitle(panel, panels, by, split = 'auto') {
	const of = panelDims(by, split);
	const l = panel.lines[0],
		out = [];
	const differs = (of) => new Set(panels.map((p) => of(p.lines[0]))).size > 1;

	if (of.includes('kernel') && differs((o) => o.kernel.name)) out.push(f.tag(l.kernel));
	if (differs((o) => o.benchmark)) out.push(l.benchmark);
	if (differs((o) => o.metric)) out.push(l.metric);
	if (of.includes('machine') && differs((o) => o.machine)) out.push(`${l.machine} (${l.uarch})`);
	if (of.includes('thp') && differs((o) => o.thp)) out.push(`THP ${l.thp}`);
	return out.join(', ');
}

// What a line is has one style in all panels: line or ratio -> index.
export function styles(lines, by, panels = 'auto') {
	const dims = DIM_NAMES.filter((d) => !panelDims(by, panels).includes(d));
	const key = (l) => JSON.stringify(dims.map((d) => DIMS[d](l)));
	const names = [...new Set(lines.map(key))];

	return (l) => names.indexOf(key(l));
}

// All measured positions of a panel, ascending.
export function positions(panel) {
	const all = panel.lines.flatMap((l) => l.points.map((p) => p.x));
	return [...new Set(all)].sort((a, b) => a - b);
}

export const unitOf = (axis) => axis.unit || f.unitOfParam(axis.name);
