/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a matrix says in words: where a kernel helps, where it hurts, and what is left on balance. */
#ifndef SERVER_CALC_MATRIX_WORDS_H
#define SERVER_CALC_MATRIX_WORDS_H

#include "calc_matrix.h"

struct matrix_net {		/* cells */
	size_t better, worse, unchanged, inconclusive;
	const char *verdict;	/* "better", "worse", "trade-off", "unchanged", "inconclusive" */
};

void calc_matrix_net(const struct matrix *m, struct matrix_net *net);

/*
 * "helps THP 2M on epyc-rome and epyc-milanx, hurts THP 4K on all 5": of cells with a verdict; where no cell could be
 * tested, by number, and it says so. In `a`.
 */
const char *calc_matrix_sentence(struct arena *a, const struct matrix *m, const char *cols);

#endif
