// SPDX-License-Identifier: GPL-2.0-or-later
// What differs between two environments, or two states of a machine's facts. Pure.

const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);

// {a: {b: 1}} as [["a.b", 1]]
function flat(o, prefix = '') {
	return Object.entries(o ?? {}).flatMap(([k, v]) => (isObject(v) ? flat(v, `${prefix}${k}.`) : [[prefix + k, v]]));
}

const text = (v) => (v === undefined ? '' : typeof v === 'object' ? JSON.stringify(v) : String(v));

// [{name, from, to}], by name; from or to is '' where it was not said
export function drift(before, after) {
	const was = new Map(flat(before));
	const is = new Map(flat(after));
	const names = [...new Set([...was.keys(), ...is.keys()])].sort();

	return names
		.map((name) => ({ name, from: text(was.get(name)), to: text(is.get(name)) }))
		.filter((d) => d.from !== d.to);
}

// Runs newest first: each with what changed of its environment since the run before it in the same THP mode, which brings
// a command line of its own. changes null: there is none before it.
export function driftOfRuns(runs) {
	return runs.map((r, i) => {
		const before = runs.slice(i + 1).find((o) => o.thp === r.thp);
		return { run: r, before, changes: before ? drift(before.environment, r.environment) : null };
	});
}
