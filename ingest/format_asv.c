/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * airspeed velocity's results file: benchmarks by name, each a number, null (it failed),
 * NaN (it was skipped), or a list with one of these for each combination of parameters,
 * the last parameter varying fastest. What the name begins with tells the unit (asv's
 * own rule); parameters have values here and no names. Where raw samples are kept, they
 * are the repetitions.
 */
#include "format_sink.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "format_json.h"

struct reading {
	struct format_sink k;
	const struct jnode *columns;	/* result_columns, or NULL: format 1 */
	int64_t started_at;		/* the earliest in ms, or 0 */
};

/* One benchmark's columns, whichever form they came in. */
struct row {
	const struct jnode *result, *params, *samples;
};

/* "pkg.Suite.time_x": what the last part begins with. */
static void set_kind(struct draft_result *r)
{
	static const struct {
		const char *prefix, *metric, *unit;
		enum better better;
	} kinds[] = {
		{ "time_", "time", "s", BETTER_LOWER },		{ "timeraw_", "time", "s", BETTER_LOWER },
		{ "mem_", "memory", "B", BETTER_LOWER },	{ "peakmem_", "peak_memory", "B", BETTER_LOWER },
		/* track_*: only benchmarks.json knows what it is */
	};
	const char *last = strrchr(r->benchmark, '.');

	last = last ? last + 1 : r->benchmark;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strncmp(last, kinds[i].prefix, strlen(kinds[i].prefix)))
			continue;
		r->metric = kinds[i].metric;
		r->unit = kinds[i].unit;
		r->better = kinds[i].better;
	}
}

static const struct jnode *column(const struct reading *rd, const struct jnode *row, const char *name)
{
	for (size_t i = 0; i < jread_len(rd->columns) && i < jread_len(row); i++) {
		const char *c = jread_str(jread_at(rd->columns, i));

		if (c && !strcmp(c, name))
			return jread_at(row, i);
	}
	return NULL;
}

static void take_start(struct reading *rd, const struct jnode *started)
{
	int64_t ms;

	if (jread_int(started, &ms) && ms > 0 && ms < INT64_MAX / 1000 && (!rd->started_at || ms < rd->started_at))
		rd->started_at = ms;
}

static struct row row_of(struct reading *rd, const struct jnode *v)
{
	struct row row = { .result = v };

	if (rd->columns && jread_type(v) == JREAD_ARRAY) {
		row.result = column(rd, v, "result");
		row.params = column(rd, v, "params");
		row.samples = column(rd, v, "samples");
		take_start(rd, column(rd, v, "started_at"));
	} else if (jread_type(v) == JREAD_OBJECT) {
		row.result = jread_get(v, "result");
		row.params = jread_get(v, "params");
		row.samples = jread_get(v, "samples");
	}
	return row;
}

static size_t combinations(const struct jnode *params)
{
	size_t n = 1;

	for (size_t i = 0; jread_type(params) == JREAD_ARRAY && i < jread_len(params) && n < SUBMISSION_RESULTS_MAX; i++)
		n *= jread_len(jread_at(params, i));
	return n;
}

/* asv writes Python's repr(): 'text' in quotes. */
static const char *value_of(struct arena *a, const struct jnode *v)
{
	const char *s = jread_str(v);
	size_t n = s ? strlen(s) : 0;

	if (n >= 2 && (*s == '\'' || *s == '"') && s[n - 1] == *s)
		return arena_strndup(a, s + 1, n - 2);
	return s;
}

/* The parameters of combination `at`, the last varying fastest. */
static void set_params(struct format_sink *k, const struct jnode *params, size_t at)
{
	size_t n = jread_type(params) == JREAD_ARRAY ? jread_len(params) : 0;

	k->n_params = 0;
	for (size_t i = n; i-- > 0;) {
		const struct jnode *values = jread_at(params, i);
		size_t m = jread_len(values);

		if (!m)
			continue;
		format_sink_word(k, n == 1 ? "param" : arena_printf(k->f->a, "param%zu", i + 1),
				 value_of(k->f->a, jread_at(values, at % m)));
		at /= m;
	}
}

static void take_value(struct format_sink *k, struct draft_result *r, const struct jnode *v, const struct jnode *samples)
{
	size_t n = jread_type(samples) == JREAD_ARRAY ? jread_len(samples) : 0;

	if (jread_type(v) != JREAD_NUMBER) {
		format_left_out(&k->d, r->in, jread_type(v) == JREAD_NULL ? "null: this benchmark failed, or was skipped (NaN)" :
				"expected a number, or null");
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (jread_type(jread_at(samples, i)) != JREAD_NUMBER)
			n = 0;
	for (size_t i = 0; i < n; i++)
		format_sink_add(k, r, jread_num(jread_at(samples, i)));
	if (!n)
		format_sink_add(k, r, jread_num(v));
}

static void take_benchmark(struct reading *rd, const char *name, const struct jnode *v)
{
	struct arena *a = rd->k.f->a;
	const char *at = jread_pointer(a, "/results", name);
	struct draft_result r = { .in = at, .index = DRAFT_RESULT_NO_INDEX, .benchmark = name, .metric = "value",
				  .unit = "unstated" };
	struct row row = row_of(rd, v);
	size_t n = jread_type(row.result) == JREAD_ARRAY ? jread_len(row.result) : 1;

	set_kind(&r);
	if (jread_type(row.result) != JREAD_ARRAY) {
		rd->k.n_params = 0;
		take_value(&rd->k, &r, row.result, jread_type(jread_at(row.samples, 0)) == JREAD_ARRAY ?
			   jread_at(row.samples, 0) : row.samples);
		return;
	}
	if (n != combinations(row.params)) {
		format_left_out(&rd->k.d, at, arena_printf(a, "expected a result for each of %zu combinations of parameters, "
							   "these are %zu", combinations(row.params), n));
		return;
	}
	for (size_t i = 0; i < n; i++) {
		set_params(&rd->k, row.params, i);
		r.in = format_json_place(a, at, i);
		take_value(&rd->k, &r, jread_at(row.result, i), jread_type(row.samples) == JREAD_ARRAY ? jread_at(row.samples, i) : NULL);
	}
}

/* machine.json's facts in params: the machine's name, and "Linux 5.4.0-42-generic" as its os. */
static void take_machine(struct reading *rd, const struct jnode *root)
{
	const struct jnode *params = jread_get(root, "params");
	const char *machine = format_json_text(params, "machine"), *os = format_json_text(params, "os");
	const char *commit = format_json_text(root, "commit_hash"), *isa = format_json_text(params, "arch");
	struct draft *d = &rd->k.d;

	if (jread_type(params) == JREAD_OBJECT)
		d->environment = format_json_copy(d, params);
	if (!d->machine && machine)
		d->machine = arena_strdup(d->a, machine);
	if (!d->isa && isa)
		d->isa = arena_strdup(d->a, isa);
	if (!d->kernel && os && !strncmp(os, "Linux ", 6) && isdigit((unsigned char)os[6])) {
		d->kernel = arena_strdup(d->a, os + 6);
		d->kernel_at = "/params/os";
	}
	format_said_commit(d, commit);
}

int format_asv_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .started_at = 0 };
	struct jnode *root = format_json(f, JREAD_OBJECT, "{\"commit_hash\", \"params\", \"results\": {...}}", NULL, err);
	const struct jnode *results = root ? jread_get(root, "results") : NULL;

	if (!root)
		return -1;
	if (jread_type(results) != JREAD_OBJECT) {
		jread_free(root);
		return err_set(err, ERR_INVALID, "/results: expected an object, asv's results by benchmark");
	}
	if (jread_type(jread_get(root, "result_columns")) == JREAD_ARRAY)
		rd.columns = jread_get(root, "result_columns");
	format_sink_init(&rd.k, f, "asv");
	take_machine(&rd, root);
	for (const struct jmember *m = jread_first(results); m; m = jread_next(results, m))
		take_benchmark(&rd, arena_strdup(f->a, jread_key(m)), jread_value(m));
	if (rd.started_at && rd.k.d.started_at == TM_NONE)
		rd.k.d.started_at = rd.started_at * 1000;
	rd.k.d.empty = !jread_len(results);
	format_sink_end(&rd.k);
	jread_free(root);
	return 0;
}

int format_asv_sniff(const char *text, size_t len)
{
	return *text == '{' && format_json_has(text, len, "commit_hash") && format_json_has(text, len, "results") &&
		(format_json_has(text, len, "params") || format_json_has(text, len, "env_vars")) ? 80 : 0;
}
