// SPDX-License-Identifier: GPL-2.0-or-later
// Modules without a page: what leads on the first page, drift of environments, lines and panels of a sweep, ages.

import assert from 'node:assert/strict';
import { test } from 'node:test';

const load = (name) => import(`../../static/${name}.js`);
const { drift, driftOfRuns } = await load('drift');
const { headline, weigh } = await load('overview_words');
const { age } = await load('format');
const { isOf, LINES_MOST, lineName, panelsOf, styles } = await load('sweep_lines');
const { pairOf } = await load('sweep_marks');
const { Query } = await load('query');

const plain = (text) => text.replace(/[\u2009\u202f\u00a0]/g, ' ');
const alert = (more) => ({
	kind: 'regression', benchmark: 'a/b', to: '6.17-rc1', from: '6.16', worst_percent: 10, machines: ['milan-01'], thp: ['always'], ...more,
});
const kernel = (name) => ({ name, release: name, track: 'mainline', variant: null });

test('regressions lead, what was measured before what was generated, half counts as much as double', () => {
	const list = [
		alert({ kind: 'improvement', worst_percent: -90, benchmark: 'better' }),
		alert({ worst_percent: 300, machines: ['generated-x'], benchmark: 'generated' }),
		alert({ worst_percent: 90, benchmark: 'suspected', state: 'suspect' }),
		alert({ worst_percent: 40, benchmark: 'more' }),
		alert({ worst_percent: -50, benchmark: 'half' }),
		alert({ kind: 'silence', worst_percent: null, benchmark: 'silent' }),
	];
	assert.deepEqual(weigh(list).map((a) => a.benchmark), ['half', 'more', 'suspected', 'generated', 'silent', 'better']);
});

test('the headline names the worst, how many more there are, and what the newest kernel brought', () => {
	const track = { track: 'mainline', kernel: kernel('6.17-rc2'), against: kernel('6.17-rc1'), regressions: 0, improvements: 1, unchecked: false };
	const told = headline({ tracks: [track], alerts: [alert(), alert({ worst_percent: 5 }), alert({ kind: 'improvement' })], open: 3 });
	assert.equal(plain(told.statement), 'a/b is worse since v6.17-rc1, +10 % on milan-01, THP always; 1 more regression is open.');
	assert.deepEqual(told.facts, [
		'v6.17-rc2, the newest of mainline, brought 1 improvement against v6.17-rc1.',
		'1 improvement waits for a decision, too.',
	]);
	const quiet = headline({ tracks: [{ ...track, improvements: 0, unchecked: true }], alerts: [], open: 0 });
	assert.equal(quiet.statement, 'No open regression.');
	assert.deepEqual(quiet.facts, ['v6.17-rc2, the newest of mainline, is not checked yet.']);
});

test('drift is what differs, at any depth, and what is said by one side only', () => {
	assert.deepEqual(drift({ a: 1, cpu: { model: 'x', l3: 8 }, same: [1] }, { cpu: { model: 'y', l3: 8 }, same: [1], new: null }), [
		{ name: 'a', from: '1', to: '' },
		{ name: 'cpu.model', from: 'x', to: 'y' },
		{ name: 'new', from: '', to: 'null' },
	]);
	assert.deepEqual(drift({}, {}), []);
	assert.deepEqual(drift(null, undefined), []);
});

test('runs drift against the run before in their own THP mode', () => {
	const run = (thp, governor) => ({ thp, environment: { governor } });
	const told = driftOfRuns([run('always', 'b'), run('never', 'x'), run('always', 'a'), run('never', 'x')]);
	assert.deepEqual(told.map((d) => d.changes?.length ?? null), [1, 0, null, null]);
});

test('ages are short, and far days are days', () => {
	const now = Date.parse('2026-02-13T12:00:00Z');
	const of = (text) => plain(age(text, now));
	assert.deepEqual(
		['2026-02-13T11:59:30Z', '2026-02-13T11:12:00Z', '2026-02-13T02:00:00Z', '2026-02-01T00:00:00Z', '2025-10-01T00:00:00Z', 'no time'].map(of),
		['now', '48 min', '10 h', '12 d', '2025-10-01', ''],
	);
});

const line = (k, machine, thp, unit = 'ns/call') => ({
	kernel: kernel(k), machine, uarch: machine.replace(/-\d+$/, ''), thp, unit, benchmark: 'a/b', metric: 'latency', base_page_kib: 4, params: {}, points: [],
});
const sweep = (lines) => ({ lines, ratios: lines.filter((l) => l.kernel.name !== '6.16').map((l) => ({ ...l })), axis: { name: 'size_kib' } });
const grid = ['6.16', '6.17'].flatMap((k) => ['rome-1', 'milan-1'].flatMap((m) => ['always', 'never'].map((t) => line(k, m, t))));

test('a dimension makes lines, another one panels, and the rest goes where it is told', () => {
	const shape = (by, panels) => panelsOf(sweep(grid), by, panels).map((p) => p.lines.length);
	assert.deepEqual(shape('kernel'), [2, 2, 2, 2]);
	assert.deepEqual(shape('thp'), [2, 2, 2, 2]);
	assert.deepEqual(shape('kernel', 'none'), [8]);
	assert.deepEqual(shape('kernel', 'thp'), [4, 4]);
	assert.deepEqual(shape('kernel', 'kernel'), [8], 'what makes lines makes no panels');
	assert.deepEqual(shape('uarch', 'kernel'), [4, 4], 'uarch is what older links call machines');
	const [panel] = panelsOf(sweep(grid), 'kernel', 'none');
	assert.equal(panel.ratios.length, 4);
	assert.ok(panel.ratios.every((r) => panel.lines.filter((l) => isOf(r, l)).length === 1));
});

test('lines of another metric, unit or benchmark never share a panel', () => {
	const other = { ...line('6.16', 'rome-1', 'always'), benchmark: 'c/d' };
	assert.equal(panelsOf(sweep([...grid, other]), 'kernel', 'none').length, 2);
});

test('more lines than are told apart are counted', () => {
	const many = Array.from({ length: LINES_MOST + 3 }, (_, i) => line(`6.${i}`, 'rome-1', 'always'));
	const [panel] = panelsOf(sweep(many), 'kernel');
	assert.deepEqual([panel.lines.length, panel.left], [LINES_MOST, 3]);
});

test('a line has a name of its own, and one style in all panels', () => {
	const [panel] = panelsOf(sweep(grid), 'kernel', 'none');
	assert.equal(new Set(panel.lines.map((l) => lineName(l, 'kernel', panel.lines))).size, 8);
	const style = styles(grid, 'kernel');
	assert.deepEqual([...new Set(grid.map(style))], [0, 1]);
	assert.equal(new Set(grid.map(styles(grid, 'kernel', 'none'))).size, 8);
});

test('two marked lines: kernels are compared, machines and THP modes shown alone', () => {
	const query = new Query([['axis', 'size_kib'], ['kernel', '6.16'], ['kernel', '6.17'], ['run', 'r1']]);
	const kernels = pairOf(grid[0], grid[4], query);
	assert.equal(kernels.href, '/compare?base=6.16&head=6.17&benchmark=a%2Fb&metric=latency&run=r1&machine=rome-1&thp=always');
	assert.equal(kernels.text, 'Compare v6.16 and v6.17');
	const modes = new URL(pairOf(grid[0], grid[1], query).href, 'http://x').searchParams;
	assert.deepEqual([modes.getAll('thp'), modes.getAll('kernel'), modes.get('lines'), modes.get('panels'), modes.get('y')], [['always', 'never'], ['6.16'], 'thp', 'none', 'percent']);
});
