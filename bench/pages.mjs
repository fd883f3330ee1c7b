// SPDX-License-Identifier: GPL-2.0-or-later
// How quick the pages are in headless Chromium, each number beside its limit. Starts a server of its own with data made
// here (NSECWATCH_URL and NSECWATCH_TOKEN name another, which gets that data). Exit status 1: a limit is not kept.
// usage: node bench/pages.mjs	(make bench-pages)

import { empty, launch, until } from '../tests/browser/harness.mjs';

const SIZES = [4, 40, 400, 4000, 40000, 400000, 4000000, 40000000];
const FRAMES = 120;
const rows = [];
let bad = 0;

function tell(what, value, limit, unit, most = true) {
	const ok = most ? value <= limit : value >= limit;

	rows.push([what, `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`, `${most ? 'at most' : 'at least'} ${limit} ${unit}`, ok ? 'ok' : 'TOO SLOW']);
	bad += !ok;
}

// ---- data ----

// Small numbers that look like noise and are the same each time
function noise() {
	let state = 12345;
	return () => (((state = (state * 1103515245 + 12345) % 2147483648) / 2147483648) * 2 - 1) * 0.01;
}
const random = noise();

const result = (size, value, benchmark = 'bench/mprotect') => ({
	benchmark,
	params: { size_kib: size },
	metric: 'latency',
	unit: 'ns/call',
	better: 'lower',
	values: [0, 1, 2].map(() => value * (1 + random())),
});

function run(machine, kernel, minute, results, boot = 0) {
	return {
		schema: 'nsecwatch.submission/1',
		machine: { name: machine, isa: 'x86_64', uarch: `uarch-${machine.slice(-2)}` },
		kernel,
		config: { thp: 'never', base_page_kib: 4 },
		boot_id: `${machine} ${kernel} ${boot}`,
		started_at: new Date(Date.UTC(2025, 0, 1) + minute * 60_000).toISOString(),
		labels: { generated: 'true' },
		results,
	};
}

async function post(site, runs) {
	for (let i = 0; i < runs.length; i += 250) {
		const res = await site.post('/api/v1/runs', runs.slice(i, i + 250));
		const { items } = await res.json();
		const wrong = items?.find((o) => !['stored', 'duplicate'].includes(o.status));
		if (!res.ok || !items || wrong) throw new Error(`the data was refused: ${res.status} ${JSON.stringify(wrong)}`);
	}
}

const two = (n) => String(n).padStart(2, '0');
const costs = (slower = 1) => SIZES.map((s) => result(s, (1700 + s * 4.2) * (s >= 400 ? slower : 1)));

function sweepRuns() {
	const kernels = ['6.10', '6.11', '6.12', '6.13', '6.14', '6.15', '6.16', '6.17'];
	return kernels.flatMap((k, n) =>
		[0, 1, 2].map((boot) => run('bench-sweep-01', k, n * 10 + boot, costs(1 + n / 10), boot)),
	);
}

// 12 machines x 8 sizes = 96 series, over 500 kernels
function trendRuns() {
	return Array.from({ length: 500 }, (_, k) =>
		Array.from({ length: 12 }, (__, m) =>
			run(`bench-trend-${two(m)}`, `6.16.${k + 1}`, k * 720, costs(k > 300 ? 1.4 + m / 20 : 1 + m / 20)),
		),
	).flat();
}

// 50 benchmarks x 60 sizes = 3,000 rows
function compareRuns() {
	const all = (slower) =>
		Array.from({ length: 50 }, (_, b) =>
			Array.from({ length: 60 }, (__, s) =>
				result(4 * (s + 1), (900 + 40 * s) * (b % 3 === 0 ? slower : 1), `bench/test-${two(b)}`),
			),
		).flat();
	return ['6.18-rc1', '6.18-rc2'].flatMap((k, n) =>
		[0, 1, 2].map((boot) => run('bench-compare-01', k, 999_000 + n * 10 + boot, all(1 + n * 0.2), boot)),
	);
}

// ---- measuring ----

// What comes over the wire, as Chromium counts it: headers and bodies as they were sent, compressed
async function counted(browser, site) {
	const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
	const page = await context.newPage();
	const cdp = await context.newCDPSession(page);
	const seen = { bytes: 0, data: [] };
	const urls = new Map();

	await cdp.send('Network.enable');
	cdp.on('Network.requestWillBeSent', (e) => urls.set(e.requestId, e.request.url.slice(site.url.length)));
	cdp.on('Network.loadingFinished', (e) => {
		seen.bytes += e.encodedDataLength;
		if (urls.get(e.requestId)?.startsWith('/api/')) seen.data.push(urls.get(e.requestId));
	});
	return { page, seen, close: () => context.close() };
}

const shown = (page) =>
	page.waitForFunction(
		() => document.documentElement.dataset.shown === location.pathname + location.search,
		null,
		{ timeout: 60_000 },
	);

async function sweep(browser, site) {
	const kernels = ['6.10', '6.11', '6.12', '6.13', '6.14', '6.15', '6.16', '6.17'];
	const url = `${site.url}/sweep?axis=size_kib&machine=bench-sweep-01&benchmark=bench/mprotect${kernels.map((k) => `&kernel=${k}`).join('')}`;
	const drawn = [];
	let last;

	for (let i = 0; i < 5; i++) {
		const v = await counted(browser, site);
		await v.page.addInitScript(() => {
			// the last byte of the data, to the frame in which the view stands
			const done = new MutationObserver(() => {
				if (!document.documentElement?.dataset.shown) return;
				done.disconnect();
				requestAnimationFrame(() =>
					setTimeout(() => {
						const data = performance.getEntriesByType('resource').filter((e) => e.name.includes('/api/v1/sweep'));
						window.drawnAfter = performance.now() - data.at(-1).responseEnd;
					}),
				);
			});
			done.observe(document, { subtree: true, attributes: true, attributeFilter: ['data-shown'] });
		});
		await v.page.goto(url);
		await shown(v.page);
		await v.page.waitForFunction(() => window.drawnAfter !== undefined);
		await v.page.waitForLoadState('networkidle');
		drawn.push(await v.page.evaluate(() => window.drawnAfter));
		last = v.seen;
		await v.close();
	}
	tell('sweep, 8 kernels x 8 sizes: over the wire', last.bytes / 1000, 150, 'KB');
	tell('sweep: requests for data', last.data.length, 1, '');
	if (last.data.length > 1) rows.push(...last.data.map((u) => ['', u.slice(0, 60), '', '']));
	tell('sweep: drawn after its data', drawn.sort((a, b) => a - b)[drawn.length >> 1], 300, 'ms');
}

// Frames in a second while act(i) is done before each of them
const frames = (page, act) =>
	page.evaluate(
		async ([count, body]) => {
			const fn = new Function('i', body);
			const frame = () => new Promise((done) => requestAnimationFrame(done));
			const gaps = [];

			await frame();
			for (let i = 0; i < count; i++) {
				const t = performance.now();
				fn(i);
				await frame();
				gaps.push(performance.now() - t);
			}
			const all = gaps.reduce((a, b) => a + b, 0);
			return { mean: (1000 * count) / all, slow: 1000 / gaps.sort((a, b) => a - b)[Math.floor(count * 0.95)] };
		},
		[FRAMES, act],
	);

const WHEEL = (more) =>
	`document.querySelector('.u-over').dispatchEvent(new WheelEvent('wheel', { bubbles: true, cancelable: true, clientX: 700, clientY: 400, ${more} }));`;

async function trend(browser, site) {
	const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });

	for (const [name, lines] of [
		['in one plot', 'series'],
		['in 12 panels', 'size'],
	]) {
		await page.goto(`${site.url}/trend?machine=bench-trend-*&lines=${lines}&pictures=12`);
		await shown(page);
		const zoom = await frames(page, WHEEL('ctrlKey: true, deltaY: i < 40 ? -1 : i < 80 ? 1 : -1'));
		const pan = await frames(page, WHEEL('deltaX: i < 60 ? 6 : -6'));
		tell(`trend, 96 series x 500 kernels ${name}: zoom`, zoom.mean, 50, 'frames/s', false);
		tell(`trend ${name}: pan`, pan.mean, 50, 'frames/s', false);
		rows.push([`trend ${name}: 19 of 20 frames`, `${zoom.slow.toFixed(0)}, ${pan.slow.toFixed(0)} frames/s`, '', '']);
	}
	await page.close();
}

// Until the next frame is ready after a click or a key
const took = (page, act) =>
	page.evaluate(async (body) => {
		const t = performance.now();
		new Function(body)();
		await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
		return performance.now() - t;
	}, act);

async function compare(browser, site) {
	const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
	const click = (selector) => `document.querySelector(${JSON.stringify(selector)}).click()`;
	const median = async (one, other) => {
		const times = [];
		for (let i = 0; i < 7; i++) {
			times.push(await took(page, i % 2 ? other : one));
			await shown(page);
		}
		return times.sort((a, b) => a - b)[3];
	};

	await page.goto(`${site.url}/compare?base=6.18-rc1&head=6.18-rc2&machine=bench-compare-01`);
	await shown(page);
	await until('3,000 rows', () => page.evaluate(() => document.body.innerText.replace(/\s/g, '').includes('3000')));
	tell('compare, 3,000 rows: sort', await median(click('[data-sort=change]'), click('[data-sort=noise]')), 50, 'ms');
	tell(
		'compare, 3,000 rows: filter by verdict',
		await median(click('[data-choice="verdict=regression"]'), click('[data-choice="verdict=all"]')),
		50,
		'ms',
	);
	const typed = (text) =>
		`const i = document.querySelector('#filter-text'); i.value = ${JSON.stringify(text)}; i.dispatchEvent(new Event('input', { bubbles: true }))`;
	tell('compare, 3,000 rows: filter by text', await median(typed('test-1'), typed('')), 50, 'ms');
	await page.close();
}

function print() {
	const width = [0, 1, 2].map((c) => Math.max(0, ...rows.map((r) => r[c].length)));

	for (const r of rows) console.log(r.map((t, c) => (c < 3 ? t.padEnd(width[c]) : t)).join('  ').trimEnd());
}

const [site, browser] = await Promise.all([empty(), launch()]);
try {
	for (const make of [sweepRuns, trendRuns, compareRuns]) await post(site, make());
	await sweep(browser, site);
	await trend(browser, site);
	await compare(browser, site);
} finally {
	await browser.close();
	await site.stop();
	print();
}
process.exitCode = bad ? 1 : 0;
