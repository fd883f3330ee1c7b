#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The client's one file where none of our packages are: in a bare Debian 12 (with libcurl, too, against a server), built in an
# older Debian, and built for arm64 and run under qemu-user. Needs root, debootstrap; qemu-user-static and
# gcc-aarch64-linux-gnu for arm64. Minutes.
# usage: tests/client.sh [bare|old|arm64]...	(all without an argument)
set -eu
cd "$(dirname "$0")/.."
say() { echo "client: $*"; }
fail() { say "$*" >&2; exit 1; }
. tests/root.sh

if [ "${1:-}" != --inside ]; then
	root_needs curl make
	exec unshare --mount --pid --fork --kill-child --mount-proc "$0" --inside "$@"
fi
shift
BUILD=${BUILD:-build}
base=$(mktemp -d "${TMPDIR:-/tmp}/nsecwatch-client.XXXXXX")
server=
cleanup() {
	[ -z "$server" ] || { kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; } || true
	for r in "$base"/*/; do root_end "${r%/}"; done
	rm -rf --one-file-system "$base"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

# one_file FILE ARCH: small, and bound to nothing but libc
one_file() {
	size=$(stat -c %s "$1")
	[ "$size" -lt $((6 << 20)) ] || fail "$1 has $size bytes: 6 MiB are allowed"
	needed=$(readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libm|libdl|libpthread|ld-linux.*)\.so\.[0-9]+$' || true)
	[ -z "$needed" ] || fail "$1 needs $needed"
	readelf -h "$1" | grep -q "Machine: .*$2" || fail "$1 is not for $2"
	say "$1: $size bytes, for $2, needs $(readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | tr '\n' ' ')"
}

# uses RUN...: what needs no server; RUN runs the client, in the root "$here" where that is set. Results in bench.json
uses() {
	"$@" version
	"$@" collect > "$base/context.json" 2> "$base/said" || fail "collect: $(cat "$base/said")"
	"$@" bench mprotect fault --sizes 4K,64K --reps 3 > "$base/bench.json" 2> "$base/said" || fail "bench: $(cat "$base/said")"
	grep -q '"benchmark":"nsecwatch/mprotect"' "$base/bench.json" || fail "bench printed no results"
	[ -z "$here" ] || cp "$base/bench.json" "$here/tmp/bench.json"
	file=${here:+/tmp/bench.json}
	file=${file:-$base/bench.json}
	"$@" parse "$file" > "$base/parsed" || fail "parse"
	"$@" compare --local "$file" "$file" | grep '4 rows: 0 regressions' || fail "compare --local"
	"$@" kernel 6.17-rc1 6.16 > /dev/null || fail "kernel"
}

try_bare() {
	make --no-print-directory client > "$base/log" 2>&1 || { tail -30 "$base/log"; exit 1; }
	one_file "$BUILD/client/nsecwatch" X86-64
	here=$base/bare
	root_make "$here" bookworm ""
	cp "$BUILD/client/nsecwatch" "$here/usr/local/bin/"
	mkdir -p "$here/sys" && mount --rbind /sys "$here/sys"
	uses chroot "$here" nsecwatch
	root_run "$here" "nsecwatch push /tmp/bench.json" 2> "$base/said" && fail "push without libcurl went through"
	grep -q "needs libcurl, which is not here: install it" "$base/said" || fail "push without libcurl: $(cat "$base/said")"
	say "bare Debian 12: collect, bench, parse, compare --local and kernel work; push says that libcurl is missing"
	[ -x "$BUILD/nsecwatchd" ] || make --no-print-directory all > "$base/log" 2>&1 || { tail -30 "$base/log"; exit 1; }
	root_run "$here" "apt-get update -q && apt-get install -y -q --no-install-recommends libcurl4" > "$base/log" 2>&1 ||
		{ tail -20 "$base/log"; exit 1; }
	port=$(shuf -i 20000-30000 -n 1)
	"$BUILD/nsecwatchd" up --data "$base/var" --listen "127.0.0.1:$port" > "$base/up.log" 2>&1 &
	server=$!
	until grep -q 'nsecwatch is ready' "$base/up.log"; do
		kill -0 $server 2>/dev/null || { tail -20 "$base/up.log"; exit 1; }
		sleep 0.2
	done
	root_run "$here" "NSECWATCH_URL=http://127.0.0.1:$port NSECWATCH_TOKEN=$(cat "$base/var/admin.token") no_proxy=127.0.0.1 nsecwatch push /tmp/bench.json"
	curl -fsS --noproxy '*' "http://127.0.0.1:$port/api/v1/benchmarks.txt" | grep nsecwatch/fault || fail "the server does not have it"
	umount -lR "$here/sys"
	say "with libcurl4: pushed"
}

try_old() {
	here=$base/old
	root_make "$here" bullseye ca-certificates
	root_run "$here" "apt-get update -q && apt-get install -y -q --no-install-recommends gcc libc6-dev make git pkg-config binutils \
		libjansson-dev libyaml-dev nettle-dev zlib1g-dev r-mathlib libcurl4-openssl-dev" > "$base/log" 2>&1 ||
		{ tail -20 "$base/log"; exit 1; }
	git clone -q --no-hardlinks . "$here/root/nsecwatch"
	root_run "$here" "cd /root/nsecwatch && make client CI=1" > "$base/log" 2>&1 || { tail -30 "$base/log"; fail "make client in Debian 11"; }
	one_file "$here/root/nsecwatch/build/client/nsecwatch" X86-64
	cp "$here/root/nsecwatch/build/client/nsecwatch" "$here/usr/local/bin/"
	uses chroot "$here" nsecwatch
	root_run "$here" "NSECWATCH_URL=http://127.0.0.1:9 NSECWATCH_RETRY_FOR=0 nsecwatch push /tmp/bench.json" 2> "$base/said" && fail "push"
	grep -qi 'connect' "$base/said" || fail "push by an old libcurl: $(cat "$base/said")"
	say "Debian 11: built alone, with $(readelf -V "$here/usr/local/bin/nsecwatch" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -1), and works"
}

try_arm64() {
	make --no-print-directory client ARCH=arm64 > "$base/log" 2>&1 || { tail -30 "$base/log"; exit 1; }
	one_file "$BUILD/client-arm64/nsecwatch" AArch64
	here=
	uses qemu-aarch64-static -L /usr/aarch64-linux-gnu "$BUILD/client-arm64/nsecwatch"
	grep -q '"isa":"aarch64"' "$base/bench.json" || fail "it does not know that it is arm64"
	say "arm64 under qemu-user: works"
}

for part in ${*:-bare old arm64}; do "try_$part"; done
