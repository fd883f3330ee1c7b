// SPDX-License-Identifier: GPL-2.0-or-later
// The log of a bisection in a browser: a file that nsecwatch itself wrote, opened and drawn.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { empty, launch, visitor } from './harness.mjs';

const EVIL = `<img src=x onerror=alert(1)>`;
let site, browser, folder, log;

const client = (...args) => {
	try {
		return execFileSync(join(process.cwd(), process.env.BUILD ?? 'build', 'nsecwatch'), ['bisect', ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
	} catch (e) {
		if (![1, 125].includes(e.status)) throw e;
		return e.stdout;
	}
};
const run = (kernel, boot, value) => ({
	schema: 'nsecwatch.submission/1',
	machine: { name: 'milan-01' },
	kernel,
	boot_id: `${kernel}/${boot}`,
	started_at: '2026-02-13T15:08:00Z',
	results: [{ benchmark: 'mm/one', params: { size_kib: 4 }, metric: 'latency', unit: 'ns/call', better: 'lower', values: [value] }],
});
const boots = (kernel, level) => [0, 1, 2, 3, 4].map((b) => run(kernel, b, level * (1000 + 3 * (b - 2))));
const keep = (name, what) => writeFile(join(folder, name), typeof what === 'string' ? what : JSON.stringify(what));

before(async () => {
	folder = await mkdtemp(join(tmpdir(), 'nsecwatch-bisect-'));
	await keep('good.json', boots('6.16', 1));
	await keep('bad.json', boots('6.17-rc1', 1.05));
	client('start', '--local', '--good', 'good.json', '--bad', 'bad.json');
	for (const [kernel, value] of [['6.16.0-rc3', 1001], ['6.16.0-rc5', 1049], ['6.16.0-rc4', 1025]]) {
		await keep('here.json', run(kernel, 0, value));
		client('judge', 'here.json');
	}
	log = JSON.parse(client('log', '--json'));
	[site, browser] = await Promise.all([empty(), launch()]);
});
after(async () => {
	await browser?.close();
	await site?.stop();
	await rm(folder, { recursive: true, force: true });
});

async function opened(name, options = {}) {
	const v = await visitor(browser, site.url, options);

	await v.open('/bisect');
	await v.page.setInputFiles('#log', join(folder, name));
	await v.page.waitForFunction((n) => document.documentElement.dataset.opened === n, name);
	return v;
}

test('a log is drawn: a strip a kernel, a dot a boot, and the same as a table', async () => {
	await keep('log.json', log);
	const v = await opened('log.json');
	const p = v.page;

	assert.equal(await p.locator('svg.bisect circle').count(), 13);
	assert.match(await p.textContent('h1'), /^6\.16 to 6\.17-rc1, \+5\.0\s%: 2 steps judged, 1 not\.$/);
	const rows = await p.locator('#shown tbody tr').allTextContents();
	assert.equal(rows.length, 5);
	assert.match(rows[2], /6\.16\.0-rc3.*good.*> 99\.99/);
	assert.match(rows[3], /6\.16\.0-rc5.*bad.*> 99\.99/);
	assert.match(rows[4], /unsure/);
	const own = await readFile(join(folder, 'log.json'), 'utf8').then(JSON.parse);
	assert.ok(Math.abs(own.log.at(-1).level_percent - 2.5) < 0.2 && /\+2\.5/.test(rows[4]), rows[4]); // as the client has it
	assert.equal(await p.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
	if (process.env.SHOTS) await p.screenshot({ path: `${process.env.SHOTS}/bisect.png`, fullPage: true });
	assert.deepEqual(v.wrong, []);
	await v.close();
});

test('names in a log stay names', async () => {
	await keep('evil.json', { ...log, good: { ...log.good, kernel: EVIL }, log: [{ ...log.log[0], message: EVIL }] });
	const v = await opened('evil.json');

	assert.equal(await v.page.locator('#shown img').count(), 0);
	assert.ok((await v.page.textContent('#shown')).includes(EVIL));
	assert.deepEqual(v.wrong, []);
	await v.close();
});

test('what is no log is told, and why', async () => {
	await keep('text.json', 'no JSON');
	await keep('other.json', { schema: 'x' });
	await keep('half.json', { ...log, bad: { ...log.bad, boots: [{ ...log.bad.boots[0], sum: ['1'] }] } });
	for (const [name, why] of [['text.json', 'no JSON'], ['other.json', 'not the log of a bisection'], ['half.json', 'is missing']]) {
		const v = await opened(name);

		assert.match(await v.page.textContent('#shown'), new RegExp(why));
		assert.deepEqual(v.wrong, []);
		await v.close();
	}
});
