// SPDX-License-Identifier: GPL-2.0-or-later
// The first page: what got slower, an example to read, and what came in.

import { catalogue, get } from './api.js';
import { $, h, replace } from './dom.js';
import * as f from './format.js';
import { alertsTable } from './page_alerts.js';
import { bestSweep } from './pick.js';
import { Query } from './query.js';
import { betterOf, sweepStory } from './story.js';
import { emptyState, generatedNote, howToSend, isGenerated, machineName, table } from './views.js';

async function load(query, signal) {
	const [alerts, runs, machines, benchmarks, sweep] = await Promise.all([
		get('/api/v1/alerts?limit=8', signal),
		get('/api/v1/runs?limit=100', signal),
		catalogue('machines'),
		catalogue('benchmarks'),
		bestSweep(new Query(), signal).catch(() => null),
	]);
	const example = sweep?.has('kernel')
		? await get(sweep.url('/api/v1/sweep'), signal).catch(() => null)
		: null;
	return { alerts, runs, machines, benchmarks, sweep, example };
}

function exampleSection(sweep, example) {
	if (!example?.lines.length) return null;
	const first = example.lines[0];
	const same = (o) =>
		o.machine === first.machine &&
		o.thp === first.thp &&
		o.metric === first.metric &&
		o.benchmark === first.benchmark;
	const story = sweepStory(
		example.lines.filter(same),
		example.ratios.filter(same),
		betterOf(first.unit, [first]),
	);

	return h(
		'section',
		h('h2', 'By size'),
		h(
			'p',
			h('a', { href: sweep.url('/sweep') }, story.statement),
			' ',
			h('span.dim', `${first.benchmark}, ${first.machine}, THP ${first.thp}.`),
		),
		h(
			'a.example',
			{ href: sweep.url('/sweep') },
			h('img', { src: sweep.url('/api/v1/sweep.svg'), width: 960, height: 650, alt: story.statement }),
		),
	);
}

// repetitions over boots come as runs of their own: one row for those that stand together
function bundles(runs) {
	const out = [];

	for (const r of runs) {
		const last = out.at(-1);
		if (last && last.kernel.name === r.kernel.name && last.machine === r.machine && last.thp === r.thp)
			last.count++;
		else out.push({ ...r, count: 1 });
	}
	return out.slice(0, 12);
}

function runsTable(runs) {
	return table({
		id: 'runs-table',
		heads: ['kernel', 'machine', 'THP', 'started'],
		rows: bundles(runs).map((r) =>
			h(
				'tr',
				h(
					'th.k',
					{ scope: 'row' },
					h('a', { href: `/runs/${encodeURIComponent(r.run_id)}` }, r.kernel.name),
				),
				h('td', machineName(r.machine), r.count > 1 ? h('span.dim', ` ${r.count} runs`) : ''),
				h('td', r.thp),
				h('td.dim', { title: r.started_at }, f.day(r.started_at)),
			),
		),
	});
}

function places(machines, benchmarks) {
	return [
		h('h2', f.plural(machines.length, 'machine')),
		h(
			'ul.names',
			machines
				.slice(0, 40)
				.map((m) =>
					h(
						'li',
						h('a', { href: new Query([['machine', m.name]]).url('/trend') }, m.name),
						h('span.dim', ` ${m.uarch}`),
						m.name.startsWith('generated-') ? h('span.generated', 'generated') : '',
					),
				),
		),
		h('h2', f.plural(benchmarks.length, 'benchmark')),
		h(
			'ul.names',
			benchmarks
				.slice(0, 40)
				.map((b) =>
					h(
						'li',
						h(
							'a.k',
							{ href: new Query([['benchmark', b.name ?? b.benchmark]]).url('/trend') },
							b.name ?? b.benchmark,
						),
					),
				),
		),
	];
}

function statement(alerts, runs) {
	const bad = alerts.filter((a) => a.kind === 'regression');
	const measured = bad.filter((a) => !a.machines.every(isGenerated));

	if (bad.length) {
		const w = (measured.length ? measured : bad).reduce((m, o) =>
			Math.abs(o.worst_percent) > Math.abs(m.worst_percent) ? o : m,
		);
		const more = bad.length - 1;
		return `${w.benchmark} is worse since ${f.tag(w.to)}, ${f.percent(w.worst_percent)} on ${w.machines[0]}${more ? `; ${f.plural(more, 'more regression')} ${more === 1 ? 'is' : 'are'} open` : ''}.`;
	}
	return runs.length ? 'No open regression.' : 'Nothing was measured yet.';
}

function render({ alerts, runs, machines, benchmarks, sweep, example }) {
	document.title = 'nsecwatch: nsec per call, kernel by kernel';
	replace($('#head'), h('h1', statement(alerts.alerts, runs.runs)));
	if (!runs.runs.length) {
		replace(
			$('#view'),
			emptyState(
				'An empty database',
				'Kernel labs send results here with one POST a run.',
				...howToSend(),
				h(
					'p',
					'A run needs a machine, a kernel and results: ',
					h('a', { href: '/api/openapi.json' }, 'the API'),
					' says how.',
				),
			),
		);
		return;
	}
	replace(
		$('#view'),
		generatedNote([...machines.map((m) => m.name), ...alerts.alerts.flatMap((a) => a.machines)]),
		alerts.alerts.length
			? [h('h2', h('a', { href: '/alerts' }, 'Alerts')), alertsTable(alerts.alerts)]
			: h(
					'p',
					'No alert: nothing moved beyond noise and the rule\u2019s percent. ',
					h('span.dim', 'Single values raise none.'),
				),
		h(
			'div.two',
			exampleSection(sweep, example) ?? h('section'),
			h('section', h('h2', 'Newest runs'), runsTable(runs.runs), places(machines, benchmarks)),
		),
	);
}

export const view = { load, render };
