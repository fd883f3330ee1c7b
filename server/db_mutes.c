/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_mutes.h"

#include "../lib/must.h"
#include "../lib/tm.h"

#define COLUMNS											\
	"m.id, m.selector, m.alert_id, m.reason, m.author, m.created_at, m.until, m.ended_at,"		\
	" (SELECT count(*) FROM alert al WHERE al.mute_id = m.id AND al.state = 'muted')"
#define ACTIVE "m.ended_at IS NULL AND (m.until IS NULL OR m.until > $1)"

static void take(struct arena *a, struct db_rows *rows, struct db_mute **list, size_t *n)
{
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct db_mute, *n + 1);
	for (int i = 0; i < (int)*n; i++) {
		struct db_mute *m = &(*list)[i];

		m->id = db_i64(rows, i, 0);
		m->selector = arena_strdup(a, db_text(rows, i, 1));
		m->of_alert = !db_is_null(rows, i, 2);
		if (m->of_alert)
			db_uuid(rows, i, 2, &m->alert_id);
		m->reason = arena_strdup(a, db_text(rows, i, 3));
		m->author = arena_strdup(a, db_text(rows, i, 4));
		m->created_at = db_time(rows, i, 5);
		m->until = db_time(rows, i, 6);
		m->ended_at = db_time(rows, i, 7);
		m->n_alerts = db_i64(rows, i, 8);
	}
	db_rows_free(rows);
}

int db_mutes_list(struct db *db, struct arena *a, bool only_active, struct db_mute **list, size_t *n, struct err *err)
{
	static const struct stmt all = {
		"mutes_list", "SELECT " COLUMNS " FROM mute m WHERE NOT $2 OR (" ACTIVE ") ORDER BY m.id DESC"
	};
	struct db_rows *rows;

	if (db_query(db, &all, DB_ARGS(db_arg_time(tm_now_usec()), db_arg_bool(only_active)), &rows, err))
		return -1;
	take(a, rows, list, n);
	return 0;
}

int db_mutes_get(struct db *db, struct arena *a, int64_t id, struct db_mute **mute, struct err *err)
{
	static const struct stmt one = { "mutes_get", "SELECT " COLUMNS " FROM mute m WHERE m.id = $1" };
	struct db_rows *rows;
	size_t n;

	if (db_query(db, &one, DB_ARGS(db_arg_i64(id)), &rows, err))
		return -1;
	take(a, rows, mute, &n);
	if (!n)
		*mute = NULL;
	return 0;
}

int db_mutes_add(struct db *db, struct db_mute *m, struct err *err)
{
	static const struct stmt add = {
		"mutes_add", "INSERT INTO mute (selector, alert_id, reason, author, created_at, until)"
			     " VALUES ($1, $2, $3, $4, $5, $6) RETURNING id"
	};
	struct db_rows *rows;

	m->created_at = tm_now_usec();
	m->ended_at = TM_NONE;
	if (db_query(db, &add,
		     DB_ARGS(db_arg_json(m->selector), db_arg_uuid(m->of_alert ? &m->alert_id : NULL), db_arg_text(m->reason),
			     db_arg_text(m->author), db_arg_time(m->created_at), db_arg_time(m->until)),
		     &rows, err))
		return -1;
	must(db_rows_count(rows) == 1);
	m->id = db_i64(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}

int db_mutes_end(struct db *db, int64_t id, struct err *err)
{
	static const struct stmt end = { "mutes_end", "UPDATE mute SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL" };

	return db_query(db, &end, DB_ARGS(db_arg_i64(id), db_arg_time(tm_now_usec())), NULL, err);
}

static void take_ids(struct arena *a, struct db_rows *rows, struct uuid **ids, size_t *n)
{
	*n = (size_t)db_rows_count(rows);
	*ids = arena_array(a, struct uuid, *n + 1);
	for (size_t i = 0; i < *n; i++)
		db_uuid(rows, (int)i, 0, &(*ids)[i]);
	db_rows_free(rows);
}

int db_mutes_alerts_over(struct db *db, struct arena *a, struct uuid **ids, size_t *n, struct err *err)
{
	static const struct stmt over = {
		"mutes_alerts_over", "SELECT al.id FROM alert al JOIN mute m ON m.id = al.mute_id"
				     " WHERE al.state = 'muted' AND NOT (" ACTIVE ") ORDER BY al.id"
	};
	struct db_rows *rows;

	if (db_query(db, &over, DB_ARGS(db_arg_time(tm_now_usec())), &rows, err))
		return -1;
	take_ids(a, rows, ids, n);
	return 0;
}

int db_mutes_alerts_of(struct db *db, struct arena *a, int64_t mute_id, struct uuid **ids, size_t *n, struct err *err)
{
	static const struct stmt of = {
		"mutes_alerts_of", "SELECT al.id FROM alert al WHERE al.state = 'muted' AND al.mute_id = $1 ORDER BY al.id"
	};
	struct db_rows *rows;

	if (db_query(db, &of, DB_ARGS(db_arg_i64(mute_id)), &rows, err))
		return -1;
	take_ids(a, rows, ids, n);
	return 0;
}

int db_mutes_alerts_within(struct db *db, struct arena *a, const int64_t *series_ids, size_t n_series,
			   struct uuid **ids, size_t *n, struct err *err)
{
	static const struct stmt within = {
		"mutes_alerts_within",
		"SELECT al.id FROM alert al WHERE al.state IN ('suspect', 'new', 'acknowledged', 'reported', 'fix-posted')"
		" AND al.merged_into IS NULL AND al.id IN (SELECT alert_id FROM alert_member WHERE series_id = ANY($1))"
		" AND al.id NOT IN (SELECT alert_id FROM alert_member WHERE series_id <> ALL($1)) ORDER BY al.id"
	};
	struct db_rows *rows;

	if (db_query(db, &within, DB_ARGS(db_arg_i64s(series_ids, n_series)), &rows, err))
		return -1;
	take_ids(a, rows, ids, n);
	return 0;
}
