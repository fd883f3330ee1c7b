/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * google-benchmark's JSON: one series a run_name, its real_time; repetitions are its
 * values, in whatever order they stand (random interleaving shuffles them).
 * Aggregates are no series unless the file has nothing else; fits (BigO, RMS), CPU
 * times and user counters are told as not imported.
 */
#include "format.h"

#include <math.h>
#include <string.h>

#include "jread.h"
#include "unit.h"

struct series {
	struct format_series s;
	size_t failed_at;		/* index + 1 of the first row with an error */
};

struct reading {
	struct format_file *f;
	struct draft d;
	struct format_groups names;
	struct series *series;
	size_t cap_series;
	size_t counters;		/* rows with numbers that we do not know */
	const char *counter;		/* the first one's name */
};

static const char *const suffixes[] = { "_mean", "_median", "_stddev", "_cv", "_min", "_max", "_BigO", "_RMS", NULL };

/* The suffix that an aggregate's name ends in ("_mean"), or NULL. */
static const char *suffix_of(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; suffixes[i]; i++) {
		size_t len = strlen(suffixes[i]);

		if (n > len && !strcmp(name + n - len, suffixes[i]))
			return suffixes[i];
	}
	return NULL;
}

static const char *text_of(const struct jnode *row, const char *key)
{
	return jread_str(jread_get(row, key));
}

/* The name that repetitions share. */
static const char *run_name(struct arena *a, const struct jnode *row, bool aggregate)
{
	const char *run = text_of(row, "run_name"), *name = text_of(row, "name");
	const char *suffix;

	if (run || !name || !aggregate)
		return run ? run : name;
	suffix = suffix_of(name);
	return suffix ? arena_strndup(a, name, strlen(name) - strlen(suffix)) : name;
}

static const char *aggregate_name(const struct jnode *row)
{
	const char *word = text_of(row, "aggregate_name"), *name = text_of(row, "name");

	if (word || !name)
		return word ? word : "";
	word = suffix_of(name);
	return word ? word + 1 : "";
}

static bool is_fit(const char *aggregate)
{
	return !strcmp(aggregate, "BigO") || !strcmp(aggregate, "RMS");
}

static int left_out(struct reading *rd, size_t i, const char *what)
{
	if (rd->d.left_out->n == PROBLEMS_MAX) {
		rd->d.left_out->total++;
		return -1;
	}
	return problems_add(rd->d.left_out, arena_printf(rd->f->a, "/benchmarks/%zu", i), "%s", what);
}

/* The series of a row, new at its first one. */
static struct series *series_of(struct reading *rd, const char *name, size_t i)
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
			.in = "/benchmarks", .index = i, .metric = "real_time", .better = BETTER_LOWER,
			.benchmark = format_benchmark(rd->f, rd->names.keys[at]) } };
	return &rd->series[at];
}

static bool is_number(const struct jnode *row, const char *key)
{
	return jread_type(jread_get(row, key)) == JREAD_NUMBER;
}

/* Says so when a number stands there that is no field of the format: a counter of the user's. */
static void see_counters(struct reading *rd, const struct jnode *row)
{
	static const char *const known[] = { "family_index", "per_family_instance_index", "repetitions",
					     "repetition_index", "threads", "iterations", "real_time", "cpu_time",
					     NULL };
	const struct jmember *m;

	for (m = jread_first(row); m; m = jread_next(row, m)) {
		size_t k = 0;

		while (known[k] && strcmp(known[k], jread_key(m)))
			k++;
		if (known[k] || jread_type(jread_value(m)) != JREAD_NUMBER)
			continue;
		if (!rd->counter)
			rd->counter = arena_strdup(rd->f->a, jread_key(m));
		rd->counters++;
		return;
	}
}

/* "error_occurred" of all versions, "skipped" of newer ones: true when the row measured nothing. */
static bool take_error(struct reading *rd, const struct jnode *row, const char *name, size_t i)
{
	bool failed = jread_bool(jread_get(row, "error_occurred")), skipped = jread_bool(jread_get(row, "skipped"));
	const char *why = text_of(row, failed ? "error_message" : "skip_message");
	struct series *s;

	if (!failed && !skipped)
		return false;
	s = series_of(rd, name, i);
	if (s->failed_at) {
		left_out(rd, i, "a further repetition with an error");
		return true;
	}
	s->failed_at = i + 1;
	s->s.r.status = failed ? RESULT_FAILED : RESULT_SKIPPED;
	s->s.r.error = arena_strdup(rd->f->a, why ? why : "");
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
static double real_time(struct reading *rd, const struct jnode *row, size_t i)
{
	const struct jnode *v = jread_get(row, "real_time");

	if (jread_type(v) != JREAD_NUMBER || !(jread_num(v) > 0)) {
		left_out(rd, i, "expected real_time, a number above 0");
		return NAN;
	}
	if (!(nsec_of(rd->f->a, text_of(row, "time_unit")) > 0)) {
		left_out(rd, i, "expected time_unit: ns, us, ms or s");
		return NAN;
	}
	return jread_num(v);
}

static void take_row(struct reading *rd, const struct jnode *row, size_t i)
{
	const char *name = run_name(rd->f->a, row, false), *unit = text_of(row, "time_unit");
	struct series *s;
	int64_t n;
	double v;

	if (!name || !*name) {
		left_out(rd, i, "expected a name");
		return;
	}
	if (take_error(rd, row, name, i))
		return;
	v = real_time(rd, row, i);
	if (isnan(v))
		return;
	see_counters(rd, row);
	s = series_of(rd, name, i);
	if (!s->s.n_values)
		s->s.r.unit = arena_strdup(rd->f->a, unit);
	else
		v *= nsec_of(rd->f->a, unit) / nsec_of(rd->f->a, s->s.r.unit);	/* each row has its own */
	if (jread_int(jread_get(row, "iterations"), &n) && n >= 0)
		s->s.r.iterations = n;
	format_series_add(rd->f->a, &s->s, v);
}

static bool has_series(struct reading *rd, const char *name)
{
	size_t at;

	return name && format_group_find(&rd->names, name, &at);
}

enum kind { NOTHING, MEASURED, AGGREGATE, BY_NAME };

static enum kind kind_of(const struct jnode *row)
{
	const char *type = text_of(row, "run_type"), *name = text_of(row, "name");

	if (jread_type(row) != JREAD_OBJECT)
		return NOTHING;
	if ((type && !strcmp(type, "aggregate")) || jread_get(row, "aggregate_name"))
		return AGGREGATE;
	/* before run_type came, aggregates were rows like the others, told by their names */
	return !type && name && suffix_of(name) ? BY_NAME : MEASURED;
}

/* Repetitions speak for themselves; what only an aggregate tells is left out, and said. */
static void pass_by(struct reading *rd, const struct jnode *row, size_t i)
{
	const char *what = aggregate_name(row);

	if (is_fit(what))
		left_out(rd, i, "a fit over sizes (BigO, RMS) is no measurement");
	else if (!has_series(rd, run_name(rd->f->a, row, true)))
		left_out(rd, i, "an aggregate without its repetitions, in a file that has some");
}

/* A file of nothing but aggregates: mean, median and stddev of a run_name make a summary. */
static void take_aggregate(struct reading *rd, const struct jnode *row, size_t i)
{
	const char *what = aggregate_name(row), *name = run_name(rd->f->a, row, true);
	const char *unit = text_of(row, "time_unit");
	struct draft_result *r;
	double v;

	if (is_fit(what)) {
		pass_by(rd, row, i);
		return;
	}
	if (!name || !*name || !(nsec_of(rd->f->a, unit) > 0) || !is_number(row, "real_time")) {
		left_out(rd, i, "expected a name, real_time and time_unit");
		return;
	}
	v = jread_num(jread_get(row, "real_time"));
	r = &series_of(rd, name, i)->s.r;
	if (!r->unit) {
		r->unit = arena_strdup(rd->f->a, unit);
		r->mean = r->median = r->stddev = r->min = r->max = NAN;
	}
	if (!strcmp(what, "mean")) {
		r->has_summary = true;
		r->mean = v;
		/* an aggregate's iterations are its repetitions, since run_type came */
		if (!jread_int(jread_get(row, "repetitions"), &r->n) && text_of(row, "run_type"))
			jread_int(jread_get(row, "iterations"), &r->n);
	} else if (!strcmp(what, "median")) {
		r->median = v;
	} else if (!strcmp(what, "stddev")) {
		r->stddev = v;
	} else if (strcmp(what, "cv")) {
		left_out(rd, i, "expected an aggregate mean, median, stddev or cv");
	}
}

/* What only its name calls an aggregate is one where the file has what it aggregates. */
static enum kind kind_by_name(struct reading *rd, const struct jnode *row)
{
	if (is_fit(aggregate_name(row)) || !rd->names.n)
		return AGGREGATE;
	return has_series(rd, run_name(rd->f->a, row, true)) ? AGGREGATE : MEASURED;
}

static void read_rows(struct reading *rd, const struct jnode *rows)
{
	size_t n = jread_len(rows);
	enum kind *kinds = arena_array(rd->f->a, enum kind, n);
	bool only_aggregates;

	for (size_t i = 0; i < n; i++) {
		kinds[i] = kind_of(jread_at(rows, i));
		if (kinds[i] == MEASURED)
			take_row(rd, jread_at(rows, i), i);
		else if (kinds[i] == NOTHING)
			left_out(rd, i, "expected an object");
	}
	for (size_t i = 0; i < n; i++) {
		if (kinds[i] != BY_NAME)
			continue;
		kinds[i] = kind_by_name(rd, jread_at(rows, i));
		if (kinds[i] == MEASURED)
			take_row(rd, jread_at(rows, i), i);
	}
	only_aggregates = !rd->names.n;
	for (size_t i = 0; i < n; i++) {
		if (kinds[i] != AGGREGATE)
			continue;
		if (only_aggregates)
			take_aggregate(rd, jread_at(rows, i), i);
		else
			pass_by(rd, jread_at(rows, i), i);
	}
}

/* Series to the draft; an error beside good repetitions is told, not stored. */
static void end_series(struct reading *rd)
{
	for (size_t i = 0; i < rd->names.n; i++) {
		struct series *s = &rd->series[i];

		if (s->s.n_values && s->failed_at) {
			left_out(rd, s->failed_at - 1, "a repetition with an error, beside good ones");
			s->s.r.status = RESULT_OK;
			s->s.r.error = NULL;
		} else if (!s->s.n_values && !s->failed_at && !s->s.r.has_summary) {
			left_out(rd, s->s.r.index, "expected its mean");
			continue;
		}
		format_series_end(&rd->d, &s->s, 1);
	}
}

/* The file's own words on where it ran: not identity, but kept with the run. */
static void take_context(struct reading *rd, const struct jnode *context)
{
	struct draft *d = &rd->d;
	const char *date = text_of(context, "date");

	if (jread_type(context) != JREAD_OBJECT)
		return;
	buf_clear(&d->scratch);
	jread_canonical(context, NULL, &d->scratch);
	d->environment = arena_strndup(d->a, d->scratch.p, d->scratch.len);
	format_source(rd->f, d, "google-benchmark", text_of(context, "library_version"), text_of(context, "executable"));
	if (d->started_at != TM_NONE || !date)
		return;
	if (tm_parse(date, &d->started_at)) {	/* old ones have no offset: that is no point in time */
		d->started_at = TM_NONE;
		problems_add(d->warnings, "/context/date", "\"%s\" has no offset from UTC, not used", date);
	}
}

static void read_document(struct reading *rd, const struct jnode *root)
{
	take_context(rd, jread_get(root, "context"));
	read_rows(rd, jread_get(root, "benchmarks"));
	end_series(rd);
	if (rd->counters)
		problems_add(rd->d.left_out, "/benchmarks", "user counters (%s, ...) of %zu rows: only real_time is imported",
			     rd->counter, rd->counters);
	format_add(rd->f, &rd->d);
}

int format_gbench_sniff(const char *text, size_t len)
{
	if (*text != '{' || !memmem(text, len, "\"benchmarks\"", strlen("\"benchmarks\"")))
		return 0;
	if (memmem(text, len, "\"real_time\"", strlen("\"real_time\"")))
		return 90;
	/* nothing measured; pytest-benchmark has "benchmarks" too */
	return memmem(text, len, "\"error_occurred\"", strlen("\"error_occurred\"")) ||
		memmem(text, len, "\"library_build_type\"", strlen("\"library_build_type\"")) ? 50 : 0;
}

int format_gbench_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .f = f, .names = { .a = f->a } };
	struct jread_split split;
	struct jnode *root;
	bool syntax;

	if (jread_split(f->a, f->text, f->len, SUBMISSION_DEPTH_MAX, &split, err))
		return -1;
	if (split.is_array)
		return err_set(err, ERR_INVALID, "google-benchmark: an object with \"benchmarks\" is needed, this is an array");
	root = jread_parse(&split.slices[0], &syntax, err);
	if (!root)
		return -1;
	if (jread_type(root) != JREAD_OBJECT || jread_type(jread_get(root, "benchmarks")) != JREAD_ARRAY) {
		jread_free(root);
		return err_set(err, ERR_INVALID, "google-benchmark: an object with an array \"benchmarks\" is needed");
	}
	format_draft(f, &rd.d);
	read_document(&rd, root);
	submission_build_fini(&rd.d);
	jread_free(root);
	return 0;
}
