/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perfherder: what a job prints or writes (PERFHERDER_DATA: {"framework", "suites"},
 * subtests with replicates as repetitions), and the graph data of its predecessor
 * ({"test_runs": [[id, [build, buildid, revision], time, value, ...]]}: each row a run
 * of its own). lowerIsBetter is true where it is not said.
 */
#include "format_sink.h"

#include <math.h>
#include <string.h>

#include "format_json.h"

struct value {
	const char *at, *suite, *subtest;
	const struct jnode *node, *suite_node;
};

static enum better better_of(const struct value *v)
{
	const struct jnode *lower = jread_get(v->node, "lowerIsBetter");

	if (!lower)
		lower = jread_get(v->suite_node, "lowerIsBetter");
	return jread_type(lower) == JREAD_BOOL && !jread_bool(lower) ? BETTER_HIGHER : BETTER_LOWER;
}

static void take_value(struct format_sink *k, const struct value *v)
{
	const struct jnode *replicates = jread_get(v->node, "replicates");
	struct draft_result r = { .in = v->at, .index = DRAFT_RESULT_NO_INDEX, .metric = "value", .better = better_of(v),
				  .unit = format_json_text(v->node, "unit") };
	double value = format_json_number(jread_get(v->node, "value"));

	r.benchmark = v->subtest ? arena_printf(k->f->a, "%s/%s", v->suite, v->subtest) : v->suite;
	if (!r.unit)
		r.unit = format_json_text(v->suite_node, "unit");
	if (!r.unit || !*r.unit)
		r.unit = "unstated";
	if (jread_type(replicates) == JREAD_ARRAY && jread_len(replicates))
		for (size_t i = 0; i < jread_len(replicates); i++)
			format_sink_add(k, &r, format_json_number(jread_at(replicates, i)));
	else if (!isnan(value))
		format_sink_add(k, &r, value);
	else
		submission_build_wrong(&k->d, &r, NULL, "expected a number in value, or replicates");
}

static void set_options(struct format_sink *k, const struct jnode *options)
{
	k->n_params = 0;
	for (size_t i = 0; jread_type(options) == JREAD_ARRAY && i < jread_len(options); i++)
		format_sink_text(k, arena_printf(k->f->a, "option%zu", i + 1), jread_str(jread_at(options, i)));
}

static void take_suite(struct format_sink *k, const struct jnode *suite, const char *at)
{
	const struct jnode *subtests = jread_get(suite, "subtests");
	struct value v = { .at = at, .suite = format_json_text(suite, "name"), .node = suite, .suite_node = suite };
	size_t n = jread_type(subtests) == JREAD_ARRAY ? jread_len(subtests) : 0;

	if (!v.suite) {
		format_left_out(&k->d, at, "expected {\"name\": TEXT, \"subtests\": [...]}");
		return;
	}
	set_options(k, jread_get(suite, "extraOptions"));
	if (jread_get(suite, "value") || !n)
		take_value(k, &v);
	for (size_t i = 0; i < n; i++) {
		v.node = jread_at(subtests, i);
		v.subtest = format_json_text(v.node, "name");
		v.at = format_json_place(k->f->a, arena_printf(k->f->a, "%s/subtests", at), i);
		if (v.subtest)
			take_value(k, &v);
		else
			format_left_out(&k->d, v.at, "expected {\"name\": TEXT, \"value\": NUMBER}");
	}
}

static void take_document(struct format_sink *k, const struct jnode *doc, const char *base)
{
	const struct jnode *suites = jread_get(doc, "suites");

	for (size_t i = 0; jread_type(suites) == JREAD_ARRAY && i < jread_len(suites); i++)
		take_suite(k, jread_at(suites, i), format_json_place(k->f->a, arena_printf(k->f->a, "%s/suites", base), i));
}

/* One row of graph data: a run at its time. */
static void take_run(struct format_file *f, const struct jnode *row, size_t i)
{
	struct draft_result r = { .in = format_json_place(f->a, "/test_runs", i), .index = DRAFT_RESULT_NO_INDEX, .metric = "value",
				  .unit = "unstated", .better = BETTER_LOWER };
	const struct jnode *build = jread_type(row) == JREAD_ARRAY ? jread_at(row, 1) : NULL;
	const char *revision = jread_type(build) == JREAD_ARRAY ? jread_str(jread_at(build, 2)) : NULL;
	struct format_sink k;
	int64_t seconds;

	format_sink_init(&k, f, "talos");
	if (jread_type(row) == JREAD_ARRAY && jread_len(row) >= 4) {
		if (jread_int(jread_at(row, 2), &seconds) && seconds > 0 && seconds < INT64_MAX / 1000000)
			k.d.started_at = seconds * 1000000;
		format_said_commit(&k.d, revision);
		format_sink_add(&k, &r, format_json_number(jread_at(row, 3)));
	} else {
		format_left_out(&k.d, r.in, "expected [id, [build, buildid, revision], seconds, value, ...]");
	}
	format_json_part(f, row);
	format_sink_end(&k);
}

static int read_runs(struct format_file *f, const struct jnode *runs, struct err *err)
{
	for (size_t i = 0; i < jread_len(runs); i++)
		take_run(f, jread_at(runs, i), i);
	return f->n_items ? 0 : err_set(err, ERR_INVALID, "/test_runs: no run in it");
}

/* A log may hold several: each PERFHERDER_DATA line is a document. */
static int read_suites(struct format_file *f, struct jnode *doc, struct format_json_stream *s, struct err *err)
{
	struct format_sink k;

	format_sink_init(&k, f, "perfherder");
	for (size_t n = 0; doc || err->kind; n++) {
		if (err->kind)
			format_left_out_line(&k.d, s->doc_line, "%s", err->message);
		else
			take_document(&k, doc, n ? arena_printf(f->a, "line %zu: ", s->doc_line) : "");
		jread_free(doc);
		doc = format_json_next(s, err);
	}
	format_sink_end(&k);
	return 0;
}

int format_perfherder_read(struct format_file *f, struct err *err)
{
	const char *mark = memmem(f->text, f->len, "PERFHERDER_DATA:", 16);
	struct format_json_stream s;
	struct jnode *doc;
	int ret;

	format_json_stream(&s, f);
	if (mark)	/* what a log says before it is nobody's JSON */
		for (; s.at < (size_t)(mark - f->text); s.at++)
			s.line += f->text[s.at] == '\n';
	doc = format_json_next(&s, err);
	if (!doc)
		return err->kind ? -1 : err_set(err, ERR_INVALID, "expected PERFHERDER_DATA: {\"framework\", \"suites\": [...]}");
	if (jread_type(jread_get(doc, "test_runs")) == JREAD_ARRAY) {
		ret = read_runs(f, jread_get(doc, "test_runs"), err);
		jread_free(doc);
		return ret;
	}
	if (jread_type(jread_get(doc, "suites")) == JREAD_ARRAY)
		return read_suites(f, doc, &s, err);
	jread_free(doc);
	return err_set(err, ERR_INVALID, "/suites: expected an array, Perfherder's suites");
}

int format_perfherder_sniff(const char *text, size_t len)
{
	if (memmem(text, len, "PERFHERDER_DATA:", 16))
		return 95;
	if (*text != '{')
		return 0;
	if (format_json_has(text, len, "framework") && format_json_has(text, len, "suites"))
		return 80;
	return format_json_has(text, len, "test_runs") && format_json_has(text, len, "stat") ? 60 : 0;
}
