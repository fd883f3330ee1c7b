// SPDX-License-Identifier: GPL-2.0-or-later
// One upload: where, when, which kernel, what it measured, and the bytes as they came.

import { get } from './api.js';
import { $, h, replace } from './dom.js';
import * as f from './format.js';
import { kernelHref, machineHref } from './links.js';
import { Query } from './query.js';
import { againstAny, againstPrevious, text } from './run_beside.js';
import { generatedNote, machineName, numCell, table } from './views.js';
import { asker, whyButton } from './why.js';

const id = () => encodeURIComponent(location.pathname.split('/').filter(Boolean)[1] ?? '');
const path = () => `/api/v1/runs/${id()}`;

const load = (query, signal) => get(asked(query).url(path()), signal);
const asked = (query) => query.only('against').with('previous', 1).with('judged', 1);

function facts(run) {
	const rows = [
		['machine', h('a', { href: machineHref(run.machine) }, machineName(run.machine))],
		['kernel', h('a.k', { href: kernelHref(run.kernel.name) }, run.kernel.name)],
		['release', run.kernel.release === run.kernel.name ? '' : h('span.k', run.kernel.release)],
		['THP', run.thp],
		['started', f.time(run.started_at)],
		['boot', run.boot_id ?? 'not said: counts as a boot of its own'],
		['format', run.format],
		['source', [run.source?.tool, run.source?.version, run.source?.command].filter(Boolean).join(' ')],
		[
			'labels',
			Object.entries(run.labels ?? {})
				.map(([k, v]) => `${k}=${v}`)
				.join(', '),
		],
		...Object.entries(run.environment ?? {}).map(([k, v]) => [k, text(v)]),
	];
	return h(
		'dl.facts',
		rows
			.filter(([, v]) => v !== '' && v !== null && v !== undefined)
			.map(([k, v]) => [h('dt', k), h('dd', v)]),
	);
}

function spread(r) {
	if (r.status !== 'ok' || r.n < 2 || r.stddev === null || !r.center) return r.n === 1 ? 'n = 1' : '';
	return f.percent((r.stddev / r.center) * 100, false);
}

function results(list, run) {
	return table({
		id: 'run-table',
		tall: list.length > 25,
		heads: [
			'benchmark',
			'size',
			{ text: 'value', num: true },
			{ text: 'deviation', num: true, title: 'standard deviation over the repetitions' },
			{ text: 'n', num: true },
			'metric',
			'status',
		],
		rows: list.slice(0, 2000).map((r) =>
			h(
				'tr',
				h(
					'th.k',
					{ scope: 'row' },
					h(
						'a',
						{
							href: new Query([
								['benchmark', r.benchmark],
								['metric', r.metric],
								['machine', run.machine],
								['thp', run.thp],
							]).url('/trend'),
						},
						r.benchmark,
					),
				),
				h('td', f.params(r.params)),
				numCell(r.status === 'ok' ? f.value(r.center, r.unit) : ''),
				numCell(spread(r)),
				numCell(String(r.n)),
				h('td', r.metric, h('span.dim', ` ${r.unit}`)),
				h(r.status === 'ok' ? 'td.dim' : 'td.worse', r.status, r.error ? `: ${r.error}` : ''),
			),
		),
	});
}

function verdictText(v) {
	if (!v) return '';
	if (v.state === 'pending') return 'Not compared with its neighbours yet.';
	if (v.invalidated) return 'It was found wrong, and counts for nothing.';
	if (v.regressions.length) return `${f.plural(v.regressions.length, 'regression')} against the kernel before.`;
	if (!v.compared_with) return 'Compared with nothing: no kernel before it on its track has results of this; reverts and patches have none before them.';
	if (!v.judged) return `Nothing could be told against ${f.tag(v.compared_with)}: there is no noise estimate.`;
	return `No regression against ${f.tag(v.compared_with)}, in ${f.plural(v.judged, 'series', 'series')} that could be judged.`;
}

// What became worse with this run, and why that is said.
function regressions(verdict) {
	const ask = asker(`${path()}/verdict?explain=1`);
	const whyOf = (r, i) =>
		whyButton(`${r.benchmark} ${f.params(r.params)}`.trim(), async () => {
			const told = (await ask()).regressions[i];
			return told?.why ? [['', told.why]] : [];
		});

	return [
		h('h2', 'Regressions'),
		table({
			id: 'verdict-table',
			heads: ['benchmark', 'size', 'against', { text: 'change', num: true }, 'confidence', 'alert'],
			rows: verdict.regressions.map((r, i) =>
				h(
					'tr',
					{ 'data-verdict': 'regression' },
					h('th.k', { scope: 'row' }, r.benchmark),
					h('td', f.params(r.params)),
					h('td.k', r.against),
					h('td.num.worse', f.percentCell(r.change_percent)),
					h('td.verdict', r.confidence, ' ', whyOf(r, i)),
					h('td', r.alert_id ? h('a', { href: `/alerts/${encodeURIComponent(r.alert_id)}` }, 'alert') : 'none yet'),
				),
			),
		}),
	];
}

function render({ run, results: list, not_imported: left, raw_dropped_at: dropped, previous, against, verdict }) {
	const failed = list.filter((r) => r.status !== 'ok').length;

	document.title = `${run.kernel.name} on ${run.machine} - nsecwatch`;
	replace($('#what'), 'run ', h('code', run.run_id));
	replace(
		$('#head'),
		h(
			'h1',
			`${f.tag(run.kernel)} on ${run.machine}: ${f.plural(list.length, 'result')}${failed ? `, ${failed} failed` : ''}.`,
		),
		h('p.fact', verdictText(verdict)),
	);
	replace(
		$('#view'),
		generatedNote([run.machine]),
		facts(run),
		h(
			'p',
			h(
				'a',
				{
					href: new Query([
						['base', 'previous'],
						['head', run.kernel.name],
						['machine', run.machine],
					]).url('/compare'),
				},
				'Compare with the kernel before',
			),
			' \u00b7 ',
			dropped
				? `The body and the repetitions were dropped on ${f.day(dropped)}, as is the rule here; the summaries stay.`
				: h('a', { href: `${path()}/raw` }, 'The body as it came'),
		),
		againstPrevious(run, previous),
		againstAny(run, against),
		verdict?.regressions?.length ? regressions(verdict) : null,
		list.length ? h('h2', 'Results') : null,
		list.length ? results(list, run) : null,
		left?.length
			? [
					h('h2', 'Not imported'),
					table({
						heads: ['at', 'why'],
						rows: left.map((n) =>
							h('tr', h('th.k', { scope: 'row' }, n.at), h('td.wrap', n.message)),
						),
					}),
				]
			: null,
	);
}

export const view = {
	load,
	render,
	forms: (query) => query.only('against').with('previous', 1),
	get resource() {
		return `runs/${id()}`;
	},
};
