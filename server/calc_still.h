/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is it still there? What later kernels of an alert's track say of its change: how much of
 * it is left in each, which have it, and from which on it is gone. Variants count nothing.
 */
#ifndef SERVER_CALC_STILL_H
#define SERVER_CALC_STILL_H

#include "calc_alert.h"

/* A kernel has the change while at least half of it, on the logarithmic scale, is left: as far from "all" as from "none". */
#define CALC_STILL_SHARE 0.5

struct still_kernel {
	const struct cat_kernel *kernel;
	size_t n_series;	/* of the alert's, measured with it */
	double left;		/* share of the change that is left: 1 all of it, 0 none; log scale, mean over those series */
	double percent;		/* against what was before, geometric mean over them */
	bool present;
};

struct still {
	struct still_kernel *kernels;	/* from the first bad one on, those measured, in order */
	size_t n, n_present;
	const struct still_kernel *first_gone;	/* it and all later ones are without; NULL: none */
};

/* Of an alert with its rows (calc_alert_load). An alert without rows: n = 0. */
int calc_still(struct catalog *c, struct db *db, struct arena *a, const struct calc_alert *al, struct still *out,
	       struct err *err);

/* (head - fix) / (head - base) * 100 of geometric means, from what is left of the logarithm and the percent against base. */
double calc_still_restored(const struct still_kernel *k);

/*
 * "present in 6.17-rc1 .. 6.19 (11 of 11 kernels), latest tested 6.19, first fixed: none";
 * "gone since 6.18 ..., 93 % restored in 6.19"; NULL where not even the first bad kernel is measured.
 */
const char *calc_still_sentence(struct arena *a, const struct still *s);

#endif
