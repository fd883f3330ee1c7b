#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# `make run` and `make test` in a bare Debian 12 with nothing but git, make and a shell: made by
# debootstrap from the mirror that this machine's apt uses, in namespaces of its own, removed
# at the end. Takes minutes and needs root. What is committed is tested.
# usage: tests/fresh.sh [run|test]...	(both without an argument; KEEP=1 keeps the root)
set -eu
cd "$(dirname "$0")/.."
say() { echo "fresh: $*"; }

. tests/root.sh

if [ "${1:-}" != --inside ]; then
	root_needs curl
	# mounts and processes of ours end with these namespaces, whatever happens
	exec unshare --mount --pid --fork --kill-child --mount-proc "$0" --inside "$@"
fi
shift
base=$(mktemp -d "${TMPDIR:-/tmp}/nsecwatch-fresh.XXXXXX")
root=$base/root
server=
cleanup() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	root_end "$root"
	[ -n "${KEEP:-}" ] && say "kept: $root" || rm -rf --one-file-system "$base"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

make_root() {
	root_make "$root" bookworm git,make,ca-certificates
	# the usual place of a root shell's checkout: closed to the user who runs PostgreSQL
	git clone -q --no-hardlinks . "$root/root/nsecwatch"
	[ ! -d ../shared ] || cp -R ../shared "$root/root/shared"
}

inside() { root_run "$root" "cd /root/nsecwatch && $1"; }

ready() { sed -n 's/.*nsecwatch is ready *//p' "$base/run.log"; }

try_run() {
	say "make run"
	port=$(shuf -i 20000-30000 -n 1)
	began=$(date +%s)
	inside "exec env NSECWATCH_LISTEN=127.0.0.1:$port make run" > "$base/run.log" 2>&1 &
	server=$!
	until [ -n "$(ready)" ]; do
		kill -0 $server 2>/dev/null || { tail -60 "$base/run.log"; say "make run ended before it was ready"; exit 1; }
		sleep 1
	done
	url=$(ready)
	say "serving after $(($(date +%s) - began)) s"
	get() { curl -fsS --noproxy '*' "${url}$1"; }
	get sweep | grep -i '<title>' > /dev/null || { say "no page at ${url}sweep"; exit 1; }
	lines=$(get 'api/v1/sweep.json?axis=size_kib&benchmark=mprotect/tw4m&machine=milan-01&kernel=6.16&kernel=6.17-rc1&kernel=6.17-rc1%2Brevert-cac1db8c3aad' |
		grep -o '"fit":' | wc -l)
	[ "$lines" = 3 ] || { say "the sweep has $lines lines of 3 kernels"; exit 1; }
	get 'api/v1/sweep.svg?axis=size_kib&benchmark=mprotect/tw4m&machine=milan-01&kernel=6.16&kernel=6.17-rc1' | grep '<svg' > /dev/null ||
		{ say "no picture of the sweep"; exit 1; }
	# make passes the signal on; all of it has to end
	kill -TERM "$(pgrep -f '^build/nsecwatchd up')"
	wait $server || { tail -20 "$base/run.log"; say "make run ended with an error"; exit 1; }
	server=
	! pgrep -f 'nsecwatchd|postgres' >/dev/null || { ps -ef; say "processes are left"; exit 1; }
	say "make run: the Milan sweep of three kernels is served; stopped without a rest"
}

try_test() {
	say "make test"
	began=$(date +%s)
	inside "make test" > "$base/test.log" 2>&1 ||
		{ grep -vE '^(cc|ar|Get:|Selecting|Preparing|Unpacking|Setting up)' "$base/test.log" | tail -150; say "make test failed"; exit 1; }
	grep -E '^== |[Ss]kipped|SKIP' "$base/test.log" || true
	say "make test in $(($(date +%s) - began)) s: $(tail -1 "$base/test.log")"
}

make_root
for part in ${*:-run test}; do "try_$part"; done
