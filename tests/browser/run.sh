#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The browser tests alone. Without NSECWATCH_URL they start `nsecwatchd up --demo` themselves.
# usage: tests/browser/run.sh [FILE]...
set -eu
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- tests/browser/*.test.mjs
exec node --test --test-reporter=tap "$@"
