#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the client is linked with, for another architecture: Debian's packages of it, unpacked into a folder, from the mirror
# that this machine's apt uses. Needs no root, and changes nothing of this machine's packages.
# usage: tools/sysroot.sh ARCH FOLDER	(ARCH as Debian has it: arm64)
set -eu
arch=${1:?an architecture}
root=${2:?a folder}
packages="libjansson-dev libyaml-dev nettle-dev zlib1g-dev r-mathlib libcurl4-openssl-dev"
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || { echo "sysroot: needs apt-get and dpkg-deb" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/nsecwatch-sysroot.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/debs" "$work/root"
: > "$work/state/status"
apt() {
	apt-get -q -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o Dir::State="$work/state" \
		-o Dir::State::status="$work/state/status" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"
}
apt update > "$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }
(cd "$work/debs" && apt download $packages) > "$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }
for deb in "$work"/debs/*.deb; do
	dpkg-deb -x "$deb" "$work/root"
done
rm -rf "$root"
mkdir -p "${root%/*}"
mv "$work/root" "$root"
touch "$root"
