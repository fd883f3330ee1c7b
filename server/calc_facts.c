/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_facts.h"

#include <math.h>
#include <string.h>

#include "calc_words.h"

#define VALUES_MAX 256		/* of a dimension; with more, no list of them is a fact */
#define CONDITIONS_MAX 3
#define TELLING 5		/* a condition is told where it rules out one in so many of the cells that did not change */

struct work {
	struct arena *a;
	const struct compare *c;
	bool *in;		/* by row: one of those that are spoken of */
	bool *left, *next;	/* by row: every condition so far is true of it; and the one that is tried */
	size_t n_in, n_left;
	const char *said[CONDITIONS_MAX];
	size_t n_said;
};

/* ---- dimensions of few values ---- */

enum dimension { BY_THP, BY_BENCHMARK, BY_UARCH, BY_MACHINE };

static const char *value_of(const struct cat_series *s, enum dimension d)
{
	return d == BY_THP ? s->config->thp : d == BY_BENCHMARK ? s->benchmark->name : d == BY_UARCH ? s->machine->uarch :
	       s->machine->name;
}

struct values {
	const char *text[VALUES_MAX];
	bool in[VALUES_MAX];	/* of a row that is spoken of */
	size_t n, n_in;
	bool many;		/* more than that */
};

/* Rows that stand beside each other often have the same value: the last one is looked at first. */
static void collect(const struct work *w, enum dimension d, struct values *v)
{
	size_t last = 0;

	v->n = v->n_in = 0;
	v->many = false;
	for (size_t i = 0; i < w->c->n_rows; i++) {
		const char *text;

		if (!w->left[i])
			continue;
		text = value_of(w->c->rows[i].series, d);
		if (last >= v->n || strcmp(v->text[last], text))
			for (last = 0; last < v->n && strcmp(v->text[last], text);)
				last++;
		if (last == VALUES_MAX) {
			v->many = true;
			return;
		}
		if (last == v->n) {
			v->text[v->n] = text;
			v->in[v->n++] = false;
		}
		v->n_in += w->in[i] && !v->in[last];
		v->in[last] |= w->in[i];
	}
}

static bool holds(const struct values *v, const char *text)
{
	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(v->text[i], text))
			return v->in[i];
	return false;
}

/* "with THP never", "on epyc-milan or epyc-rome", "of all benchmarks but x"; NULL: too many to be a fact. */
static const char *condition(struct arena *a, enum dimension d, const struct values *v)
{
	static const char *const words[] = { "with THP", "of", "on", "on" };
	static const char *const many[] = { "with every THP mode but", "of all benchmarks but", "on all but", "on all but" };
	const char *text = NULL;
	bool but = v->n_in > 2;

	if (but && v->n - v->n_in > 1)
		return NULL;
	for (size_t i = 0; i < v->n; i++)
		if (v->in[i] != but)
			text = text ? arena_printf(a, "%s or %s", text, v->text[i]) : v->text[i];
	return arena_printf(a, "%s %s", but ? many[d] : words[d], text);
}

/* The condition of w->next, unless it tells little. */
static void say(struct work *w, const char *text)
{
	size_t n = 0;

	for (size_t i = 0; i < w->c->n_rows; i++)
		n += w->next[i];
	if (n == w->n_left || (w->n_left - n) * TELLING < w->n_left - w->n_in)
		return;
	w->said[w->n_said++] = text;
	w->n_left = n;
	memcpy(w->left, w->next, w->c->n_rows * sizeof(*w->left));
}

static void try_dimension(struct work *w, enum dimension d)
{
	struct values *v = arena_zalloc(w->a, sizeof(*v));
	const char *text;

	collect(w, d, v);
	if (v->many || v->n_in == v->n || w->n_said == CONDITIONS_MAX)
		return;
	text = condition(w->a, d, v);
	if (!text)
		return;
	for (size_t i = 0; i < w->c->n_rows; i++)
		w->next[i] = w->left[i] && holds(v, value_of(w->c->rows[i].series, d));
	say(w, text);
}

/* ---- numeric parameters ---- */

static const struct cat_param *number(const struct cat_series *s, const char *name)
{
	for (size_t i = 0; i < s->n_params; i++)
		if (s->param[i].is_number && !strcmp(s->param[i].name, name))
			return &s->param[i];
	return NULL;
}

struct span {
	const struct cat_param *lo, *hi;
};

static void widen(struct span *s, const struct cat_param *p)
{
	if (!s->lo || p->number < s->lo->number)
		s->lo = p;
	if (!s->hi || p->number > s->hi->number)
		s->hi = p;
}

/* "at size >= 400 KiB", of a parameter that all rows have */
static void try_number(struct work *w, const char *name)
{
	struct span all = { 0 }, in = { 0 };
	const char *head, *lo, *hi;
	bool from, to;

	for (size_t i = 0; i < w->c->n_rows; i++) {
		const struct cat_param *p = number(w->c->rows[i].series, name);

		if (!p)
			return;
		if (!w->left[i])
			continue;
		widen(&all, p);
		if (w->in[i])
			widen(&in, p);
	}
	from = in.lo->number > all.lo->number;
	to = in.hi->number < all.hi->number;
	if ((!from && !to) || w->n_said == CONDITIONS_MAX)
		return;
	for (size_t i = 0; i < w->c->n_rows; i++) {
		double x = number(w->c->rows[i].series, name)->number;

		w->next[i] = w->left[i] && x >= in.lo->number && x <= in.hi->number;
	}
	head = calc_words_axis_head(w->a, name);
	lo = calc_words_axis_value(w->a, name, in.lo->text);
	hi = calc_words_axis_value(w->a, name, in.hi->text);
	say(w, in.lo->number >= in.hi->number ? arena_printf(w->a, "at %s %s", head, lo) :
	    from && to ? arena_printf(w->a, "at %s from %s to %s", head, lo, hi) :
	    from ? arena_printf(w->a, "at %s >= %s", head, lo) : arena_printf(w->a, "at %s <= %s", head, hi));
}

/* ---- sentences ---- */

static bool one_machine(const struct work *w)
{
	const struct cat_machine *m = NULL;

	for (size_t i = 0; i < w->c->n_rows; i++) {
		if (w->in[i] && m && w->c->rows[i].series->machine != m)
			return false;
		m = w->in[i] ? w->c->rows[i].series->machine : m;
	}
	return true;
}

static const char *conditions(struct work *w)
{
	const struct cat_series *first = w->c->rows[0].series;
	const char *text = "";

	w->n_said = 0;
	w->n_left = w->c->n_rows;
	for (size_t i = 0; i < w->c->n_rows; i++)
		w->left[i] = true;
	for (size_t i = 0; i < first->n_params; i++)
		if (first->param[i].is_number)
			try_number(w, first->param[i].name);
	try_dimension(w, BY_THP);
	try_dimension(w, BY_BENCHMARK);
	/* of one machine its name says more than its kind, of several the kind does */
	try_dimension(w, one_machine(w) ? BY_MACHINE : BY_UARCH);
	try_dimension(w, BY_MACHINE);
	for (size_t i = 0; i < w->n_said; i++)
		text = arena_printf(w->a, "%s%s%s", text, !i ? "" : i + 1 == w->n_said ? " and " : ", ", w->said[i]);
	if (!*text)
		return "";
	text = arena_printf(w->a, ", %s%s", w->n_in > 1 ? "all " : "", text);
	return w->n_left > w->n_in ? arena_printf(w->a, "%s (%zu of the %zu there)", text, w->n_in, w->n_left) : text;
}

/* one, many: "regresses", "regress". of: behind the first number of the sentence. "": no such row. */
static const char *part(struct work *w, const char *one, const char *many, bool of)
{
	const char *count;

	w->n_in = 0;
	for (size_t i = 0; i < w->c->n_rows; i++)
		w->n_in += w->in[i];
	if (!w->n_in)
		return "";
	count = !of ? arena_printf(w->a, "%zu", w->n_in) :
		w->n_in == w->c->n_rows && w->n_in > 1 ? arena_printf(w->a, "all %zu cells", w->n_in) :
		arena_printf(w->a, "%zu of %zu cell%s", w->n_in, w->c->n_rows, w->c->n_rows == 1 ? "" : "s");
	return arena_printf(w->a, "%s %s%s", count, w->n_in == 1 ? one : many, conditions(w));
}

static const char *two(struct arena *a, const char *first, const char *second)
{
	return arena_printf(a, "%s%s%s", first, *first && *second ? "; " : "", second);
}

static const char *proven(struct work *w)
{
	const char *worse, *better;

	for (size_t i = 0; i < w->c->n_rows; i++)
		w->in[i] = w->c->rows[i].verdict == COMPARE_REGRESSION;
	worse = part(w, "regresses", "regress", true);
	for (size_t i = 0; i < w->c->n_rows; i++)
		w->in[i] = w->c->rows[i].verdict == COMPARE_IMPROVEMENT;
	better = part(w, "improves", "improve", !*worse);
	return arena_printf(w->a, "%s.", two(w->a, worse, better));
}

static const char *by_number(struct work *w)
{
	const char *worse, *better, *text;

	for (size_t i = 0; i < w->c->n_rows; i++)
		w->in[i] = w->c->rows[i].direction == COMPARE_WORSE;
	worse = part(w, "is worse", "are worse", true);
	for (size_t i = 0; i < w->c->n_rows; i++)
		w->in[i] = w->c->rows[i].direction == COMPARE_BETTER;
	better = part(w, *worse ? "better" : "is better", *worse ? "better" : "are better", !*worse);
	text = two(w->a, worse, better);
	return *text ? arena_printf(w->a, "by number %s; unproven, there is no noise estimate.", text) :
		       "nothing can be said: there is no noise estimate.";
}

/* No claim: what the rest is. */
static const char *nothing(struct arena *a, const struct compare *c)
{
	if (c->unchanged == c->n_rows)
		return c->n_rows == 1 ? "the one cell is unchanged." : arena_printf(a, "all %zu cells are unchanged.", c->n_rows);
	return arena_printf(a, "no change is proven in %zu cell%s: %zu unchanged, %zu inconclusive.", c->n_rows,
			    c->n_rows == 1 ? "" : "s", c->unchanged, c->inconclusive);
}

const char *calc_facts(struct arena *a, const struct compare *c)
{
	struct work w = { .a = a, .c = c, .in = arena_array(a, bool, c->n_rows), .left = arena_array(a, bool, c->n_rows),
			  .next = arena_array(a, bool, c->n_rows) };
	bool tested = false;

	if (!c->n_rows)
		return "nothing was measured with both.";
	if (c->regressions || c->improvements)
		return proven(&w);
	for (size_t i = 0; i < c->n_rows && !tested; i++)
		tested = c->rows[i].tested;
	return tested ? nothing(a, c) : by_number(&w);
}
