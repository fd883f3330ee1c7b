#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh FUZZ CORPUS_DUMP OUT [TARGET...]: fuzzes each target for FUZZ_SECONDS (readers, 120) or FUZZ_SECONDS_MORE
# (submission, json, kernel, thp, cpu, sniff; ten times as long), FUZZ_JOBS at a time; query, selector and inflate are FUZZ_server's.
# What a target learned stays in OUT/corpus/TARGET, what crashed it in OUT/crashes/TARGET: put that into
# tests/fuzz/saved/TARGET, which `make test` replays. Calls go on from where the last one stopped, and OUT/totals adds
# them up, so that long times can be had in pieces. Exit 1 when something crashed.
set -u
fuzz=$1 dump=$2 out=$3
shift 3
seconds=${FUZZ_SECONDS:-120} more=${FUZZ_SECONDS_MORE:-$((${FUZZ_SECONDS:-120} * 10))} jobs=${FUZZ_JOBS:-1}
special="submission json kernel thp cpu sniff"
mkdir -p "$out/seeds" "$out/logs" "$out/totals"

# a folder of seeds for each target, from the tests' own small files
for f in tests/data/formats/*; do
	format=$("$dump" format=auto machine=m kernel=6.16 benchmark=b "$f" | sed -n 's/^{"sniffed":"\([^"]*\)".*/\1/p')
	for t in ${format:+"$format"} sniff; do
		mkdir -p "$out/seeds/$t" && cp "$f" "$out/seeds/$t/"
	done
done
mkdir -p "$out/seeds/kernel" "$out/seeds/submission" "$out/seeds/json"
cp tests/data/submission.json "$out/seeds/submission/"
cp tests/data/submission.json tests/fuzz/seeds/submission/* "$out/seeds/json/"
n=0
for names in tests/data/kernel_names.tsv tests/data/kernel_order.txt; do
	while IFS="	" read -r name rest; do
		n=$((n + 1))
		[ -z "$name" ] || printf %s "$name" >"$out/seeds/kernel/$n"
	done <"$names"
done
for d in tests/fuzz/seeds/* tests/fuzz/saved/*; do
	[ "${d##*/}" = http ] && continue	# those of fuzz_http.py
	[ -d "$d" ] && mkdir -p "$out/seeds/${d##*/}" && cp "$d"/* "$out/seeds/${d##*/}/"
done

one() {
	t=$1 s=$seconds
	case " $special " in *" $t "*) s=$more ;; esac
	mkdir -p "$out/corpus/$t" "$out/crashes/$t"
	from=$(date +%s)
	case $t in query|selector|inflate) program=${fuzz}_server ;; *) program=$fuzz ;; esac
	# entropic=0: its bookkeeping takes more than half of the time where an input goes through all readers
	FUZZ_TARGET=$t "$program" -max_total_time="$s" -max_len=16384 -entropic=0 -timeout=60 -report_slow_units=60 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$out/crashes/$t/" "$out/corpus/$t" "$out/seeds/$t" >"$out/logs/$t" 2>&1 || echo "$t" >>"$out/failed"
	echo "$(sed -n 's/^stat::number_of_executed_units: *//p' "$out/logs/$t") $(($(date +%s) - from))" >>"$out/totals/$t"
	awk -v t="$t" -v kept="$(ls "$out/corpus/$t" | wc -l)" -v crashes="$(ls "$out/crashes/$t" | wc -l)" '{ runs += $1; s += $2 }
		END { printf "%-26s %6ss %10d runs %6d inputs kept, %d crashes\n", t, s, runs, kept, crashes }' "$out/totals/$t"
}

[ $# -gt 0 ] || set -- $(ls "$out/seeds")
rm -f "$out/failed"
running=0
for t in "$@"; do
	one "$t" &
	running=$((running + 1))
	if [ $running -ge "$jobs" ]; then
		wait
		running=0
	fi
done
wait
[ ! -s "$out/failed" ] || { echo "crashed: $(tr '\n' ' ' <"$out/failed")(see $out/logs and $out/crashes)" >&2; exit 1; }
