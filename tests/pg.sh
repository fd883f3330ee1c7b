#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A PostgreSQL cluster for tests, on a unix socket only, with fsync off unless asked for.
#   tests/pg.sh start DIR [--fsync]   makes (once) and starts it; prints its conninfo
#   tests/pg.sh stop DIR [MODE]       fast, immediate; nothing is said where none runs
#   tests/pg.sh pid DIR               of the postmaster
#   tests/pg.sh user                  whom the server runs as
# As root it runs as user postgres (or nobody): the server refuses root. DIR is made if it is not there.
set -eu

bindir() {
	for d in "${PG_BINDIR:-}" $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -t/ -k5 -rn) \
		"$(dirname "$(command -v initdb 2>/dev/null || echo /none/x)")"; do
		[ -n "$d" ] && [ -x "$d/initdb" ] && [ -x "$d/postgres" ] && { echo "$d"; return; }
	done
	echo "pg.sh: no PostgreSQL server programs found (set PG_BINDIR)" >&2
	exit 1
}

user() {
	[ "$(id -u)" = 0 ] || { id -un; return; }
	if id postgres >/dev/null 2>&1; then echo postgres; else echo nobody; fi
}

as_user() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid="$(id -u "$(user)")" --regid="$(id -g "$(user)")" --clear-groups "$@"
	else
		"$@"
	fi
}

conninfo() {
	echo "host=$1/run port=5432 dbname=postgres user=postgres"
}

start() {
	dir=$1
	fsync=off
	[ "${2:-}" = --fsync ] && fsync=on
	bin=$(bindir)
	if [ ! -f "$dir/data/PG_VERSION" ]; then
		mkdir -p "$dir/run"
		[ "$(id -u)" != 0 ] || chown "$(id -u "$(user)"):$(id -g "$(user)")" "$dir" "$dir/run"
		chmod 755 "$dir"
		(cd / && as_user "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync) > "$dir/run/initdb.log" 2>&1 ||
			{ cat "$dir/run/initdb.log" >&2; exit 1; }
		cat >> "$dir/data/postgresql.conf" <<-END
			listen_addresses = ''
			unix_socket_directories = '$dir/run'
			port = 5432
			fsync = $fsync
			full_page_writes = $fsync
			max_connections = 200
			shared_buffers = 64MB
			max_wal_size = 256MB
			log_min_messages = warning
		END
	fi
	# descriptors of the caller (a pipe it reads to its end) must not live on in the server
	(cd / && as_user "$bin/pg_ctl" -s -w -t 60 -D "$dir/data" -l "$dir/run/server.log" start) > "$dir/run/start.log" 2>&1 < /dev/null ||
		{ cat "$dir/run/start.log" "$dir/run/server.log" >&2; exit 1; }
	conninfo "$dir"
}

stop() {
	[ -f "$1/data/postmaster.pid" ] || return 0
	(cd / && as_user "$(bindir)/pg_ctl" -s -w -t 60 -D "$1/data" -m "${2:-fast}" stop) >/dev/null 2>&1 || true
}

case ${1:-} in
start) start "$(realpath -m "$2")" "${3:-}" ;;
stop) stop "$(realpath -m "$2")" "${3:-fast}" ;;
pid) head -1 "$2/data/postmaster.pid" ;;
user) user ;;
*) sed -n '3,8s/^# //p' "$0" >&2; exit 2 ;;
esac
