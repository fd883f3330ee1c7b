/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes of level in series with a long history. There one value of one boot proves
 * nothing: one run in fifty is off. So a comparison of neighbours counts only for the
 * newest kernel with several boots, and the rest is left to change detection, which
 * speaks once several runs agree.
 */
#ifndef SERVER_DETECT_LEVELS_H
#define SERVER_DETECT_LEVELS_H

#include "detect_history.h"
#include "detect_rules.h"

/*
 * Of the long series of a machine, the changes at either end of the level that `kernel` belongs to: what its run touches.
 * Those that people should hear of become steps and alerts; one that an alert holds already
 * brings its numbers up to date there; rows of alerts there that are no change any more say so.
 */
int detect_levels_check(const struct detect_rules *rules, struct db *db, struct arena *a, const struct detect_history *h,
			const struct cat_kernel *kernel, struct detect_report *report, struct err *err);

#endif
