// SPDX-License-Identifier: GPL-2.0-or-later
// A picture to take away: its numbers as a text table for a mail, and itself as a PNG with its title and the names of its
// lines. Loaded when somebody asks for one.

import { theme } from './chart_marks.js';

const COLUMNS_MOST = 24;

// "kernel   4 KiB   400 KiB": right-aligned, two blanks between columns. spec: as chart.js takes it.
export function textTable(spec) {
	const lines = spec.lines.slice(0, COLUMNS_MOST);
	const plain = (text) => String(text).replace(/[\u202f\u2009\u00a0]/g, ' ').replaceAll('\u2212', '-');
	const rows = [
		[plain(spec.yTitle ?? ''), ...lines.map((l) => plain(l.label))],
		...spec.xs.map((x, i) => [
			plain(spec.xText(x, false)),
			...lines.map((l) => (l.y[i] === null || l.y[i] === undefined ? '-' : plain(spec.yText(l.y[i])))),
		]),
	];
	const width = rows[0].map((_, c) => Math.max(...rows.map((r) => [...r[c]].length)));
	const cell = (t, c) => (c ? t.padStart(width[c]) : t.padEnd(width[c]));

	return rows.map((r) => r.map(cell).join('  ').trimEnd()).join('\n') + '\n';
}

export async function copyText(specs, button) {
	const text = specs.map(textTable).join('\n');

	try {
		await navigator.clipboard.writeText(text);
		button.textContent = 'copied';
	} catch {
		button.textContent = 'the browser does not allow it';
	}
}

// Every canvas of the panel under each other, below the page's statement, on the page's ground
export function png(panel, specs) {
	const t = theme();
	const r = devicePixelRatio;
	const canvases = [...panel.querySelectorAll('canvas')];
	const title = [document.querySelector('h1')?.textContent ?? '', document.querySelector('#what')?.textContent ?? ''];
	const names = panel.querySelector('.keys:not([hidden])') ? specs[0].lines.map((l) => l.label) : [];
	const head = 56 * r;
	const step = 22 * r;
	const out = document.createElement('canvas');

	out.width = Math.max(...canvases.map((c) => c.width)) + 32 * r;
	out.height = head + canvases.reduce((sum, c) => sum + c.height + step, 0) + names.length * step + 16 * r;
	const ctx = out.getContext('2d');
	const write = (text, y, font, color) => {
		ctx.font = font;
		ctx.fillStyle = t.get(color);
		ctx.fillText(text, 16 * r, y, out.width - 32 * r);
	};
	ctx.fillStyle = t.get('--bg');
	ctx.fillRect(0, 0, out.width, out.height);
	write(title[0], 24 * r, `600 ${16 * r}px ${t.font}`, '--fg');
	write(title[1], 44 * r, `${12 * r}px ${t.font}`, '--muted');
	let y = head;
	canvases.forEach((c, i) => {
		write(specs[i]?.yTitle ?? '', y + 12 * r, `${12 * r}px ${t.font}`, '--muted');
		ctx.drawImage(c, 16 * r, y + 16 * r);
		y += c.height + step;
	});
	names.forEach((name, i) => write(name, y + (i + 1) * step - 6 * r, `${12 * r}px ${t.font}`, `--s${i % 8}`));
	return out;
}

export function savePng(panel, specs) {
	png(panel, specs).toBlob((blob) => {
		const a = document.createElement('a');

		a.href = URL.createObjectURL(blob);
		a.download = `nsecwatch-${document.body.dataset.page}.png`;
		a.click();
		setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
	}, 'image/png');
}
