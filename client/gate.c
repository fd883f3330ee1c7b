/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../chart/table.h"
#include "../ingest/jread.h"
#include "http.h"
#include "params.h"
#include "say.h"

#define SHOWN 20 /* rows: a gate's log wants the worst, compare has all */

/* The answer of GET /api/v1/compare.EXT for base, head (, fix) and the selectors. */
static int ask(struct arena *a, const struct options *o, const char *ext, const char *base, const char *head,
	       struct buf *out)
{
	const char *target = arena_printf(a, "/api/v1/compare.%s?base=%s&head=%s", ext, http_quote(a, base),
					  http_quote(a, head));
	const char *type = strcmp(ext, "txt") ? "application/json" : "text/plain";
	struct http_answer answer;
	struct err err = { 0 };
	struct http *h = http_new(a, o, &err);
	struct http_request rq = { 0 };
	int ret = -1;

	if (!h) {
		say("%s", err.message);
		return -1;
	}
	if (o->fix)
		target = arena_printf(a, "%s&fix=%s", target, http_quote(a, o->fix));
	for (size_t i = 0; i < o->selectors.n; i++)
		target = arena_printf(a, "%s&%s=%s", target, http_quote(a, o->selectors.list[i][0]),
				      http_quote(a, o->selectors.list[i][1]));
	rq.target = target;
	buf_init(&answer.body);
	if (http_send(h, a, &rq, &answer, &err) != HTTP_GOOD) {
		say("%s", err.message);
		say_problems("compare", "error", err.problems);
	} else if (strncasecmp(answer.type, type, strlen(type))) { /* a page of who sits in front of it, or of another program */
		say("the server's answer is no comparison (%s)", *answer.type ? answer.type : "of no type");
	} else {
		buf_add(out, answer.body.p, answer.body.len);
		ret = 0;
	}
	say_progress_end();
	buf_fini(&answer.body);
	http_free(h);
	return ret;
}

int gate_compare(struct arena *a, const struct options *o)
{
	struct buf out;
	int ret;

	buf_init(&out);
	ret = ask(a, o, "txt", o->words[0], o->words[1], &out);
	if (!ret)
		fwrite(out.p, 1, out.len, stdout);
	buf_fini(&out);
	return ret ? 1 : 0;
}

/* ---- the gate ---- */

struct gate {
	struct arena *a;
	const struct options *o;
	const struct jnode **rows; /* the regressions above the limit, the worst first */
	size_t n_rows;
	size_t judged, within, open, unclear, unclear_above, not_run;
};

static const char *text(const struct jnode *row, const char *key)
{
	const char *s = jread_str(jread_get(row, key));

	return s ? s : "";
}

static double number(const struct jnode *row, const char *key)
{
	const struct jnode *v = jread_get(row, key);

	return jread_type(v) == JREAD_NUMBER ? jread_num(v) : NAN;
}

static double change_of(const struct jnode *row)
{
	return fabs(number(row, "change_percent"));
}

static int worst_first(const void *x, const void *y)
{
	double a = change_of(*(const struct jnode *const *)x), b = change_of(*(const struct jnode *const *)y);

	return (a < b) - (a > b);
}

/* The least favourable end of the interval, as percent worse; NaN: no interval, or neither end is worse. */
static double worst_possible(const struct jnode *row)
{
	const struct jnode *ci = jread_get(row, "change_ci");
	const char *better = text(row, "better");

	if (jread_type(ci) != JREAD_ARRAY || jread_len(ci) != 2)
		return NAN;
	if (!strcmp(better, "lower"))
		return jread_num(jread_at(ci, 1));
	return strcmp(better, "higher") ? NAN : -jread_num(jread_at(ci, 0));
}

/*
 * The server has judged each row, knowing its direction and noise; here stands only what passes. A row that was
 * tested and not shown to be worse passes; without a test there is nothing to go by.
 */
static void count_row(struct gate *g, const struct jnode *row)
{
	const char *verdict = text(row, "verdict");
	bool above = change_of(row) > g->o->max_regression;

	if (!strcmp(verdict, "inconclusive") && isnan(number(row, "p"))) {
		g->unclear++;
		g->unclear_above += above && !strcmp(text(row, "direction"), "worse");
		return;
	}
	g->judged++;
	g->open += !strcmp(verdict, "inconclusive") && worst_possible(row) > g->o->max_regression;
	if (strcmp(verdict, "regression"))
		return;
	if (above)
		g->rows[g->n_rows++] = row;
	else
		g->within++;
}

static void count(struct gate *g, const struct jnode *root)
{
	const struct jnode *rows = jread_get(root, "rows"), *missing = jread_get(root, "missing");

	g->rows = arena_array(g->a, const struct jnode *, jread_len(rows) + 1);
	for (size_t i = 0; i < jread_len(rows); i++)
		count_row(g, jread_at(rows, i));
	for (size_t i = 0; i < jread_len(missing); i++)
		g->not_run += !strcmp(text(jread_at(missing, i), "side"), "head");
	if (g->n_rows)
		qsort(g->rows, g->n_rows, sizeof(*g->rows), worst_first);
}

static void print_rows(struct gate *g)
{
	static const struct table_col columns[] = {
		{ .name = "benchmark" },
		{ .name = "params" },
		{ .name = "machine" },
		{ .name = "thp", .head = "THP" },
		{ .name = "base", .right = true },
		{ .name = "head", .right = true },
		{ .name = "change", .right = true },
	};
	struct table *t = table_new(g->a, columns, sizeof(columns) / sizeof(*columns));
	struct buf out;

	for (size_t i = 0; i < g->n_rows && i < SHOWN; i++) {
		const struct jnode *row = g->rows[i];
		double base = number(jread_get(row, "base"), "center"),
		       head = number(jread_get(row, "head"), "center");

		table_row(t);
		table_str(t, text(row, "benchmark"));
		table_str(t, params_text(g->a, jread_get(row, "params")));
		table_str(t, text(row, "machine"));
		table_str(t, text(row, "thp"));
		table_num(t, base, table_value(g->a, base, text(row, "unit")));
		table_num(t, head, table_value(g->a, head, text(row, "unit")));
		table_num(t, number(row, "change_percent"),
			  table_percent(g->a, number(row, "change_percent")));
	}
	buf_init(&out);
	table_txt(&out, t);
	fwrite(out.p, 1, out.len, stdout);
	buf_fini(&out);
	if (g->n_rows > SHOWN)
		printf("... and %zu more\n", g->n_rows - SHOWN);
}

/* Prints what it comes to, and why; the exit code. */
static int judge(struct gate *g, const char *base, const char *head)
{
	const struct options *o = g->o;

	if (g->n_rows)
		print_rows(g);
	if (g->unclear)
		printf("%zu can't be told: too few boots or values (%zu of them worse by more than %g %%)\n",
		       g->unclear, g->unclear_above, o->max_regression);
	if (g->not_run)
		printf("%zu that ran on %s did not, or failed, on %s\n", g->not_run, base, head);
	if (g->n_rows) {
		printf("FAIL: %s against %s: %zu of %zu are worse by more than %g %%\n", head, base,
		       g->n_rows, g->judged, o->max_regression);
		return 3;
	}
	if (!g->judged) {
		printf("FAIL: %s against %s: nothing could be judged\n", head, base);
		return 1;
	}
	if (o->strict && (g->unclear || g->open || g->not_run)) {
		if (g->open)
			printf("%zu may be worse by more than %g %%: more boots would tell\n", g->open, o->max_regression);
		printf("FAIL: %s against %s: not all could be judged (--strict)\n", head, base);
		return 1;
	}
	printf("PASS: %s against %s: of %zu none is worse by more than %g %%", head, base, g->judged,
	       o->max_regression);
	if (g->open)
		printf("; %zu may be", g->open);
	printf(g->within ? " (%zu by less)\n" : "\n", g->within);
	return 0;
}

static const char *name_of(const struct jnode *root, const char *side, const char *asked)
{
	const char *name = text(jread_get(root, side), "name");

	return *name ? name : asked;
}

int gate_check(struct arena *a, const struct options *o)
{
	struct gate g = { .a = a, .o = o };
	struct jread_slice slice = { .line = 1 };
	struct err err = { 0 };
	struct jnode *root = NULL;
	struct buf out;
	bool syntax;
	int status = 1;

	buf_init(&out);
	if (!ask(a, o, "json", o->base, o->head, &out)) {
		slice.text = out.p;
		slice.len = out.len;
		root = jread_parse(&slice, &syntax, &err);
		if (jread_type(jread_get(root, "rows")) != JREAD_ARRAY) {
			say("the server's answer is no comparison");
		} else {
			count(&g, root);
			status = judge(&g, name_of(root, "base", o->base), name_of(root, "head", o->head));
		}
	}
	jread_free(root);
	buf_fini(&out);
	return status;
}
