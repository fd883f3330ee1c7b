// SPDX-License-Identifier: GPL-2.0-or-later
// One benchmark: what it measures, how to run it again, how noisy it is on each machine, what is open of it.

import { get } from './api.js';
import { $, h, replace, svg } from './dom.js';
import { alertsOf, facts, kernelLink } from './entity_parts.js';
import * as f from './format.js';
import { machineHref, ownName, runHref } from './links.js';
import { Query } from './query.js';
import { generatedNote, numCell, table } from './views.js';

const load = (query, signal) => get(`/api/v1/benchmarks/${encodeURIComponent(ownName())}`, signal);

const SENSE = { lower: 'lower is better', higher: 'higher is better', neutral: 'neither way is better' };

function paramText(p) {
	const unit = f.unitOfParam(p.name);
	const shown = p.values.slice(0, 12).map((v) => (unit && Number.isFinite(Number(v)) ? f.position(Number(v), unit) : v));
	const more = p.values.length > shown.length ? ` and ${p.values.length - shown.length} more` : '';

	return [h('span.k', p.name), ` ${shown.join(', ')}${more}`];
}

function nowFacts(b) {
	return facts([
		['measures', b.metrics.map((m, i) => [i ? '; ' : '', h('b', m.name), ` in ${m.unit}, ${SENSE[m.better]}`])],
		['parameters', b.params.map((p, i) => [i ? h('br') : '', paramText(p)])],
		['THP modes', b.thp.join(', ')],
		['also called', b.aliases.join(', ')],
		['on', `${f.plural(b.machines.length, 'machine')}, ${f.plural(b.series, 'series', 'series')}`],
	]);
}

// What the newest run says of how it was made
function reproducer(run) {
	const s = run?.source ?? {};
	const known = Object.entries(s).filter(([k, v]) => !['command', 'url'].includes(k) && typeof v === 'string');

	if (!run) return h('p.dim', 'No run of it is packed yet.');
	return [
		s.command
			? h('pre', h('code', s.command))
			: h('p', 'Its runs do not say how it is run. A submission\u2019s ', h('code', 'source.command'), ' does.'),
		facts([
			...known,
			['from', typeof s.url === 'string' && /^https?:\/\//.test(s.url) ? h('a', { href: s.url, rel: 'noreferrer' }, s.url) : (s.url ?? '')],
			['as of', [h('a', { href: runHref(run.run_id) }, f.time(run.started_at)), ' with ', kernelLink(run.kernel)]],
		]),
	];
}

const FEW = 'not learned yet';

function noiseTable(b) {
	const widest = Math.max(0, ...b.machines.map((m) => m.noise_greatest_percent ?? 0));

	return table({
		id: 'noise-table',
		caption: 'Standard deviation of the mean of one boot: the middle of the machine\u2019s series, and the least and greatest of them',
		heads: ['machine', 'uarch', { text: 'series', num: true }, { text: 'noise', num: true }, { text: 'least .. greatest', num: true }, '', { text: 'kernels', num: true, title: 'from which it was learned' }],
		rows: b.machines
			.toSorted((x, y) => (y.noise_percent ?? -1) - (x.noise_percent ?? -1))
			.map((m) =>
				h(
					'tr',
					h('th', { scope: 'row' }, h('a', { href: machineHref(m.machine) }, m.machine)),
					h('td', m.uarch),
					numCell(String(m.series)),
					numCell(m.noise_percent === null ? FEW : f.percentFine(m.noise_percent), m.noise_percent === null),
					numCell(m.noise_percent === null ? '' : `${f.percentFine(m.noise_least_percent)} .. ${f.percentFine(m.noise_greatest_percent)}`),
					h('td.plotted', m.noise_percent === null || !widest ? '' : bar(m, widest)),
					numCell(m.noise_kernels ? String(m.noise_kernels) : '', true),
				),
			),
	});
}

// From the least to the greatest, and the middle
function bar(m, widest) {
	const at = (v) => 4 + (v / widest) * 112;
	const [lo, mid, hi] = [m.noise_least_percent, m.noise_percent, m.noise_greatest_percent].map(at);

	return svg(
		'svg',
		{ class: 'forest', width: 120, height: 20, 'aria-hidden': 'true' },
		svg('line', { class: 'floor', x1: 4, x2: 4, y1: 2, y2: 18 }),
		svg('line', { class: 'ci', x1: lo, x2: hi, y1: 10, y2: 10 }),
		svg('circle', { class: 'dot', cx: mid, cy: 10, r: 4 }),
	);
}

function statement(b) {
	const known = b.machines.map((m) => m.noise_percent).filter((v) => v !== null);
	const bad = b.alerts.filter((a) => a.kind === 'regression').length;
	const noise = known.length ? `, noise ${f.percentFine(Math.min(...known))} .. ${f.percentFine(Math.max(...known))} by machine` : '';

	return `${b.name}: ${bad ? f.plural(bad, 'open regression') : 'no open regression'}${noise}.`;
}

function render(b) {
	const here = new Query([['benchmark', b.name]]);
	const sweep = b.params.some((p) => p.values.length > 2 && p.values.every((v) => Number.isFinite(Number(v))));

	document.title = `${b.name} - nsecwatch`;
	replace($('#what'), 'benchmark ', h('span.k', b.name));
	replace(
		$('#head'),
		h('h1', statement(b)),
		h(
			'p.fact',
			h('a', { href: here.url('/trend') }, 'Trend'),
			sweep ? [' \u00b7 ', h('a', { href: here.url('/sweep') }, 'Sweep')] : '',
			' \u00b7 ',
			h('a', { href: here.url('/alerts') }, 'All its alerts'),
		),
	);
	replace(
		$('#view'),
		generatedNote(b.machines.map((m) => m.machine)),
		nowFacts(b),
		h('h2', 'Open alerts'),
		alertsOf(b.alerts, { none: 'None.' }),
		h('h2', 'How to run it again'),
		reproducer(b.newest_run),
		h('h2', 'Its noise'),
		b.machines.length ? noiseTable(b) : h('p.dim', 'No machine runs it.'),
	);
}

export const view = {
	load,
	render,
	get resource() {
		return `benchmarks/${encodeURIComponent(ownName())}`;
	},
};
