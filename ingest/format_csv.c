/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plain CSV (RFC 4180; also with ';' or tabs) for labs with a tool of their own: a
 * column each for benchmark, metric, unit, better and value, `param.NAME` for each
 * parameter, and if wanted n, mean, median, stddev, min, max (a summary in place of
 * the value), iterations, status and error. Rows of one series are its repetitions.
 */
#include "format_cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/num.h"

enum column {
	COL_BENCHMARK, COL_METRIC, COL_UNIT, COL_BETTER, COL_VALUE, COL_N, COL_MEAN, COL_MEDIAN, COL_STDDEV,
	COL_MIN, COL_MAX, COL_ITERATIONS, COL_STATUS, COL_ERROR, COL_PARAM, COL_UNKNOWN,
};

static const char *const column_names[COL_PARAM] = {
	"benchmark", "metric", "unit", "better", "value", "n", "mean", "median", "stddev", "min", "max",
	"iterations", "status", "error",
};

struct reading {
	struct format_file *f;
	struct draft d;
	struct format_cells row;	/* at hand */

	enum column kinds[FORMAT_CELLS_MAX];
	const char *names[FORMAT_CELLS_MAX];
	size_t n_columns;
	bool has[COL_PARAM];

	const char *named[COL_PARAM];	/* the row's cells by column; NULL = empty or no such column */

	struct format_groups groups;
	struct format_series *series;
	const char **rest;		/* one a series: the cells of its unknown columns */
	size_t cap_series;
};

static void left_out(struct reading *rd, const char *what)
{
	if (rd->d.left_out->n < PROBLEMS_MAX)
		problems_add(rd->d.left_out, arena_printf(rd->f->a, "line %zu", rd->row.row_line), "%s", what);
	else
		rd->d.left_out->total++;
}

static int header_column(struct reading *rd, size_t i, struct err *err)
{
	const char *name = rd->row.cells[i];

	rd->names[i] = name;
	rd->kinds[i] = COL_UNKNOWN;
	if (!strncmp(name, "param.", strlen("param.")) && name[strlen("param.")]) {
		rd->kinds[i] = COL_PARAM;
		rd->names[i] = name + strlen("param.");
	}
	for (int c = 0; c < COL_PARAM; c++)
		if (!strcmp(name, column_names[c]))
			rd->kinds[i] = (enum column)c;
	for (size_t k = 0; k < i; k++)
		if (rd->kinds[i] != COL_UNKNOWN && rd->kinds[k] == rd->kinds[i] && !strcmp(rd->names[k], rd->names[i]))
			return err_line(err, ERR_INVALID, rd->row.row_line, "column %s stands there twice", name);
	if (rd->kinds[i] < COL_PARAM)
		rd->has[rd->kinds[i]] = true;
	else if (rd->kinds[i] == COL_UNKNOWN && *name)
		problems_add(rd->d.warnings, arena_printf(rd->f->a, "line %zu", rd->row.row_line),
			     "column %s is not known, ignored; a parameter is called param.%s", name, name);
	return 0;
}

static int header(struct reading *rd, struct err *err)
{
	static const enum column needed[] = { COL_METRIC, COL_UNIT, COL_BETTER };

	if (format_cells_row(&rd->row) < 0)
		return err_line(err, ERR_INVALID, rd->row.row_line, "a quote that never closes");
	rd->n_columns = rd->row.n_cells;
	for (size_t i = 0; i < rd->n_columns; i++)
		if (header_column(rd, i, err))
			return -1;
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (!rd->has[needed[i]])
			return err_line(err, ERR_INVALID, rd->row.row_line, "no column %s (needed are benchmark, metric, unit, "
				       "better and value)", column_names[needed[i]]);
	if (!rd->has[COL_BENCHMARK] && !rd->f->ctx->benchmark)
		return err_line(err, ERR_INVALID, rd->row.row_line, "no column benchmark, and no benchmark= in the query");
	if (!rd->has[COL_VALUE] && !(rd->has[COL_MEAN] && rd->has[COL_N]))
		return err_line(err, ERR_INVALID, rd->row.row_line, "no column value (nor mean and n)");
	return 0;
}

/* A number in a column; NaN when the cell is empty. False, and said, when it is none. */
static bool number(struct reading *rd, enum column c, double *v)
{
	const char *s = rd->named[c];

	*v = NAN;
	if (!s || !num_parse(s, strlen(s), v))
		return true;
	*v = NAN;
	left_out(rd, arena_printf(rd->f->a, "expected a number in column %s, this is \"%.60s\"", column_names[c], s));
	return false;
}

static bool count(struct reading *rd, enum column c, int64_t *n)
{
	const char *s = rd->named[c];

	*n = 0;
	if (!s || (!num_parse_i64(s, strlen(s), n) && *n >= 0))
		return true;
	left_out(rd, arena_printf(rd->f->a, "expected a count in column %s, this is \"%.60s\"", column_names[c], s));
	return false;
}

static bool words(struct reading *rd, struct draft_result *r)
{
	const char *better = rd->named[COL_BETTER], *status = rd->named[COL_STATUS];

	if (better && !strcmp(better, "lower")) {
		r->better = BETTER_LOWER;
	} else if (better && !strcmp(better, "higher")) {
		r->better = BETTER_HIGHER;
	} else if (better && !strcmp(better, "neutral")) {
		r->better = BETTER_NEUTRAL;
	} else {
		left_out(rd, "expected lower, higher or neutral in column better");
		return false;
	}
	if (!status || !strcmp(status, "ok")) {
		r->status = RESULT_OK;
	} else if (!strcmp(status, "failed")) {
		r->status = RESULT_FAILED;
	} else if (!strcmp(status, "skipped")) {
		r->status = RESULT_SKIPPED;
	} else {
		left_out(rd, "expected ok, failed or skipped in column status");
		return false;
	}
	return true;
}

static void params(struct reading *rd, struct draft_result *r)
{
	r->params = arena_array(rd->f->a, struct draft_param, rd->n_columns);
	for (size_t i = 0; i < rd->n_columns; i++) {
		struct draft_param *p = &r->params[r->n_params];
		const char *s = i < rd->row.n_cells ? rd->row.cells[i] : "";

		if (rd->kinds[i] != COL_PARAM || !*s)
			continue;
		*p = (struct draft_param){ .name = rd->names[i], .text = s };
		if (!num_parse(s, strlen(s), &p->number))
			p->type = PARAM_NUMBER;
		else if (!strcmp(s, "true") || !strcmp(s, "false"))
			*p = (struct draft_param){ .name = p->name, .type = PARAM_BOOL, .yes = *s == 't' };
		r->n_params++;
	}
}

/* Cells of the columns of one kind as one text, to tell rows apart. */
static void put_cells(struct reading *rd, enum column kind, struct buf *b)
{
	for (size_t i = 0; i < rd->n_columns; i++) {
		if (rd->kinds[i] != kind)
			continue;
		buf_puts(b, i < rd->row.n_cells ? rd->row.cells[i] : "");
		buf_putc(b, '\n');
	}
}

static const char *series_key(struct reading *rd)
{
	static const enum column parts[] = { COL_BENCHMARK, COL_METRIC, COL_UNIT, COL_BETTER };
	struct buf *b = &rd->d.scratch;

	buf_clear(b);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		buf_puts(b, rd->named[parts[i]] ? rd->named[parts[i]] : "");
		buf_putc(b, '\n');
	}
	put_cells(rd, COL_PARAM, b);
	return b->p;
}

static struct format_series *series_at(struct reading *rd, bool *first, const char ***rest)
{
	size_t i = format_group(&rd->groups, series_key(rd), first);

	if (i == rd->cap_series) {
		size_t more = i ? i * 2 : 64;

		rd->series = arena_grow(rd->f->a, rd->series, i * sizeof(*rd->series), more * sizeof(*rd->series));
		rd->rest = arena_grow(rd->f->a, rd->rest, i * sizeof(*rd->rest), more * sizeof(*rd->rest));
		rd->cap_series = more;
	}
	*rest = &rd->rest[i];
	return &rd->series[i];
}

/*
 * A row of a series that was there before is a repetition; unless a column that we do
 * not know says something else in it: then the two are not the same thing.
 */
static bool is_repetition(struct reading *rd, const struct format_series *s, const char *rest)
{
	struct buf *b = &rd->d.scratch;

	buf_clear(b);
	put_cells(rd, COL_UNKNOWN, b);
	if (strcmp(b->p, rest)) {
		left_out(rd, arena_printf(rd->f->a, "expected the same in all other columns as in line %zu, a row of "
					  "the same series; a parameter's column is called param.NAME", s->r.index));
		return false;
	}
	if (!s->n_values || !rd->named[COL_VALUE]) {
		left_out(rd, arena_printf(rd->f->a, "the series of line %zu again, and not both are plain values",
					  s->r.index));
		return false;
	}
	return true;
}

/* The row as a result: its words, its summary if it has one. False when it is left out. */
static bool result_of_row(struct reading *rd, struct draft_result *r, double *value)
{
	*r = (struct draft_result){ .in = "line", .index = rd->row.row_line, .metric = rd->named[COL_METRIC],
				    .unit = rd->named[COL_UNIT], .error = rd->named[COL_ERROR] };
	r->benchmark = rd->named[COL_BENCHMARK];
	if (!rd->has[COL_BENCHMARK])
		r->benchmark = rd->f->ctx->benchmark;
	else if (r->benchmark)
		r->benchmark = format_benchmark(rd->f, r->benchmark);
	if (!words(rd, r) || !number(rd, COL_VALUE, value) || !count(rd, COL_ITERATIONS, &r->iterations) ||
	    !count(rd, COL_N, &r->n) || !number(rd, COL_MEAN, &r->mean) || !number(rd, COL_MEDIAN, &r->median) ||
	    !number(rd, COL_STDDEV, &r->stddev) || !number(rd, COL_MIN, &r->min) || !number(rd, COL_MAX, &r->max))
		return false;
	r->has_summary = isnan(*value) && !isnan(r->mean);
	if (r->status == RESULT_OK && isnan(*value) && !r->has_summary) {
		left_out(rd, "expected a number in column value");
		return false;
	}
	if (r->status != RESULT_OK && (!isnan(*value) || r->has_summary)) {
		left_out(rd, "expected no number in a row that failed or was skipped");
		return false;
	}
	return true;
}

static void take_row(struct reading *rd)
{
	struct draft_result r;
	struct format_series *s;
	const char **rest;
	double value;
	bool first;

	memset(rd->named, 0, sizeof(rd->named));
	for (size_t i = 0; i < rd->row.n_cells && i < rd->n_columns; i++)
		if (rd->kinds[i] < COL_PARAM && *rd->row.cells[i])
			rd->named[rd->kinds[i]] = rd->row.cells[i];
	if (rd->row.n_cells > rd->n_columns) {
		left_out(rd, arena_printf(rd->f->a, "expected %zu cells, these are %zu", rd->n_columns, rd->row.n_cells));
		return;
	}
	if (!result_of_row(rd, &r, &value))
		return;
	if (!isnan(value) && submission_build_bad_value(rd->f->a, r.unit, value)) {
		left_out(rd, arena_printf(rd->f->a, "expected a time above 0 in column value, this is %s",
					  rd->named[COL_VALUE]));
		return;
	}
	s = series_at(rd, &first, &rest);
	if (first) {
		params(rd, &r);
		*s = (struct format_series){ .r = r };
		buf_clear(&rd->d.scratch);
		put_cells(rd, COL_UNKNOWN, &rd->d.scratch);
		*rest = arena_strdup(rd->f->a, rd->d.scratch.p);
	} else if (!is_repetition(rd, s, *rest)) {
		return;
	}
	if (!isnan(value))
		format_series_add(rd->f->a, s, value);
}

int format_csv_sniff(const char *text, size_t len)
{
	const char *nl = memchr(text, '\n', len);
	size_t n = nl ? (size_t)(nl - text) : len;

	return memmem(text, n, "metric", 6) && memmem(text, n, "unit", 4) && memmem(text, n, "better", 6) ? 80 : 0;
}

static int read_rows(struct reading *rd, struct err *err)
{
	int more;

	if (header(rd, err))
		return -1;
	while ((more = format_cells_row(&rd->row)) > 0)
		take_row(rd);
	if (more < 0)
		left_out(rd, "expected the end of a quoted cell");
	format_series_end(&rd->d, rd->series, rd->groups.n);
	format_add(rd->f, &rd->d);
	return 0;
}

int format_csv_read(struct format_file *f, struct err *err)
{
	struct reading *rd = arena_zalloc(f->a, sizeof(*rd));
	int ret;

	rd->f = f;
	rd->groups.a = f->a;
	format_draft(f, &rd->d);
	format_cells_init(&rd->row, f->a, &rd->d.scratch, f->text, f->len);
	ret = read_rows(rd, err);
	submission_build_fini(&rd->d);
	return ret;
}
