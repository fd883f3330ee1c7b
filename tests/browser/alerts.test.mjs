// SPDX-License-Identifier: GPL-2.0-or-later
// The pages of alerts in a browser: filters, selecting, deciding by mouse and by keys, the draft of the mail.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, server, until, visitor } from './harness.mjs';

let site, browser;

const evil = (s) => `evil-${s}-<img src=x onerror=alert(1)>\u202e"'&`;
const LONG = 'long-' + 'x'.repeat(190);

// Two kernels, three boots each, twice as slow: an alert
function step(benchmark, machine, kernels = ['6.20', '6.21-rc1']) {
	return kernels.flatMap((kernel, k) =>
		[0, 1, 2].map((boot) => ({
			schema: 'nsecwatch.submission/1',
			machine: { name: machine, isa: 'x86_64', uarch: 'epyc-milan' },
			kernel,
			config: { thp: 'never', base_page_kib: 4 },
			boot_id: `${benchmark.slice(0, 40)}-${machine.slice(0, 40)}-${kernel}-${boot}`,
			started_at: '2026-03-01T00:00:00Z',
			source: { tool: 'bench', command: "taskset -c 3 ./bench --sizes '4 40 400'" },
			results: [4, 40, 400].map((size_kib) => ({
				benchmark,
				params: { size_kib },
				metric: 'latency',
				unit: 'ns/call',
				better: 'lower',
				values: [1, 2, 3].map((rep) => size_kib * 100 * (1 + k) * (1 + boot / 500 + rep / 1000)),
			})),
		})),
	);
}

async function raise(benchmark, machine = 'browser-01') {
	const res = await site.post('/api/v1/runs', step(benchmark, machine));
	assert.equal(res.status, 200, await res.text());
	const url = `/api/v1/alerts?benchmark=${encodeURIComponent(benchmark)}&kind=regression`;
	return until(`an alert on ${benchmark}`, async () => (await site.get(url)).alerts?.[0]);
}

const alertOf = (id) => site.get(`/api/v1/alerts/${id}`);
const state = (id, want) => until(`${id} is ${want}`, async () => (await alertOf(id)).state === want);

before(async () => {
	site = await server();
	browser = await launch();
});
after(async () => {
	await browser?.close();
	await site?.stop();
});

async function visit(does, options = {}, { expectErrors = false } = {}) {
	const v = await visitor(browser, site.url, options);

	try {
		await does(v);
		if (!expectErrors) assert.deepEqual(v.wrong, []);
	} finally {
		await v.close();
	}
}

async function signIn(v, token = site.token) {
	await v.page.locator('#sign-in input[name=token]').fill(token);
	await v.page.locator('#sign-in button[type=submit]').click();
}

test('one alert: what, how sure, pictures, the mail, history; nobody has to sign in to read it', () =>
	visit(async (v) => {
		const a = await raise('browser/one');
		await v.open(`/alerts/${a.id}`);
		assert.match(
			await v.text('h1'),
			/browser\/one is slower with v6\.21-rc1 than with v6\.20: .*on 1 machine\./,
		);
		assert.match(await v.text('#facts'), /how sure\s+3 boots x 3 repetitions/);
		assert.match(await v.text('#facts'), /newest\s+present in 6\.21-rc1/);
		const rows = (await v.cells('#alert-table')).filter((r) => r.length > 1);
		assert.equal(rows.length, 3);
		assert.match(rows[0].join(' '), /\+100 %.*regression, strong/);
		await v.page.locator('#charts .u-over').first().waitFor();
		assert.ok(await v.page.locator('figure.trend img').evaluate((i) => i.complete && i.naturalWidth > 100));
		assert.match(await v.text('.subject'), /\[REGRESSION\] browser\/one: .* since v6\.21-rc1/);
		const mail = await v.text('#mail');
		assert.match(mail, /#regzbot introduced: v6\.20\.\.v6\.21-rc1/);
		assert.match(mail, /To reproduce:\s+taskset -c 3/);
		assert.ok(mail.split('\n').every((l) => l.length <= 72 || l.startsWith('http')));
		assert.match(await v.text('.events'), /watch found it/);
		await v.page.locator('#alert-table button.why').first().click();
		await v.page.locator('#why[data-shown]').waitFor();
		assert.match(await v.text('#why'), /Why:/);
	}));

test('the mail is copied with a button and with a key', () =>
	visit(
		async (v) => {
			const a = await raise('browser/copy');
			await v.open(`/alerts/${a.id}`);
			await v.page.locator('#copy-mail').click();
			await until('it says so', async () => /Copied/.test(await v.text('#copy-mail')));
			const text = await v.page.evaluate(() => navigator.clipboard.readText());
			assert.equal(text, await v.page.locator('#mail').evaluate((e) => e.textContent));
			await v.page.evaluate(() => navigator.clipboard.writeText(''));
			await v.page.keyboard.press('y');
			await until(
				'again',
				async () => (await v.page.evaluate(() => navigator.clipboard.readText())) === text,
			);
		},
		{ permissions: ['clipboard-read', 'clipboard-write'] },
	));

test('deciding asks who you are once, and the history tells', () =>
	visit(
		async (v) => {
			const a = await raise('browser/decide');
			await v.open(`/alerts/${a.id}`);
			await v.page.locator('[data-action=acknowledge]').click();
			await signIn(v, 'nsw_' + 'x'.repeat(43));
			await until('the refusal', async () => /not known|revoked/.test(await v.text('#sign-in [role=alert]')));
			await signIn(v);
			await state(a.id, 'acknowledged');
			await until('the page follows', async () => /acknowledged/.test(await v.text('.standing')));
			assert.match(await v.text('.session'), /signed in as .* sign out/);
			assert.equal(await v.page.locator('[data-action=acknowledge]').count(), 0, 'not twice');

			await v.page.keyboard.press('s');
			await v.page.locator('#act input[name=due_at]').fill('2026-12-24');
			await v.page.locator('#act button[type=submit]').click();
			await until('the assignee', async () => (await alertOf(a.id)).due_at?.startsWith('2026-12-24'));
			assert.ok((await alertOf(a.id)).assignee, 'to who is signed in');

			await v.page.locator('#act').waitFor({ state: 'detached' });
			await v.settled();
			await v.page.keyboard.press('r');
			await v.page.locator('#act input[name=url]').fill('https://lore.kernel.org/r/20260301.1@lab.example');
			await v.page.locator('#act textarea').fill('told <b>everybody</b>');
			await v.page.keyboard.press('Tab');
			await v.page.keyboard.press('Enter');
			await state(a.id, 'reported');
			await until('the history', async () => /told <b>everybody<\/b>/.test(await v.text('.events')));
			assert.equal(
				await v.page.locator('.standing a').getAttribute('href'),
				'https://lore.kernel.org/r/20260301.1@lab.example',
			);
			await until('the mail follows', async () => !/#regzbot introduced/.test(await v.text('#mail')));

			await v.page.locator('[data-action=fixed]').click();
			await v.page.locator('#act button[type=submit]').click();
			await until('why not', async () => /data do not show it/.test(await v.text('#act [role=alert]')));
			await v.page.locator('#act input[name=unverified]').check();
			await v.page.locator('#act button[type=submit]').click();
			await state(a.id, 'fixed');
			await v.page.locator('[data-action=reopen]').waitFor();
			await v.page.locator('.session button').click();
			await until('signed out', async () => /sign in/.test(await v.text('.session')));
		},
		{},
		{ expectErrors: true }, // the refusals are errors on the console
	));

test('who goes away from signing in has done nothing', () =>
	visit(async (v) => {
		const a = await raise('browser/reader');
		await v.open(`/alerts/${a.id}`);
		await v.page.getByRole('button', { name: 'sign in to decide' }).click();
		await v.page.keyboard.press('Escape');
		await v.page.locator('#sign-in').waitFor({ state: 'detached' });
		await v.page.keyboard.press('a');
		await v.page.locator('#sign-in').waitFor();
		await v.page.getByRole('button', { name: 'Cancel' }).click();
		await v.page.locator('#sign-in').waitFor({ state: 'detached' });
		assert.equal((await alertOf(a.id)).state, 'new');
	}));

test('the list: filters are addresses, some have a name, and new ones can be kept', () =>
	visit(async (v) => {
		await raise('browser/list');
		await v.open('/alerts');
		await v.page.getByRole('link', { name: 'Improvements' }).click();
		await v.page.waitForURL((u) => u.searchParams.get('kind') === 'improvement');
		await v.settled();
		assert.equal(await v.page.locator('#alerts-table tr[data-verdict=regression]').count(), 0);
		assert.equal(await v.text('.filters [aria-current=true]'), 'Improvements');
		await v.open('/alerts?benchmark=browser%2F*&state=new');
		assert.ok((await v.cells('#alerts-table')).every((r) => r[0].includes('browser/')));
		await v.page.locator('#save').click();
		await v.page.locator('#save-filter input').fill('mine <i>');
		await v.page.locator('#save-filter button[type=submit]').click();
		await v.page.getByRole('link', { name: 'mine <i>' }).waitFor();
		await v.open('/alerts');
		await v.page.getByRole('link', { name: 'mine <i>' }).click();
		await v.page.waitForURL((u) => u.searchParams.get('benchmark') === 'browser/*');
		await v.settled();
		await v.page.getByRole('button', { name: 'Forget the filter mine' }).click();
		await until(
			'it is forgotten',
			async () => !(await v.page.getByRole('link', { name: 'mine <i>' }).count()),
		);
		assert.equal(await v.page.locator('link[rel=alternate]').getAttribute('type'), 'application/atom+xml');
	}));

test('many at once, with the keyboard alone', () =>
	visit(async (v) => {
		const list = [];

		for (const i of [1, 2, 3]) list.push(await raise(`browser/bulk${i}`));
		await v.open('/alerts?benchmark=browser%2Fbulk*&kind=regression');
		assert.equal(await v.page.locator('#alerts-table tbody tr').count(), 3);
		assert.ok(await v.page.locator('#selection').isHidden());
		for (const key of ['j', 'x', 'j', 'x']) await v.page.keyboard.press(key);
		assert.match(await v.text('#selection'), /2 selected/);
		assert.equal(await v.page.locator('tr[data-selected] input:checked').count(), 2);
		await v.page.keyboard.press('i');
		await v.page.locator('#act textarea[name=reason]').waitFor();
		assert.match(await v.text('#act h2'), /Invalid: 2 alerts/);
		await v.page.keyboard.type('a test of the browser');
		await v.page.keyboard.press('Tab');
		await v.page.keyboard.press('Enter');
		await signIn(v);
		await until('two are invalid', async () => {
			const states = await Promise.all(list.map(async (a) => (await alertOf(a.id)).state));
			return states.filter((s) => s === 'invalid').length === 2 && states.includes('new');
		});
		await until(
			'the list follows',
			async () => (await v.cells('#alerts-table')).filter((r) => /invalid/.test(r.join(' '))).length === 2,
		);
		await v.page.keyboard.press('*');
		assert.match(await v.text('#selection'), /3 selected/);
		await v.page.keyboard.press('*');
		assert.ok(await v.page.locator('#selection').isHidden());
		await v.page.keyboard.press('?');
		assert.match(await v.text('#help'), /select the row/);
		await v.page.keyboard.press('Escape');
		await v.page.locator('#help').waitFor({ state: 'hidden' });
		await v.page.keyboard.press('j');
		await v.page.keyboard.press('Enter');
		await v.page.waitForURL((u) => u.pathname.startsWith('/alerts/'));
	}));

test('alerts are merged, and rows split off', () =>
	visit(async (v) => {
		const [one, two] = [await raise('browser/merge1'), await raise('browser/merge2')];

		await v.open('/alerts?benchmark=browser%2Fmerge*&kind=regression');
		await v.page.keyboard.press('*');
		await v.page.locator('#selection [data-action=merge]').click();
		await v.page.locator('#act select[name=into]').selectOption(two.id);
		await v.page.locator('#act button[type=submit]').click();
		await signIn(v);
		await until('one is in two', async () => (await alertOf(one.id)).merged_into === two.id);
		assert.equal((await alertOf(two.id)).n_series, 6);
		await v.open(`/alerts/${one.id}`);
		assert.match(await v.text('.events'), /merge/);
		await v.page.locator('#head').getByRole('link', { name: 'another alert' }).click();
		await v.page.waitForURL((u) => u.pathname.endsWith(two.id));
		await v.settled();
		for (const key of ['j', 'x']) await v.page.keyboard.press(key);
		await v.page.getByRole('button', { name: 'Split off 1 row' }).click();
		await v.page.locator('#act button[type=submit]').click();
		await until('a row has left', async () => (await alertOf(two.id)).n_series === 5);
		assert.match(await v.text('#view'), /Raised by the rule/);
	}));

test('names from outside stay text, and do not make a page wider, in both themes', async () => {
	const bad = await raise(evil('bench'), evil('machine'));
	const long = await raise(LONG, LONG);

	for (const colorScheme of ['light', 'dark'])
		for (const viewport of [
			{ width: 1440, height: 900 },
			{ width: 390, height: 844 },
		])
			await visit(
				async (v) => {
					for (const path of [`/alerts/${bad.id}`, `/alerts/${long.id}`, '/alerts']) {
						await v.open(path);
						assert.equal(await v.page.locator('img[src=x]').count(), 0, path);
						assert.ok(
							await v.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
							`${path} at ${viewport.width}`,
						);
					}
					await v.open(`/alerts/${bad.id}`);
					assert.match(await v.text('h1'), /<img src=x onerror=alert\(1\)>/);
					assert.ok(!(await v.text('#mail')).includes('\u202e'));
				},
				{ colorScheme, viewport },
			);
});

test('what is late, and whose it is, are filters; an alert past its day says so', () =>
	visit(async (v) => {
		const [alert] = (await site.get('/api/v1/alerts?kind=regression')).alerts;
		const res = await site.post(`/api/v1/alerts/${alert.id}/events`, {
			action: 'assign',
			assignee: 'admin',
			due_at: '2026-02-01T00:00:00Z',
		});
		assert.equal(res.status, 200, await res.text());
		await v.signIn(site.token);
		await v.open('/alerts');
		for (const name of ['Overdue', 'Mine']) {
			await v.page.locator('nav.filters a', { hasText: name }).click();
			await v.settled();
			const row = v.page.locator(`#alerts-table tbody tr[data-id="${alert.id}"]`);
			assert.equal(await row.count(), 1, name);
			assert.match(await row.locator('.worse').last().innerText(), /due 2026-02-01/);
			assert.equal(await v.page.locator('#alerts-table tbody tr', { hasText: 'suspect' }).count(), 0, name);
		}
		await v.open(`/alerts/${alert.id}`);
		assert.match(await v.text('p.standing'), /assigned to admin, overdue since 2026-02-01/);
	}));
