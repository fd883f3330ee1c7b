/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds of every text that a reader gets: it is refused with a reason, or what is taken of it is whole. */
#ifndef TESTS_READ_HOLDS_H
#define TESTS_READ_HOLDS_H

#include "read_file.h"

#include <math.h>

static char complaint[256];

static bool wrong(const char *what)
{
	snprintf(complaint, sizeof(complaint), "%s", what);
	return false;
}

static bool result_holds(const struct result *r)
{
	bool is_time = !strncmp(r->unit, "ns", 2) && (!r->unit[2] || (r->unit[2] == '/' && r->unit[3]));

	if (!r->benchmark || !*r->benchmark || !r->metric || !*r->metric || !*r->unit || r->params[0] != '{')
		return wrong("a result without a name");
	if (r->status != RESULT_OK)
		return r->n == 0 || wrong("a failed result with numbers");
	if (r->n < 1 || !isfinite(r->mean))
		return wrong("a good result without numbers");
	for (size_t i = 0; i < r->n_values; i++)
		if (!isfinite(r->values[i]) || (is_time && !(r->values[i] > 0)))
			return wrong("a value that can be none");
	return true;
}

static bool item_holds(const struct read_item *item)
{
	const struct submission *s = item->sub;

	if (!s)
		return (item->err.kind && *item->err.message) || wrong("refused without a reason");
	for (size_t i = 0; i < s->n_not_imported; i++)
		if (!s->not_imported[i].at || !*s->not_imported[i].message)
			return wrong("left out without a reason");
	for (size_t i = 0; i < s->n_results; i++)
		if (!result_holds(&s->results[i]))
			return false;
	return true;
}

/* Reads a text; *taken: something of it was good. */
static bool read_holds(struct arena *a, const char *text, size_t len, const char *format, bool *taken)
{
	struct read_context ctx = { .format = format, .machine = "m", .kernel = "6.16", .benchmark = "b" };
	struct read_result res;
	struct err err;
	int ret;

	if (!format)		/* our own: a submission says it all by itself */
		ctx = (struct read_context){ .format = NULL };
	*taken = false;
	ret = read_text(a, text, len, ctx, &res, &err);
	if (ret && err.problems && err.problems->n && !strcmp(err.problems->list[0].at, "kernel")) {
		ctx.kernel = "6.16|6.17";	/* a file of two kernels that it does not name */
		ret = read_text(a, text, len, ctx, &res, &err);
	}
	if (ret)
		return (err.kind && *err.message) || wrong("a file refused without a reason");
	for (size_t i = 0; i < res.n; i++) {
		if (!item_holds(&res.items[i]))
			return false;
		*taken |= res.items[i].sub != NULL;
	}
	/* an array of no submissions is none, and says so by itself */
	return res.n > 0 || (!format && res.many) || wrong("nothing was read, and nothing said");
}

#endif
