/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What people decide of alerts, written: state and who cares, ranges, rows from one alert to another. */
#ifndef SERVER_DB_TRIAGE_H
#define SERVER_DB_TRIAGE_H

#include "db_alerts.h"

/* All of these in a transaction that has the alert's row (db_alerts_get_locked), or the lock of checks. */

/* State, assignee, links, what it is fixed in and merged into; changed_at is now. */
int db_triage_write(struct db *db, const struct db_alert *alert, struct err *err);

/* The alert that has this range and direction of the benchmark already (split-off ones not counted); *id is it. */
int db_triage_taken(struct db *db, const struct db_alert *alert, struct uuid *id, bool *taken, struct err *err);
/* An alert of a person's or split off: its part is the next free one of its range. */
int db_triage_insert(struct db *db, struct db_alert *alert, struct err *err);

/* Ranges that alerts had before. why: "nudged", "reopened". */
struct db_triage_range {
	struct uuid alert_id;
	int64_t from_kernel_id, to_kernel_id;
	bool reopened;
};
int db_triage_range_add(struct db *db, const struct db_alert *alert, const char *why, struct err *err);
int db_triage_ranges(struct db *db, struct arena *a, const char *track, int64_t benchmark_id, bool regression,
		     struct db_triage_range **list, size_t *n, struct err *err);

/*
 * Rows from one alert to another: all, or of these series (series_ids NULL: all). What the other has already is
 * left out of both. *n: rows moved.
 */
int db_triage_move(struct db *db, const struct uuid *from, const struct uuid *to, const int64_t *series_ids,
		   size_t n_series, int64_t *n, struct err *err);
/* Those that were moved away from `home` and are in `from` now, back. */
int db_triage_move_back(struct db *db, const struct uuid *from, const struct uuid *home, int64_t *n, struct err *err);

/* Alerts of the track whose fix is posted, with a row of one of these series. */
int db_triage_awaiting_fix(struct db *db, struct arena *a, const char *track, const int64_t *series_ids, size_t n_series,
			   struct uuid **ids, size_t *n, struct err *err);

/* Alerts that people opened and nobody was told of: watch does that, as it does for those it finds. */
int db_triage_untold(struct db *db, struct arena *a, struct uuid **ids, size_t *n, struct err *err);
int db_triage_told(struct db *db, const struct uuid *id, struct err *err);
int db_triage_wake(struct db *db, struct err *err);		/* with the commit, watch looks at once */

#endif
