#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# `make run` and `make test` in a bare Debian 12 with nothing but git, make and a shell: made by
# debootstrap from the mirror that this machine's apt uses, in namespaces of its own, removed
# at the end. Takes minutes and needs root. What is committed is tested.
# usage: tests/fresh.sh [run|test]...	(both without an argument; KEEP=1 keeps the root)
set -eu
cd "$(dirname "$0")/.."
say() { echo "fresh: $*"; }

if [ "${1:-}" != --inside ]; then
	[ "$(id -u)" = 0 ] || { say "needs root (chroot, mounts)" >&2; exit 1; }
	for tool in debootstrap unshare curl; do
		command -v $tool >/dev/null || { say "needs $tool: apt-get install debootstrap util-linux curl" >&2; exit 1; }
	done
	# mounts and processes of ours end with these namespaces, whatever happens
	exec unshare --mount --pid --fork --kill-child --mount-proc "$0" --inside "$@"
fi
shift
base=$(mktemp -d "${TMPDIR:-/tmp}/nsecwatch-fresh.XXXXXX")
root=$base/root
server=
cleanup() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	umount -R "$root/proc" "$root/dev" 2>/dev/null || umount -lR "$root/proc" "$root/dev" 2>/dev/null || true
	[ -n "${KEEP:-}" ] && say "kept: $root" || rm -rf --one-file-system "$base"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

make_root() {
	mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
		awk '$2 == "bookworm" && $3 == "main" { print $1; exit }')
	[ -n "$mirror" ] || { say "apt's sources here have no bookworm main to take a mirror from" >&2; exit 1; }
	say "debootstrap"
	debootstrap --variant=minbase --include=git,make,ca-certificates bookworm "$root" "$mirror" > "$base/debootstrap.log" 2>&1 ||
		{ tail -20 "$base/debootstrap.log"; exit 1; }
	# how this machine reaches mirror and registry is how the root does
	rm -f "$root/etc/apt/sources.list"
	for f in etc/apt/sources.list etc/apt/sources.list.d etc/apt/apt.conf etc/apt/apt.conf.d etc/apt/auth.conf.d \
		etc/resolv.conf etc/hosts etc/npmrc usr/etc/npmrc usr/local/share/ca-certificates; do
		[ -e "/$f" ] || continue
		mkdir -p "$root/$(dirname "$f")"
		cp -RL "/$f" "$root/$(dirname "$f")/"
	done
	chroot "$root" update-ca-certificates > /dev/null 2>&1
	mount -t proc proc "$root/proc"
	mount -t tmpfs -o mode=0755 tmpfs "$root/dev"
	for d in null zero full random urandom tty; do
		: > "$root/dev/$d"
		mount --bind "/dev/$d" "$root/dev/$d"
	done
	mkdir "$root/dev/pts" "$root/dev/shm"
	mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
	ln -s pts/ptmx "$root/dev/ptmx"
	mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
	ln -s /proc/self/fd "$root/dev/fd"
	# the usual place of a root shell's checkout: closed to the user who runs PostgreSQL
	git clone -q --no-hardlinks . "$root/root/nsecwatch"
	[ ! -d ../shared ] || cp -R ../shared "$root/root/shared"
}

inside() {
	chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		$(env | grep -E '^(https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY|NODE_EXTRA_CA_CERTS)=' || true) \
		sh -c "cd /root/nsecwatch && $1"
}

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
