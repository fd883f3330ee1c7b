/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * New runs -> steps -> alerts. A run's kernel is compared, series by series, with the
 * nearest kernel below and above it in its track that the machine has measured;
 * variants are compared with nothing. Where a series has a long history its changes of level
 * count instead (detect_levels.h). Rules decide which steps raise an alert. Whatever the
 * repetition and the number of those who work, and whenever they do (detect_queue.h), the rows come out the same.
 */
#ifndef SERVER_DETECT_H
#define SERVER_DETECT_H

#include "detect_queue.h"

struct deliver_map;

struct detect {
	struct catalog *catalog;
	double default_percent;		/* of the rule "default", in place of its own; 0: its own */
	const struct deliver_map *map;	/* to whom a new alert is addressed */
};

#define DETECT_DEADLINE_MS 3000	/* for one transaction, its retries counted in */

struct detect_report {
	size_t runs;			/* checked; 0: none waits, or another process is at it */
	size_t alerts;			/* made */
	size_t noise;			/* series whose noise was learned anew */
	bool skipped;			/* one is left out from now on */
	bool more;			/* wait, as far as is known */
};

/*
 * Checks up to max_runs waiting runs in one transaction with the alerts, their outbox rows and the end of
 * the todo. A run that cannot be checked (ERR_BUG) is left out once it is tried alone (max_runs = 1).
 */
int detect_work(const struct detect *d, struct db *db, int max_runs, struct detect_queue *queue,
		struct detect_report *report, struct err *err);

#endif
