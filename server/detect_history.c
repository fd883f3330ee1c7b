/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_history.h"

#include <stdlib.h>
#include <string.h>

#include "calc_ids.h"
#include "db_packs.h"
#include "detect_range.h"

#define BOOTS_MOST 512		/* of a series and kernel: what more of them say decides nothing any more */

struct item {			/* a sample in its place */
	uint32_t series, kernel;
	struct stats_sample s;
};

struct reading {
	struct arena *a;
	struct calc_ids rank;			/* of the kernels that count, by id */
	const struct cat_kernel **kernels;	/* in order */
	size_t n_kernels;
	struct item *items;
	size_t n;
};

/* Whether it has a place beside `kernel`: keys order all of a track; names of local trees and of two branches have no before and after. */
static bool stands_beside(const struct cat_kernel *k, const struct cat_kernel *kernel)
{
	enum kernel_order order;

	if (!k || k->is_variant || strcmp(k->track, kernel->track))
		return false;
	if (k == kernel)
		return true;
	order = kernel_compare_names(k->name, kernel->name);
	return order == (detect_range_order(k, kernel) < 0 ? KERNEL_BEFORE : KERNEL_AFTER);
}

static int by_order(const void *a, const void *b)
{
	return calc_select_kernel_order(a, b);
}

static void rank_kernels(struct reading *r, struct catalog *c, const struct cat_kernel *kernel,
			 const struct sample *samples, size_t n)
{
	size_t all, at;

	db_catalog_lock(c);
	db_catalog_kernels(c, &all);
	r->rank = calc_ids_new(r->a, all + 1);
	r->kernels = arena_array(r->a, const struct cat_kernel *, all + 1);
	for (size_t i = 0; i < n; i++) {
		const struct cat_kernel *k;

		if (i && samples[i].kernel_id == samples[i - 1].kernel_id)
			continue;
		if (calc_ids_find(&r->rank, samples[i].kernel_id, &at))
			continue;
		k = db_catalog_kernel(c, samples[i].kernel_id);
		if (!stands_beside(k, kernel))
			continue;
		*calc_ids_at(&r->rank, k->id) = 1;
		r->kernels[r->n_kernels++] = k;
	}
	db_catalog_unlock(c);
	qsort(r->kernels, r->n_kernels, sizeof(*r->kernels), by_order);
	for (size_t i = 0; i < r->n_kernels; i++)
		*calc_ids_at(&r->rank, r->kernels[i]->id) = (uint32_t)i + 1;
}

static int by_place(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static void sort_items(struct reading *r, const int64_t *ids, size_t n_ids, const struct sample *samples, size_t n)
{
	struct calc_ids series = calc_ids_new(r->a, n_ids + 1);
	size_t at, kernel;

	for (size_t i = 0; i < n_ids; i++)
		*calc_ids_at(&series, ids[i]) = (uint32_t)i + 1;
	r->items = arena_alloc(r->a, n * sizeof(*r->items));
	for (size_t i = 0; i < n; i++) {
		const struct sample *s = &samples[i];

		if (s->n < 1 || !calc_ids_find(&r->rank, s->kernel_id, &kernel) ||
		    !calc_ids_find(&series, s->series_id, &at))
			continue;
		r->items[r->n++] = (struct item){ (uint32_t)at, (uint32_t)kernel,
						  { .boot_key = s->boot_key, .n = s->n, .mean = s->mean,
						    .stddev = s->stddev, .min = s->min, .max = s->max } };
	}
	if (r->n)
		qsort(r->items, r->n, sizeof(*r->items), by_place);
}

static void make_points(struct reading *r, const struct cat_kernel *kernel, struct detect_history *out)
{
	struct stats_sample *flat = arena_array(r->a, struct stats_sample, r->n);
	struct history_point *point = arena_array(r->a, struct history_point, r->n);
	void *scratch = arena_alloc(r->a, stats_side_scratch(r->n));

	for (size_t from = 0, to; from < r->n; from = to) {
		struct history_series *s = &out->series[r->items[from].series];

		for (to = from; to < r->n && !by_place(&r->items[from], &r->items[to]); to++)
			flat[to - from] = r->items[to].s;
		if (!s->n)
			s->point = point;
		*point = (struct history_point){ .kernel = r->kernels[r->items[from].kernel] };
		stats_side_of(flat, to - from, scratch, &point->side);
		point++;
		s->n++;
	}
	for (size_t i = 0; i < out->n; i++) {
		struct history_series *s = &out->series[i];

		while (s->at < s->n && s->point[s->at].kernel != kernel)
			s->at++;
	}
}

int detect_history_read(struct catalog *c, struct db *db, struct arena *a, const struct cat_kernel *kernel,
			const int64_t *series_ids, size_t n, struct detect_history *out, struct err *err)
{
	struct reading r = { .a = a };
	struct sample *samples = NULL;
	bool all = true;

	*out = (struct detect_history){ .series = arena_array(a, struct history_series, n), .n = n };
	db_catalog_lock(c);
	for (size_t i = 0; i < n; i++) {
		out->series[i].series = db_catalog_series_by_id(c, series_ids[i]);
		all &= out->series[i].series != NULL;
	}
	db_catalog_unlock(c);
	if (!all)
		return err_set(err, ERR_BUG, "a run names a series that the catalogue does not have");
	if (n && db_packs_read_newest(db, a, series_ids, n, BOOTS_MOST, &samples, &out->n_samples, err))
		return -1;
	out->samples = samples;
	rank_kernels(&r, c, kernel, samples, out->n_samples);
	sort_items(&r, series_ids, n, samples, out->n_samples);
	make_points(&r, kernel, out);
	return 0;
}
