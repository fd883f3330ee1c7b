/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_triage.h"

#include "../lib/must.h"
#include "../lib/tm.h"
#include "db_united.h"

static struct db_arg id_or_null(int64_t id)
{
	return id ? db_arg_i64(id) : db_arg_null();
}

int db_triage_write(struct db *db, const struct db_alert *al, struct err *err)
{
	static const struct stmt write = {
		"triage_write",
		"UPDATE alert SET state = $2, assignee = $3, due_at = $4, report_url = $5, fix_url = $6, fix_commit = $7,"
		" fixed_in_kernel_id = $8, restored_percent = $9, merged_into = $10, from_kernel_id = $11, to_kernel_id = $12,"
		" changed_at = $13, mute_id = $14 WHERE id = $1"
	};

	return db_query(db, &write,
			DB_ARGS(db_arg_uuid(&al->id), db_arg_text(al->state), db_arg_text(al->assignee), db_arg_time(al->due_at),
				db_arg_text(al->report_url), db_arg_text(al->fix_url), db_arg_text(al->fix_commit),
				id_or_null(al->fixed_in_kernel_id),
				al->restored_percent == al->restored_percent ? db_arg_f64(al->restored_percent) : db_arg_null(),
				db_arg_uuid(al->merged ? &al->merged_into : NULL), db_arg_i64(al->from_kernel_id),
				db_arg_i64(al->to_kernel_id), db_arg_time(tm_now_usec()), id_or_null(al->mute_id)),
			NULL, err);
}

int db_triage_taken(struct db *db, const struct db_alert *al, struct uuid *id, bool *taken, struct err *err)
{
	static const struct stmt by_range = {
		"triage_taken",
		"SELECT id FROM alert WHERE track = $1 AND from_kernel_id = $2 AND to_kernel_id = $3 AND benchmark_id = ANY($4)"
		" AND direction = $5 AND part = $6 AND id <> $7 ORDER BY merged_into IS NOT NULL, benchmark_id <> $8, id LIMIT 1"
	};
	struct arena *a = arena_new();
	size_t n = 1;
	const int64_t *ids = db_united_all(db, UNITED_BENCHMARK, a, &al->benchmark_id, &n);
	struct db_rows *rows;
	int ret = db_query(db, &by_range,
			   DB_ARGS(db_arg_text(al->track), db_arg_i64(al->from_kernel_id), db_arg_i64(al->to_kernel_id),
				   db_arg_i64s(ids, n), db_arg_text(db_alerts_direction(al->regression)),
				   db_arg_i16(al->part), db_arg_uuid(&al->id), db_arg_i64(al->benchmark_id)),
			   &rows, err);

	arena_free(a);
	if (ret)
		return -1;
	*taken = db_rows_count(rows) > 0;
	if (*taken)
		db_uuid(rows, 0, 0, id);
	db_rows_free(rows);
	return 0;
}

int db_triage_insert(struct db *db, struct db_alert *al, struct err *err)
{
	static const struct stmt insert = {
		"triage_insert",
		"INSERT INTO alert (id, track, from_kernel_id, to_kernel_id, benchmark_id, direction, rule_id, created_at, state,"
		" origin, part, untold) SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, (SELECT CASE WHEN $10 = 'manual' THEN 0"
		" ELSE coalesce(max(part), 0) + 1 END FROM alert WHERE track = $2 AND from_kernel_id = $3 AND to_kernel_id = $4"
		" AND benchmark_id = $5 AND direction = $6), $10 = 'manual' ON CONFLICT (id) DO NOTHING RETURNING part"
	};
	struct db_rows *rows;

	al->created_at = tm_now_usec();
	if (db_query(db, &insert,
		     DB_ARGS(db_arg_uuid(&al->id), db_arg_text(al->track), db_arg_i64(al->from_kernel_id),
			     db_arg_i64(al->to_kernel_id), db_arg_i64(al->benchmark_id),
			     db_arg_text(db_alerts_direction(al->regression)), id_or_null(al->rule_id),
			     db_arg_time(al->created_at), db_arg_text(al->state), db_arg_text(al->origin)),
		     &rows, err))
		return -1;
	if (db_rows_count(rows))
		al->part = (int)db_i64(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}

int db_triage_range_add(struct db *db, const struct db_alert *al, const char *why, struct err *err)
{
	static const struct stmt add = {
		"triage_range_add", "INSERT INTO alert_range (alert_id, from_kernel_id, to_kernel_id, why) VALUES ($1, $2, $3, $4)"
				    " ON CONFLICT (alert_id, from_kernel_id, to_kernel_id) DO UPDATE SET why = EXCLUDED.why"
	};

	return db_query(db, &add,
			DB_ARGS(db_arg_uuid(&al->id), db_arg_i64(al->from_kernel_id), db_arg_i64(al->to_kernel_id),
				db_arg_text(why)),
			NULL, err);
}

int db_triage_ranges(struct db *db, struct arena *a, const char *track, int64_t benchmark_id, bool regression,
		     struct db_triage_range **list, size_t *n, struct err *err)
{
	static const struct stmt of = {
		"triage_ranges",
		"SELECT r.alert_id, r.from_kernel_id, r.to_kernel_id, r.why = 'reopened' FROM alert_range r"
		" JOIN alert al ON al.id = r.alert_id WHERE al.track = $1 AND al.benchmark_id = ANY($2) AND al.direction = $3"
		" ORDER BY r.alert_id, r.from_kernel_id, r.to_kernel_id"
	};
	struct db_rows *rows;
	size_t n_ids = 1;
	const int64_t *ids = db_united_all(db, UNITED_BENCHMARK, a, &benchmark_id, &n_ids);

	if (db_query(db, &of,
		     DB_ARGS(db_arg_text(track), db_arg_i64s(ids, n_ids), db_arg_text(db_alerts_direction(regression))),
		     &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct db_triage_range, *n + 1);
	for (int i = 0; i < (int)*n; i++) {
		(*list)[i] = (struct db_triage_range){ .from_kernel_id = db_i64(rows, i, 1), .to_kernel_id = db_i64(rows, i, 2),
						       .reopened = db_bool(rows, i, 3) };
		db_uuid(rows, i, 0, &(*list)[i].alert_id);
	}
	db_rows_free(rows);
	return 0;
}

static int count_of(struct db *db, const struct stmt *st, const struct db_arg *args, size_t n_args, int64_t *n,
		    struct err *err)
{
	struct db_rows *rows;

	if (db_query(db, st, args, n_args, &rows, err))
		return -1;
	*n = db_rows_count(rows);
	db_rows_free(rows);
	return 0;
}

/* What the other has already would be there twice. */
static int drop_common(struct db *db, const struct uuid *from, const struct uuid *to, struct err *err)
{
	static const struct stmt drop = {
		"triage_drop_common",
		"DELETE FROM alert_member m WHERE m.alert_id = $1 AND m.series_id IN"
		" (SELECT o.series_id FROM alert_member o WHERE o.alert_id = $2)"
	};

	return db_query(db, &drop, DB_ARGS(db_arg_uuid(from), db_arg_uuid(to)), NULL, err);
}

int db_triage_move(struct db *db, const struct uuid *from, const struct uuid *to, const int64_t *series_ids,
		   size_t n_series, int64_t *n, struct err *err)
{
	static const struct stmt move = {
		"triage_move",
		"UPDATE alert_member SET alert_id = $2, moved_from = coalesce(moved_from, alert_id) WHERE alert_id = $1"
		" AND ($3::bigint[] IS NULL OR series_id = ANY($3)) RETURNING series_id"
	};

	if (!series_ids && drop_common(db, from, to, err))
		return -1;
	return count_of(db, &move, DB_ARGS(db_arg_uuid(from), db_arg_uuid(to), db_arg_i64s(series_ids, n_series)), n, err);
}

int db_triage_move_back(struct db *db, const struct uuid *from, const struct uuid *home, int64_t *n, struct err *err)
{
	static const struct stmt back = {
		"triage_move_back",
		"UPDATE alert_member SET alert_id = $2, moved_from = NULL WHERE alert_id = $1 AND moved_from = $2"
		" RETURNING series_id"
	};

	return count_of(db, &back, DB_ARGS(db_arg_uuid(from), db_arg_uuid(home)), n, err);
}

static void take_ids(struct arena *a, struct db_rows *rows, struct uuid **ids, size_t *n)
{
	*n = (size_t)db_rows_count(rows);
	*ids = arena_array(a, struct uuid, *n + 1);
	for (size_t i = 0; i < *n; i++)
		db_uuid(rows, (int)i, 0, &(*ids)[i]);
	db_rows_free(rows);
}

int db_triage_awaiting_fix(struct db *db, struct arena *a, const char *track, const int64_t *series_ids, size_t n_series,
			   struct uuid **ids, size_t *n, struct err *err)
{
	static const struct stmt waiting = {
		"triage_awaiting_fix",
		"SELECT id FROM alert WHERE state = 'fix-posted' AND track = $1 AND id IN"
		" (SELECT alert_id FROM alert_member WHERE series_id = ANY($2)) ORDER BY id"
	};
	struct db_rows *rows;

	if (db_query(db, &waiting, DB_ARGS(db_arg_text(track), db_arg_i64s(series_ids, n_series)), &rows, err))
		return -1;
	take_ids(a, rows, ids, n);
	return 0;
}

int db_triage_untold(struct db *db, struct arena *a, struct uuid **ids, size_t *n, struct err *err)
{
	static const struct stmt untold = { "triage_untold", "SELECT id FROM alert WHERE untold ORDER BY id" };
	struct db_rows *rows;

	if (db_query(db, &untold, DB_NO_ARGS, &rows, err))
		return -1;
	take_ids(a, rows, ids, n);
	return 0;
}

int db_triage_told(struct db *db, const struct uuid *id, struct err *err)
{
	static const struct stmt told = { "triage_told", "UPDATE alert SET untold = false WHERE id = $1" };

	return db_query(db, &told, DB_ARGS(db_arg_uuid(id)), NULL, err);
}

int db_triage_wake(struct db *db, struct err *err)
{
	static const struct stmt wake = { "triage_wake", "SELECT pg_notify('" DB_ALERTS_CHANNEL "', '')" };

	return db_query(db, &wake, DB_NO_ARGS, NULL, err);
}
