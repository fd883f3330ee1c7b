/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * New runs -> steps -> alerts. A run's kernel is compared, series by series, with the
 * nearest kernel below and above it in its track that the machine has measured;
 * variants are compared with nothing. Where a series has a long history its changes of level
 * count instead (detect_levels.h). Rules decide which steps raise an alert. Whatever the
 * repetition and the number of those who work, and for short histories the order, too:
 * the rows come out the same.
 */
#ifndef SERVER_DETECT_H
#define SERVER_DETECT_H

#include "db_alerts.h"

struct deliver_map;

struct detect {
	struct catalog *catalog;
	double default_percent;		/* of the rule "default", in place of its own; 0: its own */
	const struct deliver_map *map;	/* to whom a new alert is addressed */
};

/* Runs that are left out, because checking them failed for a reason that time does not heal. */
#define DETECT_SKIP_MAX 256
#define DETECT_DEADLINE_MS 3000	/* for one transaction, its retries counted in */
struct detect_skip {
	struct uuid ids[DETECT_SKIP_MAX];
	size_t n;
};

struct detect_report {
	size_t runs;			/* checked; 0: none waits, or another process is at it */
	size_t alerts;			/* made */
	size_t noise;			/* series whose noise was learned anew */
	bool skipped;			/* one went to the skip list */
};

/*
 * Checks up to max_runs waiting runs, the newest first, in one transaction with the
 * alerts, their outbox rows and the end of the todo. A run that cannot be checked
 * (ERR_BUG) is put on the skip list once it is tried alone (max_runs = 1).
 */
int detect_work(const struct detect *d, struct db *db, int max_runs, struct detect_skip *skip,
		struct detect_report *report, struct err *err);

#endif
