// SPDX-License-Identifier: GPL-2.0-or-later
// The page of rules in a browser: made, tried, changed and taken away; mutes; expectations and who is silent.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, server, until, visitor } from './harness.mjs';

const EVIL = `evil-<img src=x onerror=alert(1)>\u202e"'&`;
const LONG = 'long-' + 'x'.repeat(190);

let site, browser;

before(async () => {
	[site, browser] = await Promise.all([server(), launch()]);
});
after(async () => {
	await browser?.close();
	await site?.stop();
});

const remove = (path) =>
	fetch(site.url + path, { method: 'DELETE', headers: { authorization: `Bearer ${site.token}` } });

async function made(path, body) {
	const res = await site.post(path, body);
	const text = await res.text();

	assert.equal(res.status, 201, text);
	return JSON.parse(text);
}

const ruleNamed = async (name) => (await site.get('/api/v1/rules')).rules.find((r) => r.name === name);

async function visit(does, options = {}, expected = []) {
	const v = await visitor(browser, site.url, options);

	try {
		await does(v);
		assert.deepEqual(
			v.wrong.filter((w) => !expected.some((e) => w.includes(e))),
			[],
		);
	} finally {
		await v.close();
	}
}

async function signIn(v) {
	await v.page.fill('#sign-in input[name=token]', site.token);
	await v.page.click('#sign-in button[type=submit]');
}

const shot = (v, name) =>
	process.env.SHOTS && v.page.screenshot({ path: `${process.env.SHOTS}/rules-${name}.png`, fullPage: true });

test('the rules stand there with no token, and what is empty says what to do', () =>
	visit(async (v) => {
		await v.open('/alerts');
		await v.page.click('#what a[href="/rules"]');
		await v.page.waitForURL('**/rules');
		await v.settled();
		assert.match(await v.text('h1'), /^1 rule in force; nothing muted; nothing expected\.$/);
		const [row] = await v.cells('#rules-table');
		assert.match(row.join(' | '), /^default built in \| a change of at least 5 %, with at least weak confidence \| anything/);
		assert.match(row[4], /^\d{4}-\d\d-\d\d$/, 'it matched when the demonstration came');
		assert.match(row[5], /^\d{4}-\d\d-\d\d$/, 'and fired');
		assert.match(await v.text('#mutes .state'), /Nothing is muted.*reason/s);
		assert.match(await v.text('#expectations .state'), /Nothing is expected.*silence then raises an alert/s);
		assert.equal(await v.page.locator('a[data-form=txt]').getAttribute('href'), '/api/v1/rules.txt');
		await shot(v, 'first');
	}));

test('a rule is tried before it is made, changed, and removed; what is wrong is said with its place', () =>
	visit(
		async (v) => {
			await v.open('/rules');
			await v.page.click('#add-rule');
			const form = v.page.locator('#rule-form');
			await form.locator('input[name=name]').fill('mm');
			await form.locator('input[name=percent]').fill('3,5');
			await form.locator('button[name=dry]').click();
			await signIn(v);
			await form.locator('[role=alert] li:has-text("/percent")').waitFor();
			await form.locator('input[name=percent]').fill('3.5');
			// chosen by typing
			await form.locator('.combo input').fill('tw4m');
			await form.locator('.combo li[aria-selected=true]:has-text("mprotect/tw4m")').waitFor();
			await v.page.keyboard.press('Enter');
			assert.equal(await form.locator('textarea[name=selector]').inputValue(), 'benchmark=mprotect/tw4m\n');
			await form.locator('button[name=dry]').click();
			await form.locator('#dry').waitFor();
			assert.match(await form.locator('#dry').innerText(), /Would have fired \d+ times?, here; over \d+ series/);
			const first = form.locator('#dry-table tbody tr').first();
			assert.match(await first.locator('a').getAttribute('href'), /^\/compare\?base=.*head=.*benchmark=mprotect%2Ftw4m/);
			await shot(v, 'form');
			await first.locator('.why').click();
			await v.page.locator('#why[data-shown]').waitFor();
			assert.match(await v.text('#why'), /noise known from|standard error/);
			await v.page.keyboard.press('Escape');
			assert.equal(await ruleNamed('mm'), undefined, 'a dry run makes nothing');
			await form.locator('button[type=submit]').click();
			await v.page.locator('#rules-table tr:has-text("mprotect/tw4m")').waitFor();
			const rule = await ruleNamed('mm');
			assert.deepEqual([rule.percent, rule.selector], [3.5, { benchmark: ['mprotect/tw4m'] }]);

			// by keyboard
			await v.page.keyboard.press('j');
			await v.page.keyboard.press('j');
			await v.page.keyboard.press('e');
			assert.equal(await form.locator('textarea[name=selector]').inputValue(), 'benchmark=mprotect/tw4m');
			await form.locator('select[name=kind]').selectOption('limit');
			assert.ok(await form.locator('input[name=percent]').isHidden());
			await form.locator('button[type=submit]').click();
			await form.locator('[role=alert] li:has-text("/above")').waitFor();
			await form.locator('input[name=above]').fill('2');
			await form.locator('input[name=unit]').fill('us');
			await form.locator('input[name=enabled]').uncheck();
			await form.locator('button[type=submit]').click();
			await v.page.locator('#rules-table tr[data-off]:has-text("values above")').waitFor();
			assert.match(await v.text('#rules-table tr[data-off]'), /values above 2\.00\sus/);
			assert.match(await v.text('h1'), /1 rule in force, 1 off/);
			assert.equal((await ruleNamed('mm')).above, 2000);
			await v.page.click(`#dry-${rule.id}`);
			await v.page.locator('#rule-dry #dry').waitFor();
			await v.page.locator('#rule-dry form button').click();
			// a name that is taken
			await v.page.click('#add-rule');
			await form.locator('input[name=name]').fill('mm');
			await form.locator('textarea[name=selector]').fill('nonsense');
			await form.locator('button[type=submit]').click();
			await form.locator('[role=alert]:has-text("NAME=VALUE")').waitFor();
			await form.locator('textarea[name=selector]').fill('color=red');
			await form.locator('button[type=submit]').click();
			await form.locator('[role=alert] li:has-text("/selector/color")').waitFor();
			await form.locator('textarea[name=selector]').fill('');
			await form.locator('button[type=submit]').click();
			await form.locator('[role=alert]:has-text("mm")').waitFor();
			await v.page.keyboard.press('Escape');
			await form.waitFor({ state: 'detached' });
			await v.page.click(`#remove-${rule.id}`);
			await v.page.click('#rule-remove button[type=submit]');
			await v.page.locator(`#remove-${rule.id}`).waitFor({ state: 'detached' });
			assert.equal(await ruleNamed('mm'), undefined);
		},
		{},
		['422', '409'],
	));

test('a mute is made with its reason, ends by a button, and is not forgotten', () =>
	visit(
		async (v) => {
			await v.open('/rules#mutes');
			await v.page.click('#add-mute');
			const form = v.page.locator('#mute-form');
			await form.locator('textarea[name=reason]').fill('a noisy disk');
			await form.locator('button[type=submit]').click();
			await signIn(v);
			await form.locator('[role=alert] li:has-text("/selector")').waitFor();
			await form.locator('textarea[name=selector]').fill('machine=nobody-*\nthp=always');
			await form.locator('input[name=until]').fill('2999-01-02');
			await form.locator('button[type=submit]').click();
			await v.page.locator('#mutes-table').waitFor();
			const [row] = await v.cells('#mutes-table');
			assert.match(row.join(' | '), /^thp always, machine nobody-\* \| a noisy disk \| .* \| until 2999-01-02 00:00 UTC \| 0 \| end$/);
			assert.match(await v.text('h1'), /1 mute;/);
			const [mute] = (await site.get('/api/v1/mutes')).mutes;
			await v.page.focus(`#end-${mute.id}`);
			await v.page.keyboard.press('Enter');
			await v.page.keyboard.press('Tab');
			await v.page.click('#mute-end button[type=submit]');
			await v.page.locator('#mutes summary').waitFor();
			assert.match(await v.text('#mutes summary'), /1 mute of before/);
			await v.page.click('#mutes summary');
			assert.match((await v.cells('#mutes-over'))[0].join(' '), /a noisy disk.*ended/);
		},
		{},
		['422'],
	));

test('a run is expected of a machine, until it is not', () =>
	visit(
		async (v) => {
			const { machines } = await site.get('/api/v1/machines?limit=1000');
			assert.ok(machines.some((m) => m.name === 'milan-01'));
			await v.open('/rules');
			await v.page.click('#add-expectation');
			const form = v.page.locator('#expect-form');
			await form.locator('input[name=machine]').fill('nobody-01');
			await form.locator('input[name=interval]').fill('sometimes');
			await form.locator('button[type=submit]').click();
			await signIn(v);
			await form.locator('[role=alert] li:has-text("/interval")').waitFor();
			await form.locator('input[name=interval]').fill('24h');
			await form.locator('button[type=submit]').click();
			await form.locator('[role=alert]:has-text("nobody-01")').waitFor();
			await form.locator('input[name=machine]').fill('milan-01');
			await form.locator('button[type=submit]').click();
			await v.page.locator('#expectations-table').waitFor();
			const [x] = (await site.get('/api/v1/expectations')).expectations;
			assert.deepEqual([x.machine, x.benchmark, x.interval], ['milan-01', '*', '1d']);
			for (const one of (await site.get('/api/v1/expectations')).expectations) {
				await v.page.click(`#forget-${one.id}`);
				await v.page.click('#expect-remove button[type=submit]');
				await v.page.locator(`#forget-${one.id}`).waitFor({ state: 'detached' });
			}
			assert.match(await v.text('#expectations .state'), /Nothing is expected/);
		},
		{},
		['422'],
	));

test('names from outside stay text, and do not make the page wider, in both themes', async () => {
	const ids = [];

	for (const name of [EVIL, LONG]) {
		const one = await made('/api/v1/rules', {
			name,
			selector: { benchmark: [name], machine: ['milan-*', 'rome-*'] },
			note: name,
			tell: [`${name.replace(/[^a-z0-9-]/g, '')}@lab.example`],
		});
		ids.push(`/api/v1/rules/${one.rule.id}`);
		const mute = await made('/api/v1/mutes', { selector: { machine: [name] }, reason: name, until: null });
		ids.push(`/api/v1/mutes/${mute.mute.id}`);
		const x = await made('/api/v1/expectations', { machine: 'milan-01', benchmark: name, interval: '2w', note: name });
		ids.push(`/api/v1/expectations/${x.expectation.id}`);
	}
	try {
		for (const colorScheme of ['light', 'dark'])
			for (const viewport of [
				{ width: 1440, height: 900 },
				{ width: 390, height: 844 },
			])
				await visit(
					async (v) => {
						const fits = (what) =>
							v.page
								.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
								.then((yes) => assert.ok(yes, `${what} at ${viewport.width}`));

						await v.open('/rules');
						assert.match(await v.text('#rules-table'), /<img src=x onerror=alert\(1\)>/);
						assert.equal(await v.page.locator('img[src=x]').count(), 0);
						await fits('the page');
						const cut = await v.page
							.locator('table.data .wrap')
							.evaluateAll((cells) => cells.filter((c) => c.scrollWidth > c.clientWidth).map((c) => c.innerText));
						assert.deepEqual(cut, [], 'nothing is cut off');
						await shot(v, `${colorScheme}-${viewport.width}`);
						for (const id of [ids[0], ids[3]]) {
							await v.page.click(`#edit-${id.split('/').at(-1)}`);
							await fits('the form');
							const box = await v.page.locator('#rule-form').boundingBox();
							assert.ok(box.width <= viewport.width && box.height <= viewport.height, JSON.stringify(box));
							if (id === ids[0]) await shot(v, `form-${colorScheme}-${viewport.width}`);
							await v.page.keyboard.press('Escape');
						}
					},
					{ colorScheme, viewport },
				);
	} finally {
		for (const path of ids) assert.equal((await remove(path)).status, 200, path);
	}
});

test('who is silent stands first, marked, with its alert', () =>
	visit(async (v) => {
		await made('/api/v1/expectations', { machine: 'milan-01', interval: '4w' });
		const { expectation } = await made('/api/v1/expectations', { machine: 'milan-01', interval: '1m' });
		const { alert } = await until('it is silent', async () =>
			(await site.get('/api/v1/expectations')).expectations.find((x) => x.id === expectation.id && x.alert),
		);
		await v.open('/rules');
		assert.match(await v.text('h1'), /1 of 2 expectations is not met/);
		const first = v.page.locator('#expectations-table tbody tr').first();
		assert.equal(await first.getAttribute('data-state'), 'silent');
		assert.match(await first.innerText(), /every 1m.*silent due/s);
		assert.equal(await first.locator('a.worse').getAttribute('href'), `/alerts/${alert}`);
		await shot(v, 'silent');
	}));

for (const viewport of [
	{ width: 1440, height: 900 },
	{ width: 390, height: 844 },
])
	test(`why an alert is there, and why not, at ${viewport.width} pixels: from a trend and from a comparison`, () =>
		visit(
			async (v) => {
				await v.open('/trend?benchmark=mprotect%2Ftw4m&machine=generated-milan&thp=never');
				await v.page.locator('#steps-table .why').first().click();
				await v.page.waitForSelector('#why-alert');
				assert.match(await v.page.locator('#why-alert').innerText(), /There is an alert, \w+.*1 rule/s);
				await v.page.keyboard.press('Escape');
				await v.page.locator('#why-not a').click();
				await v.settled();
				const form = v.page.locator('#explain-form');
				assert.equal(await form.locator('[name=machine]').inputValue(), 'generated-milan');
				await form.locator('[name=kernel]').fill('v6.17-rc1');
				await form.locator('[name=more]').fill('thp=never param.size_kib=4');
				await form.locator('button').click();
				await v.settled();
				const item = v.page.locator('#explained > li');
				assert.equal(await item.count(), 1);
				assert.equal(await item.getAttribute('data-outcome'), 'not_fired');
				assert.match((await item.innerText()).replace(/\u202f/g, ' '), /No alert: .*is less than its 5 %/s);
				assert.match(v.page.url(), /kernel=v6\.17-rc1&thp=never&param\.size_kib=4/, 'the question stands in the URL');
				await form.locator('[name=kernel]').fill('6.99');
				await form.locator('button').click();
				await v.settled();
				assert.match(await v.page.locator('#explain [role=alert]').innerText(), /6\.99.*is not known/);
				assert.ok(await v.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
			},
			{ viewport },
			['400 (Bad Request)'],
		));
