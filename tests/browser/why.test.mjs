// SPDX-License-Identifier: GPL-2.0-or-later
// The "why" beside each verdict: what it opens, by hand and by keyboard, on a wide screen and on a phone in the dark.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stage, STORY } from './harness.mjs';

const at = stage();
const { visit } = at;

const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' };

const clean = (s) => s.replace(/[\u2009\u202f\u00a0]/g, ' ').replace(/\u2212/g, '-');
const opened = (page) => page.waitForSelector('#why[open][data-shown]');
const text = async (page) => clean(await page.locator('#why').innerText());
// where everything of the page stands, the dialog apart
const layout = (page) =>
	page.evaluate(() =>
		[...document.querySelectorAll('main *')].map((e) => {
			const r = e.getBoundingClientRect();
			return [Math.round(r.x), Math.round(r.y), Math.round(r.width), Math.round(r.height)].join();
		}),
	);

for (const [name, options] of [
	['a wide screen', {}],
	['a phone, in the dark', PHONE],
])
	test(`every verdict has a why on ${name}: it opens, fits, moves nothing, and closes`, async () => {
		for (const path of [STORY, '/compare', '/matrix', '/trend'])
			await visit(async (v, page) => {
				await v.open(path);
				const verdicts = await page.locator('td[data-verdict], tr[data-verdict] .verdict').count();
				const buttons = await page.locator('td:not(.said td) .why').count();
				assert.ok(verdicts > 0 && buttons === verdicts, `${path}: ${buttons} of ${verdicts} explained`);
				await page.locator('main .why').first().scrollIntoViewIfNeeded();
				const before = await layout(page);
				await page.locator('main .why').first().click();
				await opened(page);
				assert.deepEqual(await layout(page), before, `${path}: nothing moved`);
				const box = await page.locator('#why').boundingBox();
				const { width } = page.viewportSize();
				assert.ok(box.x >= 0 && box.x + box.width <= width, `${path}: within the screen`);
				assert.ok(
					await page.locator('#why').evaluate((e) => e.scrollWidth <= e.clientWidth),
					`${path}: no sideways scroll in it`,
				);
				assert.match(await text(page), /%/);
				await page.locator('#why button').click();
				assert.equal(await page.locator('#why[open]').count(), 0, `${path}: closed`);
			}, options);
	});

test('the keyboard alone opens it, reads it and comes back to where it was', () =>
	visit(async (v, page) => {
		await v.open('/compare');
		await page.locator('tr[data-verdict=regression] .why').first().focus();
		await page.keyboard.press('Enter');
		await opened(page);
		assert.match(await text(page), /standard errors from nothing/);
		assert.match(await text(page), /q = .* over \d+ rows of this comparison is at most 0\.0/);
		await page.keyboard.press('Tab'); // from Close to the numbers
		await page.keyboard.press('Enter');
		assert.match(await text(page), /noise known from\s+boots/);
		await page.keyboard.press('Escape');
		assert.equal(await page.locator('#why[open]').count(), 0);
		assert.equal(
			await page.evaluate(() => document.activeElement.closest('tr').dataset.verdict),
			'regression',
			'the focus is where it was',
		);
		await page.keyboard.press('j');
		await page.keyboard.press('w');
		await opened(page);
		await page.keyboard.press('Escape');
	}));

test('the sweep\u2019s sentence is explained cost by cost; a size of one value says what it lacks', () =>
	visit(async (v, page) => {
		await v.open(STORY);
		await page.locator('#head .why').first().click();
		await opened(page);
		const said = await text(page);
		assert.match(said, /Per page\s+The cost per page differs by \+150 % .*: strong\./);
		assert.match(said, /Fixed cost\s+The fixed cost differs by \+1\.52 % .* it may be noise/);
		assert.match(said, /All sizes together/);
		assert.match(said, /assumed to move a whole run by 1 %/);
		await page.keyboard.press('Escape');
		await page.locator('#sweep-table .why').first().click();
		await opened(page);
		assert.match(await text(page), /no history/);
	}));

test('a comparison says what its sizes say together, and why', () =>
	visit(async (v, page) => {
		await v.open(STORY.replace('/sweep?axis=size_kib&kernel=', '/compare?base=').replace('&kernel=', '&head=').replace('&kernel=', '&fix='));
		const said = clean(await page.locator('#head .said').innerText());
		assert.match(said, /Per page: 17\.02 \u2192 42\.51 ns \(\+150 %, strong\); fixed cost: no change shown \(\+1\.5 %\)/);
		assert.match(said, /With cac1db8c3aad reverted \+18\.8 % per page remains/);
		await page.locator('.said .why').first().click();
		await opened(page);
		assert.match(await text(page), /Per page\s+The cost per page differs by \+150 %/);
	}));

test('a run\u2019s page lists what became worse with it, and why', () =>
	visit(async (v, page) => {
		const { alerts } = await at.site.get('/api/v1/alerts');
		const bad = alerts.find((a) => a.kind === 'regression');
		const { runs } = await at.site.get(`/api/v1/runs?machine=${encodeURIComponent(bad.machines[0])}&limit=1000`);
		const ids = runs.filter((r) => r.kernel.name === bad.to).map((r) => r.run_id);
		for (const id of ids) {
			await v.open(`/runs/${id}`);
			if (await page.locator('#verdict-table').count()) break;
		}
		await page.locator('#verdict-table .why').first().click();
		await opened(page);
		assert.match(await text(page), /standard errors from nothing|the level is/);
	}));

test('a row of a comparison is explained in its own family', () =>
	visit(async (v, page) => {
		await v.open('/compare');
		const rows = await page.locator('#compare-table tr[data-series]').count();
		const tested = (await at.site.get('/api/v1/compare?' + new URL(page.url()).searchParams)).rows.filter(
			(r) => r.q !== null,
		).length;
		await page.locator('tr[data-verdict=improvement] .why').first().click();
		await opened(page);
		assert.ok(rows >= tested && tested > 1);
		assert.match(await text(page), new RegExp(`over ${tested} rows of this comparison`));
		assert.match(await v.text('.trust'), new RegExp(`over the ${tested} tests of this comparison`));
	}));
