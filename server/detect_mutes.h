/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mutes in force: which alert is born silent, which one wakes because more than what is muted moves, or because time is up. */
#ifndef SERVER_DETECT_MUTES_H
#define SERVER_DETECT_MUTES_H

#include "calc_selector.h"
#include "db_mutes.h"
#include "detect.h"

struct detect_mute {
	const struct db_mute *mute;
	struct calc_selector on;
};
struct detect_mutes {
	struct detect_mute *list;	/* of selectors; those of one alert stand with that alert */
	size_t n;
};

int detect_mutes_load(struct detect_mutes *m, struct catalog *c, struct db *db, struct arena *a, struct err *err);
/* The mute that silences all of these series, or the last of several that do it together; 0: not all are. */
int64_t detect_mutes_of(const struct detect_mutes *m, struct catalog *c, const int64_t *series_ids, size_t n,
			const char *track);

/* In the transaction. A new alert is silenced; one that is silent wakes. */
int detect_mutes_silence(const struct detect *d, struct db *db, struct arena *a, const struct uuid *alert_id,
			 int64_t mute_id, struct err *err);
int detect_mutes_wake(const struct detect *d, struct db *db, struct arena *a, const struct uuid *alert_id,
		      const char *why, struct err *err);

/* Wakes what has been silent long enough; a transaction of its own. *n: how many. */
int detect_mutes_expire(const struct detect *d, struct db *db, size_t *n, struct err *err);

#endif
