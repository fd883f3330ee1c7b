/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alerts follow a run that was found wrong. What its series said of steps from or to its kernel is
 * forgotten, detect.c looks again at what is left, and an alert with nothing left is over.
 */
#ifndef SERVER_DETECT_CORRECTED_H
#define SERVER_DETECT_CORRECTED_H

#include "db_invalid.h"
#include "detect_rules.h"

struct detect_corrected {
	const struct db_invalid *why;
	const struct cat_kernel *kernel;
	int64_t *lost;			/* its series without any other run of the kernel; sorted */
	size_t n_lost;
	struct uuid *alerts;		/* that had rows of its series */
	size_t n_alerts;
};

/* In the transaction, under db_alerts_lock(). have: the machine's series with a result of the kernel, still; sorted. */
int detect_corrected_forget(struct detect_corrected *c, struct db *db, struct arena *a, const struct run *run,
			    const int64_t *have, size_t n_have, struct err *err);
/* After the look. */
int detect_corrected_end(const struct detect_corrected *c, const struct detect_rules *rules, struct db *db,
			 struct arena *a, struct err *err);
/* Whether watch closed this alert because its runs were wrong: evidence opens it again. */
int detect_corrected_closed(struct db *db, struct arena *a, const struct db_alert *al, bool *closed, struct err *err);

#endif
