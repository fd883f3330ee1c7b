/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * KCIDB reports (versions 4.2 and up have numbers): tests[].number is a measurement, a
 * status alone is none. A test hangs off a build, that off a checkout, whose
 * git_commit_name (as git describe gives it) is the kernel where the report has them
 * all; tests of one kernel are one submission.
 */
#include "format_sink.h"

#include <math.h>
#include <string.h>

#include "format_json.h"

struct reading {
	struct format_file *f;
	const struct jnode *builds, *checkouts, *root;
	struct format_groups build_ids, checkout_ids;	/* their places in the arrays */
	struct format_groups kernels;	/* "NAME\nCOMMIT" */
	struct format_sink *sinks;	/* kernels.n of them */
	size_t cap;
};

/* An object without an id has one that nobody can name. */
static void learn_ids(const struct jnode *list, struct format_groups *ids)
{
	bool first;

	for (size_t i = 0; jread_type(list) == JREAD_ARRAY && i < jread_len(list); i++) {
		const char *id = format_json_text(jread_at(list, i), "id");

		format_group(ids, id ? id : arena_printf(ids->a, "\n%zu", i), &first);
		if (!first)	/* the same id again: the first is meant, and the places stay those of the array */
			format_group(ids, arena_printf(ids->a, "\n%zu", i), &first);
	}
}

/* The object of an array by its id, or NULL. */
static const struct jnode *by_id(const struct jnode *list, const struct format_groups *ids, const char *id)
{
	size_t i;

	return id && format_group_find(ids, id, &i) ? jread_at(list, i) : NULL;
}

/* The sink of the kernel that a test ran on. */
static struct format_sink *sink_of(struct reading *rd, const struct jnode *test, const char *at)
{
	const struct jnode *build = by_id(rd->builds, &rd->build_ids, format_json_text(test, "build_id"));
	const struct jnode *checkout = by_id(rd->checkouts, &rd->checkout_ids, format_json_text(build, "checkout_id"));
	const char *name = format_json_text(checkout, "git_commit_name"), *hash = format_json_text(checkout, "git_commit_hash");
	const char *isa = format_json_text(build, "architecture");
	bool first;
	size_t i = format_group(&rd->kernels, arena_printf(rd->f->a, "%s\n%s\n%s", name ? name : "", hash ? hash : "",
							   isa ? isa : ""), &first);
	struct draft *d;

	if (!first)
		return &rd->sinks[i];
	if (i == rd->cap) {
		rd->cap = i ? i * 2 : 4;
		rd->sinks = arena_grow(rd->f->a, rd->sinks, i * sizeof(*rd->sinks), rd->cap * sizeof(*rd->sinks));
	}
	format_sink_init(&rd->sinks[i], rd->f, "kcidb");
	d = &rd->sinks[i].d;
	if (name && !d->kernel) {
		d->kernel = arena_strdup(d->a, name);
		d->kernel_at = arena_printf(d->a, "%s/build_id", at);
	}
	format_said_commit(d, hash);
	if (isa && !d->isa)
		d->isa = arena_strdup(d->a, isa);
	return &rd->sinks[i];
}

static void take_number(struct reading *rd, const struct jnode *test, const char *at)
{
	const struct jnode *number = jread_get(test, "number");
	const char *path = format_json_text(test, "path"), *unit = format_json_text(number, "unit");
	const char *status = format_json_text(test, "status"), *started = format_json_text(test, "start_time");
	struct draft_result r = { .in = arena_printf(rd->f->a, "%s/number", at), .index = DRAFT_RESULT_NO_INDEX, .metric = "number",
				  .unit = unit && *unit ? unit : "unstated" };
	struct format_sink *k = sink_of(rd, test, at);

	r.benchmark = path && *path ? path : format_json_text(test, "id");
	r.better = format_sink_better(rd->f->a, r.unit);
	if (started && k->d.started_at == TM_NONE && tm_parse(started, &k->d.started_at))
		k->d.started_at = TM_NONE;
	if (status && (!strcmp(status, "MISS") || !strcmp(status, "SKIP")))
		problems_add(k->d.warnings, r.in, "a number beside the status %s: taken", status);
	if (jread_type(jread_get(number, "value")) != JREAD_NUMBER)
		submission_build_wrong(&k->d, &r, NULL, "expected {\"value\": NUMBER, \"unit\": TEXT}");
	else if (!r.benchmark)
		submission_build_wrong(&k->d, &r, NULL, "the test has neither path nor id");
	else
		format_sink_add(k, &r, jread_num(jread_get(number, "value")));
}

static void take_tests(struct reading *rd, const struct jnode *tests)
{
	size_t n = jread_type(tests) == JREAD_ARRAY ? jread_len(tests) : 0;

	for (size_t i = 0; i < n; i++)
		if (jread_type(jread_get(jread_at(tests, i), "number")) == JREAD_OBJECT)
			take_number(rd, jread_at(tests, i), format_json_place(rd->f->a, "/tests", i));
	for (size_t i = 0; i < rd->kernels.n; i++)
		format_sink_end(&rd->sinks[i]);
}

/* A report of passes and failures only: valid, and without a measurement. */
static void take_nothing(struct reading *rd)
{
	const struct jnode *checkouts = jread_get(rd->root, "checkouts");
	const char *name = format_json_text(jread_at(checkouts, 0), "git_commit_name");
	struct format_sink k;

	format_sink_init(&k, rd->f, "kcidb");
	if (name && !k.d.kernel) {
		k.d.kernel = arena_strdup(rd->f->a, name);
		k.d.kernel_at = "/checkouts/0/git_commit_name";
	}
	k.d.empty = true;
	format_sink_end(&k);
}

int format_kcidb_read(struct format_file *f, struct err *err)
{
	struct jnode *root = format_json(f, JREAD_OBJECT, "{\"version\": {\"major\": 5}, \"tests\": [...]}", NULL, err);
	struct reading rd = { .f = f, .root = root, .kernels.a = f->a, .build_ids.a = f->a, .checkout_ids.a = f->a };

	if (!root)
		return -1;
	if (jread_type(format_json_at(root, "version", "major", NULL)) != JREAD_NUMBER) {
		jread_free(root);
		return err_set(err, ERR_INVALID, "/version/major: expected a number, KCIDB's version");
	}
	rd.builds = jread_get(root, "builds");
	rd.checkouts = jread_get(root, "checkouts");
	learn_ids(rd.builds, &rd.build_ids);
	learn_ids(rd.checkouts, &rd.checkout_ids);
	take_tests(&rd, jread_get(root, "tests"));
	if (!rd.kernels.n)
		take_nothing(&rd);
	jread_free(root);
	return 0;
}

int format_kcidb_sniff(const char *text, size_t len)
{
	return *text == '{' && format_json_has(text, len, "version") && format_json_has(text, len, "major") &&
		(format_json_has(text, len, "tests") || format_json_has(text, len, "builds") ||
		 format_json_has(text, len, "checkouts") || format_json_has(text, len, "revisions")) ? 70 : 0;
}
