/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outbox as people see it: lists, and "send again". */
#include "db_outbox.h"

#include <stdio.h>

#include "../lib/must.h"
#include "db_events.h"

#define AGAIN_MS 5000		/* until it is said that the database is away */

const char *const db_outbox_states[] = { "waiting", "sent", "dead", NULL };

#define STATE "CASE WHEN o.sent_at IS NOT NULL THEN 'sent' WHEN o.dead_at IS NOT NULL THEN 'dead' ELSE 'waiting' END"

/* Those of an alert, and the digests that tell of it. */
#define OF_ALERT(id) \
	"(SELECT id FROM outbox WHERE alert_id = " id " UNION ALL SELECT outbox_id FROM digest_item WHERE alert_id = " id ")"

int db_outbox_of_alert(struct db *db, struct arena *a, const struct uuid *alert_id, struct outbox_state **list,
		       size_t *n, struct err *err)
{
	static const struct stmt of = {
		"outbox_of_alert", "SELECT o.kind, o.attempts, o.last_error, o.next_try, o.sent_at, " STATE " FROM outbox AS o "
				   "WHERE o.id IN " OF_ALERT("$1") " "
				   "ORDER BY o.id"
	};
	struct db_rows *rows;

	if (db_query(db, &of, DB_ARGS(db_arg_uuid(alert_id)), &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct outbox_state, *n);
	for (int i = 0; i < (int)*n; i++) {
		struct outbox_state *s = &(*list)[i];

		must(!db_outbox_kind_parse(db_text(rows, i, 0), &s->kind));
		s->attempts = db_i64(rows, i, 1);
		s->last_error = arena_strdup(a, db_text(rows, i, 2));
		s->next_try = db_time(rows, i, 3);
		s->sent_at = db_time(rows, i, 4);
		s->state = arena_strdup(a, db_text(rows, i, 5));
	}
	db_rows_free(rows);
	return 0;
}

#define ROW_COLUMNS \
	"o.id, o.kind, o.target, o.event, o.alert_id, o.idempotency_key, o.created_at, o.attempts, o.subject, " STATE \
	", o.last_error, o.next_try, o.sent_at, o.dead_at, o.again_at, o.again_by FROM outbox AS o "

static void take_row(struct arena *a, const struct db_rows *rows, int i, struct outbox_row *row)
{
	row->item.id = db_i64(rows, i, 0);
	must(!db_outbox_kind_parse(db_text(rows, i, 1), &row->item.kind));
	row->item.target = arena_strdup(a, db_text(rows, i, 2));
	row->item.event = arena_strdup(a, db_text(rows, i, 3));
	row->item.has_alert = !db_is_null(rows, i, 4);
	if (row->item.has_alert)
		db_uuid(rows, i, 4, &row->item.alert_id);
	row->item.idempotency_key = arena_strdup(a, db_text(rows, i, 5));
	row->item.created_at = db_time(rows, i, 6);
	row->item.attempts = db_i64(rows, i, 7);
	row->item.subject = arena_strdup(a, db_text(rows, i, 8));
	row->state = arena_strdup(a, db_text(rows, i, 9));
	row->last_error = arena_strdup(a, db_text(rows, i, 10));
	row->next_try = db_time(rows, i, 11);
	row->sent_at = db_time(rows, i, 12);
	row->dead_at = db_time(rows, i, 13);
	row->again_at = db_time(rows, i, 14);
	row->again_by = arena_strdup(a, db_text(rows, i, 15));
}

int db_outbox_list(struct db *db, struct arena *a, const struct outbox_filter *f, int limit,
		   struct outbox_row **list, size_t *n, struct err *err)
{
	static const struct stmt page = {
		"outbox_list", "SELECT " ROW_COLUMNS "WHERE ($1::text[] IS NULL OR " STATE " = ANY($1)) "
			       "AND ($2::text[] IS NULL OR o.kind = ANY($2)) AND ($3::uuid IS NULL OR o.id IN " OF_ALERT("$3") ") "
			       "AND o.id < $4 ORDER BY o.id DESC LIMIT $5"
	};
	struct db_rows *rows;

	if (db_query(db, &page,
		     DB_ARGS(db_arg_texts(f->states, f->n_states), db_arg_texts(f->kinds, f->n_kinds),
			     db_arg_uuid(f->alert_id), db_arg_i64(f->before_id), db_arg_i64(limit)),
		     &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct outbox_row, *n);
	for (int i = 0; i < (int)*n; i++)
		take_row(a, rows, i, &(*list)[i]);
	db_rows_free(rows);
	return 0;
}

int db_outbox_get(struct db *db, struct arena *a, int64_t id, struct outbox_row **row, struct err *err)
{
	static const struct stmt one = { "outbox_get", "SELECT " ROW_COLUMNS "WHERE o.id = $1" };
	struct db_rows *rows;

	*row = NULL;
	if (db_query(db, &one, DB_ARGS(db_arg_i64(id)), &rows, err))
		return -1;
	if (db_rows_count(rows)) {
		*row = arena_zalloc(a, sizeof(**row));
		take_row(a, rows, 0, *row);
	}
	db_rows_free(rows);
	return 0;
}

int db_outbox_count(struct db *db, int64_t *waiting, int64_t *dead, struct err *err)
{
	static const struct stmt count = {
		"outbox_count", "SELECT (SELECT count(*) FROM outbox WHERE sent_at IS NULL AND dead_at IS NULL), "
				"(SELECT count(*) FROM outbox WHERE dead_at IS NOT NULL)"
	};
	struct db_rows *rows;

	if (db_query(db, &count, DB_NO_ARGS, &rows, err))
		return -1;
	*waiting = db_i64(rows, 0, 0);
	*dead = db_i64(rows, 0, 1);
	db_rows_free(rows);
	return 0;
}

struct again {
	int64_t id;
	const char *who;
	bool found;
};

static int again_tx(struct db *db, void *arg, struct err *err)
{
	/* one that is under way keeps its lease, and its attempt's number, by which it is known */
	static const struct stmt again = {
		"outbox_again", "UPDATE outbox SET attempts = CASE WHEN dead_at IS NULL THEN attempts ELSE 0 END, dead_at = NULL, "
				"next_try = now(), again_at = now(), again_by = $2 WHERE id = $1 AND sent_at IS NULL "
				"RETURNING id"
	};
	struct again *g = arg;
	struct db_rows *rows;
	char object[24];

	if (db_query(db, &again, DB_ARGS(db_arg_i64(g->id), db_arg_text(g->who)), &rows, err))
		return -1;
	g->found = db_rows_count(rows) == 1;
	db_rows_free(rows);
	snprintf(object, sizeof(object), "%lld", (long long)g->id);
	return g->found ? db_events_add(db, &(struct db_event){ .who = g->who, .kind = "delivery", .object = object,
								.action = "send-again" }, err) : 0;
}

int db_outbox_again(struct db *db, int64_t id, const char *who, bool *found, struct err *err)
{
	struct again g = { .id = id, .who = who };

	if (db_tx(db, again_tx, &g, AGAIN_MS, err))
		return -1;
	*found = g.found;
	return 0;
}
