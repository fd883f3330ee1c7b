// SPDX-License-Identifier: GPL-2.0-or-later
// What holds on every page: WCAG 2.2 AA as far as a program can tell, an address that brings back every view, and
// something to read without JavaScript.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import { launch, server, STORY, visitor } from './harness.mjs';

let site, browser, pages;

before(async () => {
	[site, browser] = await Promise.all([server(), launch()]);
	const [{ runs }, { alerts }] = await Promise.all([site.get('/api/v1/runs?machine=milan-01'), site.get('/api/v1/alerts')]);
	pages = [
		'/',
		STORY,
		'/trend?benchmark=mprotect%2Ftw4m&machine=generated-milan',
		'/compare?base=6.16&head=6.17-rc1',
		'/matrix?base=6.16&head=6.17-rc1',
		'/alerts',
		`/alerts/${alerts[0].id}`,
		`/runs/${runs[0].run_id}`,
		'/machines/generated-milan',
		'/kernels/6.17-rc1',
		'/benchmarks/mprotect%2Ftw4m',
		'/rules',
		'/deliveries',
		'/bisect',
		'/audit',
		'/compare?base=6.16&head=6.16&machine=milan-01', // nothing differs
		'/trend?benchmark=nothing*', // empty
		'/compare?base=0.1&head=0.2', // an error
		'/frozen/compare?base=6.16&head=6.17-rc1&sort=-change&group=thp',
		STORY.replace('/', '/frozen/'),
		`/frozen/runs/${runs[0].run_id}`,
		'/frozen/overview',
		...(site.token ? [await kept('/matrix?base=6.16&head=6.17-rc1')] : []),
	];
});
after(async () => {
	await browser?.close();
	await site?.stop();
});

// The address of a page that is kept for good
async function kept(path) {
	const res = await site.post('/api/v1/pages', { path });

	assert.ok(res.ok, String(res.status));
	return (await res.json()).url;
}

const FROZEN = (path) => path.startsWith('/frozen/') || path.startsWith('/pages/');

// Its policy runs no script, so none could look at it: the same bytes without the policy.
async function openFrozen(page, path) {
	await page.route(site.url + path, async (route) => {
		const response = await route.fetch();
		const headers = response.headers();

		assert.match(headers['content-security-policy'], /default-src 'none'/, path);
		delete headers['content-security-policy'];
		await route.fulfill({ response, headers });
	});
	await page.goto(site.url + path);
	await page.unroute(site.url + path);
}

for (const colorScheme of ['light', 'dark'])
	test(`axe finds no violation of WCAG 2.2 AA on any page (${colorScheme})`, async () => {
		const v = await visitor(browser, site.url, { colorScheme });
		const found = [];

		for (const path of pages) {
			if (FROZEN(path)) await openFrozen(v.page, path);
			else await v.open(path);
			const { violations } = await new AxeBuilder({ page: v.page })
				.withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
				.analyze();
			for (const o of violations)
				found.push(`${path}: ${o.id}: ${o.nodes.slice(0, 3).map((n) => n.html.slice(0, 140)).join(' | ')}`);
		}
		await v.close();
		assert.deepEqual(found, []);
	});

// ---- paper ----

test('printed from a dark screen a page is black on white, fits the paper, and has no controls on it', async () => {
	const v = await visitor(browser, site.url, { colorScheme: 'dark' });
	const print = () => dispatchEvent(new Event('beforeprint'));
	const seen = () => ({
		paper: getComputedStyle(document.body).backgroundColor,
		wide: document.documentElement.scrollWidth,
		controls: [...document.querySelectorAll('header, footer, main button:not([data-sort]), main input, main select, .chips')].filter((e) => e.getClientRects().length).map((e) => e.outerHTML.slice(0, 80)),
		cut: [...document.querySelectorAll('main canvas, main table, main img')].filter((e) => e.getBoundingClientRect().right > 704).length,
	});

	for (const path of ['/', STORY, '/trend?benchmark=mprotect%2Ftw4m', '/compare?base=6.16&head=6.17-rc1&machine=generated-*', pages.find((p) => p.startsWith('/alerts/')), '/machines/generated-milan']) {
		await v.page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
		await v.page.setViewportSize({ width: 1440, height: 900 });
		await v.open(path);
		await v.page.evaluate(print);
		await v.page.emulateMedia({ media: 'print', colorScheme: 'dark' });
		await v.page.setViewportSize({ width: 704, height: 1000 }); // A4 without its margins
		assert.deepEqual(await v.page.evaluate(seen), { paper: 'rgb(255, 255, 255)', wide: 704, controls: [], cut: 0 }, path);
		await v.page.evaluate(() => dispatchEvent(new Event('afterprint')));
		await v.page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
		assert.equal(await v.page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(20, 23, 26)', path);
	}
	assert.deepEqual(v.wrong, []);
	await v.close();
});

// ---- the address is the view ----

const PAIR = '/compare?base=6.16&head=6.17-rc1&machine=generated-*';
const TREND = '/trend?benchmark=mprotect%2Ftw4m&machine=generated-milan&thp=never';
const STATES = [
	STORY,
	`${STORY}&y=page`,
	STORY.replace('milan-01', 'generated-milan').replace('&kernel=6.17-rc1%2Brevert-cac1db8c3aad', '') + '&lines=thp',
	TREND,
	`${TREND}&from=6.16-rc4&to=6.17-rc3`,
	`${TREND}&x=run&from=2025-06-01&to=2025-09-01`,
	`${TREND}&x=run&y=baseline&baseline=6.12`,
	`${TREND}&y=percent&scale=log`,
	`${TREND}&lines=series`,
	`${TREND}&variants=0`,
	PAIR,
	`${PAIR}&verdict=regression`,
	`${PAIR}&confidence=strong&sort=-noise`,
	`${PAIR}&group=thp`,
	`${PAIR}&group=sweep&sort=row`,
	`${PAIR}&size=400..4000&on=generated-milan&mode=never`,
	`${PAIR}&text=4000`,
	'/matrix?base=6.16&head=6.17-rc1',
	'/matrix?base=6.16&head=6.17-rc1&rows=machine&cols=param.size_kib',
	'/alerts?kind=regression',
	'/rules',
];

// What a person sees: texts, which choice is on, fields, and pictures to the pixel. Without the request's id.
const look = (page) =>
	page.evaluate(() => {
		const main = document.querySelector('main').cloneNode(true);
		main.querySelector('#suggest')?.remove(); // comes later, from the catalogue
		main.querySelectorAll('.tip').forEach((e) => e.remove());
		return {
			title: document.title,
			text: main.textContent.replace(/\s+/g, ' '),
			pressed: [...document.querySelectorAll('[aria-pressed=true]')].map((e) => e.textContent),
			fields: [...document.querySelectorAll('main input, main select')].map((e) => e.value),
			pictures: [...document.querySelectorAll('canvas')].map((c) => c.toDataURL()),
			address: location.pathname + location.search,
		};
	});

// until it stands still: pictures follow their width, texts what is asked for later
async function settledLook(v) {
	let last = '';

	await v.settled();
	await v.page.waitForLoadState('networkidle');
	for (let i = 0; i < 50; i++) {
		const now = JSON.stringify(await look(v.page));
		if (now === last) return now;
		last = now;
		await v.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
	}
	return last;
}

const same = (got, want, what) => {
	if (got === want) return;
	const [a, b] = [JSON.parse(got), JSON.parse(want)];
	for (const k of Object.keys(b)) assert.deepEqual(a[k], b[k], `${what}: ${k}`);
};

test(`back, forward, reload and a new window bring every view back exactly: ${STATES.length} states`, async () => {
	const v = await visitor(browser, site.url);
	const seen = [];

	for (const path of STATES) {
		await v.page.goto(site.url + path);
		seen.push(await settledLook(v));
	}
	for (let i = STATES.length - 2; i >= 0; i--) {
		await v.page.goBack();
		same(await settledLook(v), seen[i], `back to ${STATES[i]}`);
	}
	for (let i = 1; i < STATES.length; i++) {
		await v.page.goForward();
		same(await settledLook(v), seen[i], `forward to ${STATES[i]}`);
		if (i % 4) continue;
		await v.page.reload();
		same(await settledLook(v), seen[i], `reload of ${STATES[i]}`);
		const other = await visitor(browser, site.url);
		await other.page.goto(v.page.url());
		same(await settledLook(other), seen[i], `a new window on ${STATES[i]}`);
		await other.close();
	}
	assert.deepEqual(v.wrong, []);
	await v.close();
});

test('within a page too: each step of a walk comes back', async () => {
	const v = await visitor(browser, site.url);
	const steps = ['[data-choice="verdict=regression"]', '[data-choice="group=thp"]', '[data-choice="confidence=strong"]', '[data-sort=noise]'];
	const seen = [];

	await v.open(PAIR);
	seen.push(await settledLook(v));
	for (const step of steps) {
		await v.page.locator(step).click();
		await v.page.mouse.move(2, 2);
		seen.push(await settledLook(v));
	}
	for (let i = steps.length - 1; i >= 0; i--) {
		await v.page.goBack();
		same(await settledLook(v), seen[i], `back over ${steps[i]}`);
	}
	for (let i = 1; i <= steps.length; i++) {
		await v.page.goForward();
		same(await settledLook(v), seen[i], `forward over ${steps[i - 1]}`);
	}
	await v.close();
});

// ---- without JavaScript ----

test('without JavaScript each page says where its text, tables and picture are, and the links work', async () => {
	const v = await visitor(browser, site.url, { javaScriptEnabled: false });

	for (const path of pages.filter((p) => !FROZEN(p) && !p.includes('nothing') && !p.includes('0.1'))) {
		await v.page.goto(site.url + path);
		if (path === '/bisect') {	// of a file that the server never sees
			assert.match(await v.page.locator('main').innerText(), /nsecwatch bisect log prints the same as text/);
			continue;
		}
		const links = await v.page
			.locator('main a[href^="/api/v1/"]:visible, main a[href^="/frozen/"]:visible')
			.evaluateAll((l) => l.map((a) => a.getAttribute('href')));
		assert.ok(links.length >= 2, `${path} has ${links.length} links`);
		assert.ok(links.some((l) => l.includes('.txt')) && links.some((l) => l.includes('.csv')), `${path}: ${links}`);
		for (const link of new Set(links)) {
			const { status } = await fetch(site.url + link, { headers: { authorization: `Bearer ${site.token}` } });
			assert.equal(status, 200, `${path}: ${link}`);
		}
		for (const img of await v.page.locator('main img').all())
			assert.ok(await img.evaluate((i) => i.decode().then(() => i.naturalWidth > 100)), `${path}: its picture`);
	}
	await v.close();
});

test('a view is taken away as one file, and kept under an address that stays', async (t) => {
	if (!site.token) {
		t.skip('NSECWATCH_TOKEN is not set: nothing can be kept');
		return;
	}
	const v = await visitor(browser, site.url);
	const { page } = v;

	await v.open(PAIR);
	const snapshot = await page.locator('[data-form=snapshot]').getAttribute('href');
	assert.equal(snapshot, `/frozen${PAIR}`);
	await page.locator('#keep').click();
	await page.locator('#sign-in input[name=token]').fill(site.token);
	await page.keyboard.press('Enter');
	const link = page.locator('#kept a');
	await link.waitFor();
	const href = await link.getAttribute('href');
	assert.match(href, /^\/pages\/[0-9a-f-]{36}$/);
	await page.goto(site.url + href);
	assert.match(await page.locator('pre').first().innerText(), /8 of 16 cells regress/);
	assert.ok(await page.locator('img').evaluate((i) => i.naturalWidth > 300));
	assert.deepEqual(v.wrong, []);
	await v.close();
});
