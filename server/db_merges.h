/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merges of machines and of benchmarks: what reads two histories as one is one column of their row; here are the rows that
 * checks derived of their series, which follow, and what undoes it. All in a transaction that
 * holds db_alerts_lock_wait().
 */
#ifndef SERVER_DB_MERGES_H
#define SERVER_DB_MERGES_H

#include "db_names.h"

/* Series and which of them stood for each before and stands for it after. */
struct db_merges_map {
	int64_t *ids, *before, *after;	/* n each */
	size_t n;
};

/* into_id 0: nothing any more. */
int db_merges_set(struct db *db, enum names_of of, int64_t id, int64_t into_id, struct err *err);

/* The steps and the rows of alerts of these series are kept under a new merge: *id. */
int db_merges_save(struct db *db, enum names_of of, int64_t from_id, int64_t into_id, const struct db_merges_map *m, int64_t *id,
		   struct err *err);
/* They move to the series that stand for theirs; what those have of their own stays. */
int db_merges_move(struct db *db, const struct db_merges_map *m, struct err *err);

/* An alert that went into another with the merge. */
struct db_merges_alert {
	struct uuid id, into;
	const char *state;		/* before */
};
int db_merges_save_alerts(struct db *db, struct arena *a, int64_t id, const struct db_merges_alert *list, size_t n, struct err *err);

/* The merge of this one that goes on: *id 0 where there is none. */
int db_merges_find(struct db *db, struct arena *a, enum names_of of, int64_t from_id, int64_t *id, struct db_merges_alert **alerts,
		   size_t *n_alerts, struct err *err);
/*
 * Each series gets back the rows it had, and those found since where it was measured with both of their kernels; the merge has
 * ended.
 */
int db_merges_undo(struct db *db, int64_t id, const struct db_merges_map *m, struct err *err);

/* Alerts that have rows of these series. */
int db_merges_alerts_of(struct db *db, struct arena *a, const int64_t *series_ids, size_t n_series, struct uuid **ids, size_t *n,
			struct err *err);

/* Alerts with rows on one of these machines. */
int db_merges_alerts_on(struct db *db, struct arena *a, const int64_t *machine_ids, size_t n_machines, struct uuid **ids, size_t *n,
			struct err *err);

/* All runs of these machines or benchmarks wait for their check again, behind those that come in now. */
int db_merges_check_again(struct db *db, enum names_of of, const int64_t *ids, size_t n, struct err *err);

#endif
