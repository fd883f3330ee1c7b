// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of the page of one alert: its rows, later kernels, what was done, the mail, the deliveries.

import { h } from './dom.js';
import * as f from './format.js';
import { ciText, forest } from './forest.js';
import { Query } from './query.js';
import { changeCell, machineName, numCell, table, verdictCell } from './views.js';
import { asker, whyButton } from './why.js';

const num = (text, title) => ({ text, num: true, title });

// The sweep or trend behind a group of rows
function links(r, a, axis) {
	const where = [
		['benchmark', a.benchmark],
		['metric', r.metric],
		['machine', r.machine],
		['thp', r.thp],
	];
	const sweep = axis && new Query([['axis', axis], ['kernel', a.from], ['kernel', a.to], ...where]);

	return [
		sweep ? [h('a', { href: sweep.url('/sweep') }, 'sweep'), ' '] : '',
		h('a', { href: new Query([...where, ['track', a.track]]).url('/trend') }, 'trend'),
	];
}

const groupOf = (r) => JSON.stringify([r.machine, r.thp, r.metric, r.base_page_kib]);

function groupRow(r, a, axis, columns) {
	return h(
		'tr.group',
		h(
			'th',
			{ colspan: columns, scope: 'rowgroup' },
			h('bdi', machineName(r.machine)),
			h('span.dim', ` (${r.uarch}), `),
			`THP ${r.thp}`,
			h('span.dim', `, ${r.metric}, ${r.unit}${r.better === 'neutral' ? '' : `, ${r.better} is better`} `),
			links(r, a, axis),
		),
	);
}

function why(row, a) {
	const query = new Query([
		['base', row.from ?? a.from],
		['head', row.to ?? a.to],
		['benchmark', a.benchmark],
		['explain', '1'],
		['only', row.series_id],
	]);
	const ask = asker(query.url('/api/v1/compare'));

	return whyButton(`${a.benchmark} ${f.params(row.params)}`.trim(), async () => {
		const [found] = (await ask()).rows;
		return found ? [['', found.why]] : [];
	});
}

// What the comparison says of a row beside what the alert keeps of it; without one, only that.
const withComparison = (row, by) => ({ ...row, ...by.get(row.series_id), from: row.from, to: row.to });

const verdictOf = (row, a, by) =>
	by.has(row.series_id)
		? verdictCell(row, why(row, a))
		: h('td', row.confidence === 'none' ? row.verdict : `${row.verdict}, ${row.confidence}`);

function evidenceRow(kept, a, by, most) {
	const row = withComparison(kept, by);
	const boots = row.base
		? `${row.base.boots}\u202f\u00d7\u202f${Math.round(row.base.n / row.base.boots)} + ${row.head.boots}\u202f\u00d7\u202f${Math.round(row.head.n / row.head.boots)}`
		: `${row.before_boots} + ${row.after_boots}`;
	const value = (v) => f.value(v, row.unit) || f.significant(v);

	return h(
		'tr',
		{ 'data-verdict': row.verdict, 'data-series': row.series_id },
		h('th', { scope: 'row' }, f.params(row.params) || 'all'),
		numCell(value(row.base?.center ?? row.before_center)),
		numCell(value(row.head?.center ?? row.after_center)),
		changeCell(row),
		h('td.plotted', row.base ? forest(row, most) : ''),
		numCell(row.base ? ciText(row) : '', true),
		numCell(f.percentCell(row.noise_percent, false)),
		numCell(boots),
		verdictOf(row, a, by),
	);
}

// rows: of the alert; compare: the same two kernels, or null
export function evidence(a, compare, axis) {
	const by = new Map((compare?.rows ?? []).map((r) => [r.series_id, r]));
	const most = Math.min(200, Math.max(5, ...a.rows.map((r) => Math.abs(r.change_percent))));
	const heads = [
		axis ? axis.replace(/_kib$/, '') : 'size',
		num(a.from, 'last good kernel'),
		num(a.to, 'first bad kernel'),
		num('change'),
		{ text: '', title: 'the change and its 95 % interval, on one scale' },
		num('95 % CI'),
		num('noise', 'standard deviation of a boot mean'),
		num('boots \u00d7 reps', 'of the first, of the second kernel'),
		'verdict',
	];
	const body = [];
	let last = null;

	for (const r of a.rows) {
		if (groupOf(r) !== last) body.push(groupRow(r, a, axis, heads.length));
		last = groupOf(r);
		body.push(evidenceRow(r, a, by, most));
	}
	return table({
		id: 'alert-table',
		caption: 'Rows of the alert',
		tall: a.rows.length > 25,
		heads,
		rows: body,
	});
}

export function stillThere(still) {
	if (!still?.kernels?.length) return null;
	return [
		h('h2', 'Later kernels'),
		h('p', still.sentence.charAt(0).toUpperCase() + still.sentence.slice(1), '.'),
		table({
			id: 'still-table',
			narrow: true,
			tall: still.kernels.length > 12,
			heads: ['kernel', num('against the last good one'), num('restored'), num('series'), ''],
			rows: still.kernels.map((k) =>
				h(
					'tr',
					h('th.k', { scope: 'row' }, k.kernel),
					numCell(f.percentCell(k.percent)),
					numCell(f.percentCell(k.restored_percent, false)),
					numCell(String(k.n_series)),
					h('td', k.present ? 'has it' : h('span.better', 'without it')),
				),
			),
		}),
	];
}

function detailValue(name, v) {
	if (name === 'due_at') return f.day(v);
	if (name.endsWith('_percent')) return f.percent(v, false);
	return typeof v === 'object' ? JSON.stringify(v) : String(v);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ALERT_KEYS = ['into', 'from', 'alert']; // "from" is a kernel, too

const alertIn = (k, v) => ALERT_KEYS.includes(k) && UUID.test(v);

// Details of an event in words: what has no word of its own is named, another alert is a link, and series are counted.
function detailText(details) {
	return Object.entries(details ?? {})
		.filter(([k, v]) => v !== null && v !== '' && k !== 'text' && k !== 'reason')
		.map(([k, v], i) => [
			i ? ', ' : '',
			alertIn(k, v)
				? [k === 'alert' ? '' : `${k} `, h('a', { href: `/alerts/${encodeURIComponent(v)}` }, k === 'alert' ? 'the other alert' : 'another alert')]
				: k === 'series_ids'
					? f.plural(v.length, 'row')
					: k === 'rows'
						? f.plural(v, 'row')
						: `${k.replaceAll('_', ' ')}: ${detailValue(k, v)}`,
		]);
}

const isLink = (url) => typeof url === 'string' && /^https?:\/\//i.test(url);

export const outLink = (url) =>
	isLink(url) ? h('a', { href: url, rel: 'noopener noreferrer', target: '_blank' }, url) : url;

function event(e) {
	const said = e.details?.text ?? e.details?.reason;
	const { url, ...rest } = e.details ?? {};
	const more = detailText(rest);

	return h(
		'li',
		h(
			'p',
			h('b', e.who),
			` ${e.action}`,
			e.from_state && e.from_state !== e.to_state
				? [': ', h('span.dim', `${e.from_state} \u2192 `), e.to_state]
				: '',
			' ',
			h('time.dim', { datetime: e.at, title: e.at }, f.time(e.at)),
		),
		url ? h('p', outLink(url)) : null,
		more.length ? h('p.dim', more) : null,
		said ? h('p.said', said) : null,
	);
}

export function history(a) {
	return [
		h('h2', { id: 'history' }, 'History'),
		h(
			'ol.events',
			// what people opened, or split off, begins with an event of theirs
			['open', 'split'].includes(a.events?.[0]?.action) && a.origin !== 'watch'
				? null
				: h(
						'li',
						h(
							'p',
							h('b', 'watch'),
							' found it ',
							h('time.dim', { datetime: a.created_at, title: a.created_at }, f.time(a.created_at)),
						),
					),
			(a.events ?? []).map(event),
		),
	];
}

function select(el) {
	const range = document.createRange();

	range.selectNodeContents(el);
	getSelection().removeAllRanges();
	getSelection().addRange(range);
}

// Without a secure context there is no clipboard: the text is selected, one key away.
async function copy(button, pre) {
	try {
		await navigator.clipboard.writeText(pre.textContent);
		button.textContent = 'Copied';
	} catch {
		select(pre);
		button.textContent = 'Selected: press Ctrl-C';
	}
	setTimeout(() => (button.textContent = 'Copy'), 2500);
}

export function mailDraft(a, mail) {
	if (!mail) return null;
	const path = `/api/v1/alerts/${encodeURIComponent(a.id)}/mail`;
	const pre = h('pre', { id: 'mail', tabindex: 0, 'aria-label': 'Draft of a mail' }, mail.text);
	const button = h(
		'button',
		{ type: 'button', id: 'copy-mail', title: 'Copy the text (key y)', onclick: () => copy(button, pre) },
		'Copy',
	);

	return [
		h('h2', 'Draft of a mail'),
		h(
			'p.dim',
			'For a kernel list, or whoever should know. Nothing is sent from here: a person completes and sends it.',
		),
		h('p.subject', h('span.dim', 'Subject: '), mail.subject),
		h(
			'p.forms',
			button,
			h('a', { href: `${path}.eml`, download: '' }, 'as a message (.eml)'),
			h('a', { href: `${path}.txt` }, 'text'),
		),
		pre,
	];
}

export function deliveries(list, id) {
	if (!list?.length) return null;
	return [
		h('h2', h('a', { href: new Query([['alert', id]]).url('/deliveries') }, 'Deliveries')),
		h(
			'p.fact',
			h('a', { href: '/deliveries' }, 'all deliveries'),
			', and who was told, for those who triage',
		),
		table({
			heads: ['to', num('attempts'), 'state', 'last error'],
			rows: list.map((d) =>
				h(
					'tr',
					h('th', { scope: 'row' }, d.target ?? d.kind),
					numCell(String(d.attempts)),
					h('td', d.state ?? (d.sent_at ? `sent ${f.time(d.sent_at)}` : 'waiting')),
					h('td.wrap', d.last_error ?? ''),
				),
			),
		}),
	];
}
