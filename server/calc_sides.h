/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What some kernels measured in the series of a selection: one side (centre, spread, runs,
 * boots) a series and kernel, or why there is none. One pass over the kernels' runs; what
 * compare, sweep and matrix stand on. And how noisy each series is known to be.
 */
#ifndef SERVER_CALC_SIDES_H
#define SERVER_CALC_SIDES_H

#include "../lib/stats/ab.h"
#include "calc_compare.h"

struct side_gap {		/* where a side has no value */
	enum compare_reason reason;
	bool seen;		/* failed or skipped: it was tried */
	const char *error;
};

struct sides {
	const struct selection *sel;
	size_t n_kernels;
	const struct stats_side *side;	/* [series of the selection][kernel]; runs = 0: none */
	const struct side_gap *gap;	/* likewise */
	const struct noise *noise;	/* [series]: what its history or its siblings say; source NOISE_NONE: nothing */
	const size_t *order;		/* series of the selection as calc_order.h has them; NULL: not sorted yet */
};

/* kernels may hold one twice. runs may be NULL. */
int calc_sides_read(struct catalog *c, struct db *db, struct arena *a, const struct selection *sel,
		    const struct cat_kernel *const *kernels, size_t n_kernels, const struct compare_runs *runs,
		    struct sides **out, struct err *err);

static inline const struct stats_side *calc_sides_at(const struct sides *s, size_t series, size_t kernel)
{
	return &s->side[series * s->n_kernels + kernel];
}

#endif
