/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of change.c share. Positions count the runs that have a value. */
#ifndef LIB_STATS_CHANGE_OWN_H
#define LIB_STATS_CHANGE_OWN_H

#include "change.h"

#ifdef CHANGE_TUNE
#define TUNE(name, value) extern double tune_##name;
#else
#define TUNE(name, value) static const double tune_##name __attribute__((unused)) = value;
#endif
#include "change_tune.h"
#undef TUNE

/* 0.1 %: clocks drift and caches settle by as much, and no series is without any noise (AB_SD_FLOOR_PERCENT is the same). */
#define CHANGE_SD_FLOOR 0.001

#define CHANGE_RHOS 12
#define CHANGE_WHITES 4
#define CHANGE_LEVELS 20
#define CHANGE_SETTLED 4	/* runs of a new level before it is certain */

struct change {
	struct arena *a;
	size_t n, cap;
	size_t added;			/* with those that have no value */
	size_t n_positive;
	double *value, *sd, *reps, *boots, *ln;	/* as added; ln: of value, where above 0 */
	size_t *index;			/* among all added */

	/* made anew by each change_find() */
	double *y;			/* ln or scaled value, centred */
	double *x;			/* y with lone outliers clipped */
	double *w;			/* weights, about 1 */
	double *sw, *swx, *swxx;	/* running sums of w, w * x and w * x^2; n + 1 */
	double *s2;			/* [k]: variance of a mean of k runs, times its weight */
	double *tmp, *ratio, *local;
	bool doubtful;			/* the last level: shown, but nobody is told */
	double rounding;		/* variance of a value from having been rounded */
	size_t tail;			/* from here on to the end all runs are far off: outliers or a new level */
	uint8_t *clipped, *mark;
	size_t *cand, *last;		/* cuts to begin with; of the pass before */
	size_t *cut, n_cut;	/* first positions of levels, without 0 */
	bool logs;
	double scale, centre;		/* value = exp(y + centre), or (y + centre) * scale */
	struct change_found *found;
	size_t *outliers;
	struct change_list list;
};

/* change_prepare.c: values to y, w, x and sums. */
void change_prepare(struct change *c);
void change_sums(struct change *c);

/* change_noise.c: s2 and local, given the cuts. */
void change_models(void);	/* before change_noise() */
void change_noise(struct change *c, bool first);

/* change_split.c: the cuts. */
void change_split(struct change *c);
/* t^2 by its threshold, of a boundary `at` between positions lo and hi. */
double change_ratio(const struct change *c, size_t lo, size_t at, size_t hi);
/* Variance of the mean of positions from..to. */
double change_variance(const struct change *c, size_t from, size_t to);
double change_threshold(const struct change *c, size_t a, size_t b);
size_t change_best_place(const struct change *c, size_t lo, size_t hi, size_t least, double *gain);

/* change_tail.c: takes back cuts near the end that too few runs support. */
void change_tail(struct change *c);

/* change_report.c */
void change_report(struct change *c);

double change_kth(double *v, size_t n, size_t k);

static inline double change_mean(const struct change *c, size_t from, size_t to)
{
	return (c->swx[to] - c->swx[from]) / (c->sw[to] - c->sw[from]);
}

static inline double change_weight(const struct change *c, size_t from, size_t to)
{
	return c->sw[to] - c->sw[from];
}

#endif
