/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two ways to read nsecwatch.submission/1, from its text and by way of a tree: the first may leave one, not read it otherwise. */
#ifndef TESTS_SAME_SUBMISSION_H
#define TESTS_SAME_SUBMISSION_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../ingest/submission_json.h"

#define SAME_NOW INT64_C(1770000000000000)

static bool same_text(const char *x, const char *y)
{
	return x && y ? !strcmp(x, y) : x == y;
}

static bool same_bits(double x, double y)
{
	return (isnan(x) && isnan(y)) || !memcmp(&x, &y, sizeof(x));
}

static bool same_result(const struct result *x, const struct result *y)
{
	if (!same_text(x->benchmark, y->benchmark) || !same_text(x->params, y->params) || !same_text(x->metric, y->metric) ||
	    !same_text(x->unit, y->unit) || !same_text(x->original_unit, y->original_unit) || !same_text(x->error, y->error))
		return false;
	if (x->better != y->better || x->status != y->status || x->iterations != y->iterations || x->n != y->n ||
	    x->n_values != y->n_values || !x->values != !y->values)
		return false;
	for (size_t i = 0; x->values && i < x->n_values; i++)
		if (!same_bits(x->values[i], y->values[i]))
			return false;
	return same_bits(x->mean, y->mean) && same_bits(x->median, y->median) && same_bits(x->stddev, y->stddev) &&
	       same_bits(x->min, y->min) && same_bits(x->max, y->max);
}

/* NULL, or what differs. */
static const char *same_head(const struct submission *x, const struct submission *y)
{
	if (memcmp(x->content_sha256, y->content_sha256, sizeof(x->content_sha256)))
		return "the content";
	if (memcmp(&x->run_id, &y->run_id, sizeof(x->run_id)) || x->run_id_given != y->run_id_given)
		return "the id";
	if (!same_text(x->machine, y->machine) || !same_text(x->isa, y->isa) || !same_text(x->uarch, y->uarch) ||
	    !same_text(x->machine_facts, y->machine_facts))
		return "the machine";
	if (!same_text(x->kernel.name, y->kernel.name) || !same_text(x->kernel_variant, y->kernel_variant) || !same_text(x->commit, y->commit))
		return "the kernel";
	if (!same_text(x->thp, y->thp) || x->base_page_kib != y->base_page_kib || !same_text(x->environment, y->environment) ||
	    !same_text(x->boot_id, y->boot_id) || x->started_at != y->started_at || x->finished_at != y->finished_at ||
	    !same_text(x->source, y->source) || !same_text(x->labels, y->labels))
		return "the head";
	return NULL;
}

static const char *same_submission(const struct submission *x, const struct submission *y)
{
	const char *other = same_head(x, y);

	if (other)
		return other;
	if (x->n_results != y->n_results || x->n_failed != y->n_failed || x->warnings->total != y->warnings->total)
		return "how many";
	for (size_t i = 0; i < x->n_results; i++)
		if (!same_result(&x->results[i], &y->results[i]))
			return "a result";
	for (size_t i = 0; i < x->warnings->n; i++)
		if (strcmp(x->warnings->list[i].at, y->warnings->list[i].at) ||
		    strcmp(x->warnings->list[i].message, y->warnings->list[i].message))
			return "a warning";
	return NULL;
}

/* Reads a text in both ways: NULL, or what is wrong. *quick: whether the first took it. */
static const char *read_both_ways(struct arena *a, const char *text, size_t len, bool *quick)
{
	struct jread_slice slice = jread_whole(text, len);
	struct submission *sub = submission_json_quick(a, &slice, SAME_NOW), *slow = NULL;
	struct err err = { 0 };
	struct jnode *root;
	bool syntax;

	*quick = sub != NULL;
	if (!sub)
		return NULL;
	if (jread_check_depth(&slice, SUBMISSION_DEPTH_MAX, &err))
		return "it is too deep";
	root = jread_parse(&slice, &syntax, &err);
	if (!root)
		return "it is no JSON";
	slow = submission_json_read(a, root, SAME_NOW, &err);
	jread_free(root);
	return slow ? same_submission(sub, slow) : "it is refused";
}

#endif
