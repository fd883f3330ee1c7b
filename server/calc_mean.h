/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The geometric mean over rows of a comparison, with its interval. Rows of one machine come
 * from the same boots, so their errors may all go the same way: within a machine standard
 * errors add up as they are, which is their upper bound. Machines are independent of each
 * other: there it is variances that add up, and degrees of freedom by Welch and Satterthwaite.
 */
#ifndef SERVER_CALC_MEAN_H
#define SERVER_CALC_MEAN_H

#include "calc_compare.h"

struct calc_mean {
	size_t n;		/* rows with a ratio of values above 0, which are in it */
	double percent;		/* NaN: none */
	struct ab ab;		/* source NOISE_NONE unless each row has an estimate of noise */
	double lo, hi;		/* 95 % CI in percent, NaN without */
	bool signs_disagree;	/* one row surely rose, by its q, and one surely fell */
	enum better better;	/* of all rows; neutral where they differ */
};

void calc_mean(struct arena *a, const struct compare_row *const *rows, size_t n, struct student_memo *memo,
	       struct calc_mean *out);

#endif
