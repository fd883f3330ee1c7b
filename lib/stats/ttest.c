/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ttest.h"

#include <float.h>
#include <math.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

static double quantile(double *kept, double p, double df)
{
	int i = (int)df;

	if (df != i || i < 0 || i >= TTEST_MEMO)
		return qt(p, df, 1, 0);
	if (kept[i] == 0)
		kept[i] = qt(p, df, 1, 0);
	return kept[i];
}

double ttest_t975(struct ttest_memo *memo, double df)
{
	return quantile(memo->t975, .975, df);
}

double ttest_p(double t, double df)
{
	return 2 * pt(-fabs(t), df, 1, 0);
}

/* Adds a group's share to the pooled sum of squares. False: it has a spread that nobody told. */
static bool pool(const struct ttest_group *g, double *ss, double *df)
{
	if (g->n < 2)
		return true;
	if (!isfinite(g->sd))
		return false;
	*ss += (double)(g->n - 1) * g->sd * g->sd;
	*df += (double)(g->n - 1);
	return true;
}

/* s from the pooled sum, floored. False: equal values of unknown step tell nothing. */
static bool pooled_sd(double ss, double df, double steps, double *sd)
{
	*sd = sqrt(ss / df);
	/* 1e-12: equal values whose mean was rounded */
	if (!isfinite(*sd) || (*sd < 1e-12 && !(steps > 0)))
		return false;
	*sd = fmax(*sd, TTEST_SD_FLOOR);
	return true;
}

bool ttest_two(const struct ttest_group *a, const struct ttest_group *b, struct ttest_memo *memo, struct ttest *t)
{
	double ss = 0, df = 0, sd, steps = a->step * a->step + b->step * b->step, reach;

	*t = (struct ttest){ .diff = b->mean - a->mean, .sd = NAN, .se = NAN, .df = NAN, .p = NAN,
			     .lo = NAN, .hi = NAN, .detectable = NAN };
	if (!isfinite(t->diff) || a->n < 1 || b->n < 1 || !pool(a, &ss, &df) || !pool(b, &ss, &df) ||
	    df == 0 || !pooled_sd(ss, df, steps, &sd))
		return false;
	t->sd = sd;
	t->df = df;
	t->se = sqrt(sd * sd * (1 / (double)a->n + 1 / (double)b->n) + steps / 12);
	t->p = ttest_p(t->diff / t->se, df);
	reach = ttest_t975(memo, df) * t->se;
	t->lo = t->diff - reach;
	t->hi = t->diff + reach;
	t->detectable = reach + quantile(memo->t80, .80, df) * t->se;
	return true;
}

bool ttest_one(const struct ttest_group *g, struct ttest_memo *memo, double *lo, double *hi)
{
	double ss = 0, df = 0, sd, reach;

	*lo = *hi = NAN;
	if (!isfinite(g->mean) || !pool(g, &ss, &df) || df == 0 || !pooled_sd(ss, df, g->step, &sd))
		return false;
	reach = ttest_t975(memo, df) * sqrt(sd * sd / (double)g->n + g->step * g->step / 12);
	*lo = g->mean - reach;
	*hi = g->mean + reach;
	return true;
}

/* Decimals of v, up to 9; -1: more than that, it was not rounded by a person's format. */
static int decimals(double v)
{
	double power = 1;

	for (int k = 0; k <= 9; k++, power *= 10) {
		double x = v * power;

		if (fabs(x) > 1 / DBL_EPSILON)
			return -1;
		if (fabs(x - nearbyint(x)) <= 4 * DBL_EPSILON * fabs(x))
			return k;
	}
	return -1;
}

double ttest_step(double least, double most)
{
	int a, b;

	if (!isfinite(least) || !isfinite(most))
		return 0;
	a = decimals(least);
	b = decimals(most);
	if (a < 0 || b < 0)
		return 0;
	return pow(10, -(a > b ? a : b));
}
