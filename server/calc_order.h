/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order in which answers list series: benchmark, machine, thp, numeric params, then all else that makes one. */
#ifndef SERVER_CALC_ORDER_H
#define SERVER_CALC_ORDER_H

#include "db_catalog.h"

/* As strcmp(); 0 only for the same series. */
int calc_order_series(const struct cat_series *x, const struct cat_series *y);

/* Sorts n places in `series`. Faster than a sort by calc_order_series() alone where they are many. */
void calc_order_sort(struct arena *a, const struct cat_series *const *series, size_t *index, size_t n);

#endif
