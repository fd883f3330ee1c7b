// SPDX-License-Identifier: GPL-2.0-or-later
// Where names lead: a kernel, a machine, a benchmark, an alert, a run.

import { Query } from './query.js';

export const kernelHref = (name) => new Query([['base', 'previous'], ['head', name]]).url('/compare');
export const machineHref = (name) => new Query([['machine', name]]).url('/trend');
export const benchmarkHref = (name) => new Query([['benchmark', name]]).url('/trend');
export const alertHref = (id) => `/alerts/${encodeURIComponent(id)}`;
export const runHref = (id) => `/runs/${encodeURIComponent(id)}`;
