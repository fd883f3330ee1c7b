// SPDX-License-Identifier: GPL-2.0-or-later
// The first page: what it leads with, the heat map, and that all of it is one request.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stage } from './harness.mjs';

const at = stage();
const { visit } = at;

const plain = (text) => text.replace(/[\u2009\u202f\u00a0]/g, ' ').trim();

test('regressions come before improvements, in the headline and in the list', () =>
	visit(async (v) => {
		await v.open('/');
		const { alerts } = await at.site.get('/api/v1/overview');
		const bad = alerts.filter((a) => a.kind === 'regression');
		assert.ok(bad.length && bad.length < alerts.length, 'the demonstration has both');
		assert.match(plain(await v.text('h1')), /^\S+ is worse since v6\.17-rc1, [+\u2212]\d+ % on /);
		const kinds = await v.page.locator('#alerts-table tbody tr').evaluateAll((rows) => rows.map((r) => r.dataset.verdict));
		assert.deepEqual(kinds, kinds.toSorted((a, b) => (a === 'improvement') - (b === 'improvement')));
	}));

test('one request of data is enough', () =>
	visit(async (v) => {
		const asked = [];
		v.page.on('request', (r) => r.url().includes('/api/') && asked.push(new URL(r.url()).pathname));
		await v.open('/');
		assert.deepEqual(asked, ['/api/v1/overview']);
	}));

test('a cell of the heat map says how much, with which kernel, and opens the alert', () =>
	visit(async (v) => {
		await v.open('/');
		const { heat } = await at.site.get('/api/v1/overview');
		const rows = await v.cells('#heat');
		assert.deepEqual(rows.map((r) => r[0]), heat.benchmarks);
		assert.deepEqual((await v.heads('#heat')).slice(1), heat.uarchs);
		const cell = v.page.locator('#heat td[data-verdict=regression] a').first();
		assert.match(plain(await cell.innerText()), /^[+\u2212][\d.]+ %/);
		await cell.click();
		await v.page.waitForURL((u) => u.pathname.startsWith('/alerts/'));
		await v.settled();
		assert.equal(await v.page.locator('[data-state=error]').count(), 0);
	}));

test('its keys: n goes to the first regression, Enter opens it', () =>
	visit(async (v) => {
		await v.open('/');
		await v.page.keyboard.press('n');
		const row = v.page.locator('tr[aria-selected=true]');
		assert.equal(await row.getAttribute('data-verdict'), 'regression');
		const href = await row.locator('a').first().getAttribute('href');
		await v.page.keyboard.press('Enter');
		await v.page.waitForURL((u) => u.pathname + u.search === href);
	}));
