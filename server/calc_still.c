/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_still.h"

#include <math.h>
#include <stdlib.h>

#include "calc_ids.h"
#include "calc_trend.h"

#define AT_ONCE 500		/* series whose trends are in memory together */

static int by_id(const void *x, const void *y)
{
	const struct cat_series *s = *(const struct cat_series *const *)x, *t = *(const struct cat_series *const *)y;

	return (s->id > t->id) - (s->id < t->id);
}

static struct selection members(struct arena *a, const struct calc_alert *al)
{
	const char **track = arena_array(a, const char *, 1);
	struct selection sel = { .series = arena_array(a, const struct cat_series *, al->n_rows), .n = al->n_rows,
				 .tracks = track, .n_tracks = 1 };
	size_t n = 0;

	*track = al->alert->track;
	for (size_t i = 0; i < al->n_rows; i++)
		sel.series[i] = al->rows[i].series;
	if (sel.n)
		qsort(sel.series, sel.n, sizeof(*sel.series), by_id);
	for (size_t i = 0; i < sel.n; i++)
		if (!n || sel.series[n - 1] != sel.series[i])
			sel.series[n++] = sel.series[i];
	sel.n = n;
	return sel;
}

/* What the alert's series are off by at one kernel, added up. */
struct sum {
	const struct cat_kernel *kernel;
	double all, left;	/* of the change, and of what is off now: sums of logarithms */
	size_t n_series;
};

struct work {
	const struct calc_alert *al;
	struct calc_ids rows;		/* of the alert, by series */
	struct calc_ids places;		/* of sums, by kernel */
	struct sum *sums;
	size_t n, most;
};

/* NULL: it came in after we began. */
static struct sum *sum_of(struct work *w, const struct cat_kernel *k)
{
	size_t at;

	if (calc_ids_find(&w->places, k->id, &at))
		return &w->sums[at];
	if (w->n == w->most)
		return NULL;
	w->sums[w->n] = (struct sum){ .kernel = k };
	*calc_ids_at(&w->places, k->id) = (uint32_t)w->n + 1;
	return &w->sums[w->n++];
}

/* Kernels from the first bad one on. Values at or below 0 have no logarithm and are left out. */
static void add_series(struct work *w, const struct trend *t, const struct trend_series *s)
{
	const struct db_change *of;
	size_t row;

	if (!calc_ids_find(&w->rows, s->series->id, &row))
		return;
	of = w->al->rows[row].change;
	if (!(of->from_center > 0) || !(of->to_center > 0))
		return;
	for (size_t k = 0; k < t->n_kernels; k++) {
		struct sum *sum;

		if (!(s->y[k] > 0) || (t->kernels[k] != w->al->to && calc_select_kernel_order(&t->kernels[k], &w->al->to) < 0))
			continue;
		sum = sum_of(w, t->kernels[k]);
		if (!sum)
			continue;
		sum->all += log(of->to_center / of->from_center);
		sum->left += log(s->y[k] / of->from_center);
		sum->n_series++;
	}
}

/* So many series at once that the trend of any alert is within its bounds. */
static int add_up(struct work *w, struct catalog *c, struct db *db, const struct selection *all, struct err *err)
{
	size_t at_once = calc_trend_at_once(w->most, AT_ONCE);

	for (size_t from = 0; from < all->n; from += at_once) {
		struct selection part = *all;
		struct arena *own = arena_new();
		struct trend *t;
		int ret;

		part.series = all->series + from;
		part.n = all->n - from < at_once ? all->n - from : at_once;
		ret = calc_trend(c, db, own, &part, false, NULL, &t, err);
		for (size_t i = 0; !ret && i < t->n_series; i++)
			add_series(w, t, &t->series[i]);
		arena_free(own);
		if (ret)
			return -1;
	}
	return 0;
}

static int by_kernel(const void *x, const void *y)
{
	return calc_select_kernel_order(&((const struct sum *)x)->kernel, &((const struct sum *)y)->kernel);
}

static void list_kernels(struct arena *a, const struct work *w, struct still *out)
{
	out->kernels = arena_array(a, struct still_kernel, w->n);
	for (size_t i = 0; i < w->n; i++) {
		const struct sum *s = &w->sums[i];

		if (s->all == 0)
			continue;
		out->kernels[out->n] = (struct still_kernel){
			.kernel = s->kernel, .n_series = s->n_series, .left = s->left / s->all,
			.percent = expm1(s->left / (double)s->n_series) * 100,
			.present = s->left / s->all >= CALC_STILL_SHARE,
		};
		out->n_present += out->kernels[out->n++].present;
	}
	for (size_t k = out->n; k-- > 0 && !out->kernels[k].present;)
		out->first_gone = &out->kernels[k];
}

int calc_still(struct catalog *c, struct db *db, struct arena *a, const struct calc_alert *al, struct still *out,
	       struct err *err)
{
	struct selection sel = members(a, al);
	struct work w = { .al = al, .rows = calc_ids_new(a, al->n_rows) };

	*out = (struct still){ 0 };
	for (size_t r = al->n_rows; r-- > 0;)	/* the first of a series is the one */
		*calc_ids_at(&w.rows, al->rows[r].series->id) = (uint32_t)r + 1;
	db_catalog_lock(c);
	db_catalog_kernels(c, &w.most);
	db_catalog_unlock(c);
	w.places = calc_ids_new(a, w.most);
	w.sums = arena_array(a, struct sum, w.most);
	if (add_up(&w, c, db, &sel, err))
		return -1;
	if (w.n)
		qsort(w.sums, w.n, sizeof(*w.sums), by_kernel);
	list_kernels(a, &w, out);
	return 0;
}

double calc_still_restored(const struct still_kernel *k)
{
	double fix = 1 + k->percent / 100, head;

	if (k->left == 0)
		return 100;
	head = exp(log(fix) / k->left);
	return (head - fix) / (head - 1) * 100;
}

const char *calc_still_sentence(struct arena *a, const struct still *s)
{
	const struct still_kernel *last = s->n ? &s->kernels[s->n - 1] : NULL;
	size_t n = s->first_gone ? (size_t)(s->first_gone - s->kernels) : s->n;
	const char *range, *first;

	if (!last)
		return NULL;
	if (!n)
		return arena_printf(a, "not in %s as it stands now", last->kernel->name);
	first = s->kernels[0].kernel->name;
	range = n > 1 ? arena_printf(a, "%s .. %s", first, s->kernels[n - 1].kernel->name) : first;
	range = arena_printf(a, "present in %s (%zu of %zu kernel%s)", range, s->n_present, n, n == 1 ? "" : "s");
	if (!s->first_gone)
		return arena_printf(a, "%s, latest tested %s, first fixed: none", range, last->kernel->name);
	return arena_printf(a, "%s, latest tested %s, first fixed: %s; %.0f %% restored in %s", range, last->kernel->name,
			    s->first_gone->kernel->name, calc_still_restored(last), last->kernel->name);
}
