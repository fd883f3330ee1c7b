/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sequential test for a step of a bisection: two baselines, good and bad, and boot after boot of a kernel
 * that is of the one or the other. Values are logarithms of boots' means; boots are independent and
 * normal, with the same variance on all sides (it is one machine).
 *
 * Wald's sequential probability ratio test (Ann. Math. Statist. 16, 1945) adds up log likelihood ratios
 * and ends where the sum leaves (log(b / (1 - a)), log((1 - b) / a)). It wants both levels and the
 * variance to be known. Here they are estimates from a few boots, so the likelihoods are marginal ones: levels
 * integrated out with flat priors, the variance with 1 / variance (Jeffreys; as in the sequential t test,
 * Rushton, Biometrika 37, 1950; Hall, Wijsman & Ghosh, Ann. Math. Statist. 36, 1965). With x of m boots put
 * to one side, that side's group has n + m members; of all N boots
 *
 *	log L = -1/2 sum over groups log(size) - (N - 2) / 2 log(sum of squares within groups)
 *
 * and what is common to both sides cancels. The baselines' own uncertainty is in it: where they do not
 * differ clearly, no number of boots here gives a large ratio.
 */
#ifndef LIB_STATS_SEQ_H
#define LIB_STATS_SEQ_H

#include "summary.h"

#define SEQ_KNOWN 1000. /* degrees of freedom of a deviation that is not in doubt */

struct seq_prior { /* of the standard deviation of a boot; df 0: none */
	double sd, df;
};

enum seq_state { SEQ_MORE, SEQ_GOOD, SEQ_BAD };

/*
 * log(probability of the boots seen if they are of `bad` / if they are of `good`). NaN: a baseline is empty, or there
 * are fewer than 3 boots in all and no prior. sd_floor: no boot's standard deviation is presumed to be less.
 */
double seq_ratio(const struct summary_moments *good, const struct summary_moments *bad,
		 const struct summary_moments *here, const struct seq_prior *prior, double sd_floor);

/* What a ratio means at an error rate (of a step, either way). NaN is SEQ_MORE. */
enum seq_state seq_state_of(double ratio, double error);

/* The probability that they are of `bad`, both being equally likely before. NaN of NaN. */
double seq_probability(double ratio);

/*
 * The share of an error rate for a whole bisection that each of `steps` gets (Bonferroni): the chance that any of them
 * is wrong is at most the whole.
 */
double seq_error_of_step(double whole, int steps);

/* How many boots more are likely to decide, from the ratio so far and what a boot is expected to add; 1 .. 1000. */
int seq_expected(const struct summary_moments *good, const struct summary_moments *bad,
		 const struct summary_moments *here, const struct seq_prior *prior, double sd_floor,
		 double error);

#endif
