/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Neighbouring kernels compared, series by series, and what the difference is worth: one boot is
 * a suspicion, which asks for another; two boots, or two kernels on either side that agree, are
 * a reason to tell people. A kernel of one boot between two that are alike is an outlier, and
 * neither of its steps counts.
 */
#ifndef SERVER_DETECT_PAIRS_H
#define SERVER_DETECT_PAIRS_H

#include "calc_trend.h"
#include "detect_alerts.h"
#include "detect_history.h"

/* A series with as many kernels knows by itself what single boots are worth: they are left to change detection (detect_levels.h). */
#define DETECT_PAIRS_LONG CALC_WORTH_LONG

struct detect_pair {
	struct compare *cmp;		/* base, head and rows; q over all rows that stand beside the kernel asked about */
	enum calc_worth *evidence;	/* a row */
};

/*
 * A series is compared with the nearest kernels that have it, below and above: a kernel that was only
 * measured in part does not stand between the others. Of a short series all its pairs are
 * looked at, since what each is worth follows from those beside it. Lives in `a`.
 */
int detect_pairs_read(struct catalog *c, struct db *db, struct arena *a, const struct detect_history *h,
		      const struct cat_kernel *kernel, struct detect_pair **out, size_t *n, struct err *err);

/* Against the kernel of a baseline's rule, for the series it looks at; *out NULL: none has both. */
int detect_pairs_baseline(struct catalog *c, struct db *db, struct arena *a, const struct detect_history *h,
			  const struct calc_rule *rule, const struct cat_kernel *kernel, struct compare **out,
			  struct err *err);

/* What a step from point i - 1 to point i of a series is worth. siblings: others of its run say the same. */
enum calc_worth detect_pairs_worth(const struct history_series *s, size_t i, bool siblings);

#endif
