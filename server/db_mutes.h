/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mutes: what is kept silent, why, by whom and until when. */
#ifndef SERVER_DB_MUTES_H
#define SERVER_DB_MUTES_H

#include "db.h"

struct db_mute {
	int64_t id;
	const char *selector;		/* JSON object; "{}" where it is of one alert */
	bool of_alert;
	struct uuid alert_id;
	const char *reason, *author;
	int64_t created_at, until, ended_at;	/* until TM_NONE: no end; ended_at TM_NONE: nobody ended it */
	int64_t n_alerts;		/* muted by it now */
};

/* In force at `now` (only), or all, newest first. */
int db_mutes_list(struct db *db, struct arena *a, bool only_active, struct db_mute **list, size_t *n, struct err *err);
int db_mutes_get(struct db *db, struct arena *a, int64_t id, struct db_mute **mute, struct err *err);
int db_mutes_add(struct db *db, struct db_mute *mute, struct err *err);	/* sets id, created_at */
int db_mutes_end(struct db *db, int64_t id, struct err *err);

/* Alerts whose mute is over, or those that this mute has silenced. */
int db_mutes_alerts_over(struct db *db, struct arena *a, struct uuid **ids, size_t *n, struct err *err);
int db_mutes_alerts_of(struct db *db, struct arena *a, int64_t mute_id, struct uuid **ids, size_t *n, struct err *err);
/* Open alerts all of whose rows are of these series. */
int db_mutes_alerts_within(struct db *db, struct arena *a, const int64_t *series_ids, size_t n_series,
			   struct uuid **ids, size_t *n, struct err *err);

#endif
