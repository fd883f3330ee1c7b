// SPDX-License-Identifier: GPL-2.0-or-later
// Signing in and out in a browser, what another site can do meanwhile (nothing), and the page of the audit trail.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { empty, launch, until, visitor } from './harness.mjs';

let site;
let browser;

before(async () => {
	[site, browser] = await Promise.all([empty(), launch()]);
});
after(async () => {
	await browser?.close();
	await site?.stop();
});

const rules = async () => (await site.get('/api/v1/rules')).rules.map((r) => r.name);

async function form(v, token) {
	await v.page.fill('#signin input[name=token]', token);
	const [answer] = await Promise.all([
		v.page.waitForResponse((r) => r.request().method() === 'POST'),
		v.page.click('#signin button[type=submit]'),
	]);
	await v.page.waitForLoadState();
	return answer.status();
}

const shot = (v, name) => process.env.SHOTS && v.page.screenshot({ path: `${process.env.SHOTS}/session-${name}.png`, fullPage: true });

for (const colorScheme of ['light', 'dark'])
	test(`a person signs in by the form, with or without scripts, and out again (${colorScheme})`, async () => {
		const v = await visitor(browser, site.url, { colorScheme, javaScriptEnabled: colorScheme === 'light' });

		try {
			await v.page.goto(`${site.url}/signin?next=/rules`);
			await shot(v, `form-${colorScheme}`);
			assert.equal(await form(v, 'nsw_wrong'), 401);
			assert.match(await v.text('[role=alert]'), /not known/);
			assert.equal(await form(v, site.token), 303);
			await v.page.waitForURL('**/rules');
			assert.equal(new URL(v.page.url()).pathname, '/rules');
			const [cookie] = await v.page.context().cookies();
			assert.deepEqual([cookie.name, cookie.httpOnly, cookie.sameSite, cookie.path], ['nsecwatch', true, 'Lax', '/']);
			await v.page.goto(`${site.url}/signin`);
			assert.match(await v.text('h1'), /Signed in as admin/);
			await shot(v, `signed-${colorScheme}`);
			await v.page.click('#signout button[type=submit]');
			assert.match(await v.text('h1'), /^Sign in$/);
			assert.equal((await v.page.context().cookies()).length, 0);
			assert.deepEqual(v.wrong.filter((w) => !w.includes('401')), []);
		} finally {
			await v.close();
		}
	});

test('no script of the page can read what signs it in, and nothing is left in its storage', async () => {
	const v = await visitor(browser, site.url);

	try {
		await v.open('/rules');
		await v.page.click('#what .session button');
		await v.page.fill('#sign-in input[name=token]', site.token);
		await v.page.click('#sign-in button[type=submit]');
		await until('the page says who', async () => /signed in as admin/.test(await v.text('.session')));
		const seen = await v.page.evaluate(() => JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }]));
		assert.equal(seen, '["",{},{}]');
		await v.open('/alerts'); // the session is the browser's, not the page's
		assert.match(await v.text('.session'), /signed in as admin/);
		await v.page.click('.session button');
		await until('signed out', async () => /sign in/.test(await v.text('.session')));
		assert.equal((await v.page.context().cookies()).length, 0);
		assert.deepEqual(v.wrong, []);
	} finally {
		await v.close();
	}
});

// Another site that knows all but the proof: a form, fetch() with cookies, and an image.
const EVIL = (base) => `<!DOCTYPE html><title>evil</title>
<form id="text" method="post" enctype="text/plain" action="${base}/api/v1/rules"><input name='{"name":"evil","x":"' value='"}'></form>
<form id="out" method="post" action="${base}/signout"><input name="csrf" value="x"></form>
<script type="module">
const tries = [
	fetch('${base}/api/v1/rules', { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{"name":"evil"}' }),
	fetch('${base}/api/v1/rules', { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json', 'x-csrf-token': 'x' }, body: '{"name":"evil"}' }),
	fetch('${base}/api/v1/session', { credentials: 'include' }).then((r) => r.text()).then((t) => (window.read = t)),
];
await Promise.allSettled(tries);
document.title = 'done';
</script>`;

test('another site changes nothing in the name of who is signed in, and reads nothing', async () => {
	const evil = createServer((req, res) => res.setHeader('content-type', 'text/html').end(EVIL(site.url)));

	await new Promise((done) => evil.listen(0, '127.0.0.1', done));
	const elsewhere = `http://localhost:${evil.address().port}/`; // another site than 127.0.0.1: no cookie goes along
	const beside = `http://127.0.0.1:${evil.address().port}/`; // the same site on another port: the cookie does
	const v = await visitor(browser, site.url);

	try {
		await v.signIn(site.token);
		const before = await rules();
		for (const page of [elsewhere, beside]) {
			await v.page.goto(page);
			await v.page.waitForFunction(() => document.title === 'done');
			assert.equal(await v.page.evaluate(() => window.read), undefined);
			for (const id of ['text', 'out']) {
				const [answer] = await Promise.all([
					v.page.waitForResponse((r) => r.request().method() === 'POST' && r.url().startsWith(site.url)),
					v.page.evaluate((name) => document.getElementById(name).submit(), id),
				]);
				assert.ok([401, 403].includes(answer.status()), `${page} ${id}: ${answer.status()}`);
				await v.page.waitForURL(`${site.url}/**`);
				await v.page.goto(page);
			}
		}
		assert.deepEqual(await rules(), before);
		await v.page.goto(`${site.url}/signin`);
		assert.match(await v.text('h1'), /Signed in as admin/, 'still');
	} finally {
		await v.close();
		evil.close();
	}
});

test('admins see who did what, make a token and revoke it', async () => {
	const v = await visitor(browser, site.url);

	try {
		await v.open('/audit');
		assert.match(await v.text('#view h2'), /token is needed/);
		await v.page.fill('#view input[name=token]', site.token);
		await v.page.click('#view button[type=submit]');
		await v.page.waitForSelector('#audit-table');
		await v.page.click('#add-token');
		await v.page.fill('#token-form input[name=name]', 'lab <b>7</b>');
		await v.page.fill('#token-form input[name=machines]', 'milan-*, rome-1');
		await v.page.fill('#token-form input[name=expires]', '90d');
		await v.page.click('#token-form button[type=submit]');
		const text = await v.text('#token-text');
		assert.match(text, /^nsw_[\w-]{43}$/);
		await v.page.click('#token-made button[type=submit]');
		const row = v.page.locator('#tokens-table tr[data-token="lab <b>7</b>"]');
		await row.waitFor();
		assert.match(await row.innerText(), /ingest.*milan-\*, rome-1.*until/s);
		await until('the trail tells', async () => /add.*token.*lab <b>7<\/b>/s.test(await v.text('#audit-table tbody tr')));
		await shot(v, 'audit');
		const check = () => fetch(`${site.url}/api/v1/token`, { headers: { authorization: `Bearer ${text}` } });
		assert.equal((await check()).status, 200);
		await row.getByRole('button').click();
		await v.page.click('#token-revoke button[type=submit]');
		await row.waitFor({ state: 'detached' });
		assert.equal((await check()).status, 401);
		assert.ok(await v.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'no sideways scroll');
		assert.deepEqual(v.wrong, []);
	} finally {
		await v.close();
	}
});
