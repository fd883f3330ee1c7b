// SPDX-License-Identifier: GPL-2.0-or-later
// Two kernels (and a fix) row by row: what got slower, by how much, how sure.

import { get } from './api.js';
import { chips } from './chips.js';
import { $, h, replace } from './dom.js';
import { alertPart } from './explain.js';
import { ciText, forest } from './forest.js';
import * as f from './format.js';
import { bestPair } from './pick.js';
import { current, go, Query } from './query.js';
import { fixName } from './story.js';
import {
	changeCell,
	emptyState,
	generatedNote,
	howToSend,
	machineName,
	numCell,
	table,
	verdictCell,
} from './views.js';
import { asker, costParts, whyButton } from './why.js';

const STEP = 400;
const FLOOR = 2;

const load = (query, signal) => get(query.api().with('sweeps', 1).url('/api/v1/compare'), signal);

const SHOW = {
	all: () => true,
	worse: (r) => r.direction === 'worse',
	better: (r) => r.direction === 'better',
	proven: (r) => r.verdict === 'regression' || r.verdict === 'improvement',
};

// effect in units of noise; rows without a noise estimate come after all that have one
const effect = (r) =>
	r.change_ci
		? Math.abs(Math.log1p(r.change_percent / 100)) /
			Math.max(1e-9, (Math.log1p(r.change_ci[1] / 100) - Math.log1p(r.change_ci[0] / 100)) / 2)
		: -1 / (1 + Math.abs(r.change_percent));

const SORT = {
	change: (r) => r.change_percent,
	effect,
	noise: (r) => r.noise_percent ?? -1,
	restored: (r) => r.restored_percent ?? -1e9,
	remains: (r) => r.remaining_percent ?? -1e9,
};

function sortRows(rows, by) {
	const key = SORT[by?.replace('-', '')];
	return key ? [...rows].sort((a, b) => (by.startsWith('-') ? key(b) - key(a) : key(a) - key(b))) : rows;
}

const groupOf = (r) => JSON.stringify([r.benchmark, r.metric, r.machine, r.thp, r.base_page_kib]);

function rowWhy(r, data) {
	const ask = asker(data.asked.with('explain', 1).with('only', r.series_id).url('/api/v1/compare'));

	return whyButton(`${r.benchmark} ${f.params(r.params)}`.trim(), async () => {
		const [row] = (await ask()).rows;
		return row ? [['', row.why]] : [];
	}, () => alertPart(r.series_id, data.head.name));
}

function rowCells(r, data, most, first) {
	const v = (s) => (s ? f.value(s.center, r.unit) || f.significant(s.center) : '');

	return [
		first,
		numCell(v(r.base)),
		numCell(v(r.head)),
		changeCell(r),
		h('td.plotted', forest(r, most)),
		numCell(ciText(r), !r.change_ci),
		data.fixed
			? [
					numCell(v(r.fix)),
					numCell(f.percentCell(r.remaining_percent)),
					numCell(f.percentCell(r.restored_percent, false)),
				]
			: null,
		numCell(f.percentCell(r.noise_percent, false)),
		numCell(f.percentCell(r.detectable_percent, false)),
		verdictCell(r, rowWhy(r, data)),
	];
}

const paramCell = (r) => h('th', { scope: 'row' }, f.params(r.params) || 'all');
const fullCell = (r) =>
	h(
		'th',
		{ scope: 'row' },
		h('span.k', r.benchmark),
		` ${f.params(r.params)} `,
		h('span.dim', `${r.machine}, THP ${r.thp}`),
	);

function sweepLink(r, data) {
	const axis = Object.entries(r.params).find(([, v]) => typeof v === 'number')?.[0];
	const q =
		axis &&
		new Query([
			['axis', axis],
			['kernel', data.base.name],
			['kernel', data.head.name],
			...(data.fix ? [['kernel', data.fix.name]] : []),
			['benchmark', r.benchmark],
			['metric', r.metric],
			['machine', r.machine],
			['thp', r.thp],
		]);
	return q ? h('a', { href: q.url('/sweep') }, 'sweep') : null;
}

function groupRow(r, data, columns) {
	const trend = new Query([
		['benchmark', r.benchmark],
		['metric', r.metric],
		['machine', r.machine],
		['thp', r.thp],
	]).url('/trend');

	return h(
		'tr.group',
		h(
			'th',
			{ colspan: columns, scope: 'rowgroup' },
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
			sweepLink(r, data),
			' ',
			h('a', { href: trend }, 'trend'),
		),
	);
}

// The verdicts on the costs of one sweep: the same answer again, with its reasons.
function sweepWhy(s, data) {
	const at = data.sweeps.indexOf(s);

	return whyButton(`the cost of ${f.tag(s.kernel)}`, async () => costParts((await data.ask()).sweeps[at]));
}

// What the rows below say together, a line a kernel.
function saidRow(r, data, columns) {
	const said = data.sweeps.filter((s) => groupOf(s) === groupOf(r));
	const which = (s) => (f.params(s.params) ? `${f.params(s.params)}: ` : '');

	return said.length
		? h(
				'tr.group.said',
				h(
					'td',
					{ colspan: columns },
					said.map((s) => h('p', which(s), f.typeset(s.sentence), ' ', sweepWhy(s, data))),
				),
			)
		: [];
}

function heads(data) {
	const num = (text, title, sort) => ({ text, num: true, title, sort });

	return [
		'size',
		num(data.base.name, 'base'),
		num(data.head.name, 'head'),
		num('change', 'head against base', 'change'),
		{ text: '', title: 'the change and its 95 % interval, on one scale; grey: unproven' },
		num('95 % CI', 'of the change', 'effect'),
		...(data.fixed
			? [
					num(f.shortKernel(data.fix, [data.base, data.head]), data.fix.name),
					num('remains', 'fix against base', 'remains'),
					num('restored', 'share of the change that the fix takes back', 'restored'),
				]
			: []),
		num('noise', 'standard deviation of a boot mean', 'noise'),
		num('detectable', 'change found with 80 % power at this noise'),
		{ text: 'verdict' },
	];
}

function rowsTable(data, rows, query, out) {
	const sorted = query.get('sort');
	const most = Math.min(
		200,
		Math.max(
			5,
			...rows.map((r) => Math.max(Math.abs(r.change_percent), ...(r.change_ci ?? []).map(Math.abs))),
		),
	);
	const list = sortRows(rows, sorted);
	const columns = heads(data).length;
	let shown = 0;
	let last = null;
	const body = [];
	const more = h('p.more');
	const grow = () => {
		const added = [];

		for (const r of list.slice(shown, shown + STEP)) {
			const group = groupOf(r);
			if (!sorted && group !== last) added.push(groupRow(r, data, columns), saidRow(r, data, columns));
			last = group;
			added.push(
				h(
					'tr',
					{ 'data-verdict': r.verdict, 'data-series': r.series_id },
					rowCells(r, data, most, sorted ? fullCell(r) : paramCell(r)),
				),
			);
		}
		shown = Math.min(list.length, shown + STEP);
		replace(
			more,
			shown < list.length
				? [
						`${shown} of ${f.grouped(list.length)} rows. `,
						h(
							'button.plain',
							{ type: 'button', onclick: () => $('#compare-table tbody').append(...grow()) },
							`Show ${Math.min(STEP, list.length - shown)} more`,
						),
					]
				: null,
		);
		return added.flat();
	};
	body.push(...grow());
	out.append(
		table({
			id: 'compare-table',
			tall: list.length > 25,
			heads: heads(data),
			rows: body,
			sorted,
			onSort: (k) =>
				go(current().with('sort', sorted === `-${k}` ? k : sorted === k ? undefined : `-${k}`)),
		}),
		more,
	);
}

function statement(data) {
	const { rows, summary: s } = data;
	const base = f.tag(data.base);
	const head = f.tag(data.head);
	const worse = rows.filter((r) => r.direction === 'worse').length;
	const better = rows.filter((r) => r.direction === 'better').length;
	const p = rows.map((r) => r.change_percent);

	if (s.regressions || s.improvements) {
		const parts = [
			s.regressions && f.plural(s.regressions, 'regression'),
			s.improvements && f.plural(s.improvements, 'improvement'),
		].filter(Boolean);
		return `${head} against ${base}: ${parts.join(' and ')} in ${f.plural(s.rows, 'row')}, geometric mean ${f.percent(s.geomean_percent)}.`;
	}
	if (rows.length === 1)
		return `${head} against ${base}: ${f.percent(p[0])}, ${rows[0].verdict === 'unchanged' ? 'unchanged' : 'unproven'}.`;
	if (s.unchanged === s.rows)
		return `${head} against ${base}: unchanged in all ${f.plural(s.rows, 'row')}.`;
	return `${head} against ${base}: ${worse} worse, ${better} better by number, none proven; ${f.range(Math.min(...p), Math.max(...p))}, geometric mean ${f.percent(s.geomean_percent)}.`;
}

function missing(list) {
	if (!list?.length) return null;
	return h(
		'details',
		h('summary', `${f.plural(list.length, 'series')} not compared: one side was not run, or failed`),
		table({
			heads: ['benchmark', 'size', 'machine', 'THP', 'side', 'reason'],
			rows: list
				.slice(0, 500)
				.map((m) =>
					h(
						'tr',
						h('th.k', { scope: 'row' }, m.benchmark),
						h('td', f.params(m.params)),
						h('td', machineName(m.machine)),
						h('td', m.thp),
						h('td', m.side),
						h('td.wrap', m.reason.replace('_', ' '), m.error ? `: ${m.error}` : ''),
					),
				),
		}),
	);
}

// What has no noise estimate is not tested, and not in the family that q is over.
function confidenceOf(rows) {
	const tests = rows.filter((r) => r.q !== null).length;

	return tests
		? `Confidence from q-values over the ${f.plural(tests, 'test')} of this comparison, of ${f.plural(rows.length, 'row')}.`
		: 'No row could be tested.';
}

function render(data, query) {
	data.fixed = data.rows.some((r) => r.fix);
	data.asked = query.api();
	data.ask = asker(data.asked.with('sweeps', 1).with('explain', 1).url('/api/v1/compare'));
	const out = $('#view');
	const rows = data.rows.filter(SHOW[query.get('show')] ?? SHOW.all);
	const s = data.summary;

	document.title = `${f.tag(data.head)} against ${f.tag(data.base)} - nsecwatch`;
	replace(
		$('#what'),
		h('span.k', data.base.name),
		' \u2192 ',
		h('span.k', data.head.name),
		data.fix ? [' \u00b7 fix ', h('span.k', data.fix.name)] : '',
	);
	if (!data.rows.length) {
		replace($('#head'), h('h1', 'Nothing of this selection was measured with both kernels'));
		replace(
			out,
			emptyState(
				'No row has both sides',
				`Of ${data.base.name} and ${data.head.name} nothing was measured on the same machine, THP mode and size. Remove a chip, or measure it.`,
				...howToSend(),
			),
			missing(data.missing),
		);
		return;
	}
	const n1 = data.rows.every((r) => r.base.n === 1 && r.head.n === 1);
	replace(
		$('#head'),
		h('h1', statement(data)),
		data.fix
			? h(
					'p.fact',
					!data.fixed
						? `${data.fix.name} was not measured where both others were.`
						: s.restored_percent === null
							? `${fixName(data.fix)}: what it restores cannot be told.`
							: `${fixName(data.fix)} brings back ${f.percent(s.restored_percent, false)} of the change.`,
				)
			: null,
		h(
			'p.trust',
			n1
				? 'n = 1: one value a side, so no row has a noise estimate or a verdict; signs and numbers stand as measured.'
				: `${s.unchanged} unchanged (the interval lies within ${FLOOR} %), ${s.inconclusive} inconclusive. ${confidenceOf(data.rows)}`,
		),
	);
	replace(out, generatedNote(data.rows.map((r) => r.machine)));
	if (rows.length) rowsTable(data, rows, query, out);
	else
		out.append(
			emptyState(
				'No row like that',
				`None of the ${f.plural(data.rows.length, 'row')} is ${query.get('show')}.`,
				h('p', h('a', { href: query.without('show').url('/compare') }, 'Show all rows')),
			),
		);
	out.append(missing(data.missing) ?? '');
}

export const view = {
	resource: 'compare',
	svg: true,
	load,
	render,
	defaults: (query, signal) =>
		query.has('base') && query.has('head')
			? null
			: query.has('head')
				? query.with('base', 'previous')
				: bestPair(query, signal, { fix: true }),
	bar: () =>
		chips($('#bar'), {
			args: ['head', 'base', 'fix', 'machine', 'thp', 'benchmark', 'uarch'],
			choices: [
				{
					name: 'show',
					label: 'show',
					values: [
						['all', 'all'],
						['worse', 'worse'],
						['better', 'better'],
						['proven', 'proven'],
					],
				},
			],
		}),
};
