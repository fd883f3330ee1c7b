// SPDX-License-Identifier: GPL-2.0-or-later
// One alert: what, how much, since when, where, how sure; and the mail as it is sent.

import { get } from './api.js';
import { $, h, replace } from './dom.js';
import * as f from './format.js';
import { Query } from './query.js';
import { generatedNote, machineName, numCell, table } from './views.js';

const id = () => location.pathname.split('/').filter(Boolean)[1] ?? '';

async function load(query, signal) {
	const path = `/api/v1/alerts/${encodeURIComponent(id())}`;
	const [alert, mail] = await Promise.all([
		get(path, signal),
		fetch(`${path}/mail.txt`, { signal }).then(
			(r) => (r.ok ? r.text() : ''),
			() => '',
		),
	]);
	return { alert: alert.alert ?? alert, mail };
}

function links(a) {
	const axis = a.rows?.flatMap((r) => Object.entries(r.params)).find(([, v]) => typeof v === 'number')?.[0];
	const where = [['benchmark', a.benchmark], ...a.machines.map((m) => ['machine', m])];

	return h(
		'p',
		h(
			'a',
			{ href: new Query([['base', a.from], ['head', a.to], ...where]).url('/compare') },
			'Compare every row',
		),
		axis
			? [
					' \u00b7 ',
					h(
						'a',
						{
							href: new Query([
								['axis', axis],
								['kernel', a.from],
								['kernel', a.to],
								...where,
							]).url('/sweep'),
						},
						'Sweep over sizes',
					),
				]
			: '',
		' \u00b7 ',
		h('a', { href: new Query([...where, ['track', a.track]]).url('/trend') }, 'Trend'),
		' \u00b7 ',
		h(
			'a',
			{
				href: new Query([
					['base', a.from],
					['head', a.to],
					['benchmark', a.benchmark],
				]).url('/matrix'),
			},
			'By machine and THP mode',
		),
	);
}

function rowsTable(a) {
	const side = (r) =>
		r.verdict === 'regression' ? '.worse' : r.verdict === 'improvement' ? '.better' : '';

	return table({
		id: 'alert-table',
		tall: a.rows.length > 25,
		heads: [
			'size',
			'machine',
			'THP',
			{ text: 'before', num: true },
			{ text: 'after', num: true },
			{ text: 'change', num: true },
			{ text: 'boots', num: true, title: 'before and after' },
			'verdict',
		],
		rows: a.rows.map((r) =>
			h(
				'tr',
				{ 'data-verdict': r.verdict },
				h('th', { scope: 'row' }, f.params(r.params) || r.metric),
				h('td', machineName(r.machine), h('span.dim', ` ${r.uarch}`)),
				h('td', r.thp),
				numCell(f.value(r.before_center, r.unit) || f.significant(r.before_center)),
				numCell(f.value(r.after_center, r.unit) || f.significant(r.after_center)),
				h(`td.num${side(r)}`, f.percentCell(r.change_percent)),
				numCell(`${r.before_boots} + ${r.after_boots}`),
				h(
					`td${side(r)}`,
					r.confidence && r.confidence !== 'none' ? `${r.verdict}, ${r.confidence}` : r.verdict,
				),
			),
		),
	});
}

function deliveries(list) {
	if (!list?.length) return null;
	return [
		h('h2', 'Deliveries'),
		table({
			heads: ['to', { text: 'attempts', num: true }, 'state', 'last error'],
			rows: list.map((d) =>
				h(
					'tr',
					h('th', { scope: 'row' }, d.kind),
					numCell(String(d.attempts)),
					h(
						'td',
						d.state ??
							(d.delivered_at
								? `sent ${f.time(d.delivered_at)}`
								: d.sent_at
									? `sent ${f.time(d.sent_at)}`
									: 'waiting'),
					),
					h('td.wrap', d.last_error ?? ''),
				),
			),
		}),
	];
}

function render({ alert: a, mail }) {
	const how = a.kind === 'regression' ? 'worse' : 'better';
	const p = a.rows?.map((r) => r.change_percent) ?? [];

	document.title = `${a.benchmark} ${f.percent(a.worst_percent)} with ${a.to} - nsecwatch`;
	replace(
		$('#what'),
		h('span.k', a.benchmark),
		` \u00b7 ${a.kind} \u00b7 ${a.state} \u00b7 found ${f.time(a.created_at)}`,
	);
	replace(
		$('#head'),
		h(
			'h1',
			`${a.benchmark} is ${how} with ${f.tag(a.to)} than with ${f.tag(a.from)}, by ${p.length ? f.range(Math.min(...p), Math.max(...p)) : f.percent(a.worst_percent)}.`,
		),
		h(
			'p.fact',
			`${f.plural(a.n_series, 'series')} on `,
			a.machines.map((m, i) => [i ? ', ' : '', machineName(m)]),
			`; THP ${a.thp.join(', ')}; track ${a.track}.`,
		),
		links(a),
	);
	replace(
		$('#view'),
		generatedNote(a.machines),
		a.rows?.length ? rowsTable(a) : null,
		deliveries(a.deliveries),
		mail ? [h('h2', 'As a mail'), h('pre', { id: 'mail' }, mail)] : null,
	);
}

export const view = {
	load,
	render,
	get resource() {
		return `alerts/${encodeURIComponent(id())}`;
	},
};
