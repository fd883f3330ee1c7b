/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outbox as senders use it; what people see of it: db_outbox_list.c. */
#include "db_outbox.h"

#include <stdio.h>
#include <string.h>

#include "../lib/must.h"
#include "../lib/tm.h"

static const char *const words[OUTBOX_KINDS] = { "webhook", "mail", "slack", "mattermost", "matrix" };

const char *db_outbox_kind_word(enum outbox_kind kind)
{
	must(kind < OUTBOX_KINDS);
	return words[kind];
}

int db_outbox_kind_parse(const char *word, enum outbox_kind *kind)
{
	for (int i = 0; i < OUTBOX_KINDS; i++)
		if (!strcmp(words[i], word)) {
			*kind = (enum outbox_kind)i;
			return 0;
		}
	return -1;
}

/* A target is told apart by some of its digest: it may be long, and is nobody's business in a header. */
const char *db_outbox_key(char out[OUTBOX_KEY], const char *what, enum outbox_kind kind, const char *target)
{
	uint8_t digest[32];
	char hex[65] = "";
	int n;

	if (strcmp(target, OUTBOX_DEFAULT)) {
		sha256(target, strlen(target), digest);
		hex_format(digest, 6, hex);
	}
	n = snprintf(out, OUTBOX_KEY, "%s-%s%s%s", what, words[kind], *hex ? "-" : "", hex);
	must(n < OUTBOX_KEY);
	return out;
}

int db_outbox_add(struct db *db, enum outbox_kind kind, const char *target, const struct uuid *alert_id,
		  const char *event, struct err *err)
{
	static const struct stmt add = {
		"outbox_add", "INSERT INTO outbox (alert_id, kind, target, event, idempotency_key, created_at, next_try) "
			      "VALUES ($1, $2, $3, $4, $5, $6, now()) ON CONFLICT (idempotency_key) DO NOTHING"
	};
	char id[UUID_TEXT], what[100], key[OUTBOX_KEY];

	snprintf(what, sizeof(what), "%s-%s", uuid_format(alert_id, id), event);
	return db_query(db, &add,
			DB_ARGS(db_arg_uuid(alert_id), db_arg_text(words[kind]), db_arg_text(target),
				db_arg_text(event), db_arg_text(db_outbox_key(key, what, kind, target)),
				db_arg_time(tm_now_usec())),
			NULL, err);
}

/*
 * Not before what it tells has settled: runs of the alert's kernels wait for their check, or came in a moment
 * ago, and most likely there are more to come, of other machines. A text that is written down has been seen
 * already. Of a catch-up the newest runs are looked at.
 */
#define SETTLED											\
	"($4 = 0 OR subject IS NOT NULL OR alert_id IS NULL OR created_at <= now() - $5 * $4 * interval '1 second' "	\
	"OR NOT EXISTS (SELECT FROM alert a WHERE a.id = outbox.alert_id AND "			\
	"(EXISTS (SELECT FROM run r WHERE r.kernel_id IN (a.from_kernel_id, a.to_kernel_id) "		\
	"AND r.received_at > now() - $4 * interval '1 second') OR "					\
	"EXISTS (SELECT FROM (SELECT run_id FROM run_todo WHERE what = 'check' ORDER BY queued_at DESC, run_id LIMIT 1000) t "	\
	"JOIN run r ON r.run_id = t.run_id WHERE r.kernel_id IN (a.from_kernel_id, a.to_kernel_id))))) "

/*
 * One statement, so one transaction: the row is leased or it is not. While PostgreSQL was
 * away no lease could be renewed: so those who hold one get the time to say so first.
 */
int db_outbox_claim(struct db *db, struct arena *a, const struct outbox_able *able, int lease_s,
		    struct outbox_item **item, struct err *err)
{
	static const struct stmt claim = {
		"outbox_claim",
		"UPDATE outbox SET attempts = attempts + 1, busy_until = now() + $3 * interval '1 second' WHERE id = "
		"(SELECT id FROM outbox WHERE sent_at IS NULL AND dead_at IS NULL AND next_try <= now() "
		"AND (busy_until IS NULL OR busy_until <= now()) "
		"AND CASE kind WHEN 'mail' THEN $1 ELSE target = ANY($2::text[]) END "
		"AND (busy_until IS NULL OR pg_postmaster_start_time() < now() - $3 * interval '1 second') AND " SETTLED
		"ORDER BY next_try, id LIMIT 1 FOR UPDATE SKIP LOCKED) "
		"RETURNING id, kind, target, event, alert_id, idempotency_key, created_at, attempts, subject, body"
	};
	struct db_rows *rows;

	*item = NULL;
	if (db_query(db, &claim,
		     DB_ARGS(db_arg_bool(able->mail), db_arg_texts(able->targets, able->n), db_arg_f64(lease_s),
			     db_arg_f64(able->settle_s), db_arg_f64(OUTBOX_SETTLE_TIMES)),
		     &rows, err))
		return -1;
	if (db_rows_count(rows)) {
		struct outbox_item *it = arena_zalloc(a, sizeof(*it));

		it->id = db_i64(rows, 0, 0);
		must(!db_outbox_kind_parse(db_text(rows, 0, 1), &it->kind));
		it->target = arena_strdup(a, db_text(rows, 0, 2));
		it->event = arena_strdup(a, db_text(rows, 0, 3));
		it->has_alert = !db_is_null(rows, 0, 4);
		if (it->has_alert)
			db_uuid(rows, 0, 4, &it->alert_id);
		it->idempotency_key = arena_strdup(a, db_text(rows, 0, 5));
		it->created_at = db_time(rows, 0, 6);
		it->attempts = db_i64(rows, 0, 7);
		it->subject = arena_strdup(a, db_text(rows, 0, 8));
		it->body = arena_strdup(a, db_text(rows, 0, 9));
		*item = it;
	}
	db_rows_free(rows);
	return 0;
}

int db_outbox_hold(struct db *db, const int64_t *ids, size_t n, int lease_s, struct err *err)
{
	static const struct stmt hold = {
		"outbox_hold", "UPDATE outbox SET busy_until = now() + $2 * interval '1 second' "
			       "WHERE id = ANY($1::bigint[]) AND busy_until IS NOT NULL"
	};

	return n ? db_query(db, &hold, DB_ARGS(db_arg_i64s(ids, n), db_arg_f64(lease_s)), NULL, err) : 0;
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
	/* whatever others thought of it meanwhile: it is out */
	static const struct stmt sent = {
		"outbox_sent", "UPDATE outbox SET sent_at = now(), dead_at = NULL, busy_until = NULL, last_error = NULL "
			       "WHERE id = $1 AND sent_at IS NULL"
	};

	return db_query(db, &sent, DB_ARGS(db_arg_i64(item->id)), NULL, err);
}

int db_outbox_failed(struct db *db, const struct outbox_item *item, int64_t delay_ms, const char *why,
		     struct err *err)
{
	static const struct stmt failed = {
		"outbox_failed",
		"UPDATE outbox SET next_try = now() + greatest($3, 0) * interval '1 millisecond', busy_until = NULL, "
		"last_error = $4, dead_at = CASE WHEN $3 < 0 THEN now() END "
		"WHERE id = $1 AND attempts = $2 AND sent_at IS NULL AND dead_at IS NULL"
	};

	return db_query(db, &failed,
			DB_ARGS(db_arg_i64(item->id), db_arg_i64(item->attempts), db_arg_f64((double)delay_ms),
				db_arg_text(why)),
			NULL, err);
}

int db_outbox_put_off(struct db *db, const struct outbox_item *item, int64_t until, struct err *err)
{
	static const struct stmt put_off = {
		"outbox_put_off", "UPDATE outbox SET next_try = $3, busy_until = NULL, attempts = attempts - 1 "
				  "WHERE id = $1 AND attempts = $2 AND sent_at IS NULL AND dead_at IS NULL"
	};

	return db_query(db, &put_off,
			DB_ARGS(db_arg_i64(item->id), db_arg_i64(item->attempts), db_arg_time(until)), NULL, err);
}

int db_outbox_bury(struct db *db, const struct outbox_able *able, int overdue_s, int64_t *n, struct err *err)
{
	static const struct stmt bury = {
		"outbox_bury",
		"UPDATE outbox SET dead_at = now(), busy_until = NULL, last_error = CASE kind WHEN 'mail' THEN 'no watch has a mail server' "
		"ELSE 'no watch has this webhook in its configuration' END "
		"WHERE sent_at IS NULL AND dead_at IS NULL AND next_try < now() - $3 * interval '1 second' "
		"AND NOT CASE kind WHEN 'mail' THEN $1 ELSE target = ANY($2::text[]) END RETURNING id"
	};
	struct db_rows *rows;

	if (db_query(db, &bury,
		     DB_ARGS(db_arg_bool(able->mail), db_arg_texts(able->targets, able->n), db_arg_f64(overdue_s)), &rows,
		     err))
		return -1;
	*n = db_rows_count(rows);
	db_rows_free(rows);
	return 0;
}

int db_outbox_quiet(struct db *db, int64_t at, const char *zone, int from, int to, int64_t *until, struct err *err)
{
	/* minutes since midnight as the clock on the wall there shows them; the end is the next time it shows $4 */
	static const struct stmt quiet = {
		"outbox_quiet",
		"SELECT CASE WHEN CASE WHEN $3 <= $4 THEN m >= $3 AND m < $4 ELSE m >= $3 OR m < $4 END "
		"THEN (date_trunc('day', wall) + ($4 + CASE WHEN $4 <= m THEN 1440 ELSE 0 END) * interval '1 minute') "
		"AT TIME ZONE $2::text END FROM (SELECT wall, (extract(hour FROM wall) * 60 + extract(minute FROM wall))"
		"::float8 AS m FROM (SELECT $1::timestamptz AT TIME ZONE $2::text AS wall) AS w) AS v"
	};
	struct db_rows *rows;

	*until = TM_NONE;
	if (from == to)
		return 0;
	if (db_query(db, &quiet, DB_ARGS(db_arg_time(at), db_arg_text(zone), db_arg_f64(from), db_arg_f64(to)), &rows,
		     err))
		return -1;
	*until = db_time(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}
