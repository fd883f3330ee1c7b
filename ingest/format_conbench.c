/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conbench's benchmark results, as its API takes them: one, or an array. stats.data are
 * the repetitions (numbers, or numbers as texts); tags name the benchmark ("name") and
 * are its parameters. Each result is a run with a machine, a time and a commit of its own.
 */
#include "format_sink.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "format_json.h"

/* Conbench's units: "B/s", "i/s" (items) and "b/s" are rates, "s" and "ns" times, "B" memory. */
static enum better better_of(struct arena *a, const char *unit)
{
	return !strcmp(unit, "B") || !strcmp(unit, "b") ? BETTER_LOWER : format_sink_better(a, unit);
}

static void set_params(struct format_sink *k, const struct jnode *tags)
{
	static const char *const not_ours[] = { "name", "id", NULL };

	k->n_params = 0;
	for (const struct jmember *m = jread_first(tags); m; m = jread_next(tags, m)) {
		const struct jnode *v = jread_value(m);
		size_t i = 0;

		while (not_ours[i] && strcmp(not_ours[i], jread_key(m)))
			i++;
		if (not_ours[i])
			continue;
		if (jread_type(v) == JREAD_NUMBER)
			format_sink_number(k, jread_key(m), jread_num(v));
		else if (jread_type(v) == JREAD_BOOL)
			format_sink_text(k, jread_key(m), jread_bool(v) ? "true" : "false");
		else
			format_sink_word(k, jread_key(m), jread_str(v));
	}
}

static void take_machine(struct format_sink *k, const struct jnode *doc, const char *at)
{
	const struct jnode *info = jread_get(doc, "machine_info");
	const char *name = format_json_text(info, "name"), *os = format_json_text(info, "os_name");
	const char *kernel = format_json_text(info, "kernel_name"), *isa = format_json_text(info, "architecture_name");
	const char *when = format_json_text(doc, "timestamp"), *commit = format_json_text(jread_get(doc, "github"), "commit");
	struct draft *d = &k->d;

	if (jread_type(info) == JREAD_OBJECT)
		d->environment = format_json_copy(d, info);
	if (!d->machine && name)
		d->machine = arena_strdup(d->a, name);
	if (!d->isa && isa)
		d->isa = arena_strdup(d->a, isa);
	if (!d->kernel && kernel && os && !strcasecmp(os, "Linux")) {
		d->kernel = arena_strdup(d->a, kernel);
		d->kernel_at = arena_printf(d->a, "%s/machine_info/kernel_name", at);
	}
	format_said_commit(d, commit);
	if (d->started_at == TM_NONE && when && tm_parse(when, &d->started_at)) {
		d->started_at = TM_NONE;
		problems_add(d->warnings, arena_printf(d->a, "%s/timestamp", at), TM_REFUSED, when);
	}
}

static void take_stats(struct format_sink *k, struct draft_result *r, const struct jnode *doc)
{
	const struct jnode *stats = jread_get(doc, "stats"), *data = jread_get(stats, "data");
	const char *at = arena_printf(k->f->a, "%s/stats/data", r->in);

	r->unit = format_json_text(stats, "unit");
	if (!r->unit || !*r->unit)
		r->unit = "unstated";
	r->better = better_of(k->f->a, r->unit);
	if (jread_type(jread_get(doc, "error")) == JREAD_OBJECT || jread_type(jread_get(doc, "error")) == JREAD_STRING) {
		r->status = RESULT_FAILED;
		r->error = format_json_text(doc, "error");
		if (!r->error)
			r->error = format_json_copy(&k->d, jread_get(doc, "error"));
		format_sink_result(k, r);
		return;
	}
	if (jread_type(data) != JREAD_ARRAY || !jread_len(data)) {
		submission_build_wrong(&k->d, r, "stats", "expected {\"data\": [NUMBER, ...], \"unit\": TEXT}");
		return;
	}
	for (size_t i = 0; i < jread_len(data); i++) {
		r->in = format_json_place(k->f->a, at, i);
		format_sink_add(k, r, format_json_number(jread_at(data, i)));
	}
}

static void take_document(struct format_file *f, const struct jnode *doc, const char *at)
{
	const struct jnode *tags = jread_get(doc, "tags");
	struct draft_result r = { .in = at, .index = DRAFT_RESULT_NO_INDEX, .metric = "value" };
	struct format_sink k;

	format_sink_init(&k, f, "conbench");
	take_machine(&k, doc, at);
	set_params(&k, tags);
	r.benchmark = format_json_text(tags, "name");
	if (!r.benchmark && jread_type(doc) == JREAD_OBJECT)
		problems_add(k.d.problems, arena_printf(f->a, "%s/tags/name", at), "the benchmark's name is needed");
	else if (jread_type(doc) != JREAD_OBJECT)
		problems_add(k.d.problems, at, "expected an object with stats and tags");
	else
		take_stats(&k, &r, doc);
	if (*at)
		format_json_part(f, doc);
	format_sink_end(&k);
}

int format_conbench_read(struct format_file *f, struct err *err)
{
	struct jnode *root = format_json(f, JREAD_ABSENT, "{\"stats\": {...}, \"tags\": {...}}, or an array of these", NULL, err);
	size_t n;

	if (!root)
		return -1;
	n = format_json_count(root);
	if (!n) {
		jread_free(root);
		return err_set(err, ERR_INVALID, "conbench: an array without a result");
	}
	for (size_t i = 0; i < n; i++)
		take_document(f, format_json_item(root, i), jread_type(root) == JREAD_ARRAY ? format_json_place(f->a, "", i) : "");
	jread_free(root);
	return 0;
}

int format_conbench_sniff(const char *text, size_t len)
{
	return (*text == '{' || *text == '[') && format_json_has(text, len, "stats") && format_json_has(text, len, "tags") &&
		format_json_has(text, len, "data") && format_json_has(text, len, "unit") ? 70 : 0;
}
