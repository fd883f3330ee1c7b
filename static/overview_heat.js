// SPDX-License-Identifier: GPL-2.0-or-later
// Benchmark x micro-architecture: the last change of each, its size and the kernel that brought it.

import { h } from './dom.js';
import * as f from './format.js';
import { alertHref, benchmarkHref } from './links.js';
import { current, go } from './query.js';

// steps of the colour: a change by 5, 15, 50 %, as a ratio
const STEPS = [1.05, 1.15, 1.5].map(Math.log);

const size = (p) => Math.abs(Math.log1p(Math.max(p, -99.999) / 100));
const strength = (p) => 1 + STEPS.filter((s) => size(p) >= s).length;

// own: the link has a colour of its own
function half(s, worse, to, own) {
	return h(
		own ? `a.${worse ? 'w' : 'b'}${strength(s.percent)}` : 'a',
		{ href: alertHref(s.alert_id), 'data-side': worse ? 'worse' : 'better' },
		h('b', f.percentCell(s.percent)),
		to ? h('span.word', f.tag(s.to)) : '',
	);
}

// What an older kernel made worse, and nobody has ended.
function older(a) {
	const text = `open since ${f.tag(a.to)}`;

	return h(
		'a.older',
		{
			href: alertHref(a.alert_id),
			title: `A regression of up to ${f.percent(a.worst_percent)} is ${text}`,
			'aria-label': text,
		},
		`\u25b2 ${f.tag(a.to)}`,
	);
}

function about(cell, benchmark, uarch) {
	const side = (s, word) => s && `${word} by up to ${f.percent(s.percent, false)} in ${f.plural(s.n_series, 'series', 'series')}, ${s.state}`;
	const one = cell.worse ?? cell.better;

	return `${benchmark} on ${uarch}, ${f.tag(one.to)} after ${f.tag(one.from)}: ${[side(cell.worse, 'worse'), side(cell.better, 'better')].filter(Boolean).join('; ')}`;
}

function heatCell(cell, benchmark, uarch) {
	if (!cell) return h('td.empty', { title: `${benchmark} was not measured on ${uarch}` }, '');
	if (!cell.worse && !cell.better) return h('td.still', { title: `${benchmark} on ${uarch}: no change beyond noise` }, '\u00b7');
	const both = cell.worse && cell.better;
	// worse comes first: what the link of the better half does not cover is of its colour
	const s = cell.worse ?? cell.better;

	return h(
		`td.${cell.worse ? 'w' : 'b'}${strength(s.percent)}`,
		{ title: about(cell, benchmark, uarch), 'data-verdict': cell.worse ? 'regression' : 'improvement' },
		cell.worse ? half(cell.worse, true, !both, false) : null,
		cell.better ? half(cell.better, false, true, Boolean(both)) : null,
		cell.open_before ? older(cell.open_before) : null,
	);
}

function legend() {
	const box = (cls, text) => h(`span.${cls}`, text);

	return h(
		'p.scale',
		{ 'aria-hidden': 'true' },
		box('b4', 'better by half or more'),
		box('b3', '15 %'),
		box('b2', '5 %'),
		box('zero', '\u00b7 no change'),
		box('w2', '5 %'),
		box('w3', '15 %'),
		box('w4', 'worse by half or more'),
		box('note', '\u25b2 a regression of an older kernel is open'),
	);
}

// Which track: the first is the default, and leaves the URL clean.
function trackChoice(track, tracks) {
	if (tracks.length < 2) return null;
	return h(
		'span.choices',
		{ role: 'group', 'aria-label': 'Track' },
		tracks.slice(0, 12).map((t, i) =>
			h(
				'button',
				{
					type: 'button',
					'aria-pressed': String(t.track === track),
					'data-choice': `track=${t.track}`,
					onclick: () => t.track !== track && go(current().with('track', i ? t.track : undefined)),
				},
				t.track,
			),
		),
	);
}

export function heatTable(heat, tracks) {
	const head = h('h2', 'The last change of each benchmark', trackChoice(heat.track, tracks));
	const still = heat.unchanged ? `${f.plural(heat.unchanged, 'benchmark')} without any change on ${heat.track} ${heat.unchanged === 1 ? 'is' : 'are'} left out.` : '';

	if (!heat.benchmarks.length) return [head, h('p.dim', `No benchmark changed beyond noise on ${heat.track}.`)];
	return [
		head,
		h(
			'div.scroll',
			{ tabindex: 0, role: 'region', 'aria-label': `The last change by benchmark and micro-architecture, ${heat.track}` },
			h(
				'table.data.heat.last',
				{ id: 'heat' },
				h('thead', h('tr', h('th', { scope: 'col' }, 'benchmark'), heat.uarchs.map((u) => h('th.num', { scope: 'col' }, u)))),
				h(
					'tbody',
					heat.benchmarks.map((b, r) =>
						h(
							'tr',
							{ 'data-verdict': heat.cells[r].some((c) => c?.worse) ? 'regression' : undefined },
							h('th', { scope: 'row' }, h('a.k', { href: benchmarkHref(b) }, b)),
							heat.cells[r].map((c, k) => heatCell(c, b, heat.uarchs[k])),
						),
					),
				),
			),
		),
		legend(),
		still ? h('p.hint', still) : null,
	];
}
