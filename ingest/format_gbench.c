/* SPDX-License-Identifier: GPL-2.0-or-later */
/* google-benchmark's JSON. */
#include "format_gbench.h"

#include <string.h>

#include "jread.h"

struct reading {
	struct format_file *f;
	struct draft d;
	struct format_gbench_rows rows;
};

static const char *text_of(const struct jnode *row, const char *key)
{
	return jread_str(jread_get(row, key));
}

/* The name of a number that is no field of the format: a counter of the user's. NULL = none. */
static const char *counter_of(const struct jnode *row)
{
	static const char *const known[] = { "family_index", "per_family_instance_index", "repetitions",
					     "repetition_index", "threads", "iterations", "real_time", "cpu_time",
					     NULL };
	const struct jmember *m;

	for (m = jread_first(row); m; m = jread_next(row, m)) {
		size_t k = 0;

		while (known[k] && strcmp(known[k], jread_key(m)))
			k++;
		if (!known[k] && jread_type(jread_value(m)) == JREAD_NUMBER)
			return jread_key(m);
	}
	return NULL;
}

static void take_row(struct reading *rd, const struct jnode *v, size_t i)
{
	const char *type = text_of(v, "run_type");
	struct format_gbench_row row = {
		.in = "/benchmarks", .index = i, .name = text_of(v, "name"), .run_name = text_of(v, "run_name"),
		.aggregate = text_of(v, "aggregate_name"), .unit = text_of(v, "time_unit"), .counter = counter_of(v),
		.failed = jread_bool(jread_get(v, "error_occurred")), .skipped = jread_bool(jread_get(v, "skipped")),
		.has_time = jread_type(jread_get(v, "real_time")) == JREAD_NUMBER,
	};

	if (type && !strcmp(type, "aggregate") && !row.aggregate)
		row.aggregate = "";	/* the name's suffix tells which */
	row.measured = type && !row.aggregate;
	row.why = text_of(v, row.failed ? "error_message" : "skip_message");
	if (row.has_time)
		row.real_time = jread_num(jread_get(v, "real_time"));
	row.has_iterations = jread_int(jread_get(v, "iterations"), &row.iterations);
	/* an aggregate's iterations are its repetitions, since run_type came */
	if (!jread_int(jread_get(v, "repetitions"), &row.repetitions) && type)
		row.repetitions = row.has_iterations ? row.iterations : 0;
	format_gbench_add(&rd->rows, &row);
}

static void read_rows(struct reading *rd, const struct jnode *rows)
{
	size_t n = jread_len(rows);

	for (size_t i = 0; i < n; i++) {
		const struct jnode *v = jread_at(rows, i);

		if (jread_type(v) == JREAD_OBJECT)
			take_row(rd, v, i);
		else
			submission_build_wrong(&rd->d, &(struct draft_result){ .in = "/benchmarks", .index = i }, NULL,
					       "expected an object");
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
	format_gbench_results(rd->f, &rd->d, &rd->rows);
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
	struct reading rd = { .f = f, .rows = { .a = f->a } };
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
