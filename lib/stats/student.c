/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "student.h"

#include <math.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#define EIGHTHS_UP_TO 32

static double beyond(struct student_kept *kept, double p, double df)
{
	if (kept->last_df != df) {
		kept->last_df = df;
		kept->last = qt(p, df, 1, 0);
	}
	return kept->last;
}

/*
 * What any request has asked for, for all threads: the same question has one answer, so that two who
 * write it at once write the same. 0 stands for "not yet": no quantile above the median is 0.
 */
static double known_975[STUDENT_MEMO], known_80[STUDENT_MEMO];

static double ask(double *known, double p, double df)
{
	double q;

	__atomic_load(known, &q, __ATOMIC_RELAXED);
	if (q == 0) {
		q = qt(p, df, 1, 0);
		__atomic_store(known, &q, __ATOMIC_RELAXED);
	}
	return q;
}

static double quantile(struct student_kept *kept, double *known, double p, double df)
{
	int i;

	if (!(df > 0))
		return NAN;
	if (df < EIGHTHS_UP_TO)
		i = (int)(df * 8);
	else
		i = df < STUDENT_MEMO ? (int)df + 7 * EIGHTHS_UP_TO : STUDENT_MEMO;
	if (i == 0 || i >= STUDENT_MEMO)
		return beyond(kept, p, df);
	if (kept->of[i] == 0)
		kept->of[i] = ask(&known[i], p, i < 8 * EIGHTHS_UP_TO ? i / 8. : i - 7 * EIGHTHS_UP_TO);
	return kept->of[i];
}

double student_t975(struct student_memo *memo, double df)
{
	return quantile(&memo->t975, known_975, .975, df);
}

double student_t80(struct student_memo *memo, double df)
{
	return quantile(&memo->t80, known_80, .80, df);
}

double student_p(double t, double df)
{
	return 2 * pt(-fabs(t), df, 1, 0);
}
