// SPDX-License-Identifier: GPL-2.0-or-later
// A bisection: the file in which `nsecwatch bisect` keeps it, opened here and drawn. It goes nowhere: no server sees it.

import { levels, parse, sureText } from './bisect_log.js';
import { ticks } from './chart_marks.js';
import { $, h, replace, svg } from './dom.js';
import * as f from './format.js';
import { numCell, table } from './views.js';

const W = 900;
const LEFT = 190;
const RIGHT = 220;
const ROW = 26;
const TOP = 44;
const FILE_MAX = 16 << 20;

const WORDS = { skip: 'can\u2019t tell', more: 'unsure' };
const word = (r) => (r.baseline ? `baseline, ${r.state}` : (WORDS[r.state] ?? r.state));
const said = (r) => [word(r), r.sure === null ? null : `${sureText(r.sure)} sure`, f.plural(r.percents.length, 'boot')].filter(Boolean).join(', ');

function picture({ bad, noise, rows }) {
	const all = [0, bad, -(noise ?? 0), bad + (noise ?? 0), ...rows.flatMap((r) => r.percents)];
	const [lo, hi] = [Math.min(...all), Math.max(...all)];
	const air = (hi - lo) * 0.04;
	const x = (v) => LEFT + ((v - lo + air) / (hi - lo + 2 * air)) * (W - LEFT - RIGHT);
	const bottom = TOP + rows.length * ROW;
	const side = (at, name) => [
		noise && svg('rect', { class: `near ${name}`, x: x(at - noise), y: TOP, width: x(at + noise) - x(at - noise), height: bottom - TOP }),
		svg('line', { class: `level ${name}`, x1: x(at), x2: x(at), y1: TOP - 4, y2: bottom }),
		svg('text', { class: `said ${name}`, x: x(at), y: TOP - 24, 'text-anchor': 'middle' }, name),
	];

	return svg(
		'svg',
		{ class: 'strip bisect', viewBox: `0 0 ${W} ${bottom + 8}`, width: W, role: 'img', 'aria-label': 'Boots of each kernel between the levels of the good and the bad one; the same is in the table below' },
		ticks(lo - air, hi + air, false).map((v) => [svg('line', { class: 'rule', x1: x(v), x2: x(v), y1: TOP - 4, y2: bottom }), svg('text', { class: 'dim', x: x(v), y: TOP - 8, 'text-anchor': 'middle' }, f.percent(v))]),
		side(0, 'good'),
		side(bad, 'bad'),
		rows.map((r, n) => {
			const y = TOP + ROW * (n + 0.5);

			return [
				svg('line', { class: 'rule', x1: 0, x2: W, y1: y + ROW / 2, y2: y + ROW / 2 }),
				svg('text', { x: LEFT - 12, y: y + 4, 'text-anchor': 'end' }, f.short(r.name, 26)),
				r.percents.map((p, i) => svg('circle', { class: `dot ${r.state}`, cx: x(p), cy: y + (r.percents.length > 1 ? (i % 2 ? 3.5 : -3.5) : 0), r: 3.6 })),
				svg('text', { class: `said ${r.state}`, x: W - RIGHT + 12, y: y + 4 }, said(r)),
			];
		}),
	);
}

const steps = (rows) =>
	table({
		caption: 'Kernels in the order in which they were judged',
		narrow: true,
		heads: ['step', 'kernel', { text: 'boots', num: true }, { text: 'level', num: true, title: 'against the good kernel, of what is worse when higher' }, 'judged', { text: 'sure', num: true }],
		rows: rows.map((r) =>
			h('tr', h('th', { scope: 'row' }, r.name), h('td', r.kernel), numCell(String(r.percents.length)), numCell(f.percentCell(r.level)), h('td', word(r)), numCell(sureText(r.sure))),
		),
	});

const journal = (log) => [h('h2', 'What was said'), h('ul.log', log.map((e) => h('li', h('time', { datetime: e.at }, f.time(e.at)), ` ${e.commit ? e.commit.slice(0, 12) : e.kernel}: ${e.message}`)))];

function showLog(log) {
	const all = levels(log);
	const first = log.series[0].key + (log.series.length > 1 ? ` and ${log.series.length - 1} more` : '');
	const left = log.steps.filter((s) => s.state === 'skip' || s.state === 'more').length;

	document.title = `${log.good.kernel} to ${log.bad.kernel} - bisection - nsecwatch`;
	replace($('#what'), first, ` \u00b7 boots differ by ${f.percentFine(all.noise)} \u00b7 error rate of a step ${f.significant(log.error * 100, 2)}\u2009%`);
	replace($('#head'), h('h1', `${log.good.kernel} to ${log.bad.kernel}, ${f.percent(all.bad)}: ${f.plural(log.steps.length - left, 'step')} judged${left ? `, ${left} not` : ''}.`));
	replace($('#shown'), picture(all), steps(all.rows), journal(log.log));
}

async function open(file) {
	try {
		if (file.size > FILE_MAX) throw new Error('It has more than 16 MiB, which no log has.');
		showLog(parse(await file.text()));
	} catch (e) {
		replace($('#shown'), h('section.state', { role: 'alert' }, h('h2', `${f.short(file.name, 40)} is not shown`), h('p', e.message)));
	}
	document.documentElement.dataset.opened = file.name;
}

function chooser() {
	const input = h('input', { type: 'file', id: 'log', accept: '.json,application/json', onchange: () => input.files[0] && open(input.files[0]) });

	return h(
		'div',
		h('p', h('label', { for: 'log' }, 'The file of a bisection, ', h('code', '.nsecwatch-bisect/bisect.json'), ': '), input),
		h('p.dim', 'Or drop it here. It is read in this browser and sent nowhere. ', h('code', 'nsecwatch bisect log --html'), ' makes a page of it that stands alone.'),
		h('h2', 'No bisection yet?'),
		h('p', 'The page of a kernel that brought a regression has these lines with its own names in them. Each step is judged from as many boots as it needs:'),
		h(
			'pre',
			h(
				'code',
				"nsecwatch bisect start --good 6.16 --bad 6.17-rc1 --benchmark mprotect/tw4m --machine milan-01\n" +
					'git bisect start v6.17-rc1 v6.16\n' +
					"git bisect run sh -c 'make -s || exit 125; nsecwatch bisect judge --run ./boot-and-measure'",
			),
		),
		h('p', h('a', { href: '/alerts?kind=regression' }, 'Open regressions')),
	);
}

function render(data, query, onLeave) {
	const main = $('#main');
	const over = (e) => e.preventDefault();
	const drop = (e) => {
		e.preventDefault();
		if (e.dataTransfer.files[0]) open(e.dataTransfer.files[0]);
	};

	main.addEventListener('dragover', over);
	main.addEventListener('drop', drop);
	onLeave(() => {
		main.removeEventListener('dragover', over);
		main.removeEventListener('drop', drop);
	});
	replace($('#view'), chooser(), h('div', { id: 'shown' }));
}

export const view = { load: async () => null, render };
