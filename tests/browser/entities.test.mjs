// SPDX-License-Identifier: GPL-2.0-or-later
// The pages of one machine, kernel and benchmark; the search that leads to them; hostile names in all of it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, server, visitor } from './harness.mjs';

const EVIL = '<img src=x onerror=alert(1)>';
const RTL = '\u05d0\u05d1\u202e gnp.exe';
const LONG = `6.17.0-${'x'.repeat(240)}.x86_64`;
let site, browser;

const submission = (machine, kernel, benchmark, environment, at) => ({
	schema: 'nsecwatch.submission/1',
	machine: { name: machine, isa: 'x86_64', uarch: 'epyc-milan', cpu: { model_name: EVIL } },
	kernel,
	config: { thp: { enabled: 'always' } },
	environment,
	started_at: at,
	source: { tool: EVIL, command: `./run ${EVIL} ${RTL}`, url: 'javascript:alert(1)' },
	labels: { [EVIL]: RTL },
	results: [{ benchmark, params: { mode: EVIL }, metric: EVIL, unit: 'ns', better: 'lower', values: [1, 2] }],
});

async function send(body) {
	const res = await site.post('/api/v1/runs', body);
	const answer = await res.text();

	assert.equal(res.status, 201, answer);
	return JSON.parse(answer).run_id;
}

before(async () => {
	[site, browser] = await Promise.all([server(), launch()]);
	for (const [i, governor] of ['performance', EVIL].entries()) {
		await send(submission(EVIL, LONG, `suite/${RTL}`, { governor, [RTL]: i }, `2026-02-1${i}T00:00:00Z`));
	}
});
after(async () => {
	await browser?.close();
	await site?.stop();
});

async function visit(fn, options) {
	const v = await visitor(browser, site.url, options);

	try {
		await fn(v);
		assert.deepEqual(v.wrong, []);
	} finally {
		await v.close();
	}
}

const plain = (text) => text.replace(/[\u2009\u202f\u00a0]/g, ' ').trim();
const at = (kind, name) => `/${kind}/${encodeURIComponent(name)}`;

test('a machine tells what changed of its environment against the run before', () =>
	visit(async (v) => {
		await v.open(at('machines', EVIL));
		const [row, ...more] = await v.cells('#drift-table');
		assert.equal(more.length, 0, 'one run changed it');
		assert.match(row.at(-1), /governor: performance \u2192 <img src=x onerror=alert\(1\)>/);
		assert.match(await v.text('#view'), /CPU\s+<img src=x/);
	}));

test('a run tells what changed of its environment against the run before, and leads to it', () =>
	visit(async (v) => {
		const sendOf = (day, governor, thp = 'always') =>
			send({ ...submission('drift-01', '6.16', 'suite/drift', { governor, [EVIL]: RTL }, `2026-03-0${day}T00:00:00Z`), config: { thp: { enabled: thp } } });
		const first = await sendOf(1, 'performance');
		const second = await sendOf(2, EVIL);
		const third = await sendOf(3, EVIL);
		const never = await sendOf(4, EVIL, 'never');
		const asked = [];

		v.page.on('request', (r) => r.url().includes('/api/v1/runs/') && asked.push(r.url()));
		await v.open(at('runs', third));
		assert.match(await v.text('#view'), /Nothing changed of its environment since\./);
		assert.equal(asked.length, 1, `the run, with its verdict: ${asked}`);
		assert.match(await v.text('#head'), /Compared with nothing: no kernel before it|Not compared with its neighbours yet/);
		assert.equal(await v.page.locator('#before-table').count(), 0);
		await v.page.locator('a[data-previous]').click();
		await v.page.waitForURL((u) => u.pathname === at('runs', second));
		await v.settled();
		assert.deepEqual(await v.cells('#before-table'), [['governor', 'performance', EVIL]]);
		assert.equal(await v.page.locator('a[data-previous]').getAttribute('href'), at('runs', first));
		await v.open(at('runs', first));
		assert.match(await v.text('#view'), /The first run of drift-01/);
		assert.equal(await v.page.locator('a[data-previous]').count(), 0);
		await v.open(at('runs', never));
		assert.match(await v.text('#view'), /The first run of drift-01 with THP never, so this is against one with THP always/);
		assert.equal(await v.page.locator('a[data-previous]').getAttribute('href'), at('runs', third));
	}));

test('a run is set beside any other: of its machine chosen by typing, of another by its id; the address keeps it', () =>
	visit(async (v) => {
		const sendOf = (machine, kernel, day, governor) => send(submission(machine, kernel, 'suite/beside', { governor }, `2026-04-0${day}T00:00:00Z`));
		const first = await sendOf('beside-01', '6.15', 1, 'performance');
		await sendOf('beside-01', '6.16', 2, 'powersave');
		const third = await sendOf('beside-01', '6.17-rc1', 3, 'powersave');
		const other = await sendOf('beside-02', '6.17-rc1', 4, 'schedutil');
		const field = v.page.getByRole('combobox', { name: 'Another run to compare with' });

		await v.open(at('runs', third));
		await field.fill('6.15');
		await v.page.getByRole('option').filter({ hasText: '6.15' }).first().waitFor();
		await field.press('Enter');
		await v.page.waitForURL((u) => u.searchParams.get('against') === first);
		await v.settled();
		assert.deepEqual(await v.cells('#against-table'), [['governor', 'performance', 'powersave']]);
		const values = new URL(await v.page.getByRole('link', { name: 'Compare their results' }).getAttribute('href'), 'http://x');
		assert.deepEqual([values.pathname, values.searchParams.get('base'), values.searchParams.getAll('run')], ['/compare', '6.15', [first, third]]);
		await field.fill(other);
		await field.press('Enter');
		await v.page.waitForURL((u) => u.searchParams.get('against') === other);
		await v.settled();
		const both = await v.cells('#against-table');
		assert.deepEqual(both, [['governor', 'schedutil', 'powersave'], ['machine', 'beside-02', 'beside-01']]);
		assert.equal(await v.page.getByRole('link', { name: 'Compare their results' }).count(), 0, 'one kernel is no comparison');
		await v.page.reload();
		await v.settled();
		assert.deepEqual(await v.cells('#against-table'), both);
		await v.page.goBack();
		await v.settled();
		assert.deepEqual(await v.cells('#against-table'), [['governor', 'performance', 'powersave']]);
		await v.page.getByRole('button', { name: 'Forget it' }).click();
		await v.page.waitForURL((u) => !u.searchParams.has('against'));
	}));

test('a kernel tells what changed with it, where it was tested and what is a variant of it', () =>
	visit(async (v) => {
		await v.open(at('kernels', '6.17-rc1'));
		assert.match(plain(await v.text('h1')), /^v6\.17-rc1 brought \d+ regressions?.* against v6\.16\.$/);
		assert.ok((await v.cells('#tested-table')).some((r) => r[0] === 'milan-01'));
		await v.page.locator('a', { hasText: '+revert-cac1db8c3aad' }).first().click();
		await v.page.waitForURL((u) => u.pathname === at('kernels', '6.17-rc1+revert-cac1db8c3aad'));
		await v.settled();
		assert.match(await v.text('dl.facts'), /with cac1db8c3aad reverted/);
	}));

test('a benchmark tells what it measures, and its noise where that was learned', () =>
	visit(async (v) => {
		await v.open(at('benchmarks', 'mprotect/tw4m'));
		assert.match(plain(await v.text('dl.facts')), /latency in ns\/call, lower is better/);
		const noise = await v.cells('#noise-table');
		assert.ok(noise.some((r) => r[0].startsWith('generated-') && /^[\d.]+ %$/.test(r[3])), JSON.stringify(noise));
	}));

test('names of any kind stay text on all of them, and do not make them wider', () =>
	visit(
		async (v) => {
			for (const path of [at('machines', EVIL), at('kernels', LONG), at('benchmarks', `suite/${RTL}`), '/']) {
				await v.open(path);
				assert.equal(await v.page.locator('[data-state=error]').count(), 0, path);
				assert.equal(await v.page.locator('main img').count(), 0, path);
				assert.equal(await v.page.locator('a[href^="javascript"]').count(), 0, path);
				assert.ok(await v.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path);
			}
		},
		{ viewport: { width: 390, height: 844 } },
	));

test('what is not there says so, with the nearest name', () =>
	visit(async (v) => {
		await v.page.goto(site.url + at('machines', 'milan-02'));
		await v.settled();
		assert.match(await v.text('[data-state=error]'), /milan-01/);
		v.wrong.length = 0; // the 404 itself
	}));

test('the search box leads to kernels, benchmarks, machines and alerts by any part of the name', () =>
	visit(async (v) => {
		await v.open('/compare');
		for (const [text, path] of [
			['tw4m benchmark', at('benchmarks', 'mprotect/tw4m')],
			['raptor', at('machines', 'raptor-lake-01')],
			['rc1+rev', at('kernels', '6.17-rc1+revert-cac1db8c3aad')],
		]) {
			await v.page.keyboard.press('/');
			await v.page.keyboard.type(text);
			await v.page.keyboard.press('Enter');
			await v.page.waitForURL((u) => u.pathname === path);
			await v.settled();
		}
		await v.page.keyboard.press('/');
		await v.page.keyboard.type('alert regression tw4m');
		await v.page.getByRole('option').first().waitFor();
		const seen = await v.page.locator('.options li .val').evaluateAll((all) => all.map((e) => e.clientWidth >= e.scrollWidth && e.clientWidth > 0));
		assert.ok(seen.length && seen.every(Boolean), 'however long what is said of it, the name is there');
		await v.page.keyboard.press('ArrowDown');
		await v.page.keyboard.press('ArrowUp');
		await v.page.keyboard.press('Enter');
		await v.page.waitForURL((u) => u.pathname.startsWith('/alerts/'));
		await v.settled();
		await v.page.keyboard.press('/');
		await v.page.keyboard.type('no such thing at all');
		await v.page.getByText('Nothing like it is known.').waitFor();
		await v.page.keyboard.press('Escape');
		assert.ok(await v.page.evaluate(() => !document.activeElement.closest('.search')), 'Esc leaves it');
	}));
