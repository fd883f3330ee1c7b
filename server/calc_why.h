/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a verdict is what it is: one plain sentence, and the numbers behind it, in one shape
 * for all kinds of verdicts. Made when asked for only (?explain=1).
 */
#ifndef SERVER_CALC_WHY_H
#define SERVER_CALC_WHY_H

#include "calc_matrix.h"
#include "calc_sweep.h"
#include "calc_trend.h"

struct why_input {
	const char *name;	/* in the API */
	double value;		/* NaN: not known */
};

struct why_variance {
	const char *name, *about;	/* "paired_residuals", and what that is in words */
	double variance;	/* of the logarithm that is tested */
	double df;		/* infinite: assumed, not estimated; NaN: does not apply */
};

#define WHY_MOST 16

struct why {
	const char *text;
	const char *source;	/* of noise: "boots", "history", "siblings", "repetitions", "residuals"; NULL: none */
	struct why_input input[WHY_MOST];
	size_t n_inputs;
	struct why_variance variance[4];
	size_t n_variances;
	double estimate, se;	/* ln of the ratio, and its standard error; NaN: no test */
	double q_weak, q_strong, claim_percent, same_percent;	/* thresholds */
	const char *family;	/* what q is over; NULL: no family */
	size_t family_size;
};

/* A row of a comparison whose q is over `family` tests. */
void calc_why_row(struct arena *a, const struct compare_row *row, size_t family, struct why *why);

/* A change of a trend. */
void calc_why_change(struct arena *a, const struct trend *t, const struct trend_change *c, struct why *why);

/* A cell of a matrix. */
void calc_why_cell(struct arena *a, const struct matrix *m, const struct matrix_cell *cell, struct why *why);

/* One cost of a ratio of the sweep. */
void calc_why_part(struct arena *a, const struct sweep *s, const struct sweep_ratio *r, enum sweep_cost c,
		   struct why *why);

#endif
