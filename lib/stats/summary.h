/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What many values come to, without losing digits from 1e-3 to 1e18: moments by Welford's
 * recurrence (Technometrics 4, 1962), put together by Chan, Golub & LeVeque's (Stanford
 * STAN-CS-79-773, 1979); quantiles as R's type 7 (Hyndman & Fan, Am. Stat. 50, 1996). Standard deviations
 * have n - 1, and a single value has none.
 */
#ifndef LIB_STATS_SUMMARY_H
#define LIB_STATS_SUMMARY_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "student.h"

struct summary_moments {	/* begin with { 0 } */
	double n, mean, m2;	/* m2: sum of squares around the mean */
};

static inline void summary_add(struct summary_moments *s, double v)
{
	double d = v - s->mean;

	s->n++;
	s->mean += d / s->n;
	s->m2 += d * (v - s->mean);
}

static inline void summary_merge(struct summary_moments *s, const struct summary_moments *t)
{
	double n = s->n + t->n, d = t->mean - s->mean;

	if (!(t->n > 0))
		return;
	s->m2 += t->m2 + d * d * (s->n * t->n / n);
	s->mean += d * (t->n / n);
	s->n = n;
}

/* NaN of fewer than two. */
static inline double summary_sd(const struct summary_moments *s)
{
	return s->n > 1 ? sqrt(s->m2 / (s->n - 1)) : NAN;
}

/* Of values in ascending order; p from 0 to 1. NaN of none. */
double summary_quantile(const double *sorted, size_t n, double p);
void summary_sort(double *v, size_t n);

struct summary {
	size_t n;		/* finite values; others are left out */
	double mean, sd, min, max, median;
	double mad;		/* median of the distances from the median, not scaled: times 1.4826 it is a normal's sd */
	double lo, hi;		/* 95 % confidence interval of the mean (Student) */
};

/* scratch: n doubles. NaN: not known. */
void summary_of(const double *v, size_t n, double *scratch, struct student_memo *memo, struct summary *out);
/*
 * The same over logarithms: mean (the geometric one), min, max, median, lo and hi are values again; sd and mad
 * are of logarithms, so 0.01 is 1 %. False, all NaN: a finite value is not above 0, or there is none.
 */
bool summary_of_logs(const double *v, size_t n, double *scratch, struct student_memo *memo, struct summary *out);

#endif
