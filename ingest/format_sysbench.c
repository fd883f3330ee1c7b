/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysbench 0.5 to 1.1: the rate of the test's own unit of work, and of latency the mean
 * and the percentile it was asked for. Lines "[ 3s ] thds: 10 tps: ..." are interim, and
 * where transactions are counted, queries are the same work counted otherwise.
 * A latency of 0.00 ms is below what is printed, no time.
 */
#include "format_sink.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/num.h"
#include "format_text.h"

struct reading {
	struct format_sink k;
	struct format_lines lines;
	const char *test;		/* "cpu", "memory", ...: what its lines show it to be */
	enum { SECTION_OTHER, SECTION_LATENCY, SECTION_FILE } section;
	bool has_transactions;
	size_t known;
};

static void add(struct reading *rd, const char *metric, const char *unit, enum better better, double v)
{
	struct draft_result r = { .in = "line", .index = rd->lines.number, .metric = metric, .unit = unit, .better = better,
				  .benchmark = arena_printf(rd->k.f->a, "sysbench/%s", rd->test) };

	rd->known++;
	format_sink_add(&rd->k, &r, v);
}

/* What is behind "WORD:" at the line's beginning, blanks passed over; NULL: another line. */
static const char *field(const char *line, const char *word)
{
	size_t n = strlen(word);

	line += strspn(line, " ");
	if (strncmp(line, word, n) || line[n] != ':')
		return NULL;
	return line + n + 1 + strspn(line + n + 1, " ");
}

/* The number between `before` and `after` at the text's beginning; "" for `after`: it is a word of its own. */
static bool number_in(const char *text, const char *before, const char *after, double *v)
{
	size_t n = strlen(before), m;

	if (!text || strncmp(text, before, n))
		return false;
	text += n;
	m = strspn(text, "0123456789.");
	return m && !num_parse(text, m, v) && (*after ? !strncmp(text + m, after, strlen(after)) : !text[m] || text[m] == ' ');
}

/* The options it prints first are the parameters. */
static bool take_option(struct reading *rd, const char *line)
{
	static const struct {
		const char *word, *param, *test;
	} options[] = {
		{ "Number of threads", "threads", NULL },	{ "Prime numbers limit", "prime_limit", "cpu" },
		{ "block size", "block_size", "memory" },	{ "total size", "total_size", "memory" },
		{ "operation", "operation", "memory" },		{ "scope", "scope", "memory" },
		{ "Extra file open flags", "open_flags", "fileio" }, { "Block size", "block_size", "fileio" },
	};
	const char *v;

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		char *text;

		v = field(line, options[i].word);
		if (!v)
			continue;
		text = arena_strdup(rd->k.f->a, v);
		if (options[i].test && !strcmp(options[i].test, "fileio"))
			text = arena_strndup(rd->k.f->a, v, strcspn(v, " "));
		if (options[i].test)
			rd->test = options[i].test;
		if (*text && strcmp(text, "(none)"))
			format_sink_word(&rd->k, options[i].param, text);
		return true;
	}
	if (strstr(line, "Running memory speed test"))
		rd->test = "memory";
	else if (strstr(line, "Doing CPU performance"))
		rd->test = "cpu";
	else if (strstr(line, "Doing mutex performance"))
		rd->test = "mutex";
	else if (strstr(line, "Doing thread subsystem"))
		rd->test = "threads";
	return false;
}

/* Rates in brackets behind a total: "transactions: 4250 (70.63 per sec.)" */
static bool take_rate(struct reading *rd, const char *line)
{
	const char *open = strchr(line, '(');
	double v;

	if (!open)
		return false;
	if (field(line, "transactions")) {
		if (!strcmp(rd->test, "unknown"))
			rd->test = "oltp";
		if (!number_in(open, "(", " per sec.)", &v))
			return false;
		rd->has_transactions = true;
		add(rd, "transactions", "per sec", BETTER_HIGHER, v);
	} else if (field(line, "queries") && !rd->has_transactions && number_in(open, "(", " per sec.)", &v)) {
		add(rd, "queries", "per sec", BETTER_HIGHER, v);
	} else if ((field(line, "Total operations") || field(line, "Operations performed")) &&
		   (number_in(open, "(", " per second)", &v) || number_in(open, "(", " ops/sec)", &v))) {
		add(rd, "operations", "ops/s", BETTER_HIGHER, v);
	} else if (strstr(line, "transferred (") && number_in(strstr(line, "transferred ("), "transferred (", " MiB/sec)", &v)) {
		add(rd, "transfer", "MiB/s", BETTER_HIGHER, v);
	} else if (strstr(line, "transferred (") && number_in(strstr(line, "transferred ("), "transferred (", " MB/sec)", &v)) {
		add(rd, "transfer", "MB/s", BETTER_HIGHER, v);
	} else {
		return false;
	}
	return true;
}

/* "    reads/s:    1234.5" and "    read, MiB/s:  19.2": fileio's tables. */
static bool take_file(struct reading *rd, const char *line)
{
	static const struct {
		const char *word, *metric, *unit;
	} rows[] = { { "reads/s", "reads", "ops/s" }, { "writes/s", "writes", "ops/s" }, { "fsyncs/s", "fsyncs", "ops/s" },
		     { "read, MiB/s", "read", "MiB/s" }, { "written, MiB/s", "written", "MiB/s" },
		     { "read, MB/s", "read", "MB/s" }, { "written, MB/s", "written", "MB/s" } };
	double v;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!number_in(field(line, rows[i].word), "", "", &v))
			continue;
		rd->test = "fileio";
		if (v > 0)	/* a direction that was not run */
			add(rd, rows[i].metric, rows[i].unit, BETTER_HIGHER, v);
		return true;
	}
	return false;
}

static bool take_latency(struct reading *rd, const char *line)
{
	double v, percentile;
	int end = 0;

	if (!strncmp(line, "Latency (ms):", 13) || strstr(line, "response time:")) {
		rd->section = SECTION_LATENCY;
		return true;
	}
	if (rd->section != SECTION_LATENCY)
		return false;
	if (number_in(field(line, "avg"), "", "", &v) || number_in(field(line, "avg"), "", "ms", &v))	/* 0.5 prints the unit */
		add(rd, "latency avg", "ms", BETTER_LOWER, v);
	else if (sscanf(line, " %lfth percentile: %lf%n", &percentile, &v, &end) == 2 ||
		 sscanf(line, " approx. %lf percentile: %lf%n", &percentile, &v, &end) == 2)
		add(rd, arena_printf(rd->k.f->a, "latency %.6gth", percentile), "ms", BETTER_LOWER, v);
	else
		return false;
	return true;
}

static bool take_line(struct reading *rd, const char *line)
{
	double v;

	if (*line == '[')
		return false;
	if (*line && *line != ' ')
		rd->section = SECTION_OTHER;
	if (take_option(rd, line) || take_latency(rd, line) || take_rate(rd, line) || take_file(rd, line))
		return true;
	if (number_in(field(line, "events per second"), "", "", &v) || number_in(field(line, "events/s (eps)"), "", "", &v)) {
		add(rd, "events", "per sec", BETTER_HIGHER, v);
		return true;
	}
	return false;
}

/* mutex and threads print no options of their own; a file's name may tell ("mutex.txt", "threads_16.log"). */
static const char *test_of_name(const struct format_file *f)
{
	static const char *const tests[] = { "mutex", "threads", "cpu", "memory", "fileio", "oltp" };

	for (size_t i = 0; f->ctx->filename && i < sizeof(tests) / sizeof(*tests); i++)
		if (strstr(f->ctx->filename, tests[i]))
			return tests[i];
	return "unknown";
}

int format_sysbench_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .lines = { f->text, f->text + f->len, 0 }, .test = test_of_name(f) };
	bool ours = false;
	char *line;

	format_sink_init(&rd.k, f, "sysbench");
	while ((line = format_text_line(&rd.lines, f->a))) {
		if (!strncmp(line, "sysbench ", 9) && strspn(line + 9, "0123456789.")) {
			format_source(f, &rd.k.d, "sysbench",
				      arena_strndup(f->a, line + 9, strcspn(line + 9, " ")), NULL);
			rd.k.n_params = 0;
			rd.test = test_of_name(f);
			rd.has_transactions = false;
			ours = true;
		} else if (!take_line(&rd, line) && strstr(line, "FATAL: ")) {
			format_left_out_line(&rd.k.d, rd.lines.number, "%.200s", line);
		}
	}
	if (!ours && !rd.known) {
		format_sink_fini(&rd.k);
		return err_set(err, ERR_INVALID, "sysbench's output: expected its first line, \"sysbench 1.0.20 (...)\", and its "
			       "statistics");
	}
	format_sink_end(&rd.k);
	return 0;
}

static bool is_ours(const char *line)
{
	double v;
	int end = 0;

	return sscanf(line, "sysbench %lf%n", &v, &end) == 1 && end && strchr(line, '(');
}

int format_sysbench_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_ours) ? 85 : 0;
}
