// SPDX-License-Identifier: GPL-2.0-or-later
// What needs no browser: numbers, queries, sentences, and colours.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import * as f from '../../static/format.js';
import { sentence } from '../../static/page_deliveries.js';
import { Query } from '../../static/query.js';
import { sweepStory } from '../../static/story.js';

const plain = (s) => s.replace(/[\u2009\u202f]/g, ' ').replace(/\u2212/g, '-');
const file = (name) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');

test('numbers have 3 significant digits and the unit that suits them', () => {
	assert.equal(plain(f.value(1713, 'ns/call')), '1.71 us');
	assert.equal(plain(f.value(424995500, 'ns/call')), '425 ms');
	assert.equal(plain(f.value(999.7, 'ns')), '1000 ns');
	assert.equal(plain(f.value(9.999, 'ns')), '10.0 ns');
	assert.equal(plain(f.value(143857, 'calls/s')), '144 k');
	assert.equal(plain(f.value(0, 'ns')), '0 ns');
	assert.equal(f.value(null, 'ns'), '');
	assert.equal(plain(f.tick(10e6, 'ns/call')), '10 ms');
});

test('no delivery at all is told as what it is', () => {
	const none = { dead: 0, waiting: 0, deliveries: [] };

	assert.equal(sentence(none, new Query([])), 'Nobody has been told of anything.');
	assert.equal(sentence({ ...none, deliveries: [{}] }, new Query([])), 'Everything was delivered.');
	assert.equal(sentence(none, new Query([['state', 'dead']])), 'Everything was delivered.');
});

test('percents carry their sign; 0 has none', () => {
	assert.equal(plain(f.percent(150.26)), '+150 %');
	assert.equal(plain(f.percent(-3.58)), '-3.6 %');
	assert.equal(plain(f.percent(-0.01)), '0 %');
	assert.equal(plain(f.percentCell(87.789)), '+87.8 %');
	assert.equal(plain(f.percentCell(87.789, false)), '87.8 %');
	assert.equal(plain(f.percentCell(99.96, false)), '100 %');
	assert.equal(f.percent(null), '');
});

test('a size is named exactly', () => {
	assert.equal(plain(f.position(4000, 'KiB')), '4000 KiB');
	assert.equal(plain(f.position(4096, 'KiB')), '4 MiB');
	assert.equal(plain(f.position(40000000, 'KiB')), '40 000 000 KiB');
	assert.equal(plain(f.about(4000, 'KiB')), '3.91 MiB');
	assert.equal(f.about(4096, 'KiB'), '');
});

test('a query is an ordered list, and + survives', () => {
	const q = Query.from('?kernel=6.16&kernel=6.17-rc1%2Brevert-cac1db8c3aad&lines=uarch');

	assert.deepEqual(q.all('kernel'), ['6.16', '6.17-rc1+revert-cac1db8c3aad']);
	assert.equal(q.api().toString(), 'kernel=6.16&kernel=6.17-rc1%2Brevert-cac1db8c3aad');
	assert.equal(
		q.add('kernel', '6.18').toString(),
		'kernel=6.16&kernel=6.17-rc1%2Brevert-cac1db8c3aad&kernel=6.18&lines=uarch',
	);
	assert.equal(q.add('kernel', '6.16'), q);
	assert.equal(q.dropAt(0).get('kernel'), '6.17-rc1+revert-cac1db8c3aad');
	assert.equal(q.with('lines').has('lines'), false);
});

const line = (name, variant = null) => ({ kernel: { name, variant }, unit: 'ns/call' });
const ratio = (l, onset, percents, words) => ({
	kernel: l.kernel,
	onset,
	points: percents.map((percent, i) => ({ x: 4 * 10 ** i, percent })),
	...words,
});

test('the sentences of a sweep are the server\u2019s, set in type', () => {
	const base = line('6.16');
	const head = line('6.17-rc1');
	const fix = line('6.17-rc1+revert-cac1db8c3aad', { base: '6.17-rc1', reverts: ['cac1db8c3aad'], applies: [] });
	const rc1 = ratio(head, 40, [3.6, 14, 74], {
		statement: 'v6.17-rc1 is slower than v6.16 from 40 KiB up, by +14 % .. +74 %.',
		cost: 'Per page: 17.02 -> 42.51 ns (+150 %, strong); fixed cost: no change shown (-1.5 %).',
		sentence: 'both of them',
	});
	const revert = ratio(fix, null, [2, 3, 10], { statement: 's', cost: 'c', sentence: 'With it +18.8 % remains.' });
	const s = sweepStory([base, head, fix], [rc1, revert], 'lower');

	assert.equal(s.statement, 'v6.17-rc1 is slower than v6.16 from 40\u202fKiB up, by +14\u202f% .. +74\u202f%.');
	assert.equal(s.side, 'worse');
	assert.deepEqual(
		s.facts.map((o) => [o.text, o.ratio]),
		[
			[
				'Per page: 17.02 \u2192 42.51\u202fns (+150\u202f%, strong); fixed cost: no change shown (\u22121.5\u202f%).',
				rc1,
			],
			['With it +18.8\u202f% remains.', revert],
		],
	);
});

test('no onset takes no side; without a fit there is no fact; one kernel alone asks for a second', () => {
	const base = line('6.16');
	const head = line('6.17');
	const still = ratio(head, null, [1, -0.5, 0.3], { statement: 'no lasting change.', cost: '', sentence: '' });
	const s = sweepStory([base, head], [still], 'lower');

	assert.deepEqual([s.statement, s.side, s.facts], ['no lasting change.', '', []]);
	assert.match(sweepStory([base], [], 'lower').statement, /choose a second kernel/);
	assert.match(sweepStory([], [], 'lower').statement, /Nothing/);
	const other = [{ ...head, unit: 'calls/s' }, { ...line('6.18'), unit: 'calls/s' }];
	assert.match(sweepStory([{ ...base, unit: 'ns' }, ...other], [], 'lower').statement, /6\.16 is in ns, v6\.17 in calls\/s/);
});

function luminance(hex) {
	const full = hex.length === 4 ? `#${[...hex.slice(1)].map((c) => c + c).join('')}` : hex;
	const [r, g, b] = [1, 3, 5]
		.map((i) => parseInt(full.slice(i, i + 2), 16) / 255)
		.map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
	const [hi, lo] = [luminance(a), luminance(b)].sort((x, y) => y - x);
	return (hi + 0.05) / (lo + 0.05);
}

const colours = (css) =>
	Object.fromEntries([...css.matchAll(/--([a-z0-9-]+):\s*(#[0-9a-f]{3,6})/g)].map((m) => [m[1], m[2]]));

test('text is readable and marks are visible, in light and dark; pictures have the same colours', async () => {
	const css = await file('static/base.css');
	const [light, dark] = css
		.split('@media screen and (prefers-color-scheme: dark)')
		.map((s) => colours(s.slice(0, s.indexOf('* {') > 0 ? s.indexOf('* {') : undefined)));
	const svg = (await file('chart/svg.c')).replace(/"\s*\n\s*"/g, '');
	const [svgLight, svgDark] = svg.split('prefers-color-scheme:dark').map(colours);

	for (const [name, theme, picture] of [
		['light', light, svgLight],
		['dark', dark, svgDark],
	]) {
		for (const k of [
			'fg',
			'muted',
			'link',
			'worse',
			'better',
			...Array.from({ length: 8 }, (_, i) => `s${i}`),
		])
			assert.ok(
				contrast(theme[k], theme.bg) >= 4.5,
				`${name} --${k} ${contrast(theme[k], theme.bg).toFixed(2)}`,
			);
		for (const k of ['fg', 'muted', 'link'])
			assert.ok(contrast(theme[k], theme.soft) >= 4.5, `${name} --${k} on soft`);
		assert.ok(contrast(theme.axis, theme.bg) >= 3, `${name} --axis`);
		for (const k of ['w1', 'w2', 'w3', 'w4', 'b1', 'b2', 'b3', 'b4'])
			assert.ok(
				contrast(theme['heat-fg'], theme[k]) >= 4.5,
				`${name} heat --${k} ${contrast(theme['heat-fg'], theme[k]).toFixed(2)}`,
			);
		for (const k of Object.keys(picture))
			assert.equal(picture[k], theme[k], `${name} --${k} of pictures`);
	}
});

test('no page has a script or a style of its own, and all say where they are', async () => {
	const parts = Object.fromEntries(
		await Promise.all(['head', 'top', 'end'].map(async (p) => [`{{>${p}}}`, await file(`static/parts/${p}.html`)])),
	);

	for (const name of ['overview', 'sweep', 'trend', 'compare', 'matrix', 'alerts', 'alert', 'run', 'machine', 'kernel', 'benchmark', 'deliveries', 'rules', 'signin', 'signed', 'audit']) {
		const html = (await file(`static/${name}.html`)).replace(/\{\{>\w+\}\}/g, (p) => parts[p]);
		assert.doesNotMatch(html, /<style|\sstyle=|\son[a-z]+=|<script(?![^>]*src=)/, name);
		assert.match(html, /SPDX-License-Identifier/);
		assert.match(html, /\{\{request_id\}\}/);
	}
});

// ---- rows of a comparison, lanes of a trend, what to compare with ----

test('sizes are read as people write them', async () => {
	const { sizeOf, sizeSpan, nextSort } = await import('../../static/compare_rows.js');

	assert.deepEqual(
		['400', ' 4 MiB', '1.5 GiB', 'x', '4 potatoes'].map((t) => sizeOf(t, 'size_kib')),
		[400, 4096, 1572864, NaN, NaN],
	);
	assert.equal(sizeOf('4 KiB', 'threads'), NaN);
	assert.deepEqual(sizeSpan('400..'), [400, Infinity]);
	assert.deepEqual(sizeSpan('..4000'), [-Infinity, 4000]);
	// down, up, and the standard order again
	assert.deepEqual([nextSort('-effect', 'change'), nextSort('-change', 'change'), nextSort('change', 'change')], ['-change', 'change', undefined]);
});

test('what has no noise estimate comes after all that has one, the largest change first', async () => {
	const { sorted, geomean } = await import('../../static/compare_rows.js');
	const row = (change_percent, change_ci = null) => ({ change_percent, change_ci });
	const rows = [row(3), row(2, [1.9, 2.1]), row(150), row(10, [1, 20])];

	assert.deepEqual(sorted(rows).map((r) => r.change_percent), [2, 10, 150, 3]);
	assert.deepEqual(sorted(rows, 'row'), rows);
	assert.ok(Math.abs(geomean([row(100), row(-50)])) < 1e-9);
});

test('a kernel is compared with the rc before it, the release, the last stable; a patch with its parent', async () => {
	const { basesFor, fixesFor } = await import('../../static/compare_suggest.js');
	const k = (name, base, rc = null, track = 'mainline', variant = null) => ({ name, base, rc, distance: 0, track, variant });
	const all = [
		k('6.15', '6.15'),
		k('6.16-rc7', '6.16', 7),
		k('6.16', '6.16'),
		k('6.17-rc1', '6.17', 1),
		k('6.17-rc1+apply-x', '6.17', 1, 'mainline', { base: 'v6.17-rc1', applies: [{ title: 'x' }], reverts: [] }),
		k('6.17-rc2', '6.17', 2),
		k('6.16.1', '6.16', null, 'stable-6.16'),
		k('6.16.9', '6.16', null, 'stable-6.16'),
		k('6.18.1', '6.18', null, 'stable-6.18'),
	];
	const names = (list) => list.map((o) => `${o.what}: ${o.kernel.name}`);

	assert.deepEqual(names(basesFor(all, all[5])), ['previous rc: 6.17-rc1', 'previous release: 6.16', 'last stable: 6.16.9']);
	assert.deepEqual(names(basesFor(all, all[4])), ['parent of the patch: 6.17-rc1', 'release before it: 6.16']);
	assert.deepEqual(fixesFor(all, all[3]).map((o) => o.kernel.name), ['6.17-rc1+apply-x']);
});

test('of many combinations those with most kernels lead, then the largest regression; a page holds sixty', async () => {
	const { shownOf } = await import('../../static/trend_lines.js');
	const panel = (name, kernels, percent, verdict = 'regression', lanes = 1) => ({
		name,
		series: [{ changes: percent ? [{ percent, verdict }] : [] }],
		lanes: Array.from({ length: lanes }, () => ({ at: Array(kernels).fill(0) })),
	});
	const five = [panel('a', 9), panel('b', 9, 20), panel('c', 9, -90, 'improvement'), panel('d', 9, 50), panel('e', 3, 500)];
	const names = (list, asked) => shownOf(list, asked).shown.map((p) => p.name).join('');

	assert.equal(names(five), 'dbca');
	assert.equal(names(five, '5'), 'dbcae');
	assert.equal(names(five.slice(0, 4)), 'abcd', 'where all are shown they stand as ever');
	for (const odd of ['0', '-3', 'x', '1e9', '']) assert.equal(names(five, odd), 'dbca', odd);
	const wide = Array.from({ length: 100 }, (_, i) => panel(String(i), 5, 0, '', 6));
	assert.deepEqual([shownOf(wide).shown.length, shownOf(wide).left, shownOf(wide).over], [2, 58, 40]);
	assert.deepEqual([shownOf(wide, '999').shown.length, shownOf(wide, '999').left], [60, 0]);
});

test('a trend\u2019s window is in the address by kernel or by day, each track its own', async () => {
	const { windowOf, windowQuery } = await import('../../static/trend_lines.js');
	const lane = { kernels: ['6.14', '6.15', '6.16', '6.17'].map((name) => ({ name })), xs: [0, 1, 2, 3] };
	const q = Query.from('a=b&from=6.16.1&to=6.16.5');

	const zoomed = windowQuery(q, lane, 'kernel', [1, 3]);
	assert.equal(zoomed.toString(), 'a=b&from=6.16.1&to=6.16.5&from=6.15&to=6.17');
	assert.deepEqual(windowOf(lane, zoomed, 'kernel'), [1, 3]);
	assert.equal(windowQuery(zoomed, lane, 'kernel', null).toString(), q.toString());
	assert.equal(windowOf(lane, Query.from('from=6.17&to=6.15'), 'kernel'), null);
	const dated = { ...lane, xs: [1, 32, 60, 91].map((d) => Date.UTC(2025, 0, d) / 1000 + 3600) };
	const days = windowQuery(new Query(), dated, 'run', [1, 2]);
	assert.equal(days.toString(), 'from=2025-02-01&to=2025-03-01');
	assert.deepEqual(windowOf(dated, days, 'run'), [1, 2]);
});

test('what of an environment changed', async () => {
	const { drift } = await import('../../static/trend_tip.js');

	assert.deepEqual(drift({ a: 1, b: { c: 'x', d: 'y' } }, { a: 1, b: { c: 'z', d: 'y' }, e: true }), [
		['b.c', 'x', 'z'],
		['e', undefined, 'true'],
	]);
});
