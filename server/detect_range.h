/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranges of kernels of one track: after `from`, up to and with `to`. A step found between
 * two kernels belongs to the alert whose range overlaps with it, and narrows it.
 */
#ifndef SERVER_DETECT_RANGE_H
#define SERVER_DETECT_RANGE_H

#include "db_catalog.h"

struct detect_range {
	const struct cat_kernel *from, *to;
};

/* -1, 0, 1: the place of x against y in their track. */
int detect_range_order(const struct cat_kernel *x, const struct cat_kernel *y);
/* Neighbours that only touch do not. */
bool detect_range_overlap(const struct detect_range *x, const struct detect_range *y);
/* The first in kernel order that overlaps with the step, or -1. */
int detect_range_find(const struct detect_range *ranges, size_t n, const struct detect_range *step);
/* What both have in common: no wider than either. */
struct detect_range detect_range_narrowed(const struct detect_range *x, const struct detect_range *y);

#endif
