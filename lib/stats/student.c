/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "student.h"

#include <math.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#define EIGHTHS_UP_TO 32

/*
 * Of many degrees of freedom: the Cornish-Fisher expansion around the normal quantile z (Abramowitz & Stegun,
 * Handbook of Mathematical Functions, 26.7.5). What follows is below 1e-14 of it where this is
 * asked, and qt() takes a hundred times as long: these df are as many as there are rows.
 */
static double beyond(double z, double df)
{
	double z2 = z * z, d = 1 / (4 * df);
	double g1 = z * (z2 + 1);
	double g2 = z * ((5 * z2 + 16) * z2 + 3) / 6;
	double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 6;
	double g4 = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 360;

	return z + d * (g1 + d * (g2 + d * (g3 + d * g4)));
}

/*
 * A level, its normal quantile, and what any request has asked for, for all threads: the same question
 * has one answer, so that two who write it at once write the same. 0 stands for "not yet": no
 * quantile above the median is 0.
 */
struct level {
	double p, z, known[STUDENT_MEMO];
};

static struct level l975 = { .p = .975, .z = 1.959963984540054 }, l80 = { .p = .80, .z = 0.8416212335729142 };

static double ask(struct level *l, int i, double df)
{
	double q;

	__atomic_load(&l->known[i], &q, __ATOMIC_RELAXED);
	if (q == 0) {
		q = qt(l->p, df, 1, 0);
		__atomic_store(&l->known[i], &q, __ATOMIC_RELAXED);
	}
	return q;
}

static double quantile(double *kept, struct level *l, double df)
{
	int i;

	if (!(df > 0))
		return NAN;
	if (df < EIGHTHS_UP_TO)
		i = (int)(df * 8);
	else
		i = df < STUDENT_MEMO ? (int)df + 7 * EIGHTHS_UP_TO : STUDENT_MEMO;
	if (i >= STUDENT_MEMO)
		return beyond(l->z, df);
	if (i == 0)
		return qt(l->p, df, 1, 0);
	if (kept[i] == 0)
		kept[i] = ask(l, i, i < 8 * EIGHTHS_UP_TO ? i / 8. : i - 7 * EIGHTHS_UP_TO);
	return kept[i];
}

double student_t975(struct student_memo *memo, double df)
{
	return quantile(memo->t975, &l975, df);
}

double student_t80(struct student_memo *memo, double df)
{
	return quantile(memo->t80, &l80, df);
}

double student_p(double t, double df)
{
	return 2 * pt(-fabs(t), df, 1, 0);
}
