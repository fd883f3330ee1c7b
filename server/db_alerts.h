/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alerts and what they are made of: rules, the runs not checked yet, steps of series
 * (change), which steps an alert holds (alert_member). Only `watch` writes here, and in
 * one transaction that holds db_alerts_lock(); everything is an upsert on a natural key.
 */
#ifndef SERVER_DB_ALERTS_H
#define SERVER_DB_ALERTS_H

#include "db_runs.h"

/* Uploads notify it; nothing is said in it. */
#define DB_ALERTS_CHANNEL "nsecwatch_run"
int db_alerts_listen(struct db *db, struct err *err);

/* A run that was not compared with its neighbours yet. */
struct db_unchecked {
	struct uuid run_id;
	int64_t machine_id, kernel_id;
	int64_t queued_at;
};
/* In the transaction: true, until its end, for one process at a time. */
int db_alerts_lock(struct db *db, bool *mine, struct err *err);
int db_alerts_lock_wait(struct db *db, struct err *err);	/* the same, in turn: for what moves rows between alerts */
/* How many runs wait, counted up to `most`. */
int db_alerts_waiting(struct db *db, int64_t most, int64_t *n, struct err *err);
/*
 * In the transaction: the `max` runs that came first, as they came; or the newest first, and of those of
 * one machine and kernel only the first. Without runs of `except`.
 */
int db_alerts_unchecked(struct db *db, struct arena *a, int max, bool newest, const struct uuid *except, size_t n_except,
			struct db_unchecked **list, size_t *n, struct err *err);
/* All runs of its machine and kernel that wait, at most `most`, without those of `except`. */
int db_alerts_unchecked_of(struct db *db, struct arena *a, const struct db_unchecked *place, int most,
			   const struct uuid *except, size_t n_except, struct uuid **run_ids, size_t *n, struct err *err);
/* The series with a result in one of these runs, in order. */
int db_alerts_series_of(struct db *db, struct arena *a, const struct uuid *run_ids, size_t n, int64_t **series_ids,
			size_t *n_series, struct err *err);
int db_alerts_checked(struct db *db, const struct uuid *run_ids, size_t n, struct err *err);
/* Whether a run still waits for its check. */
int db_alerts_pending(struct db *db, const struct uuid *run_id, bool *pending, struct err *err);

/* A step of a series, as change holds it. */
struct db_change {
	int64_t series_id, from_kernel_id, to_kernel_id;
	double from_center, to_center, percent;
	const char *verdict;		/* "regression", "improvement", "unchanged", "inconclusive" */
	const char *confidence;		/* "none", "weak", "strong" */
	double q;			/* NaN: none */
	int64_t from_boots, to_boots;
};
/* Upserts the steps among them (regression, improvement); of the others refreshes those that were steps once. */
int db_alerts_changes_write(struct db *db, struct arena *a, const struct db_change *list, size_t n,
			    struct err *err);

/* Upserts all of them, steps or not: rows of an alert that a person opened. */
int db_alerts_changes_keep(struct db *db, struct arena *a, const struct db_change *list, size_t n, struct err *err);

/* Steps of these series from or to a kernel go, alerts' rows having gone before. */
int db_alerts_changes_forget(struct db *db, const int64_t *series_ids, size_t n, int64_t kernel_id, struct err *err);

struct db_alert {
	struct uuid id;
	const char *track;
	int64_t from_kernel_id, to_kernel_id, benchmark_id, rule_id;
	bool regression;		/* else an improvement */
	const char *state;		/* "new", ... */
	int64_t n_series;
	double worst_percent;		/* NaN: no member */
	int64_t *machine_ids, *config_ids;
	size_t n_machines, n_configs;
	int64_t created_at;
	/* what triage says of it */
	int part;			/* > 0: split off from another */
	const char *origin;		/* "watch", "manual", "split" */
	bool merged;
	struct uuid merged_into;	/* where merged */
	const char *assignee, *report_url, *fix_url, *fix_commit;	/* or NULL */
	int64_t due_at, changed_at;	/* TM_NONE: none, never */
	int64_t fixed_in_kernel_id;	/* 0: none */
	double restored_percent;	/* NaN: not known */
	int64_t mute_id;		/* what it is muted by; 0: nothing */
	bool silence;			/* no change, but runs that did not come: `about` says which; counts as a regression */
	const char *about;		/* or NULL */
};
struct db_member {
	struct uuid alert_id;
	bool regression;
	struct db_change change;
	bool moved;			/* a person put it there */
	bool suspect;			/* the alert is one */
};

/* All states, NULL-terminated. */
extern const char *const db_alerts_states[];
const char *db_alerts_direction(bool regression);	/* "regression", "improvement" */
const char *db_alerts_kind(const struct db_alert *alert);	/* these, or "silence" */

/* All alerts of a track, benchmark and direction, whatever their range. */
int db_alerts_of_benchmark(struct db *db, struct arena *a, const char *track, int64_t benchmark_id,
			   bool regression, struct db_alert **list, size_t *n, struct err *err);
/* Inserts it (id, range, rule, created_at), a suspect, where its id is new: *made. */
int db_alerts_insert(struct db *db, const struct db_alert *alert, bool *made, struct err *err);
/* A suspect with proof (`proven`, or rows of two machines) is a new alert from now on: *done. */
int db_alerts_confirm(struct db *db, const struct uuid *id, bool proven, bool *done, struct err *err);
/* Takes a suspect without rows away, unless people had to do with it. */
int db_alerts_drop_suspect(struct db *db, const struct uuid *id, struct err *err);
int db_alerts_set_range(struct db *db, const struct uuid *id, int64_t from_kernel_id, int64_t to_kernel_id,
			struct err *err);
/* What sums up the members: n_series, worst_percent, machine_ids, config_ids. */
int db_alerts_set_summary(struct db *db, const struct db_alert *alert, struct err *err);

/* Members with their numbers: of one alert, by series id; or of these series in any alert. */
int db_alerts_members(struct db *db, struct arena *a, const struct uuid *alert_id, struct db_member **list,
		      size_t *n, struct err *err);
int db_alerts_members_of_series(struct db *db, struct arena *a, const int64_t *series_ids, size_t n_series,
				struct db_member **list, size_t *n, struct err *err);
/* Only alert_id, regression and the change's series and kernels are used. */
int db_alerts_members_write(struct db *db, struct arena *a, const struct db_member *list, size_t n,
			    struct err *err);
int db_alerts_members_delete(struct db *db, struct arena *a, const struct db_member *list, size_t n,
			     struct err *err);

/* Newest first; the page after `before`, or from the top. A NULL list: any. */
struct db_alert_filter {
	const char *const *states;
	size_t n_states;
	bool regressions, improvements, silences;	/* which of them */
	const char *const *tracks;
	const int64_t *benchmark_ids;
	const int64_t *series_ids;	/* with one of these among its rows */
	size_t n_tracks, n_benchmarks, n_series;
	const char *const *assignees;	/* "": nobody */
	size_t n_assignees;
	int64_t overdue_at;		/* open, and due before then; 0: whatever they are */
	int64_t before_created_at;	/* TM_NONE: from the top */
	struct uuid before_id;
};
int db_alerts_list(struct db *db, struct arena *a, const struct db_alert_filter *f, int limit,
		   struct db_alert **list, size_t *n, struct err *err);
/* 0 with *alert NULL: there is none. */
int db_alerts_get(struct db *db, struct arena *a, const struct uuid *id, struct db_alert **alert, struct err *err);
/* The same, and in the transaction nobody else changes it. */
int db_alerts_get_locked(struct db *db, struct arena *a, const struct uuid *id, struct db_alert **alert,
			 struct err *err);
/* Alerts nobody has ended: the newest `most` of them, newest first; and how many there are. */
int db_alerts_open(struct db *db, struct arena *a, int most, struct db_alert **list, size_t *n, struct err *err);
/* Alerts between some kernel and one of these; of a track that are neither suspects nor invalid. By id. */
int db_alerts_to(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels, struct db_alert **list,
		 size_t *n, struct err *err);
int db_alerts_of_track(struct db *db, struct arena *a, const char *track, struct db_alert **list, size_t *n, struct err *err);
int db_alerts_count_open(struct db *db, int64_t *n, struct err *err);

#endif
