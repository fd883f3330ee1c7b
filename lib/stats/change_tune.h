/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one configuration of change detection, the same for every series. Chosen on seeds
 * 100 to 109 of the labelled series (tests/detect/score.py) with the real ones looked at by
 * eye; judged on other seeds. Compiled with -DCHANGE_TUNE they are variables, for a scan.
 */

/* What is an outlier: beyond clip_at standard deviations from the running median, cut down to clip_to of them. */
TUNE(clip_q, 0.8)		/* share of first differences that gives the spread: up to a fifth may be of outliers and steps */
TUNE(clip_div, 1.8124)		/* its quantile for normal runs: 1.2816 sqrt(2) */
TUNE(clip_at, 5)
TUNE(clip_to, 2)

/* Noise. */
TUNE(trim, 9)			/* squares beyond this many times their mean are cut down to it */
TUNE(first, 0.5)		/* the first pass takes this quantile of them: steps are still inside */
TUNE(first_div, 0.455)		/* its value for chi^2 of one degree of freedom */
TUNE(first_b, 0.5)		/* and believes the growth it sees by half */
TUNE(prior_growth, 1.05)	/* of variance from k to 2k runs, beyond the models: drift */
TUNE(prior_n, 12)		/* blocks that the models are worth */
TUNE(least, 0.85)		/* growth from k to 2k runs */
TUNE(ar_prior, 0.4)		/* share of series whose runs depend on the one before */
TUNE(fit_levels, 4)		/* of the growth seen, to fit models to */
TUNE(fit_v, 6)			/* variance of ln growth of one block */
TUNE(own_df, 6)			/* degrees of freedom of the table against a window's own variance */
TUNE(local_f, 1)		/* how much more than the table that must be to count */

/*
 * Which places are candidates, and which stay: t^2 against c0 + c1 ln n, since n places were looked at (a
 * penalty like Schwarz's, Ann. Statist. 6, 1978).
 */
TUNE(cand, 5)			/* t^2 */
TUNE(c0, 5)
TUNE(c1, 2.5)
TUNE(short3, 10)		/* more for windows of at most 3 runs */
TUNE(short6, 2)			/* of at most 6 */
TUNE(small_n2, 60)		/* times 1 + this / n^2: few runs do not know their noise */
TUNE(win_min, 3)		/* runs of the smallest window */
TUNE(floor, 0.005)		/* smaller steps are nobody's business */
TUNE(iter, 4)			/* passes */
TUNE(exc_len, 8)		/* runs of a level that comes and goes between two that are alike */
TUNE(exc_same, 0.5)		/* alike: their difference by the step */
TUNE(exc_need, 2.5)		/* what both steps of it must reach, in thresholds */

/* The end of the series. */
TUNE(tail1, 0.6)		/* thresholds that a suspect must reach; the rest is that it be unheard of */
TUNE(exc, 1.25)			/* the last level by the worst excursion of equally many runs, for people to be told */
TUNE(exc21, 0.35)		/* two runs: by the worst of a single one */
TUNE(hist, 3)			/* runs before it */

/* What is told of a change. */
TUNE(range, 4)			/* squares by the variance, within which a place is suspect */
TUNE(alert, 1.1)		/* thresholds from which people are told */
TUNE(alert_ar, 0.3)		/* and this times ln s2[8] / s2[1] more */
TUNE(alert_at, 6)		/* not before this many runs */
TUNE(alert_n, 8)		/* nor of series shorter than this */
