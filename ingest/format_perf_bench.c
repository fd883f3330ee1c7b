/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `perf bench`: comments say what is run, in which size and how often, and become name
 * and parameters of the numbers below them. What is printed in several forms (usecs/op
 * and ops/sec) is several series; runs of a futex benchmark are repetitions. With
 * --format=simple there is one bare number: benchmark= must say of what.
 */
#include "format_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/num.h"

#define SUITE "perf-bench/"
#define PARAMS_MAX 10

struct reading {
	struct format_file *f;
	struct draft d;
	struct format_lines lines;
	struct format_set set;
	const char *command;
	size_t known;			/* lines of perf bench's own */

	/* of the benchmark that runs; NULL, 0: not said */
	const char *name;		/* "sched/pipe" */
	const char *call;		/* "getppid": its name goes before syscall/basic, which is getppid and more */
	const char *function, *mode;
	double size_kib, operations, groups, per_group, threads, futexes, waking;
	int shared;			/* -1: not said */
	bool has_runs;			/* "[Run N]" lines of it were seen */
};

static void begin(struct reading *rd, const char *name)
{
	rd->name = name;
	rd->call = rd->function = rd->mode = NULL;
	rd->size_kib = rd->operations = rd->groups = rd->per_group = rd->threads = rd->futexes = rd->waking = 0;
	rd->shared = -1;
	rd->has_runs = false;
}

static void put_number(struct draft_result *r, const char *name, double v)
{
	if (v > 0)
		r->params[r->n_params++] = (struct draft_param){ .name = name, .type = PARAM_NUMBER, .number = v };
}

static void put_text(struct draft_result *r, const char *name, const char *text)
{
	if (text)
		r->params[r->n_params++] = (struct draft_param){ .name = name, .type = PARAM_TEXT, .text = text };
}

/* A total time is one of so many operations; the other numbers are the same for more of them. */
static void set_params(struct reading *rd, struct draft_result *r, bool total)
{
	r->params = arena_array(rd->f->a, struct draft_param, PARAMS_MAX);
	put_text(r, "function", rd->function);
	put_text(r, "mode", rd->mode);
	put_number(r, "size_kib", rd->size_kib);
	put_number(r, "operations", total ? rd->operations : 0);
	put_number(r, "groups", rd->groups);
	put_number(r, "per_group", rd->per_group);
	put_number(r, "threads", rd->threads);
	put_number(r, "futexes", rd->futexes);
	put_number(r, "waking", rd->waking);
	if (rd->shared >= 0)
		r->params[r->n_params++] = (struct draft_param){ .name = "shared", .type = PARAM_BOOL, .yes = rd->shared };
}

static const char *benchmark_of(struct reading *rd)
{
	if (rd->call)
		return format_benchmark(rd->f, arena_printf(rd->f->a, SUITE "syscall/%s", rd->call));
	return rd->name ? format_benchmark(rd->f, arena_printf(rd->f->a, SUITE "%s", rd->name)) : rd->f->ctx->benchmark;
}

static void add(struct reading *rd, const char *metric, const char *unit, enum better better, double value)
{
	struct draft_result r = { .in = "line", .index = rd->lines.number, .metric = metric, .unit = unit,
				  .better = better, .benchmark = benchmark_of(rd) };
	struct format_series *s;
	struct buf *key = &rd->d.scratch;
	bool first;

	if (!r.benchmark) {
		format_left_out_line(&rd->d, rd->lines.number, "expected \"# Running 'NAME' benchmark:\" before it");
		return;
	}
	set_params(rd, &r, !strcmp(metric, "total_time"));
	buf_clear(key);
	buf_printf(key, "%s\n%s\n%s", r.benchmark, metric, unit);
	for (size_t i = 0; i < r.n_params; i++)
		buf_printf(key, "\n%s %s %.17g %d", r.params[i].name, r.params[i].text ? r.params[i].text : "",
			   r.params[i].number, r.params[i].yes);
	if (submission_build_bad_value(rd->f->a, unit, value)) {
		format_left_out_line(&rd->d, rd->lines.number, "expected a time above 0, %s is %.17g %s", metric, value, unit);
		return;
	}
	s = format_set_get(&rd->set, key->p, &first);
	if (first) {
		s->r = r;
		if (rd->operations > 0 && rd->operations < 1e18)
			s->r.iterations = (int64_t)rd->operations;
	}
	format_series_add(rd->f->a, s, value);
}

/* ---- what is run ---- */

/* The word between `before` and one of the bytes `until`, in the arena; NULL where `before` is not in the line. */
static const char *between(struct reading *rd, const char *line, const char *before, const char *until)
{
	const char *at = strstr(line, before);
	size_t n;

	if (!at)
		return NULL;
	at += strlen(before);
	n = strcspn(at, until);
	return n ? arena_strndup(rd->f->a, at, n) : NULL;
}

/* "4MB" as KiB; perf's units are powers of 1024. 0: no size. */
static double size_kib(const char *text)
{
	static const struct {
		const char *unit;
		double kib;
	} units[] = { { "B", 1.0 / 1024 }, { "", 1.0 / 1024 }, { "KB", 1 }, { "MB", 1024 }, { "GB", 1024 * 1024 },
		      { "TB", 1024.0 * 1024 * 1024 } };
	char *end;
	double v = strtod(text, &end);

	for (size_t i = 0; end > text && i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(end, units[i].unit) && v > 0 && isfinite(v))
			return v * units[i].kib;
	return 0;
}

/* The number that stands before `word`. 0: none. */
static double before(const char *line, const char *word)
{
	const char *at = strstr(line, word), *from;
	double v;

	if (!at)
		return 0;
	while (at > line && at[-1] == ' ')
		at--;
	for (from = at; from > line && (isdigit((unsigned char)from[-1]) || from[-1] == '.'); from--)
		;
	return !num_parse(from, (size_t)(at - from), &v) && v > 0 ? v : 0;
}

static void set_mode(struct reading *rd, const char *line)
{
	if (strstr(line, "processes"))
		rd->mode = "processes";
	else if (strstr(line, "threads"))
		rd->mode = "threads";
}

/* "# Running 'mem/memcpy' benchmark:" ("# Running mem/memcpy benchmark..." in a collection), "# function 'default' (...)", "# Copying 4MB bytes ..." */
static bool take_comment(struct reading *rd, const char *line)
{
	const char *word;

	if (*line != '#')
		return false;
	if ((word = between(rd, line, "# Running '", "'")) || (word = between(rd, line, "# Running ", " "))) {
		begin(rd, word);
	} else if ((word = between(rd, line, "# function '", "'"))) {
		rd->function = word;
	} else if ((word = between(rd, line, "# Copying ", " "))) {
		rd->size_kib = size_kib(word);
	} else if (format_text_starts(line, "# Executed ")) {
		rd->operations = strtod(line + strlen("# Executed "), NULL);
		set_mode(rd, line);
		word = strchr(line + strlen("# Executed "), ' ');
		if (word && strstr(word, "() calls"))
			rd->call = between(rd, word, " ", "(");
	} else if (strstr(line, " sender and receiver ")) {
		rd->per_group = before(line, " sender and receiver ");
		set_mode(rd, line);
	} else if (strstr(line, " groups == ")) {
		rd->groups = before(line, " groups == ");
	} else {
		return true;
	}
	rd->known++;
	return true;
}

/* "Run summary [PID 3042]: 8 threads, each operating on 1024 [shared] futexes for 300 secs." */
static bool take_summary(struct reading *rd, const char *line)
{
	if (!format_text_starts(line, "Run summary "))
		return false;
	rd->threads = before(line, " threads");
	rd->futexes = before(line, " [shared] futexes") + before(line, " [private] futexes") + before(line, " futexes");
	rd->waking = before(line, " at a time");
	rd->shared = strstr(line, "[shared]") ? 1 : strstr(line, "[private]") ? 0 : -1;
	rd->known++;
	return true;
}

/* ".../perf bench futex hash --runtime 300": what runs, too, where nothing else says it. */
static bool take_command(struct reading *rd, const char *line)
{
	const char *at = strstr(line, "perf bench "), *collection, *name;
	size_t n, m;

	if (!at)
		return false;
	if (!rd->command)
		rd->command = at;
	collection = at + strlen("perf bench ");
	n = strcspn(collection, " ");
	name = collection + n + strspn(collection + n, " ");
	m = strcspn(name, " ");
	if (n && m && *collection != '-' && *name != '-')
		begin(rd, arena_printf(rd->f->a, "%.*s/%.*s", (int)n, collection, (int)m, name));
	return true;
}

/* ---- numbers ---- */

/* "(+- 0.19%)" or "(+-3.12%)" */
static void take_stddev(struct reading *rd, const char *line)
{
	const char *at = strstr(line, "(+-");
	char *end;
	double v;

	if (!at)
		return;
	v = strtod(at + strlen("(+-"), &end);
	if (*end == '%' && isfinite(v) && v >= 0)
		add(rd, "stddev_percent", "%", BETTER_NEUTRAL, v);
}

static bool take_total(struct reading *rd, const char *line)
{
	double v;
	char end;

	if (sscanf(line, " Total time: %lf [sec%c", &v, &end) != 2 || end != ']')
		return false;
	add(rd, "total_time", "s", BETTER_LOWER, v);
	return true;
}

/* Rates of bytes come in the unit that fits the number, of 1024 each: one unit, or a slower kernel would be another series. */
static bool take_bytes(struct reading *rd, const char *unit, double v)
{
	static const struct {
		const char *unit;
		double gib;
	} units[] = { { "bytes/sec", 1.0 / 1073741824 }, { "KB/sec", 1.0 / 1048576 }, { "MB/sec", 1.0 / 1024 }, { "GB/sec", 1 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(unit, units[i].unit))
			continue;
		add(rd, "throughput", "GB/s", BETTER_HIGHER, v * units[i].gib);
		return true;
	}
	return false;
}

/* "6.361850 usecs/op", "157186 ops/sec", "8.245310 GB/sec", "1.2 cycles/byte": a number and a unit, nothing else. */
static bool take_number(struct reading *rd, const char *line)
{
	char *words[3], *copy = arena_strdup(rd->f->a, line);
	size_t n = format_text_words(copy, words, 3);
	double v;

	if (n != 2 || !format_text_number(words[0], &v) || !strchr(words[1], '/'))
		return false;
	if (strstr(words[1], "secs/"))
		add(rd, "latency", words[1], BETTER_LOWER, v);
	else if (!strcmp(words[1], "ops/sec"))
		add(rd, "throughput", "ops/s", BETTER_HIGHER, v);
	else if (!strcmp(words[1], "cycles/byte"))
		add(rd, "cycles", words[1], BETTER_LOWER, v);
	else if (!take_bytes(rd, words[1], v))
		return false;
	return true;
}

/* "Averaged 491926 operations/sec (+- 0.19%), total secs = 300" */
static bool take_averaged(struct reading *rd, const char *line)
{
	double v;

	if (!format_text_starts(line, "Averaged ") || !strstr(line, " operations/sec"))
		return false;
	v = before(line, " operations/sec");
	if (!(v > 0))
		return false;
	add(rd, "throughput", "ops/s", BETTER_HIGHER, v);
	take_stddev(rd, line);
	return true;
}

/* "[Run 1]: Wokeup 8 of 8 threads in 0.0170 ms" is a repetition; the line without it their mean. */
static bool take_run(struct reading *rd, const char *line)
{
	bool run = format_text_starts(line, "[Run ");
	const char *at = strstr(line, " in ");
	double v = before(line, " ms");
	char *end;

	if (!at || !(v > 0) || strtod(at + strlen(" in "), &end) != v || strncmp(end, " ms", 3))
		return false;
	if (run || !rd->has_runs)
		add(rd, "latency", "ms", BETTER_LOWER, v);
	if (!run)
		take_stddev(rd, line);
	rd->has_runs = run;
	return true;
}

/* "  Average synthesis took: 80.4 usec (+- 0.3 usec)" */
static bool take_took(struct reading *rd, const char *line)
{
	const char *at = strstr(line, " took: ");
	char *words[2], *copy;
	double v;

	line += strspn(line, " ");
	if (!format_text_starts(line, "Average ") || !at)
		return false;
	copy = arena_strdup(rd->f->a, at + strlen(" took: "));
	if (format_text_words(copy, words, 2) != 2 || !format_text_number(words[0], &v))
		return false;
	words[1][strcspn(words[1], " ")] = 0;
	at = arena_strndup(rd->f->a, line + strlen("Average "), (size_t)(at - line) - strlen("Average "));
	add(rd, at, words[1], BETTER_LOWER, v);
	return true;
}

static void read_lines(struct reading *rd)
{
	char *line;

	while ((line = format_text_line(&rd->lines, rd->f->a))) {
		if (!*line || take_command(rd, line) || take_comment(rd, line) || take_summary(rd, line) ||
		    format_text_starts(line, "[thread "))
			continue;
		if (take_total(rd, line) || take_number(rd, line) || take_averaged(rd, line) || take_run(rd, line) ||
		    take_took(rd, line))
			rd->known++;
		else if (rd->known && strpbrk(line, "0123456789"))
			format_left_out_line(&rd->d, rd->lines.number, "expected a number in a form of perf bench's: \"%.80s\"",
					     line);
	}
}

/* --format=simple: seconds, or bytes a second of a memory benchmark. */
static int read_simple(struct reading *rd, struct err *err)
{
	struct format_lines l = { rd->f->text, rd->f->text + rd->f->len, 0 };
	const char *benchmark = rd->f->ctx->benchmark;
	char *line;
	double v;
	bool any = false;

	while ((line = format_text_line(&l, rd->f->a))) {
		line += strspn(line, " ");
		if (!*line)
			continue;
		if (!format_text_number(line, &v))
			return err_line(err, ERR_INVALID, l.number, "perf bench: expected \"# Running 'NAME' benchmark:\", "
				       "or a bare number (--format=simple)");
		any = true;
		rd->lines.number = l.number;
		if (benchmark && strstr(benchmark, "mem/"))
			take_bytes(rd, "bytes/sec", v);
		else if (benchmark)
			add(rd, "total_time", "s", BETTER_LOWER, v);
	}
	if (any && !benchmark)
		problems_add(rd->d.problems, "benchmark", "a bare number does not say of what it is: "
			     "benchmark=perf-bench/COLLECTION/NAME is needed");
	return 0;
}

static bool is_ours(const char *line)
{
	return (format_text_starts(line, "# Running ") && strstr(line, " benchmark")) ||
		(format_text_starts(line, "# Executed ") && strstr(line, "() calls"));
}

int format_perf_bench_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_ours) ? 90 : 0;
}

int format_perf_bench_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .f = f, .lines = { f->text, f->text + f->len, 0 }, .set.groups.a = f->a };
	int ret = 0;

	begin(&rd, NULL);
	format_draft(f, &rd.d);
	read_lines(&rd);
	if (!rd.known)
		ret = read_simple(&rd, err);
	if (!ret) {
		format_source(f, &rd.d, "perf bench", NULL, rd.command);
		format_series_end(&rd.d, rd.set.series, rd.set.groups.n);
		format_add(f, &rd.d);
	}
	submission_build_fini(&rd.d);
	return ret;
}
