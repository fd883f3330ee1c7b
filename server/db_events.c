/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_events.h"

#include "../lib/must.h"
#include "../lib/tm.h"

const char *const db_events_kinds[] = { "alert", "run", "machine", "benchmark", "rule", "mute", "expectation",
					"delivery", NULL };

#define COLUMNS "id, at, who, kind, object, action, from_state, to_state, details"

static void take(struct arena *a, struct db_rows *rows, struct db_event **list, size_t *n)
{
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct db_event, *n + 1);
	for (int i = 0; i < (int)*n; i++)
		(*list)[i] = (struct db_event){
			.id = db_i64(rows, i, 0),
			.at = db_time(rows, i, 1),
			.who = arena_strdup(a, db_text(rows, i, 2)),
			.kind = arena_strdup(a, db_text(rows, i, 3)),
			.object = arena_strdup(a, db_text(rows, i, 4)),
			.action = arena_strdup(a, db_text(rows, i, 5)),
			.from_state = arena_strdup(a, db_text(rows, i, 6)),
			.to_state = arena_strdup(a, db_text(rows, i, 7)),
			.details = arena_strdup(a, db_text(rows, i, 8)),
		};
	db_rows_free(rows);
}

int db_events_add(struct db *db, struct db_event *event, struct err *err)
{
	static const struct stmt add = {
		"events_add",
		"INSERT INTO event (at, who, kind, object, action, from_state, to_state, details, event_key)"
		" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id"
	};
	struct db_rows *rows;

	event->at = tm_now_usec();
	if (db_query(db, &add,
		     DB_ARGS(db_arg_time(event->at), db_arg_text(event->who), db_arg_text(event->kind),
			     db_arg_text(event->object), db_arg_text(event->action), db_arg_text(event->from_state),
			     db_arg_text(event->to_state), db_arg_json(event->details ? event->details : "{}"),
			     db_arg_uuid(event->has_key ? &event->key : NULL)),
		     &rows, err))
		return -1;
	must(db_rows_count(rows) == 1);
	event->id = db_i64(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}

int db_events_of_key(struct db *db, struct arena *a, const struct uuid *key, struct db_event **event, struct err *err)
{
	static const struct stmt of = { "events_of_key", "SELECT " COLUMNS " FROM event WHERE event_key = $1" };
	struct db_rows *rows;
	size_t n;

	if (db_query(db, &of, DB_ARGS(db_arg_uuid(key)), &rows, err))
		return -1;
	take(a, rows, event, &n);
	if (!n)
		*event = NULL;
	return 0;
}

int db_events_count(struct db *db, const struct db_event *event, int64_t *n, struct err *err)
{
	static const struct stmt count = {
		"events_count", "SELECT count(*) FROM event WHERE kind = $1 AND object = $2 AND action = $3"
	};
	struct db_rows *rows;

	if (db_query(db, &count,
		     DB_ARGS(db_arg_text(event->kind), db_arg_text(event->object), db_arg_text(event->action)), &rows, err))
		return -1;
	*n = db_i64(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}

#define MATCH "($1::text IS NULL OR kind = $1) AND ($2::text IS NULL OR object = $2) AND ($3::text IS NULL OR who = $3)"

int db_events_list(struct db *db, struct arena *a, const struct db_event_filter *f, int limit, struct db_event **list,
		   size_t *n, struct err *err)
{
	static const struct stmt newest = {
		"events_newest", "SELECT " COLUMNS " FROM event WHERE " MATCH
				 " AND ($4::bigint IS NULL OR id < $4) ORDER BY id DESC LIMIT $5"
	};
	static const struct stmt oldest = {
		"events_oldest", "SELECT " COLUMNS " FROM event WHERE " MATCH
				 " AND ($4::bigint IS NULL OR id > $4) ORDER BY id LIMIT $5"
	};
	struct db_rows *rows;

	if (db_query(db, f->oldest_first ? &oldest : &newest,
		     DB_ARGS(db_arg_text(f->kind), db_arg_text(f->object), db_arg_text(f->who),
			     f->before_id ? db_arg_i64(f->before_id) : db_arg_null(), db_arg_i64(limit)),
		     &rows, err))
		return -1;
	take(a, rows, list, n);
	return 0;
}
