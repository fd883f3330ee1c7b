// SPDX-License-Identifier: GPL-2.0-or-later
// Asking the server. An error carries what the person needs: the sentence, where, and the request id.

export class ApiError extends Error {
	constructor(status, error, requestId, url) {
		super(error?.message ?? 'The server gave no reason.');
		this.status = status;
		this.code = error?.code ?? '';
		this.problems = error?.problems ?? [];
		this.requestId = requestId;
		this.url = url;
	}
}

// options as fetch() takes them
export async function ask(url, options = {}) {
	let res;
	let text;

	try {
		res = await fetch(url, { ...options, headers: { accept: 'application/json', ...options.headers } });
		text = await res.text(); // may break off, too: when the page is left, say
	} catch (e) {
		if (e.name === 'AbortError') throw e;
		throw new ApiError(0, { message: 'The server did not answer.' }, '', url);
	}
	const id = res.headers.get('x-request-id') ?? '';
	let body = null;

	try {
		body = JSON.parse(text);
	} catch {
		if (res.ok) throw new ApiError(res.status, { message: 'The answer is not JSON.' }, id, url);
	}
	if (!res.ok) throw new ApiError(res.status, body?.error, id, url);
	return body;
}

export const get = (url, signal) => ask(url, { signal });

// All items of a paged list, up to a bound: completions do not need the hundred-thousandth kernel.
export async function list(name, query = '', most = 5000, signal = undefined) {
	const items = [];
	let cursor = null;

	do {
		const args = new URLSearchParams(query);

		args.set('limit', '1000');
		if (cursor) args.set('cursor', cursor);
		const page = await get(`/api/v1/${name}?${args}`, signal);
		items.push(...(page[name] ?? []));
		cursor = page.next;
	} while (cursor && items.length < most);
	return items;
}

const kept = new Map();

// The catalogue changes slowly: asked once a page life, on first need.
export function catalogue(name, query = '') {
	const key = `${name}?${query}`;

	if (!kept.has(key))
		kept.set(
			key,
			list(name, query).catch((e) => {
				kept.delete(key);
				throw e;
			}),
		);
	return kept.get(key);
}
