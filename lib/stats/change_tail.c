/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of a series, where few runs speak for a new level and no run after them could
 * show that they were an excursion. So they must go beyond what equally many neighbouring
 * runs ever did in the history of this series; and one run alone is a suspect, no more.
 */
#include <math.h>

#include "change_own.h"

#define TAIL_MAX 5

/* Residuals of all runs before `end` from their levels, outliers as they were. */
static void residuals(struct change *c, size_t end)
{
	for (size_t s = 0, lo = 0; lo < end; s++) {
		size_t hi = s < c->n_cut && c->cut[s] < end ? c->cut[s] : end;
		double m = change_mean(c, lo, hi);

		for (; lo < hi; lo++)
			c->local[lo] = c->y[lo] - m;
	}
}

/* The largest excursion of k neighbouring runs to one side, before `end`: of the least of them. */
static double excursion(const struct change *c, size_t end, size_t k)
{
	double worst = 0;

	for (size_t i = 0; i + k <= end; i++) {
		double up = INFINITY, down = INFINITY;

		for (size_t j = i; j < i + k; j++) {
			up = fmin(up, c->local[j]);
			down = fmin(down, -c->local[j]);
		}
		worst = fmax(worst, fmax(up, down));
	}
	return worst;
}

/* Whether the runs from `at` on go further than history ever did, by the factor. */
static bool unheard_of(struct change *c, size_t at, double factor)
{
	size_t lo = c->n_cut && c->cut[c->n_cut - 1] < at ? c->cut[c->n_cut - 1] :
		    c->n_cut > 1 ? c->cut[c->n_cut - 2] : 0;
	double m = change_mean(c, lo, at), least = INFINITY, most = 0, sign = c->y[at] > m ? 1 : -1;

	for (size_t i = at; i < c->n; i++)
		least = fmin(least, sign * (c->y[i] - m));
	for (size_t i = at; i < c->n && i < at + 2; i++)
		most = fmax(most, sign * (c->y[i] - m));
	if (!(least > 0) || (least < tune_agree * most && c->n - at < 4) || at - lo < tune_hist)
		return false;
	residuals(c, at);
	if (c->n - at == 2 && least < tune_exc21 * excursion(c, at, 1))
		return false;
	return least > factor * excursion(c, at, c->n - at);
}

static void last_run(struct change *c)
{
	size_t at = c->n - 1, lo = c->n_cut ? c->cut[c->n_cut - 1] : 0;

	if (at - lo < 5)
		return;
	if (fabs(c->y[at] - change_mean(c, lo, at)) < tune_floor)
		return;
	if (change_ratio(c, lo, at, c->n) < tune_tail1 || !unheard_of(c, at, tune_exc1))
		return;
	c->list.suspect = true;
}

void change_tail(struct change *c)
{
	while (c->n_cut) {
		size_t at = c->cut[c->n_cut - 1], k = c->n - at, lo = c->n_cut > 1 ? c->cut[c->n_cut - 2] : 0;
		double ratio = change_ratio(c, lo, at, c->n);
		double need = k == 2 ? tune_tail2 : k == 3 ? tune_tail3 : tune_tail5;
		double exc = k == 2 ? tune_exc2 : k == 3 ? tune_exc3 : tune_exc4;

		if (k > TAIL_MAX || (ratio >= need && unheard_of(c, at, exc)))
			break;
		c->n_cut--;
	}
	last_run(c);
}
