/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which alert a step belongs to, with what people did to alerts in between: merged, nudged, split,
 * fixed. A dismissed alert keeps what is found in its range, and is told no more.
 */
#ifndef SERVER_DETECT_HOME_H
#define SERVER_DETECT_HOME_H

#include "db_alerts.h"
#include "detect_range.h"

struct detect_home {
	struct catalog *catalog;
	struct detect_range step;
	const struct cat_benchmark *benchmark;
	bool regression;
	const int64_t *series_ids;	/* of the steps */
	size_t n_series;
	const struct db_member *members;	/* of any alert, of these series */
	size_t n_members;
};

enum detect_home_kind {
	HOME_NONE,		/* a new one is to be made */
	HOME_FOUND,
	HOME_OLD,		/* of a range that an alert left when it was reopened: nothing new */
	HOME_FIXED,		/* that alert was fixed before the step: it is back */
};

/* In the transaction, under the lock of checks; narrows the range of the one found. */
int detect_home_find(const struct detect_home *h, struct db *db, struct arena *a, enum detect_home_kind *kind,
		     struct uuid *id, struct err *err);

/* The alert that a person put this series into, if its row there overlaps with the step; else NULL. */
const struct db_member *detect_home_moved(const struct detect_home *h, int64_t series_id, bool *bad);

#endif
