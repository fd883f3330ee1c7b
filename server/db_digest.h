/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Digests: what is not told at once waits here, once for each who gets it, until the moment of
 * his next digest; then one outbox row takes all of it.
 */
#ifndef SERVER_DB_DIGEST_H
#define SERVER_DB_DIGEST_H

#include "db_outbox.h"

/* In a transaction with what it tells: an item for this alert, event and target unless it is there. */
int db_digest_add(struct db *db, enum outbox_kind kind, const char *target, const struct uuid *alert_id,
		  const char *event, bool weekly, struct err *err);

/* A target's digests that have something in them. */
struct db_digest {
	enum outbox_kind kind;
	const char *target;
	bool weekly;
	int64_t oldest;		/* when the first of it came up */
};
int db_digest_waiting(struct db *db, struct arena *a, struct db_digest **list, size_t *n, struct err *err);

/*
 * The digest whose moment has come last before `at`: `minute` of each day in that time zone, weekly
 * on Mondays. Made once, with what had come up by then: *made. By that day it is named.
 */
int db_digest_make(struct db *db, const struct db_digest *digest, int64_t at, const char *zone, int minute,
		   bool *made, struct err *err);

/* The alerts of a digest that was made, oldest first. */
int db_digest_alerts(struct db *db, struct arena *a, int64_t outbox_id, struct uuid **ids, size_t *n,
		     struct err *err);

#endif
