/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "seq.h"

#define EXPECTED_MOST 1000

/* Squares within two groups, one of which has the boots of `here`, too. */
static double squares(const struct summary_moments *with, const struct summary_moments *here,
		      const struct summary_moments *other)
{
	struct summary_moments all = *with;

	summary_merge(&all, here);
	return all.m2 + other->m2;
}

double seq_ratio(const struct summary_moments *good, const struct summary_moments *bad,
		 const struct summary_moments *here, const struct seq_prior *prior, double sd_floor)
{
	double prior_df = prior ? prior->df : 0, known = prior_df > 0 ? prior_df * prior->sd * prior->sd : 0;
	double df = good->n + bad->n + here->n - 2 + prior_df, m = here->n;

	if (!(good->n > 0) || !(bad->n > 0) || !(df > 0) || !(good->n + bad->n + m > 2 || prior_df > 0))
		return NAN;
	known += df * sd_floor * sd_floor;
	return .5 * log((good->n + m) / good->n) - .5 * log((bad->n + m) / bad->n) +
	       df / 2 * log((squares(good, here, bad) + known) / (squares(bad, here, good) + known));
}

enum seq_state seq_state_of(double ratio, double error)
{
	double limit = log((1 - error) / error);

	if (ratio >= limit)
		return SEQ_BAD;
	return ratio <= -limit ? SEQ_GOOD : SEQ_MORE;
}

double seq_probability(double ratio)
{
	return 1 / (1 + exp(-ratio));
}

double seq_error_of_step(double whole, int steps)
{
	return whole / (steps > 1 ? steps : 1);
}

int seq_expected(const struct summary_moments *good, const struct summary_moments *bad,
		 const struct summary_moments *here, const struct seq_prior *prior, double sd_floor,
		 double error)
{
	struct summary_moments next = *here;
	double ratio = seq_ratio(good, bad, here, prior, sd_floor);
	double towards = ratio > 0 || (isnan(ratio) && here->n > 0 &&
				       fabs(here->mean - bad->mean) < fabs(here->mean - good->mean))
				 ? bad->mean
				 : good->mean;
	double sd = sqrt((good->m2 + bad->m2 + here->m2) / fmax(good->n + bad->n + here->n - 3, 1));
	int n = 0;

	do { /* boots of that side, spread as the others are */
		struct summary_moments one = { 1, towards + (n & 1 ? sd : -sd) / 2, 0 };

		summary_merge(&next, &one);
		n++;
	} while (n < EXPECTED_MOST &&
		 seq_state_of(seq_ratio(good, bad, &next, prior, sd_floor), error) == SEQ_MORE);
	return n;
}
