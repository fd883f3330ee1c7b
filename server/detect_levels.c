/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc_ids.h"
#include "detect_alerts.h"
#include "detect_pairs.h"

#define PART 256	/* series whose trends are in memory together, at most */

/* ---- steps ---- */

struct step {
	const struct cat_kernel *from, *to;
	struct compare_row row;
	enum calc_worth evidence;
};

struct steps {
	struct arena *a;
	struct step *list;
	size_t n, cap;
};

static struct step *add(struct steps *all, const struct cat_kernel *from, const struct cat_kernel *to)
{
	if (all->n == all->cap) {
		size_t cap = all->cap ? 2 * all->cap : 16;

		all->list = arena_grow(all->a, all->list, all->n * sizeof(*all->list), cap * sizeof(*all->list));
		all->cap = cap;
	}
	all->list[all->n] = (struct step){ .from = from, .to = to };
	return &all->list[all->n++];
}

static void add_change(struct steps *all, const struct trend_series *s, const struct trend_change *c)
{
	struct step *step = add(all, c->from, c->to);

	step->evidence = calc_worth_level(c, NULL);
	step->row = (struct compare_row){
		.series = s->series, .change_percent = c->percent, .verdict = c->verdict, .confidence = c->confidence,
		.base = { .center = c->before_center, .boots = c->before_boots },
		.head = { .center = c->after_center, .boots = c->after_boots },
	};
}

static size_t index_of(const struct trend *t, int64_t kernel_id)
{
	size_t i = 0;

	while (i < t->n_kernels && t->kernels[i]->id != kernel_id)
		i++;
	return i;
}

/* The changes at the ends of the level that kernel `at` belongs to; NULL: none. */
static void touched(const struct trend_series *s, size_t at, const struct trend_change **left,
		    const struct trend_change **right)
{
	*left = *right = NULL;
	for (size_t i = 0; i < s->n_changes && s->changes[i].level; i++) {
		if (s->changes[i].at <= at)
			*left = &s->changes[i];
		else if (!*right)
			*right = &s->changes[i];
	}
}

static bool holds(const struct trend_series *s, const struct db_member *m)
{
	for (size_t i = 0; i < s->n_changes; i++)
		if (s->changes[i].has_alert && uuid_equal(&s->changes[i].alert_id, &m->alert_id))
			return true;
	return false;
}

/*
 * A row of an alert inside the level the run belongs to: what looked like a step went away. Not of
 * the newest kernel, which several boots may have told apart.
 */
static void add_gone(struct steps *all, const struct trend *t, const struct trend_series *s, size_t from, size_t to,
		     const struct db_member *m)
{
	size_t a = index_of(t, m->change.from_kernel_id), b = index_of(t, m->change.to_kernel_id);

	if (a == t->n_kernels || b == t->n_kernels || b <= from || b >= to || b == s->newest || holds(s, m))
		return;
	if (isnan(s->y[a]) || isnan(s->y[b]))
		return;
	add(all, t->kernels[a], t->kernels[b])->row = (struct compare_row){
		.series = s->series, .change_percent = (s->y[b] / s->y[a] - 1) * 100,
		.base = { .center = s->y[a], .boots = 1 }, .head = { .center = s->y[b], .boots = 1 },
	};
}

static void add_series(struct steps *all, const struct trend *t, const struct trend_series *s,
		       const struct cat_kernel *kernel, const struct db_member *members, size_t n)
{
	size_t at = index_of(t, kernel->id), from, to;
	const struct trend_change *left, *right;

	if (at == t->n_kernels)	/* of a run that failed in this */
		return;
	touched(s, at, &left, &right);
	if (left && (left->has_alert || left->confidence == COMPARE_STRONG))
		add_change(all, s, left);
	if (right && (right->has_alert || right->confidence == COMPARE_STRONG))
		add_change(all, s, right);
	from = left ? left->at : 0;
	to = right ? right->at : t->n_kernels;
	for (size_t i = 0; i < n; i++)
		if (members[i].change.series_id == s->series->id)
			add_gone(all, t, s, from, to, &members[i]);
}

/* ---- reading ---- */

/* The samples of these series alone. */
static struct sample *samples_of(struct arena *a, const struct detect_history *h, const int64_t *ids, size_t n,
				 size_t *n_samples)
{
	struct calc_ids in = calc_ids_new(a, n);
	struct sample *own;
	size_t at, left = 0;

	for (size_t i = 0; i < n; i++)
		*calc_ids_at(&in, ids[i]) = (uint32_t)i + 1;
	for (size_t i = 0; i < h->n_samples; i++)
		left += calc_ids_find(&in, h->samples[i].series_id, &at);
	own = arena_alloc(a, (left + 1) * sizeof(*own));
	*n_samples = 0;
	for (size_t i = 0; i < h->n_samples; i++)
		if (calc_ids_find(&in, h->samples[i].series_id, &at))
			own[(*n_samples)++] = h->samples[i];
	return own;
}

/* Some of the series: their trends are gone again, their steps stay. */
static int add_part(struct steps *all, struct catalog *c, struct db *db, const struct detect_history *h,
		    const int64_t *ids, size_t n, const struct cat_kernel *kernel, struct err *err)
{
	struct arena *own = arena_new();
	const char *track = kernel->track;
	struct selection sel = { .series = arena_array(own, const struct cat_series *, n), .tracks = &track, .n_tracks = 1 };
	struct db_member *members;
	struct trend *t;
	size_t n_samples, n_members;
	int ret;

	db_catalog_lock(c);
	for (size_t i = 0; i < n; i++)
		sel.series[sel.n++] = db_catalog_series_by_id(c, ids[i]);
	db_catalog_unlock(c);
	const struct sample *samples = samples_of(own, h, ids, n, &n_samples);

	ret = calc_trend_given(c, db, own, &sel, samples, n_samples, &t, err) ||
	      db_alerts_members_of_series(db, own, ids, n, &members, &n_members, err) ? -1 : 0;
	for (size_t i = 0; !ret && i < t->n_series; i++)
		if (t->series[i].levels && !strcmp(t->series[i].track, track))
			add_series(all, t, &t->series[i], kernel, members, n_members);
	arena_free(own);
	return ret;
}

/* ---- alerts ---- */

static int by_kernels(const void *a, const void *b)
{
	const struct step *x = a, *y = b;
	int d = (x->to->id > y->to->id) - (x->to->id < y->to->id);

	if (!d)
		d = (x->from->id > y->from->id) - (x->from->id < y->from->id);
	return d ? d : (x->row.series->id > y->row.series->id) - (x->row.series->id < y->row.series->id);
}

static int apply(struct steps *all, const struct detect_rules *rules, struct db *db, struct detect_report *report,
		 struct err *err)
{
	if (all->n)
		qsort(all->list, all->n, sizeof(*all->list), by_kernels);
	for (size_t from = 0, to; from < all->n; from = to) {
		struct compare cmp = { .base = all->list[from].from, .head = all->list[from].to };
		enum calc_worth *evidence;

		for (to = from; to < all->n && all->list[to].from == cmp.base && all->list[to].to == cmp.head;)
			to++;
		cmp.rows = arena_array(all->a, struct compare_row, to - from);
		evidence = arena_array(all->a, enum calc_worth, to - from);
		for (size_t i = from; i < to; i++) {
			evidence[cmp.n_rows] = all->list[i].evidence;
			cmp.rows[cmp.n_rows++] = all->list[i].row;
		}
		if (detect_alerts_apply_as(rules, db, all->a, &cmp, evidence, report, err))
			return -1;
	}
	return 0;
}

int detect_levels_check(const struct detect_rules *rules, struct db *db, struct arena *a, const struct detect_history *h,
			const struct cat_kernel *kernel, struct detect_report *report, struct err *err)
{
	struct catalog *c = rules->d->catalog;
	int64_t *ids = arena_array(a, int64_t, h->n);
	struct steps all = { .a = a };
	size_t n = 0, part;

	for (size_t i = 0; i < h->n; i++)
		if (h->series[i].n >= DETECT_PAIRS_LONG)
			ids[n++] = h->series[i].series->id;
	db_catalog_lock(c);
	db_catalog_kernels(c, &part);
	db_catalog_unlock(c);
	part = calc_trend_at_once(part, PART);
	for (size_t from = 0; from < n; from += part)
		if (add_part(&all, c, db, h, ids + from, n - from < part ? n - from : part, kernel, err))
			return -1;
	return apply(&all, rules, db, report, err);
}
