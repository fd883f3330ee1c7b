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

/* 0 stands for "not yet": no quantile above the median is 0. */
static double quantile(struct student_kept *kept, double p, double df)
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
		kept->of[i] = qt(p, i < 8 * EIGHTHS_UP_TO ? i / 8. : i - 7 * EIGHTHS_UP_TO, 1, 0);
	return kept->of[i];
}

double student_t975(struct student_memo *memo, double df)
{
	return quantile(&memo->t975, .975, df);
}

double student_t80(struct student_memo *memo, double df)
{
	return quantile(&memo->t80, .80, df);
}

double student_p(double t, double df)
{
	return 2 * pt(-fabs(t), df, 1, 0);
}
