/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From samples (one run's summary of a series) to a side of a comparison or a point of
 * a trend: over runs and boots of one kernel, as API.md "Meanings" says. A boot's value is
 * the mean of its runs weighted by n; the centre is exp(mean of ln) over boots.
 */
#ifndef LIB_STATS_POINTS_H
#define LIB_STATS_POINTS_H

#include <stddef.h>
#include <stdint.h>

struct stats_sample {
	uint64_t boot_key;
	int64_t n;
	double mean, stddev, min, max;	/* NaN: not known */
};

struct stats_side {
	int64_t runs, boots, n;
	double center;
	double stddev;		/* n - 1: over boot values; with one boot over its repetitions; else NaN */
	double min, max;	/* over repetitions; NaN where unknown */
	double log_mean, log_stddev;	/* of what stddev is over; log_stddev NaN where unknown or a value is <= 0 */
};

/* samples of ONE series and kernel, any order; n >= 1. scratch: n doubles and n int64 for its own use. */
void stats_side_of(const struct stats_sample *samples, size_t n, void *scratch, struct stats_side *side);
size_t stats_side_scratch(size_t n);	/* bytes */

#endif
