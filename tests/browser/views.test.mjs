// SPDX-License-Identifier: GPL-2.0-or-later
// Trend, comparison and matrix: what a maintainer does on them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stage, until } from './harness.mjs';

const at = stage();
const { visit } = at;

const plain = (text) => text.replace(/[\u202f\u2009\u00a0\s]+/g, ' ').trim();
const args = (page) => new URL(page.url()).searchParams;
const TREND = '/trend?benchmark=mprotect%2Ftw4m&machine=generated-milan&thp=never';
const PAIR = '/compare?base=6.16&head=6.17-rc1';

// ---- trend ----

const picture = (page, n = 0) =>
	page
		.locator('#charts canvas')
		.nth(n)
		.evaluate((c) => c.toDataURL());

test('a brush zooms the trend, the address keeps it, and a double click brings all back', () =>
	visit(async (v, page) => {
		await v.open(TREND);
		const whole = await picture(page);
		const box = await page.locator('.u-over').boundingBox();
		await page.mouse.move(box.x + box.width * 0.3, box.y + 150);
		await page.mouse.down();
		await page.mouse.move(box.x + box.width * 0.72, box.y + 160, { steps: 5 });
		await page.mouse.up();
		await page.waitForURL((u) => u.searchParams.has('from') && u.searchParams.has('to'));
		const zoomed = await picture(page);
		assert.notEqual(zoomed, whole);
		assert.deepEqual([args(page).get('from'), args(page).get('to')], ['6.16-rc4', '6.17-rc3']);
		await page.reload();
		await v.settled();
		await until('the same picture', async () => (await picture(page)) === zoomed, 5000);
		await page.locator('.u-over').dblclick({ position: { x: 30, y: 30 } });
		await page.waitForURL((u) => !u.searchParams.has('from'));
		await page.mouse.move(5, 5);
		await until('the whole picture', async () => (await picture(page)) === whole, 5000);
		await page.goBack();
		await v.settled();
		await until('the window again', async () => (await picture(page)) === zoomed, 5000);
	}));

test('of many pictures the first are shown; more are asked for by keyboard, and the address keeps them', () =>
	visit(async (v, page) => {
		const titles = () => page.locator('#charts .panel h2').allInnerTexts();

		await v.open('/trend?benchmark=mprotect%2Ftw4m');
		const first = await titles();
		assert.equal(first.length, 4);
		assert.match(plain(await v.text('#more')), /^4 of 5 combinations shown\. Show the other 1$/);
		await page.locator('#more button').focus();
		await page.keyboard.press('Enter');
		await page.waitForURL((u) => u.searchParams.get('pictures') === '5');
		await v.settled();
		const all = await titles();
		assert.deepEqual(all.slice(0, 4), first, 'those that were there stay where they were');
		assert.equal(all.length, 5);
		assert.equal(await page.locator('#more').count(), 0);
		assert.equal(await page.locator('.panel:focus h2').innerText(), all[4], 'the keyboard goes on at the first new one');
		await page.reload();
		await v.settled();
		assert.deepEqual(await titles(), all);
		await page.goBack();
		await v.settled();
		assert.deepEqual(await titles(), first);
		await page.goForward();
		await v.settled();
		assert.deepEqual(await titles(), all);
	}));

test('keys zoom and move the window', () =>
	visit(async (v, page) => {
		await v.open(TREND);
		await page.locator('.plot').focus();
		for (let i = 0; i < 3; i++) await page.keyboard.press('+');
		await page.waitForURL((u) => u.searchParams.has('from'));
		const from = args(page).get('from');
		for (let i = 0; i < 4; i++) await page.keyboard.press('Shift+ArrowRight');
		await page.waitForURL((u) => u.searchParams.has('from') && u.searchParams.get('from') !== from);
		await page.keyboard.press('0');
		await page.waitForURL((u) => !u.searchParams.has('from'));
	}));

test('a step carries its percent and leads to its alert', () =>
	visit(async (v, page) => {
		await v.open(TREND);
		const step = page.locator('a.step').first();
		assert.equal(plain(await step.innerText()), '+151 %');
		const href = await step.getAttribute('href');
		assert.match(href, /^\/alerts\/[0-9a-f-]{36}$/);
		await step.click();
		await page.waitForURL((u) => u.pathname === href);
		await v.settled();
		assert.match(plain(await v.text('h1')), /6\.17-rc1/);
	}));

test('a point tells interval, boots, change, and what of the environment is not as before', async (t) => {
	if (!at.site.token) {
		t.skip('NSECWATCH_TOKEN is not set: nothing can be posted');
		return;
	}
	const machine = `views-${Date.now()}`;
	const run = (kernel, boot, value, microcode) => ({
		schema: 'nsecwatch.submission/1',
		machine: { name: machine, isa: 'x86_64', uarch: 'epyc-milan' },
		kernel: { release: kernel, commit: 'f00dfeed'.repeat(5) },
		config: { thp: 'never', base_page_kib: 4 },
		environment: { microcode, governor: 'performance' },
		boot_id: `${kernel}-${boot}`,
		started_at: '2026-02-13T15:08:00Z',
		results: [
			{ benchmark: 'views/one', metric: 'latency', unit: 'ns/call', better: 'lower', values: [value, value + 1, value + 2] },
		],
	});
	for (const [kernel, value, microcode] of [
		['6.16', 1000, '0xa0011d3'],
		['6.17-rc1', 1500, '0xa0011d5'],
		['v6.17-rc1 with cac1db8c3aad reverted', 1010, '0xa0011d5'],
	])
		for (const boot of [1, 2]) assert.ok((await at.site.post('/api/v1/runs', run(kernel, boot, value + boot, microcode))).ok);

	await visit(async (v, page) => {
		await v.open(`/trend?machine=${machine}`);
		await page.locator('.plot').focus();
		await page.keyboard.press('ArrowRight');
		await page.keyboard.press('ArrowRight');
		const tip = page.locator('.tip:visible');
		await until('the environment', async () => /microcode/.test(await tip.innerText()), 10_000);
		const text = plain(await tip.innerText());
		assert.match(text, /^6\.17-rc1 change 95 % CI boots × n/);
		assert.match(text, /1\.50 us \+50 % 1\.\d+ \.\. 1\.\d+ us 2 × 3/);
		assert.match(text, /\+revert 1\.01 us −33 %/);
		assert.match(text, new RegExp(`on ${machine} \\(epyc-milan\\), THP never`));
		assert.match(text, /commit f00dfeedf00d .* run 2026-02-13 15:08 UTC/);
		assert.match(text, /environment, against 6\.16: microcode 0xa0011d3 → 0xa0011d5$/);
		// the variant has no place of its own on the axis
		assert.deepEqual(
			(await v.cells('#charts table.data')).map((r) => r[0]),
			['6.16', '6.17-rc1', '6.17-rc1+revert-cac1db8c3aad'],
		);
	});
});

test('the trend by date, in percent of a kernel, on a logarithmic scale: all in the address', () =>
	visit(async (v, page) => {
		await v.open(TREND);
		for (const [choice, name, value] of [
			['x=run', 'x', 'run'],
			['y=baseline', 'y', 'baseline'],
			['scale=log', 'scale', 'log'],
		]) {
			await page.locator(`[data-choice="${choice}"]`).click();
			await page.waitForURL((u) => u.searchParams.get(name) === value);
			await v.settled();
		}
		assert.match(await v.text('.ylabel'), /^% of 6\.16, log scale$/);
		assert.match(await v.text('.xlabel'), /date of the first run, UTC/);
		await page.goto(`${page.url()}&baseline=6.12`);
		await v.settled();
		assert.match(await v.text('.ylabel'), /^% of 6\.12/);
		assert.equal(await page.locator('.chip[data-arg=baseline] .text').innerText(), '6.12');
		await v.open(`${TREND}&x=released`);
		assert.match(await v.text('#view'), /no release date/);
	}));

test('tracks are lanes', () =>
	visit(async (v, page) => {
		await v.open('/trend?machine=rome-01');
		const { series } = await at.site.get('/api/v1/trend?machine=rome-01');
		const tracks = new Set(series.map((s) => s.track));
		assert.equal(await page.locator('h3.lane').count(), tracks.size > 1 ? tracks.size : 0);
	}));

// ---- compare ----

test('a comparison begins with what changed most against noise, and a sentence says what that shares', () =>
	visit(async (v, page) => {
		await v.open(`${PAIR}&machine=generated-*`);
		const answer = await at.site.get('/api/v1/compare?base=6.16&head=6.17-rc1&machine=generated-*&sweeps=1');
		assert.equal(
			plain(await v.text('h1')),
			plain(`v6.17-rc1 against v6.16: ${answer.sentence.replaceAll('>=', '≥')}`),
		);
		assert.match(answer.sentence, /^8 of 16 cells regress, all with THP never; 6 improve, all at size >= 400 KiB and with THP always\.$/);
		const z = (r) => Math.abs(Math.log1p(r.change_percent / 100)) / (Math.log1p(r.change_ci[1] / 100) - Math.log1p(r.change_ci[0] / 100));
		const want = answer.rows.sort((a, b) => z(b) - z(a)).map((r) => r.series_id);
		assert.deepEqual(await page.locator('tr[data-series]').evaluateAll((l) => l.map((e) => e.dataset.series)), want);
	}));

test('rows are filtered by verdict, confidence, size, machine and THP mode', () =>
	visit(async (v, page) => {
		const { rows } = await at.site.get('/api/v1/compare?base=6.16&head=6.17-rc1&machine=generated-*');
		const count = () => page.locator('tr[data-series]').count();
		await v.open(`${PAIR}&machine=generated-*`);
		assert.equal(await count(), rows.length);
		await page.locator('[data-choice="verdict=regression"]').click();
		assert.equal(await count(), rows.filter((r) => r.verdict === 'regression').length);
		await page.locator('[data-choice="confidence=strong"]').click();
		assert.equal(await count(), rows.filter((r) => r.verdict === 'regression' && r.confidence === 'strong').length);
		await page.locator('[data-choice="confidence=any"]').click();
		await page.locator('[data-choice="verdict=all"]').click();
		await page.locator('#size-from').fill('400 KiB');
		await page.locator('#size-to').fill('4000');
		await page.keyboard.press('Tab');
		assert.equal(args(page).get('size'), '400..4000');
		assert.equal(await count(), rows.filter((r) => r.params.size_kib >= 400 && r.params.size_kib <= 4000).length);
		await page.locator('select[name=mode]').selectOption('never');
		await page.locator('select[name=on]').selectOption('generated-altra');
		assert.equal(await count(), 2);
		// the files of the page hold what it shows
		for (const form of ['json', 'csv', 'txt', 'svg']) {
			const text = await (await fetch(at.site.url + (await page.locator(`.forms [data-form=${form}]`).getAttribute('href')))).text();
			const of = { json: () => JSON.parse(text).rows.length, csv: () => text.trim().split('\r\n').length - 1 };
			if (of[form]) assert.equal(of[form](), 2, form);
			else assert.match(text, /2 of 16 rows shown/);
		}
		const url = page.url();
		await page.reload();
		await v.settled();
		assert.equal(await count(), 2);
		assert.equal(page.url(), url);
		assert.equal(await page.locator('#size-from').inputValue(), '400');
		assert.equal(await page.locator('select[name=on]').inputValue(), 'generated-altra');
	}));

test('words choose the same rows in the page and in its files', () =>
	visit(async (v, page) => {
		for (const text of ['4000 KiB', '400 000', 'size_kib=400 ALWAYS', 'altra never', 'latency', 'nothing']) {
			await v.open(`${PAIR}&machine=generated-*&text=${encodeURIComponent(text)}`);
			const { rows } = await at.site.get(await page.locator('.forms [data-form=json]').getAttribute('href'));
			assert.deepEqual(
				(await page.locator('tr[data-series]').evaluateAll((l) => l.map((e) => e.dataset.series))).sort(),
				rows.map((r) => r.series_id).sort(),
				text,
			);
		}
	}));

test('the lower edge of the head is one line: its height is of whole pixels', () =>
	visit(async (v, page) => {
		await v.open(PAIR);
		const heights = await page.locator('#compare-table thead th').evaluateAll((l) => l.map((e) => e.getBoundingClientRect().height));
		assert.ok(heights.every((n) => Number.isInteger(n)), String(heights));
	}));

test('rows in groups, each with its geometric mean', () =>
	visit(async (v, page) => {
		await v.open(`${PAIR}&machine=generated-*`);
		await page.locator('[data-choice="group=thp"]').click();
		const titles = (await page.locator('tr.group').allInnerTexts()).map(plain);
		assert.match(titles[0], /^never 8 rows, geomean \+\d+ %: 8 regressions$/);
		assert.match(titles[1], /^always 8 rows, geomean −\d+ %: 6 improvements/);
		const { rows } = await at.site.get('/api/v1/compare?base=6.16&head=6.17-rc1&machine=generated-*&thp=never');
		const mean = Math.expm1(rows.reduce((n, r) => n + Math.log1p(r.change_percent / 100), 0) / rows.length) * 100;
		assert.ok(titles[0].includes(`geomean +${mean.toFixed(0)} %`));
	}));

test('behind a row stand its repetitions, boot by boot', () =>
	visit(async (v, page) => {
		await v.open(`${PAIR}&machine=generated-milan&thp=never`);
		await page.keyboard.press('j');
		await page.keyboard.press('Enter');
		await page.locator('div.behind[data-shown]').waitFor();
		const id = await page.locator('div.behind').getAttribute('data-of');
		assert.equal(args(page).get('open'), id);
		const [row] = (await at.site.get(`/api/v1/compare?base=6.16&head=6.17-rc1&only=${id}`)).rows;
		assert.equal(await page.locator('.strip circle.base').count(), row.base.n);
		assert.equal(await page.locator('.strip circle.head').count(), row.head.n);
		assert.match(plain(await page.locator('.strip').textContent()), /15 in 3 boots/);
		assert.equal(await page.locator('tr[aria-selected=true]').getAttribute('data-series'), id, 'the keyboard is where it was');
		await page.keyboard.press('j');
		await page.keyboard.press('Enter');
		await page.waitForURL((u) => u.searchParams.get('open') !== id);
		assert.equal(await page.locator('div.behind').count(), 1, 'one at a time');
		const other = args(page).get('open');
		await page.reload();
		await v.settled();
		assert.equal(await page.locator('div.behind').getAttribute('data-of'), other);
		await page.keyboard.press('Escape');
		assert.equal(await page.locator('div.behind').count(), 0);
		assert.equal(args(page).get('open'), null);
	}));

test('what a kernel is sensibly compared with is a click away', () =>
	visit(async (v, page) => {
		await v.open('/compare?base=6.17-rc6&head=6.17-rc7&machine=generated-milan');
		const link = page.locator('#suggest a', { hasText: 'previous release' });
		await link.waitFor();
		assert.equal(plain(await link.innerText()), 'previous release 6.16');
		await link.click();
		await page.waitForURL((u) => u.searchParams.get('base') === '6.16' && u.searchParams.get('head') === '6.17-rc7');
		await v.open('/compare?base=6.16&head=6.17-rc1&machine=milan-01');
		await page.locator('#suggest a[data-suggest=fix]', { hasText: '+revert-cac1db8c3aad' }).waitFor();
	}));

test('on a phone the verdict is seen without scrolling sideways', () =>
	visit(
		async (v, page) => {
			await v.open(PAIR);
			for (const cell of await page.locator('#compare-table td.verdict').all()) {
				const box = await cell.boundingBox();
				assert.ok(box.x >= 0 && box.x + box.width <= 390, `${box.x} + ${box.width}`);
			}
		},
		{ viewport: { width: 390, height: 844 } },
	));

// ---- pictures out ----

test('a picture is copied as a text table, and saved as a PNG', () =>
	visit(
		async (v, page) => {
			await v.open(TREND);
			await page.getByRole('button', { name: 'copy as text table' }).click();
			await page.getByRole('button', { name: 'copied' }).waitFor();
			const lines = (await page.evaluate(() => navigator.clipboard.readText())).trimEnd().split('\n');
			assert.equal(lines.length, 16);
			assert.match(lines[0], /^ns\/call, log scale +4 KiB +400 KiB +4000 KiB +400 000 KiB$/);
			assert.match(lines[9], /^6\.17-rc1 +1\.78 us +6 us +44\.\d us +4\.2\d ms$/);
			assert.equal(new Set(lines.map((l) => l.length)).size, 1, 'aligned');
			const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'PNG' }).click()]);
			assert.equal(file.suggestedFilename(), 'nsecwatch-trend.png');
			const bytes = await (await file.createReadStream()).toArray();
			assert.deepEqual([...Buffer.concat(bytes).subarray(1, 4)], [...Buffer.from('PNG')]);
		},
		{ permissions: ['clipboard-read', 'clipboard-write'] },
	));
