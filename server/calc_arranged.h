/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In which order and in which groups the rows of a comparison stand, where somebody asked for another than the
 * usual one. Nothing is judged anew. static/compare_rows.js sorts and groups by the same rules in the page.
 */
#ifndef SERVER_CALC_ARRANGED_H
#define SERVER_CALC_ARRANGED_H

#include "calc_compare.h"

struct arrange {
	const char *sort;	/* a word of calc_arranged_is_sort(); NULL: by row */
	const char *group;	/* a word of calc_arranged_is_group(); NULL, "none": no groups */
};

/* A part of a comparison's rows that stand together. */
struct compare_group {
	const char *value;			/* "milan-01", "400 KiB" */
	size_t n_rows;
	size_t regressions, improvements, unchanged;
	double geomean_percent;			/* over its rows' ratios; NaN: none */
};

/* "row", "effect", "change", "noise", "detectable", "restored", "remains"; after a '-' the largest come first. */
bool calc_arranged_is_sort(const char *word);
/* "none", "benchmark", "metric", "machine", "uarch", "isa", "thp", "page", "sweep", "param.NAME" */
bool calc_arranged_is_group(const char *word);

/* c itself where nothing is asked for; else its rows so, with `of`, `groups` and `arranged_by` set. In `a`. */
const struct compare *calc_arranged(struct arena *a, const struct compare *c, const struct arrange *how);

/* A row by itself: "mprotect/tw4m 400 KiB, milan-01, THP never", without what its group has in its name. */
const char *calc_arranged_row_name(struct arena *a, const struct cat_series *s, const char *group);

#endif
