#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# All tests: layers, unit (TAP), the readers against the corpus, HTTP (pytest), browser (node). Goes on after a failing part;
# the last line is "N passed, N failed, N skipped", the exit status 1 when anything failed.
# BUILD, SAN and WITH_NPM come from make. Logs are kept in BUILD/test-logs.
# usage: tests/run.sh [layers|unit|corpus|http|browser]...	(all of them without an argument)
set -u
cd "$(dirname "$0")/.."
export BUILD="${BUILD:-build}" SAN="${SAN:-}" WITH_NPM="${WITH_NPM:-yes}"
export ASAN_OPTIONS="detect_stack_use_after_return=1:abort_on_error=1:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:${UBSAN_OPTIONS:-}"
export TSAN_OPTIONS="second_deadlock_stack=1:halt_on_error=1:${TSAN_OPTIONS:-}"
export PYTHONDONTWRITEBYTECODE=1
logs=$BUILD/test-logs
mkdir -p "$logs"
passed=0 failed=0 skipped=0

# count PASSED FAILED SKIPPED STATUS NAME: a part that fails without a failed test is one failure
count() {
	p=${1:-0} f=${2:-0} s=${3:-0}
	if [ "$4" != 0 ] && [ "$f" = 0 ]; then
		f=1
		echo "$5: ended with status $4 without a failed test: see $logs/$5.log"
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	echo "== $5: $p passed, $f failed, $s skipped"
}

lines() { grep -acE "$1" "$2"; }

run_layers() {
	tests/layers.sh > "$logs/layers.log" 2>&1
	status=$?
	cat "$logs/layers.log"
	count "$((status == 0))" "$((status != 0))" 0 0 layers
}

# The programs that make built; prove checks plans and crashes, its -v output is counted.
run_unit() {
	programs=
	for source in tests/unit/test_*.c; do
		program=${source##*/}
		programs="$programs $BUILD/unit/${program%.c}"
	done
	log=$logs/unit.log
	prove -v --merge $programs > "$log" 2>&1
	status=$?
	grep -aE '^not ok' -A 6 "$log" | grep -vE '^(ok|--)' | head -200
	grep -aE '^(ok .*|1\.\.0 )# SKIP' "$log"
	sed -n '/^Test Summary Report/,$p' "$log"
	crashed=$(sed -n 's/ *(Wstat: .* Failed: 0)$//p' "$log")	# ended badly without a failed test: each is one failure
	for program in $crashed; do
		awk -v from="$program .." '/ \.\.+ *$/ || /^Test Summary/ { on = !index($0, from) ? 0 : 1 } on' "$log" | tail -50
	done
	count "$(grep -aE '^ok ' "$log" | grep -cvE '# SKIP')" "$(($(lines '^not ok ' "$log") + $(echo $crashed | wc -w)))" \
		"$(lines '^(ok .*|1\.\.0 )# SKIP' "$log")" $status unit
}

# The readers against real files, which are not in the repository.
run_corpus() {
	log=$logs/corpus.log
	corpus=${NSECWATCH_SHARED:-../shared}/corpus
	if [ ! -d "$corpus" ]; then
		echo "corpus tests skipped: no $corpus (NSECWATCH_SHARED tells where it is)"
		count 0 0 1 0 corpus
		return
	fi
	CORPUS_DUMP=$BUILD/corpus_dump /usr/bin/python3 tests/corpus/corpus.py "$corpus" > "$log" 2>&1
	status=$?
	grep -B 3 'NOT ARGUED' "$log"
	[ $status = 0 ] || grep -q 'NOT ARGUED' "$log" || tail -50 "$log"
	last=$(tail -1 "$log")
	count "$(echo "$last" | number files)" "$(echo "$last" | number 'not argued')" 0 $status corpus
}

# Files of tests on as many processes as there are processors; what asks what all of them have seen goes behind them.
run_http() {
	export NSECWATCH_SEEN="$logs/seen"
	rm -rf "$NSECWATCH_SEEN"
	mkdir -p "$NSECWATCH_SEEN"
	pytest_of http -n "$(nproc)" --dist loadfile --durations=25 -m "not slow" --ignore=tests/http/test_kill.py tests/http tests/faults
	pytest_of http-all -m after_all tests/http/test_openapi.py
}

# pytest_of NAME ARGUMENTS: one call of pytest, counted
pytest_of() {
	name=$1 log=$logs/$1.log
	shift
	/usr/bin/python3 -m pytest -q -rsfE --tb=short --color=no -p no:cacheprovider "$@" > "$log" 2>&1
	status=$?
	[ $status = 5 ] && status=0	# no tests collected
	sed -n '/^=*.*\(FAILURES\|ERRORS\|short test summary\|warnings summary\)/,$p' "$log"
	[ $status = 0 ] || grep -qE ' (failed|error)' "$log" || tail -50 "$log"
	last=$(tail -1 "$log")
	count "$(echo "$last" | number passed)" \
		"$(($(echo "$last" | number failed) + $(echo "$last" | number 'errors\{0,1\}')))" \
		"$(echo "$last" | number skipped)" $status "$name"
}

# number WORD: the number before WORD in pytest's last line, 0 without
number() { sed -n "s/.*\(^\|[^0-9]\)\([0-9][0-9]*\) $1.*/\2/p" | grep . || echo 0; }

run_browser() {
	log=$logs/browser.log
	if [ "$WITH_NPM" = no ]; then
		echo "browser tests skipped: WITH_NPM=no, so there is no playwright-core to drive a browser"
		count 0 0 1 0 browser
		return
	fi
	files=$(ls tests/browser/*.test.js tests/browser/*.test.mjs 2>/dev/null)
	[ -n "$files" ] || { count 0 0 0 0 browser; return; }
	node --test --test-reporter=tap $files > "$log" 2>&1
	status=$?
	grep -E '^ *not ok' -A 25 "$log" | head -300
	grep -E '^ *ok .*# SKIP' "$log"
	count "$(tap_total pass)" "$(tap_total fail)" "$(tap_total skipped)" $status browser
}
tap_total() { sed -n "s/^# $1 \([0-9]*\)$/\1/p" "$log" | tail -1; }

for part in ${*:-layers unit corpus http browser}; do
	echo "== $part"
	"run_$part"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
