/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What benchmark tools print: own small files of each, with the accidents that real ones have. */
#include "read_file.h"
#include "tap.h"

#include <math.h>

#include "../../ingest/format.h"

static struct arena *a;
static struct read_result res;
static struct err err;
static const struct read_context plain = { .format = "auto", .machine = "m", .kernel = "6.16" };

static int take(const char *text, struct read_context ctx)
{
	return read_text(a, text, strlen(text), ctx, &res, &err);
}

static const char *data(const char *name)
{
	size_t n;
	const char *text = read_file(a, arena_printf(a, "tests/data/formats/%s", name), &n);

	return text ? text : "";
}

static struct submission *one(const char *text, struct read_context ctx)
{
	if (take(text, ctx) || res.n != 1)
		return NULL;
	err = res.items[0].err;
	return res.items[0].sub;
}

static struct submission *item(size_t i)
{
	return i < res.n ? res.items[i].sub : NULL;
}

/* The result of a benchmark, its parameters and metric; an empty one where it is not there. */
static const struct result *find(const struct submission *s, const char *benchmark, const char *params, const char *metric)
{
	static const struct result none = { .benchmark = "", .params = "", .metric = "", .unit = "", .error = "" };

	for (size_t i = 0; s && i < s->n_results; i++)
		if (!strcmp(s->results[i].benchmark, benchmark) && !strcmp(s->results[i].params, params) &&
		    !strcmp(s->results[i].metric, metric))
			return &s->results[i];
	return &none;
}

static bool is(const struct result *r, double value, const char *unit, enum better better)
{
	return r->n_values && fabs(r->values[0] - value) <= 1e-12 * fabs(value) && !strcmp(r->unit, unit) && r->better == better;
}

static bool failed(const struct result *r, enum result_status status, const char *why)
{
	return r->status == status && r->error && !strcmp(r->error, why);
}

static const char *left_out(const struct submission *s, const char *at)
{
	for (size_t i = 0; s && i < s->n_not_imported; i++)
		if (!strcmp(s->not_imported[i].at, at))
			return s->not_imported[i].message;
	return "";
}

static bool warned(const struct submission *s, const char *at, const char *what)
{
	for (size_t i = 0; s && i < s->warnings->n; i++)
		if (!strcmp(s->warnings->list[i].at, at) && strstr(s->warnings->list[i].message, what))
			return true;
	return false;
}

/* Does the argument `at` of the query stop the file, with these words? */
static bool needs(const char *text, struct read_context ctx, const char *at, const char *what)
{
	return take(text, ctx) && err.kind == ERR_BAD_ARGUMENT && err.problems && !strcmp(err.problems->list[0].at, at) &&
	       strstr(err.problems->list[0].message, what);
}

static void test_gbench_console(void)
{
	struct submission *s = one(data("gbench_console.txt"), plain);
	const struct result *r = find(s, "BM_a/8", "{}", "real_time");

	if (!ok(s != NULL, "google-benchmark's table is read: %s", err.message))
		return;
	ok(is(r, 1020, "ns", BETTER_LOWER) && r->n == 2 && r->values[1] == 1035 && r->iterations == 8838,
	   "through colours and CRLF: two repetitions, each in its own unit");
	ok(is(find(s, "BM_with a blank, and one/size:4", "{}", "real_time"), 2.5e6, "ns", BETTER_LOWER), "a name with blanks and a label");
	ok(failed(find(s, "BM_fails", "{}", "real_time"), RESULT_FAILED, "mmap: Cannot allocate memory") &&
	   failed(find(s, "BM_skips", "{}", "real_time"), RESULT_SKIPPED, "no NUMA"), "an error is a failed result, a skipped one skipped");
	ok(s->n_results == 4, "aggregates and fits are no results");
	ok(strstr(left_out(s, "line 18"), "above 0") && strstr(left_out(s, "line 19"), "BigO") && *left_out(s, "line 20") &&
	   strstr(left_out(s, "line 21"), "Segmentation fault") && strstr(left_out(s, ""), "items_per_second") && s->n_not_imported == 5,
	   "what is no result is listed with its line");
	ok(warned(s, "line 7", "CPU scaling") && s->started_at == INT64_C(1796031177000000), "the program's warning and date are taken");
	is_str(s->source, "{\"tool\":\"google-benchmark\",\"command\":\"./bench\"}", "and its command");
	s = one("Benchmark Time CPU Iterations foo bar\nA 5 ns 5 ns 10 3 4\n", plain);
	ok(s && s->n_results == 1 && strstr(left_out(s, ""), "foo"), "counters in columns of their own");
	s = one("Benchmark Time CPU Iterations\nA_mean 5 ns 5 ns 3\nA_median 4 ns 5 ns 3\nA_stddev 1 ns 1 ns 3\nA_cv 20 % 20 % 3\n", plain);
	r = find(s, "A", "{}", "real_time");
	ok(s && r->n == 3 && r->mean == 5 && r->median == 4 && r->stddev == 1 && !r->values && !s->n_not_imported,
	   "nothing but aggregates make a summary");
}

static const char before_after[] =
	"Benchmark               Time             CPU   Iterations\n----\n"
	"mprotect_bench      85967 ns        85967 ns         6935\nmprotect_bench      73374 ns        73373 ns         9602\n";

static void test_gbench_parts(void)
{
	struct read_context two = plain;

	ok(needs(before_after, plain, "kernel", "FIRST|SECOND"), "a row before and one after a patch are no repetitions: %s", err.message);
	two.kernel = "6.19|6.19+apply-loop";
	ok(!take(before_after, two) && res.n == 2 && is(&item(0)->results[0], 85967, "ns", BETTER_LOWER) &&
	   is(&item(1)->results[0], 73374, "ns", BETTER_LOWER) && !strcmp(item(1)->kernel.name, "6.19+apply-loop"),
	   "with the names of both kernels they are two runs");
	two.kernel = "6.19|6.18|6.17";
	ok(needs(before_after, two, "kernel", "given are 3"), "three names for two are refused");
	ok(one("Benchmark Time CPU Iterations\nA 5 ns 5 ns 10\nA 6 ns 6 ns 10\n", plain) && res.items[0].sub->results[0].n == 2,
	   "the same iterations twice are repetitions");
	ok(one(arena_printf(a, "%s%s", "Benchmark Time CPU Iterations\nA 5 ns 5 ns 10\n", "Benchmark Time CPU Iterations\nA 6 ns 6 ns 11\n"),
	       plain) && res.items[0].sub->results[0].n == 2, "and so are two whole tables");
}

static void test_gbench_csv(void)
{
	struct submission *s = one(data("gbench.csv"), plain);
	const struct result *r = find(s, "BM_a<int, \"x\">/8", "{}", "real_time");

	if (!ok(s != NULL, "google-benchmark's CSV is read: %s", err.message))
		return;
	ok(is(r, 1163.07, "ns", BETTER_LOWER) && r->n == 2 && r->values[1] == 1200, "a quoted name with a comma, repetitions in two units");
	ok(failed(find(s, "BM_b", "{}", "real_time"), RESULT_FAILED, "no memory") && s->n_results == 2, "error_occurred is a failed result");
	ok(strstr(left_out(s, "line 8"), "above 0") && strstr(left_out(s, "line 9"), "10 cells") && strstr(left_out(s, ""), "items_per_second"),
	   "the rest is listed");
	ok(take("name,iterations\n", (struct read_context){ .format = "gbench-csv", .machine = "m", .kernel = "6.16" }) &&
	   err.kind == ERR_INVALID && strstr(err.message, "real_time"), "another CSV is refused: %s", err.message);
}

static void test_will_it_scale(void)
{
	struct submission *s = one(data("will_it_scale.csv"), plain);
	struct read_context ctx = plain;

	if (!ok(s != NULL, "will-it-scale is read: %s", err.message))
		return;
	ok(is(find(s, "will-it-scale/mmap2", "{\"mode\":\"processes\",\"tasks\":1}", "throughput"), 1000, "ops/s", BETTER_HIGHER) &&
	   s->n_results == 3, "runtest.py's command names the test; row 0 is a marker");
	ok(!find(s, "will-it-scale/mmap2", "{\"mode\":\"threads\",\"tasks\":1}", "throughput")->n, "0 at an idle of 0.00 was not run");
	ok(find(s, "will-it-scale/mmap2", "{\"mode\":\"threads\",\"tasks\":2}", "throughput")->n == 1, "0 at another idle was");
	ok(strstr(left_out(s, "line 6"), "oops") && *left_out(s, "line 7") && strstr(left_out(s, "line 2"), "linear"), "bad rows are listed");
	ctx.filename = "logs/page_fault1_run2.csv";
	ok(!take("tasks,processes\n1,0\n", ctx) && !item(0) && res.items[0].err.kind == ERR_INVALID &&
	   strstr(res.items[0].err.message, "no result"), "0 without an idle time is nothing: %s", res.items[0].err.message);
	s = one("tasks,processes,processes_idle\n1,5,0.1\n", ctx);
	ok(s && !strcmp(s->results[0].benchmark, "will-it-scale/page_fault1"), "or the file's name tells the test");
	ctx.filename = "logs/readings.csv";
	ok(needs("tasks,processes,processes_idle\n1,5,0.1\n", ctx, "benchmark", "which test"), "or nobody does: %s", err.message);
	ctx.benchmark = "will-it-scale/mine1";
	s = one("tasks,processes,processes_idle\n1,5,0.1\n", ctx);
	ok(s && !strcmp(s->results[0].benchmark, "will-it-scale/mine1"), "but benchmark=");
}

static void test_will_it_scale_parts(void)
{
	struct read_context ctx = plain;

	ctx.benchmark = "will-it-scale/mine1";
	ok(needs(data("will_it_scale_two.txt"), ctx, "kernel", "2 parts"), "before and after want two kernels");
	ctx.kernel = "5.10|5.11";
	ok(!take(data("will_it_scale_two.txt"), ctx) && res.n == 2 && item(0)->results[0].n == 2 && item(0)->results[0].values[1] == 103 &&
	   item(1)->results[0].n == 1 && !strcmp(item(1)->kernel.name, "5.11"), "tables below one heading are repetitions");
	ctx.kernel = NULL;
	ok(!take("v6.1:\ntasks,processes,processes_idle\n1,5,0.1\nv6.2:\ntasks,processes,processes_idle\n1,6,0.1\n", ctx) && res.n == 2 &&
	   !strcmp(item(0)->kernel.name, "6.1") && !strcmp(item(1)->kernel.name, "6.2"), "a heading may name the kernel");
}

static void test_libmicro(void)
{
	static const char k8[] = "{\"processes\":1,\"size_kib\":8,\"threads\":1}", m4[] = "{\"processes\":1,\"size_kib\":4096,\"threads\":1}";
	static const char none[] = "{\"processes\":1,\"threads\":1}";
	struct submission *s = one(data("libmicro.log"), (struct read_context){ .format = "auto" });

	if (!ok(s != NULL, "libMicro is read, and names machine and kernel by itself: %s", err.message))
		return;
	ok(!strcmp(s->machine, "board-01") && !strcmp(s->kernel.name, "6.1.0-10.oe2303.riscv64") && !strcmp(s->isa, "riscv64"), "as its head says");
	ok(is(find(s, "libmicro/getpid", none, "latency"), 250, "ns/call", BETTER_LOWER), "usecs/call are ns/call");
	ok(is(find(s, "libmicro/mprot_z8k", k8, "latency"), 1500, "ns/call", BETTER_LOWER) &&
	   !strcmp(find(s, "libmicro/mprot_z8k", k8, "latency")->original_unit, "usecs/call"), "the size is a parameter");
	ok(failed(find(s, "libmicro/semop", none, "latency"), RESULT_FAILED, "201798 errors") && strstr(left_out(s, "line 18"), "201798"),
	   "a line with errors is a failed result, and listed");
	ok(find(s, "libmicro/mprot_tw4m", m4, "latency")->status == RESULT_FAILED && s->n_results == 4, "and so is one that never ended");
	ok(!strstr(s->environment, "192.0.2.1") && !strstr(s->environment, "someone") && strstr(s->environment, "Processor"),
	   "who ran it and from where is not kept");
	s = one(data("libmicro.log"), plain);
	ok(s && !strcmp(s->kernel.name, "6.16") && warned(s, "line 4", "6.1.0-10"), "kernel= goes before the head, with a warning");
}

static void test_stress_ng_log(void)
{
	struct submission *s = one(data("stress_ng.log"), plain);

	if (!ok(s != NULL, "stress-ng's log is read: %s", err.message))
		return;
	ok(is(find(s, "stress-ng/flock", "{}", "ops_per_sec"), 2860967.69, "ops/s", BETTER_HIGHER) &&
	   find(s, "stress-ng/flock", "{}", "ops_per_sec")->iterations == 171659332, "bogo ops a second of real time");
	ok(is(find(s, "stress-ng/flock", "{}", "nanosecs_per_flock_lock_call"), 5678.91, "ns", BETTER_LOWER) &&
	   is(find(s, "stress-ng/stream", "{}", "memory_rate_MB_per_sec"), 5372.21, "MB/s", BETTER_HIGHER) &&
	   is(find(s, "stress-ng/flock", "{}", "context_switches_per_bogo_op"), 1.01, "unstated", BETTER_NEUTRAL),
	   "other numbers by LKP's names, without how they were averaged");
	ok(failed(find(s, "stress-ng/vm", "{}", "ops_per_sec"), RESULT_FAILED, "2 of its instances failed") && *left_out(s, "line 6"),
	   "a stressor that failed has no numbers");
	ok(failed(find(s, "stress-ng/rdrand", "{}", "ops_per_sec"), RESULT_SKIPPED, "2 of its instances were skipped"), "nor one that was skipped");
	ok(*left_out(s, "line 8") && *left_out(s, "line 12") && s->n_not_imported == 3 && s->n_results == 7, "nan and a time of 0 are listed");
	ok(strstr(s->source, "stress-ng --timeout 60") != NULL, "the command is the source");
	ok(take("stress-ng: info: [1] dispatching hogs: 1 vm\n", (struct read_context){ .format = "stress-ng-log", .machine = "m", .kernel = "6.16" }) &&
	   strstr(err.message, "--metrics"), "a log without metrics is refused: %s", err.message);
}

static void test_stress_ng_yaml(void)
{
	struct submission *s = one(data("stress_ng.yaml"), (struct read_context){ .format = "auto" });

	if (!ok(s != NULL, "stress-ng's YAML is read, between what the terminal showed: %s", err.message))
		return;
	ok(!strcmp(s->machine, "board-02") && !strcmp(s->kernel.name, "6.18.44") && !strcmp(s->isa, "aarch64") && s->base_page_kib == 64 &&
	   s->started_at == INT64_C(1796031156000000), "system-info names machine, kernel, pages and time");
	ok(is(find(s, "stress-ng/mremap", "{}", "ops_per_sec"), 3.631847, "ops/s", BETTER_HIGHER) &&
	   is(find(s, "stress-ng/mremap", "{}", "nanosecs_per_mremap_call"), 600644.675168, "ns", BETTER_LOWER) &&
	   is(find(s, "stress-ng/mremap", "{}", "write64_MB_per_sec"), 27593.373266, "MB/s", BETTER_HIGHER) && s->n_results == 3,
	   "its numbers have the names that the log's have");
	ok(*left_out(s, "line 21") && *left_out(s, "line 23") && *left_out(s, "line 25") && *left_out(s, "line 30"), "the rest is listed by line");
	ok(!strstr(s->environment, "root") && strstr(s->environment, "gcc 12.2.0"), "who ran it is not kept");
	ok(take("---\nmetrics:\n  - stressor: &x vm\n    bogo-ops-per-second-real-time: *x\n", plain) && err.kind == ERR_INVALID &&
	   strstr(err.message, "line 4"), "aliases are refused: %s", err.message);
	ok(take("$ x\n---\nmetrics:\n  - stressor: vm\n   broken: [\n", plain) && err.kind == ERR_INVALID && strstr(err.message, "line 5"),
	   "bad YAML is refused with its line in the file: %s", err.message);
}

static void test_perf_bench(void)
{
	static const char wake[] = "{\"shared\":false,\"threads\":4,\"waking\":1}", hash[] = "{\"futexes\":1024,\"shared\":false,\"threads\":8}";
	struct submission *s = one(data("perf_bench.txt"), plain);
	const struct result *r = find(s, "perf-bench/futex/wake", wake, "latency");

	if (!ok(s != NULL, "perf bench is read: %s", err.message))
		return;
	ok(is(find(s, "perf-bench/sched/pipe", "{\"mode\":\"processes\",\"operations\":20000}", "total_time"), 127e6, "ns", BETTER_LOWER) &&
	   is(find(s, "perf-bench/sched/pipe", "{\"mode\":\"processes\"}", "latency"), 6361.85, "ns/op", BETTER_LOWER) &&
	   is(find(s, "perf-bench/sched/pipe", "{\"mode\":\"processes\"}", "throughput"), 157186, "ops/s", BETTER_HIGHER),
	   "a total time is one of so many operations");
	ok(is(find(s, "perf-bench/sched/messaging", "{\"groups\":10,\"mode\":\"threads\",\"per_group\":20}", "total_time"), 159e6, "ns", BETTER_LOWER),
	   "groups and threads are parameters");
	ok(is(find(s, "perf-bench/syscall/getppid", "{}", "latency"), 123.4, "ns/op", BETTER_LOWER), "a system call goes by its name");
	ok(is(find(s, "perf-bench/mem/memcpy", "{\"function\":\"default\",\"size_kib\":1024}", "throughput"), 8.24531, "GB/s", BETTER_HIGHER) &&
	   is(find(s, "perf-bench/mem/memcpy", "{\"function\":\"x86-64-movsq\",\"size_kib\":0.5}", "throughput"), 0.5, "GB/s", BETTER_HIGHER),
	   "rates of bytes are in one unit, whatever size perf shows them in");
	ok(is(find(s, "perf-bench/futex/hash", hash, "throughput"), 491926, "ops/s", BETTER_HIGHER) &&
	   is(find(s, "perf-bench/futex/hash", hash, "stddev_percent"), 0.19, "%", BETTER_NEUTRAL), "an average and its deviation");
	ok(is(r, 17000, "ns", BETTER_LOWER) && r->n == 2, "runs are repetitions, their mean is not a third");
	ok(is(find(s, "perf-bench/internals/synthesize", "{}", "synthesis"), 80400, "ns", BETTER_LOWER), "\"took\" is a time");
	ok(s->n_not_imported == 1 && strstr(left_out(s, "line 50"), "num. events"), "a number in no form that we know is listed");
}

static void test_perf_bench_simple(void)
{
	struct read_context ctx = { .format = "perf-bench", .machine = "m", .kernel = "6.16" };
	struct submission *s;

	ok(take("0.153\n", plain) && err.kind == ERR_BAD_ARGUMENT, "nobody takes a bare number for his own");
	ok(needs("0.153\n", ctx, "benchmark", "bare number"), "perf bench's needs a name: %s", err.message);
	ctx.benchmark = "perf-bench/syscall/basic";
	s = one("0.153\n", ctx);
	ok(s && is(find(s, "perf-bench/syscall/basic", "{}", "total_time"), 153e6, "ns", BETTER_LOWER), "then it is a time");
	ctx.benchmark = "perf-bench/mem/memcpy";
	s = one("2147483648.000000\n", ctx);
	ok(s && is(find(s, "perf-bench/mem/memcpy", "{}", "throughput"), 2, "GB/s", BETTER_HIGHER), "or a rate of bytes");
	ok(take("hello\n", ctx) && err.kind == ERR_INVALID && strstr(err.message, "line 1"), "anything else is refused");
}

static void test_history(void)
{
	struct read_context ctx = { .format = "auto", .machine = "m", .benchmark = "nightly" };
	struct submission *s;
	struct uuid first;

	ok(!take(data("history.csv"), ctx) && res.n == 3 && item(0) && item(1) && item(2), "a history is a run a row: %s", err.message);
	s = item(0);
	if (!s || !item(2))
		return;
	first = s->run_id;
	ok(!strcmp(s->kernel.name, "6.16") && !strcmp(s->commit, "0123456789ab") && s->started_at == INT64_C(1704074400000000) &&
	   strstr(s->environment, "\"note\":\"warm\""), "with its kernel, commit, time, and what was noted");
	ok(is(find(s, "nightly", "{}", "ops_per_sec"), 154023, "ops/s", BETTER_HIGHER) &&
	   is(find(s, "nightly", "{}", "latency"), 10430, "ns/call", BETTER_NEUTRAL), "a column's name may tell unit and direction");
	ok(item(1)->n_results == 1 && item(1)->started_at == INT64_C(1704164400123456) && item(2)->started_at == INT64_C(1704247200000000),
	   "a missing value is missing; times in three spellings");
	ok(strstr(left_out(s, "line 4"), "NaN") && strstr(left_out(s, "line 6"), "yesterday") && *left_out(s, "line 7") &&
	   strstr(left_out(s, "line 8"), "6 cells") && s->n_not_imported == 4, "what is left out is told with the first run");
	ok(!take(arena_printf(a, "%s2024-01-06T00:00:00Z;6.17;x;1;1;\n", data("history.csv")), ctx) && res.n == 4 && item(0) &&
	   uuid_equal(&first, &item(0)->run_id) && !uuid_equal(&first, &item(3)->run_id), "a file that has grown has the same runs, and one more");
	ok(res.items[3].raw_len < 100 && strstr(arena_strndup(a, res.items[3].raw, res.items[3].raw_len), "latency"), "a run's raw file is its row");
	ctx.benchmark = NULL;
	ok(needs(data("history.csv"), ctx, "benchmark", "what was measured"), "without benchmark= it says nothing: %s", err.message);
	ctx.benchmark = "b";
	ok(needs("time,x\n2024-01-01T00:00:00Z,1\n", ctx, "kernel", "which kernel"), "a history without kernels needs one");
	ctx.format = "csv-series";
	ok(take("time,x\nyesterday,1\n", ctx) && err.kind == ERR_INVALID && err.problems && strstr(err.message, "line 2"),
	   "a history without a row is refused: %s", err.message);
	ok(take("time,x,x\n", ctx) && strstr(err.message, "twice"), "a column twice is refused");
}

static void test_old_locale(void)
{
	struct submission *s = one("Zeit\x96 und so\nBenchmark Time CPU Iterations\ngr\xf6\xdf" "er 5 ns 5 ns 10\n", plain);

	ok(s && s->n_results == 1 && !strcmp(s->results[0].benchmark, "gr\xc3\xb6\xc3\x9f" "er"), "bytes of an old locale are read: %s",
	   err.message);
	ok(s && warned(s, "line 1", "3 bytes"), "and warned of");
	ok(s && res.items[0].raw_len == strlen("Zeit\x96 und so\nBenchmark Time CPU Iterations\ngr\xf6\xdf" "er 5 ns 5 ns 10\n"),
	   "the raw file is what came");
	s = one("Benchmark Time CPU Iterations\n\xce\xbcs/\xc4\x85 5 ns 5 ns 10\n", plain);
	ok(s && !strcmp(s->results[0].benchmark, "\xce\xbcs/\xc4\x85") && !warned(s, "line 2", "Latin"), "UTF-8 stays as it is");
}

int main(void)
{
	a = arena_new();
	test_old_locale();
	test_gbench_console();
	test_gbench_parts();
	test_gbench_csv();
	test_will_it_scale();
	test_will_it_scale_parts();
	test_libmicro();
	test_stress_ng_log();
	test_stress_ng_yaml();
	test_perf_bench();
	test_perf_bench_simple();
	test_history();
	arena_free(a);
	return done();
}
