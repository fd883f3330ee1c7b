/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_outbox.h"

#include <stdio.h>

#include "../lib/tm.h"

const char *db_outbox_kind_word(enum outbox_kind kind)
{
	return kind == OUTBOX_MAIL ? "mail" : "webhook";
}

int db_outbox_add(struct db *db, enum outbox_kind kind, const struct uuid *alert_id, const char *event,
		  struct err *err)
{
	static const struct stmt add = {
		"outbox_add", "INSERT INTO outbox (alert_id, kind, idempotency_key, created_at, next_try) "
			      "VALUES ($1, $2, $3, $4, $4) ON CONFLICT (idempotency_key) DO NOTHING"
	};
	char id[UUID_TEXT], key[128];

	snprintf(key, sizeof(key), "%s-%s-%s", uuid_format(alert_id, id), event, db_outbox_kind_word(kind));
	return db_query(db, &add,
			DB_ARGS(db_arg_uuid(alert_id), db_arg_text(db_outbox_kind_word(kind)), db_arg_text(key),
				db_arg_time(tm_now_usec())),
			NULL, err);
}

/* One statement, so one transaction: the row is leased or it is not. */
int db_outbox_claim(struct db *db, struct arena *a, enum outbox_kind kind, int lease_s, struct outbox_item **item,
		    struct err *err)
{
	static const struct stmt claim = {
		"outbox_claim",
		"UPDATE outbox SET attempts = attempts + 1, next_try = now() + $2 * interval '1 second' WHERE id = "
		"(SELECT id FROM outbox WHERE kind = $1 AND sent_at IS NULL AND next_try <= now() "
		"ORDER BY next_try, id LIMIT 1 FOR UPDATE SKIP LOCKED) "
		"RETURNING id, alert_id, idempotency_key, created_at, attempts, subject, body"
	};
	struct db_rows *rows;

	*item = NULL;
	if (db_query(db, &claim, DB_ARGS(db_arg_text(db_outbox_kind_word(kind)), db_arg_f64(lease_s)), &rows, err))
		return -1;
	if (db_rows_count(rows)) {
		*item = arena_zalloc(a, sizeof(**item));
		(*item)->id = db_i64(rows, 0, 0);
		(*item)->kind = kind;
		db_uuid(rows, 0, 1, &(*item)->alert_id);
		(*item)->idempotency_key = arena_strdup(a, db_text(rows, 0, 2));
		(*item)->created_at = db_time(rows, 0, 3);
		(*item)->attempts = db_i64(rows, 0, 4);
		(*item)->subject = arena_strdup(a, db_text(rows, 0, 5));
		(*item)->body = arena_strdup(a, db_text(rows, 0, 6));
	}
	db_rows_free(rows);
	return 0;
}

int db_outbox_write_down(struct db *db, struct arena *a, struct outbox_item *item, const char *subject,
			 const char *body, struct err *err)
{
	static const struct stmt keep = {
		"outbox_write_down", "UPDATE outbox SET subject = coalesce(subject, $2), body = coalesce(body, $3) "
				     "WHERE id = $1 RETURNING subject, body"
	};
	struct db_rows *rows;
	int ret = 0;

	if (db_query(db, &keep, DB_ARGS(db_arg_i64(item->id), db_arg_text(subject), db_arg_text(body)), &rows, err))
		return -1;
	if (db_rows_count(rows)) {
		item->subject = arena_strdup(a, db_text(rows, 0, 0));
		item->body = arena_strdup(a, db_text(rows, 0, 1));
	} else {
		ret = err_set(err, ERR_BUG, "outbox row %lld is gone", (long long)item->id);
	}
	db_rows_free(rows);
	return ret;
}

int db_outbox_sent(struct db *db, const struct outbox_item *item, struct err *err)
{
	static const struct stmt sent = {
		"outbox_sent", "UPDATE outbox SET sent_at = now(), last_error = NULL WHERE id = $1 AND sent_at IS NULL"
	};

	return db_query(db, &sent, DB_ARGS(db_arg_i64(item->id)), NULL, err);
}

int db_outbox_failed(struct db *db, const struct outbox_item *item, int64_t delay_ms, const char *why,
		     struct err *err)
{
	static const struct stmt failed = {
		"outbox_failed", "UPDATE outbox SET next_try = now() + $3 * interval '1 millisecond', last_error = $4 "
				 "WHERE id = $1 AND attempts = $2 AND sent_at IS NULL"
	};

	return db_query(db, &failed,
			DB_ARGS(db_arg_i64(item->id), db_arg_i64(item->attempts), db_arg_f64((double)delay_ms),
				db_arg_text(why)),
			NULL, err);
}

int db_outbox_of_alert(struct db *db, struct arena *a, const struct uuid *alert_id, struct outbox_state **list,
		       size_t *n, struct err *err)
{
	static const struct stmt of = {
		"outbox_of_alert", "SELECT kind = 'mail', attempts, last_error, next_try, sent_at FROM outbox "
				   "WHERE alert_id = $1 ORDER BY id"
	};
	struct db_rows *rows;

	if (db_query(db, &of, DB_ARGS(db_arg_uuid(alert_id)), &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct outbox_state, *n);
	for (int i = 0; i < (int)*n; i++)
		(*list)[i] = (struct outbox_state){
			.kind = db_bool(rows, i, 0) ? OUTBOX_MAIL : OUTBOX_WEBHOOK,
			.attempts = db_i64(rows, i, 1),
			.last_error = arena_strdup(a, db_text(rows, i, 2)),
			.next_try = db_time(rows, i, 3),
			.sent_at = db_time(rows, i, 4),
		};
	db_rows_free(rows);
	return 0;
}
