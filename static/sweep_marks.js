// SPDX-License-Identifier: GPL-2.0-or-later
// Two marked lines of a sweep are a comparison: of kernels at /compare, of machines or THP modes the sweep of these two.

import { $, h } from './dom.js';
import * as f from './format.js';
import { Query } from './query.js';
import { DIM_NAMES } from './sweep_lines.js';

const PLACE = ['benchmark', 'metric', 'base_page_kib', 'run', 'param.*'];
const valueOf = { kernel: (l) => l.kernel.name, machine: (l) => l.machine, thp: (l) => l.thp };

// Where the two lead: {href, text}. Pure: lines as the API gives them.
export function pairOf(a, b, query) {
	const differ = DIM_NAMES.filter((d) => valueOf[d](a) !== valueOf[d](b));
	const place = [
		['benchmark', a.benchmark],
		['metric', a.metric],
		...query.only(...PLACE.filter((n) => n !== 'benchmark' && n !== 'metric')).entries,
	];
	const name = (l) => differ.map((d) => (d === 'kernel' ? f.tag(l.kernel) : valueOf[d](l))).join(' ');

	if (differ.length === 1 && differ[0] === 'kernel')
		return {
			text: `Compare ${name(a)} and ${name(b)}`,
			href: new Query([
				['base', a.kernel.name],
				['head', b.kernel.name],
				...place,
				['machine', a.machine],
				['thp', a.thp],
			]).url('/compare'),
		};
	const both = (d) => [...new Set([valueOf[d](a), valueOf[d](b)])].map((v) => [d, v]);
	return {
		text: `Show only ${name(a)} and ${name(b)}, as % of the first`,
		href: new Query([
			['axis', query.get('axis')],
			...both('kernel'),
			...place,
			...both('machine'),
			...both('thp'),
			['lines', differ[0] === 'machine' ? 'uarch' : (differ[0] ?? 'kernel')],
			['panels', 'none'],
			['y', 'percent'],
		]).url('/sweep'),
	};
}

// Keeps what is marked; lines: of the answer. mark(line) and isMarked(line) are for the plots, forget() ends it.
export function lineMarks(query, redraw) {
	let marked = [];
	const show = () => {
		$('#marks')?.remove();
		redraw();
		if (!marked.length) return;
		const pair = marked.length === 2 && pairOf(...marked, query);
		document.body.append(
			h(
				'div',
				{ id: 'marks', role: 'status' },
				pair
					? h('a', { href: pair.href }, pair.text)
					: `${f.tag(marked[0].kernel)} on ${marked[0].machine}, THP ${marked[0].thp} is marked: mark a second line`,
				h('span.dim', ' \u00b7 Esc forgets'),
			),
		);
		if (pair) $('#marks a').focus();
	};

	return {
		mark(line) {
			marked = marked.includes(line) ? marked.filter((l) => l !== line) : [...marked.slice(-1), line];
			show();
		},
		isMarked: (line) => marked.includes(line),
		forget() {
			if (!marked.length) return;
			marked = [];
			show();
		},
	};
}
