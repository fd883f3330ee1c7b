/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Foreign formats: the reproducer, google-benchmark, CSV. */
#include "read_file.h"
#include "tap.h"

#include "../../lib/buf.h"

static struct arena *a;
static struct read_result res;
static struct err err;
static const struct read_context plain = { .format = "auto", .machine = "m", .kernel = "6.16" };

static int take(const char *text, struct read_context ctx)
{
	return read_text(a, text, strlen(text), ctx, &res, &err);
}

static struct submission *one(const char *text, struct read_context ctx)
{
	if (take(text, ctx) || res.n != 1)
		return NULL;
	err = res.items[0].err;
	return res.items[0].sub;
}

static const struct result *find(const struct submission *s, const char *benchmark, const char *params)
{
	for (size_t i = 0; s && i < s->n_results; i++)
		if (!strcmp(s->results[i].benchmark, benchmark) && !strcmp(s->results[i].params, params))
			return &s->results[i];
	return NULL;
}

/* What was not imported at this place, or "". */
static const char *left_out(const struct submission *s, const char *at)
{
	for (size_t i = 0; s && i < s->n_not_imported; i++)
		if (!strcmp(s->not_imported[i].at, at))
			return s->not_imported[i].message;
	return "";
}

static const char summary_csv[] =
	"size_kib,runtime_sec,nsec_per_call\r\n4,0.534836,2674.180\r\n400,0.042800,8560.041\r\n\r\n4,0.53,2680\r\n"
	"4000,0.1,-5\r\n40000,,\r\nx,1,2\r\n";

static void test_summary(void)
{
	struct submission *s = one(summary_csv, (struct read_context){
		.format = "auto", .machine = "m", .filename = "results/2026-Feb-13_15h08m10s_6.17.0-0.rc1.17.eln150.x86_64/summary.csv",
		.thp = "always", .uarch = "epyc-milan", .base_page_kib = "4", .boot_id = "b", .started_at = "2026-02-13T15:08:10Z" });
	const struct result *r = find(s, "mprotect/tw4m", "{\"size_kib\":4}");

	if (!ok(s && r, "summary.csv is read: %s", err.message))
		return;
	is_str(s->kernel.name, "6.17.0-0.rc1.17.eln150.x86_64", "the folder's name tells the kernel");
	ok(r->n == 2 && r->values[0] == 2674.18 && r->values[1] == 2680, "a size that comes twice has two repetitions");
	ok(!strcmp(r->metric, "latency") && !strcmp(r->unit, "ns/call") && r->better == BETTER_LOWER && !r->original_unit,
	   "latency in ns/call, lower is better");
	ok(s->n_results == 2 && s->n_not_imported == 3, "the good rows go in, the others are listed");
	ok(strstr(left_out(s, "line 6"), "above 0") && strstr(left_out(s, "line 7"), "nanoseconds per call") &&
	   strstr(left_out(s, "line 8"), "size in KiB"), "with their line and what was expected");
	ok(!strcmp(s->thp, "always") && !strcmp(s->uarch, "epyc-milan") && s->base_page_kib == 4 && s->warnings->total == 0 &&
	   !strcmp(s->isa, "x86_64") && s->started_at == INT64_C(1770995290000000), "the context's arguments are the head");
	is_str(s->format, "mprotect-reproducer", "the format's name is kept");
}

static const char table[] = "v6.16\nsize_kib | nsec_per_call\n4        | 1713\n40 | 2071\n";
static const char table2[] = "\nv6.17-rc1 with cac1db8c3aad reverted\nsize_kib | nsec_per_call\n4|1750\n";

static void test_table(void)
{
	struct submission *s = one(table, (struct read_context){ .format = "auto", .machine = "m" });

	ok(s && !strcmp(s->kernel.name, "6.16") && s->n_results == 2, "a table's title names its kernel");
	s = one(table, (struct read_context){ .format = "auto", .machine = "m", .kernel = "6.16.0-65.eln150.x86_64" });
	ok(s && !strcmp(s->kernel.name, "6.16.0-65.eln150.x86_64") && !strcmp(s->warnings->list[0].at, "line 1"),
	   "kernel= goes before the title, with a warning");
	ok(!take(arena_printf(a, "%s%s", table, table2), (struct read_context){ .format = "auto", .machine = "m" }) && res.many &&
	   res.n == 2 && res.items[1].sub, "two tables are two submissions");
	s = res.n == 2 ? res.items[1].sub : NULL;
	ok(s && !strcmp(s->kernel.name, "6.17-rc1+revert-cac1db8c3aad") && s->kernel_variant, "the second one a variant");
	ok(s && !uuid_equal(&s->run_id, &res.items[0].sub->run_id), "with a run id of its own");
	ok(!take("v6.x\nsize_kib | nsec_per_call\n4 | 5\n", (struct read_context){ .format = "auto", .machine = "m" }) &&
	   !res.items[0].sub && res.items[0].err.kind == ERR_INVALID && !strcmp(res.items[0].err.problems->list[0].at, "line 1"),
	   "a title that is no kernel is refused, with its line");
	ok(!take("a,b\n1,2\nsize_kib,nsec_per_call\n4,5\n", plain) && res.items[0].sub, "lines before the table do no harm");
}

static void test_kernel_column(void)
{
	static const char text[] = "kernel,size_kib,nsec_per_call\n6.16,4,1713\n6.17-rc1,4,1750\n6.16,4,1715\n"
		"6.17-rc1,40,x\n,4,3\nbad\n";

	if (!ok(!take(text, (struct read_context){ .format = "auto", .machine = "m" }) && res.n == 2 && res.items[0].sub &&
		res.items[1].sub, "a column of kernels: a run for each"))
		return;
	is_str(res.items[0].sub->kernel.name, "6.16", "the first of them");
	is_str(res.items[1].sub->kernel.name, "6.17-rc1", "and the second");
	ok(res.items[0].sub->n_results == 1 && res.items[0].sub->results[0].n == 2 &&
	   res.items[0].sub->results[0].values[1] == 1715, "with the rows of that kernel only");
	ok(strstr(left_out(res.items[0].sub, "line 6"), "a kernel") && strstr(left_out(res.items[0].sub, "line 7"), "a row") &&
	   res.items[0].sub->n_not_imported == 2, "a row of no kernel is listed, once");
	ok(strstr(left_out(res.items[1].sub, "line 5"), "nanoseconds") && res.items[1].sub->n_not_imported == 1,
	   "a bad row with its kernel");
}

static void test_log(void)
{
	static const char log[] =
		"Created 1 regions of 400KiB each. Starting 5000 mprotect operations per region...\n"
		"TSC for 5000 mprotect calls on 1 x 400KiB regions: 111074 K-cycles.  Avg: 22.2149 K-cycles/call\n"
		"Runtime: 0.042800 seconds.  Avg: 8560.041 nsec/call\n";
	static const char broken[] =
		"Created 1 regions of 4KiB each. Starting 5 mprotect operations per region...\nmmap: Cannot allocate memory\n"
		"Created 2 regions of 40KiB each. Starting 5 mprotect operations per region...\nRuntime: 1 seconds.  Avg: 7 nsec/call\n"
		"Runtime: 1 seconds.\n";
	struct submission *s = one(log, plain);
	const struct result *r = find(s, "mprotect/tw4m", "{\"size_kib\":400}");

	ok(r && s->n_results == 1 && r->values[0] == 8560.041 && r->iterations == 5000 && s->n_not_imported == 0,
	   "a log gives nsec, not K-cycles");
	s = one(broken, plain);
	r = find(s, "mprotect/tw4m", "{\"size_kib\":4}");
	ok(r && r->status == RESULT_FAILED && !strcmp(r->error, "mmap: Cannot allocate memory"), "a size that failed is a failed result");
	ok(find(s, "mprotect/tw4m", "{\"regions\":2,\"size_kib\":40}") != NULL, "several regions are another series");
	ok(strstr(left_out(s, "line 5"), "nsec/call") != NULL, "a line that says too little is listed");
}

static void test_reports(void)
{
	static const char totals[] =
		"rome\n# before commit\n$ uname -r\n6.16.0-65.eln150.x86_64\n# after commit\n$ uname -r\n6.17.0-0.rc1.17.eln150.x86_64\n"
		"$ cat /sys/kernel/mm/transparent_hugepage/enabled\n[always] madvise never\n"
		"Before commit: Total = 6895988972\nAfter commit: Total = 2303697782\nPercentage change: -66.6%\n";
	struct submission *s;

	ok(!take(totals, (struct read_context){ .format = "auto", .machine = "rome-01" }) && res.many && res.n == 2,
	   "totals before and after are two submissions");
	s = res.n == 2 ? res.items[1].sub : NULL;
	ok(s && s->results[0].mean == 2303697782 && !strcmp(s->results[0].unit, "unstated") && !strcmp(s->thp, "always") &&
	   !strcmp(s->kernel.name, "6.17.0-0.rc1.17.eln150.x86_64"), "with kernel and THP state as the shell showed them");
	ok(take("Before commit: Total = 5\nAfter commit: Total = 6\n", plain) && err.kind == ERR_INVALID, "totals without kernels are refused");
	ok(!take("kernel  n iteration_mean iteration_cv_pct values\n6.16.0 3 25 0 25 25 25\n6.17.0 3 37 0 37 37\n",
		 (struct read_context){ .format = "auto", .machine = "m" }) && res.n == 2 && res.items[0].sub && !res.items[1].sub,
	   "a row of the release table with a value missing is refused by itself");
}

static const char gbench[] =
	"{\"context\":{\"date\":\"2026-11-30T09:32:55+00:00\",\"executable\":\"./x\",\"library_version\":\"1.9\"},\"benchmarks\":["
	"{\"name\":\"A/8\",\"run_name\":\"A/8\",\"run_type\":\"iteration\",\"iterations\":5,\"real_time\":2.5,\"cpu_time\":1,\"time_unit\":\"us\"},"
	"{\"name\":\"B\",\"run_name\":\"B\",\"run_type\":\"iteration\",\"error_occurred\":true,\"error_message\":\"no memory\"},"
	"{\"name\":\"A/8\",\"run_name\":\"A/8\",\"run_type\":\"iteration\",\"iterations\":5,\"real_time\":3500,\"cpu_time\":1,\"time_unit\":\"ns\",\"foo\":1},"
	"{\"name\":\"A/8_mean\",\"run_name\":\"A/8\",\"run_type\":\"aggregate\",\"aggregate_name\":\"mean\",\"real_time\":3,\"time_unit\":\"us\"},"
	"{\"name\":\"A_BigO\",\"run_name\":\"A\",\"run_type\":\"aggregate\",\"aggregate_name\":\"BigO\",\"real_coefficient\":3,\"time_unit\":\"us\"},"
	"{\"name\":\"C\",\"run_name\":\"C\",\"run_type\":\"iteration\",\"real_time\":0,\"cpu_time\":1,\"time_unit\":\"us\"},"
	"{\"name\":\"D\",\"run_name\":\"D\",\"run_type\":\"iteration\",\"skipped\":true,\"skip_message\":\"no NUMA\"},"
	"{\"name\":\"E\",\"run_name\":\"E\",\"run_type\":\"aggregate\",\"aggregate_name\":\"mean\",\"real_time\":3,\"time_unit\":\"us\"}, 5]}";

static void test_gbench(void)
{
	struct submission *s = one(gbench, (struct read_context){ .format = "auto", .machine = "m", .kernel = "6.16", .benchmark = "my" });
	const struct result *r = find(s, "my/A/8", "{}");

	if (!ok(s && r, "google-benchmark is read: %s", err.message))
		return;
	ok(r->n == 2 && r->values[0] == 2500 && r->values[1] == 3500 && !strcmp(r->unit, "ns"), "repetitions, each in its own unit");
	is_str(r->original_unit, "us", "the first one's unit is remembered");
	r = find(s, "my/B", "{}");
	ok(r && r->status == RESULT_FAILED && !strcmp(r->error, "no memory"), "an error is a failed result");
	r = find(s, "my/D", "{}");
	ok(r && r->status == RESULT_SKIPPED && !strcmp(r->error, "no NUMA"), "what was skipped is a skipped one");
	ok(s->n_results == 3 && s->n_failed == 2, "aggregates, fits and broken rows are no results");
	ok(*left_out(s, "/benchmarks/4") && *left_out(s, "/benchmarks/5") && *left_out(s, "/benchmarks/7") &&
	   *left_out(s, "/benchmarks/8") && strstr(left_out(s, "/benchmarks"), "foo") && s->n_not_imported == 5,
	   "what was not imported is listed, the mean of known repetitions is not");
	ok(s->started_at == INT64_C(1796031175000000), "the date with an offset is when it started");
	is_str(s->source, "{\"tool\":\"google-benchmark\",\"version\":\"1.9\",\"command\":\"./x\"}", "the tool is the source");
	s = one("{\"benchmarks\":[{\"name\":\"A_mean\",\"run_name\":\"A\",\"run_type\":\"aggregate\",\"repetitions\":5,\"aggregate_name\":\"mean\","
		"\"real_time\":3,\"time_unit\":\"us\"},{\"name\":\"A_stddev\",\"run_name\":\"A\",\"run_type\":\"aggregate\",\"repetitions\":5,"
		"\"aggregate_name\":\"stddev\",\"real_time\":0.5,\"time_unit\":\"us\"}]}", plain);
	ok(s && s->results[0].n == 5 && s->results[0].mean == 3000 && s->results[0].stddev == 500 && !s->results[0].values,
	   "nothing but aggregates make a summary");
	s = one("{\"benchmarks\":[{\"name\":\"A\",\"real_time\":3,\"time_unit\":\"us\"},{\"name\":\"A_mean\",\"real_time\":3,\"time_unit\":\"us\"},"
		"{\"name\":\"B_mean\",\"real_time\":3,\"time_unit\":\"us\"}]}", plain);
	ok(s && s->n_results == 2 && find(s, "A", "{}")->n == 1 && find(s, "B_mean", "{}"), "in old files names tell what aggregates are");
	ok(take("{\"benchmarks\":5}", (struct read_context){ .format = "google-benchmark", .machine = "m", .kernel = "6.16" }) &&
	   err.kind == ERR_INVALID, "no array of benchmarks");
	ok(!take("{\"benchmarks\":[]}", (struct read_context){ .format = "google-benchmark", .machine = "m", .kernel = "6.16" }) &&
	   !res.items[0].sub && res.items[0].err.kind == ERR_INVALID, "a file without a result is refused");
	ok(take("{\"benchmarks\":[NaN]}", (struct read_context){ .format = "gbench", .machine = "m", .kernel = "6.16" }) &&
	   err.kind == ERR_BAD_JSON, "bad JSON in it is bad JSON");
}

static const char csv[] =
	"benchmark,metric,unit,better,value,param.size_kib,param.mode,host\n"
	"mprotect/x,latency,us/call,lower,1.5,4,a,h\n"
	"mprotect/x,latency,us/call,lower,1.6,4,a,h\n"
	"mprotect/x,latency,us/call,lower,1.7,4,a,other\n"
	"mprotect/x,latency,us/call,lower,0,8,true,h\n"
	"\"a \"\"q\"\",\nb\",thr,ops/s,higher,0,,,h\n"
	"x,y,z,upper,1,,,\n"
	"x,y,z,neutral,abc,,,\n"
	"x,y,z,neutral,1,2,3,4,5\n"
	"x,y,z,neutral\n";

static void test_csv(void)
{
	struct submission *s = one(csv, plain);
	const struct result *r = find(s, "mprotect/x", "{\"mode\":\"a\",\"size_kib\":4}");

	if (!ok(s && r, "CSV is read: %s", err.message))
		return;
	ok(r->n == 2 && fabs(r->values[1] - 1600) < 1e-9 && !strcmp(r->unit, "ns/call"), "rows of one series are repetitions");
	ok(strstr(left_out(s, "line 4"), "param.NAME") != NULL, "unless a column we do not know tells them apart");
	ok(strstr(left_out(s, "line 5"), "above 0") != NULL, "a time of 0 is left out");
	r = find(s, "a \"q\",\nb", "{}");
	ok(!r, "a benchmark's name with a line break is none");
	ok(strstr(left_out(s, "line 6"), "control character") != NULL, "and said so at its first line");
	ok(*left_out(s, "line 8") && *left_out(s, "line 9") && *left_out(s, "line 10") && *left_out(s, "line 11"),
	   "lines are counted behind a quoted line break");
	ok(s->n_results == 1 && s->n_not_imported == 7, "one good series");
	ok(s->warnings->n > 0 && strstr(s->warnings->list[0].message, "param.host"), "the unknown column is warned of");
	s = one("metric;unit;better;value;param.on\nt;s;lower;2;true\nt;s;lower;3;false\n",
		(struct read_context){ .format = "csv", .machine = "m", .kernel = "6.16", .benchmark = "b" });
	r = find(s, "b", "{\"on\":false}");
	ok(r && r->mean == 3e9 && s->n_results == 2, "semicolons, benchmark= and booleans");
	s = one("benchmark,metric,unit,better,n,mean,stddev,status,error\nb,t,s,lower,3,2,0.5,,\nc,t,s,lower,,,,failed,out of memory\n"
		"d,t,s,lower,3,2,0.5,failed,\ne,t,s,lower,,,,,\n", plain);
	r = find(s, "b", "{}");
	ok(r && r->n == 3 && r->stddev == 5e8, "n, mean and stddev make a summary");
	r = find(s, "c", "{}");
	ok(r && r->status == RESULT_FAILED && !strcmp(r->error, "out of memory") && s->n_not_imported == 2, "a row may have failed");
	ok(take("benchmark,metric,unit,value\na,b,c,1\n", (struct read_context){ .format = "csv", .machine = "m", .kernel = "6.16" }) &&
	   err.kind == ERR_INVALID && strstr(err.message, "no column better"), "a needed column is missing: %s", err.message);
	ok(take("metric,unit,better,value,value\n", (struct read_context){ .format = "csv", .machine = "m", .kernel = "6.16" }) &&
	   strstr(err.message, "twice"), "a column twice");
	s = one("\xef\xbb\xbf" "benchmark,metric,unit,better,value\na,b,c,higher,1\nd,b,c,higher,\"1\n", plain);
	ok(s && s->n_results == 1 && strstr(left_out(s, "line 3"), "quoted"), "a byte order mark, and a quote that never closes");
}

static void test_context(void)
{
	const struct problems *p;

	ok(take(table, (struct read_context){ .format = "auto" }) && err.kind == ERR_BAD_ARGUMENT && (p = err.problems) &&
	   !strcmp(p->list[0].at, "machine"), "without machine= the argument is named");
	ok(take(summary_csv, (struct read_context){ .format = "auto" }) && (p = err.problems) && p->total == 2 &&
	   !strcmp(p->list[1].at, "kernel"), "without machine= and kernel= both are");
	ok(take(table, (struct read_context){ .format = "auto", .machine = "m", .started_at = "yesterday", .base_page_kib = "x" }) &&
	   (p = err.problems) && p->total == 2 && err.kind == ERR_BAD_ARGUMENT, "bad arguments are named");
	ok(take(arena_printf(a, "%s%s", table, table2), (struct read_context){ .format = "auto" }) && err.kind == ERR_BAD_ARGUMENT,
	   "also where a file has several submissions");
	ok(take(table, (struct read_context){ .format = "tabel", .machine = "m" }) && err.kind == ERR_BAD_ARGUMENT &&
	   strstr(err.message, "mprotect-reproducer, google-benchmark, google-benchmark-console, "), "an unknown format names those there are");
	ok(take("hello\n", (struct read_context){ .format = "auto", .machine = "m" }) && err.kind == ERR_BAD_ARGUMENT, "auto that finds none");
	ok(take(" \n", (struct read_context){ .format = "auto", .machine = "m" }) && err.kind == ERR_INVALID &&
	   strstr(err.message, "empty"), "an empty file");
	ok(read_text(a, "a\0b", 3, (struct read_context){ .format = "csv" }, &res, &err) && err.kind == ERR_INVALID, "a NUL byte");
	ok(take("{\n\"\xc3(", (struct read_context){ .format = "gbench" }) && strstr(err.message, "line 2"), "JSON that is no UTF-8, with its line");
	ok(!take("{\"machine\":{\"name\":\"m\"},\"results\":[]}", (struct read_context){ .format = "auto" }), "auto knows our own format");
}

static void test_identity(void)
{
	const char *labels[][2] = { { "b", "1" }, { "a", "2" } }, *swapped[][2] = { { "a", "2" }, { "b", "1" } };
	struct submission *s = one(table, (struct read_context){ .format = "auto", .machine = "m", .labels = labels, .n_labels = 2 });
	struct submission *t = one(table, (struct read_context){ .format = "mprotect-table", .machine = "m", .labels = swapped, .n_labels = 2 });

	is_str(s ? s->labels : "", "{\"a\":\"2\",\"b\":\"1\"}", "labels of the query");
	ok(s && t && uuid_equal(&s->run_id, &t->run_id), "the order of arguments makes no other run");
	t = one(table, (struct read_context){ .format = "auto", .machine = "n", .labels = labels, .n_labels = 2 });
	ok(s && t && !uuid_equal(&s->run_id, &t->run_id), "another machine does");
	for (size_t i = 0; read_format_names()[i]; i++)
		ok(!strchr(read_format_names()[i], ' '), "format name %s", read_format_names()[i]);
}

static void test_many_rows(void)
{
	struct submission *s;
	struct buf b;

	buf_init(&b);
	buf_puts(&b, "benchmark,metric,unit,better,value,param.i\n");
	for (int i = 0; i < 120000; i++)
		buf_printf(&b, "b,t,us,lower,%d,%d\n", i + 1, i % 60000);
	s = one(b.p, plain);
	ok(s && s->n_results == 60000 && s->results[59999].n == 2, "120,000 rows of 60,000 series");
	for (int i = 0; i < 120000; i++)
		buf_printf(&b, "b,t,us,lower,%d,%d\nz\n", i + 1, i + 60000);
	s = one(b.p, plain);
	ok(s && s->n_results == SUBMISSION_RESULTS_MAX && s->n_not_imported == PROBLEMS_MAX + 1 &&
	   strstr(s->not_imported[PROBLEMS_MAX].message, "and 199900 more"), "what is left out is listed up to a hundred, and counted: %s",
	   s ? s->not_imported[s->n_not_imported - 1].message : err.message);
	buf_fini(&b);
}

static void test_demo(void)
{
	static const char *const files[] = { "demo/story.json", "demo/generated.json" };

	for (size_t k = 0; k < 2; k++) {
		size_t len = 0, good = 0, honest = 0;
		char *text = read_file(a, files[k], &len);

		if (!ok(text && !read_text(a, text, len, (struct read_context){ 0 }, &res, &err), "%s is read", files[k]))
			continue;
		for (size_t i = 0; i < res.n; i++) {
			const struct submission *s = res.items[i].sub;

			good += s && s->run_id_given && s->n_failed == 0;
			honest += s && !strncmp(s->machine, "generated-", 10) == (k == 1) && (strstr(s->labels, "\"generated\":\"true\"") != NULL) == (k == 1);
		}
		ok(res.n > 0 && good == res.n, "all %zu submissions in it are good and have fixed ids", res.n);
		ok(honest == res.n, "%s", k ? "generated runs say so" : "the story's are not called generated");
	}
}

int main(void)
{
	a = arena_new();
	test_summary();
	test_table();
	test_kernel_column();
	test_log();
	test_reports();
	test_gbench();
	test_csv();
	test_context();
	test_identity();
	test_many_rows();
	test_demo();
	arena_free(a);
	return done();
}
