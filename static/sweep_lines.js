// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of a sweep: which of them stand in one panel, what they are called, how they are styled.

import * as f from './format.js';

// what else must be equal for lines to stand in one panel
const PANEL_BY = {
	kernel: (l) => [l.machine, l.thp],
	uarch: (l) => [l.kernel.name, l.thp],
	thp: (l) => [l.kernel.name, l.machine],
};

export const panelKey = (l, by) => JSON.stringify(PANEL_BY[by](l));
const rest = (l, axis) => [l.benchmark, l.metric, l.base_page_kib, f.params(l.params, axis)];
const keyOf = (l, by, axis) => JSON.stringify([...PANEL_BY[by](l), ...rest(l, axis)]);

export function panelsOf({ lines, ratios, axis }, by) {
	const panels = new Map();

	for (const l of lines) {
		const key = keyOf(l, by, axis.name);
		if (!panels.has(key)) panels.set(key, { lines: [], ratios: [], base: lines[0].kernel });
		panels.get(key).lines.push(l);
	}
	for (const r of ratios) panels.get(keyOf(r, by, axis.name))?.ratios.push(r);
	return [...panels.values()];
}

export function kernelName(kernel, lines) {
	const kernels = lines.map((l) => l.kernel);
	return f.shortKernel(kernel, kernels);
}

export function lineName(l, by, all) {
	if (by === 'kernel') return kernelName(l.kernel, all);
	if (by === 'thp') return `THP ${l.thp}`;
	return all.filter((o) => o.uarch === l.uarch).length > 1 ? `${l.uarch} (${l.machine})` : l.uarch;
}

// The dimensions in which panels differ, as a panel's title.
export function panelTitle(panel, panels, by) {
	const l = panel.lines[0],
		out = [];
	const differs = (of) => new Set(panels.map((p) => of(p.lines[0]))).size > 1;

	if (by !== 'kernel' && differs((o) => o.kernel.name)) out.push(f.tag(l.kernel));
	if (differs((o) => o.benchmark)) out.push(l.benchmark);
	if (differs((o) => o.metric)) out.push(l.metric);
	if (by !== 'uarch' && differs((o) => o.machine)) out.push(`${l.machine} (${l.uarch})`);
	if (by !== 'thp' && differs((o) => o.thp)) out.push(`THP ${l.thp}`);
	return out.join(', ');
}

const lineKey = (l, by) =>
	by === 'kernel' ? l.kernel.name : by === 'thp' ? l.thp : `${l.uarch} ${l.machine}`;

// What a line is has one style in all panels: line or ratio -> index.
export function styles(lines, by) {
	const names = [...new Set(lines.map((l) => lineKey(l, by)))];
	return (l) => names.indexOf(lineKey(l, by));
}

// All measured positions of a panel, ascending.
export function positions(panel) {
	const all = panel.lines.flatMap((l) => l.points.map((p) => p.x));
	return [...new Set(all)].sort((a, b) => a - b);
}

export const unitOf = (axis) => axis.unit || f.unitOfParam(axis.name);
