/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From google-benchmark's rows to series: one a run_name, its real_time; repetitions
 * are its values, in whatever order they stand (random interleaving shuffles them).
 * Aggregates are no series unless the file has nothing else; fits (BigO, RMS), CPU
 * times and user counters are told as not imported.
 */
#include "format_gbench.h"

#include <math.h>
#include <string.h>

#include "unit.h"

struct series {
	struct format_series s;
	const struct format_gbench_row *failed;	/* the first row with an error */
};

struct reading {
	struct format_file *f;
	struct draft *d;
	struct format_groups names;
	struct series *series;
	size_t cap_series;
	size_t counters;		/* rows with numbers that we do not know */
	const char *counter;		/* the first one's name */
};

void format_gbench_add(struct format_gbench_rows *rows, const struct format_gbench_row *row)
{
	if (rows->n == rows->cap) {
		size_t more = rows->cap ? rows->cap * 2 : 64;

		rows->rows = arena_grow(rows->a, rows->rows, rows->cap * sizeof(*row), more * sizeof(*row));
		rows->cap = more;
	}
	rows->rows[rows->n++] = *row;
}

const char *format_gbench_aggregate(const char *name)
{
	static const char *const words[] = { "mean", "median", "stddev", "cv", "min", "max", "BigO", "RMS" };
	const char *last = strrchr(name, '_');

	if (!last || last == name)
		return NULL;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(last + 1, words[i]))
			return words[i];
	return NULL;
}

/* The name that repetitions share. */
static const char *run_name(struct arena *a, const struct format_gbench_row *row, bool aggregate)
{
	const char *suffix;

	if (row->run_name || !row->name || !aggregate)
		return row->run_name ? row->run_name : row->name;
	suffix = format_gbench_aggregate(row->name);
	return suffix ? arena_strndup(a, row->name, strlen(row->name) - strlen(suffix) - 1) : row->name;
}

static const char *aggregate_name(const struct format_gbench_row *row)
{
	const char *word = row->aggregate;

	if ((!word || !*word) && row->name)
		word = format_gbench_aggregate(row->name);
	return word ? word : "";
}

static bool is_fit(const char *aggregate)
{
	return !strcmp(aggregate, "BigO") || !strcmp(aggregate, "RMS");
}

static void left_out(struct reading *rd, const struct format_gbench_row *row, const char *what)
{
	submission_build_wrong(rd->d, &(struct draft_result){ .in = row->in, .index = row->index }, NULL, "%s", what);
}

/* The series of a row, new at its first one. */
static struct series *series_of(struct reading *rd, const char *name, const struct format_gbench_row *row)
{
	bool first;
	size_t at = format_group(&rd->names, name, &first);

	if (at == rd->cap_series) {
		size_t more = at ? at * 2 : 16;

		rd->series = arena_grow(rd->f->a, rd->series, at * sizeof(*rd->series), more * sizeof(*rd->series));
		rd->cap_series = more;
	}
	if (first)
		rd->series[at] = (struct series){ .s.r = {
			.in = row->in, .index = row->index, .metric = "real_time", .better = BETTER_LOWER,
			.benchmark = format_benchmark(rd->f, rd->names.keys[at]) } };
	return &rd->series[at];
}

static void see_counter(struct reading *rd, const struct format_gbench_row *row)
{
	if (!row->counter)
		return;
	if (!rd->counter)
		rd->counter = arena_strdup(rd->f->a, row->counter);
	rd->counters++;
}

/* "error_occurred" of all versions, "skipped" of newer ones: true when the row measured nothing. */
static bool take_error(struct reading *rd, const struct format_gbench_row *row, const char *name)
{
	struct series *s;

	if (!row->failed && !row->skipped)
		return false;
	s = series_of(rd, name, row);
	if (s->failed) {
		left_out(rd, row, "a further repetition with an error");
		return true;
	}
	s->failed = row;
	s->s.r.status = row->failed ? RESULT_FAILED : RESULT_SKIPPED;
	s->s.r.error = arena_strdup(rd->f->a, row->why ? row->why : "");
	if (!s->s.r.unit)
		s->s.r.unit = "ns";
	return true;
}

/* Nanoseconds of a time unit; 0 when it is none. */
static double nsec_of(struct arena *a, const char *unit)
{
	const char *canonical;
	double factor;

	return unit && unit_canonical(a, unit, &canonical, &factor) && !strcmp(canonical, "ns") ? factor : 0;
}

/* real_time of a row in its unit; NaN, and said, where it is none. */
static double real_time(struct reading *rd, const struct format_gbench_row *row)
{
	if (!row->has_time || !(row->real_time > 0)) {
		left_out(rd, row, "expected real_time, a number above 0");
		return NAN;
	}
	if (!(nsec_of(rd->f->a, row->unit) > 0)) {
		left_out(rd, row, "expected time_unit: ns, us, ms or s");
		return NAN;
	}
	return row->real_time;
}

static void take_row(struct reading *rd, const struct format_gbench_row *row)
{
	const char *name = run_name(rd->f->a, row, false);
	struct series *s;
	double v;

	if (!name || !*name) {
		left_out(rd, row, "expected a name");
		return;
	}
	if (take_error(rd, row, name))
		return;
	v = real_time(rd, row);
	if (isnan(v))
		return;
	see_counter(rd, row);
	s = series_of(rd, name, row);
	if (!s->s.n_values)
		s->s.r.unit = arena_strdup(rd->f->a, row->unit);
	else
		v *= nsec_of(rd->f->a, row->unit) / nsec_of(rd->f->a, s->s.r.unit);	/* each row has its own */
	if (row->has_iterations && row->iterations >= 0)
		s->s.r.iterations = row->iterations;
	format_series_add(rd->f->a, &s->s, v);
}

static bool has_series(struct reading *rd, const char *name)
{
	size_t at;

	return name && format_group_find(&rd->names, name, &at);
}

/* Repetitions speak for themselves; what only an aggregate tells is left out, and said. */
static void pass_by(struct reading *rd, const struct format_gbench_row *row)
{
	if (is_fit(aggregate_name(row)))
		left_out(rd, row, "a fit over sizes (BigO, RMS) is no measurement");
	else if (!has_series(rd, run_name(rd->f->a, row, true)))
		left_out(rd, row, "an aggregate without its repetitions, in a file that has some");
}

/* A file of nothing but aggregates: mean, median and stddev of a run_name make a summary. */
static void take_aggregate(struct reading *rd, const struct format_gbench_row *row)
{
	const char *what = aggregate_name(row), *name = run_name(rd->f->a, row, true);
	struct draft_result *r;

	if (is_fit(what)) {
		pass_by(rd, row);
		return;
	}
	if (!strcmp(what, "cv"))	/* stddev again, as a ratio */
		return;
	if (!name || !*name || !(nsec_of(rd->f->a, row->unit) > 0) || !row->has_time) {
		left_out(rd, row, "expected a name, real_time and time_unit");
		return;
	}
	r = &series_of(rd, name, row)->s.r;
	if (!r->unit) {
		r->unit = arena_strdup(rd->f->a, row->unit);
		r->mean = r->median = r->stddev = r->min = r->max = NAN;
	}
	if (!strcmp(what, "mean")) {
		r->has_summary = true;
		r->mean = row->real_time;
		r->n = row->repetitions;
	} else if (!strcmp(what, "median")) {
		r->median = row->real_time;
	} else if (!strcmp(what, "stddev")) {
		r->stddev = row->real_time;
	} else {
		left_out(rd, row, "expected an aggregate mean, median, stddev or cv");
	}
}

enum kind { MEASURED, AGGREGATE, BY_NAME };

static enum kind kind_of(const struct format_gbench_row *row)
{
	if (row->aggregate)
		return AGGREGATE;
	/* before run_type came, and in text, aggregates are rows like the others, told by their names */
	return !row->measured && row->name && format_gbench_aggregate(row->name) ? BY_NAME : MEASURED;
}

/* What only its name calls an aggregate is one where the file has what it aggregates. */
static enum kind kind_by_name(struct reading *rd, const struct format_gbench_row *row)
{
	if (is_fit(aggregate_name(row)) || !rd->names.n)
		return AGGREGATE;
	return has_series(rd, run_name(rd->f->a, row, true)) ? AGGREGATE : MEASURED;
}

static void take_rows(struct reading *rd, const struct format_gbench_rows *rows)
{
	enum kind *kinds = arena_array(rd->f->a, enum kind, rows->n);
	bool only_aggregates;

	for (size_t i = 0; i < rows->n; i++) {
		kinds[i] = kind_of(&rows->rows[i]);
		if (kinds[i] == MEASURED)
			take_row(rd, &rows->rows[i]);
	}
	for (size_t i = 0; i < rows->n; i++) {
		if (kinds[i] != BY_NAME)
			continue;
		kinds[i] = kind_by_name(rd, &rows->rows[i]);
		if (kinds[i] == MEASURED)
			take_row(rd, &rows->rows[i]);
	}
	only_aggregates = !rd->names.n;
	for (size_t i = 0; i < rows->n; i++) {
		if (kinds[i] != AGGREGATE)
			continue;
		if (only_aggregates)
			take_aggregate(rd, &rows->rows[i]);
		else
			pass_by(rd, &rows->rows[i]);
	}
}

/* Series to the draft; an error beside good repetitions is told, not stored. */
static void end_series(struct reading *rd)
{
	for (size_t i = 0; i < rd->names.n; i++) {
		struct series *s = &rd->series[i];

		if (s->s.n_values && s->failed) {
			left_out(rd, s->failed, "a repetition with an error, beside good ones");
			s->s.r.status = RESULT_OK;
			s->s.r.error = NULL;
		} else if (!s->s.n_values && !s->failed && !s->s.r.has_summary) {
			submission_build_wrong(rd->d, &s->s.r, NULL, "expected its mean");
			continue;
		}
		format_series_end(rd->d, &s->s, 1);
	}
}

void format_gbench_results(struct format_file *f, struct draft *d, const struct format_gbench_rows *rows)
{
	struct reading rd = { .f = f, .d = d, .names = { .a = f->a } };

	take_rows(&rd, rows);
	end_series(&rd);
	if (rd.counters)
		problems_add(d->left_out, rows->rows[0].in[0] == '/' ? rows->rows[0].in : "",
			     "user counters (%s, ...) of %zu rows: only real_time is imported", rd.counter, rd.counters);
}
