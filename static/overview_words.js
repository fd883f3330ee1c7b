// SPDX-License-Identifier: GPL-2.0-or-later
// The first page in sentences: what a maintainer has to know before anything else.

import * as f from './format.js';
import { isGenerated } from './views.js';

const RANK = { regression: 0, silence: 1, improvement: 2 };
// as a ratio: half and double are alike
const size = (a) => Math.abs(Math.log1p(Math.max(a.worst_percent ?? 0, -99.999) / 100));
const measured = (a) => (a.machines.every(isGenerated) ? 1 : 0);

const suspected = (a) => (a.state === 'suspect' ? 1 : 0);

// Regressions first, what was measured before what a generator made, suspicions behind the rest, the larger change first.
export const weigh = (alerts) =>
	alerts.toSorted((a, b) => RANK[a.kind] - RANK[b.kind] || measured(a) - measured(b) || suspected(a) - suspected(b) || size(b) - size(a));

export const ORDER = 'Regressions first, generated data and suspicions last';

const where = (a) => (a.machines.length === 1 ? a.machines[0] : `${a.machines.length} machines`);

const thpOf = (a) => (a.thp.length === 1 ? `, THP ${a.thp[0]}` : '');

function worst(bad, open) {
	const [a] = bad;
	const others = bad.length - 1;
	const more = others ? `; ${f.plural(others, 'more regression')} ${others === 1 ? 'is' : 'are'} open` : '';

	return open
		? `${a.benchmark} is worse since ${f.tag(a.to)}, ${f.percent(a.worst_percent)} on ${where(a)}${thpOf(a)}${more}.`
		: '';
}

// "v6.18-rc4, the newest of mainline, brought 2 regressions."
function newest(t) {
	const what = [
		t.regressions && f.plural(t.regressions, 'regression'),
		t.improvements && f.plural(t.improvements, 'improvement'),
	].filter(Boolean);
	const is = `${f.tag(t.kernel)}, the newest of ${t.track}`;

	if (!t.against) return '';
	if (!what.length) return t.unchecked ? `${is}, is not checked yet.` : `${is}, brought no change beyond noise.`;
	return `${is}, brought ${what.join(' and ')} against ${f.tag(t.against)}.`;
}

// {statement, facts}
export function headline({ tracks, alerts, open }) {
	const bad = weigh(alerts).filter((a) => a.kind === 'regression');
	const better = alerts.filter((a) => a.kind === 'improvement').length;
	const silent = alerts.filter((a) => a.kind === 'silence').length;
	const rest = [
		silent && `${f.plural(silent, 'machine')} fell silent`,
		better && `${f.plural(better, 'improvement')} ${better === 1 ? 'waits' : 'wait'} for a decision, too`,
	].filter(Boolean);

	return {
		statement: worst(bad, open) || 'No open regression.',
		facts: [newest(tracks[0]), rest.length ? `${rest.join('; ')}.` : ''].filter(Boolean),
	};
}
