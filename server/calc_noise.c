/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/ids.h"
#include "calc_ids.h"
#include "calc_noise_kept.h"
#include "db_packs.h"

/* Boots beyond the first of each side that make a history superfluous. */
#define BOOTS_ENOUGH 20
/* Samples that a comparison may read for its histories: some 50 MB. */
#define SAMPLES_AT_ONCE 500000
/* Groups of siblings that are looked for beyond the selection. */
#define GROUPS_AT_ONCE 16

/* Up to as many series are read for one that was asked for. */
#define RANGE_MOST 8

/* ---- samples to noise ---- */

struct item {			/* a sample in its place */
	uint32_t kernel;	/* its kernel's rank */
	struct stats_sample s;
};

struct learning {
	struct arena *a;
	struct calc_ids ranks;			/* of the kernels that count, by id */
	const struct cat_kernel **kernels;	/* in order */
	int *lines;				/* a kernel: its track, by number */
	size_t n_kernels;
	struct item *items;			/* by series */
	size_t *end;				/* a series: behind its last item */
	struct stats_sample *flat;
	struct noise_point *points;
	double *scratch;
	void *side_scratch;
};

static bool excluded(int64_t id, const struct cat_kernel *const *except, size_t n_except)
{
	for (size_t i = 0; i < n_except; i++)
		if (except[i]->id == id)
			return true;
	return false;
}

/* The kernels of the samples that make a history, ranked; a variant does not. */
static void rank_kernels(struct learning *l, struct catalog *c, const struct sample *samples, size_t n,
			 const struct cat_kernel *const *except, size_t n_except)
{
	size_t all, at;

	db_catalog_lock(c);
	db_catalog_kernels(c, &all);
	l->ranks = calc_ids_new(l->a, all + 1);
	l->kernels = arena_array(l->a, const struct cat_kernel *, all + 1);
	for (size_t i = 0; i < n; i++) {
		const struct cat_kernel *k;

		if (calc_ids_find(&l->ranks, samples[i].kernel_id, &at))
			continue;
		k = db_catalog_kernel(c, samples[i].kernel_id);
		if (!k || k->is_variant || excluded(k->id, except, n_except))
			continue;
		*calc_ids_at(&l->ranks, k->id) = 1;
		l->kernels[l->n_kernels++] = k;
	}
	db_catalog_unlock(c);
	qsort(l->kernels, l->n_kernels, sizeof(*l->kernels), calc_select_kernel_order);
	l->lines = arena_array(l->a, int, l->n_kernels + 1);
	for (size_t i = 0; i < l->n_kernels; i++) {
		*calc_ids_at(&l->ranks, l->kernels[i]->id) = (uint32_t)i + 1;
		if (i)
			l->lines[i] = l->lines[i - 1] + (strcmp(l->kernels[i]->track, l->kernels[i - 1]->track) != 0);
	}
}

/* Samples into their series (counting sort). */
static void sort_items(struct learning *l, const int64_t *ids, size_t n_ids, const struct sample *samples,
		       size_t n)
{
	struct calc_ids series = calc_ids_new(l->a, n_ids);
	size_t at, rank;

	for (size_t i = 0; i < n_ids; i++)
		*calc_ids_at(&series, ids[i]) = (uint32_t)i + 1;
	l->end = arena_array(l->a, size_t, n_ids + 1);
	l->items = arena_alloc(l->a, n * sizeof(*l->items));
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++) {
			const struct sample *s = &samples[i];

			if (s->n < 1 || !calc_ids_find(&l->ranks, s->kernel_id, &rank) ||
			    !calc_ids_find(&series, s->series_id, &at))
				continue;
			if (pass == 0)
				l->end[at + 1]++;
			else
				l->items[l->end[at]++] = (struct item){ (uint32_t)rank, {
					.boot_key = s->boot_key, .n = s->n, .mean = s->mean, .stddev = s->stddev,
					.min = s->min, .max = s->max } };
		}
		for (size_t i = 0; i < n_ids && pass == 0; i++)
			l->end[i + 1] += l->end[i];
	}
}

static int by_kernel(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

/* Packs are in the order of uploads, which mostly is that of kernels. */
static void sort_series(struct item *items, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (items[i].kernel < items[i - 1].kernel) {
			qsort(items, n, sizeof(*items), by_kernel);
			return;
		}
}

/* Only the newest kernels of each line. */
static size_t keep_newest(struct noise_point *p, size_t n)
{
	size_t kept = 0;

	for (size_t from = 0, to; from < n; from = to) {
		for (to = from; to < n && p[to].line == p[from].line;)
			to++;
		for (size_t i = to - from > CALC_NOISE_KERNELS ? to - CALC_NOISE_KERNELS : from; i < to; i++)
			p[kept++] = p[i];
	}
	return kept;
}

static void learn_series(struct learning *l, struct item *items, size_t n, struct noise *out)
{
	size_t points = 0;

	sort_series(items, n);
	for (size_t from = 0, to; from < n; from = to) {
		struct stats_side side;

		for (to = from; to < n && items[to].kernel == items[from].kernel; to++)
			l->flat[to - from] = items[to].s;
		stats_side_of(l->flat, to - from, l->side_scratch, &side);
		points += noise_point_of(&side, l->lines[items[from].kernel], &l->points[points]);
	}
	noise_of_history(l->points, keep_newest(l->points, points), l->scratch, out);
}

void calc_noise_of_given(struct catalog *c, struct arena *a, const int64_t *ids, size_t n_ids,
			 const struct sample *samples, size_t n, const struct cat_kernel *const *except,
			 size_t n_except, struct noise *out)
{
	struct learning l = { .a = a };
	size_t most = 0;

	rank_kernels(&l, c, samples, n, except, n_except);
	sort_items(&l, ids, n_ids, samples, n);
	for (size_t i = 0, from = 0; i < n_ids; from = l.end[i++])
		most = l.end[i] - from > most ? l.end[i] - from : most;
	l.flat = arena_array(a, struct stats_sample, most);
	l.points = arena_array(a, struct noise_point, most);
	l.scratch = arena_array(a, double, 2 * most);
	l.side_scratch = arena_alloc(a, stats_side_scratch(most));
	for (size_t i = 0, from = 0; i < n_ids; from = l.end[i++])
		learn_series(&l, l.items + from, l.end[i] - from, &out[i]);
}

int calc_noise_of_samples(struct catalog *c, struct db *db, struct arena *a, const int64_t *ids, size_t n_ids,
			  const struct cat_kernel *const *except, size_t n_except, struct noise *out,
			  struct err *err)
{
	struct sample *samples;
	size_t n;

	if (!n_ids)
		return 0;
	if (db_packs_read(db, a, ids, n_ids, &samples, &n, err))
		return -1;
	calc_noise_of_given(c, a, ids, n_ids, samples, n, except, n_except, out);
	return 0;
}

/* The same from what was learned before. ids: in order. */
static int noise_of_table(struct db *db, struct arena *a, const int64_t *ids, size_t n_ids, struct noise *out,
			  struct err *err)
{
	struct db_noise *list;
	size_t n, at = 0;
	int ret;

	if ((uint64_t)(ids[n_ids - 1] - ids[0]) / RANGE_MOST < n_ids)	/* what is too much is passed over below */
		ret = calc_noise_kept(db, a, ids[0], ids[n_ids - 1], &list, &n, err);
	else
		ret = db_noise_read(db, a, ids, n_ids, &list, &n, err);
	if (ret)
		return -1;
	for (size_t i = 0; i < n; i++) {
		while (at < n_ids && ids[at] < list[i].series_id)
			at++;
		if (at < n_ids && ids[at] == list[i].series_id)
			out[at] = (struct noise){ NOISE_HISTORY, list[i].variance, list[i].df, list[i].within,
						  list[i].reps, list[i].kernels };
	}
	return 0;
}

/* Which no series has more of. */
static size_t n_known_kernels(struct catalog *c)
{
	size_t n;

	db_catalog_lock(c);
	db_catalog_kernels(c, &n);
	db_catalog_unlock(c);
	return n;
}

static int fetch(struct catalog *c, struct db *db, struct arena *a, const int64_t *ids, size_t n_ids,
		 const struct cat_kernel *const *kernels, size_t n_kernels, struct noise *out, struct err *err)
{
	if (n_ids > CALC_NOISE_DIRECT || n_ids * n_known_kernels(c) > SAMPLES_AT_ONCE)
		return noise_of_table(db, a, ids, n_ids, out, err);
	return calc_noise_of_samples(c, db, a, ids, n_ids, kernels, n_kernels, out, err);
}

/* ---- siblings ---- */

struct relative {		/* a series and what is known of its noise */
	const struct cat_series *series;
	struct noise noise;
	struct noise *out;	/* where a series without a history is to have it; NULL: one that has */
};

static int group_order(const struct cat_series *s, const struct cat_series *t)
{
	const int64_t x[] = { s->benchmark->id, s->metric->id, s->machine->id, s->config->id };
	const int64_t y[] = { t->benchmark->id, t->metric->id, t->machine->id, t->config->id };

	for (int i = 0; i < 4; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* By group; in a group those that know first. */
static int relative_order(const void *a, const void *b)
{
	const struct relative *x = a, *y = b;
	int d = group_order(x->series, y->series);

	if (!d)
		d = (x->out != NULL) - (y->out != NULL);
	return d ? d : (x->series->id > y->series->id) - (x->series->id < y->series->id);
}

/*
 * Gives those without a history what their group says. Returns how many groups know nothing; the first series
 * of each, up to `most`, in *orphan.
 */
static size_t ask_siblings(struct arena *a, struct relative *list, size_t n, const struct cat_series **orphan,
			   size_t most)
{
	struct noise *known = arena_array(a, struct noise, n + 1), said;
	size_t orphans = 0;

	qsort(list, n, sizeof(*list), relative_order);
	for (size_t from = 0, to; from < n; from = to) {
		size_t n_known = 0;

		for (to = from; to < n && !group_order(list[from].series, list[to].series); to++)
			if (!list[to].out)
				known[n_known++] = list[to].noise;
		if (n_known == to - from)
			continue;
		if (!noise_of_siblings(known, n_known, &said)) {
			if (orphans < most)
				orphan[orphans] = list[from].series;
			orphans++;
			continue;
		}
		for (size_t i = from + n_known; i < to; i++)
			*list[i].out = said;
	}
	return orphans;
}

/* Siblings of the orphans that are not in the selection, in order of id. */
static int64_t *strangers(struct catalog *c, struct arena *a, const struct selection *sel,
			  const struct cat_series *const *orphan, size_t n_orphans, size_t *n)
{
	int64_t *ids = arena_array(a, int64_t, CALC_NOISE_DIRECT);
	struct calc_ids in = calc_ids_new(a, sel->n);
	size_t at;

	*n = 0;
	for (size_t i = 0; i < sel->n; i++)
		*calc_ids_at(&in, sel->series[i]->id) = (uint32_t)i + 1;
	db_catalog_lock(c);
	for (size_t o = 0; o < n_orphans; o++) {
		size_t n_of;
		const struct cat_series *const *of = db_catalog_series_of(c, orphan[o]->benchmark->id, &n_of);

		for (size_t i = 0; i < n_of && *n < CALC_NOISE_DIRECT; i++)
			if (!group_order(of[i], orphan[o]) && !calc_ids_find(&in, of[i]->id, &at))
				ids[(*n)++] = of[i]->id;
	}
	db_catalog_unlock(c);
	qsort(ids, *n, sizeof(*ids), ids_compare);
	return ids;
}

/* Boots of the kernels compared tell of their siblings that have only one. */
static struct noise own_boots(const struct sides *sides, size_t series)
{
	struct noise_point p;
	struct noise own = { 0 };
	double ss = 0, df = 0, reps = 0, boots = 0;

	for (size_t k = 0; k < sides->n_kernels; k++) {
		const struct stats_side *s = calc_sides_at(sides, series, k);

		if (s->boots < 2 || !noise_point_of(s, 0, &p) || !isfinite(p.sd))
			continue;
		ss += (double)(s->boots - 1) * p.sd * p.sd;
		df += (double)(s->boots - 1);
		reps += (double)s->n;
		boots += (double)s->boots;
	}
	if (df > 0)
		own = (struct noise){ NOISE_BOOTS, ss / df, df, NAN, reps / boots, 1 };
	return own;
}

static bool all_known(const struct noise *list, size_t n)
{
	while (n && list[n - 1].source)
		n--;
	return !n;
}

/* For those of the selection without a history: what siblings say. */
static int fill_from_siblings(struct catalog *c, struct db *db, struct arena *a, const struct sides *sides,
			      const struct cat_kernel *const *kernels, size_t n_kernels, struct noise *out,
			      struct err *err)
{
	const struct selection *sel = sides->sel;
	struct relative *list;
	const struct cat_series *orphan[GROUPS_AT_ONCE];
	struct noise *more;
	size_t n = 0, wanting = 0, orphans, n_more;
	int64_t *ids;

	if (all_known(out, sel->n))
		return 0;
	list = arena_array(a, struct relative, sel->n + CALC_NOISE_DIRECT);
	for (size_t i = 0; i < sel->n; i++) {
		struct noise own = own_boots(sides, i);

		if (!out[i].source && !own.source)
			list[n++] = (struct relative){ sel->series[i], own, &out[i] };
		else
			list[n++] = (struct relative){ sel->series[i], out[i].source ? out[i] : own, NULL };
		wanting += list[n - 1].out != NULL;
	}
	if (!wanting)
		return 0;
	orphans = ask_siblings(a, list, n, orphan, GROUPS_AT_ONCE);
	if (!orphans || orphans > GROUPS_AT_ONCE)
		return 0;
	ids = strangers(c, a, sel, orphan, orphans, &n_more);
	more = arena_array(a, struct noise, n_more);
	if (fetch(c, db, a, ids, n_more, kernels, n_kernels, more, err))
		return -1;
	db_catalog_lock(c);
	for (size_t i = 0; i < n_more; i++)
		if (more[i].source)
			list[n++] = (struct relative){ db_catalog_series_by_id(c, ids[i]), more[i], NULL };
	db_catalog_unlock(c);
	ask_siblings(a, list, n, orphan, 0);
	return 0;
}

/* ---- reading ---- */

/* Whether a series has something to compare, and too few boots to do without a history. */
static bool needs(const struct sides *sides, size_t series)
{
	int64_t measured = 0, boots = 0;

	for (size_t k = 0; k < sides->n_kernels; k++) {
		const struct stats_side *s = calc_sides_at(sides, series, k);

		measured += s->runs > 0;
		boots += s->runs ? s->boots - 1 : 0;
	}
	return measured > 0 && boots < BOOTS_ENOUGH;
}

/* The series that a comparison needs it for, and what was learned of them. */
struct wanting {
	int64_t *ids;
	size_t *place;		/* in the selection */
	size_t n;
	struct noise *found;
};

static struct wanting find_wanting(struct arena *a, const struct sides *sides, struct noise *out)
{
	const struct selection *sel = sides->sel;
	struct wanting w = { .ids = arena_array(a, int64_t, sel->n), .place = arena_array(a, size_t, sel->n) };

	for (size_t i = 0; i < sel->n; i++) {
		out[i] = (struct noise){ 0 };
		if (!needs(sides, i))
			continue;
		w.ids[w.n] = sel->series[i]->id;
		w.place[w.n++] = i;
	}
	w.found = arena_array(a, struct noise, w.n);
	return w;
}

static int give(struct catalog *c, struct db *db, struct arena *a, const struct sides *sides, const struct wanting *w,
		const struct cat_kernel *const *kernels, size_t n_kernels, struct noise *out, struct err *err)
{
	for (size_t i = 0; i < w->n; i++)
		out[w->place[i]] = w->found[i];
	return fill_from_siblings(c, db, a, sides, kernels, n_kernels, out, err);
}

int calc_noise_read(struct catalog *c, struct db *db, struct arena *a, const struct sides *sides,
		    const struct cat_kernel *const *kernels, size_t n_kernels, struct noise *out, struct err *err)
{
	struct wanting w = find_wanting(a, sides, out);

	if (!w.n)
		return 0;
	if (fetch(c, db, a, w.ids, w.n, kernels, n_kernels, w.found, err))
		return -1;
	return give(c, db, a, sides, &w, kernels, n_kernels, out, err);
}

int calc_noise_given(struct catalog *c, struct db *db, struct arena *a, const struct sides *sides,
		     const struct cat_kernel *const *kernels, size_t n_kernels, const struct sample *samples, size_t n,
		     struct noise *out, struct err *err)
{
	struct wanting w = find_wanting(a, sides, out);

	if (!w.n)
		return 0;
	calc_noise_of_given(c, a, w.ids, w.n, samples, n, kernels, n_kernels, w.found);
	return give(c, db, a, sides, &w, kernels, n_kernels, out, err);
}
