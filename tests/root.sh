# SPDX-License-Identifier: GPL-2.0-or-later
# A bare Debian in a folder, for tests that need a machine without our packages: sourced by them, who define say().
# Needs root, and namespaces of its own for mounts (unshare --mount --pid).

# root_needs TOOL...: ends the test where something is missing here
root_needs() {
	[ "$(id -u)" = 0 ] || { say "needs root (chroot, mounts)" >&2; exit 1; }
	for tool in debootstrap unshare "$@"; do
		command -v $tool >/dev/null || { say "needs $tool: apt-get install debootstrap util-linux curl" >&2; exit 1; }
	done
}

# root_make ROOT SUITE PACKAGE,...: from the mirror that this machine's apt uses
root_make() {
	root_at=$1
	mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
		awk '$2 == "bookworm" && $3 == "main" { print $1; exit }')
	[ -n "$mirror" ] || { say "apt's sources here have no bookworm main to take a mirror from" >&2; exit 1; }
	say "debootstrap $2"
	debootstrap --variant=minbase ${3:+--include=$3} "$2" "$root_at" "$mirror" > "$root_at.log" 2>&1 ||
		{ tail -20 "$root_at.log"; exit 1; }
	# how this machine reaches mirror and registry is how the root does
	[ "$2" != bookworm ] || rm -f "$root_at/etc/apt/sources.list"
	for f in etc/apt/sources.list etc/apt/sources.list.d etc/apt/apt.conf etc/apt/apt.conf.d etc/apt/auth.conf.d \
		etc/resolv.conf etc/hosts etc/npmrc usr/etc/npmrc usr/local/share/ca-certificates; do
		[ -e "/$f" ] || continue
		case $2:$f in bookworm:*) ;; *sources.list*) continue ;; esac
		mkdir -p "$root_at/$(dirname "$f")"
		cp -RL "/$f" "$root_at/$(dirname "$f")/"
	done
	[ ! -x "$root_at/usr/sbin/update-ca-certificates" ] || chroot "$root_at" update-ca-certificates > /dev/null 2>&1
	mount -t proc proc "$root_at/proc"
	mount -t tmpfs -o mode=0755 tmpfs "$root_at/dev"
	for d in null zero full random urandom tty; do
		: > "$root_at/dev/$d"
		mount --bind "/dev/$d" "$root_at/dev/$d"
	done
	mkdir "$root_at/dev/pts" "$root_at/dev/shm"
	mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root_at/dev/pts"
	ln -s pts/ptmx "$root_at/dev/ptmx"
	mount -t tmpfs -o mode=1777 tmpfs "$root_at/dev/shm"
	ln -s /proc/self/fd "$root_at/dev/fd"
}

root_end() {
	umount -R "$1/proc" "$1/dev" 2>/dev/null || umount -lR "$1/proc" "$1/dev" 2>/dev/null || true
}

# root_run ROOT COMMAND...: with an empty environment, but for how the network is reached
root_run() {
	at=$1
	shift
	chroot "$at" /usr/bin/env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		$(env | grep -E '^(https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY|NODE_EXTRA_CA_CERTS)=' || true) \
		sh -c "$*"
}
