/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a comparison of two neighbouring kernels to change, alert, member and outbox rows. */
#ifndef SERVER_DETECT_ALERTS_H
#define SERVER_DETECT_ALERTS_H

#include "detect_rules.h"

/* -1, 0, 1: the place of x against y in their track. */
int detect_kernel_order(const struct cat_kernel *x, const struct cat_kernel *y);

/* In the transaction, under db_alerts_lock(). Adds to *report. */
int detect_alerts_apply(const struct detect_rules *rules, struct db *db, struct arena *a, const struct compare *cmp,
			struct detect_report *report, struct err *err);

#endif
