/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A history as change-point tools keep it: CSV with a column of times, maybe one of
 * commits or kernels, and a column for each metric. Each row is a run of its own, at
 * its time; the run's identity is the row, so that a file that has grown can be sent
 * again. What such a file does not say has to come with it: benchmark=, machine=, and
 * kernel= where there is no column kernel. No direction can be known: neutral, but
 * where a column's name tells (ops_per_sec).
 */
#include "format_cells.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../lib/jsonw.h"
#include "../lib/num.h"
#include "format_lkp.h"
#include "format_text.h"

struct column {
	const char *name;		/* as it stands there */
	const char *metric, *unit;	/* "latency" and "ns" of "latency (ns)" */
	enum better better;
};

struct reading {
	struct format_file *f;
	struct format_cells row;
	struct buf scratch;
	struct problems *left_out;	/* of all rows, found in a first pass: goes with the first run */
	bool looking;			/* the first pass */
	const char *header;		/* its line, in the arena */
	struct column columns[FORMAT_CELLS_MAX];
	size_t n_columns, kernel_column, commit_column;	/* the last two SIZE_MAX: not there */
};

static bool is_word(const char *s, const char *const *words)
{
	for (; *words; words++)
		if (!strcasecmp(s, *words))
			return true;
	return false;
}

static bool is_time_name(const char *s)
{
	static const char *const names[] = { "time", "timestamp", "date", "datetime", NULL };

	return is_word(s, names);
}

/* "1609466400": seconds, or milli-, micro-, nanoseconds by the count of digits. */
static int epoch(const char *s, int64_t *usec)
{
	size_t n = strlen(s);
	int64_t v;

	if (n < 9 || n > 19 || num_parse_i64(s, n, &v) || v < 0)
		return -1;
	*usec = n <= 10 ? v * 1000000 : n <= 13 ? v * 1000 : n <= 16 ? v : v / 1000;
	return n <= 13 && n > 10 && *usec / 1000 != v ? -1 : 0;
}

/* "+0100", "+01:00", "Z", "UTC" as RFC 3339 wants it; NULL: no offset. */
static const char *offset_of(const char *s, char out[8])
{
	size_t colon = strlen(s) == 6 && s[3] == ':';

	if (!strcasecmp(s, "Z") || !strcasecmp(s, "UTC") || !strcasecmp(s, "GMT"))
		return "Z";
	if (strlen(s) != 5 + colon || (*s != '+' && *s != '-'))
		return NULL;
	snprintf(out, 8, "%.3s:%.2s", s, s + 3 + colon);
	return out;
}

/* "2024.01.01 3:00:00 +0100", "2023-04-07 00:55:33.422461033+00:00", RFC 3339, or an epoch: 0, or -1. */
static int when(const char *s, int64_t *usec)
{
	int year, month, day, hour, minute, second, n = 0;
	char text[80], offset[8];
	const char *fraction, *zone;

	if (!tm_parse(s, usec) || !epoch(s, usec))
		return 0;
	if (strlen(s) > 60 || !isdigit((unsigned char)*s) || sscanf(s, "%4d%*1[-./]%2d%*1[-./]%2d%*1[ T]%2d:%2d:%2d%n", &year,
								    &month, &day, &hour, &minute, &second, &n) != 6)
		return -1;
	fraction = s + n;
	n = *fraction == '.' ? 1 + (int)strspn(fraction + 1, "0123456789") : 0;
	zone = fraction + n + strspn(fraction + n, " ");
	zone = offset_of(zone, offset);
	if (!zone)
		return -1;
	snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d%.*s%s", year, month, day, hour, minute, second, n < 7 ? n : 7,
		 fraction, zone);
	return tm_parse(text, usec);
}

static void left_out(struct reading *rd, const char *what)
{
	if (!rd->looking)
		return;
	if (rd->left_out->n == PROBLEMS_MAX)
		rd->left_out->total++;
	else
		problems_add(rd->left_out, arena_printf(rd->f->a, "line %zu", rd->row.row_line), "%s", what);
}

/* "latency (ns)" and "latency [ns]" carry their unit; a name like LKP's tells unit and direction. */
static void set_column(struct reading *rd, struct column *c, const char *name)
{
	struct arena *a = rd->f->a;
	size_t n = strlen(name), open = strcspn(name, "([");
	struct format_lkp_stat stat;

	*c = (struct column){ .name = name, .metric = name, .unit = "unstated", .better = BETTER_NEUTRAL };
	format_lkp_stat(a, arena_printf(a, "csv-series.%s", name), &stat);
	if (strcmp(stat.unit, "unstated")) {
		c->unit = stat.unit;
		c->better = stat.better;
	} else if (open && open + 2 < n && (name[n - 1] == ')' || name[n - 1] == ']')) {
		c->unit = arena_strndup(a, name + open + 1, n - open - 2);
		while (open && name[open - 1] == ' ')
			open--;
		c->metric = arena_strndup(a, name, open);
	}
}

static int read_header(struct reading *rd, struct err *err)
{
	static const char *const kernels[] = { "kernel", "release", NULL };
	static const char *const commits[] = { "commit", "revision", "sha", NULL };
	const struct format_cells *row = &rd->row;

	rd->kernel_column = rd->commit_column = SIZE_MAX;
	if (format_cells_row(&rd->row) <= 0 || row->n_cells < 2 || !is_time_name(row->cells[0]))
		return err_line(err, ERR_INVALID, row->row_line, "expected a header: time, then columns of metrics");
	rd->n_columns = row->n_cells;
	for (size_t i = 1; i < row->n_cells; i++) {
		set_column(rd, &rd->columns[i], row->cells[i]);
		if (is_word(row->cells[i], kernels))
			rd->kernel_column = i;
		else if (is_word(row->cells[i], commits))
			rd->commit_column = i;
		for (size_t k = 1; k < i; k++)
			if (!strcmp(row->cells[k], row->cells[i]))
				return err_line(err, ERR_INVALID, row->row_line, "column %s stands there twice", row->cells[i]);
	}
	return 0;
}

/* A word that stands where a number should: missing is missing. */
static bool is_missing(const char *s)
{
	static const char *const words[] = { "nan", "na", "n/a", "null", "none", "-", NULL };

	return !*s || is_word(s, words);
}

static bool is_metric(const struct reading *rd, size_t i)
{
	return i != rd->kernel_column && i != rd->commit_column;
}

/* Says what is wrong with the row; false when it is no run. */
static bool look_at_row(struct reading *rd, int64_t *at)
{
	const struct format_cells *row = &rd->row;

	if (row->n_cells != rd->n_columns) {
		left_out(rd, arena_printf(rd->f->a, "expected %zu cells, these are %zu", rd->n_columns, row->n_cells));
		return false;
	}
	if (when(row->cells[0], at)) {
		left_out(rd, arena_printf(rd->f->a, "expected a time with its offset from UTC, found \"%.60s\"", row->cells[0]));
		return false;
	}
	for (size_t i = 1; i < row->n_cells; i++)
		if (is_metric(rd, i) && *row->cells[i] && is_missing(row->cells[i]))
			left_out(rd, arena_printf(rd->f->a, "expected a number in column %s, found \"%.60s\"", rd->columns[i].name,
						  row->cells[i]));
	return true;
}

/* A cell that is a number of its metric's; what is none goes to the environment. */
static void take_cell(struct reading *rd, struct draft *d, const struct column *c, const char *cell, struct jsonw *env)
{
	struct draft_result r = { .in = "line", .index = rd->row.row_line, .metric = c->metric, .unit = c->unit,
				  .better = c->better, .benchmark = rd->f->ctx->benchmark };
	double v;

	if (format_text_number(cell, &v)) {
		r.values = &v;
		r.n_values = 1;
		submission_build_result(d, &r);
	} else if (!is_missing(cell)) {
		jsonw_kstr(env, c->name, cell);
	}
}

static void take_cells(struct reading *rd, struct draft *d)
{
	const struct format_cells *row = &rd->row;
	struct buf env;
	struct jsonw j;

	buf_init(&env);
	j = jsonw_begin(&env);
	jsonw_object(&j);
	for (size_t i = 1; i < row->n_cells; i++) {
		const struct column *c = &rd->columns[i];

		if (i == rd->kernel_column) {
			d->kernel = row->cells[i];
			d->kernel_at = arena_printf(d->a, "line %zu", row->row_line);
		} else if (i == rd->commit_column) {
			format_said_commit(d, row->cells[i]);
			if (*row->cells[i])
				jsonw_kstr(&j, c->name, row->cells[i]);
		} else {
			take_cell(rd, d, c, row->cells[i], &j);
		}
	}
	jsonw_object_end(&j);
	d->environment = arena_strndup(d->a, env.p, env.len);
	buf_fini(&env);
}

/* The row as a submission, unless there is no number in it. */
static void take_row(struct reading *rd, const char *text, size_t len)
{
	struct draft d;
	int64_t at;

	if (!look_at_row(rd, &at))
		return;
	format_draft(rd->f, &d);
	if (!rd->f->n_items)
		d.left_out = rd->left_out;
	d.started_at = at;
	if (rd->f->ctx->started_at)
		problems_add(d.problems, "started_at", "not for a history: each row has its own time");
	if (!rd->f->ctx->benchmark)
		problems_add(d.problems, "benchmark", "benchmark=NAME is needed: the file does not say what was measured");
	else
		take_cells(rd, &d);
	if (d.n_results || d.problems->total || (d.left_out->total && d.left_out != rd->left_out)) {
		rd->f->part = arena_printf(rd->f->a, "%s\n%.*s\n", rd->header, (int)len, text);
		rd->f->part_len = strlen(rd->f->part);
		format_add(rd->f, &d);
	}
	submission_build_fini(&d);
}

/* The lines before the header that are comments, or blank. */
static const char *skip_comments(const char *text, size_t len, size_t *line)
{
	const char *end = text + len;

	for (*line = 1; text < end && (*text == '#' || *text == '\n' || *text == '\r'); ++*line) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));

		text = nl ? nl + 1 : end;
	}
	return text;
}

/* The first cell of the next line, as it is read; false at the end. */
static bool first_cell(struct format_lines *l, char *cell, size_t size)
{
	const char *s;
	size_t n;

	if (!format_line(l, &s, &n))
		return false;
	format_text_plain(cell, size, s, n);
	cell[strcspn(cell, ",;\t")] = 0;
	return true;
}

int format_csv_series_sniff(const char *text, size_t len)
{
	size_t line;
	const char *s = skip_comments(text, len, &line);
	struct format_lines l = { s, text + len, 0 };
	char cell[64];
	int64_t at;

	if (!first_cell(&l, cell, sizeof(cell)) || !is_time_name(cell) || !first_cell(&l, cell, sizeof(cell)))
		return 0;
	return when(cell, &at) ? 0 : 70;
}

/* Finds in a first pass what is not imported, so that the first run can tell it. */
static int look_at_rows(struct reading *rd, struct err *err)
{
	const struct format_cells begin = rd->row;
	size_t rows = 0;
	int64_t at;
	int more;

	rd->looking = true;
	while ((more = format_cells_row(&rd->row)) > 0) {
		if (++rows > FORMAT_ITEMS_MAX)
			return err_line(err, ERR_INVALID, rd->row.row_line, "more than %d rows: send the history in parts",
				       FORMAT_ITEMS_MAX);
		look_at_row(rd, &at);
	}
	if (more < 0)
		left_out(rd, "expected the end of a quoted cell");
	rd->looking = false;
	rd->row = begin;
	return 0;
}

static int read_rows(struct reading *rd, const char *text, size_t len, size_t line, struct err *err)
{
	const struct problems *p = rd->left_out;

	format_cells_init(&rd->row, rd->f->a, &rd->scratch, text, len);
	rd->row.line = line;
	if (read_header(rd, err))
		return -1;
	rd->header = arena_strndup(rd->f->a, text, (size_t)(rd->row.at - text));
	if (look_at_rows(rd, err))
		return -1;
	for (text = rd->row.at; format_cells_row(&rd->row) > 0; text = rd->row.at)
		take_row(rd, text, (size_t)(rd->row.at - text));
	if (rd->f->n_items)
		return 0;
	err_set(err, ERR_INVALID, "%s%sno row with a time and a number in it", p->n ? p->list[0].at : "", p->n ? ": " : "");
	if (p->n)
		err->problems = p;
	return -1;
}

int format_csv_series_read(struct format_file *f, struct err *err)
{
	struct reading *rd = arena_zalloc(f->a, sizeof(*rd));
	const char *text;
	size_t line;
	int ret;

	rd->f = f;
	f->by_part = true;
	rd->left_out = problems_new(f->a);
	text = skip_comments(f->text, f->len, &line);
	buf_init(&rd->scratch);
	ret = read_rows(rd, text, f->len - (size_t)(text - f->text), line, err);
	buf_fini(&rd->scratch);
	return ret;
}
