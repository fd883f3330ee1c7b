/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_digest.h"

#include <stdio.h>
#include <string.h>

#include "../lib/must.h"
#include "../lib/tm.h"

static const char *period_word(bool weekly)
{
	return weekly ? "weekly" : "daily";
}

int db_digest_add(struct db *db, enum outbox_kind kind, const char *target, const struct uuid *alert_id,
		  const char *event, bool weekly, struct err *err)
{
	static const struct stmt add = {
		"digest_add", "INSERT INTO digest_item (kind, target, alert_id, event, period, created_at) "
			      "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING"
	};

	return db_query(db, &add,
			DB_ARGS(db_arg_text(db_outbox_kind_word(kind)), db_arg_text(target), db_arg_uuid(alert_id),
				db_arg_text(event), db_arg_text(period_word(weekly)), db_arg_time(tm_now_usec())),
			NULL, err);
}

int db_digest_waiting(struct db *db, struct arena *a, struct db_digest **list, size_t *n, struct err *err)
{
	static const struct stmt waiting = {
		"digest_waiting", "SELECT kind, target, period = 'weekly', min(created_at) FROM digest_item "
				  "WHERE outbox_id IS NULL GROUP BY kind, target, period"
	};
	struct db_rows *rows;

	if (db_query(db, &waiting, DB_NO_ARGS, &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct db_digest, *n);
	for (int i = 0; i < (int)*n; i++) {
		must(!db_outbox_kind_parse(db_text(rows, i, 0), &(*list)[i].kind));
		(*list)[i].target = arena_strdup(a, db_text(rows, i, 1));
		(*list)[i].weekly = db_bool(rows, i, 2);
		(*list)[i].oldest = db_time(rows, i, 3);
	}
	db_rows_free(rows);
	return 0;
}

/* The moment and the day it is named by, as the clock on the wall there shows them. */
static int last_moment(struct db *db, const struct db_digest *d, int64_t at, const char *zone, int minute,
		       int64_t *moment, char day[11], struct err *err)
{
	static const struct stmt last = {
		"digest_moment",
		"SELECT (wall + $4 * interval '1 minute') AT TIME ZONE $2::text, to_char(wall, 'YYYY-MM-DD') FROM "
		"(SELECT date_trunc($3, ($1::timestamptz AT TIME ZONE $2::text) - $4 * interval '1 minute') AS wall) AS w"
	};
	struct db_rows *rows;

	if (db_query(db, &last,
		     DB_ARGS(db_arg_time(at), db_arg_text(zone), db_arg_text(d->weekly ? "week" : "day"), db_arg_f64(minute)),
		     &rows, err))
		return -1;
	*moment = db_time(rows, 0, 0);
	snprintf(day, 11, "%s", db_text(rows, 0, 1));
	db_rows_free(rows);
	return 0;
}

int db_digest_make(struct db *db, const struct db_digest *d, int64_t at, const char *zone, int minute, bool *made,
		   struct err *err)
{
	/* two at once: the second waits at the key, then finds it taken and moves nothing */
	static const struct stmt make = {
		"digest_make",
		"WITH mine AS (SELECT alert_id, event FROM digest_item WHERE kind = $1 AND target = $2 AND period = $3 "
		"AND outbox_id IS NULL AND created_at < $4), "
		"row AS (INSERT INTO outbox (kind, target, event, idempotency_key, created_at, next_try) "
		"SELECT $1, $2, $5, $6, $7, now() WHERE EXISTS (SELECT 1 FROM mine) "
		"ON CONFLICT (idempotency_key) DO NOTHING RETURNING id), "
		"moved AS (UPDATE digest_item AS i SET outbox_id = row.id FROM row, mine WHERE i.kind = $1 AND i.target = $2 "
		"AND i.alert_id = mine.alert_id AND i.event = mine.event RETURNING 1) SELECT id FROM row"
	};
	char day[11], event[32], what[48], key[OUTBOX_KEY];
	struct db_rows *rows;
	int64_t moment;

	*made = false;
	if (last_moment(db, d, at, zone, minute, &moment, day, err))
		return -1;
	snprintf(event, sizeof(event), "%s-%s", period_word(d->weekly), day);
	snprintf(what, sizeof(what), "digest-%s", event);
	if (db_query(db, &make,
		     DB_ARGS(db_arg_text(db_outbox_kind_word(d->kind)), db_arg_text(d->target),
			     db_arg_text(period_word(d->weekly)), db_arg_time(moment), db_arg_text(event),
			     db_arg_text(db_outbox_key(key, what, d->kind, d->target)), db_arg_time(tm_now_usec())),
		     &rows, err))
		return -1;
	*made = db_rows_count(rows) == 1;
	db_rows_free(rows);
	return 0;
}

int db_digest_alerts(struct db *db, struct arena *a, int64_t outbox_id, struct uuid **ids, size_t *n,
		     struct err *err)
{
	static const struct stmt alerts = {
		"digest_alerts", "SELECT alert_id, min(created_at) FROM digest_item WHERE outbox_id = $1 "
				 "GROUP BY alert_id ORDER BY 2, 1"
	};
	struct db_rows *rows;

	if (db_query(db, &alerts, DB_ARGS(db_arg_i64(outbox_id)), &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*ids = arena_array(a, struct uuid, *n);
	for (int i = 0; i < (int)*n; i++)
		db_uuid(rows, i, 0, &(*ids)[i]);
	db_rows_free(rows);
	return 0;
}
