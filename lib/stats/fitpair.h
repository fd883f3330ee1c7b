/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two sweeps over the same sizes, each fitted as cost = fixed + per_unit * u (fit.h): which of
 * the two costs changed? A sweep is evidence in itself: how far its points lie off the line
 * tells how far the line can be trusted.
 *
 *	r_ki = (y_ki - a_k - b_k u_i) / y_ki		relative residuals, k = base, head
 *	D_i = r_head,i - r_base,i	M_i = (r_head,i + r_base,i) / 2
 *	v_D = sum D^2 / (n - 2)		v_C = max(0, sum M^2 / (n - 2) - v_D / 4)
 *
 * A misfit that both kernels share (a cache's size, a table level more) cancels in D, the
 * paired difference (Student's paired test, Biometrika 6, 1908, applied to residuals); v_C is
 * its variance by moments (M holds all of it and a quarter of v_D). With g_ki the sensitivity
 * d ln(theta_k) / d ln(y_ki) of a parameter (closed form; sum over i is 1), to first order
 * (delta method: Oehlert, Am. Stat. 46, 1992)
 *
 *	var ln(theta_head / theta_base) = v_D sum (g_h^2 + g_b^2) / 2 + v_C sum (g_h - g_b)^2 + v_R
 *
 * v_R is what moves all sizes of a run together: another boot, another layout of memory. No
 * residual shows it. Where boots or history tell the variance s_i^2 of ln(head / base) at
 * each size, v_R = mean s^2 - v_D, what v_D does not hold already, but not less than half of
 * it (a large v_D may be misfit, which s^2 has no part of). Else it is assumed:
 * FITPAIR_BOOT_SD on each side, or v_D where that is more, for what is noisy within a run is
 * no quieter between two (and neighbouring sizes may miss together, which makes v_D worth
 * less than it looks). A sum of variances that are known unequally well is tested as Cochran
 * does (Biometrics 20, 1964): with the mean of each one's own t quantile, weighed by the
 * variances; p is where that meets the change. It errs to the safe side, and two or three
 * residuals can't claim by luck what they can't know. Where v_D exceeds mean s^2, but not
 * significantly (F test at .25, Bancroft, Biometrics 20, 1964), both are one noise and are
 * pooled by their degrees of freedom.
 */
#ifndef LIB_STATS_FITPAIR_H
#define LIB_STATS_FITPAIR_H

#include "fit.h"

/* 1 %: what a reboot alone moves a run by, at least (0.1 % to 3 % are seen). */
#define FITPAIR_BOOT_SD 0.01

struct fitpair_in {
	const double *u, *base, *head;	/* sizes that both have, and their values */
	size_t n;
	double noise;		/* mean of s_i^2, from boots or history; NaN: not known */
	double noise_df;	/* of it */
};

struct fitpair_part {
	bool told;		/* the parameter stands out in both fits; else all below is NaN */
	double change;		/* ln(head / base) */
	double se, p;		/* two-sided */
	double lo, hi;		/* 95 % confidence interval of change */
	double own, common, run;	/* variances that make se^2: v_D's, v_C's and v_R's share */
	double follows;		/* of run: what is there because v_D is large, and is as uncertain as that */
	double fit_df, run_df;	/* of own and common; of run */
};

struct fitpair {
	struct fit base, head;
	size_t n;
	double paired;		/* v_D */
	double common;		/* v_C */
	double run, follows;	/* v_R; of it: what is there because v_D is large */
	bool run_known;		/* from boots or history, not assumed */
	bool pooled;		/* v_D and the known noise */
	double paired_df, run_df;
	struct fitpair_part fixed, per_unit;
	struct fitpair_part all;	/* the mean of ln(head / base) over sizes: needs no line but for its noise */
};

/* False: one of the two has no fit (fit_sweep()). */
bool fitpair_test(const struct fitpair_in *in, struct fitpair *out);

#endif
