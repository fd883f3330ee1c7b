/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much one boot differs from the next where the kernel has not changed, learned from
 * other kernels of a series or from other series. All on natural logarithms, so that a
 * variance is that of a relative error. Two levels: the mean of a boot of r repetitions has
 * the variance tau^2 + s^2 / r, tau^2 between boots, s^2 between repetitions of one boot.
 */
#ifndef LIB_STATS_NOISE_H
#define LIB_STATS_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "points.h"

enum noise_source {
	NOISE_NONE,
	NOISE_BOOTS,		/* the boots that are compared */
	NOISE_HISTORY,		/* other kernels of the series */
	NOISE_SIBLINGS,		/* series of the same benchmark, metric, machine and config with other params */
	NOISE_REPETITIONS,	/* one boot a side: presumed, see ab.h */
};

struct noise {
	enum noise_source source;
	double variance, df;	/* of the mean of one boot of `reps` repetitions; what the estimate is worth */
	double within;		/* s^2; NaN: not known */
	double reps;
	int64_t from;		/* kernels, or series, that it comes from */
};

struct noise_point {		/* one kernel of a series */
	double mean, sd;	/* of logs: stats_side.log_mean, .log_stddev */
	int64_t boots, n;
	int line;		/* differences are taken within a line only: a track */
};

/* False: a side that has no logarithm. */
bool noise_point_of(const struct stats_side *side, int line, struct noise_point *p);

/*
 * From the kernels of a series in their order: differences of neighbours (what boots and
 * builds do) and spreads between boots of one kernel. Steps and spikes among them hardly count. False,
 * *out all none: there are not enough. scratch: 2 n doubles.
 */
bool noise_of_history(const struct noise_point *p, size_t n, double *scratch, struct noise *out);

/* What to expect of one more series like these. False: none of them has a variance. */
bool noise_of_siblings(const struct noise *list, size_t n, struct noise *out);

/* The variance of the mean of a boot of `reps` repetitions. */
double noise_at(const struct noise *noise, double reps);

/* "boots", "history", "siblings", "repetitions"; NULL for none. */
const char *noise_source_word(enum noise_source source);

#endif
