// SPDX-License-Identifier: GPL-2.0-or-later
// A run beside another, the one before it or any that is chosen: what of their environments differs.

import { get } from './api.js';
import { combo } from './combo.js';
import { h } from './dom.js';
import * as f from './format.js';
import { kernelHref, runHref } from './links.js';
import { current, go, Query } from './query.js';
import { table } from './views.js';

const CHOICE = 200; // of the newest runs of the machine; of others the id is typed

export function text(v) {
	return v === null || v === undefined || v === ''
		? ''
		: typeof v === 'object'
			? JSON.stringify(v)
			: String(v);
}

const config = (r) => `THP ${r.thp}${r.base_page_kib ? `, ${r.base_page_kib} KiB pages` : ''}`;
const said = (value, tag = 'span') => h('td.wrap', value ? h(tag, value) : h('span.dim', 'not said'));
const kernelLink = (k) => h('a.k', { href: kernelHref(k.name) }, f.tag(k));

// What differs, without the names in `told`: these are said with the link to the other run.
function differences(other, told, heads, id) {
	const list = other.diff.differences
		.filter((d) => !told.includes(d.name))
		.map((d) => ({ name: d.name.replace(/^environment\./, ''), from: text(d.against), to: text(d.run) }));

	return list.length
		? table({
				id,
				narrow: true,
				heads,
				rows: list.map((d) => h('tr', h('th.k.wrap', { scope: 'row' }, d.name), said(d.from), said(d.to, 'b'))),
			})
		: null;
}

export function againstPrevious(run, before) {
	const title = h('h2', 'Against the run before');

	if (!before) return [title, h('p.dim', `The first run of ${run.machine}: there is none to compare its environment with.`)];
	const rows = differences(before, ['kernel', 'thp', 'base_page_kib'], ['what', 'before', 'this run'], 'before-table');

	return [
		title,
		h(
			'p',
			config(before) === config(run)
				? null
				: `The first run of ${run.machine} with ${config(run)}, so this is against one with ${config(before)}. `,
			'The run before was started ',
			h('a', { href: runHref(before.run_id), 'data-previous': '' }, f.time(before.started_at)),
			before.kernel.name === run.kernel.name ? ', on the same kernel' : [' on ', kernelLink(before.kernel)],
			rows ? '. Since then:' : '. Nothing changed of its environment since.',
		),
		rows,
	];
}

// The values of both, where two kernels on one machine and in one mode make a comparison
function valuesLink(run, other) {
	return run.kernel.name === other.kernel.name || run.machine !== other.machine || config(run) !== config(other)
		? ''
		: h(
				'a',
				{
					href: new Query([
						['base', other.kernel.name],
						['head', run.kernel.name],
						['run', other.run_id],
						['run', run.run_id],
					]).url('/compare'),
				},
				'Compare their results',
			);
}

function againstChosen(run, other) {
	const rows = differences(other, ['kernel'], ['what', 'that run', 'this run'], 'against-table');

	return [
		h(
			'p',
			'That run was started ',
			h('a', { href: runHref(other.run_id), 'data-against': '' }, f.time(other.started_at)),
			` on ${other.machine}, `,
			other.kernel.name === run.kernel.name ? 'with the same kernel' : ['with ', kernelLink(other.kernel)],
			`, ${config(other)}. `,
			valuesLink(run, other),
			' \u00b7 ',
			h('button.plain', { type: 'button', onclick: () => go(current().without('against')) }, 'Forget it'),
		),
		rows ?? h('p.dim', 'Nothing else of what they ran on differs.'),
	];
}

// The runs of the machine, to choose from
async function runsOf(run) {
	const { runs } = await get(`/api/v1/runs?${new URLSearchParams({ machine: run.machine, limit: String(CHOICE) })}`);

	return runs
		.filter((r) => r.run_id !== run.run_id)
		.map((r) => ({ arg: f.time(r.started_at), value: r.kernel.name, note: `THP ${r.thp}, ${r.run_id.slice(0, 8)}`, id: r.run_id }));
}

// other: what against= of the address named; undefined: nothing yet
export function againstAny(run, other) {
	return h(
		'section',
		{ id: 'against' },
		h('h2', other ? 'Against the run chosen' : 'Against any other run'),
		other ? againstChosen(run, other) : null,
		h(
			'p',
			combo({
				label: 'Another run to compare with',
				placeholder: other ? 'another: kernel, day or id' : 'its kernel, day or id',
				options: () => runsOf(run),
				choose: (o) => go(current().with('against', /** @type {any} */ (o).id ?? o.value)),
				free: (value) => ({ arg: 'id', value }),
			}),
			h('span.hint', ` Offered are the newest runs of ${run.machine}; of any other machine give the id.`),
		),
	);
}
