/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trend's series as change detection sees them: a run is a kernel with all its boots. */
#ifndef SERVER_CALC_TREND_LEVELS_H
#define SERVER_CALC_TREND_LEVELS_H

#include "../lib/stats/change.h"
#include "calc_trend.h"
#include "db_alerts.h"

/* A kernel of the series as a run. */
struct change_run calc_trend_level_run(const struct stats_side *side);

/* The changes in n runs; measured: the indexes of their kernels. The detector is for any series. */
void calc_trend_levels(struct arena *a, struct change *detector, const struct change_run *runs, size_t n,
		       const struct cat_kernel *const *kernels, const size_t *measured, struct trend_series *s);

/*
 * Which alert holds each change: members (in any order) are rows of alerts. A step between
 * neighbours is known by its two kernels; a change of level by its place, or one near it.
 */
void calc_trend_alerts(struct arena *a, struct trend *t, struct db_member *members, size_t n);

#endif
