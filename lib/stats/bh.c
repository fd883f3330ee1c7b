/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bh.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static int by_p(const void *a, const void *b, void *arg)
{
	const double *p = arg;
	double x = p[*(const size_t *)a], y = p[*(const size_t *)b];

	return x < y ? -1 : x > y;
}

void bh_q(const double *p, size_t n, size_t *scratch, double *q)
{
	size_t m = 0;
	double least = 1;

	for (size_t i = 0; i < n; i++) {
		if (isnan(p[i]))
			q[i] = NAN;
		else
			scratch[m++] = i;
	}
	if (m)
		qsort_r(scratch, m, sizeof(*scratch), by_p, (void *)(uintptr_t)p);
	for (size_t rank = m; rank > 0; rank--) {
		size_t i = scratch[rank - 1];

		least = fmin(least, p[i] * (double)m / (double)rank);
		q[i] = least;
	}
}
