/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was measured of some series, read once for everything that a check asks: one point a
 * series and kernel (over all its boots), in the order of the kernels of one track. From packs:
 * thousands of boots of a kernel are some kilobytes there.
 */
#ifndef SERVER_DETECT_HISTORY_H
#define SERVER_DETECT_HISTORY_H

#include "calc_compare.h"

struct history_point {
	const struct cat_kernel *kernel;
	struct stats_side side;
};

struct history_series {
	const struct cat_series *series;
	struct history_point *point;	/* in kernel order */
	size_t n;
	size_t at;			/* of the kernel asked about; n: it has no value there */
};

struct detect_history {
	struct history_series *series;	/* as given, by id */
	size_t n;
	const struct sample *samples;	/* they are made of, of all kernels, variants too */
	size_t n_samples;
};

/*
 * Of these series (ids in order, each once), with the kernels that stand before or after `kernel` in its
 * track; variants do not. Lives in `a`.
 */
int detect_history_read(struct catalog *c, struct db *db, struct arena *a, const struct cat_kernel *kernel,
			const int64_t *series_ids, size_t n, struct detect_history *out, struct err *err);

#endif
