/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of alerts and their members, written and read. */
#include "db_alerts.h"

#include "../lib/tm.h"
#include "db_united.h"

const char *const db_alerts_states[] = { "suspect", "new", "acknowledged", "reported", "fix-posted",
					 "fixed", "accepted", "invalid", "muted", NULL };

const char *db_alerts_direction(bool regression)
{
	return regression ? "regression" : "improvement";
}

const char *db_alerts_kind(const struct db_alert *alert)
{
	return alert->silence ? "silence" : db_alerts_direction(alert->regression);
}

#define ALERT_COLUMNS \
	"id, track, from_kernel_id, to_kernel_id, benchmark_id, coalesce(rule_id, 0), direction <> 'improvement', state, " \
	"n_series, worst_percent, machine_ids, config_ids, created_at, part, origin, merged_into, assignee, report_url, " \
	"fix_url, fix_commit, due_at, changed_at, coalesce(fixed_in_kernel_id, 0), restored_percent, coalesce(mute_id, 0), direction = 'silence', about"

/* What triage says of an alert: the columns from `part` on. */
static void take_triage(struct arena *a, const struct db_rows *rows, int i, struct db_alert *al)
{
	al->part = (int)db_i64(rows, i, 13);
	al->origin = arena_strdup(a, db_text(rows, i, 14));
	al->merged = !db_is_null(rows, i, 15);
	if (al->merged)
		db_uuid(rows, i, 15, &al->merged_into);
	al->assignee = arena_strdup(a, db_text(rows, i, 16));
	al->report_url = arena_strdup(a, db_text(rows, i, 17));
	al->fix_url = arena_strdup(a, db_text(rows, i, 18));
	al->fix_commit = arena_strdup(a, db_text(rows, i, 19));
	al->due_at = db_time(rows, i, 20);
	al->changed_at = db_time(rows, i, 21);
	al->fixed_in_kernel_id = db_i64(rows, i, 22);
	al->restored_percent = db_f64(rows, i, 23);
	al->mute_id = db_i64(rows, i, 24);
	al->silence = db_bool(rows, i, 25);
	al->about = arena_strdup(a, db_text(rows, i, 26));
}

/* All rows of a result with ALERT_COLUMNS; frees it. */
static void take_alerts(struct arena *a, struct db_rows *rows, struct db_alert **list, size_t *n)
{
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct db_alert, *n);
	for (int i = 0; i < (int)*n; i++) {
		struct db_alert *al = &(*list)[i];

		db_uuid(rows, i, 0, &al->id);
		al->track = arena_strdup(a, db_text(rows, i, 1));
		al->from_kernel_id = db_i64(rows, i, 2);
		al->to_kernel_id = db_i64(rows, i, 3);
		al->benchmark_id = db_i64(rows, i, 4);
		al->rule_id = db_i64(rows, i, 5);
		al->regression = db_bool(rows, i, 6);
		al->state = arena_strdup(a, db_text(rows, i, 7));
		al->n_series = db_i64(rows, i, 8);
		al->worst_percent = db_f64(rows, i, 9);
		al->machine_ids = db_i64s(a, rows, i, 10, &al->n_machines);
		al->config_ids = db_i64s(a, rows, i, 11, &al->n_configs);
		al->created_at = db_time(rows, i, 12);
		take_triage(a, rows, i, al);
	}
	db_rows_free(rows);
}

int db_alerts_of_benchmark(struct db *db, struct arena *a, const char *track, int64_t benchmark_id, bool regression,
			   struct db_alert **list, size_t *n, struct err *err)
{
	static const struct stmt of = {
		"alerts_of_benchmark", "SELECT " ALERT_COLUMNS " FROM alert "
				       "WHERE track = $1 AND benchmark_id = ANY($2) AND direction = $3 ORDER BY id"
	};
	struct db_rows *rows;
	size_t n_ids = 1;
	const int64_t *ids = db_united_all(db, UNITED_BENCHMARK, a, &benchmark_id, &n_ids);

	if (db_query(db, &of,
		     DB_ARGS(db_arg_text(track), db_arg_i64s(ids, n_ids),
			     db_arg_text(db_alerts_direction(regression))),
		     &rows, err))
		return -1;
	take_alerts(a, rows, list, n);
	return 0;
}

int db_alerts_insert(struct db *db, const struct db_alert *alert, bool *made, struct err *err)
{
	static const struct stmt insert = {
		"alerts_insert",
		"INSERT INTO alert (id, track, from_kernel_id, to_kernel_id, benchmark_id, direction, rule_id, created_at, state) "
		"VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'suspect') ON CONFLICT DO NOTHING RETURNING true"
	};
	struct db_rows *rows;

	if (db_query(db, &insert,
		     DB_ARGS(db_arg_uuid(&alert->id), db_arg_text(alert->track), db_arg_i64(alert->from_kernel_id),
			     db_arg_i64(alert->to_kernel_id), db_arg_i64(alert->benchmark_id),
			     db_arg_text(db_alerts_direction(alert->regression)), db_arg_i64(alert->rule_id),
			     db_arg_time(alert->created_at)),
		     &rows, err))
		return -1;
	*made = db_rows_count(rows) == 1;
	db_rows_free(rows);
	return 0;
}

int db_alerts_confirm(struct db *db, const struct uuid *id, bool proven, bool *done, struct err *err)
{
	static const struct stmt confirm = {
		"alerts_confirm", "UPDATE alert SET state = 'new' WHERE id = $1 AND state = 'suspect' "
				  "AND ($2 OR cardinality(machine_ids) > 1) RETURNING true"
	};
	struct db_rows *rows;

	if (db_query(db, &confirm, DB_ARGS(db_arg_uuid(id), db_arg_bool(proven)), &rows, err))
		return -1;
	*done = db_rows_count(rows) == 1;
	db_rows_free(rows);
	return 0;
}

int db_alerts_drop_suspect(struct db *db, const struct uuid *id, struct err *err)
{
	static const struct stmt drop = {
		"alerts_drop_suspect",
		"DELETE FROM alert AS a WHERE id = $1 AND state = 'suspect' AND origin = 'watch' AND n_series = 0 "
		"AND NOT EXISTS (SELECT FROM event WHERE kind = 'alert' AND object = a.id::text) "
		"AND NOT EXISTS (SELECT FROM alert_range WHERE alert_id = a.id) "
		"AND NOT EXISTS (SELECT FROM alert AS m WHERE m.merged_into = a.id)"
	};

	return db_query(db, &drop, DB_ARGS(db_arg_uuid(id)), NULL, err);
}

int db_alerts_set_range(struct db *db, const struct uuid *id, int64_t from_kernel_id, int64_t to_kernel_id,
			struct err *err)
{
	static const struct stmt set = {
		"alerts_set_range", "UPDATE alert SET from_kernel_id = $2, to_kernel_id = $3 WHERE id = $1"
	};

	return db_query(db, &set, DB_ARGS(db_arg_uuid(id), db_arg_i64(from_kernel_id), db_arg_i64(to_kernel_id)), NULL,
			err);
}

int db_alerts_set_summary(struct db *db, const struct db_alert *alert, struct err *err)
{
	static const struct stmt set = {
		"alerts_set_summary",
		"UPDATE alert SET n_series = $2, worst_percent = $3, machine_ids = $4, config_ids = $5 WHERE id = $1"
	};
	struct db_arg worst = alert->n_series ? db_arg_f64(alert->worst_percent) : db_arg_null();

	return db_query(db, &set,
			DB_ARGS(db_arg_uuid(&alert->id), db_arg_i64(alert->n_series), worst,
				db_arg_i64s(alert->machine_ids, alert->n_machines),
				db_arg_i64s(alert->config_ids, alert->n_configs)),
			NULL, err);
}

#define MEMBER_COLUMNS \
	"m.alert_id, m.direction = 'regression', c.series_id, c.from_kernel_id, c.to_kernel_id, c.from_center, " \
	"c.to_center, c.percent, c.verdict, c.confidence, c.q, c.from_boots, c.to_boots, m.moved_from IS NOT NULL, " \
	"m.alert_id IN (SELECT id FROM alert WHERE state = 'suspect') FROM alert_member AS m JOIN change AS c ON c.series_id = m.series_id " \
	"AND c.from_kernel_id = m.from_kernel_id AND c.to_kernel_id = m.to_kernel_id "

static void take_members(struct arena *a, struct db_rows *rows, struct db_member **list, size_t *n)
{
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct db_member, *n);
	for (int i = 0; i < (int)*n; i++) {
		struct db_member *m = &(*list)[i];

		db_uuid(rows, i, 0, &m->alert_id);
		m->regression = db_bool(rows, i, 1);
		m->moved = db_bool(rows, i, 13);
		m->suspect = db_bool(rows, i, 14);
		m->change = (struct db_change){
			.series_id = db_i64(rows, i, 2),
			.from_kernel_id = db_i64(rows, i, 3),
			.to_kernel_id = db_i64(rows, i, 4),
			.from_center = db_f64(rows, i, 5),
			.to_center = db_f64(rows, i, 6),
			.percent = db_f64(rows, i, 7),
			.verdict = arena_strdup(a, db_text(rows, i, 8)),
			.confidence = arena_strdup(a, db_text(rows, i, 9)),
			.q = db_f64(rows, i, 10),
			.from_boots = db_i64(rows, i, 11),
			.to_boots = db_i64(rows, i, 12),
		};
	}
	db_rows_free(rows);
}

int db_alerts_members(struct db *db, struct arena *a, const struct uuid *alert_id, struct db_member **list, size_t *n,
		      struct err *err)
{
	static const struct stmt of = {
		"alerts_members", "SELECT " MEMBER_COLUMNS "WHERE m.alert_id = $1 ORDER BY m.series_id"
	};
	struct db_rows *rows;

	if (db_query(db, &of, DB_ARGS(db_arg_uuid(alert_id)), &rows, err))
		return -1;
	take_members(a, rows, list, n);
	return 0;
}

int db_alerts_members_of_series(struct db *db, struct arena *a, const int64_t *series_ids, size_t n_series,
				struct db_member **list, size_t *n, struct err *err)
{
	static const struct stmt of = {
		"alerts_members_of_series",
		"SELECT " MEMBER_COLUMNS "WHERE m.series_id = ANY($1::bigint[]) ORDER BY m.series_id, m.alert_id"
	};
	struct db_rows *rows;

	series_ids = db_united_all(db, UNITED_SERIES, a, series_ids, &n_series);
	if (db_query(db, &of, DB_ARGS(db_arg_i64s(series_ids, n_series)), &rows, err))
		return -1;
	take_members(a, rows, list, n);
	return 0;
}

int db_alerts_members_write(struct db *db, struct arena *a, const struct db_member *list, size_t n, struct err *err)
{
	static const struct stmt upsert = {
		"alerts_member_upsert",
		"INSERT INTO alert_member (series_id, alert_id, from_kernel_id, to_kernel_id, direction) "
		"SELECT series_id, alert_id, from_kernel_id, to_kernel_id, direction "
		"FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bigint[], $5::text[]) "
		"AS v (series_id, alert_id, from_kernel_id, to_kernel_id, direction) ORDER BY series_id "
		"ON CONFLICT (series_id, alert_id) DO UPDATE SET from_kernel_id = EXCLUDED.from_kernel_id, "
		"to_kernel_id = EXCLUDED.to_kernel_id"
	};
	int64_t *series = arena_array(a, int64_t, n), *from = arena_array(a, int64_t, n), *to = arena_array(a, int64_t, n);
	const char **direction = arena_array(a, const char *, n);
	struct uuid *ids = arena_array(a, struct uuid, n);

	for (size_t i = 0; i < n; i++) {
		series[i] = list[i].change.series_id;
		ids[i] = list[i].alert_id;
		from[i] = list[i].change.from_kernel_id;
		to[i] = list[i].change.to_kernel_id;
		direction[i] = db_alerts_direction(list[i].regression);
	}
	return db_query(db, &upsert,
			DB_ARGS(db_arg_i64s(series, n), db_arg_uuids(ids, n), db_arg_i64s(from, n), db_arg_i64s(to, n),
				db_arg_texts(direction, n)),
			NULL, err);
}

int db_alerts_members_delete(struct db *db, struct arena *a, const struct db_member *list, size_t n, struct err *err)
{
	static const struct stmt del = {
		"alerts_member_delete", "DELETE FROM alert_member WHERE (series_id, alert_id) IN "
					"(SELECT series_id, alert_id FROM unnest($1::bigint[], $2::uuid[]) "
					"AS v (series_id, alert_id))"
	};
	int64_t *series = arena_array(a, int64_t, n);
	struct uuid *ids = arena_array(a, struct uuid, n);

	for (size_t i = 0; i < n; i++) {
		series[i] = list[i].change.series_id;
		ids[i] = list[i].alert_id;
	}
	return db_query(db, &del, DB_ARGS(db_arg_i64s(series, n), db_arg_uuids(ids, n)), NULL, err);
}

int db_alerts_list(struct db *db, struct arena *a, const struct db_alert_filter *f, int limit, struct db_alert **list,
		   size_t *n, struct err *err)
{
	static const struct stmt page = {
		"alerts_list", "SELECT " ALERT_COLUMNS " FROM alert WHERE ($1::text[] IS NULL OR state = ANY($1)) "
			       "AND ($2::bigint[] IS NULL OR benchmark_id = ANY($2)) "
			       "AND ($3::timestamptz IS NULL OR (created_at, id) < ($3, $4::uuid)) "
			       "AND ($6::text[] IS NULL OR track = ANY($6)) AND CASE direction WHEN 'regression' THEN $7 WHEN 'improvement' THEN $8 ELSE $10 END "
			       "AND ($9::bigint[] IS NULL OR id IN "
			       "(SELECT alert_id FROM alert_member WHERE series_id = ANY($9))) "
			       "AND ($11::text[] IS NULL OR coalesce(assignee, '') = ANY($11)) "
			       "AND ($12::timestamptz IS NULL OR (due_at < $12 AND state NOT IN ('fixed', 'accepted', 'invalid', 'muted'))) "
			       "ORDER BY created_at DESC, id DESC LIMIT $5"
	};
	size_t n_benchmarks = f->n_benchmarks;
	const int64_t *benchmarks = db_united_all(db, UNITED_BENCHMARK, a, f->benchmark_ids, &n_benchmarks);
	struct db_rows *rows;

	if (db_query(db, &page,
		     DB_ARGS(db_arg_texts(f->states, f->n_states), db_arg_i64s(benchmarks, n_benchmarks),
			     db_arg_time(f->before_created_at), db_arg_uuid(&f->before_id), db_arg_i64(limit),
			     db_arg_texts(f->tracks, f->n_tracks), db_arg_bool(f->regressions), db_arg_bool(f->improvements),
			     db_arg_i64s(f->series_ids, f->n_series), db_arg_bool(f->silences),
			     db_arg_texts(f->assignees, f->n_assignees), db_arg_time(f->overdue_at ? f->overdue_at : TM_NONE)),
		     &rows, err))
		return -1;
	take_alerts(a, rows, list, n);
	return 0;
}

static int get(struct db *db, struct arena *a, const struct stmt *st, const struct uuid *id, struct db_alert **alert,
	       struct err *err)
{
	struct db_rows *rows;
	size_t n;

	if (db_query(db, st, DB_ARGS(db_arg_uuid(id)), &rows, err))
		return -1;
	take_alerts(a, rows, alert, &n);
	if (!n)
		*alert = NULL;
	return 0;
}

int db_alerts_get(struct db *db, struct arena *a, const struct uuid *id, struct db_alert **alert, struct err *err)
{
	static const struct stmt one = { "alerts_get", "SELECT " ALERT_COLUMNS " FROM alert WHERE id = $1" };

	return get(db, a, &one, id, alert, err);
}

int db_alerts_get_locked(struct db *db, struct arena *a, const struct uuid *id, struct db_alert **alert, struct err *err)
{
	static const struct stmt one = { "alerts_get_locked", "SELECT " ALERT_COLUMNS " FROM alert WHERE id = $1 FOR UPDATE" };

	return get(db, a, &one, id, alert, err);
}

/* The rows of a statement with ALERT_COLUMNS and one parameter. */
static int some(struct db *db, struct arena *a, const struct stmt *st, struct db_arg arg, struct db_alert **list, size_t *n,
		struct err *err)
{
	struct db_rows *rows;

	if (db_query(db, st, DB_ARGS(arg), &rows, err))
		return -1;
	take_alerts(a, rows, list, n);
	return 0;
}

int db_alerts_open(struct db *db, struct arena *a, int most, struct db_alert **list, size_t *n, struct err *err)
{
	static const struct stmt open = {	/* the condition is that of the index alert_open */
		"alerts_open", "SELECT " ALERT_COLUMNS " FROM alert WHERE state NOT IN ('fixed', 'accepted', 'invalid', 'muted')"
			       " ORDER BY created_at DESC, id DESC LIMIT $1"
	};

	return some(db, a, &open, db_arg_i64(most), list, n, err);
}

int db_alerts_to(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels, struct db_alert **list,
		 size_t *n, struct err *err)
{
	static const struct stmt to = {
		"alerts_to", "SELECT " ALERT_COLUMNS " FROM alert WHERE to_kernel_id = ANY($1) AND state NOT IN ('suspect', 'invalid') ORDER BY id"
	};

	return some(db, a, &to, db_arg_i64s(kernel_ids, n_kernels), list, n, err);
}

int db_alerts_of_track(struct db *db, struct arena *a, const char *track, struct db_alert **list, size_t *n, struct err *err)
{
	static const struct stmt of = {
		"alerts_of_track", "SELECT " ALERT_COLUMNS " FROM alert WHERE track = $1 AND state NOT IN ('suspect', 'invalid') ORDER BY id"
	};

	return some(db, a, &of, db_arg_text(track), list, n, err);
}

int db_alerts_count_open(struct db *db, int64_t *n, struct err *err)
{
	static const struct stmt count = {
		"alerts_count_open",
		"SELECT count(*) FROM alert WHERE state NOT IN ('fixed', 'accepted', 'invalid', 'muted')"
	};
	struct db_rows *rows;

	if (db_query(db, &count, DB_NO_ARGS, &rows, err))
		return -1;
	*n = db_i64(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}
