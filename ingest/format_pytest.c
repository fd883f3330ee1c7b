/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pytest-benchmark --benchmark-json: seconds a call, each round in stats.data (left out
 * of it without --benchmark-save-data: then the tool's own figures). What varies
 * between the cases of a test is in params.
 */
#include "format_sink.h"

#include <math.h>
#include <string.h>

#include "format_json.h"

static void set_params(struct format_sink *k, const struct jnode *params)
{
	k->n_params = 0;
	for (const struct jmember *m = jread_first(params); m; m = jread_next(params, m)) {
		const struct jnode *v = jread_value(m);

		if (jread_type(v) == JREAD_NUMBER)
			format_sink_number(k, jread_key(m), jread_num(v));
		else if (jread_type(v) == JREAD_STRING)
			format_sink_text(k, jread_key(m), jread_str(v));
		else if (jread_type(v) == JREAD_BOOL)
			format_sink_text(k, jread_key(m), jread_bool(v) ? "true" : "false");
	}
}

/* "bench.py::test_fib[10]" is a case of "bench.py::test_fib" where its parameters are said. */
static const char *name_of(struct format_sink *k, const struct jnode *row)
{
	const char *name = format_json_text(row, "fullname"), *open;
	size_t n;

	if (!name)
		name = format_json_text(row, "name");
	if (!name || !k->n_params)
		return name;
	n = strlen(name);
	open = strchr(name, '[');
	return open && open > name && name[n - 1] == ']' ? arena_strndup(k->f->a, name, (size_t)(open - name)) : name;
}

/* Whether data holds the rounds, all of them numbers. */
static bool has_rounds(const struct jnode *data)
{
	size_t n = jread_type(data) == JREAD_ARRAY ? jread_len(data) : 0;

	for (size_t i = 0; i < n; i++)
		if (jread_type(jread_at(data, i)) != JREAD_NUMBER)
			return false;
	return n > 0;
}

static void take_stats(struct format_sink *k, struct draft_result *r, const struct jnode *stats)
{
	const struct jnode *data = jread_get(stats, "data");

	if (has_rounds(data)) {
		for (size_t i = 0; i < jread_len(data); i++)
			format_sink_add(k, r, jread_num(jread_at(data, i)));
		return;
	}
	r->has_summary = true;
	if (!jread_int(jread_get(stats, "rounds"), &r->n))
		r->n = 1;
	r->mean = format_json_number(jread_get(stats, "mean"));
	r->median = format_json_number(jread_get(stats, "median"));
	r->stddev = r->n > 1 ? format_json_number(jread_get(stats, "stddev")) : NAN;
	r->min = format_json_number(jread_get(stats, "min"));
	r->max = format_json_number(jread_get(stats, "max"));
	format_sink_result(k, r);
}

static void take_row(struct format_sink *k, const struct jnode *row, size_t i)
{
	const char *at = format_json_place(k->f->a, "/benchmarks", i);
	struct draft_result r = { .in = at, .index = DRAFT_RESULT_NO_INDEX, .metric = "time", .unit = "s", .better = BETTER_LOWER };
	const struct jnode *stats = jread_get(row, "stats");

	set_params(k, jread_get(row, "params"));
	r.benchmark = name_of(k, row);
	if (!r.benchmark || jread_type(stats) != JREAD_OBJECT) {
		format_left_out(&k->d, at, "expected {\"fullname\": TEXT, \"stats\": {...}}");
		return;
	}
	if (!jread_int(jread_get(stats, "iterations"), &r.iterations) || r.iterations < 0)
		r.iterations = 0;
	take_stats(k, &r, stats);
}

static void take_machine(struct format_sink *k, const struct jnode *root)
{
	const struct jnode *machine = jread_get(root, "machine_info");
	const char *system = format_json_text(machine, "system"), *release = format_json_text(machine, "release");
	struct draft *d = &k->d;

	if (jread_type(machine) == JREAD_OBJECT)
		d->environment = format_json_copy(d, machine);
	if (!d->isa && format_json_text(machine, "machine"))
		d->isa = arena_strdup(d->a, format_json_text(machine, "machine"));
	if (system && release && !strcmp(system, "Linux") && !d->kernel) {
		d->kernel = arena_strdup(d->a, release);
		d->kernel_at = "/machine_info/release";
	}
	format_source(k->f, d, "pytest-benchmark", format_json_text(root, "version"), NULL);
}

int format_pytest_read(struct format_file *f, struct err *err)
{
	struct format_sink k;
	struct jnode *root = format_json(f, JREAD_OBJECT, "{\"machine_info\": ..., \"benchmarks\": [...]}", NULL, err);
	const struct jnode *rows = root ? jread_get(root, "benchmarks") : NULL;

	if (!root)
		return -1;
	if (jread_type(rows) != JREAD_ARRAY) {
		jread_free(root);
		return err_set(err, ERR_INVALID, "/benchmarks: expected an array, pytest-benchmark's results");
	}
	format_sink_init(&k, f, NULL);
	take_machine(&k, root);
	for (size_t i = 0; i < jread_len(rows); i++)
		take_row(&k, jread_at(rows, i), i);
	k.d.empty = !jread_len(rows);
	format_sink_end(&k);
	jread_free(root);
	return 0;
}

int format_pytest_sniff(const char *text, size_t len)
{
	return *text == '{' && format_json_has(text, len, "benchmarks") &&
		(format_json_has(text, len, "machine_info") || format_json_has(text, len, "commit_info")) ? 80 : 0;
}
