/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of the waiting runs are checked next, and what they see. As a rule one after the other as they came, each
 * as if those behind it were not there yet: so the alerts follow from the uploads alone, however
 * long watch was away, and whatever came in one go when it was back. Where so many wait that a fresh one would wait, too,
 * the newest are first until all is caught up, those of a machine and kernel together, and see all there is.
 */
#ifndef SERVER_DETECT_QUEUE_H
#define SERVER_DETECT_QUEUE_H

#include "db_alerts.h"

#define DETECT_QUEUE_BEHIND 1000	/* runs that wait: from then on the newest first */
#define DETECT_QUEUE_CAUGHT_UP 32	/* and until no more are left than this */
#define DETECT_QUEUE_LEFT_OUT 256

struct detect_queue {
	bool behind;
	struct uuid left_out[DETECT_QUEUE_LEFT_OUT];	/* checking them failed for a reason that time does not heal */
	size_t n_left_out;
};

/* What to check together: runs of one machine and kernel. */
struct detect_turn {
	int64_t machine_id, kernel_id;
	struct uuid *runs;
	size_t n;
};

/* In the transaction, under db_alerts_lock(): the first of at most `most` waiting runs; *n = 0: none waits. */
int detect_queue_list(struct detect_queue *q, struct db *db, struct arena *a, int most, struct db_unchecked **list,
		      size_t *n, struct err *err);
/* One of the list, with the others of its machine and kernel where that is the way; and sets what db shows of the rest. */
int detect_queue_turn(const struct detect_queue *q, struct db *db, struct arena *a, const struct db_unchecked *of,
		      struct detect_turn *out, struct err *err);
/* The oldest that was left out gets its next try early. */
void detect_queue_leave_out(struct detect_queue *q, const struct uuid *run_id);

#endif
