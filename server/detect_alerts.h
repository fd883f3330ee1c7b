/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a comparison of two neighbouring kernels to change, alert, member and outbox rows. */
#ifndef SERVER_DETECT_ALERTS_H
#define SERVER_DETECT_ALERTS_H

#include "detect_rules.h"

/* The alert's id: made of the names that identify it, so equal wherever it is found. */
void detect_alerts_id(const char *track, const char *from_identity, const char *to_identity, const char *benchmark,
		      bool regression, struct uuid *id);

/* In the transaction, under db_alerts_lock(). Adds to *report. */
int detect_alerts_apply(const struct detect_rules *rules, struct db *db, struct arena *a, const struct compare *cmp,
			struct detect_report *report, struct err *err);

#endif
