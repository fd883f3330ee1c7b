/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../chart/table.h"
#include "../ingest/jread.h"
#include "../lib/tm.h"
#include "say.h"

#define POLL_S 30

static const struct table_col columns[] = {
	{ .name = "benchmark" },
	{ .name = "params" },
	{ .name = "thp", .head = "THP" },
	{ .name = "against" },
	{ .name = "before", .right = true },
	{ .name = "now", .right = true },
	{ .name = "change", .right = true },
};

static const char *text(const struct jnode *row, const char *key)
{
	return jread_str(jread_get(row, key));
}

static double number(const struct jnode *row, const char *key)
{
	const struct jnode *v = jread_get(row, key);

	return jread_type(v) == JREAD_NUMBER ? jread_num(v) : NAN;
}

/* {"size_kib":400} as size_kib=400 */
static const char *params(struct arena *a, const struct jnode *object)
{
	const char *all = "";

	for (const struct jmember *m = jread_first(object); m; m = jread_next(object, m)) {
		const struct jnode *v = jread_value(m);
		struct buf b;

		buf_init(&b);
		jread_canonical(v, NULL, &b);
		all = arena_printf(a, "%s%s%s=%s", all, *all ? " " : "", jread_key(m),
				   jread_str(v) ? jread_str(v) : b.p);
		buf_fini(&b);
	}
	return all;
}

static void add_row(struct table *t, struct arena *a, const struct jnode *row)
{
	const char *unit = text(row, "unit") ? text(row, "unit") : "";
	double before = number(row, "base_center"), now = number(row, "head_center"),
	       change = number(row, "change_percent");

	table_row(t);
	table_str(t, text(row, "benchmark"));
	table_str(t, params(a, jread_get(row, "params")));
	table_str(t, text(row, "thp"));
	table_str(t, text(row, "against"));
	table_num(t, before, table_value(a, before, unit));
	table_num(t, now, table_value(a, now, unit));
	table_num(t, change, table_percent(a, change));
}

/* The rows of one run's verdict into the table. 0; 1: not judged yet; -1: no verdict. */
static int read_verdict(struct table *t, struct arena *a, const char *body, size_t len)
{
	struct jread_slice slice = { body, len, 1 };
	struct jnode *root;
	const struct jnode *list;
	const char *state;
	bool syntax;
	int ret = -1;

	root = jread_parse(&slice, &syntax, &(struct err){ 0 });
	state = text(root, "state");
	list = jread_get(root, "regressions");
	if (state && jread_type(list) == JREAD_ARRAY) {
		ret = strcmp(state, "done") != 0;
		for (size_t i = 0; !ret && i < jread_len(list); i++)
			add_row(t, a, jread_at(list, i));
	}
	jread_free(root);
	return ret;
}

static int wait_one(struct http *h, struct arena *a, int64_t until, const char *run, struct table *t,
		    struct err *err)
{
	int ret;

	do {
		int64_t left_s = (until - tm_monotonic_usec()) / 1000000;
		int wait_s = left_s < 0 ? 0 : left_s < POLL_S ? (int)left_s : POLL_S;
		struct http_request rq = {
			.target = arena_printf(a, "/api/v1/runs/%s/verdict?wait=%d", run, wait_s),
			.patience_s = wait_s,
		};
		struct http_answer answer;

		say_progress("waiting for the verdict on %s", run);
		buf_init(&answer.body);
		ret = http_send(h, a, &rq, &answer, err) == HTTP_GOOD
			      ? read_verdict(t, a, answer.body.p, answer.body.len)
			      : -2;
		buf_fini(&answer.body);
	} while (ret == 1 && tm_monotonic_usec() < until);
	say_progress_end();
	if (ret == -1)
		return err_set(err, ERR_UNAVAILABLE, "the server's verdict on %s is not understood", run);
	if (ret == 1)
		return err_set(err, ERR_UNAVAILABLE, "no verdict on %s yet: is nsecwatchd watch running?",
			       run);
	return ret ? -1 : 0;
}

int verdict_wait(struct http *h, struct arena *a, const struct options *o, const char *const *runs, size_t n,
		 struct err *err)
{
	struct table *t = table_new(a, columns, sizeof(columns) / sizeof(*columns));
	int64_t until = tm_monotonic_usec() + o->wait_for_s * 1000000LL;
	struct buf out;

	for (size_t i = 0; i < n; i++)
		if (wait_one(h, a, until, runs[i], t, err))
			return -1;
	if (!table_rows(t)) {
		puts("verdict: no regression");
		return 0;
	}
	buf_init(&out);
	table_txt(&out, t);
	printf("verdict: %zu regression%s\n%s", table_rows(t), table_rows(t) == 1 ? "" : "s", out.p);
	buf_fini(&out);
	return 1;
}
