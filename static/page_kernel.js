// SPDX-License-Identifier: GPL-2.0-or-later
// One kernel: what changed with it against the one before, where it was tested, its variants, its commits.

import { get } from './api.js';
import { $, h, replace } from './dom.js';
import { alertsOf, facts, kernelLink } from './entity_parts.js';
import * as f from './format.js';
import { benchmarkHref, machineHref, ownName } from './links.js';
import { weigh } from './overview_words.js';
import { Query } from './query.js';
import { emptyState, generatedNote, howToSend, numCell, table, when } from './views.js';

const LOG_SHOWN = 200;

const load = (query, signal) => get(`/api/v1/kernels/${encodeURIComponent(ownName())}`, signal);

function statement(k) {
	const count = (kind) => k.alerts.filter((a) => a.kind === kind).length;
	const found = [
		count('regression') && f.plural(count('regression'), 'regression'),
		count('improvement') && f.plural(count('improvement'), 'improvement'),
	].filter(Boolean);

	if (!k.tested.length) return `${f.tag(k.kernel)} was not tested yet.`;
	if (!k.previous) return `${f.tag(k.kernel)} has nothing before it in ${k.kernel.track} to be compared with.`;
	if (!found.length) return `${f.tag(k.kernel)}: no change beyond noise against ${f.tag(k.previous)}.`;
	return `${f.tag(k.kernel)} brought ${found.join(' and ')} against ${f.tag(k.previous)}.`;
}

function variantText(v) {
	return [
		v.reverts?.length ? `with ${v.reverts.join(', ')} reverted` : '',
		v.applies?.length ? `with ${v.applies.map((a) => a.title ?? a.url).join(', ')} applied` : '',
	]
		.filter(Boolean)
		.join(', ');
}

function nowFacts({ kernel: k, previous, next, tested, benchmarks }) {
	return facts([
		['track', k.track],
		['release', k.release.replace(/^v/, '') === k.name ? '' : h('span.k', k.release)],
		['variant of', k.variant ? [h('a.k', { href: `/kernels/${encodeURIComponent(k.variant.base)}` }, k.variant.base), ` ${variantText(k.variant)}`] : ''],
		['commit', k.commit ? h('span.k', k.commit) : ''],
		['released', k.released_at ? f.day(k.released_at) : ''],
		['before it', previous ? kernelLink(previous) : ''],
		['after it', next ? kernelLink(next) : ''],
		['tested on', tested.length ? `${f.plural(new Set(tested.map((t) => t.machine)).size, 'machine')}, ${f.plural(benchmarks.length, 'benchmark')}` : ''],
	]);
}

// A row a machine, a column a THP mode: how many runs
function testedTable(tested) {
	const modes = [...new Set(tested.map((t) => t.thp))].sort();
	const machines = [...new Map(tested.map((t) => [t.machine, t])).values()].sort((a, b) => a.machine.localeCompare(b.machine));
	const at = (machine, thp) => tested.filter((t) => t.machine === machine && t.thp === thp);
	const runs = (list) => list.reduce((n, t) => n + t.runs, 0);

	return table({
		id: 'tested-table',
		caption: 'Runs by machine and THP mode',
		heads: ['machine', 'uarch', ...modes.map((m) => ({ text: m, num: true })), 'last run'],
		rows: machines.map((m) => {
			const all = tested.filter((t) => t.machine === m.machine);
			const last = all.reduce((a, b) => (a.last_started_at > b.last_started_at ? a : b));
			return h(
				'tr',
				h('th', { scope: 'row' }, h('a', { href: machineHref(m.machine) }, m.machine)),
				h('td', m.uarch),
				modes.map((thp) => {
					const n = runs(at(m.machine, thp));
					return numCell(n ? f.grouped(n) : 'none', !n);
				}),
				h('td.dim', when(last.last_started_at)),
			);
		}),
	});
}

function variantsList(variants, kernel) {
	return h(
		'ul.names',
		variants.map((v) =>
			h(
				'li',
				kernelLink(v),
				' ',
				h('a', { href: new Query([['base', kernel.name], ['head', v.name]]).url('/compare') }, 'compare'),
			),
		),
	);
}

function commits(log) {
	return [
		h('h2', f.plural(log.length, 'commit')),
		h('pre', log.slice(0, LOG_SHOWN).join('\n') + (log.length > LOG_SHOWN ? `\n\u2026 and ${log.length - LOG_SHOWN} more` : '')),
	];
}

// How to find the commit, with the machine and benchmark of the largest regression.
function bisect(k) {
	const bad = weigh(k.alerts).find((a) => a.kind === 'regression');

	if (!bad || !k.previous || k.kernel.variant) return null;
	return [
		h('h2', 'Which commit it was'),
		h(
			'pre',
			h(
				'code',
				[
					`nsecwatch bisect start --good ${k.previous.name} --bad ${k.kernel.name} --benchmark ${bad.benchmark} --machine ${bad.machines[0]}`,
					`git bisect start ${f.tag(k.kernel)} ${f.tag(k.previous)}`,
					`git bisect run sh -c 'make -s || exit 125; nsecwatch bisect judge --run ./boot-and-measure'`,
				].join('\n'),
			),
		),
		h('p', 'Every step is judged by boots. ', h('a', { href: '/bisect' }, 'Open its file'), ', or ', h('code', 'nsecwatch bisect log --html'), ', for the strip chart: what was judged, from which boots, and how sure that is.'),
	];
}

function render(k) {
	const { kernel, previous } = k;
	const links = [
		previous && h('a', { href: new Query([['base', previous.name], ['head', kernel.name]]).url('/compare') }, `Compare with ${f.tag(previous)}`),
		previous && h('a', { href: new Query([['base', previous.name], ['head', kernel.name]]).url('/matrix') }, 'By machine and THP mode'),
		h('a', { href: new Query([['kernel', kernel.name]]).url('/api/v1/runs.txt') }, 'Its runs'),
	].filter(Boolean);

	document.title = `${kernel.name} - nsecwatch`;
	replace($('#what'), 'kernel ', h('span.k', kernel.name));
	replace($('#head'), h('h1', statement(k)), h('p.fact', links.map((a, i) => [i ? ' \u00b7 ' : '', a])));
	replace(
		$('#view'),
		generatedNote(k.tested.map((t) => t.machine)),
		nowFacts(k),
		h('h2', 'What changed with it'),
		alertsOf(k.alerts, { none: 'No change beyond noise and the rules\u2019 percent was found.' }),
		bisect(k),
		k.variants.length ? [h('h2', f.plural(k.variants.length, 'variant')), variantsList(k.variants, kernel)] : null,
		h('h2', 'What was tested'),
		k.tested.length ? testedTable(k.tested) : emptyState('No run', `No run of ${kernel.name} yet.`, ...howToSend()),
		k.benchmarks.length ? [h('h2', f.plural(k.benchmarks.length, 'benchmark')), h('ul.names', k.benchmarks.map((b) => h('li', h('a.k', { href: benchmarkHref(b) }, b))))] : null,
		k.log.length ? commits(k.log) : null,
	);
}

export const view = {
	load,
	render,
	get resource() {
		return `kernels/${encodeURIComponent(ownName())}`;
	},
};
