// SPDX-License-Identifier: GPL-2.0-or-later
// What every page does: read the URL, fetch, show; again whenever the URL changes.

import { get } from './api.js';
import { combo } from './combo.js';
import { $, h, ownPath, replace } from './dom.js';
import { clearMarks, help, keys } from './keys.js';
import { current } from './query.js';
import { errorState } from './views.js';

const page = document.body.dataset.page;
let running = null;
let clean = [];
let kept = null; // what is shown: {asked, data}

// text, CSV, SVG, JSON and the link of this very view
function forms(view, query) {
	const el = $('.forms');
	const api = $('#api-link');

	if (!view?.resource) return;
	const url = (ext) => (view.forms?.(query) ?? query.api()).url(`/api/v1/${view.resource}.${ext}`);
	const exts = [['txt', 'text'], ['csv', 'csv'], ...(view.svg ? [['svg', 'svg']] : []), ['json', 'json']];

	if (el)
		replace(
			el,
			exts.map(([ext, text]) => h('a', { href: url(ext), 'data-form': ext }, text)),
			h(
				'button.plain',
				{ type: 'button', title: 'Copy the address of this view', onclick: (e) => copy(e.target) },
				'link',
			),
			h(
				'a',
				{ href: frozenPath(), 'data-form': 'snapshot', title: 'This view as one HTML file with its data' },
				'snapshot',
			),
			h(
				'button.plain',
				{
					type: 'button',
					id: 'keep',
					title: 'Keep this view under a permanent address; needs a token',
					onclick: async (e) => (await import('./keep.js')).keep(e.target),
				},
				'keep',
			),
		);
	api?.setAttribute('href', url('json'));
}

const frozenPath = () =>
	`/frozen${location.pathname === '/' ? '/overview' : location.pathname}${location.search}`;

async function copy(button) {
	try {
		await navigator.clipboard.writeText(location.href);
		button.textContent = 'copied';
	} catch {
		button.textContent = 'see the address bar';
	}
}

async function show(view) {
	const main = $('main');
	const out = $('#view');
	const control = new AbortController();

	running?.abort();
	running = control;
	kept = null;
	const slow = setTimeout(() => {
		main.setAttribute('aria-busy', 'true');
		out.classList.add('busy');
	}, 150);
	const stopped = progress(out);
	try {
		let query = current();

		if (view.defaults) {
			const better = await view.defaults(query, control.signal);
			if (better) {
				history.replaceState(null, '', better.url(location.pathname));
				query = better;
			}
		}
		view.bar?.(query);
		forms(view, query);
		const data = await view.load(query, control.signal);
		if (control.signal.aborted) return;
		tidy();
		await view.render(data, query, (fn) => clean.push(fn));
		kept = { asked: query.api().toString(), data };
	} catch (e) {
		if (e.name === 'AbortError') return;
		tidy();
		view.bar?.(current());
		if (!('status' in e)) console.error(e);
		view.failed?.(e);
		replace(
			out,
			errorState(
				'status' in e
					? e
					: Object.assign(e, { message: 'The page could not show this answer: ' + e.message }),
				current(),
			),
		);
	} finally {
		clearTimeout(slow);
		stopped();
		if (running === control) {
			main.removeAttribute('aria-busy');
			out.classList.remove('busy');
			document.documentElement.dataset.shown = location.pathname + location.search;
		}
	}
}

// What takes more than a second says so, and for how long. Returns what ends it.
function progress(out) {
	const el = h('p.hint', { id: 'progress', role: 'status' });
	const from = Date.now();
	const timer = setInterval(() => {
		el.textContent = `The server is at it: ${Math.round((Date.now() - from) / 1000)} s \u2026`;
		if (!el.isConnected) out.before(el);
	}, 1000);

	return () => {
		clearInterval(timer);
		el.remove();
	};
}

// Another look at the data that is here: what only the page knows has changed, and the server has nothing to say to it.
function again(view) {
	const query = current();

	if (!view.again || kept?.asked !== query.api().toString()) return false;
	tidy();
	forms(view, query);
	view.render(kept.data, query, (fn) => clean.push(fn));
	document.documentElement.dataset.shown = location.pathname + location.search;
	return true;
}

function tidy() {
	clearMarks();
	clean.forEach((fn) => fn());
	clean = [];
}

async function named(text, signal) {
	const q = new URLSearchParams({ q: text.trim(), limit: text.trim() ? '30' : '12' });
	const { items } = await get(`/api/v1/search?${q}`, signal);

	return items.map((i) => ({ arg: i.kind, value: i.name, note: i.note, url: i.url }));
}

function search() {
	replace(
		$('.search'),
		combo({
			label: 'Search kernels, benchmarks, machines and alerts',
			placeholder: 'Search  /',
			ask: named,
			choose: (o) => location.assign(ownPath(o.url)),
		}),
	);
}

// Before any picture's own listener: these draw themselves anew, on paper and afterwards.
function paper() {
	addEventListener('beforeprint', () => (document.documentElement.dataset.paper = ''));
	addEventListener('afterprint', () => delete document.documentElement.dataset.paper);
}

async function start() {
	paper();
	search();
	keys();
	$('#keys')?.addEventListener('click', help);
	const { view } = await import(`./page_${page}.js`);
	for (const moved of ['popstate', 'state']) addEventListener(moved, () => again(view) || show(view));
	await show(view);
}

if (page) start();
