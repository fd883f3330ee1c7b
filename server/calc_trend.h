/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Series over the kernels of their tracks: columns of points, and where they changed. A series
 * of TREND_LEVELS_LEAST kernels and up is searched for changes of its level (lib/stats/change.h);
 * in a shorter one each kernel is compared with the one before it, as `compare` does.
 */
#ifndef SERVER_CALC_TREND_H
#define SERVER_CALC_TREND_H

#include "../lib/ident.h"
#include "calc_compare.h"

/* Of one answer: more is no picture, and all of it is held in memory. */
#define TREND_SERIES_MAX 5000
#define TREND_POINTS_MAX 2000000	/* series x kernels */

#define TREND_LEVELS_LEAST 10

struct trend_change {
	size_t at, after;		/* indexes of kernels: first of the new level, last measured before it */
	double before_center, after_center, percent;
	enum compare_verdict verdict;
	enum compare_confidence confidence;
	bool level;			/* of the series' level, over all its kernels; else between two neighbours */
	size_t first, last;		/* suspects: kernels that may be the first of the new level */
	double ci_lo, ci_hi;		/* of percent, 95 % */
	double noise_percent, score;	/* of a level: a kernel around it; t^2 by its threshold */
	size_t runs_before, runs_after;	/* of a level: kernels on each */
	const struct compare_row *row;	/* of a step: the test; NULL of a level */
	int64_t before_boots, after_boots;	/* of a level: kernels that make it */
	bool has_alert;
	struct uuid alert_id;
	const struct cat_kernel *from, *to;	/* the step: as the alert's row has it, else around the suspects */
};

struct trend_run {			/* what one run says of a series */
	uint32_t series;		/* calc_trend.c's own */
	uint32_t kernel;		/* index of its kernel */
	struct stats_sample s;
	int64_t started_at;
};

struct trend_series {			/* one series on one track */
	const struct cat_series *series;
	const char *track;
	double *y, *lo, *hi;		/* n_kernels each; NaN: not run, no noise estimate */
	int64_t *n, *boots;
	const struct trend_run *runs;	/* behind the points, by kernel */
	size_t n_runs;
	size_t left_out;		/* points that calc_trend_thin() took away */
	struct trend_change *changes;
	size_t n_changes;
	bool levels;			/* long enough to have them */
	size_t newest;			/* index of its last kernel; variants count nothing */
	bool suspect;			/* that alone deviates: no change yet, run it again */
	struct trend_change last;
};

struct trend {
	const struct cat_kernel **kernels;	/* with data in any of the series, by track, then order */
	size_t n_kernels;
	struct trend_series *series;		/* in the order of compare's rows, then by track */
	size_t n_series;
	size_t family;				/* steps tested: what their q is over */
};

/* variants: let them in. runs may be NULL. */
int calc_trend(struct catalog *c, struct db *db, struct arena *a, const struct selection *sel, bool variants,
	       const struct compare_runs *runs, struct trend **out, struct err *err);

/* Of samples that are read already: all that there are of these series, and no others. */
int calc_trend_given(struct catalog *c, struct db *db, struct arena *a, const struct selection *sel,
		     const struct sample *samples, size_t n, struct trend **out, struct err *err);

/* How many series, up to `most`, have a trend within the bounds above whichever of so many kernels they have. */
static inline size_t calc_trend_at_once(size_t n_kernels, size_t most)
{
	size_t n = TREND_POINTS_MAX / (n_kernels ? n_kernels : 1);

	return n < most ? (n ? n : 1) : most;
}

#endif
