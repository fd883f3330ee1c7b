/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Student's t distribution (r-mathlib), with quantiles kept: they cost more than all else in a comparison. */
#ifndef LIB_STATS_STUDENT_H
#define LIB_STATS_STUDENT_H

/*
 * Zero it once. df are rounded down, to eighths below 32, to integers below some 800, so the quantile is at most
 * a little too large; from there on they are as they are.
 */
#define STUDENT_MEMO 1024
struct student_memo {
	double t975[STUDENT_MEMO], t80[STUDENT_MEMO];
};

double student_t975(struct student_memo *memo, double df);
double student_t80(struct student_memo *memo, double df);

/* Two-sided p of t. */
double student_p(double t, double df);

#endif
