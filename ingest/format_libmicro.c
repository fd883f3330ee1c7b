/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libMicro's log: for each benchmark a line of column names and a line of results, its
 * median time of a call; the statistics below repeat it. A line with errors is a failed
 * result, as is a benchmark that was begun and never gave one. The head of a whole log
 * names machine and kernel, and says more of the machine, which is kept.
 */
#include "format_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/jsonw.h"

#define COLUMNS_MAX 24

struct reading {
	struct format_file *f;
	struct draft d;
	struct format_lines lines;
	struct format_set set;
	struct buf head;		/* members of the environment, as JSON */
	struct jsonw j;
	struct format_groups heads;
	const char *columns[COLUMNS_MAX];	/* of the last header; columns[0] is behind the name */
	size_t n_columns;
	const char *open;		/* name of a benchmark that has begun, or NULL */
	const char *command;
	size_t open_line;
};

static size_t column_of(const struct reading *rd, const char *name)
{
	for (size_t i = 0; i < rd->n_columns; i++)
		if (!strcmp(rd->columns[i], name))
			return i;
	return SIZE_MAX;
}

/* "prc thr usecs/call samples errors cnt/samp size flags" */
static bool is_header(const char *line)
{
	line += strspn(line, " ");
	return format_text_starts(line, "prc ") && strstr(line, " thr ") && strstr(line, "secs/call") && strstr(line, " errors ");
}

static void take_header(struct reading *rd, char *line)
{
	char *words[COLUMNS_MAX];

	rd->n_columns = format_text_words(line, words, COLUMNS_MAX);
	for (size_t i = 0; i < rd->n_columns; i++)
		rd->columns[i] = words[i];
}

/* "!OS_release:    6.1.0-10.oe2303.riscv64" */
static bool take_head(struct reading *rd, const char *line)
{
	static const char *const personal[] = { "IP_address", "Run_by" };
	const char *colon = strchr(line, ':'), *value;
	char *key;
	bool first;

	if (*line != '!' || !colon)
		return false;
	key = arena_strndup(rd->f->a, line + 1, (size_t)(colon - line) - 1);
	value = colon + 1 + strspn(colon + 1, " ");
	if (!strcmp(key, "OS_release") && *value)
		format_said_kernel(&rd->d, value, rd->lines.number);
	else if (!strcmp(key, "Machine_name") && *value && !rd->d.machine)
		rd->d.machine = value;
	for (size_t i = 0; i < sizeof(personal) / sizeof(*personal); i++)
		if (!strcmp(key, personal[i]))
			return true;
	format_group(&rd->heads, key, &first);
	if (first && *key && *value)
		jsonw_kstr(&rd->j, key, value);
	return true;
}

static struct draft_param *param(struct draft_result *r, const char *name, double number)
{
	struct draft_param *p = &r->params[r->n_params++];

	*p = (struct draft_param){ .name = name, .type = PARAM_NUMBER, .number = number };
	return p;
}

/* The series of a benchmark, new at its first line. */
static struct format_series *series_of(struct reading *rd, const char *name, double processes, double threads,
				       double bytes, size_t line)
{
	const char *key = arena_printf(rd->f->a, "%s\n%.17g\n%.17g\n%.17g", name, processes, threads, bytes);
	struct format_series *s;
	bool first;

	s = format_set_get(&rd->set, key, &first);
	if (!first)
		return s;
	s->r = (struct draft_result){ .in = "line", .index = line, .metric = "latency", .unit = "usecs/call",
				      .better = BETTER_LOWER, .params = arena_array(rd->f->a, struct draft_param, 3),
				      .benchmark = format_benchmark(rd->f, arena_printf(rd->f->a, "libmicro/%s", name)) };
	param(&s->r, "processes", processes);
	param(&s->r, "threads", threads);
	if (bytes > 0)
		param(&s->r, "size_kib", bytes / 1024);
	return s;
}

/* "-l 8k" as bytes, "-P 4" as 4; `missing` where the command has no such option. */
static double option(const struct reading *rd, const char *name, double missing)
{
	const char *at = rd->command ? strstr(rd->command, name) : NULL;
	char *end;
	double v;

	if (!at)
		return missing;
	at += strlen(name);
	v = strtod(at, &end);
	if (end == at || !(v > 0) || !isfinite(v))
		return missing;
	return v * (*end == 'k' ? 1024 : *end == 'm' ? 1024 * 1024 : 1);
}

/* A benchmark that was begun and gave no line of results. */
static void close_open(struct reading *rd)
{
	struct format_series *s;

	if (!rd->open)
		return;
	s = series_of(rd, rd->open, option(rd, " -P ", 1), option(rd, " -T ", 1), option(rd, " -l ", 0), rd->open_line);
	if (s->n_values || s->r.status != RESULT_OK) {
		format_left_out_line(&rd->d, rd->open_line, "expected a line of results for %s", rd->open);
	} else {
		s->r.status = RESULT_FAILED;
		s->r.error = "no line of results: it did not end";
	}
	rd->open = NULL;
}

/* "Running:              getpid# bin/getpid -E -C 200 -L -S -W -N getpid -I 1" */
static bool take_running(struct reading *rd, const char *line)
{
	static const char word[] = "Running:";
	const char *name, *hash;

	if (!format_text_starts(line, word))
		return false;
	close_open(rd);
	name = line + strlen(word);
	name += strspn(name, " ");
	hash = strchr(name, '#');
	if (!hash || hash == name)
		return true;
	rd->open = arena_strndup(rd->f->a, name, (size_t)(hash - name));
	rd->command = hash + 1;
	rd->open_line = rd->lines.number;
	return true;
}

/* What stands in a column of the line's words (the name is word 0); NaN where it is no number. */
static double number_in(const struct reading *rd, char **words, size_t n, const char *column)
{
	size_t at = column_of(rd, column);
	double v;

	return at < n - 1 && format_text_number(words[at + 1], &v) ? v : NAN;
}

static size_t time_column(const struct reading *rd)
{
	for (size_t i = 0; i < rd->n_columns; i++)
		if (strstr(rd->columns[i], "secs/call"))
			return i;
	return SIZE_MAX;
}

/* A line with errors in it measured something else than the call. */
static void failed(struct reading *rd, struct format_series *s, double errors, const char *value)
{
	format_left_out_line(&rd->d, rd->lines.number, "expected 0 errors, found %.17g: the time of %s is none of a call that "
			"works", errors, value);
	if (s->n_values || s->r.status != RESULT_OK)
		return;
	s->r.status = RESULT_FAILED;
	s->r.error = arena_printf(rd->f->a, "%.17g errors", errors);
}

static bool take_result(struct reading *rd, const char *line)
{
	char *words[COLUMNS_MAX + 1], *copy = arena_strdup(rd->f->a, line);
	size_t n = format_text_words(copy, words, COLUMNS_MAX + 1), at = time_column(rd);
	double processes, threads, errors, value, bytes, calls;
	struct format_series *s;
	const char *time;

	if (!rd->n_columns || at == SIZE_MAX || n < 6)	/* a header may have more columns than are taken */
		return false;
	time = at + 1 < n ? words[at + 1] : NULL;
	processes = number_in(rd, words, n, "prc");
	threads = number_in(rd, words, n, "thr");
	errors = number_in(rd, words, n, "errors");
	if (isnan(processes) || isnan(threads) || isnan(errors))
		return false;
	bytes = fmax(number_in(rd, words, n, "size"), number_in(rd, words, n, "length"));
	calls = number_in(rd, words, n, "samples") * number_in(rd, words, n, "cnt/samp");
	s = series_of(rd, words[0], processes, threads, bytes, rd->lines.number);
	rd->open = NULL;
	if (errors > 0) {
		failed(rd, s, errors, time ? time : "none");
	} else if (!time || !format_text_number(time, &value) || !(value > 0)) {
		format_left_out_line(&rd->d, rd->lines.number, "expected a time above 0 in column %s", rd->columns[at]);
	} else {
		s->r.unit = rd->columns[at];
		s->r.status = RESULT_OK;	/* another run of it failed: what is good counts */
		s->r.error = NULL;
		s->r.iterations = calls > 0 && calls < 1e15 ? (int64_t)calls : 0;
		format_series_add(rd->f->a, s, value);
	}
	return true;
}

static void read_lines(struct reading *rd)
{
	char *line;

	while ((line = format_text_line(&rd->lines, rd->f->a))) {
		if (is_header(line))
			take_header(rd, line);
		else if (*line && *line != '#' && !take_head(rd, line) && !take_running(rd, line))
			take_result(rd, line);
	}
	close_open(rd);
}

int format_libmicro_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_header) ? 90 : 0;
}

static void add_all(struct reading *rd)
{
	jsonw_object_end(&rd->j);
	rd->d.environment = arena_strndup(rd->f->a, rd->head.p, rd->head.len);
	format_source(rd->f, &rd->d, "libMicro", NULL, NULL);
	for (size_t i = 0; i < rd->set.groups.n; i++) {
		struct format_series *s = &rd->set.series[i];

		if (s->n_values || s->r.status != RESULT_OK)
			format_series_end(&rd->d, s, 1);
	}
	format_add(rd->f, &rd->d);
}

int format_libmicro_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .f = f, .lines = { f->text, f->text + f->len, 0 }, .set.groups.a = f->a, .heads.a = f->a };
	int ret = 0;

	buf_init(&rd.head);
	rd.j = jsonw_begin(&rd.head);
	jsonw_object(&rd.j);
	format_draft(f, &rd.d);
	read_lines(&rd);
	if (!rd.n_columns)
		ret = err_set(err, ERR_INVALID, "libMicro: expected a line \"prc thr usecs/call samples errors cnt/samp\"");
	else
		add_all(&rd);
	submission_build_fini(&rd.d);
	buf_fini(&rd.head);
	return ret;
}
