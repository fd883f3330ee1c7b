/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of a series, where few runs speak for a new level and no run after them could
 * show that they were an excursion. So they must go beyond what equally many neighbouring
 * runs ever did in the history of this series; and one run alone is a suspect, no more.
 */
#include <math.h>

#include "change_own.h"

#define TAIL_MAX 5
#define SUSPECT_HISTORY 5	/* runs of the level before */

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

/* How far the runs from `at` on, all of them, are from the level before: in this direction the least. */
static double least_step(const struct change *c, size_t at)
{
	size_t lo = c->n_cut && c->cut[c->n_cut - 1] < at ? c->cut[c->n_cut - 1] :
		    c->n_cut > 1 ? c->cut[c->n_cut - 2] : 0;
	double m = change_mean(c, lo, at), least = INFINITY, sign = c->y[at] > m ? 1 : -1;

	for (size_t i = at; i < c->n; i++)
		least = fmin(least, sign * (c->y[i] - m));
	return at - lo < (size_t)tune_hist ? 0 : least;
}

/* One deviating run is told as a suspect, and is no level. */
static void last_run(struct change *c)
{
	size_t at = c->n - 1, lo = c->n_cut ? c->cut[c->n_cut - 1] : 0;
	double step, score;

	if (at - lo < SUSPECT_HISTORY)
		return;
	step = fabs(c->y[at] - change_mean(c, lo, at));
	score = step * step / (c->s2[1] / c->w[at] + change_variance(c, lo, at)) / change_threshold(c, at - lo, 1);
	if (step < tune_floor || score < tune_tail1)
		return;
	c->x[at] = c->y[at];	/* for change_report(): the sums begin with it */
	change_sums(c);
	residuals(c, at);
	c->list.suspect = step > excursion(c, at, 1);
}

/*
 * The last level, where it is short, stays if it goes beyond all that equally many runs did before;
 * people are told if it does so by far, and two runs only where no single one ever came near.
 */
void change_tail(struct change *c)
{
	c->doubtful = false;
	while (c->n_cut) {
		size_t at = c->cut[c->n_cut - 1], k = c->n - at;
		double least, worst;

		if (k > TAIL_MAX)
			break;
		least = least_step(c, at);
		residuals(c, at);
		worst = excursion(c, at, k);
		c->doubtful = least < tune_exc * worst || (k == 2 && least < tune_exc21 * excursion(c, at, 1));
		if (least > worst)
			break;
		c->n_cut--;
	}
	last_run(c);
}
