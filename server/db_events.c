/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_events.h"

#include <string.h>

#include "../lib/must.h"
#include "../lib/tm.h"
#include "db_own.h"

const char *const db_events_kinds[] = { "alert", "run", "machine", "benchmark", "rule", "mute", "expectation",
					"delivery", "kernel", "page", NULL };
const char *const db_events_admin_kinds[] = { "token", "session", NULL };

#define COLUMNS "id, at, who, kind, object, action, from_state, to_state, details, via, address, request_id"

void db_events_from(struct db *db, const struct db_events_origin *origin)
{
	db->origin = origin;
}

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
			.via = arena_strdup(a, db_text(rows, i, 9)),
			.address = arena_strdup(a, db_text(rows, i, 10)),
			.request_id = arena_strdup(a, db_text(rows, i, 11)),
		};
	db_rows_free(rows);
}

static bool is_access(const struct db_event *event)
{
	for (const char *const *kind = db_events_admin_kinds; *kind; kind++)
		if (!strcmp(*kind, event->kind))
			return true;
	return false;
}

static int add(struct db *db, struct db_event *e, const struct db_events_origin *from, struct db_rows **rows, struct err *err)
{
	static const struct stmt decision = {
		"events_add",
		"INSERT INTO event (at, who, kind, object, action, from_state, to_state, details, event_key, via, address, request_id)"
		" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id"
	};
	static const struct stmt access = {
		"events_add_access", "INSERT INTO access_event (at, who, kind, object, action, details, via, address, request_id)"
				     " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id"
	};
	struct db_arg at = db_arg_time(e->at), details = db_arg_json(e->details ? e->details : "{}");

	if (is_access(e))
		return db_query(db, &access,
				DB_ARGS(at, db_arg_text(e->who), db_arg_text(e->kind), db_arg_text(e->object), db_arg_text(e->action),
					details, db_arg_text(from->via), db_arg_text(from->address), db_arg_text(from->request_id)),
				rows, err);
	return db_query(db, &decision,
			DB_ARGS(at, db_arg_text(e->who), db_arg_text(e->kind), db_arg_text(e->object), db_arg_text(e->action),
				db_arg_text(e->from_state), db_arg_text(e->to_state), details, db_arg_uuid(e->has_key ? &e->key : NULL),
				db_arg_text(from->via), db_arg_text(from->address), db_arg_text(from->request_id)),
			rows, err);
}

int db_events_add(struct db *db, struct db_event *event, struct err *err)
{
	const struct db_events_origin *from = db->origin ? db->origin : &(struct db_events_origin){ .via = NULL };
	struct db_rows *rows;

	event->at = tm_now_usec();
	if (add(db, event, from, &rows, err))
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

#define ACCESS "SELECT id, at, who, kind, object, action, NULL::text, NULL::text, details, via, address, request_id FROM access_event"

/* The decisions, or with them what is of access. */
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
	static const struct stmt all = {	/* of each as many as are wanted in all: both by their index */
		"events_all", "(SELECT " COLUMNS " FROM event WHERE " MATCH " AND ($4::bigint IS NULL OR id < $4) ORDER BY id DESC LIMIT $5)"
			      " UNION ALL (" ACCESS " WHERE " MATCH " AND ($4::bigint IS NULL OR id < $4) ORDER BY id DESC LIMIT $5)"
			      " ORDER BY id DESC, at DESC LIMIT $5"
	};
	struct db_rows *rows;

	if (db_query(db, f->access ? &all : f->oldest_first ? &oldest : &newest,
		     DB_ARGS(db_arg_text(f->kind), db_arg_text(f->object), db_arg_text(f->who),
			     f->before_id ? db_arg_i64(f->before_id) : db_arg_null(), db_arg_i64(limit)),
		     &rows, err))
		return -1;
	take(a, rows, list, n);
	return 0;
}
