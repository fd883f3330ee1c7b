/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../chart/table.h"
#include "../ingest/jread.h"
#include "../lib/tm.h"
#include "params.h"
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

static void add_row(struct table *t, struct arena *a, const struct jnode *row)
{
	const char *unit = text(row, "unit") ? text(row, "unit") : "";
	double before = number(row, "base_center"), now = number(row, "head_center"),
	       change = number(row, "change_percent");

	table_row(t);
	table_str(t, text(row, "benchmark"));
	table_str(t, params_text(a, jread_get(row, "params")));
	table_str(t, text(row, "thp"));
	table_str(t, text(row, "against"));
	table_num(t, before, table_value(a, before, unit));
	table_num(t, now, table_value(a, now, unit));
	table_num(t, change, table_percent(a, change));
}

/* What there was to judge by, of all runs. Servers of old do not say it. */
struct ground {
	size_t told; /* runs that it is told of */
	size_t judged, without, unclear; /* of them: judged; without an earlier kernel; with one, and too few values */
};

static void add_ground(struct ground *g, const char *run, const struct jnode *root)
{
	int64_t judged;

	if (!jread_int(jread_get(root, "judged"), &judged))
		return;
	g->told++;
	if (jread_bool(jread_get(root, "invalidated")))
		printf("verdict: %s: this run is invalid, it counts for nothing\n", run);
	else if (judged)
		g->judged++;
	else if (!text(root, "compared_with"))
		g->without++;
	else
		g->unclear++;
}

/* The rows of one run's verdict into the table. 0; 1: not judged yet; -1: no verdict. */
static int read_verdict(struct table *t, struct ground *g, struct arena *a, const char *run, const struct buf *body)
{
	struct jread_slice slice = { body->p, body->len, 1 };
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
		if (!ret)
			add_ground(g, run, root);
	}
	jread_free(root);
	return ret;
}

static int wait_one(struct http *h, struct arena *a, int64_t until, const char *run, struct table *t,
		    struct ground *g, struct err *err)
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
			      ? read_verdict(t, g, a, run, &answer.body)
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
	struct ground ground = { 0 };
	struct buf out;

	for (size_t i = 0; i < n; i++)
		if (wait_one(h, a, until, runs[i], t, &ground, err))
			return -1;
	if (!table_rows(t)) {
		if (!n)
			puts("verdict: no run was sent that could be asked about");
		else if (ground.judged || ground.told < n)
			puts("verdict: no regression");
		else if (ground.without)
			puts("verdict: nothing to compare with: no earlier kernel has results here");
		else if (ground.unclear)
			puts("verdict: nothing could be judged: too few boots or values");
		return 0;
	}
	buf_init(&out);
	table_txt(&out, t);
	printf("verdict: %zu regression%s\n%s", table_rows(t), table_rows(t) == 1 ? "" : "s", out.p);
	buf_fini(&out);
	return 1;
}
