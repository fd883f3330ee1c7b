/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch_keep.h"

#include <string.h>

#include "../lib/log.h"
#include "../lib/tm.h"
#include "db_digest.h"

#define OVERDUE_S (3 * 86400)	/* then nobody who could deliver it is there any more */
#define FORGOTTEN_USEC (8 * INT64_C(86400000000))	/* a digest of a target that no watch here knows */

/* The database knows the time zones. One it does not know is said now, and each time. */
static void say_zone(const struct deliver_target *t, const struct err *err)
{
	char why[900];

	log_event(LOG_WARN, "a time zone is not known: UTC is taken", "zone=%s error=%s", t->zone,
		  log_quote(why, sizeof(why), err->message));
}

int watch_keep_quiet(const struct deliver_target *t, struct db *db, int64_t now, int64_t *until, struct err *err)
{
	*until = TM_NONE;
	if (!t || t->quiet_from == t->quiet_to)
		return 0;
	if (!db_outbox_quiet(db, now, t->zone, t->quiet_from, t->quiet_to, until, err))
		return 0;
	if (err->kind == ERR_UNAVAILABLE)
		return -1;
	say_zone(t, err);
	return db_outbox_quiet(db, now, "UTC", t->quiet_from, t->quiet_to, until, err);
}

static int make_digest(const struct deliver_map *map, struct db *db, const struct db_digest *d, int64_t now,
		       struct err *err)
{
	const struct deliver_target *t = deliver_map_target(map, d->kind, d->target);
	bool made;

	if (!t && d->oldest > now - FORGOTTEN_USEC)	/* another watch may know when */
		return 0;
	t = t ? t : &map->standard;
	if (db_digest_make(db, d, now, t->zone, t->digest_minute, &made, err)) {
		if (err->kind == ERR_UNAVAILABLE)
			return -1;
		say_zone(t, err);
		if (db_digest_make(db, d, now, "UTC", t->digest_minute, &made, err))
			return -1;
	}
	if (made)
		log_event(LOG_INFO, "a digest is to be sent", "kind=%s period=%s", db_outbox_kind_word(d->kind),
			  d->weekly ? "weekly" : "daily");
	return 0;
}

int watch_keep(const struct deliver_map *map, struct db *db, struct arena *a, int64_t now, struct err *err)
{
	struct db_digest *list;
	int64_t buried;
	size_t n;

	if (db_digest_waiting(db, a, &list, &n, err))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (make_digest(map, db, &list[i], now, err))
			return -1;
	if (db_outbox_bury(db, &map->able, OVERDUE_S, &buried, err))
		return -1;
	if (buried)
		log_event(LOG_WARN, "deliveries for which nothing is configured are given up", "deliveries=%lld",
			  (long long)buried);
	return 0;
}
