/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_still.h"

#include <math.h>
#include <stdlib.h>

#include "calc_trend.h"

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

	*track = al->alert->track;
	for (size_t i = 0; i < al->n_rows; i++)
		sel.series[i] = al->rows[i].series;
	if (sel.n)
		qsort(sel.series, sel.n, sizeof(*sel.series), by_id);
	return sel;
}

/* The alert's row of each of the trend's series. */
static const struct db_change **changes_of(struct arena *a, const struct calc_alert *al, const struct trend *t)
{
	const struct db_change **of = arena_array(a, const struct db_change *, t->n_series);

	for (size_t i = 0; i < t->n_series; i++)
		for (size_t r = 0; r < al->n_rows && !of[i]; r++)
			if (al->rows[r].series == t->series[i].series)
				of[i] = al->rows[r].change;
	return of;
}

/* The alert's series at kernel k. Values at or below 0 have no logarithm and are left out. */
static void look_at(const struct trend *t, const struct db_change *const *of, size_t k, struct still_kernel *out)
{
	double all = 0, left = 0;

	*out = (struct still_kernel){ .kernel = t->kernels[k] };
	for (size_t i = 0; i < t->n_series; i++) {
		double y = t->series[i].y[k];

		if (!of[i] || !(y > 0) || !(of[i]->from_center > 0) || !(of[i]->to_center > 0))
			continue;
		all += log(of[i]->to_center / of[i]->from_center);
		left += log(y / of[i]->from_center);
		out->n_series++;
	}
	if (!out->n_series)
		return;
	out->percent = expm1(left / (double)out->n_series) * 100;
	out->left = all != 0 ? left / all : NAN;
	out->present = out->left >= CALC_STILL_SHARE;
}

int calc_still(struct catalog *c, struct db *db, struct arena *a, const struct calc_alert *al, struct still *out,
	       struct err *err)
{
	struct selection sel = members(a, al);
	const struct db_change **of;
	struct trend *t;

	*out = (struct still){ 0 };
	if (!al->n_rows)
		return 0;
	if (calc_trend(c, db, a, &sel, false, NULL, &t, err))
		return -1;
	of = changes_of(a, al, t);
	out->kernels = arena_array(a, struct still_kernel, t->n_kernels);
	for (size_t k = 0; k < t->n_kernels; k++) {
		struct still_kernel *s = &out->kernels[out->n];

		if (t->kernels[k] != al->to && calc_select_kernel_order(&t->kernels[k], &al->to) < 0)
			continue;
		look_at(t, of, k, s);
		if (!s->n_series || isnan(s->left))
			continue;
		out->n++;
		out->n_present += s->present;
	}
	for (size_t k = out->n; k-- > 0 && !out->kernels[k].present;)
		out->first_gone = &out->kernels[k];
	return 0;
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
			    s->first_gone->kernel->name, (1 - last->left) * 100, last->kernel->name);
}
