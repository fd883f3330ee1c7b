/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * New runs -> steps -> alerts. A run's kernel is compared, series by series, with the
 * nearest kernel below and above it in its track that the machine has measured;
 * variants are compared with nothing. Rules decide which steps raise an alert. Whatever
 * the order, the repetition and the number of those who work: the rows come out the same.
 */
#ifndef SERVER_DETECT_H
#define SERVER_DETECT_H

#include "db_alerts.h"

struct detect {
	struct catalog *catalog;
	double default_percent;		/* of the rule "default", in place of its own; 0: its own */
	bool webhook, mail;		/* to whom a new alert is addressed */
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
	bool skipped;			/* one went to the skip list */
};

/*
 * Checks up to max_runs waiting runs, the newest first, in one transaction with the
 * alerts, their outbox rows and the end of the todo. A run that cannot be checked
 * (ERR_BUG) is put on the skip list once it is tried alone (max_runs = 1).
 */
int detect_work(const struct detect *d, struct db *db, int max_runs, struct detect_skip *skip,
		struct detect_report *report, struct err *err);

/*
 * Where a step between two kernels belongs among the alerts of its track, benchmark and
 * direction: the first whose range overlaps (from, to], or -1. Ranges are in kernel
 * order; neighbours that only touch do not overlap.
 */
struct detect_range {
	const struct cat_kernel *from, *to;
};
int detect_overlapping(const struct detect_range *ranges, size_t n, const struct detect_range *step);
/* What both ranges have in common: no wider than either. */
struct detect_range detect_narrowed(const struct detect_range *x, const struct detect_range *y);
/* The alert's id: made of the names that identify it, so equal wherever it is found. */
void detect_alert_id(const char *track, const char *from_identity, const char *to_identity, const char *benchmark,
		     bool regression, struct uuid *id);

#endif
