#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes OUT.S: the tables of server/embed.h with the files of static/, schema/, demo/ and,
# unless WITH_NPM=no, uPlot from node_modules. .incbin keeps the data read-only and
# the stack non-executable (`ld -r -b binary` would not).
# usage: tools/embed.sh OUT
set -eu
out=$1
work=$out.files		# not .d: make includes those
rm -rf "$work"
mkdir -p "$work"
n=0

# table NAME: reads lines "path<TAB>file" and writes one table of them
table() {
	rows=$work/rows
	l=.L$1	# a prefix of its own: each table counts from 1, in the subshell of its pipe
	: > "$rows"
	while IFS="$(printf '\t')" read -r path file; do
		n=$((n + 1))
		etag=$(sha256sum "$file" | cut -c1-16)
		len=$(wc -c < "$file")
		gzip -9 -n -c "$file" > "$work/$1.$n.gz"
		glen=$(wc -c < "$work/$1.$n.gz")
		printf '%s_path%d: .asciz "%s"\n%s_etag%d: .asciz "%s"\n' $l $n "$path" $l $n "$etag"
		printf '%s_data%d: .incbin "%s"\n.byte 0\n' $l $n "$file"
		if [ "$glen" -lt "$len" ]; then
			printf '%s_gzip%d: .incbin "%s"\n' $l $n "$work/$1.$n.gz"
			printf '.quad %s_path%d, %s_etag%d, %s_data%d, %d, %s_gzip%d, %d\n' \
				$l $n $l $n $l $n "$len" $l $n "$glen" >> "$rows"
		else
			printf '.quad %s_path%d, %s_etag%d, %s_data%d, %d, 0, 0\n' $l $n $l $n $l $n "$len" >> "$rows"
		fi
	done
	# pointers want relocation under PIE: .data.rel.ro is read-only after start
	printf '.section .data.rel.ro, "aw"\n.balign 8\n.globl %s\n%s:\n' "$1" "$1"
	cat "$rows"
	printf '.quad 0, 0, 0, 0, 0, 0\n.section .rodata\n'
}

# list DIR: its files as "path<TAB>file", sorted bytewise as strcmp() does
list() {
	[ -d "$1" ] || return 0
	(cd "$1" && find . -type f ! -name '.*' | sed 's|^\./||') |
		while read -r f; do printf '%s\t%s\n' "$f" "$1/$f"; done
}

vendor() {
	[ "${WITH_NPM:-yes}" = yes ] || return 0
	printf 'vendor/uPlot.esm.js\tnode_modules/uplot/dist/uPlot.esm.js\n'
	printf 'vendor/uPlot.min.css\tnode_modules/uplot/dist/uPlot.min.css\n'
}

{
	printf '.section .rodata\n'
	{ list static; vendor; } | LC_ALL=C sort | table embed_static
	list schema | grep '^[0-9]' | LC_ALL=C sort | table embed_schema	# distribute.sql is no migration
	list demo | LC_ALL=C sort | table embed_demo
	printf '.section .note.GNU-stack, "", @progbits\n'
} > "$out.S.tmp"
mv "$out.S.tmp" "$out.S"
