/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * q-values of Benjamini & Hochberg (J. R. Statist. Soc. B 57, 1995; as adjusted p-values in
 * Yekutieli & Benjamini, J. Statist. Plann. Inference 82, 1999): with p sorted upwards,
 * q(i) = min over j >= i of p(j) * m / j, at most 1. Claiming all with q <= x makes a share
 * of at most x of the claims false, on average.
 */
#ifndef LIB_STATS_BH_H
#define LIB_STATS_BH_H

#include <stddef.h>

/* NaN in p is no test: not in the family, NaN in q. scratch: n size_t. q may be p. */
void bh_q(const double *p, size_t n, size_t *scratch, double *q);

#endif
