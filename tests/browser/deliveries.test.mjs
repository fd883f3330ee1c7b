// SPDX-License-Identifier: GPL-2.0-or-later
// The page of deliveries in a real browser: a webhook that is not there, given up, asked for again.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, server, until, visitor } from './harness.mjs';

let site, browser;

before(async () => {
	Object.assign(process.env, {
		NSECWATCH_WEBHOOK_URL: 'http://127.0.0.1:9/', // discard: nobody listens
		NSECWATCH_WEBHOOK_ALLOW: '127.0.0.1',
		NSECWATCH_DELIVERY_TRIES: '1',
	});
	[site, browser] = await Promise.all([server(), launch()]);
});
after(async () => {
	await browser?.close();
	await site?.stop();
});

const dead = async () => {
	const res = await fetch(`${site.url}/api/v1/deliveries?state=dead`, { headers: { authorization: `Bearer ${site.token}` } });
	return (await res.json()).deliveries;
};

for (const colorScheme of ['light', 'dark'])
	test(`what could not be delivered is on a page, with "send again" (${colorScheme})`, async () => {
		await until('a dead delivery', async () => (await dead()).length);
		const v = await visitor(browser, site.url, { colorScheme });

		try {
			await v.open('/deliveries');
			assert.match(await v.text('#view h2'), /token is needed/);
			await v.page.fill('input[name=token]', 'nsw_wrong');
			await v.page.click('#view button');
			await v.page.waitForSelector('#view p:has-text("not known")');
			assert.equal(v.wrong.filter((w) => !w.includes('401')).length, 0, 'a wrong token is no error of the page');
			v.wrong.length = 0;
			await v.page.fill('input[name=token]', site.token);
			await v.page.click('#view button');
			await v.page.waitForSelector('#deliveries-table');
			assert.match(await v.text('h1'), /could not be made/);
			const row = v.page.locator('#deliveries-table tbody tr[data-state=dead]').first();
			assert.match(await row.innerText(), /webhook.*dead/s);
			if (process.env.SHOTS) await v.page.screenshot({ path: `${process.env.SHOTS}/deliveries-${colorScheme}.png` });
			const id = await row.getAttribute('data-id');
			await row.getByRole('button', { name: 'Send again' }).click();
			const again = await until('the row says who asked', async () => {
				const all = await (
					await fetch(`${site.url}/api/v1/deliveries/${id}`, { headers: { authorization: `Bearer ${site.token}` } })
				).json();
				return all.again_by && all;
			});
			assert.equal(again.state === 'waiting' || again.state === 'dead', true);
			await v.open('/deliveries?state=sent'); // the token is kept
			assert.match(await v.text('#view h2'), /Nothing here/);
			assert.ok(await v.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'no sideways scroll');
			assert.deepEqual(v.wrong, []);
		} finally {
			await v.close();
		}
	});
