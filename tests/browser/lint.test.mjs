// SPDX-License-Identifier: GPL-2.0-or-later
// The scripts by tools that read them all: `make lint-js` alone.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const root = new URL('../..', import.meta.url).pathname;

for (const [tool, args, what] of [
	['eslint', ['.'], 'eslint finds no mistake'],
	['tsc', ['-p', '.'], 'the types of the JSDoc comments hold'],
])
	test(what, () => {
		const done = spawnSync(`${root}node_modules/.bin/${tool}`, args, { cwd: root, encoding: 'utf8' });
		assert.equal(done.status, 0, done.error?.message ?? done.stdout.slice(-4000));
	});
