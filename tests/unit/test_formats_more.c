/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The readers of other tools' files, by small files of our own (tests/data/formats): what is in them, what is not, and why. */
#include "read_file.h"
#include "tap.h"

#include <math.h>

static struct arena *a;

#define HIGHER BETTER_HIGHER
#define LOWER BETTER_LOWER
#define NEUTRAL BETTER_NEUTRAL

/* A series that must be there: n = 0 is a failed one. */
static const struct want {
	const char *file, *benchmark, *params, *metric, *unit;
	enum better better;
	int64_t n;
	double mean;
} wants[] = {
	{ "perf_stat.txt", "perf-stat", "{\"command\":\"./toggle 400\"}", "task-clock", "ns", LOWER, 5, 1.52e6 },
	{ "perf_stat.txt", "perf-stat", "{\"command\":\"./toggle 400\"}", "cycles", "count", LOWER, 1, 5120400 },
	{ "perf_stat.txt", "perf-stat", "{\"command\":\"./toggle 400\"}", "time elapsed", "ns", LOWER, 5, 1898000 },
	{ "perf_stat.csv", "perf-stat", "{}", "context-switches", "count", LOWER, 1, 3 },
	{ "perf_stat.csv", "perf-stat", "{\"cpus\":\"S0\"}", "page-faults", "count", LOWER, 1, 77 },
	{ "perf_stat.csv", "perf-stat", "{}", "cpu/event=0x3c,umask=0/", "count", NEUTRAL, 1, 88 },
	{ "perf_stat.json", "perf-stat", "{}", "task-clock", "ns", LOWER, 1, 1.52e6 },
	{ "fio.json", "fio/seq", "{\"bs\":\"4k\",\"direction\":\"read\",\"iodepth\":8,\"rw\":\"read\"}", "iops", "IO/s", HIGHER, 2, 501.5 },
	{ "fio.json", "fio/seq", "{\"bs\":\"4k\",\"direction\":\"read\",\"iodepth\":8,\"rw\":\"read\"}", "bandwidth", "B/s", HIGHER, 2,
	  (2050000 + 2010 * 1024) / 2.0 },
	{ "fio.json", "fio/seq", "{\"bs\":\"4k\",\"direction\":\"read\",\"iodepth\":8,\"rw\":\"read\"}", "latency", "ns", LOWER, 2, 2049.75 },
	{ "fio.json", "fio/broken", "{}", "iops", "IO/s", HIGHER, 0, 0 },
	{ "fio_text.txt", "fio/seq", "{\"bs\":\"4096B-4096B\",\"direction\":\"write\",\"iodepth\":16,\"ioengine\":\"libaio\",\"rw\":\"write\"}",
	  "iops", "IO/s", HIGHER, 1, 15200 },
	{ "fio_text.txt", "fio/seq", "{\"bs\":\"4096B-4096B\",\"direction\":\"write\",\"iodepth\":16,\"ioengine\":\"libaio\",\"rw\":\"write\"}",
	  "latency", "ns", LOWER, 1, 115600 },
	{ "fio_text.txt", "fio/full", "{}", "iops", "IO/s", HIGHER, 0, 0 },
	{ "sysbench.txt", "sysbench/oltp", "{\"threads\":4}", "transactions", "per sec", HIGHER, 1, 95.1 },
	{ "sysbench.txt", "sysbench/oltp", "{\"threads\":4}", "latency 99th", "ns", LOWER, 1, 77.1e6 },
	{ "sysbench.txt", "sysbench/memory", "{\"block_size\":\"1KiB\",\"threads\":1,\"total_size\":\"1024MiB\"}", "operations", "ops/s",
	  HIGHER, 1, 2500000 },
	{ "sysbench.txt", "sysbench/fileio", "{}", "reads", "ops/s", HIGHER, 1, 900.5 },
	{ "hackbench.txt", "hackbench", "{\"file_descriptors\":40,\"groups\":4,\"message_bytes\":100,\"messages\":100,\"mode\":\"threads\","
	  "\"transport\":\"pipe\"}", "time", "ns", LOWER, 2, 95e6 },
	{ "lmbench.raw", "lmbench/Select on 10 fd's", "{}", "latency", "ns", LOWER, 1, 1164.2 },
	{ "lmbench.raw", "lmbench/File /usr/tmp/XXX write bandwidth", "{}", "bandwidth", "KB/s", HIGHER, 1, 18785 },
	{ "lmbench_tables.raw", "lmbench/bw_mem -P 1 1m rd", "{\"size_mb\":1.05}", "bandwidth", "MB/s", HIGHER, 1, 13805.57 },
	{ "lmbench_tables.raw", "lmbench/mappings", "{\"size_mb\":1.048576}", "latency", "ns", LOWER, 1, 11000 },
	{ "lmbench_summary.txt", "lmbench/sh proc", "{}", "latency", "ns", LOWER, 1, 1.2e6 },
	{ "lmbench_summary.txt", "lmbench/Page Fault", "{}", "latency", "ns", LOWER, 1, 109.6 },
	{ "unixbench.log", "unixbench/Shell Scripts (8 concurrent)", "{\"copies\":1}", "throughput", "lpm", HIGHER, 1, 724.1 },
	{ "unixbench.log", "unixbench/Pipe Throughput", "{\"copies\":8}", "throughput", "lps", HIGHER, 1, 9469462.6 },
	{ "netperf.txt", "netperf/TCP STREAM", "{\"message_bytes\":16384}", "throughput", "10^6bits/s", HIGHER, 1, 41234.56 },
	{ "netperf.txt", "netperf/UDP STREAM", "{\"message_bytes\":65507}", "receive_throughput", "10^6bits/s", HIGHER, 1, 61689.4 },
	{ "netperf.txt", "netperf/TCP REQUEST/RESPONSE", "{\"request_bytes\":1,\"response_bytes\":1}", "transactions", "transactions/s",
	  HIGHER, 1, 56563.4 },
	{ "netperf_omni.txt", "netperf/OMNI TCP", "{\"direction\":\"Send\"}", "latency", "ns", LOWER, 1, 3100 },
	{ "kselftest.tap", "mm: run_vmtests.sh: GUP_FAST_BENCHMARK", "{}", "put", "ns", LOWER, 1, 238000 },
	{ "kselftest.tap", "mm: run_vmtests.sh: random_size_alloc_test", "{}", "time", "ns", LOWER, 0, 0 },
	{ "kselftest.tap", "dma: dma_map_benchmark", "{}", "map latency", "ns", LOWER, 1, 800 },
	{ "kselftest.tap", "mqueue: mq_perf_tests: Test #1", "{}", "send", "ns/msg", LOWER, 1, 5510 },
	{ "kcidb.json", "mprotect.tw4m", "{}", "number", "ns", LOWER, 1, 1700 },
	{ "kcidb.json", "pipe.rate", "{}", "number", "MB/s", HIGHER, 1, 12 },
	{ "hyperfine.json", "true", "{\"n\":4}", "time", "ns", LOWER, 3, 2e6 },
	{ "hyperfine.json", "sort big", "{}", "time", "ns", LOWER, 2, 2e8 },
	{ "hyperfine.json", "false", "{}", "time", "ns", LOWER, 0, 0 },
	{ "hyperfine.csv", "sleep 0.1, really", "{\"n\":8}", "time", "ns", LOWER, 1, 1.01e8 },
	{ "pytest.json", "b.py::test_map", "{\"fast\":\"true\",\"n\":16}", "time", "ns", LOWER, 3, 2000 },
	{ "pytest.json", "b.py::test_x", "{}", "time", "ns", LOWER, 100, 2000 },
	{ "jmh.json", "org.x.Map.get", "{\"kind\":\"hash\",\"mode\":\"avgt\",\"size\":1000,\"threads\":4}", "time", "ns/op", LOWER, 4, 12.5 },
	{ "jmh.json", "org.x.Map.put", "{\"mode\":\"sample\"}", "time", "ns/op", LOWER, 15, 1000 },
	{ "criterion.txt", "bench_fib_20", "{}", "time", "ns/iter", LOWER, 1, 18794.12 },
	{ "criterion.txt", "fib 20", "{}", "throughput", "Melem/s", HIGHER, 1, 38 },
	{ "criterion.txt", "a name that is much too long for one line/with a parameter/1024", "{}", "time", "ns/iter", LOWER, 1, 1.2e6 },
	{ "criterion.txt", "fib/30", "{}", "time", "ns/iter", LOWER, 2, 105 },
	{ "asv.json", "suite.time_plain", "{}", "time", "ns", LOWER, 3, 2.5e8 },
	{ "asv.json", "suite.time_grid", "{\"param1\":2,\"param2\":\"b\"}", "time", "ns", LOWER, 1, 4e8 },
	{ "asv.json", "suite.mem_x", "{}", "memory", "B", LOWER, 1, 344 },
	{ "go_bench.txt", "example.org/mm/BenchmarkMap", "{\"gomaxprocs\":8,\"kind\":\"hash\",\"size\":\"4K\"}", "time", "ns/op", LOWER, 2,
	  4062.25 },
	{ "go_bench.txt", "example.org/mm/BenchmarkFault", "{\"gomaxprocs\":8}", "pages/s", "pages/s", HIGHER, 1, 77 },
	{ "lnt.json", "suite/one", "{}", "execution_time", "ns", LOWER, 1, 3e8 },
	{ "lnt.json", "suite/two", "{}", "execution_time", "ns", LOWER, 0, 0 },
	{ "lnt_old.json", "suite/one", "{}", "execution_time", "ns", LOWER, 2, 3.05e8 },
	{ "conbench.json", "file-write", "{\"cold\":\"true\",\"compression\":\"snappy\",\"cpu_count\":2}", "value", "ns", LOWER, 2, 1e8 },
	{ "conbench.json", "file-read", "{}", "value", "B/s", HIGHER, 0, 0 },
	{ "github_custom.json", "Throughput", "{}", "value", "req/s", HIGHER, 1, 70 },
	{ "github_custom.json", "Free memory", "{}", "value", "Megabytes", NEUTRAL, 1, 150 },
	{ "github_data.js", "Rate", "{\"suite\":\"Benchmark\"}", "value", "ops", HIGHER, 1, 245.8 },
	{ "github_data.js", "fib", "{\"suite\":\"Benchmark\"}", "value", "ns/iter", LOWER, 1, 100 },
	{ "openmetrics.om", "http_seconds", "{\"path\":\"/a\"}", "sum", "seconds total", NEUTRAL, 1, 3.25 },
	{ "openmetrics.om", "http_seconds", "{\"le\":\"+Inf\",\"path\":\"/a\"}", "bucket", "count", NEUTRAL, 1, 17 },
	{ "openmetrics.om", "temperature", "{\"where\":\"a \\\"b\\\" \\\\ c d\"}", "value", "unstated", NEUTRAL, 2, 22 },
	{ "prometheus.prom", "node_cpu_seconds_total", "{\"cpu\":\"0\",\"mode\":\"idle\"}", "value", "seconds total", NEUTRAL, 1, 0 },
	{ "perfherder.log", "tp5o/a.html", "{\"option1\":\"e10s\"}", "value", "ns", LOWER, 3, 1e7 },
	{ "perfherder.log", "tp5o/b.html", "{\"option1\":\"e10s\"}", "value", "ns", HIGHER, 1, 2e7 },
	{ "perfherder_runs.json", "b", "{}", "value", "unstated", LOWER, 1, 306.333 },
	{ "pts.log", "pts/intel-mlc", "{\"Test\":\"Peak - All Reads\"}", "result", "MB/s", HIGHER, 3, (78116.7 + 78231.6 + 78001.0) / 3 },
	{ "pts.log", "pts/intel-mlc", "{\"Test\":\"Peak\",\"Threads\":4}", "result", "ns", LOWER, 1, 7.46e9 },
	{ "horreum.json", "b", "{}", "cpu_mean", "unstated", NEUTRAL, 1, 0.5 },
	{ "lkp_changed.yaml", "stress-ng/bigheap", "{}", "ops_per_sec", "ops/s", HIGHER, 2, 7389531.8 },
	{ "fastpath.txt", "speedometer/v2.1", "{}", "score", "runs/min", HIGHER, 4, 200 },
	{ "fastpath.txt", "speedometer/v2.1", "{}", "startup", "ns", LOWER, 4, 5e7 },
	{ "fastpath.txt", "micro/fork", "{}", "fork", "ns", LOWER, 1, 240500 },
	{ "fastpath.txt", "micro/munmap", "{}", "munmap", "ns", LOWER, 1, 7.25 },
};

/* What must be listed as not imported: its place, and words of the reason. */
static const struct {
	const char *file, *at, *why;
} lefts[] = {
	{ "perf_stat.txt", "line 7", "not supported" },	{ "perf_stat.txt", "line 13", "above 0" },
	{ "perf_stat.csv", "line 5", "missing, not 0" }, { "perf_stat.json", "line 3", "not counted" },
	{ "fio.json", "line 10: /jobs/2", "no I/O" },	{ "fio_text.txt", "", "percentiles" },
	{ "sysbench.txt", "line 29", "above 0" },	{ "sysbench.txt", "line 36", "FATAL" },
	{ "lmbench.raw", "line 11", "2 sizes" },	{ "lmbench_tables.raw", "line 3", "the last" },
	{ "lmbench_summary.txt", "", "MHz" },		{ "kselftest.tap", "", "functional" },
	{ "kcidb.json", "/tests/3/number", "NUMBER" },	{ "hyperfine.json", "/results/1/exit_codes/2", "failed" },
	{ "hyperfine.csv", "line 4", "expected command,mean" }, { "pytest.json", "/benchmarks/2", "fullname" },
	{ "jmh.json", "/2", "primaryMetric" },		{ "jmh.json", "/0/secondaryMetrics/\xc2\xb7stack", "a number" },
	{ "criterion.txt", "line 3", "NUMBER UNIT" },	{ "asv.json", "/results/suite.time_grid/2", "null" },
	{ "asv.json", "/results/suite.time_bad", "2 combinations" }, { "go_bench.txt", "line 8", "\"x\"" },
	{ "go_bench.txt", "line 10", "a failure" },	{ "lnt.json", "/tests/0/execution_time/1", "failed" },
	{ "lnt.json", "/tests/2", "\"name\"" },		{ "github_custom.json", "/2", "\"value\"" },
	{ "openmetrics.om", "line 18", "NaN" },		{ "prometheus.prom", "line 7", "label" },
	{ "prometheus.prom", "line 8", "infinite" },	{ "perfherder.log", "line 2: /suites/0/subtests/0", "\"name\"" },
	{ "pts.log", "line 16", "no result" },		{ "horreum.json", "/0/values/series", "more than one value" },
	{ "lkp_changed.yaml", "line 6", "a number" },	{ "lkp_changed.yaml", "line 7", "a list" },
	{ "fastpath.txt", "line 28", "mean and count" }, { "fastpath.txt", "line 36", "fp_6.19.0-rc1-lab: expected a number" },
};

/* What a file says of where it ran, when nobody else says it. */
static const struct {
	const char *file, *kernel, *machine, *commit, *started;
} heads[] = {
	{ "lmbench.raw", "6.17.0-rc1", "m", NULL, NULL },
	{ "unixbench.log", "6.17.0-rc1", "m", NULL, NULL },
	{ "kcidb.json", "6.17-rc1-12-gcac1db8c3aad", "m", "cac1db8c3aad97d6ffb56ced8868d6cbbbd2bfbe", NULL },
	{ "pytest.json", "6.17.0-rc1", "m", NULL, NULL },
	{ "asv.json", "6.17.0-rc1", "lab", "fcf8c079fae7ebad9f27bd31a819f0e4fdd85b99", "2026-02-13T16:26:40Z" },
	{ "conbench.json", "6.17.0-rc1", "lab", "02addad336ba19a654f9c857ede546331be7b631", "2026-02-13T21:02:44Z" },
	{ "pts.log", "6.8.0", "m", NULL, NULL },
	{ "horreum.json", "6.17.0-rc1", "m", NULL, "2026-02-13T08:15:30.123Z" },
	{ "fio.json", "6.16", "m", NULL, "2026-02-13T16:26:39Z" },
	{ "github_data.js", "6.16", "m", "f71d2db307df06659e02315dd968caf104460c72", "2026-02-02T02:40:00Z" },
	{ "fastpath.txt", "6.18.1-lab+", "m", "0123456789abcdef", NULL },
	{ "perfherder_runs.json", "6.16", "m", "ed753b70773f", "2013-03-22T18:13:39Z" },
};

static int take(const char *file, const char *machine, const char *kernel, struct read_result *res, struct err *err)
{
	struct read_context ctx = { .format = "auto", .machine = machine, .kernel = kernel, .filename = file };
	size_t len;
	char *text = read_file(a, arena_printf(a, "tests/data/formats/%s", file), &len);

	if (!strcmp(file, "perfherder_runs.json") || !strcmp(file, "horreum.json"))
		ctx.benchmark = "b";
	return text ? read_text(a, text, len, ctx, res, err) : -1;
}

static struct read_result *of(const char *file)
{
	static struct read_result res;
	static const char *last;
	struct err err = { 0 };

	if (!last || strcmp(last, file)) {
		if (take(file, "m", !strcmp(file, "lkp_changed.yaml") ? "6.16|6.17" : "6.16", &res, &err))
			printf("# %s: %s\n", file, err.message);
		last = file;
	}
	return &res;
}

static bool is_wanted(const struct want *w, const struct result *r)
{
	if (strcmp(r->benchmark, w->benchmark) || strcmp(r->params, w->params) || strcmp(r->metric, w->metric) || strcmp(r->unit, w->unit))
		return false;
	if (r->better != w->better || r->n != w->n)
		return false;
	return w->n ? fabs(r->mean - w->mean) <= 1e-9 * fabs(w->mean) : r->status == RESULT_FAILED && r->error;
}

static void test_wants(void)
{
	for (size_t i = 0; i < sizeof(wants) / sizeof(*wants); i++) {
		const struct want *w = &wants[i];
		struct read_result *res = of(w->file);
		bool found = false;

		for (size_t k = 0; k < res->n; k++)
			for (size_t r = 0; res->items[k].sub && r < res->items[k].sub->n_results; r++)
				found |= is_wanted(w, &res->items[k].sub->results[r]);
		ok(found, "%s: %s %s %s, n = %d", w->file, w->benchmark, w->params, w->metric, (int)w->n);
	}
}

static bool listed(const struct read_item *item, const char *at, const char *why)
{
	const struct problems *p = item->err.problems;

	for (size_t i = 0; item->sub && i < item->sub->n_not_imported; i++)
		if (!strcmp(item->sub->not_imported[i].at, at) && strstr(item->sub->not_imported[i].message, why))
			return true;
	for (size_t i = 0; !item->sub && p && i < p->n; i++)
		if (!strcmp(p->list[i].at, at) && strstr(p->list[i].message, why))
			return true;
	return false;
}

static void test_lefts(void)
{
	for (size_t i = 0; i < sizeof(lefts) / sizeof(*lefts); i++) {
		struct read_result *res = of(lefts[i].file);
		bool found = false;

		for (size_t k = 0; k < res->n; k++)
			found |= listed(&res->items[k], lefts[i].at, lefts[i].why);
		ok(found, "%s, %s: not imported, %s", lefts[i].file, *lefts[i].at ? lefts[i].at : "the whole", lefts[i].why);
	}
}

static void test_heads(void)
{
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		bool own_machine = strcmp(heads[i].machine, "m") != 0, own_kernel = strcmp(heads[i].kernel, "6.16") != 0;
		struct read_result res = { .n = 0 };
		const struct submission *s = NULL;
		struct err err = { 0 };
		int64_t started = TM_NONE;

		if (!take(heads[i].file, own_machine ? NULL : "m", own_kernel ? NULL : "6.16", &res, &err) && res.n)
			s = res.items[0].sub;
		if (!ok(s != NULL, "%s says what it ran on", heads[i].file))
			continue;
		is_str(s->kernel.name, heads[i].kernel, arena_printf(a, "%s: its kernel", heads[i].file));
		is_str(s->machine, heads[i].machine, arena_printf(a, "%s: its machine", heads[i].file));
		if (heads[i].commit)
			is_str(s->commit ? s->commit : "", heads[i].commit, arena_printf(a, "%s: its commit", heads[i].file));
		if (heads[i].started)
			ok(!tm_parse(heads[i].started, &started) && s->started_at == started, "%s: when it ran", heads[i].file);
	}
}

static struct read_item *fastpath(const char *text, const char *kernel, size_t i, struct err *err)
{
	static struct read_result res;
	struct read_context ctx = { .format = "auto", .machine = "m", .kernel = kernel };

	res.n = 0;
	return read_text(a, text, strlen(text), ctx, &res, err) || i >= res.n ? NULL : &res.items[i];
}

#define TWO "> | Benchmark | Result Class | before | after |\n> +----+\n> | micro/a | t (us) | 5 | (I) 4 |\n"

/* Tables of which nothing else says what their columns are. */
static void test_fastpath(void)
{
	static const char one[] = "$ x/fastpath result show r --swprofile fp_6.18.1-lab\n| Benchmark | Result Class | mean | stddev | min | count |\n"
				  "| a | t (us) | 5.0 | 0.5 | 4.5 | 1 |\n| a | u | 6 | 0.5 | 4.5 | 3 |\n";
	static const char plus[] = "| Benchmark | Result Class | 6.18 | 6.19-rc1 |\n| a | t (us) | 5 | 3.39% |\n| a | u (us) | 5 | 6 |\n";
	struct err err = { 0 };
	struct read_item *item = fastpath(one, NULL, 0, &err);
	const struct result *r;

	ok(item && item->sub && !strcmp(item->sub->kernel.name, "6.18.1-lab") && item->sub->n_results == 2, "a profile that is called by its kernel");
	r = item && item->sub ? item->sub->results : NULL;
	ok(r && r[0].n == 1 && isnan(r[0].stddev) && r[1].n == 3 && r[1].stddev == 0.5 && !strcmp(r[1].unit, "unstated"),
	   "one sample has no deviation; a class without a unit");
	ok(!fastpath(TWO, NULL, 0, &err) && err.kind == ERR_BAD_ARGUMENT && strstr(err.problems->list[0].message, "\"before\""),
	   "profiles that name no kernel are asked for");
	item = fastpath(TWO, "6.18|6.19", 1, &err);
	ok(item && item->sub && !strcmp(item->sub->kernel.name, "6.19") && item->sub->results[0].mean == 4000, "kernel=A|B says them");
	ok(!fastpath(TWO, "6.17|6.18|6.19", 0, &err) && err.kind == ERR_BAD_ARGUMENT, "three for two columns");
	item = fastpath(plus, NULL, 0, &err);
	ok(item && item->sub && item->sub->n_results == 2 && item->sub->warnings->n && strstr(item->sub->warnings->list[0].message, "percentages"),
	   "percentages of another column are none of its values");
	ok(!fastpath(plus, NULL, 1, &err), "... and their column is no run");
	ok(!fastpath("| Benchmark | Result Class | 6.18 |\n+--+\n", NULL, 0, &err) && strstr(err.message, "row of values"), "a head alone");
}

int main(void)
{
	a = arena_new();
	test_fastpath();
	test_wants();
	test_lefts();
	test_heads();
	arena_free(a);
	return done();
}
