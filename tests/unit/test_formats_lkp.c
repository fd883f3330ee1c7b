/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LKP's files, mmtests' tables and Bencher's JSON: own inputs, then the corpus, then damaged ones. */
#include "mutate.h"
#include "read_file.h"
#include "shared.h"

#include "../../ingest/format.h"

static struct arena *a;
static struct read_result res;
static struct err err;
static const struct read_context plain = { .format = "auto", .machine = "m", .kernel = "6.9-rc5" };

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

/* Item i, or NULL where it is bad or not there. */
static struct submission *item(size_t i)
{
	return i < res.n ? res.items[i].sub : NULL;
}

static const struct result *find(const struct submission *s, const char *benchmark, const char *metric)
{
	for (size_t i = 0; s && i < s->n_results; i++)
		if (!strcmp(s->results[i].benchmark, benchmark) && !strcmp(s->results[i].metric, metric))
			return &s->results[i];
	return NULL;
}

static bool is(const struct result *r, double value, const char *unit, enum better better)
{
	return r && fabs(r->values[0] - value) <= 1e-9 * fabs(value) && !strcmp(r->unit, unit) && r->better == better;
}

static const char *left_out(const struct submission *s, const char *at)
{
	for (size_t i = 0; s && i < s->n_not_imported; i++)
		if (!strcmp(s->not_imported[i].at, at))
			return s->not_imported[i].message;
	return "";
}

static bool warned(const struct submission *s, const char *what)
{
	for (size_t i = 0; s && i < s->warnings->n; i++)
		if (strstr(s->warnings->list[i].message, what))
			return true;
	return false;
}

static void test_matrix(void)
{
	struct submission *s;
	const struct result *r;

	ok(!take(data("lkp_matrix.json"), plain) && res.n == 1 && item(0), "a matrix is read: %s", err.message);
	s = item(0);
	is_str(s ? s->format : "", "lkp-matrix", "by its stats_source");
	r = find(s, "stress-ng/mprotect", "ops_per_sec");
	ok(is(r, 8682811, "ops/s", BETTER_HIGHER) && r->n == 2 && r->values[1] == 8682911.5, "a rate, a value a run");
	r = find(s, "stress-ng/longjmp", "nanoseconds_per_longjmp_call");
	ok(is(r, 53.66, "ns", BETTER_LOWER), "nanoseconds per call are a time");
	ok(!find(s, "stress-ng", "time.system_time") && *left_out(s, "/stress-ng.time.system_time/values/1"),
	   "a time of 0 is left out, with its place");
	ok(is(find(s, "will-it-scale", "48.processes"), 5, "ops/s", BETTER_HIGHER) && *left_out(s, "/will-it-scale.48.processes/1"),
	   "a null is no number");
	ok(*left_out(s, "/fxmark.x.works~1sec") && s->n_results == 3 && s->n_not_imported == 3, "an empty array has none");
	ok(take("[1]", (struct read_context){ .format = "lkp-stats", .machine = "m", .kernel = "6.9" }) && err.kind == ERR_INVALID &&
	   strstr(err.message, "lkp-stats: an object"), "an array is no stats.json");
}

static void test_stats(void)
{
	static const char stats[] = "{\"mpstat.time\": [1, 2, 3], \"mpstat.cpu.all.usr%\": [0, 5, 6], \"stress-ng.time.user_time\": 2.5,"
				    "\"hackbench.throughput\": 7, \"stress-ng.x.ops\": 8, \"x.time\": [3, 1], \"plain\": 4, \"t\": \"x\"}";
	struct submission *s;

	take(stats, (struct read_context){ .format = "lkp-stats", .machine = "m", .kernel = "6.9", .benchmark = "lab" });
	s = item(0);
	ok(is(find(s, "lab/mpstat", "cpu.all.usr%"), 0, "%", BETTER_NEUTRAL) && warned(s, "samples over the time of one run"),
	   "samples over a run are its values, with a warning");
	ok(!find(s, "lab/mpstat", "time"), "their axis is no result");
	ok(find(s, "lab/x", "time") != NULL, "what does not go upwards is no axis");
	ok(is(find(s, "lab/stress-ng", "time.user_time"), 2.5e9, "ns", BETTER_NEUTRAL), "seconds become ns");
	ok(is(find(s, "lab/hackbench", "throughput"), 7, "unstated", BETTER_HIGHER), "a throughput has a direction, and no unit");
	ok(is(find(s, "lab/stress-ng/x", "ops"), 8, "ops", BETTER_NEUTRAL), "a count of a chosen time has none");
	ok(find(s, "lab/plain", "value") && !strncmp(left_out(s, "/t"), "expected a number", 17), "names without dots; texts");
}

static void test_file_names(void)
{
	static const char stats[] = "{\"a.b\": 1, \"c.d\": 2}";

	ok(!take(stats, plain) && item(0) && !strcmp(item(0)->format, "lkp-stats"), "numbers of several monitors are stats");
	ok(!take(stats, (struct read_context){ .format = "auto", .machine = "m", .kernel = "6.9", .filename = "C:\\r\\Matrix_0.json" }) && item(0) &&
	   !strcmp(item(0)->format, "lkp-matrix"), "unless the file is called a matrix");
	ok(!take(stats, (struct read_context){ .format = "auto", .machine = "m", .kernel = "6.9", .filename = "matrix.json/x.csv" }) && item(0) &&
	   !strcmp(item(0)->format, "lkp-stats"), "a name that the text does not fit says nothing");
}

static void test_compare(void)
{
	struct submission *s;
	const struct result *r;

	take(data("lkp_two_tables.txt"), plain);
	ok(res.n == 4 && item(0) && item(1) && item(2) && item(3), "two tables of two commits are four submissions: %s", err.message);
	s = item(0);
	ok(s && !strcmp(s->kernel.name, "6.9-rc6") && !s->commit, "a column that is a tag is that kernel");
	s = item(1);
	ok(s && !strcmp(s->kernel.name, "6.9-rc5-g70a64b7919cb") && s->kernel.uncounted &&
	   !strcmp(s->commit, "70a64b7919cbd6c12306051ff28"), "one that is a commit lies on kernel=, as far behind as nobody says");
	ok(s && !strcmp(s->machine, "box-a") && strstr(s->environment, "\"governor\":\"performance\"") &&
	   strstr(s->environment, "dynamically allocate"), "the head tells the machine and its environment");
	r = find(s, "will-it-scale", "per_process_ops");
	ok(is(r, 877000, "ops/s", BETTER_HIGHER), "a value and its direction");
	is_str(r ? r->params : "", "{\"nr_task\":16,\"test\":\"page_fault1\"}", "what the test was told are parameters");
	r = find(s, "mpstat", "cpu.all.sys%");
	is_str(r ? r->params : "", "{\"nr_task\":16,\"test\":\"page_fault1\",\"testcase\":\"will-it-scale\"}",
	       "a monitor's results are those of the test it ran beside");
	ok(is(find(s, "perf-profile", "children.cycles-pp.foo"), 4.42, "%", BETTER_NEUTRAL), "perf-profile is in percent, no change is");
	ok(is(find(s, "sched_debug", "x"), 11.9, "unstated", BETTER_NEUTRAL) && warned(s, "deviation"), "a mangled +- is one");
	ok(strstr(left_out(s, "line 17"), "failed") && strstr(left_out(s, "line 23"), "above 0") &&
	   strstr(left_out(s, "line 25"), "a number in each column") && strstr(left_out(s, "line 26"), "expected the change") &&
	   s->n_not_imported == 4, "what is no row is listed with its line");
	s = item(2);
	ok(s && !strcmp(s->machine, "box-b") && s->n_results == 1 && warned(s, "machine= is not for several"),
	   "the second table has a machine of its own");
	ok(res.n == 4 && !strncmp(res.items[0].raw, "Hello", 5) && res.items[1].raw_len == res.items[0].raw_len &&
	   res.items[2].raw == res.items[0].raw + res.items[0].raw_len && !memmem(res.items[2].raw, res.items[2].raw_len, "box-a", 5),
	   "each keeps the lines of its own table");
	ok(res.n == 4 && !uuid_equal(&item(2)->run_id, &item(3)->run_id), "and has an id of its own");
}

static const char bare[] = "59142d87ab03b8ff 70a64b7919cbd6c12306051ff28\n---------------- ---------------------------\n"
			   "         %stddev     %change         %stddev\n 12 -50.0% 6 a.b\n";

static void test_compare_kernels(void)
{
	const struct problems *p;

	ok(take(bare, (struct read_context){ .format = "auto", .machine = "m" }) && err.kind == ERR_BAD_ARGUMENT && (p = err.problems) &&
	   !strcmp(p->list[0].at, "kernel") && strstr(p->list[0].message, "59142d87ab03b8ff"), "commits alone need kernel=: %s", err.message);
	ok(!take(bare, (struct read_context){ .format = "auto", .machine = "m", .kernel = "6.9-rc6-00012-g59142d87ab" }) && item(0) && !item(1) &&
	   !strcmp(item(0)->kernel.name, "6.9-rc6-00012-g59142d87ab") && strstr(res.items[1].err.message, "70a64b7919cb"),
	   "a kernel= with a commit in it is that column's, and no other's");
	ok(take("a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a\n-------- -------- -------- -------- -------- -------- -------- -------- "
		"-------- -------- -------- -------- -------- -------- -------- -------- -------- -------- -------- -------- -------- -------- "
		"-------- -------- -------- -------- -------- -------- -------- -------- -------- -------- --------\n%stddev %change\n", plain) &&
	   strstr(err.message, "33 columns"), "a table too wide: %s", err.message);
	ok(take("%stddev %change\n", plain) && err.kind == ERR_INVALID && strstr(err.message, "dashes"), "heads alone are no table");
	ok(!take(arena_printf(a, "x y\n---------------- ---------------------------\n%s", strstr(bare, "         %")), plain) && !item(0) &&
	   strstr(res.items[0].err.message, "commits or tags"), "columns need names that tell");
}

static void test_mmtests(void)
{
	struct submission *s;
	const struct result *r;
	char *two;

	take(data("mmtests_plain.txt"), plain);
	s = item(1);
	ok(res.n == 2 && item(0) && s, "a table of two kernels is two submissions: %s", err.message);
	ok(s && !strcmp(item(0)->kernel.name, "6.9-rc5") && !strcmp(s->kernel.name, "6.9-rc5+apply-pagealloc-v3r1"),
	   "vanilla is the kernel itself, a patch is a variant of it");
	ok(is(find(s, "mmtests/fault-both-3", "Amean"), 1285.59, "unstated", BETTER_LOWER), "Amean: lower");
	ok(is(find(s, "mmtests/mb/sec-16", "Hmean"), -1, "unstated", BETTER_HIGHER), "Hmean: higher");
	r = find(s, "mmtests/faults", "Hmean");
	is_str(r ? r->params : "", "{\"threads\":7}", "a count is a parameter");
	ok(s && s->n_results == 4 && *left_out(s, "line 7") && warned(s, "1 rows are aggregates") &&
	   !strcmp(s->environment, "{\"heading\":\"thpscale\"}"), "other statistics are none; a row too short is listed");
	two = arena_printf(a, "box one\n v6.1 v6.2\n vanilla vanilla\nAmean x 1 (0%%) 2 (-1%%)\n\nbox two\n v6.1 v6.2\nHmean x 1 (0%%) 2 (-1%%) <--\nend\n");
	ok(!take(two, (struct read_context){ .format = "auto" }) && res.n == 4 && item(3) && !strcmp(item(3)->machine, "box two") &&
	   !strcmp(item(1)->kernel.name, "6.2") && !strcmp(item(3)->kernel.name, "6.2"), "two machines in one text name themselves");
	ok(res.n == 4 && res.items[2].raw_len < strlen(two) / 2 + 10 && memmem(res.items[2].raw, res.items[2].raw_len, "Hmean", 5),
	   "each keeps the lines of its own table");
	ok(!take("Amean x 1 (0%) 2 (-1%)\n", plain) && !item(0) && strstr(res.items[0].err.message, "names of the kernels"), "columns without names");
	ok(take("Running 1 stressng mmap iteration 1\n", plain) && err.kind == ERR_INVALID && strstr(err.message, "run log"),
	   "a run log is refused: %s", err.message);
}

static void test_bmf(void)
{
	struct submission *s;

	take(data("bmf.json"), plain);
	s = item(0);
	ok(is(find(s, "boot/a", "latency"), 88, "ns", BETTER_LOWER), "latency is in ns: %s", err.message);
	ok(is(find(s, "boot/a", "Throughput"), 5, "ops/s", BETTER_HIGHER), "throughput: higher");
	ok(is(find(s, "boot/a", "build_time"), 2.5e9, "ns", BETTER_LOWER), "build time is in seconds");
	ok(is(find(s, "boot/a", "my measure"), 0, "unstated", BETTER_NEUTRAL), "a measure nobody knows is neutral, and 0 is a value");
	ok(*left_out(s, "/boot~1a/latency ms") && *left_out(s, "/b") && *left_out(s, "/c") && *left_out(s, "/d/latency/values/0") &&
	   s->n_not_imported == 4, "what is no measurement is listed");
	ok(warned(s, "bounds"), "bounds are no measurements");
}

static void test_job(void)
{
	struct submission *s;

	take(data("lkp_job.yaml"), (struct read_context){ .format = "auto" });
	s = item(0);
	if (!ok(s != NULL, "a job is a run: %s", res.n ? res.items[0].err.message : err.message))
		return;
	ok(!s->n_results && !s->n_not_imported && !strcmp(s->format, "lkp-job"), "valid, and empty");
	ok(!strcmp(s->machine, "box-a") && !strcmp(s->kernel.name, "6.9.0-rc6-00123-g59142d87ab03") && !strcmp(s->commit, "59142d87ab03b8ff") &&
	   !strncmp(s->thp, "madvise", 7) && s->started_at == INT64_C(1714500000000000), "machine, kernel, THP and time are the job's: %s %s",
	   s->kernel.name, s->thp);
	ok(strstr(s->environment, "\"pmbench\":{\"mapsize\":\"75%\"") && strstr(s->environment, "[\"a\",\"b: c\"]"), "all of it is the environment: %s",
	   s->environment);
	take("suite: x\ntestcase: y\ntestbox: b\ncommit: v6.9-rc1\n", (struct read_context){ .format = "auto", .machine = "m" });
	ok(item(0) && !strcmp(item(0)->kernel.name, "6.9-rc1") && !strcmp(item(0)->machine, "m"), "a tag is a kernel; machine= goes before testbox");
	ok(take("suite: x\ntestbox: b\n", (struct read_context){ .format = "auto" }) && err.kind == ERR_BAD_ARGUMENT, "a job without a kernel needs kernel=");
	take("suite: x\ntestbox: b\nthp_enabled: maybe\n", plain);
	ok(!item(0) && res.items[0].err.kind == ERR_INVALID && !strcmp(res.items[0].err.problems->list[0].at, "line 3"), "a word THP does not know, with its line");
}

static void test_yaml(void)
{
	static const char *const bad[][2] = {
		{ "suite: &x y\ncopy: *x\n", "line 2: YAML aliases" }, { "suite: x\n---\nsuite: y\n", "line 2: a second" },
		{ "suite: [x\n", "this is no YAML" }, { "suite: x\nsuite: y\n", "twice" }, { "- suite\n", "no job of LKP" },
		{ "? [a]\n: b\n", "line 1: a key" }, { "suite: \"a\\0b\"\n", "line 1: a NUL" }, { "# nothing\n", "no YAML document" },
	};
	struct buf b;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(take(bad[i][0], (struct read_context){ .format = "lkp-job", .machine = "m", .kernel = "6.9" }) && err.kind == ERR_INVALID &&
		   strstr(err.message, bad[i][1]), "%s", err.message);
	buf_init(&b);
	buf_puts(&b, "suite: ");
	for (int i = 0; i < 100000; i++)
		buf_putc(&b, '[');
	ok(take(b.p, (struct read_context){ .format = "lkp-job", .machine = "m", .kernel = "6.9" }) && strstr(err.message, "too deep"), "%s", err.message);
	buf_clear(&b);
	buf_puts(&b, "suite: [");
	for (int i = 0; i < 600000; i++)
		buf_puts(&b, "1,");
	ok(take(b.p, (struct read_context){ .format = "lkp-job", .machine = "m", .kernel = "6.9" }) && strstr(err.message, "too many"), "%s", err.message);
	buf_fini(&b);
}

static void test_many_tables(void)
{
	struct buf b;

	buf_init(&b);
	for (int i = 0; i < 600; i++)
		buf_printf(&b, "commit:\n\n%s", bare);
	ok(take(b.p, plain) && err.kind == ERR_INVALID && strstr(err.message, "1200 submissions"), "a file has at most 1000 submissions: %s",
	   err.message);
	buf_fini(&b);
}

/* Long names and long axes beside many short values: what could make the work grow with the square. */
static void test_no_quadratic_work(void)
{
	struct submission *s;
	struct buf b;

	buf_init(&b);
	buf_puts(&b, "{\"");
	for (int i = 0; i < 500000; i++)
		buf_putc(&b, 'n');
	buf_puts(&b, "\":{");
	for (int i = 0; i < 100000; i++)
		buf_printf(&b, "%s\"%d\":{\"value\":1}", i ? "," : "", i);
	buf_puts(&b, "},\"b\":{\"m\":{\"value\":1}}}");
	take(b.p, plain);
	s = item(0);
	ok(s && s->n_results == 1 && s->n_not_imported == 1, "a name of half a megabyte over 100,000 measures");
	buf_clear(&b);
	buf_puts(&b, "{\"mpstat.time\":[0");
	for (int i = 1; i < 300000; i++)
		buf_printf(&b, ",%d", i);
	buf_putc(&b, ']');
	for (int i = 0; i < 50000; i++)
		buf_printf(&b, ",\"mpstat.%d%%\":[1,2]", i);
	buf_puts(&b, ",\"x.y\":[1,2]}");
	take(b.p, plain);
	s = item(0);
	ok(s && s->n_results == 50001 && !warned(s, "samples"), "an axis of 300,000 points beside 50,000 stats: %s", err.message);
	buf_clear(&b);
	buf_puts(&b, "a/b:\n x/");
	for (int i = 0; i < 1000000; i++)
		buf_putc(&b, 'v');
	buf_printf(&b, "\n\n%s", bare);
	for (int i = 0; i < 50000; i++)
		buf_printf(&b, " 1 +1%% 1 s.%d\n", i);
	take(b.p, plain);
	s = item(0);
	ok(s && s->n_results == 50001, "a parameter of a megabyte over 50,000 rows: %s", err.message);
	buf_fini(&b);
}

/* Rows of MANIFEST.tsv that are ours. */
enum { FILE_NAME, FORMAT, EXPECT = 8, N_SERIES, N_POINTS, SPOT1 = 12, COLUMNS = 16 };

static bool is_ours(const char *format)
{
	static const char *const ours[] = { "lkp-stats", "lkp-matrix", "lkp-job", "lkp-compare", "mmtests-compare", "mmtests-log", "bmf" };

	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (!strcmp(ours[i], format))
			return true;
	return false;
}

/* Is there a result with this first value, in this direction (where one is said)? */
static bool has_value(double v, const char *direction)
{
	for (size_t i = 0; i < res.n; i++)
		for (size_t k = 0; item(i) && k < item(i)->n_results; k++) {
			const struct result *r = &item(i)->results[k];

			if (fabs(r->values[0] - v) <= 1e-9 * fabs(v) && (!*direction || !strcmp(direction, better_word(r->better))))
				return true;
		}
	return false;
}

/* "NAME = V UNIT (better)", "NAME: V -> V (better)", "NAME: V (0.00%) | V (1%) (better; ...)": all V are there. */
static void check_spot(const char *file, const char *spot)
{
	static const char *const marks[] = { " = ", ": ", "-> ", "| " };
	const char *direction = strstr(spot, "(lower") ? "lower" : strstr(spot, "(higher") ? "higher" :
				strstr(spot, "(neutral") ? "neutral" : "";
	size_t seen = 0, good = 0;

	if (!strncmp(spot, "change", 6) || !strcmp(spot, "-"))
		return;
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		for (const char *p = spot; (p = strstr(p, marks[i])); ) {
			char *end;
			double v;

			p += strlen(marks[i]);
			v = strtod(p, &end);
			seen += end > p;
			good += end > p && has_value(v, direction);
		}
	ok(seen && seen == good, "%s: %s", file, spot);
}

static void count(size_t *series, size_t *points)
{
	struct format_groups g = { .a = a };
	bool first;

	*points = 0;
	for (size_t i = 0; i < res.n; i++)
		for (size_t k = 0; item(i) && k < item(i)->n_results; k++) {
			const struct result *r = &item(i)->results[k];

			format_group(&g, arena_printf(a, "%s\n%s\n%s", r->benchmark, r->params, r->metric), &first);
			*points += (size_t)r->n;
		}
	*series = g.n;
}

static void corpus_file(char **col)
{
	const char *text = shared_text(col[FILE_NAME]);
	size_t series, points, bad = 0;
	int ret;

	if (!text)
		return;
	ret = take(text, plain);
	if (!strcmp(col[EXPECT], "reject")) {
		ok(ret && err.kind == ERR_INVALID, "%s is refused: %s", col[FILE_NAME], err.message);
		return;
	}
	for (size_t i = 0; i < res.n; i++)
		bad += !item(i) || item(i)->n_not_imported;
	if (!ok(!ret && !bad, "%s is read whole: %s", col[FILE_NAME], err.message))
		return;
	is_str(item(0)->format, col[FORMAT], "as what it is");
	count(&series, &points);
	ok(series == (size_t)atoi(col[N_SERIES]) && points == (size_t)atoi(col[N_POINTS]), "%s: %zu series, %zu points, expected %s and %s",
	   col[FILE_NAME], series, points, col[N_SERIES], col[N_POINTS]);
	for (int i = SPOT1; i < SPOT1 + 3; i++)
		check_spot(col[FILE_NAME], col[i]);
}

static void test_corpus(void)
{
	FILE *f = shared_open("MANIFEST.tsv");
	char line[4096], *col[COLUMNS];

	while (f && fgets(line, sizeof(line), f)) {
		const struct format *format;
		const char *text;

		shared_columns(line, col, COLUMNS);
		if (is_ours(col[FORMAT])) {
			corpus_file(col);
			continue;
		}
		text = strcmp(col[FILE_NAME], "file") ? shared_text(col[FILE_NAME]) : NULL;
		format = text ? format_sniff(text, strlen(text)) : NULL;
		if (format && is_ours(format->name))
			ok(0, "%s is taken for %s", col[FILE_NAME], format->name);
	}
	if (f)
		fclose(f);
}

static void test_mutations(void)
{
	static const struct {
		const char *file, *format, *bytes;
	} files[] = {
		{ "lkp_matrix.json", "lkp-matrix", "[]{}\",:.0-e%null" },
		{ "lkp_two_tables.txt", "lkp-compare", "-+%±=:/>\n \"|\\0159a" },
		{ "mmtests_plain.txt", "mmtests-compare", "()*%-.09 \nAH" },
		{ "lkp_job.yaml", "lkp-job", ":-#[]{}&*!|>'\"%@\n \t?" },
		{ "bmf.json", "bmf", "[]{}\",:0-e" },
	};
	char text[8192];
	size_t read = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const char *whole = data(files[i].file);

		for (int round = 0; round < 3000; round++) {
			struct arena *mine = arena_new(), *before = a;

			if (round % 10 == 0)
				snprintf(text, sizeof(text), "%s", whole);
			mutate(text, sizeof(text), files[i].bytes);
			a = mine;
			read += !take(text, (struct read_context){ .format = round % 2 ? "auto" : files[i].format, .machine = "m", .kernel = "6.9" });
			a = before;
			arena_free(mine);
		}
	}
	ok(read > 2000, "damaged files are read or refused, never worse (%zu were read)", read);
}

int main(void)
{
	a = arena_new();
	test_matrix();
	test_stats();
	test_file_names();
	test_compare();
	test_compare_kernels();
	test_mmtests();
	test_bmf();
	test_job();
	test_yaml();
	test_many_tables();
	test_no_quadratic_work();
	test_corpus();
	test_mutations();
	arena_free(a);
	return done();
}
