/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * github-action-benchmark: the array that customSmallerIsBetter and customBiggerIsBetter
 * take ([{"name", "unit", "value"}]), and the history it keeps (data.js, or the JSON in
 * it: entries of suites, each with a commit, a date and benches). The direction stands
 * outside of the array: format=customBiggerIsBetter, the file's name, or else the unit;
 * the history names its tool. "range" is a spread in the tool's own words, kept nowhere.
 */
#include "format_sink.h"

#include <math.h>
#include <string.h>

#include "format_json.h"

static enum better direction(const char *word)
{
	if (word && strcasestr(word, "BiggerIsBetter"))
		return BETTER_HIGHER;
	return word && strcasestr(word, "SmallerIsBetter") ? BETTER_LOWER : BETTER_NEUTRAL;
}

static void take_bench(struct format_sink *k, const struct jnode *bench, const char *at, enum better better)
{
	struct draft_result r = { .in = at, .index = DRAFT_RESULT_NO_INDEX, .benchmark = format_json_text(bench, "name"),
				  .metric = "value", .unit = format_json_text(bench, "unit"), .better = better };
	double v = format_json_number(jread_get(bench, "value"));

	if (!r.benchmark || isnan(v)) {
		format_left_out(&k->d, at, "expected {\"name\": TEXT, \"unit\": TEXT, \"value\": NUMBER}");
		return;
	}
	if (!r.unit || !*r.unit)
		r.unit = "unstated";
	if (better == BETTER_NEUTRAL)
		r.better = format_sink_better(k->f->a, r.unit);
	format_sink_add(k, &r, v);
}

static void read_array(struct format_file *f, const struct jnode *root)
{
	enum better better = direction(f->ctx->format);
	struct format_sink k;

	if (better == BETTER_NEUTRAL)
		better = direction(f->ctx->filename);
	format_sink_init(&k, f, "github-action-benchmark");
	for (size_t i = 0; i < jread_len(root); i++)
		take_bench(&k, jread_at(root, i), arena_printf(f->a, "/%zu", i), better);
	format_sink_end(&k);
}

/* The benches of a known tool are times; those of custom tools say which way. */
static enum better tool_direction(const char *tool)
{
	return tool && !strncmp(tool, "custom", 6) ? direction(tool) : BETTER_NEUTRAL;
}

static void take_entry(struct format_file *f, const char *suite, const struct jnode *entry, const char *at)
{
	const char *commit = format_json_text(jread_get(entry, "commit"), "id"), *tool = format_json_text(entry, "tool");
	const struct jnode *benches = jread_get(entry, "benches");
	struct format_sink k;
	int64_t ms;

	format_sink_init(&k, f, "github-action-benchmark");
	format_sink_text(&k, "suite", suite);
	format_said_commit(&k.d, commit);
	if (jread_int(jread_get(entry, "date"), &ms) && ms > 0 && ms < INT64_MAX / 1000)
		k.d.started_at = ms * 1000;
	for (size_t i = 0; jread_type(benches) == JREAD_ARRAY && i < jread_len(benches); i++)
		take_bench(&k, jread_at(benches, i), format_json_place(f->a, arena_printf(f->a, "%s/benches", at), i),
			   tool_direction(tool));
	format_json_part(f, entry);
	format_sink_end(&k);
}

static int read_history(struct format_file *f, const struct jnode *entries, struct err *err)
{
	for (const struct jmember *m = jread_first(entries); m; m = jread_next(entries, m)) {
		const char *at = jread_pointer(f->a, "/entries", jread_key(m));
		const struct jnode *rows = jread_value(m);

		for (size_t i = 0; jread_type(rows) == JREAD_ARRAY && i < jread_len(rows); i++)
			take_entry(f, jread_key(m), jread_at(rows, i), format_json_place(f->a, at, i));
	}
	return f->n_items ? 0 : err_set(err, ERR_INVALID, "/entries: expected a suite with an entry");
}

int format_github_read(struct format_file *f, struct err *err)
{
	struct format_json_stream s;
	struct jnode *root;
	int ret = 0;

	if (*(f->text + strspn(f->text, " \t\r\n")) == '[') {
		root = format_json(f, JREAD_ARRAY, "[{\"name\": TEXT, \"unit\": TEXT, \"value\": NUMBER}]", NULL, err);
		if (!root)
			return -1;
		read_array(f, root);
	} else {	/* "window.BENCHMARK_DATA = {...}", or without the words before it */
		format_json_stream(&s, f);
		root = format_json_next(&s, err);
		if (!root)
			return err->kind ? -1 : err_set(err, ERR_INVALID, "expected [{\"name\", \"unit\", \"value\"}], or "
							"{\"entries\": {...}}");
		if (jread_type(jread_get(root, "entries")) == JREAD_OBJECT)
			ret = read_history(f, jread_get(root, "entries"), err);
		else
			ret = err_set(err, ERR_INVALID, "/entries: expected an object of suites");
	}
	jread_free(root);
	return ret;
}

int format_github_sniff(const char *text, size_t len)
{
	static const char page[] = "window.BENCHMARK_DATA";

	if (*text == '[')
		return format_json_has(text, len, "name") && format_json_has(text, len, "unit") &&
			format_json_has(text, len, "value") && !format_json_has(text, len, "stats") ? 40 : 0;
	return (*text == '{' || (len >= sizeof(page) && !memcmp(text, page, sizeof(page) - 1))) && format_json_has(text, len, "entries") &&
		format_json_has(text, len, "benches") ? 80 : 0;
}
