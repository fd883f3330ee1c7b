// SPDX-License-Identifier: GPL-2.0-or-later
// The table of a comparison: a row a series, its verdict beside its name, and behind it its repetitions.

import { $, h, replace } from './dom.js';
import { alertPart } from './explain.js';
import { ciText, forest } from './forest.js';
import * as f from './format.js';
import { groups, nextSort, STANDARD, sweepKey } from './compare_rows.js';
import { strip } from './compare_strip.js';
import { current, go, Query } from './query.js';
import { changeCell, emptyState, machineName, numCell, table, verdictCell } from './views.js';
import { asker, costParts, whyButton } from './why.js';

const STEP = 40; // rows made at once: more than a screen has
const PRINT_MOST = 1000; // rows
const AHEAD = 600; // px below the edge where the next ones are made

function rowWhy(r, data) {
	const ask = asker(data.asked.with('explain', 1).with('only', r.series_id).url('/api/v1/compare'));

	return whyButton(
		`${r.benchmark} ${f.params(r.params)}`.trim(),
		async () => {
			const [row] = (await ask()).rows;
			return row ? [['', row.why]] : [];
		},
		() => alertPart(r.series_id, data.head.name),
	);
}

const expand = (button, open) => {
	button.setAttribute('aria-expanded', String(open));
	button.textContent = open ? '\u25be' : '\u25b8';
};

// Opens and closes what is behind the row, of one row at a time; the address knows, and all else stays as it is.
function turn(button, r, data) {
	const open = current().get('open') === r.series_id;
	const row = button.closest('tr');

	for (const other of row.parentElement.querySelectorAll('button.open[aria-expanded=true]')) expand(other, false);
	row.parentElement.querySelector('tr.behind')?.remove();
	if (!open) row.after(behindRow(r, data, row.children.length));
	expand(button, !open);
	history.replaceState(null, '', current().with('open', open ? undefined : r.series_id).url(location.pathname));
	document.documentElement.dataset.shown = location.pathname + location.search;
}

function toggle(r, data) {
	const button = h('button.open', {
		type: 'button',
		'aria-label': `Repetitions of ${r.benchmark} ${f.params(r.params)} on ${r.machine}, THP ${r.thp}`,
		onclick: () => turn(button, r, data),
	});

	expand(button, current().get('open') === r.series_id);
	return button;
}

function nameCell(r, data, by) {
	const parts = [
		by === 'benchmark' || by === 'sweep' ? null : h('span.k', r.benchmark),
		by === 'sweep' ? f.params(r.params) || 'all' : f.params(r.params),
		by === 'sweep'
			? null
			: h(
					'span.dim',
					[by === 'machine' ? '' : r.machine, by === 'thp' ? '' : `THP ${r.thp}`].filter(Boolean).join(', '),
				),
	].filter(Boolean);

	const title = `${r.benchmark} ${f.params(r.params)} ${r.machine}, THP ${r.thp}`;

	return h('th.name', { scope: 'row', title }, toggle(r, data), ' ', h('span', parts.map((p, i) => [i ? ' ' : '', p])));
}

function rowCells(r, data, most, by) {
	const v = (s) => (s ? f.value(s.center, r.unit) || f.significant(s.center) : '');

	return [
		nameCell(r, data, by),
		changeCell(r),
		verdictCell(r, rowWhy(r, data)),
		h('td.plotted', forest(r, most)),
		numCell(ciText(r), !r.change_ci),
		numCell(v(r.base)),
		numCell(v(r.head)),
		data.fixed
			? [
					numCell(v(r.fix)),
					numCell(f.percentCell(r.remaining_percent)),
					numCell(f.percentCell(r.restored_percent, false)),
				]
			: null,
		numCell(f.percentCell(r.noise_percent, false)),
		numCell(f.percentCell(r.detectable_percent, false)),
	];
}

function heads(data) {
	const num = (text, title, sort) => ({ text, num: true, title, sort });

	return [
		{ text: 'row', title: 'in the order of benchmark, machine, THP mode and size', sort: 'row' },
		num('change', 'head against base', 'change'),
		{ text: 'verdict', title: 'by effect against noise', sort: 'effect' },
		{ text: '', title: 'the change and its 95 % interval, on one scale; grey: unproven' },
		num('95 % CI', 'of the change'),
		num(f.short(data.base.name, 20), data.base.name),
		num(f.short(data.head.name, 20), data.head.name),
		...(data.fixed
			? [
					num(f.shortKernel(data.fix, [data.base, data.head]), data.fix.name),
					num('remains', 'fix against base', 'remains'),
					num('restored', 'share of the change that the fix takes back', 'restored'),
				]
			: []),
		num('noise', 'standard deviation of a boot mean', 'noise'),
		num('detectable', 'change found with 80 % power at this noise', 'detectable'),
	];
}

// ---- groups ----

function sweepLinks(r, data) {
	const axis = Object.entries(r.params).find(([, v]) => typeof v === 'number')?.[0];
	const of = [
		['benchmark', r.benchmark],
		['metric', r.metric],
		['machine', r.machine],
		['thp', r.thp],
	];
	const kernels = [data.base, data.head, data.fix].filter(Boolean).map((k) => ['kernel', k.name]);

	return [
		axis ? h('a', { href: new Query([['axis', axis], ...kernels, ...of]).url('/sweep') }, 'sweep') : '',
		' ',
		h('a', { href: new Query(of).url('/trend') }, 'trend'),
	];
}

function sweepTitle(r, data) {
	return [
		h('span.k', r.benchmark),
		` ${r.metric} `,
		h('span.dim', [
			' on ',
			machineName(r.machine),
			` (${r.uarch}), THP ${r.thp}`,
			r.base_page_kib && r.base_page_kib !== 4 ? `, ${r.base_page_kib} KiB pages` : '',
			`, ${r.unit}`,
			r.better === 'neutral' ? '' : `, ${r.better} is better`,
		]),
		' ',
		sweepLinks(r, data),
	];
}

function groupRow(g, by, data, columns) {
	const counts = [
		g.worse && f.plural(g.worse, 'regression'),
		g.better && f.plural(g.better, 'improvement'),
		g.unchanged && `${g.unchanged} unchanged`,
	].filter(Boolean);

	return h(
		'tr.group',
		h(
			'th',
			{ colspan: columns, scope: 'rowgroup' },
			by === 'sweep' ? sweepTitle(g.rows[0], data) : by === 'machine' ? machineName(g.value) : g.value,
			' ',
			h(
				'span.sum',
				`${f.plural(g.rows.length, 'row')}, geomean ${f.percent(g.geomean)}`,
				counts.length ? `: ${counts.join(', ')}` : '',
			),
		),
	);
}

// The verdicts on the costs of one sweep: the same answer again, with its reasons.
function sweepWhy(s, data) {
	const at = data.sweeps.indexOf(s);

	return whyButton(`the cost of ${f.tag(s.kernel)}`, async () => costParts((await data.ask()).sweeps[at]));
}

// What rows that differ in size say together, a sentence a kernel
export function said(data, like) {
	const which = (s) => (f.params(s.params) ? `${f.params(s.params)}: ` : '');

	return data.sweeps
		.filter((s) => !like || sweepKey(s) === sweepKey(like))
		.map((s) => h('p', which(s), f.typeset(s.sentence), ' ', sweepWhy(s, data)));
}

function saidRow(g, data, columns) {
	const sentences = said(data, g.rows[0]);
	return sentences.length ? h('tr.group.said', h('td', { colspan: columns }, sentences)) : null;
}

// ---- the table ----

function behindRow(r, data, columns) {
	const box = h('div.behind', { 'data-of': r.series_id }, h('p.dim', '\u2026'));

	strip(box, r, data);
	return h('tr.group.behind', h('td', { colspan: columns }, box));
}

// All of its rows as a list of functions that make one each
function makers(rows, by, data, most, columns) {
	const open = current().get('open');
	const row = (r) => () => [
		h('tr', { 'data-verdict': r.verdict, 'data-series': r.series_id }, rowCells(r, data, most, by)),
		r.series_id === open ? behindRow(r, data, columns) : null,
	];

	if (!by) return rows.map(row);
	return groups(rows, by).flatMap((g) => [
		() => [groupRow(g, by, data, columns), by === 'sweep' ? saidRow(g, data, columns) : null],
		...g.rows.map(row),
	]);
}

const scale = (rows) =>
	Math.min(
		200,
		rows.reduce(
			(most, r) => Math.max(most, Math.abs(r.change_percent), ...(r.change_ci ?? []).map(Math.abs)),
			5,
		),
	);

// rows: filtered and sorted. Made a screen at a time, as it is scrolled.
export function rowsTable(data, rows, query) {
	const by = query.get('group');
	const sort = query.get('sort') ?? STANDARD;
	const columns = heads(data).length;
	const open = query.has('open') ? rows.findIndex((r) => r.series_id === query.get('open')) : -1;
	const make = makers(rows, by, data, (data.scale ??= scale(data.rows)), columns);
	const more = h('p.more');
	let made = 0;
	const next = (n = STEP) => {
		const added = make.slice(made, made + n).flatMap((fn) => fn());

		made = Math.min(make.length, made + n);
		replace(
			more,
			made < make.length
				? h(
						'button.plain',
						{ type: 'button', onclick: () => grow(true) },
						`Show the next ${Math.min(STEP, make.length - made)}`,
					)
				: null,
		);
		return added.filter(Boolean);
	};
	const el = table({
		id: 'compare-table',
		tall: make.length > 25,
		heads: heads(data),
		rows: next(Math.max(STEP, open < 0 ? 0 : by ? make.length : open + STEP)), // the open one is among them
		sorted: sort,
		onSort: (k) => go(current().with('sort', k === 'row' ? (sort === 'row' ? undefined : 'row') : nextSort(sort, k))),
	});
	// the box scrolls where the table is long, the page where it is not
	const grow = (asked) => {
		const below = el.scrollHeight - el.scrollTop - el.clientHeight;
		if (made < make.length && (asked || below < AHEAD)) $('tbody', el).append(...next());
	};
	el.addEventListener('scroll', () => grow(false), { passive: true });
	// on paper nothing scrolls
	const print = () => {
		if (!el.isConnected) removeEventListener('beforeprint', print);
		else while (made < Math.min(make.length, PRINT_MOST)) grow(true);
	};
	addEventListener('beforeprint', print);
	return [el, more];
}

export function noRows(data, query) {
	const words = ['verdict', 'confidence', 'text', 'size', 'on', 'mode'].filter((a) => query.has(a));

	return emptyState(
		'No row like that',
		`None of the ${f.plural(data.rows.length, 'row')} passes ${words.map((a) => `${a} ${query.get(a)}`).join(', ')}.`,
		h('p', h('a', { href: query.without(...words).url('/compare') }, 'Show all rows')),
	);
}
