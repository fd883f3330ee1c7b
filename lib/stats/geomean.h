/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The geometric mean, the one mean under which ratios combine without a favoured base
 * (Fleming & Wallace, Commun. ACM 29, 1986). Ratios that are not above 0 have no logarithm
 * and stay out.
 */
#ifndef LIB_STATS_GEOMEAN_H
#define LIB_STATS_GEOMEAN_H

#include <math.h>
#include <stddef.h>

struct geomean {		/* begin with { 0 } */
	double sum;		/* of ln */
	size_t n;
};

static inline void geomean_add(struct geomean *g, double ratio)
{
	double l = log(ratio);

	if (!isfinite(l))
		return;
	g->sum += l;
	g->n++;
}

/* The ratio of two values above 0: of two below 0 it is above 0, too, and its sign tells the wrong way. */
static inline void geomean_add_pair(struct geomean *g, double part, double whole)
{
	if (part > 0 && whole > 0)
		geomean_add(g, part / whole);
}

/* NaN of none. */
static inline double geomean_value(const struct geomean *g)
{
	return g->n ? exp(g->sum / (double)g->n) : NAN;
}

#endif
