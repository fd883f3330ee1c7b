/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bodies and raw repetitions go by whole months, by dropping a partition of run_raw; the runs and their summaries stay for ever. */
#ifndef SERVER_DB_RETAIN_H
#define SERVER_DB_RETAIN_H

#include "db.h"

struct retain_month {
	const char *month;		/* "2025-02", in the arena, as the next */
	const char *partition;
	int64_t runs, bytes;
};

/* The months of which all is older than `months` months, oldest first. */
int db_retain_list(struct db *db, struct arena *a, int months, struct retain_month **list, size_t *n, struct err *err);
/*
 * Drops one, and writes down that it did. Waits for those who read the table, two seconds at a time: who comes behind it
 * waits for it. ERR_UNAVAILABLE: somebody read all the time.
 */
int db_retain_drop(struct db *db, const struct retain_month *m, struct err *err);

#endif
