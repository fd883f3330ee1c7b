/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a change reaches along a sweep. From which size on it is there is said over all machines and THP modes
 * together, so that one machine's noise does not decide it; how large it becomes is what the tables show.
 */
#ifndef SERVER_CALC_EXTENT_H
#define SERVER_CALC_EXTENT_H

#include "calc_sweep.h"

struct calc_extent {
	double onset;		/* smallest x from which on the mean over lines moves by SWEEP_ONSET_PERCENT, one way; NaN: none */
	double most;		/* percent: the largest of the rows' own from there on */
};
/* rows: what is known to have changed. */
void calc_extent_of(struct arena *a, const struct sweep *s, const struct cat_kernel *head,
		    const struct compare_row *const *rows, size_t n_rows, struct calc_extent *out);

/* What a variant of `head` restores of the cost per unit, mean over lines. */
struct calc_extent_fix {
	size_t n;		/* lines; 0: none tells */
	const char *unit;	/* "page" */
	double restored, restored_half, left, left_half;	/* percent; half: of the 95 % CI */
};
void calc_extent_fix_of(const struct sweep *s, const struct cat_kernel *head, const struct cat_kernel *variant,
			struct calc_extent_fix *out);

/* "per page: restores 87 % (±2), +19 % (±2) remains" */
const char *calc_extent_fix_text(struct arena *a, const struct calc_extent_fix *f);
/* "from 40 KiB, up to +150 %", to two digits as noise allows no more; NULL: no onset. */
const char *calc_extent_text(struct arena *a, const struct sweep *s, const struct calc_extent *e);

#endif
