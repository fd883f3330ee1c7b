// SPDX-License-Identifier: GPL-2.0-or-later
// A server with the demonstration data and a browser. NSECWATCH_URL (and NSECWATCH_TOKEN) name a server that
// runs already; else one is started in a folder that is removed afterwards.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';

const root = new URL('../..', import.meta.url).pathname;
const DEADLINE_MS = 90_000; // a first start with initdb on a busy machine

export const STORY =
	'/sweep?axis=size_kib&kernel=6.16&kernel=6.17-rc1&kernel=6.17-rc1%2Brevert-cac1db8c3aad&benchmark=mprotect%2Ftw4m&machine=milan-01';

// Asks again until the answer will do; fails after the deadline.
export async function until(what, ask, deadline = DEADLINE_MS) {
	const end = Date.now() + deadline;

	for (;;) {
		const answer = await ask().catch(() => null);
		if (answer) return answer;
		if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
		await new Promise((done) => setTimeout(done, 100));
	}
}

async function start(more = ['--demo']) {
	const data = await mkdtemp(join(tmpdir(), 'nsecwatch-browser-'));
	const program = join(root, process.env.BUILD ?? 'build', 'nsecwatchd');
	const child = spawn(program, ['up', ...more, '--data', data, '--listen', '127.0.0.1:0'], {
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let out = '';
	let log = '';

	child.stdout.on('data', (d) => (out += d));
	child.stderr.on('data', (d) => (log += d));
	const ended = new Promise((done) => child.on('exit', done));
	const url = await until('the server', async () => {
		if (child.exitCode !== null) throw new Error(`nsecwatchd ended\n${log.slice(-2000)}`);
		return /is ready\s+(http:\/\/\S+?)\/?\s/.exec(out)?.[1];
	}).catch((e) => {
		child.kill();
		throw new Error(`${e.message}\n${out}\n${log.slice(-4000)}`);
	});
	return {
		url,
		token: (await readFile(join(data, 'admin.token'), 'utf8')).trim(),
		async stop() {
			child.kill('SIGTERM');
			await ended;
			await rm(data, { recursive: true, force: true });
		},
	};
}

async function reach(more) {
	const { NSECWATCH_URL: url, NSECWATCH_TOKEN: token } = process.env;
	const s = url ? { url: url.replace(/\/$/, ''), token, stop: async () => {} } : await start(more);

	s.get = async (path) => (await fetch(s.url + path)).json();
	s.post = (path, body) =>
		fetch(s.url + path, {
			method: 'POST',
			headers: { authorization: `Bearer ${s.token}`, 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
	return s;
}

// A server without data, for those who bring their own.
export const empty = () => reach([]);

// The server, when the demonstration data is in it and watch has looked at it.
export async function server() {
	const s = await reach(['--demo']);

	await until('the demonstration data', async () =>
		(await s.get('/api/v1/kernels?order=1')).kernels.some(
			(k) => k.name === '6.17-rc1+revert-cac1db8c3aad',
		),
	);
	await until('the alerts on it', async () => (await s.get('/api/v1/alerts')).alerts.length);
	return s;
}

export const launch = () =>
	chromium.launch({
		executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
		args: [
			'--no-sandbox',
			'--disable-gpu',
			'--disable-quic',
			'--no-first-run',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
		],
	});

/*
 * A page that keeps what went wrong in it: .wrong holds console errors, exceptions and CSP violations. open(path) waits until
 * the view stands; settled() the same after a change.
 */
export async function visitor(browser, base, options = {}) {
	const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
	const page = await context.newPage();
	const wrong = [];

	page.on('console', (m) => m.type() === 'error' && wrong.push(m.text()));
	page.on('pageerror', (e) => wrong.push(String(e)));
	page.on('dialog', (d) => {
		wrong.push(`dialog: ${d.message()}`);
		d.dismiss();
	});
	await page.exposeFunction('tellViolation', (text) => wrong.push(text)).catch(() => {});
	await page.addInitScript(() =>
		document.addEventListener('securitypolicyviolation', (e) =>
			window.tellViolation(`CSP: ${e.violatedDirective} ${e.blockedURI}`),
		),
	);
	const settled = () =>
		page.waitForFunction(
			() =>
				document.documentElement.dataset.shown === location.pathname + location.search &&
				!document.querySelector('main[aria-busy]'),
		);
	return {
		page,
		wrong,
		settled,
		async open(path) {
			await page.goto(base + path);
			await settled();
			await page.waitForLoadState('networkidle');
			return page;
		},
		// as the form at /signin does it
		async signIn(token) {
			const answer = await context.request.post(`${base}/api/v1/session`, { data: { token } });
			assert.equal(answer.status(), 200, await answer.text());
		},
		text: (selector) => page.locator(selector).first().innerText(),
		cells: (table) =>
			page
				.locator(`${table} tbody tr`)
				.evaluateAll((rows) =>
					rows.map((r) =>
						[...r.children].map((c) => c.innerText.replace(/[\u2009\u202f\u00a0]/g, ' ').trim()),
					),
				),
		heads: (table) =>
			page.locator(`${table} thead th`).evaluateAll((cells) => cells.map((c) => c.innerText.trim())),
		close: () => context.close(),
	};
}

// A server and a browser for all tests of a file: .site is the server, once they run; .visit(fn, options) gives a page of
// its own to fn(visitor, page), and fails where something went wrong on it.
export function stage() {
	const own = {
		async visit(fn, options) {
			const v = await visitor(own.browser, own.site.url, options);

			try {
				await fn(v, v.page);
				assert.deepEqual(v.wrong, []);
			} finally {
				await v.close();
			}
		},
	};
	before(async () => {
		[own.site, own.browser] = await Promise.all([server(), launch()]);
	});
	after(async () => {
		await own.browser?.close();
		await own.site?.stop();
	});
	return own;
}
