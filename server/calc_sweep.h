/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A numeric parameter as axis: one line a kernel x machine x benchmark x metric x THP mode
 * x other params, its fit, and the ratios against the first kernel with their onset.
 */
#ifndef SERVER_CALC_SWEEP_H
#define SERVER_CALC_SWEEP_H

#include "../lib/stats/fitpair.h"
#include "calc_compare.h"

#define SWEEP_ONSET_PERCENT 5
#define SWEEP_KERNELS_MAX 50
#define SWEEP_POINTS_MAX 500000	/* series x kernels: each has a side and a row */

struct sweep_line {
	const struct cat_kernel *kernel;
	const struct cat_series *series;	/* one of the line's: all but the axis is common */
	const char *params;			/* JSON object without the axis */
	size_t group;				/* lines that differ only in the kernel have the same */
	size_t n;
	double *x, *y, *lo, *hi;		/* lo, hi: 95 % CI, NaN without a noise estimate */
	int64_t *values;			/* n of each point */
	bool has_fit;
	struct fit fit;
	double unit_step;
	const char *unit;			/* "page", or the axis' name */
};

enum sweep_cost { SWEEP_FIXED, SWEEP_PER_UNIT, SWEEP_OVERALL, SWEEP_COSTS };

struct sweep_part {				/* one of the two costs, or all sizes together, against the first kernel */
	const struct fitpair_part *test;	/* told: the rest is numbers */
	double base, head;			/* of the fits, in the metric's unit; NaN for all sizes together */
	double percent, ci_lo, ci_hi;		/* (head / base - 1) * 100, 95 % CI */
	double p, q;				/* q: Benjamini-Hochberg over all parts of the sweep */
	double restored_percent;		/* of a variant: (broken - this) / (broken - base) * 100; NaN where nothing was lost */
	enum compare_verdict verdict;
	enum compare_confidence confidence;
};

struct sweep_ratio {				/* of one line to the first kernel's */
	const struct sweep_line *line, *base;
	size_t n, sizes;			/* points: a ratio to what is above 0; sizes that both have */
	double *x, *percent;
	const struct compare_row **row;		/* the comparison behind each point */
	size_t row_family;			/* tests that their q is over */
	double onset;				/* NaN: none */
	bool has_pair;				/* at least 3 sizes in common, with a fit each */
	struct fitpair_in in;
	struct fitpair pair;
	struct sweep_part part[SWEEP_COSTS];
};

struct sweep {
	const char *axis;
	bool log;				/* all x are above 0 */
	struct sweep_line *lines;		/* by group (order of compare), then kernel as asked */
	size_t n_lines;
	struct sweep_ratio *ratios;
	size_t n_ratios;
	size_t family;				/* parts tested: what q is over */
};

/* kernels: at least one, none twice; ratios are against the first. */
int calc_sweep(struct catalog *c, struct db *db, struct arena *a, const struct selection *sel, const char *axis,
	       const struct cat_kernel *const *kernels, size_t n_kernels, const struct compare_runs *runs,
	       double onset_percent, struct sweep **out, struct err *err);

/*
 * The same out of a comparison, of base, head and, if it has one, fix: along the numeric
 * parameter that most of its rows have. NULL: none has one, or there are more than SWEEP_ROWS_MAX
 * rows, which nobody reads as sweeps.
 */
#define SWEEP_ROWS_MAX 2000
struct sweep *calc_sweep_of(struct arena *a, const struct compare *c);

/* The ratio of the kernel that r's kernel is a variant of, in the same group; NULL: none. */
const struct sweep_ratio *calc_sweep_fixes(const struct sweep *s, const struct sweep_ratio *r);

/* Names of numeric parameters in the selection, each once. */
const char **calc_sweep_axes(struct arena *a, const struct selection *sel, size_t *n);

#endif
