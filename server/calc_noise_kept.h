/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The learned noise of thousands of series, kept between comparisons: it is written seldom, and to
 * read it costs as much as the runs that are compared. Thread-safe.
 */
#ifndef SERVER_CALC_NOISE_KEPT_H
#define SERVER_CALC_NOISE_KEPT_H

#include "db_noise.h"

#define CALC_NOISE_KEPT_MOST 200000	/* of series: 10 MB; more are read each time */

/* As db_noise_read_range(), as fresh as it was when this was called. */
int calc_noise_kept(struct db *db, struct arena *a, int64_t first, int64_t last, struct db_noise **list, size_t *n,
		    struct err *err);

#endif
