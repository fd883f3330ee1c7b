// SPDX-License-Identifier: GPL-2.0-or-later
// A change and its 95 % interval: as a mark on a line around nought, and in words.

import { svg } from './dom.js';
import * as f from './format.js';

// A number, its interval, and nought, on one scale for all rows.
export function forest(row, most) {
	const W = 100;
	const H = 27;
	const x = (p) => Math.round((Math.min(Math.max(p, -most), most) / most + 1) * (W / 2 - 5) * 10) / 10 + 5;
	const cls = row.verdict === 'regression' ? 'worse' : row.verdict === 'improvement' ? 'better' : '';
	const ci = row.change_ci;

	return svg(
		'svg',
		{ class: 'forest', width: W, height: H, viewBox: `0 0 ${W} ${H}`, 'aria-hidden': 'true' },
		svg('line', { class: 'axis', x1: W / 2, x2: W / 2, y1: 0, y2: H }),
		ci
			? svg('line', {
					class: `ci ${cls}`,
					x1: x(ci[0]),
					x2: Math.max(x(ci[1]), x(ci[0]) + 1),
					y1: H / 2,
					y2: H / 2,
				})
			: null,
		svg('circle', { class: `dot ${cls}`, cx: x(row.change_percent), cy: H / 2, r: 3.5 }),
	);
}

export const ciText = (r) =>
	r.change_ci
		? `${f.percentCell(r.change_ci[0]).slice(0, -2)} .. ${f.percentCell(r.change_ci[1])}`
		: r.base.n === 1 && r.head.n === 1
			? 'n = 1'
			: 'no estimate';
