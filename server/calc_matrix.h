/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison folded into cells: rows and columns are any of machine, uarch, isa, thp, benchmark, param.NAME, track. */
#ifndef SERVER_CALC_MATRIX_H
#define SERVER_CALC_MATRIX_H

#include "calc_compare.h"

struct matrix_label {
	const char *text;
	bool is_number;		/* of param.NAME */
	double number;
};

struct matrix_cell {
	size_t n_series;	/* 0: empty */
	size_t regressions, improvements;	/* of its rows, each by its own verdict: the mean may hide them */
	double percent;		/* geomean over the cell's rows; NaN: no ratio above 0 */
	bool tested;
	struct ab ab;		/* the test of the mean */
	double q;		/* over the cells */
	double ci_lo, ci_hi;
	bool signs_disagree;	/* one row surely rose, by its q, and one surely fell */
	enum compare_direction direction;	/* of the mean; needs no noise estimate */
	enum compare_verdict verdict;
	enum compare_confidence confidence;
	const struct compare_row *worst;	/* against what is better; of a neutral metric the largest move */
};

struct matrix {
	const struct compare *compare;
	struct matrix_label *rows, *cols;	/* in order: numbers, then texts */
	size_t n_rows, n_cols;
	struct matrix_cell *cells;		/* [row * n_cols + col] */
	size_t family;				/* cells tested: what q is over */
};

/* Whether `name` can be rows= or cols=. */
bool calc_matrix_is_dimension(const char *name);

/* Two parameters of 100,000 values each would make 10^10 cells: whoever takes dimensions from outside looks first. */
#define MATRIX_CELLS_MAX 250000
struct matrix *calc_matrix_labels(struct arena *a, const struct compare *c, const char *rows, const char *cols);
void calc_matrix_fill(struct arena *a, struct matrix *m, const char *rows, const char *cols);

/* Both. A row that lacks a dimension (a parameter) stands in no cell. */
struct matrix *calc_matrix(struct arena *a, const struct compare *c, const char *rows, const char *cols);

#endif
