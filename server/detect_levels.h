/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes of level in series with a long history. There one value of one boot proves
 * nothing: one run in fifty is off. So a comparison of neighbours counts only for the
 * newest kernel with several boots, and the rest is left to change detection, which
 * speaks once several runs agree.
 */
#ifndef SERVER_DETECT_LEVELS_H
#define SERVER_DETECT_LEVELS_H

#include "calc_trend.h"
#include "detect_rules.h"

struct detect_levels {
	const struct cat_kernel *kernel;	/* of the runs under work */
	struct level_series *index;		/* long ones, by series id */
	size_t n_index;
};

/* The long series among these (of one machine). Lives in `a`. */
int detect_levels_read(struct catalog *c, struct db *db, struct arena *a, const struct cat_kernel *kernel,
		       const int64_t *series, size_t n, struct detect_levels *out, struct err *err);

/*
 * The changes at either end of the level that the kernel belongs to: what its run touches.
 * Those that people should hear of become steps and alerts; one that an alert holds already
 * brings its numbers up to date there; rows of alerts there that are no change any more say so.
 */
int detect_levels_apply(const struct detect_levels *l, const struct detect_rules *rules, struct db *db, struct arena *a,
			struct detect_report *report, struct err *err);

#endif
