// SPDX-License-Identifier: GPL-2.0-or-later
// Where names lead: a kernel, a machine, a benchmark, an alert, a run.

const to = (kind) => (name) => `/${kind}/${encodeURIComponent(name)}`;

export const kernelHref = to('kernels');
export const machineHref = to('machines');
export const benchmarkHref = to('benchmarks');
export const alertHref = to('alerts');
export const runHref = to('runs');

// The name in the address of such a page: what stands behind its kind.
export const ownName = () => decodeURIComponent(location.pathname.split('/').filter(Boolean).slice(1).join('/'));
