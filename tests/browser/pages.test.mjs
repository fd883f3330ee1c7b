// SPDX-License-Identifier: GPL-2.0-or-later
// The pages in a real browser, against a real server with the demonstration data.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, server, STORY, until, visitor } from './harness.mjs';

let site, browser, run, alert;

before(async () => {
	[site, browser] = await Promise.all([server(), launch()]);
	run = (await site.get('/api/v1/runs?machine=milan-01')).runs[0].run_id;
	alert = (await site.get('/api/v1/alerts')).alerts[0].id;
});
after(async () => {
	await browser?.close();
	await site?.stop();
});

const PAGES = () => [
	'/',
	'/sweep',
	'/trend',
	'/compare',
	'/matrix',
	'/alerts',
	`/alerts/${alert}`,
	`/runs/${run}`,
	STORY,
];

// fn(v) with a visitor that is closed afterwards and must have seen nothing wrong
async function visit(fn, options, { expectErrors = false } = {}) {
	const v = await visitor(browser, site.url, options);

	try {
		await fn(v);
		if (!expectErrors) assert.deepEqual(v.wrong, []);
	} finally {
		await v.close();
	}
}

for (const [name, options] of [
	['a wide screen', {}],
	['a phone, in the dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
])
	test(`no page has an error, a violation or a sideways scroll on ${name}`, async () => {
		for (const path of PAGES())
			await visit(async (v) => {
				await v.open(path);
				assert.equal(await v.page.locator('[data-state=error]').count(), 0, `${path} shows no error`);
				assert.notEqual((await v.text('h1')).trim(), '', `${path} has a statement`);
				assert.ok(
					await v.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
					`${path} does not scroll sideways`,
				);
				assert.deepEqual(v.wrong, [], path);
			}, options);
	});

test('the sweep says what got slower, draws three lines, and its table has the story\u2019s figures', () =>
	visit(async (v) => {
		await v.open(STORY);
		assert.match(
			(await v.text('h1')).replace(/\s/g, ' '),
			/^v6\.17-rc1 is slower than v6\.16 from 40 KiB up, by \+14 % \.\. \+150 %\.$/,
		);
		const facts = (await v.page.locator('#head p').allInnerTexts())
			.join('\n')
			.replace(/[\u202f\u2009]/g, ' ');
		assert.match(facts, /Per page: 17\.02 \u2192 42\.51 ns \(\+150 %, strong\); fixed cost: no change shown \(\+1\.5 %\)/);
		assert.match(facts, /With cac1db8c3aad reverted \+18\.8 % per page remains .*87 % of the change is brought back/);
		assert.match(facts, /n = 1/);
		assert.equal(await v.page.locator('#charts canvas').count(), 2, 'lines, and ratios below');
		assert.equal(await v.page.locator('.keys li').count(), 3);
		const rows = await v.cells('#sweep-table');
		assert.deepEqual(
			rows.map((r) => r[0]),
			[
				'4 KiB',
				'40 KiB',
				'400 KiB',
				'4000 KiB',
				'40 000 KiB',
				'400 000 KiB',
				'4 000 000 KiB',
				'40 000 000 KiB',
			],
		);
		assert.deepEqual(rows[5].slice(1, 7), [
			'1.70 ms',
			'4.25 ms',
			'+150 %',
			'2.01 ms',
			'+18.4 %',
			'87.8 %',
		]);
		assert.deepEqual(rows[0].slice(1, 7), [
			'1.71 us',
			'1.78 us',
			'+3.6 %',
			'1.75 us',
			'+2.2 %',
			'40.3 %',
		]);
		const fit = await v.cells('#fit-table');
		assert.deepEqual(
			fit.map((r) => [r[1], r[3]]),
			[
				['1776', '17.02'],
				['1803', '42.51'],
				['1806', '20.22'],
			],
		);
	}));

test('each line is drawn in its colour', () =>
	visit(async (v) => {
		await v.open(STORY);
		const seen = await v.page.evaluate(() => {
			const c = document.querySelector('#charts canvas'),
				{ data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
			const css = getComputedStyle(document.documentElement),
				hits = [0, 0, 0];
			const want = [0, 1, 2]
				.map((i) => css.getPropertyValue(`--s${i}`).trim())
				.map((h) => [1, 3, 5].map((k) => parseInt(h.slice(k, k + 2), 16)));
			for (let i = 0; i < data.length; i += 4)
				want.forEach(
					(w, k) =>
						w.every((x, n) => Math.abs(data[i + n] - x) < 3) && data[i + 3] > 250 && hits[k]++,
				);
			return hits;
		});
		seen.forEach((n, i) => assert.ok(n > 300, `line ${i}: ${n} pixels`));
	}));

test('a change goes into the URL; back, forward and reload bring the same view', () =>
	visit(async (v) => {
		await v.open(STORY);
		const three = await v.cells('#sweep-table');
		await v.page
			.locator('.chip', { hasText: '+revert' })
			.getByRole('button', { name: /^Remove/ })
			.click();
		await v.page.waitForURL((u) => u.searchParams.getAll('kernel').length === 2);
		await v.settled();
		const two = await v.cells('#sweep-table');
		assert.equal(await v.page.locator('.keys li').count(), 2);
		assert.notDeepEqual(two, three);
		await v.page.goBack();
		await v.settled();
		assert.deepEqual(await v.cells('#sweep-table'), three);
		assert.equal(await v.page.locator('.chip[data-arg=kernel]').count(), 3, 'chips follow the URL');
		await v.page.goForward();
		await v.settled();
		assert.deepEqual(await v.cells('#sweep-table'), two);
		await v.page.reload();
		await v.settled();
		assert.deepEqual(await v.cells('#sweep-table'), two);
	}));

test('choosing is by typing, with completion', () =>
	visit(async (v) => {
		await v.open(STORY);
		const add = v.page.getByRole('combobox', { name: 'Add a selection' });
		await add.fill('6.17-rc7');
		await v.page.getByRole('option').filter({ hasText: '6.17-rc7' }).first().waitFor();
		await add.press('Enter');
		await v.page.waitForURL((u) => u.searchParams.getAll('kernel').includes('6.17-rc7'));
		await v.settled();
		// the value of a chip is changed in the same way
		await v.page.locator('.chip[data-arg=machine] .value').click();
		const change = v.page.getByRole('combobox', { name: 'Change machine' });
		await change.fill('generated-milan');
		await v.page.getByRole('option').filter({ hasText: 'generated-milan' }).waitFor();
		await change.press('Enter');
		await v.page.waitForURL((u) => u.searchParams.get('machine') === 'generated-milan');
		await v.settled();
		assert.match(await v.text('.note-generated'), /Generated data/);
		assert.equal(await v.page.locator('.generated').first().innerText(), 'generated');
	}));

test('measured data is not called generated', () =>
	visit(async (v) => {
		await v.open(STORY);
		assert.equal(await v.page.locator('.generated, .note-generated').count(), 0);
	}));

test('kernels, micro-architectures or THP modes make the lines', () =>
	visit(async (v) => {
		await v.open(
			'/sweep?axis=size_kib&kernel=6.16&kernel=6.17-rc1&machine=generated-milan&benchmark=mprotect%2Ftw4m',
		);
		const keys = async () =>
			[
				...new Set(
					await v.page.locator('.keys li').evaluateAll((l) => l.map((e) => e.textContent.trim())),
				),
			].sort();
		assert.deepEqual(await keys(), ['6.16', '6.17-rc1']);
		await v.page.locator('[data-choice="lines=thp"]').click();
		await v.page.waitForURL((u) => u.searchParams.get('lines') === 'thp');
		await v.settled();
		assert.deepEqual(await keys(), ['THP always', 'THP never']);
		await v.page.locator('[data-choice="lines=uarch"]').click();
		await v.page.waitForURL((u) => u.searchParams.get('lines') === 'uarch');
		await v.settled();
		assert.deepEqual(await keys(), ['epyc-milan']);
		await v.open(
			'/trend?benchmark=mprotect%2Ftw4m&machine=generated-*&param.size_kib=400&thp=never&lines=uarch',
		);
		assert.deepEqual(await keys(), ['epyc-milan', 'neoverse-n1']);
	}));

test('hover shows a table, a click pins it, Esc unpins; arrow keys walk', () =>
	visit(async (v) => {
		await v.open(STORY);
		const tip = v.page.locator('.tip:visible');
		const over = v.page.locator('.u-over').first();
		const box = await over.boundingBox();
		await over.hover({ position: { x: box.width - 30, y: 60 } });
		await tip.waitFor();
		assert.match(
			(await tip.innerText()).replace(/\s+/g, ' '),
			/40 000 000 KiB.*6\.17-rc1 425 ms \+150 %/,
		);
		await over.click({ position: { x: box.width - 30, y: 60 } });
		await v.page.mouse.move(5, 5);
		assert.ok(await tip.isVisible(), 'it stays when the mouse leaves');
		await v.page.keyboard.press('Escape');
		await v.page.waitForFunction(() => !document.querySelector('.tip:not([hidden])'));
		await v.page.locator('.plot').first().focus();
		await v.page.keyboard.press('ArrowRight');
		await v.page.keyboard.press('ArrowRight');
		assert.match(await tip.first().innerText(), /40\sKiB/);
	}));

test('a brush zooms, a double click brings all back', () =>
	visit(async (v) => {
		await v.open(STORY);
		const over = v.page.locator('.u-over').first();
		const box = await over.boundingBox();
		const picture = () =>
			v.page
				.locator('#charts canvas')
				.first()
				.evaluate((c) => c.toDataURL().length + c.toDataURL().slice(-4000));
		const whole = await picture();
		await v.page.mouse.move(box.x + box.width * 0.4, box.y + 100);
		await v.page.mouse.down();
		await v.page.mouse.move(box.x + box.width * 0.8, box.y + 120, { steps: 6 });
		await v.page.mouse.up();
		await until('the zoom', async () => (await picture()) !== whole, 10_000);
		await over.dblclick({ position: { x: 40, y: 40 } });
		await until('the whole picture', async () => (await picture()) === whole, 10_000);
	}));

test('the keyboard reaches everything', () =>
	visit(async (v) => {
		await v.open(STORY);
		await v.page.keyboard.press('?');
		await v.page.locator('dialog[open]').waitFor();
		await v.page.keyboard.press('Escape');
		await v.page.keyboard.press('j');
		await v.page.keyboard.press('j');
		assert.equal(await v.page.locator('tr[aria-selected=true]').getAttribute('data-x'), '40');
		await v.page.keyboard.press('k');
		assert.equal(await v.page.locator('tr[aria-selected=true]').getAttribute('data-x'), '4');
		await v.page.keyboard.press('/');
		assert.ok(await v.page.evaluate(() => document.activeElement.closest('.search')));
		await v.page.keyboard.press('Escape');
		for (const [key, path] of [
			['c', '/compare'],
			['m', '/matrix'],
			['t', '/trend'],
			['o', '/'],
			['s', '/sweep'],
			['a', '/alerts'],
		]) {
			await v.page.keyboard.press('g');
			await v.page.keyboard.press(key);
			await v.page.waitForURL((u) => u.pathname === path);
			await v.settled();
		}
		await v.page.keyboard.press('j');
		await v.page.keyboard.press('Enter');
		await v.page.waitForURL((u) => u.pathname.startsWith('/alerts/'));
		await v.settled();
		await v.page.keyboard.press('.');
		await v.page.waitForURL((u) => u.pathname.endsWith('.txt'));
	}));

test('two marked kernels are compared', () =>
	visit(async (v) => {
		await v.open('/trend?benchmark=mprotect%2Ftw4m&machine=generated-milan&thp=never');
		for (const key of ['j', 'x', 'j', 'j', 'x']) await v.page.keyboard.press(key);
		await v.page.locator('#marks a').click();
		await v.page.waitForURL(
			(u) =>
				u.pathname === '/compare' &&
				u.searchParams.get('base') === '6.12' &&
				u.searchParams.get('head') === '6.14' &&
				u.searchParams.get('thp') === 'never',
		);
		await v.settled();
		assert.ok((await v.cells('#compare-table')).length > 2);
	}));

test('without JavaScript the picture and the links stand', () =>
	visit(
		async (v) => {
			await v.page.goto(site.url + STORY);
			const img = v.page.locator('#picture img');
			assert.ok(await img.evaluate((i) => i.decode().then(() => i.naturalWidth > 300)));
			for (const form of ['txt', 'csv', 'svg', 'json']) {
				const res = await v.page.request.get(
					site.url + (await v.page.locator(`a[data-form=${form}]`).getAttribute('href')),
				);
				assert.equal(res.status(), 200, form);
				assert.match(await res.text(), /revert-cac1db8c3aad/, form);
			}
			await v.page.goto(`${site.url}/sweep`);
			assert.ok(
				await img.evaluate((i) => i.decode().then(() => i.naturalWidth > 300)),
				'a page without a selection shows what to choose',
			);
		},
		{ javaScriptEnabled: false },
	));

test('the server\u2019s picture stands alone: its style applies, nothing runs', () =>
	visit(
		async (v) => {
			await v.page.goto(site.url + STORY.replace('/sweep', '/api/v1/sweep.svg'));
			assert.equal(await v.page.locator('svg path.line').count(), 5);
			assert.equal(await v.page.locator('script').count(), 0);
			assert.equal(
				await v.page.locator('rect.bg').evaluate((r) => getComputedStyle(r).fill),
				'rgb(20, 23, 26)',
			);
		},
		{ colorScheme: 'dark' },
	));

test('in a build without uPlot the picture stays and follows the selection', () =>
	visit(async (v) => {
		await v.page.route('**/sweep?**', async (route) => {
			if (route.request().resourceType() !== 'document') return route.continue();
			const response = await route.fetch();
			const html = await response.text();
			assert.match(html, /data-plots="uplot"/);
			return route.fulfill({ response, body: html.replace('data-plots="uplot"', 'data-plots=""') });
		});
		await v.page.route('**/static/vendor/**', (route) => {
			v.wrong.push('asked for what the build does not have');
			return route.abort();
		});
		await v.open(STORY);
		const img = v.page.locator('#picture img');
		assert.ok(await img.isVisible());
		assert.equal((await v.cells('#sweep-table')).length, 8);
		await v.page
			.locator('.chip', { hasText: '+revert' })
			.getByRole('button', { name: /^Remove/ })
			.click();
		await v.settled();
		await v.page.waitForFunction(() => !document.querySelector('#picture img').src.includes('revert'));
		assert.ok(await img.evaluate((i) => i.decode().then(() => i.naturalWidth > 300)));
	}));

for (const [name, viewport] of [
	['a wide screen', { width: 1440, height: 900 }],
	['a phone', { width: 390, height: 844 }],
])
	test(`nothing jumps while a page loads on ${name}`, () =>
		visit(
			async (v) => {
				await v.page.addInitScript(() => {
					window.shifts = 0;
					const add = (list) => list.getEntries().forEach((e) => (window.shifts += e.value));
					new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true });
				});
				for (const path of [STORY, '/', '/trend', '/compare', '/matrix', '/alerts']) {
					await v.open(path);
					const shifts = await v.page.evaluate(() => window.shifts);
					assert.ok(shifts < 0.1, `${path}: ${shifts.toFixed(3)}`);
				}
			},
			{ viewport },
		));

test('on a phone a short headline keeps no blank, and what is cut at its edge shows that until its end', () =>
	visit(
		async (v) => {
			const room = (selector) =>
				v.page.locator(selector).evaluate((el) => el.getBoundingClientRect().bottom - Math.max(...[...el.children].map((c) => c.getBoundingClientRect().bottom)));
			const faded = (el) => el.evaluate((e) => getComputedStyle(e).maskImage !== 'none');

			await v.open('/sweep?axis=size_kib&kernel=6.16&benchmark=mprotect%2Ftw4m&machine=milan-01');
			for (const selector of ['.head', '.chips']) assert.ok((await room(selector)) < 2, `${selector}: ${await room(selector)} px of nothing`);
			await v.open(STORY);
			const table = v.page.locator('.scroll', { has: v.page.locator('#sweep-table') });
			assert.ok(await table.evaluate((e) => e.scrollWidth > e.clientWidth + 20), 'the table is wider than the phone');
			assert.equal(await faded(table), true, 'its edge fades');
			await table.evaluate((e) => (e.scrollLeft = e.scrollWidth));
			await v.page.waitForFunction((e) => getComputedStyle(e).maskImage === 'none', await table.elementHandle());
			await v.open('/?');
			for (const el of await v.page.locator('.scroll').all())
				assert.equal(await faded(el), await el.evaluate((e) => e.scrollWidth > e.clientWidth), 'faded where it is cut, and only there');
		},
		{ viewport: { width: 390, height: 844 } },
	));

test('an unknown kernel: the sentence, the nearest names, the request id, and a way on', () =>
	visit(
		async (v) => {
			await v.open('/sweep?axis=size_kib&kernel=6.99');
			const text = await v.text('[data-state=error]');
			assert.match(text, /6\.99/);
			assert.match(text, /nearest: \S+/);
			assert.match(text, /request [0-9a-f]{16}/);
			await v.page.getByRole('link', { name: 'Start from the default view' }).click();
			await v.settled();
			assert.equal(await v.page.locator('[data-state=error]').count(), 0);
		},
		{},
		{ expectErrors: true },
	));

test('a server that does not answer is told, and can be asked again', () =>
	visit(
		async (v) => {
			await v.page.route('**/api/v1/compare?**', (r) => r.abort());
			await v.open('/compare?base=6.16&head=6.17-rc1');
			assert.match(await v.text('[data-state=error]'), /did not answer/);
			await v.page.unroute('**/api/v1/compare?**');
			await v.page.getByRole('button', { name: 'Try again' }).click();
			await v.page.locator('#compare-table').waitFor();
		},
		{},
		{ expectErrors: true },
	));

test('an empty selection says how to fill it; one kernel alone asks for a second', () =>
	visit(async (v) => {
		await v.open('/trend?benchmark=nothing-like-this*');
		assert.match(await v.text('[data-state=empty]'), /curl/);
		await v.open('/sweep?axis=size_kib&kernel=6.16&machine=milan-01&benchmark=mprotect%2Ftw4m');
		assert.match(await v.text('h1'), /choose a second kernel/);
		assert.equal((await v.cells('#sweep-table')).length, 8);
	}));

test('compare shows every row, sorts, and filters in the URL', () =>
	visit(async (v) => {
		await v.open('/compare?base=6.16&head=6.17-rc1&fix=6.17-rc1%2Brevert-cac1db8c3aad&machine=milan-01');
		const rows = await v.cells('#compare-table');
		assert.equal(rows.length, 8);
		const row = rows.find((r) => r[0].includes(' 400 000 KiB'));
		assert.equal(row[1], '+150 %');
		assert.match(row[2], /^worse, inconclusive/);
		assert.ok(row.includes('87.8 %'));
		await v.page.getByRole('button', { name: 'change' }).click();
		await v.page.waitForURL((u) => u.searchParams.get('sort') === '-change');
		await v.settled();
		const sorted = (await v.cells('#compare-table')).map((r) => Number(r[1].replace(/[^\d.]/g, '')));
		assert.deepEqual(
			sorted,
			[...sorted].sort((a, b) => b - a),
		);
		await v.page.locator('#filter-text').fill('nothing like it');
		assert.match(await v.text('[data-state=empty]'), /No row like that/);
		assert.equal(new URL(v.page.url()).searchParams.get('text'), 'nothing like it');
		await v.page.locator('#filter-text').fill('milan size_kib=4000000');
		assert.equal((await v.cells('#compare-table')).length, 2);
	}));

test('the matrix tells THP modes apart, and a cell opens its rows', () =>
	visit(async (v) => {
		await v.open('/matrix?base=6.16.0-65.eln150.x86_64&head=6.17.0-0.rc1.17.eln150.x86_64');
		const cells = await v.cells('#matrix-table');
		assert.match(cells.find((r) => r[0].startsWith('epyc-rome'))[1], /67 %/);
		assert.match(await v.text('h1'), /helps THP always on all 2, by number: unproven/);
		await v.open('/matrix?base=6.16&head=6.17-rc1');
		assert.match(await v.text('h1'), /helps THP always on all 2; hurts THP never on all 2/);
		await v.page.locator('#matrix-table td[data-verdict=regression] a').first().click();
		await v.page.waitForURL((u) => u.pathname === '/compare' && u.searchParams.get('thp') === 'never');
		await v.settled();
		assert.ok((await v.page.locator('tr[data-verdict=regression]').count()) > 0);
	}));

test('a name from outside stays text, wherever it is shown', async (t) => {
	if (!site.token) {
		t.skip('NSECWATCH_TOKEN is not set: nothing can be posted');
		return;
	}
	const evil = (s) => `evil-${s}-<img src=x onerror=alert(1)>\u2028</script><script>alert(2)</script>"'&`;
	const runs = ['6.18-rc1', '6.18-rc2'].map((kernel, k) => ({
		schema: 'nsecwatch.submission/1',
		machine: { name: evil('machine'), isa: 'x86_64', uarch: 'epyc-milan' },
		kernel,
		config: { thp: 'always' },
		started_at: '2026-03-01T00:00:00Z',
		source: { tool: evil('tool') },
		labels: { [evil('label')]: evil('value') },
		environment: { [evil('key')]: evil('word') },
		results: [4, 40, 400]
			.map((size_kib) => ({
				benchmark: evil('bench'),
				params: { size_kib, mode: evil('mode') },
				metric: evil('metric'),
				unit: 'ns/call',
				better: 'lower',
				values: [size_kib * (1 + k), size_kib * (1.01 + k)],
			}))
			.concat([
				{
					benchmark: evil('bench'),
					params: { size_kib: 4000, mode: evil('mode') },
					metric: evil('metric'),
					unit: 'ns/call',
					better: 'lower',
					status: 'failed',
					error: evil('error'),
				},
			]),
	}));
	const res = await site.post('/api/v1/runs', runs);
	const body = await res.json();
	assert.equal(res.status, 200, JSON.stringify(body).slice(0, 500));
	const b = encodeURIComponent(evil('bench'));
	const m = encodeURIComponent(evil('machine'));
	for (const path of [
		`/sweep?axis=size_kib&kernel=6.18-rc1&kernel=6.18-rc2&benchmark=${b}`,
		`/trend?benchmark=${b}`,
		`/compare?base=6.18-rc1&head=6.18-rc2&machine=${m}`,
		`/matrix?base=6.18-rc1&head=6.18-rc2&rows=machine&cols=benchmark&machine=${m}`,
		`/runs/${body.items[0].run_id}`,
		'/',
		'/alerts',
	])
		await visit(async (v) => {
			await v.open(path);
			assert.equal(await v.page.locator('img[src=x]').count(), 0, path);
			if (path !== '/alerts')
				assert.match(
					await v.page.locator('body').innerText(),
					/<img src=x onerror=alert\(1\)>/,
					`${path} shows the name`,
				);
		});
	await visit(async (v) => {
		await v.page.goto(
			`${site.url}/api/v1/sweep.svg?axis=size_kib&kernel=6.18-rc1&kernel=6.18-rc2&benchmark=${b}`,
		);
		assert.equal(await v.page.locator('script').count(), 0);
		assert.ok((await v.page.locator('svg path.line').count()) >= 2);
	});
});

test('the longest names do not make a page wider than its window, nor turn around what follows', async (t) => {
	if (!site.token) {
		t.skip('NSECWATCH_TOKEN is not set: nothing can be posted');
		return;
	}
	const [machine, benchmark] = ['m', '\u202eb'].map((s) => s.padEnd(s === 'm' ? 200 : 198, s.at(-1)));
	const res = await site.post(
		'/api/v1/runs',
		['6.18-rc1', '6.18-rc2'].map((kernel, k) => ({
			schema: 'nsecwatch.submission/1',
			machine: { name: machine, isa: 'x86_64', uarch: 'epyc-milan' },
			kernel,
			results: [4, 40].map((size_kib) => ({
				benchmark,
				params: { size_kib },
				metric: 'latency',
				unit: 'ns/call',
				better: 'lower',
				values: [size_kib * (1 + k), size_kib * (1.01 + k)],
			})),
		})),
	);
	assert.equal(res.status, 200);
	const b = encodeURIComponent(benchmark);
	for (const path of ['/', `/sweep?axis=size_kib&kernel=6.18-rc1&kernel=6.18-rc2&benchmark=${b}`, `/trend?benchmark=${b}`])
		await visit(async (v) => {
			await v.open(path);
			assert.ok(await v.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path);
			assert.equal(
				await v.page.evaluate(() => getComputedStyle(document.querySelector('main .k')).unicodeBidi),
				'isolate',
				path,
			);
		});
});
