// SPDX-License-Identifier: GPL-2.0-or-later
// The sweep: what makes lines and what makes panels, lines that are marked and compared, a zoom that is in the address.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stage, STORY } from './harness.mjs';

const GENERATED =
	'/sweep?axis=size_kib&kernel=6.16&kernel=6.17-rc1&benchmark=mprotect%2Ftw4m&machine=generated-milan&machine=generated-altra';
const at = stage();
const { visit } = at;

const titles = (v) => v.page.locator('.panel > h2').allInnerTexts();
const keysOf = (v, nth = 0) =>
	v.page
		.locator('.panel')
		.nth(nth)
		.locator('.keys li')
		.evaluateAll((l) => l.map((e) => e.textContent.trim()));

async function choose(v, what) {
	await v.page.locator(`[data-choice="${what}"]`).click();
	await v.page.waitForFunction((w) => location.search.includes(w), what.replace('=auto', ''));
	await v.settled();
}

test('which dimension makes lines, and which panels, is chosen apart', () =>
	visit(async (v) => {
		await v.open(GENERATED);
		assert.equal((await titles(v)).length, 4, 'two machines, two THP modes');
		await choose(v, 'panels=thp');
		assert.deepEqual((await titles(v)).sort(), ['THP always', 'THP never']);
		assert.deepEqual(
			(await keysOf(v)).sort(),
			['6.16, epyc-milan', '6.16, neoverse-n1', '6.17-rc1, epyc-milan', '6.17-rc1, neoverse-n1'],
		);
		await choose(v, 'panels=none');
		assert.deepEqual(await titles(v), ['The same as a table', `Fit: cost = fixed + pages \u00d7 cost a page`].slice(0, (await titles(v)).length));
		assert.equal((await keysOf(v)).length, 8);
		await choose(v, 'lines=thp');
		assert.ok((await keysOf(v)).every((name) => name.startsWith('THP ')));
		assert.equal(new Set(await keysOf(v)).size, 8, 'no two lines have one name');
	}));

test('two lines marked by keyboard are compared', () =>
	visit(async (v) => {
		await v.open(STORY);
		const plot = v.page.locator('.plot').first();
		await plot.focus();
		for (const key of ['End', 'ArrowUp', 'x']) await plot.press(key);
		assert.match(await v.text('#marks'), /mark a second line/);
		for (const key of ['ArrowDown', 'x']) await plot.press(key);
		await v.page.locator('#marks a').waitFor();
		assert.ok(await v.page.evaluate(() => document.activeElement.closest('#marks')), 'Enter is enough now');
		await v.page.keyboard.press('Enter');
		await v.page.waitForURL((u) => u.pathname === '/compare' && u.searchParams.get('machine') === 'milan-01');
		await v.settled();
		assert.ok((await v.cells('#compare-table')).length > 2);
		assert.equal(await v.page.locator('[data-state=error]').count(), 0);
	}));

test('Shift-click marks a line; of two machines the sweep of these two is offered', () =>
	visit(async (v) => {
		await v.open(`${GENERATED}&thp=never&panels=none&lines=uarch`);
		const over = v.page.locator('.u-over').first();
		const place = (line, i) =>
			v.page.evaluate(
				([l, k]) => {
					const { u, spec } = document.querySelector(".plot").plot;
					return { x: u.valToPos(spec.xs[k], 'x'), y: u.valToPos(spec.lines[l].y[k], 'y') };
				},
				[line, i],
			);
		const labels = await keysOf(v);
		const [a, b] = [labels.indexOf('epyc-milan, 6.16'), labels.indexOf('neoverse-n1, 6.16')];
		assert.ok(a >= 0 && b >= 0, labels.join('; '));
		for (const line of [a, b]) await over.click({ position: await place(line, 2), modifiers: ['Shift'] });
		assert.match(await v.text('#marks'), /^Show only generated-(milan|altra) and generated-(milan|altra), as % of the first/);
		await v.page.keyboard.press('Escape');
		await v.page.waitForFunction(() => !document.querySelector('#marks'));
	}));

test('the zoom is in the address: reload and back bring it', () =>
	visit(async (v) => {
		await v.open(STORY);
		const over = v.page.locator('.u-over').first();
		const box = await over.boundingBox();
		await v.page.mouse.move(box.x + box.width * 0.4, box.y + 100);
		await v.page.mouse.down();
		await v.page.mouse.move(box.x + box.width * 0.8, box.y + 120, { steps: 6 });
		await v.page.mouse.up();
		await v.page.waitForURL((u) => u.searchParams.has('from') && u.searchParams.has('to'));
		const names = () => v.page.evaluate(() => document.querySelector(".plot").plot.window().map(Math.round));
		const zoomed = await names();
		assert.ok(zoomed[0] > 100, `${zoomed}`);
		await v.page.reload();
		await v.settled();
		assert.deepEqual(await names(), zoomed);
		await v.page.goBack();
		await v.settled();
		assert.ok((await names())[0] < 4, `${await names()} ${v.page.url()}`);
		await v.page.locator('.plot').first().focus();
		await v.page.goForward();
		await v.settled();
		await v.page.locator('.plot').first().press('0');
		await v.page.waitForURL((u) => !u.searchParams.has('from'));
	}));
