/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sweep as cost = fixed + per_unit * u, and from where on two sweeps part. API.md says
 * what is minimised: sum of ((a + b u - y) / y)^2, least squares with weights 1 / y^2
 * (closed form of weighted linear regression: Draper & Smith, Applied Regression
 * Analysis, 3rd ed., 9.2). Relative misfit, since a sweep spans five orders of magnitude.
 */
#ifndef LIB_STATS_FIT_H
#define LIB_STATS_FIT_H

#include <stdbool.h>
#include <stddef.h>

struct fit {
	double fixed, per_unit;		/* in the unit of y */
	double max_residual_percent;	/* 100 * max |a + b u - y| / y */
};

/* False: fewer than 3 points, a y <= 0, or all u alike. */
bool fit_sweep(const double *u, const double *y, size_t n, struct fit *f);

/*
 * The smallest x from which on every point moves the same way by at least `threshold`
 * percent and none is known to be unchanged; NaN: none. x ascends. unchanged may be NULL.
 */
double fit_onset(const double *x, const double *percent, const bool *unchanged, size_t n, double threshold);

#endif
