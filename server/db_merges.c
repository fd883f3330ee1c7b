/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_merges.h"

#include "../lib/must.h"
#include "../lib/tm.h"
#include "db_seen_sql.h"

#define THIS_TX "pg_current_xact_id()::text::bigint"

int db_merges_set(struct db *db, enum names_of of, int64_t id, int64_t into_id, struct err *err)
{
	static const struct stmt set[] = {
		[NAMES_MACHINE] = { "merges_set_machine", "UPDATE machine SET merged_into = $2, changed_in = " THIS_TX " WHERE id = $1" },
		[NAMES_BENCHMARK] = { "merges_set_benchmark",
				      "UPDATE benchmark SET merged_into = $2, changed_in = " THIS_TX " WHERE id = $1" },
	};

	return db_query(db, &set[of], DB_ARGS(db_arg_i64(id), into_id ? db_arg_i64(into_id) : db_arg_null()), NULL, err);
}

static const char *const kinds[] = { [NAMES_MACHINE] = "machine", [NAMES_BENCHMARK] = "benchmark" };

int db_merges_save(struct db *db, enum names_of of, int64_t from_id, int64_t into_id, const struct db_merges_map *m, int64_t *id,
		   struct err *err)
{
	static const struct stmt save = {
		"merges_save",
		"INSERT INTO merged (kind, from_id, into_id, made_at, saved) SELECT $1, $2, $3, $4, jsonb_build_object("
		"'changes', (SELECT coalesce(jsonb_agg(to_jsonb(c)), '[]') FROM change c WHERE c.series_id = ANY($5)),"
		" 'members', (SELECT coalesce(jsonb_agg(to_jsonb(m)), '[]') FROM alert_member m WHERE m.series_id = ANY($5)),"
		" 'alerts', '[]'::jsonb) RETURNING id"
	};
	struct db_rows *rows;

	if (db_query(db, &save,
		     DB_ARGS(db_arg_text(kinds[of]), db_arg_i64(from_id), db_arg_i64(into_id), db_arg_time(tm_now_usec()),
			     db_arg_i64s(m->ids, m->n)),
		     &rows, err))
		return -1;
	*id = db_i64(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}

#define CHANGE "from_kernel_id, to_kernel_id, from_center, to_center, percent, verdict, confidence, q, from_boots, to_boots"
#define MEMBER "alert_id, from_kernel_id, to_kernel_id, direction, moved_from"

/* What is `before`'s becomes `after`'s, too; what that has stays. */
static int copy(struct db *db, const struct db_merges_map *m, struct err *err)
{
	static const struct stmt changes = {
		"merges_copy_changes",
		"INSERT INTO change (series_id, " CHANGE ") SELECT p.after, c.from_kernel_id, c.to_kernel_id, c.from_center, c.to_center,"
		" c.percent, c.verdict, c.confidence, c.q, c.from_boots, c.to_boots FROM (SELECT DISTINCT before, after FROM"
		" unnest($1::bigint[], $2::bigint[]) u (before, after) WHERE before <> after) p JOIN change c ON c.series_id = p.before"
		" ORDER BY 1, c.series_id ON CONFLICT (series_id, from_kernel_id, to_kernel_id) DO NOTHING"
	};
	static const struct stmt members = {
		"merges_copy_members",
		"INSERT INTO alert_member (series_id, " MEMBER ") SELECT p.after, c.alert_id, c.from_kernel_id, c.to_kernel_id, c.direction,"
		" c.moved_from FROM (SELECT DISTINCT before, after FROM unnest($1::bigint[], $2::bigint[]) u (before, after)"
		" WHERE before <> after) p JOIN alert_member c ON c.series_id = p.before"
		" ORDER BY 1, c.series_id ON CONFLICT (series_id, alert_id) DO NOTHING"
	};
	const struct db_arg args[] = { db_arg_i64s(m->before, m->n), db_arg_i64s(m->after, m->n) };

	return db_query(db, &changes, args, 2, NULL, err) || db_query(db, &members, args, 2, NULL, err) ? -1 : 0;
}

int db_merges_move(struct db *db, const struct db_merges_map *m, struct err *err)
{
	static const struct stmt members = {
		"merges_leave_members", "DELETE FROM alert_member WHERE series_id = ANY($1::bigint[]) AND series_id <> ALL($2::bigint[])"
	};
	static const struct stmt changes = {
		"merges_leave_changes", "DELETE FROM change WHERE series_id = ANY($1::bigint[]) AND series_id <> ALL($2::bigint[])"
	};
	const struct db_arg args[] = { db_arg_i64s(m->before, m->n), db_arg_i64s(m->after, m->n) };

	return copy(db, m, err) || db_query(db, &members, args, 2, NULL, err) || db_query(db, &changes, args, 2, NULL, err) ? -1 : 0;
}

int db_merges_save_alerts(struct db *db, struct arena *a, int64_t id, const struct db_merges_alert *list, size_t n, struct err *err)
{
	static const struct stmt save = {
		"merges_save_alerts",
		"UPDATE merged SET saved = jsonb_set(saved, '{alerts}', (SELECT jsonb_agg(jsonb_build_object('id', u.id, 'into', u.goes,"
		" 'state', u.state)) FROM unnest($2::uuid[], $3::uuid[], $4::text[]) u (id, goes, state))) WHERE id = $1"
	};
	struct uuid *ids = arena_array(a, struct uuid, n + 1), *into = arena_array(a, struct uuid, n + 1);
	const char **states = arena_array(a, const char *, n + 1);

	for (size_t i = 0; i < n; i++) {
		ids[i] = list[i].id;
		into[i] = list[i].into;
		states[i] = list[i].state;
	}
	return n ? db_query(db, &save,
			    DB_ARGS(db_arg_i64(id), db_arg_uuids(ids, n), db_arg_uuids(into, n), db_arg_texts(states, n)), NULL, err) : 0;
}

int db_merges_find(struct db *db, struct arena *a, enum names_of of, int64_t from_id, int64_t *id, struct db_merges_alert **alerts,
		   size_t *n_alerts, struct err *err)
{
	static const struct stmt find = {
		"merges_find", "SELECT g.id, a.id, a.goes, a.state FROM merged g LEFT JOIN LATERAL (SELECT r.id, r.\"into\" AS goes, r.state"
			       " FROM jsonb_to_recordset(g.saved->'alerts') r (id uuid, \"into\" uuid, state text)) a ON true"
			       " WHERE g.kind = $1 AND g.from_id = $2 AND g.ended_at IS NULL ORDER BY a.id"
	};
	struct db_rows *rows;

	*id = 0;
	*n_alerts = 0;
	if (db_query(db, &find, DB_ARGS(db_arg_text(kinds[of]), db_arg_i64(from_id)), &rows, err))
		return -1;
	*alerts = arena_array(a, struct db_merges_alert, (size_t)db_rows_count(rows) + 1);
	for (int i = 0; i < db_rows_count(rows); i++) {
		struct db_merges_alert *al = &(*alerts)[*n_alerts];

		*id = db_i64(rows, i, 0);
		if (db_is_null(rows, i, 1))
			continue;
		db_uuid(rows, i, 1, &al->id);
		db_uuid(rows, i, 2, &al->into);
		al->state = arena_strdup(a, db_text(rows, i, 3));
		++*n_alerts;
	}
	db_rows_free(rows);
	return 0;
}

#define MAP "unnest($1::bigint[], $2::bigint[], $3::bigint[]) g (id, before, after)"

/* Rows that a series got from the others, and those that it had and lost to them. */
static int give_back(struct db *db, const struct db_arg *args, struct err *err)
{
	static const struct stmt drop = {
		"merges_drop_members",
		"WITH g AS (SELECT g.id, g.before, g.after FROM " MAP "), had AS (SELECT g.before, g.after, m.alert_id FROM merged w,"
		" jsonb_to_recordset(w.saved->'members') m (series_id bigint, alert_id uuid), g WHERE w.id = $4 AND g.id = m.series_id)"
		" DELETE FROM alert_member a USING (SELECT DISTINCT before, after FROM g) p WHERE a.series_id = p.after"
		" AND EXISTS (SELECT FROM had WHERE had.before = p.before AND had.alert_id = a.alert_id)"
		" AND NOT EXISTS (SELECT FROM had WHERE had.after = a.series_id AND had.alert_id = a.alert_id)"
	};
	static const struct stmt members = {
		"merges_restore_members",
		"INSERT INTO alert_member (series_id, " MEMBER ") SELECT DISTINCT ON (g.after, m.alert_id) g.after, m.alert_id,"
		" m.from_kernel_id, m.to_kernel_id, m.direction, m.moved_from FROM merged w,"
		" jsonb_populate_recordset(NULL::alert_member, w.saved->'members') m JOIN alert al ON al.id = m.alert_id, " MAP
		" WHERE w.id = $4 AND g.id = m.series_id ORDER BY g.after, m.alert_id, m.series_id"
		" ON CONFLICT (series_id, alert_id) DO NOTHING"
	};
	static const struct stmt changes = {
		"merges_restore_changes",
		"INSERT INTO change (series_id, " CHANGE ") SELECT DISTINCT ON (g.after, c.from_kernel_id, c.to_kernel_id) g.after,"
		" c.from_kernel_id, c.to_kernel_id, c.from_center, c.to_center, c.percent, c.verdict, c.confidence, c.q, c.from_boots,"
		" c.to_boots FROM merged w, jsonb_populate_recordset(NULL::change, w.saved->'changes') c, " MAP
		" WHERE w.id = $4 AND g.id = c.series_id ORDER BY g.after, c.from_kernel_id, c.to_kernel_id, c.series_id"
		" ON CONFLICT (series_id, from_kernel_id, to_kernel_id) DO UPDATE SET from_center = EXCLUDED.from_center,"
		" to_center = EXCLUDED.to_center, percent = EXCLUDED.percent, verdict = EXCLUDED.verdict, confidence = EXCLUDED.confidence,"
		" q = EXCLUDED.q, from_boots = EXCLUDED.from_boots, to_boots = EXCLUDED.to_boots"
	};

	return db_query(db, &drop, args, 4, NULL, err) || db_query(db, &members, args, 4, NULL, err) ||
	       db_query(db, &changes, args, 4, NULL, err) ? -1 : 0;
}

/* Whether one of the runs of kernel `kernel` has a series that `row` stands for. */
#define MEASURED(row, kernel) \
	"EXISTS (SELECT FROM (SELECT g.id, g.after FROM unnest($1::bigint[], $2::bigint[]) g (id, after)) g" \
	" JOIN series s ON s.id = g.id JOIN run r ON r.machine_id = s.machine_id" \
	" WHERE g.after = " row ".series_id AND r.kernel_id = " row "." kernel " AND g.id = ANY(r.series_id) AND " SEEN_VALID("r") ")"

/* Steps that only the other's runs showed. */
static int forget(struct db *db, const struct db_merges_map *m, struct err *err)
{
	static const struct stmt members = {
		"merges_forget_members", "DELETE FROM alert_member m WHERE m.series_id = ANY($2::bigint[]) AND NOT (" MEASURED("m", "from_kernel_id")
					 " AND " MEASURED("m", "to_kernel_id") ")"
	};
	static const struct stmt changes = {
		"merges_forget_changes", "DELETE FROM change c WHERE c.series_id = ANY($2::bigint[]) AND NOT (" MEASURED("c", "from_kernel_id")
					 " AND " MEASURED("c", "to_kernel_id") ")"
	};
	const struct db_arg args[] = { db_arg_i64s(m->ids, m->n), db_arg_i64s(m->after, m->n) };

	return db_query(db, &members, args, 2, NULL, err) || db_query(db, &changes, args, 2, NULL, err) ? -1 : 0;
}

int db_merges_undo(struct db *db, int64_t id, const struct db_merges_map *m, struct err *err)
{
	static const struct stmt end = { "merges_end", "UPDATE merged SET ended_at = $2 WHERE id = $1" };
	const struct db_arg args[] = { db_arg_i64s(m->ids, m->n), db_arg_i64s(m->before, m->n), db_arg_i64s(m->after, m->n),
				       db_arg_i64(id) };

	if (m->n && (copy(db, m, err) || give_back(db, args, err) || forget(db, m, err)))
		return -1;
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

int db_merges_alerts_of(struct db *db, struct arena *a, const int64_t *series_ids, size_t n_series, struct uuid **ids, size_t *n,
			struct err *err)
{
	static const struct stmt of = {
		"merges_alerts_of", "SELECT DISTINCT alert_id FROM alert_member WHERE series_id = ANY($1::bigint[]) ORDER BY alert_id"
	};
	struct db_rows *rows;

	if (db_query(db, &of, DB_ARGS(db_arg_i64s(series_ids, n_series)), &rows, err))
		return -1;
	take_ids(a, rows, ids, n);
	return 0;
}

int db_merges_alerts_on(struct db *db, struct arena *a, const int64_t *machine_ids, size_t n_machines, struct uuid **ids, size_t *n,
			struct err *err)
{
	static const struct stmt on = { "merges_alerts_on", "SELECT id FROM alert WHERE machine_ids && $1::bigint[] AND n_series > 0 ORDER BY id" };
	struct db_rows *rows;

	if (db_query(db, &on, DB_ARGS(db_arg_i64s(machine_ids, n_machines)), &rows, err))
		return -1;
	take_ids(a, rows, ids, n);
	return 0;
}

#define QUEUE "INSERT INTO run_todo (run_id, what, queued_at) SELECT r.run_id, 'check', r.received_at FROM run r WHERE "
#define QUEUE_END " AND " SEEN_VALID("r") " ON CONFLICT (what, run_id) DO NOTHING"

int db_merges_check_again(struct db *db, enum names_of of, const int64_t *ids, size_t n, struct err *err)
{
	static const struct stmt queue[] = {
		[NAMES_MACHINE] = { "merges_queue_machine", QUEUE "r.machine_id = ANY($1::bigint[])" QUEUE_END },
		[NAMES_BENCHMARK] = { "merges_queue_benchmark",
				      QUEUE "(r.run_id IN (SELECT b.run_id FROM run_seen b WHERE b.set_id IN (" SEEN_SETS("$1") "))"
					    " OR (r.run_id IN (SELECT run_id FROM run_todo WHERE what = 'pack') AND " SEEN_HAS_BENCHMARK("$1") "))"
				      QUEUE_END },
	};
	static const struct stmt wake = { "merges_notify", "SELECT pg_notify('nsecwatch_run', '')" };

	return db_query(db, &queue[of], DB_ARGS(db_arg_i64s(ids, n)), NULL, err) || db_query(db, &wake, DB_NO_ARGS, NULL, err) ? -1 : 0;
}
