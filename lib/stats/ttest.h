/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two groups of logarithms: does their mean differ, by how much, and what could have been
 * seen? Student's t with equal variances (Student, Biometrika 6, 1908; pooled form in
 * Snedecor & Cochran, Statistical Methods, 8th ed., 6.9):
 *
 *	s^2 = sum (n_i - 1) sd_i^2 / sum (n_i - 1)	df = sum (n_i - 1)
 *	se^2 = s^2 (1/n_a + 1/n_b) + (r_a^2 + r_b^2) / 12
 *	t = (mean_b - mean_a) / se
 *
 * A group of one value takes the other's spread. r is the step to which values were
 * rounded, relative to the value: a rounded value is off by up to half a step, alike in all
 * repetitions, with variance r^2 / 12 (uniform; GUM, JCGM 100:2008, 4.3.7), which no
 * number of repetitions averages out. And s is never taken below TTEST_SD_FLOOR. So equal
 * values are never infinite certainty; where not even a step is known they are no estimate.
 */
#ifndef LIB_STATS_TTEST_H
#define LIB_STATS_TTEST_H

#include <stdbool.h>
#include <stdint.h>

/* 0.1 %: a fifth of the smallest change anybody claims; clocks drift and caches settle by as much. */
#define TTEST_SD_FLOOR 0.001

struct ttest_group {
	double mean, sd;	/* of logs; sd NaN where n < 2 or unknown */
	int64_t n;
	double step;		/* of rounding, relative (r above); 0 = not known */
};

struct ttest {
	double diff;		/* mean_b - mean_a: ln of the ratio */
	double sd, se, df;	/* sd: the pooled s */
	double p;		/* two-sided */
	double lo, hi;		/* 95 % confidence interval of diff */
	double detectable;	/* ln ratio found with 80 % power at 5 % */
};

/* Quantiles of t by degrees of freedom, kept between calls: they cost more than all else. Zero it once. */
#define TTEST_MEMO 512
struct ttest_memo {
	double t975[TTEST_MEMO], t80[TTEST_MEMO];
};

/*
 * False where there is no noise estimate (*t is then all NaN but for diff). The detectable
 * effect is (t(.975, df) + t(.80, df)) * se (Bloom, Evaluation Review 19, 1995).
 */
bool ttest_two(const struct ttest_group *a, const struct ttest_group *b, struct ttest_memo *memo, struct ttest *t);

/* 95 % confidence interval of one group's mean, with the same floors. False: no noise estimate, lo and hi NaN. */
bool ttest_one(const struct ttest_group *g, struct ttest_memo *memo, double *lo, double *hi);

/* Quantile of t at .975. */
double ttest_t975(struct ttest_memo *memo, double df);

/* p of t with df, two-sided. */
double ttest_p(double t, double df);

/* The step to which two seen values (the extremes) were rounded: 1 for 25 and 26, 0.1 for 25 and 25.5, 0 for unknown. */
double ttest_step(double least, double most);

#endif
