// SPDX-License-Identifier: GPL-2.0-or-later
// One alert: what, how much, since when, where, how sure; what was done about it; and the mail.

import { act, actionBar, ACTIONS, SPLIT, isLate } from './actions.js';
import { deliveries, evidence, history, mailDraft, outLink, stillThere } from './alert_parts.js';
import { get } from './api.js';
import { draw, uplot } from './chart.js';
import { $, h, replace } from './dom.js';
import * as f from './format.js';
import { own } from './keys.js';
import { Query } from './query.js';
import { ruleWhat, selectorText } from './rule_words.js';
import { sessionBox } from './session.js';
import { panelsOf, panelTitle, styles } from './sweep_lines.js';
import { sweepPlots } from './sweep_plots.js';
import { generatedNote } from './views.js';

const PANELS_MOST = 4;

const id = () => location.pathname.split('/').filter(Boolean)[1] ?? '';

const unlessAborted = (otherwise) => (e) => {
	if (e.name === 'AbortError') throw e;
	return otherwise;
};

const where = (a) => [['benchmark', a.benchmark], ...a.machines.map((m) => ['machine', m])];

function sweepQuery(a, mail) {
	if (!mail?.axis) return null;
	return new Query([
		['axis', mail.axis],
		['kernel', a.from],
		['kernel', a.to],
		...mail.fixes.slice(0, 2).map((k) => ['kernel', k]),
		...where(a),
		...a.thp.map((t) => ['thp', t]),
	]);
}

async function load(query, signal) {
	const path = `/api/v1/alerts/${encodeURIComponent(id())}`;
	const [alert, mail] = await Promise.all([
		get(path, signal),
		get(`${path}/mail.json`, signal).catch(unlessAborted(null)),
	]);
	const pair = new Query([['base', alert.from], ['head', alert.to], ...where(alert)]);
	const sweep = sweepQuery(alert, mail);
	const [compare, drawn, Uplot] = await Promise.all([
		get(pair.url('/api/v1/compare'), signal).catch(unlessAborted(null)),
		sweep ? get(sweep.url('/api/v1/sweep'), signal).catch(unlessAborted(null)) : null,
		uplot(),
	]);

	return { alert, mail, compare, sweep: drawn, sweepQuery: sweep, Uplot };
}

function links(a, sweep) {
	const pair = [
		['base', a.from],
		['head', a.to],
	];
	const list = [
		['Compare every row', new Query([...pair, ...where(a)]).url('/compare')],
		sweep && ['Sweep over sizes', sweep.url('/sweep')],
		['Trend', new Query([...where(a), ['track', a.track]]).url('/trend')],
		['By machine and THP mode', new Query([...pair, ['benchmark', a.benchmark]]).url('/matrix')],
	].filter(Boolean);

	return h(
		'p',
		list.map(([text, href], i) => [i ? ' \u00b7 ' : '', h('a', { href }, text)]),
	);
}

// "acknowledged, assigned to NAME, due DAY; reported: LINK"
function standing(a) {
	const parts = [
		h('b', a.state),
		a.assignee ? [', assigned to ', h('b', a.assignee)] : ', assigned to nobody',
		a.due_at ? [', ', h(isLate(a) ? 'b.worse' : 'span', `${isLate(a) ? 'overdue since' : 'due'} ${f.day(a.due_at)}`)] : '',
		a.fixed_in ? [', fixed in ', h('span.k', f.tag(a.fixed_in))] : '',
		a.restored_percent !== null && a.restored_percent !== undefined
			? ` (${f.percent(a.restored_percent, false)} restored)`
			: '',
	];
	const pointers = [
		a.report_url && ['report', outLink(a.report_url)],
		(a.fix_url || a.fix_commit) && [
			'fix',
			a.fix_url ? outLink(a.fix_url) : '',
			a.fix_url && a.fix_commit ? ' ' : '',
			a.fix_commit ? h('code', a.fix_commit) : '',
		],
		a.merged_into && [
			'merged into',
			h('a', { href: `/alerts/${encodeURIComponent(a.merged_into)}` }, 'another alert'),
		],
	].filter(Boolean);

	return [
		h('p.standing', parts),
		pointers.map(([name, ...value]) => h('p.standing', h('span.dim', `${name}: `), value)),
	];
}

// What the mail says at a glance; "how sure" and the like are the same words there.
function factList(mail) {
	if (!mail) return null;
	return h(
		'dl.facts',
		{ id: 'facts' },
		mail.facts.map((one) => [h('dt', one.name), h('dd', f.typeset(one.text))]),
	);
}

// "Raised by the rule default: a change of at least 5 %, with at least weak confidence, in anything."
const ruleText = (rule) => [
	'Raised by the rule ',
	h('a', { href: '/rules' }, h('b', rule.name)),
	`: ${ruleWhat(rule)}, in `,
	h('bdi', selectorText(rule.selector) || 'anything'),
	'. ',
];

function why(a, mail) {
	return [
		h('h2', 'Why it was raised, and why these rows are one alert'),
		h(
			'p',
			mail?.rule ? ruleText(mail.rule) : a.origin && a.origin !== 'watch' ? 'A person made it. ' : '',
			'One message for what belongs together: all rows are of ',
			h('bdi', a.benchmark),
			`, moved the same way (${a.kind}) and between the same two kernels of ${a.track}, ${f.tag(a.from)} and ${f.tag(a.to)}. `,
			'Machines, sizes and THP modes are its rows; what is measured later joins it, and a kernel in between narrows it.',
		),
	];
}

function charts(data, out, onLeave) {
	const { sweep, sweepQuery: query, Uplot } = data;

	if (!sweep?.lines.length) return;
	const panels = panelsOf(sweep, 'kernel');
	const shown = panels.slice(0, PANELS_MOST);
	const style = styles(sweep.lines, 'kernel');
	const box = h(shown.length === 1 ? 'div.charts.one' : 'div.charts.many', { id: 'charts' });

	replace(out, h('h2', 'Cost against size'), box);
	if (!Uplot) {
		replace(
			box,
			h(
				'p.still',
				h('img', { src: query.url('/api/v1/sweep.svg'), alt: 'Cost against size, before and after' }),
			),
		);
		return;
	}
	for (const p of shown) {
		const panel = h('section.panel', shown.length > 1 ? h('h3', panelTitle(p, panels, 'kernel')) : null);

		box.append(panel);
		onLeave(
			draw(Uplot, panel, sweepPlots(p, sweep.axis, { by: 'kernel', mode: 'value', style, height: 380 })),
		);
	}
	if (panels.length > shown.length)
		out.append(h('p.hint', h('a', { href: query.url('/sweep') }, `${panels.length - shown.length} more`)));
}

// How it went before and after, of the row that moved most: drawn by the server, the same with and without scripts.
function trend(a) {
	const worst = [...a.rows].sort((x, y) => Math.abs(y.change_percent) - Math.abs(x.change_percent))[0];

	if (!worst) return null;
	const query = new Query([
		['benchmark', a.benchmark],
		['metric', worst.metric],
		['machine', worst.machine],
		['thp', worst.thp],
		...Object.entries(worst.params).map(([k, v]) => [`param.${k}`, String(v)]),
		['track', a.track],
	]);

	return [
		h(
			'h2',
			h('a', { href: query.url('/trend') }, 'Over kernels'),
			h(
				'span.dim',
				`: ${f.params(worst.params) || worst.metric} on `,
				h('bdi', worst.machine),
				`, THP ${worst.thp}`,
			),
		),
		h(
			'figure.picture.trend',
			h('img', { src: query.url('/api/v1/trend.svg'), alt: `Trend of ${a.benchmark} on ${worst.machine}` }),
		),
	];
}

// Marked rows, some but not all, can leave
function offerSplit(a) {
	const ids = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('#alert-table tr[data-selected]'))].map(
		(r) => r.dataset.series,
	);

	replace(
		$('#split'),
		ids.length && ids.length < a.rows.length
			? h(
					'button',
					{ type: 'button', 'data-action': 'split', onclick: () => act(SPLIT, [a], {}, { series_ids: ids }) },
					`Split off ${f.plural(ids.length, 'row')}`,
				)
			: null,
	);
}

function pageKeys(a) {
	own.clear();
	for (const action of ACTIONS.filter((one) => one.key))
		own.set(action.key, { text: action.label.toLowerCase(), run: () => void act(action, [a]) });
	own.set('y', { text: 'copy the mail', run: () => $('#copy-mail')?.click() });
	own.set('x', {
		text: 'mark the row; marked rows can become an alert of their own',
		run: () => {
			$('#alert-table tr[aria-selected=true][data-series]')?.toggleAttribute('data-selected');
			offerSplit(a);
		},
	});
}

function render(data, query, onLeave) {
	const { alert: a, mail, compare } = data;
	const how = a.kind === 'regression' ? 'worse' : 'better';
	const picture = h('section', { id: 'pictures' });
	const statement =
		mail?.statement ??
		`${a.benchmark} is ${how} with ${f.tag(a.to)} than with ${f.tag(a.from)}, by ${f.percent(a.worst_percent)}.`;

	document.title = `${a.benchmark} ${f.percent(a.worst_percent)} with ${a.to} - nsecwatch`;
	pageKeys(a);
	onLeave(() => own.clear());
	replace(
		$('#what'),
		h('span.k', a.benchmark),
		` \u00b7 ${a.kind} \u00b7 found ${f.time(a.created_at)} \u00b7 `,
		sessionBox(),
	);
	replace($('#head'), h('h1', f.typeset(statement)), standing(a), actionBar([a]), links(a, data.sweepQuery));
	replace(
		$('#view'),
		generatedNote(a.machines),
		factList(mail),
		a.rows.length
			? evidence(a, compare, mail?.axis)
			: h('p', 'No row is left in it: what was found is no more, or went elsewhere.'),
		h('div.actions', { id: 'split' }),
		picture,
		trend(a),
		stillThere(a.still),
		mailDraft(a, mail),
		history(a),
		why(a, mail),
		deliveries(a.deliveries, a.id),
	);
	charts(data, picture, onLeave);
}

export const view = {
	load,
	render,
	get resource() {
		return `alerts/${encodeURIComponent(id())}`;
	},
};
