/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "detect_alerts.h"

#define PART 256	/* series of one trend, at most */

struct level_series {
	int64_t id;
	const struct trend *trend;
	const struct trend_series *series;
};

static int by_id(const void *a, const void *b)
{
	int64_t x = ((const struct level_series *)a)->id, y = ((const struct level_series *)b)->id;

	return (x > y) - (x < y);
}

static int read_part(struct catalog *c, struct db *db, struct arena *a, const char **track, const int64_t *ids, size_t n,
		     struct trend **out, struct err *err)
{
	struct selection sel = { .series = arena_array(a, const struct cat_series *, n), .tracks = track, .n_tracks = 1 };

	db_catalog_lock(c);
	for (size_t i = 0; i < n; i++) {
		const struct cat_series *s = db_catalog_series_by_id(c, ids[i]);

		if (s)
			sel.series[sel.n++] = s;
	}
	db_catalog_unlock(c);
	return calc_trend(c, db, a, &sel, false, NULL, out, err);
}

int detect_levels_read(struct catalog *c, struct db *db, struct arena *a, const struct cat_kernel *kernel,
		       const int64_t *series, size_t n, struct detect_levels *out, struct err *err)
{
	const char **track = arena_array(a, const char *, 1);
	size_t part;

	db_catalog_lock(c);
	db_catalog_kernels(c, &part);
	db_catalog_unlock(c);
	part = calc_trend_at_once(part, PART);
	*track = kernel->track;
	*out = (struct detect_levels){ .kernel = kernel, .index = arena_array(a, struct level_series, n) };
	for (size_t from = 0; from < n; from += part) {
		struct trend *t;

		if (read_part(c, db, a, track, series + from, n - from < part ? n - from : part, &t, err))
			return -1;
		for (size_t i = 0; i < t->n_series; i++)
			if (t->series[i].levels && !strcmp(t->series[i].track, kernel->track))
				out->index[out->n_index++] = (struct level_series){ t->series[i].series->id, t,
										    &t->series[i] };
	}
	if (out->n_index)
		qsort(out->index, out->n_index, sizeof(*out->index), by_id);
	return 0;
}

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
static void add_gone(struct steps *all, const struct level_series *l, size_t from, size_t to, const struct db_member *m)
{
	const struct trend *t = l->trend;
	const struct trend_series *s = l->series;
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

static void add_series(struct steps *all, const struct level_series *l, const struct cat_kernel *kernel,
		       const struct db_member *members, size_t n)
{
	size_t at = index_of(l->trend, kernel->id), from, to;
	const struct trend_change *left, *right;

	if (at == l->trend->n_kernels)	/* of a run that failed in this */
		return;
	touched(l->series, at, &left, &right);
	if (left && (left->has_alert || left->confidence == COMPARE_STRONG))
		add_change(all, l->series, left);
	if (right && (right->has_alert || right->confidence == COMPARE_STRONG))
		add_change(all, l->series, right);
	from = left ? left->at : 0;
	to = right ? right->at : l->trend->n_kernels;
	for (size_t i = 0; i < n; i++)
		if (members[i].change.series_id == l->id)
			add_gone(all, l, from, to, &members[i]);
}

static int by_kernels(const void *a, const void *b)
{
	const struct step *x = a, *y = b;
	int d = (x->to->id > y->to->id) - (x->to->id < y->to->id);

	if (!d)
		d = (x->from->id > y->from->id) - (x->from->id < y->from->id);
	return d ? d : (x->row.series->id > y->row.series->id) - (x->row.series->id < y->row.series->id);
}

int detect_levels_apply(const struct detect_levels *l, const struct detect_rules *rules, struct db *db, struct arena *a,
			struct detect_report *report, struct err *err)
{
	int64_t *ids = arena_array(a, int64_t, l->n_index);
	struct steps all = { .a = a };
	struct db_member *members;
	size_t n;

	if (!l->n_index)
		return 0;
	for (size_t i = 0; i < l->n_index; i++)
		ids[i] = l->index[i].id;
	if (db_alerts_members_of_series(db, a, ids, l->n_index, &members, &n, err))
		return -1;
	for (size_t i = 0; i < l->n_index; i++)
		add_series(&all, &l->index[i], l->kernel, members, n);
	if (all.n)
		qsort(all.list, all.n, sizeof(*all.list), by_kernels);
	for (size_t from = 0, to; from < all.n; from = to) {
		struct compare cmp = { .base = all.list[from].from, .head = all.list[from].to,
				       .rows = arena_array(a, struct compare_row, all.n - from) };
		enum calc_worth *evidence = arena_array(a, enum calc_worth, all.n - from);

		for (to = from; to < all.n && all.list[to].from == cmp.base && all.list[to].to == cmp.head; to++) {
			evidence[cmp.n_rows] = all.list[to].evidence;
			cmp.rows[cmp.n_rows++] = all.list[to].row;
		}
		if (detect_alerts_apply_as(rules, db, a, &cmp, evidence, report, err))
			return -1;
	}
	return 0;
}
