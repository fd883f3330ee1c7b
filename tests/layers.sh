#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An #include only points down. Prints each one that does not, and who may hold which library; exit 1 then.
set -eu
cd "$(dirname "$0")/.."
fail=0
complain() { echo "layers: $*"; fail=1; }

# the room of a file
room() {
	case $1 in
	lib/stats/*) echo stats ;;
	lib/*) echo lib ;;
	ingest/*) echo ingest ;;
	chart/*) echo chart ;;
	client/*) echo client ;;
	server/conf.*|server/embed.*) echo conf ;;
	server/db*) echo db ;;
	server/web*|server/auth.*|server/reply.*|server/cache.*) echo web ;;
	server/watch*|server/detect*|server/deliver*) echo watch ;;
	server/calc_*) echo calc ;;
	server/api_*|server/pages.*) echo api ;;
	server/*) echo main ;;
	*) echo other ;;
	esac
}

# which rooms a room may look into, itself apart
allowed() {
	case $1 in
	lib) echo "" ;;
	stats) echo "lib" ;;
	ingest) echo "lib" ;;
	chart) echo "lib stats" ;;
	client) echo "lib stats ingest chart" ;;
	conf) echo "lib" ;;
	db) echo "lib ingest conf" ;;
	web) echo "lib ingest conf db" ;;
	calc) echo "lib stats ingest chart conf db" ;;
	api) echo "lib stats ingest chart conf db calc web" ;;
	watch) echo "lib stats ingest chart conf db calc" ;;
	main) echo "lib stats ingest chart conf db calc web api watch" ;;
	esac
}

for f in $(git ls-files -co --exclude-standard '*.c' '*.h' | grep -vE '^(tests|bench)/'); do
	[ -f "$f" ] || continue
	mine=$(room "$f")
	for inc in $(sed -n 's/^#include "\(.*\)"/\1/p' "$f"); do
		to=$(realpath -m --relative-to=. "$(dirname "$f")/$inc")
		theirs=$(room "$to")
		[ "$mine" = "$theirs" ] && continue
		case " $(allowed "$mine") " in
		*" $theirs "*) ;;
		*) complain "$f ($mine) includes $to ($theirs)" ;;
		esac
	done
	case $f in server/web*|server/reply.*|server/auth.*|server/cache.*) ;;
	*) grep -qs '<microhttpd.h>' "$f" && complain "$f includes microhttpd.h: only web, auth, reply and cache may" ;; esac
	case $f in server/web_tls.*) ;;
	*) grep -qs '<gnutls/' "$f" && complain "$f includes GnuTLS: only web_tls.c may" ;; esac
	case $f in server/db*) ;;
	*) grep -qs '<libpq-fe.h>' "$f" && complain "$f includes libpq-fe.h: only db*.c may" ;; esac
	case $f in server/db*|ingest/*|lib/*) ;;
	*) grep -nE '"(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER) ' "$f" && complain "$f has SQL: only db*.c may" ;; esac
	case $f in
	*.c) h=$(basename "${f%.c}.h")
		[ ! -f "${f%.c}.h" ] || [ "$(sed -n 's/^#include //p' "$f" | head -1)" = "\"$h\"" ] ||
			complain "$f: its own header comes first" ;;
	esac
done
twice=$(git ls-files -co --exclude-standard 'schema/*.sql' | sed 's|schema/\([0-9]*\)_.*|\1|' | sort | uniq -d)
[ -z "$twice" ] || complain "schema: two files have the number $twice: the second one would never be applied"

[ $fail = 0 ] && echo "layers: every include points down"
exit $fail
