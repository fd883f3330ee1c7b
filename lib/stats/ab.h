/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Do two kernels differ in one series, and does a third bring the loss back? The unit of
 * replication is the boot: repetitions inside one boot share its page placement, its clocks
 * and its luck, and however many there are, they say nothing of the next boot. Values are
 * natural logarithms, so the effect is a ratio.
 *
 *	v	variance of the mean of one boot
 *	se^2	= v_base / boots_base + v_head / boots_head + (r_base^2 + r_head^2) / 12
 *	t	= ln(head / base) / se, with df degrees of freedom
 *
 * Where v comes from, the first that there is:
 *	boots		at least 3 in all and 2 values a side: pooled over both sides, df = boots - 2 (Student,
 *			Biometrika 6, 1908; equal variances: with 2 or 3 boots a side Welch's t loses power
 *			and has too wide intervals). If the series' history does not contradict it (F test),
 *			both are pooled, each with its degrees of freedom.
 *	history		other kernels of the series: noise_of_history()
 *	siblings	the same benchmark with other params on the same machine: noise_of_siblings()
 *	repetitions	one boot a side and nothing else, 2 values a side: tau is not known, and PRESUMED to be
 *			AB_TAU_PRESUMED or AB_TAU_TIMES times the spread of the repetitions, whichever is more.
 *			That is a bound and no estimate; only changes of about 10 % and up are beyond it.
 *
 * r is the step to which values were rounded, relative to the value: a rounded value is off by up to half a
 * step, alike in all repetitions, with variance r^2 / 12 (uniform; GUM, JCGM 100:2008, 4.3.7). And v is
 * never below AB_SD_FLOOR_PERCENT, squared. So equal values are never infinite certainty; where not even a step is
 * known they are no estimate.
 */
#ifndef LIB_STATS_AB_H
#define LIB_STATS_AB_H

#include "noise.h"
#include "student.h"

/*
 * What boots differ by is 0.1 to 3 % from benchmark to benchmark; a little more than that, and five times the
 * spread of repetitions where those are the noisier. Strictly nothing can be said without a second boot,
 * and of up to +-9 % nothing is. But an exact case of the story (stress-ng bigheap, one summary of 10
 * a side, -43 % at 3 % of spread) is to be a regression: no boot has ever made such a difference. In the
 * simulation, tau = sigma = 1 % and a true +5 %, less than one row in 1,000 gets a verdict.
 */
#define AB_TAU_PRESUMED 0.033
#define AB_TAU_TIMES 5.

/*
 * Percent. FLOOR: no smaller change is called a regression or an improvement; smaller ones than 0.5 % are
 * not worth a look. SAME: unchanged is claimed only where the 95 % CI lies inside it, which is what alerts
 * are about; inside 0.5 % no lab could ever show it.
 */
#define AB_FLOOR_PERCENT 0.5
#define AB_SAME_PERCENT 2.0
/*
 * Standard deviation of a boot that is presumed at least: a fifth of the smallest change anybody claims.
 * Clocks drift and caches settle by as much.
 */
#define AB_SD_FLOOR_PERCENT 0.1
#define AB_Q_WEAK 0.05
#define AB_Q_STRONG 0.001

enum ab_verdict { AB_INCONCLUSIVE, AB_UNCHANGED, AB_LOWER, AB_HIGHER };
enum ab_confidence { AB_NONE, AB_WEAK, AB_STRONG };

struct ab {
	enum noise_source source;	/* of the variance; NOISE_NONE: no estimate, all but diff is NaN */
	double diff;			/* ln(head / base); NaN where a centre is not above 0 */
	double var_base, var_head;	/* v of each side, used */
	double rounding;		/* (r_base^2 + r_head^2) / 12 */
	double se, df, p;		/* p two-sided */
	double lo, hi;			/* 95 % confidence interval of diff */
	double noise;			/* standard deviation of one boot's mean, over both sides */
	double detectable;		/* ln ratio found with 80 % power at 5 % */
	double own, own_df;		/* of the boots compared, 0 df: they say nothing */
	double prior_df;		/* of history or siblings in it; 0: none was used */
	enum noise_source prior;	/* what was there: NOISE_NONE, _HISTORY or _SIBLINGS */
	bool disagrees;			/* it was not used because the boots compared contradict it */
	bool one_boot;			/* one a side */
	int64_t from;			/* kernels or series behind prior */
};

struct ab_floors {
	double claim_percent, same_percent, sd_percent;
};
extern const struct ab_floors ab_floors_default;	/* the three above */

/* prior may be NULL. False: no estimate of noise. */
bool ab_test(const struct stats_side *base, const struct stats_side *head, const struct noise *prior,
	     const struct ab_floors *floors, struct student_memo *memo, struct ab *t);

/* p, interval and detectable effect of an estimate whose standard error is known already. Keeps *t otherwise. */
void ab_of_estimate(double diff, double se, double df, struct student_memo *memo, struct ab *t);

struct ab_row {			/* what the last side was given: of a row of them under one prior most are alike */
	int64_t n;		/* its repetitions; 0: it tells nothing of another one */
	double less, more;
};

/*
 * 95 % confidence interval of a side's centre, as the same sources allow. False: no estimate, NaN. row: { 0 } to begin
 * with and after another prior.
 */
bool ab_interval(const struct stats_side *side, const struct noise *prior, struct student_memo *memo, struct ab_row *row,
		 double *lo, double *hi);

/*
 * From the test and its q in the family (sd_percent is not looked at). One boot a side is at most AB_WEAK: it may
 * be a spike.
 */
enum ab_verdict ab_judge(const struct ab *t, double q, const struct ab_floors *floors, enum ab_confidence *confidence);

/*
 * How much of the loss a fix brings back, (head - fix) / (head - base) of the centres in percent, with its 95 %
 * interval by Fieller's theorem (Fieller, J. R. Statist. Soc. B 16, 1954): *lo, *hi NaN where
 * t gives no noise or head is within noise of base (the interval is unbounded then).
 */
double ab_restored(const struct stats_side *base, const struct stats_side *head, const struct stats_side *fix,
		   const struct ab *t, struct student_memo *memo, double *lo, double *hi);

/* The step to which two seen values (the extremes) were rounded: 1 for 25 and 26, 0.1 for 25 and 25.5, 0: unknown. */
double ab_step(double least, double most);

/*
 * The least number of boots a side that find `percent` with 80 % power where a boot's mean has this standard
 * deviation; 0: over 1000.
 */
int ab_boots_needed(double noise, double percent, struct student_memo *memo);
/* What that many boots a side would find, in percent. */
double ab_detectable_percent(double noise, int boots, struct student_memo *memo);

/* What more boots would show: "1 boot each, no history: 2 more ..."; "" where there is nothing to say. */
#define AB_ADVICE 160
void ab_advice(const struct stats_side *base, const struct stats_side *head, const struct ab *t,
	       struct student_memo *memo, char text[AB_ADVICE]);

#endif
