// SPDX-License-Identifier: GPL-2.0-or-later
// What a kernel is sensibly compared with: the rc before it, the release before it, the last stable, what a patch is made
// on; and which reverts and patches of it there are.

// kernels in their order within tracks, as /api/v1/kernels?order=1 has them
function before(kernels, head) {
	const line = kernels.filter((k) => k.track === head.track && !k.variant);
	const at = line.findIndex((k) => k.name === head.name);
	return at < 0 ? [] : line.slice(0, at).reverse();
}

const isRelease = (k) => !k.rc && !k.distance;
const number = (track) => /^stable-(\d+)\.(\d+)$/.exec(track)?.slice(1).map(Number);

// The newest kernel of the newest stable track that is not newer than the release `base`
function lastStable(kernels, base) {
	const [major, minor] = base.split('.').map(Number);
	const tracks = [...new Set(kernels.map((k) => k.track))]
		.map((track) => ({ track, n: number(track) }))
		.filter(({ n }) => n && (n[0] < major || (n[0] === major && n[1] <= minor)))
		.sort((a, b) => b.n[0] - a.n[0] || b.n[1] - a.n[1]);
	return tracks.length ? kernels.findLast((k) => k.track === tracks[0].track && !k.variant) : undefined;
}

const baseOf = (k, kernels) => kernels.find((b) => b.name === k.variant.base.replace(/^v/, '') && !b.variant);

// [{what, kernel}], each kernel once, the nearest first
export function basesFor(kernels, head) {
	const found = [];
	const add = (what, kernel) =>
		kernel &&
		kernel.name !== head.name &&
		!found.some((o) => o.kernel.name === kernel.name) &&
		found.push({ what, kernel });

	if (head.variant) {
		const parent = baseOf(head, kernels);
		add(head.variant.applies?.length ? 'parent of the patch' : 'the kernel it reverts from', parent);
		if (parent) add('release before it', before(kernels, parent).find(isRelease));
		return found;
	}
	const line = before(kernels, head);
	add('previous rc', line.find((k) => k.rc && !k.distance));
	add('previous release', line.find(isRelease));
	add('last stable', lastStable(kernels, head.base));
	add('previous kernel', line[0]);
	return found;
}

export const fixesFor = (kernels, head) =>
	kernels.filter((k) => k.variant && k.variant.base.replace(/^v/, '') === head.name).map((kernel) => ({ kernel }));
