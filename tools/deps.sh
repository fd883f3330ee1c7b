#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs what is missing, and only that: apt as root or through `sudo -n`. Where that
# cannot be, prints the one line to run and fails.
# usage: tools/deps.sh build|run|test|faults|compose|client|test-client	(WITH_NPM=no: nothing of npm; CC=clang: that compiler)
set -eu
what=${1:?build, run, test, faults, compose, client or test-client}
missing=

# need PACKAGE COMMAND...: PACKAGE is missing when COMMAND fails
need() {
	package=$1
	shift
	"$@" >/dev/null 2>&1 || missing="$missing $package"
}
have() { command -v "$1"; }
include() { printf "#include <%s>\n" "$1" | cc -E -; }
server_programs() { have postgres && have initdb || ls -d /usr/lib/postgresql/*/bin/initdb /usr/pgsql-*/bin/initdb 2>/dev/null | grep . ; }
module() { /usr/bin/python3 -c "import $1"; }

# what breaks networks, clocks and disks
if [ "$what" = faults ]; then
	need iproute2 have ip
	need util-linux have nsenter
	need libfaketime ls /usr/lib/*/faketime/libfaketimeMT.so.1
fi

# containers only: the programs inside are built inside
if [ "$what" = compose ]; then
	for package in podman buildah podman-compose runc conmon debootstrap iptables curl; do need $package have $package; done
	need iproute2 have ip
	need netavark ls /usr/lib/podman/netavark
	need aardvark-dns ls /usr/lib/podman/aardvark-dns
fi

# the client alone
case $what in client | test-client)
	need gcc have cc
	need libc6-dev include stdio.h
	need make have make
	need pkg-config have pkg-config
	need binutils have strip
	need libjansson-dev pkg-config --exists jansson
	need libcurl4-openssl-dev pkg-config --exists libcurl
	need nettle-dev pkg-config --exists nettle
	need zlib1g-dev pkg-config --exists zlib
	need libyaml-dev pkg-config --exists yaml-0.1
	need r-mathlib pkg-config --exists libRmath ;;
esac
case $what in test-client)
	need gcc-aarch64-linux-gnu have aarch64-linux-gnu-gcc
	need qemu-user-static have qemu-aarch64-static
	need debootstrap have debootstrap
	need curl have curl ;;
esac

case $what in build | run | test)
	need gcc have cc
	need gcc have gcc
	need libc6-dev include stdio.h
	need make have make
	need git have git
	need pkg-config have pkg-config
	need libmicrohttpd-dev pkg-config --exists libmicrohttpd
	need libgnutls28-dev pkg-config --exists gnutls
	need libpq-dev pkg-config --exists libpq
	need libjansson-dev pkg-config --exists jansson
	need libcurl4-openssl-dev pkg-config --exists libcurl
	need nettle-dev pkg-config --exists nettle
	need libzstd-dev pkg-config --exists libzstd
	need libxxhash-dev pkg-config --exists libxxhash
	need libdeflate-dev pkg-config --exists libdeflate
	need zlib1g-dev pkg-config --exists zlib
	need libyaml-dev pkg-config --exists yaml-0.1
	need r-mathlib pkg-config --exists libRmath
	[ "$what" = build ] || need postgresql server_programs
	need ca-certificates test -s /etc/ssl/certs/ca-certificates.crt
	[ "${WITH_NPM:-yes}" = no ] || need npm have npm ;;
esac
if [ "$what" = test ]; then
	need perl have prove
	need curl have curl
	need openssl have openssl
	need procps have ps
	need nginx-light test -x /usr/sbin/nginx
	need python3 have /usr/bin/python3
	need python3-pytest module pytest
	need python3-pytest-xdist module xdist
	need python3-psycopg2 module psycopg2
	need python3-requests module requests
	need python3-hypothesis module hypothesis
	need python3-yaml module yaml
	need python3-aiosmtpd module aiosmtpd
	need python3-prometheus-client module prometheus_client
	need nodejs have node
	need chromium have chromium
	need fonts-dejavu-core ls /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
fi
case ${CC:-cc} in *clang*) need clang have clang ;; esac
case ${DEPS_CLANG:-no} in yes) need clang have clang ;; esac

missing=$(printf '%s\n' $missing | sort -u | tr '\n' ' ')
missing=${missing% }
[ -n "$missing" ] || exit 0

by_hand="apt-get install --no-install-recommends $missing"
if ! command -v apt-get >/dev/null; then
	echo "deps: missing (names as in Debian 12): $missing" >&2
	exit 1
fi
if [ "$(id -u)" = 0 ]; then
	root=
elif sudo -n true 2>/dev/null; then
	root="sudo -n"
else
	echo "deps: packages are missing, and installing them needs root. Run this, then make again:" >&2
	echo "  sudo $by_hand" >&2
	exit 1
fi

# Debian's server package starts a cluster of its own at its installation; nobody asked for that one.
quiet=/etc/postgresql-common/createcluster.d/nsecwatch.conf
case " $missing " in
*" postgresql "*)
	$root mkdir -p "${quiet%/*}"
	echo "create_main_cluster = false" | $root tee "$quiet" >/dev/null
	trap '$root rm -f "$quiet"' EXIT ;;
esac

echo "deps: installing $missing"
install() {
	$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
}
ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1 || $root apt-get update -q
if ! install; then
	echo "deps: trying again with fresh package lists"
	$root apt-get update -q
	install || { echo "deps: apt failed; by hand: $by_hand" >&2; exit 1; }
fi
