/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The results of nsecwatch.submission/1: nearly all the time and memory of an upload goes through here. */
#include "submission_json_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/must.h"

/* Room that is used again for every result of a document. */
struct room {
	struct draft_param *params;
	size_t cap_params;
	double *values;
	size_t cap_values;
};

/* What is wrong with a result's field, at its place. */
#define wrong(rr, field, ...) \
	((rr)->r.broken = true, submission_build_wrong((rr)->d, &(rr)->r, field, __VA_ARGS__))

struct reading {
	struct draft *d;
	const struct jnode *v;
	struct draft_result r;
	struct room *room;
};

/* Borrowed from the document: the draft copies. */
static const char *result_text(struct reading *rr, const char *key)
{
	const struct jnode *v = jread_get(rr->v, key);

	if (!v || jread_type(v) == JREAD_STRING)
		return jread_str(v);
	wrong(rr, key, "text is needed, this is %s", jread_word(jread_type(v)));
	return submission_build_said;
}

static void result_better(struct reading *rr)
{
	const char *word = result_text(rr, "better");

	if (word == submission_build_said)
		return;
	if (word && !strcmp(word, "lower"))
		rr->r.better = BETTER_LOWER;
	else if (word && !strcmp(word, "higher"))
		rr->r.better = BETTER_HIGHER;
	else if (word && !strcmp(word, "neutral"))
		rr->r.better = BETTER_NEUTRAL;
	else
		wrong(rr, "better", "\"lower\", \"higher\" or \"neutral\" is needed");
}

static void result_status(struct reading *rr)
{
	const char *word = result_text(rr, "status");

	rr->r.status = RESULT_OK;
	if (!word || word == submission_build_said || !strcmp(word, "ok"))
		return;
	if (!strcmp(word, "failed"))
		rr->r.status = RESULT_FAILED;
	else if (!strcmp(word, "skipped"))
		rr->r.status = RESULT_SKIPPED;
	else	/* and no word of numbers: whether they belong there depends on it */
		rr->r.numbers_said = wrong(rr, "status", "\"ok\", \"failed\" or \"skipped\" is needed");
}

static void *room_for(void *p, size_t *cap, size_t n, size_t size)
{
	if (n <= *cap)
		return p;
	free(p);
	p = calloc(n, size);
	must(p != NULL);
	*cap = n;
	return p;
}

static void result_params(struct reading *rr)
{
	const struct jnode *v = jread_get(rr->v, "params");
	struct draft_param *p;

	if (!v)
		return;
	if (jread_type(v) != JREAD_OBJECT) {
		wrong(rr, "params", "an object is needed, this is %s", jread_word(jread_type(v)));
		return;
	}
	p = rr->room->params = room_for(rr->room->params, &rr->room->cap_params, jread_len(v), sizeof(*p));
	for (const struct jmember *m = jread_first(v); m; m = jread_next(v, m)) {
		const struct jnode *x = jread_value(m);

		*p = (struct draft_param){ .name = jread_key(m) };
		switch (jread_type(x)) {
		case JREAD_STRING:
			p->text = jread_str(x);
			break;
		case JREAD_NUMBER:
			p->type = PARAM_NUMBER;
			p->number = jread_num(x);
			break;
		case JREAD_BOOL:
			p->type = PARAM_BOOL;
			p->yes = jread_bool(x);
			break;
		default:
			wrong(rr, jread_pointer(rr->d->a, "params", jread_key(m)),
			      "text, a boolean or a number is needed, this is %s", jread_word(jread_type(x)));
			continue;
		}
		p++;
	}
	rr->r.params = rr->room->params;
	rr->r.n_params = (size_t)(p - rr->room->params);
}

static void result_values(struct reading *rr)
{
	const struct jnode *v = jread_get(rr->v, "values");
	double *out;
	size_t n;

	if (!v)
		return;
	if (jread_type(v) != JREAD_ARRAY) {
		wrong(rr, "values", "an array of numbers is needed, this is %s", jread_word(jread_type(v)));
		rr->r.numbers_said = true;
		return;
	}
	n = jread_len(v);
	out = rr->room->values = room_for(rr->room->values, &rr->room->cap_values, n + 1, sizeof(*out));
	for (size_t i = 0; i < n; i++) {
		const struct jnode *x = jread_at(v, i);
		char field[40];

		out[i] = jread_type(x) == JREAD_NUMBER ? jread_num(x) : NAN;
		if (!isnan(out[i]))
			continue;
		snprintf(field, sizeof(field), "values/%zu", i);
		wrong(rr, field, "a number is needed, this is %s", jread_word(jread_type(x)));
	}
	rr->r.values = out;
	rr->r.n_values = n;
}

static void warn_unknown(struct draft *d, const struct jnode *v, const char *const *known, const char *below, size_t i)
{
	char at[64];

	snprintf(at, sizeof(at), "/results/%zu%s", i, below);
	submission_json_unknown(d, v, at, known, SUBMISSION_JSON_IGNORED);
}

static double summary_num(struct reading *rr, const struct jnode *summary, const char *key)
{
	const struct jnode *v = jread_get(summary, key);

	if (!v)
		return NAN;
	if (jread_type(v) == JREAD_NUMBER)
		return jread_num(v);
	wrong(rr, jread_pointer(rr->d->a, "summary", key), "a number is needed, this is %s",
	      jread_word(jread_type(v)));
	rr->r.numbers_said = true;
	return NAN;
}

static void result_summary(struct reading *rr)
{
	static const char *const known[] = { "n", "mean", "median", "stddev", "min", "max", NULL };
	const struct jnode *v = jread_get(rr->v, "summary");

	if (!v)
		return;
	if (jread_type(v) != JREAD_OBJECT) {
		wrong(rr, "summary", "an object is needed, this is %s", jread_word(jread_type(v)));
		rr->r.numbers_said = true;
		return;
	}
	warn_unknown(rr->d, v, known, "/summary", rr->r.index);
	rr->r.has_summary = true;
	if (!jread_int(jread_get(v, "n"), &rr->r.n)) {
		wrong(rr, "summary/n", "a count is needed");
		rr->r.numbers_said = true;
	}
	rr->r.mean = summary_num(rr, v, "mean");
	rr->r.median = summary_num(rr, v, "median");
	rr->r.stddev = summary_num(rr, v, "stddev");
	rr->r.min = summary_num(rr, v, "min");
	rr->r.max = summary_num(rr, v, "max");
}

static void result_iterations(struct reading *rr)
{
	const struct jnode *v = jread_get(rr->v, "iterations");

	if (v && !jread_int(v, &rr->r.iterations))
		wrong(rr, "iterations", "an integer is needed");
}

static void read_result(struct draft *d, const struct jnode *v, size_t i, struct room *room)
{
	static const char *const known[] = { "benchmark", "params", "metric", "unit", "better", "values", "summary",
					     "iterations", "status", "error", NULL };
	struct reading rr = { .d = d, .v = v, .r = { .in = "/results", .index = i }, .room = room };
	size_t unknown;

	if (jread_type(v) != JREAD_OBJECT) {
		wrong(&rr, NULL, "an object is needed, this is %s", jread_word(jread_type(v)));
		return;
	}
	rr.r.benchmark = result_text(&rr, "benchmark");
	rr.r.metric = result_text(&rr, "metric");
	rr.r.unit = result_text(&rr, "unit");
	rr.r.error = result_text(&rr, "error");
	result_better(&rr);
	result_status(&rr);
	result_params(&rr);
	result_values(&rr);
	result_summary(&rr);
	result_iterations(&rr);
	submission_build_result(d, &rr.r);
	unknown = jread_len(v);		/* spare the look-ups where all fields are ours */
	for (size_t k = 0; known[k]; k++)
		unknown -= jread_get(v, known[k]) != NULL;
	if (unknown)
		warn_unknown(d, v, known, "", i);
}

void submission_json_results(struct draft *d, const struct jnode *root)
{
	const struct jnode *v = jread_get(root, "results");
	struct room room = { 0 };
	size_t n;

	if (!v) {
		problems_add(d->problems, "/results", "results are needed");
		return;
	}
	if (jread_type(v) != JREAD_ARRAY) {
		problems_add(d->problems, "/results", "an array is needed, this is %s", jread_word(jread_type(v)));
		return;
	}
	n = jread_len(v);
	if (n > SUBMISSION_RESULTS_MAX) {
		problems_add(d->problems, "/results", "%zu results: at most %d go into one submission", n,
			     SUBMISSION_RESULTS_MAX);
		return;
	}
	submission_build_expect(d, n);
	for (size_t i = 0; i < n; i++)
		read_result(d, jread_at(v, i), i, &room);
	free(room.params);
	free(room.values);
}
