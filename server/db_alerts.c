/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What watch checks and finds: rules, todo, changes. The alerts themselves: db_alerts_rows.c. */
#include "db_alerts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db_united.h"

/* "check" as the key of an advisory lock; no other lock of ours has this number. */
#define CHECK_LOCK INT64_C(0x6e7365635f63686b)

int db_alerts_listen(struct db *db, struct err *err)
{
	return db_script(db, "LISTEN " DB_ALERTS_CHANNEL, err);
}

int db_alerts_lock(struct db *db, bool *mine, struct err *err)
{
	static const struct stmt lock = { "alerts_lock", "SELECT pg_try_advisory_xact_lock($1)" };
	struct db_rows *rows;

	if (db_query(db, &lock, DB_ARGS(db_arg_i64(CHECK_LOCK)), &rows, err))
		return -1;
	*mine = db_bool(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}

int db_alerts_lock_wait(struct db *db, struct err *err)
{
	static const struct stmt lock = { "alerts_lock_wait", "SELECT pg_advisory_xact_lock($1)" };

	return db_query(db, &lock, DB_ARGS(db_arg_i64(CHECK_LOCK)), NULL, err);
}

int db_alerts_waiting(struct db *db, int64_t most, int64_t *n, struct err *err)
{
	static const struct stmt count = {
		"alerts_waiting", "SELECT count(*) FROM (SELECT FROM run_todo WHERE what = 'check' LIMIT $1) t"
	};
	struct db_rows *rows;

	if (db_query(db, &count, DB_ARGS(db_arg_i64(most)), &rows, err))
		return -1;
	*n = db_i64(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}

/* The lock of checks keeps others away. */
static const struct stmt newest_unchecked = {
	"alerts_unchecked_newest",
	"SELECT t.run_id, r.machine_id, r.kernel_id, t.queued_at FROM "
	"(SELECT run_id, queued_at FROM run_todo WHERE what = 'check' AND run_id <> ALL($2::uuid[]) "
	"ORDER BY queued_at DESC, run_id LIMIT $1) AS t JOIN run AS r ON r.run_id = t.run_id "
	"ORDER BY t.queued_at DESC, t.run_id"
};
static const struct stmt first_unchecked = {
	"alerts_unchecked_first",
	"SELECT t.run_id, r.machine_id, r.kernel_id, t.queued_at FROM "
	"(SELECT run_id, queued_at FROM run_todo WHERE what = 'check' AND run_id <> ALL($2::uuid[]) "
	"ORDER BY queued_at, run_id LIMIT $1) AS t JOIN run AS r ON r.run_id = t.run_id "
	"ORDER BY t.queued_at, t.run_id"
};

static bool has_place(const struct db_unchecked *list, size_t n, const struct db_unchecked *one)
{
	size_t k = 0;

	while (k < n && (list[k].machine_id != one->machine_id || list[k].kernel_id != one->kernel_id))
		k++;
	return k < n;
}

int db_alerts_unchecked(struct db *db, struct arena *a, int max, bool newest, const struct uuid *except, size_t n_except,
			struct db_unchecked **list, size_t *n, struct err *err)
{
	static const struct uuid none;
	struct db_rows *rows;

	if (db_query(db, newest ? &newest_unchecked : &first_unchecked,
		     DB_ARGS(db_arg_i64(max), db_arg_uuids(n_except ? except : &none, n_except)), &rows, err))
		return -1;
	*n = 0;
	*list = arena_array(a, struct db_unchecked, (size_t)db_rows_count(rows));
	for (int i = 0; i < db_rows_count(rows); i++) {
		struct db_unchecked one = { .machine_id = db_i64(rows, i, 1), .kernel_id = db_i64(rows, i, 2),
					    .queued_at = db_time(rows, i, 3) };

		db_uuid(rows, i, 0, &one.run_id);
		if (!newest || !has_place(*list, *n, &one))
			(*list)[(*n)++] = one;
	}
	db_rows_free(rows);
	return 0;
}

int db_alerts_unchecked_of(struct db *db, struct arena *a, const struct db_unchecked *place, int most,
			   const struct uuid *except, size_t n_except, struct uuid **run_ids, size_t *n, struct err *err)
{
	static const struct stmt of = {
		"alerts_unchecked_of",
		"SELECT run_id FROM run WHERE kernel_id = $1 AND machine_id = $2 AND run_id <> ALL($4::uuid[]) AND run_id IN "
		"(SELECT run_id FROM run_todo WHERE what = 'check') LIMIT $3"
	};
	static const struct uuid none;
	struct db_rows *rows;

	if (db_query(db, &of,
		     DB_ARGS(db_arg_i64(place->kernel_id), db_arg_i64(place->machine_id), db_arg_i64(most),
			     db_arg_uuids(n_except ? except : &none, n_except)),
		     &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*run_ids = arena_array(a, struct uuid, *n);
	for (size_t i = 0; i < *n; i++)
		db_uuid(rows, (int)i, 0, &(*run_ids)[i]);
	db_rows_free(rows);
	return 0;
}

int db_alerts_series_of(struct db *db, struct arena *a, const struct uuid *run_ids, size_t n, int64_t **series_ids,
			size_t *n_series, struct err *err)
{
	static const struct stmt of = {
		"alerts_series_of", "SELECT DISTINCT u.id FROM run AS r, unnest(r.series_id, r.status) AS u (id, status) "
				    "WHERE r.run_id = ANY($1::uuid[]) AND coalesce(u.status, 0) = 0 ORDER BY u.id"
	};
	struct db_rows *rows;

	if (db_query(db, &of, DB_ARGS(db_arg_uuids(run_ids, n)), &rows, err))
		return -1;
	*n_series = (size_t)db_rows_count(rows);
	*series_ids = arena_array(a, int64_t, *n_series);
	for (size_t i = 0; i < *n_series; i++)
		(*series_ids)[i] = db_i64(rows, (int)i, 0);
	db_rows_free(rows);
	db_united_each(db, UNITED_SERIES, *series_ids, n_series);
	return 0;
}

int db_alerts_checked(struct db *db, const struct uuid *run_ids, size_t n, struct err *err)
{
	static const struct stmt done = {
		"alerts_checked", "DELETE FROM run_todo WHERE what = 'check' AND run_id = ANY($1::uuid[])"
	};

	return db_query(db, &done, DB_ARGS(db_arg_uuids(run_ids, n)), NULL, err);
}

int db_alerts_pending(struct db *db, const struct uuid *run_id, bool *pending, struct err *err)
{
	static const struct stmt waits = {
		"alerts_pending", "SELECT EXISTS (SELECT 1 FROM run_todo WHERE what = 'check' AND run_id = $1)"
	};
	struct db_rows *rows;

	if (db_query(db, &waits, DB_ARGS(db_arg_uuid(run_id)), &rows, err))
		return -1;
	*pending = db_bool(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}

static bool is_step(const struct db_change *c)
{
	return !strcmp(c->verdict, "regression") || !strcmp(c->verdict, "improvement");
}

enum which { STEPS, NO_STEPS, ALL };

/* Those that are steps, those that are not, or all, to one statement. */
static int write_some(struct db *db, struct arena *a, const struct stmt *st, const struct db_change *list, size_t n,
		      enum which which, struct err *err)
{
	int64_t *series = arena_array(a, int64_t, n), *from = arena_array(a, int64_t, n);
	int64_t *to = arena_array(a, int64_t, n), *from_boots = arena_array(a, int64_t, n);
	int64_t *to_boots = arena_array(a, int64_t, n);
	double *from_center = arena_array(a, double, n), *to_center = arena_array(a, double, n);
	double *percent = arena_array(a, double, n), *q = arena_array(a, double, n);
	const char **verdict = arena_array(a, const char *, n), **confidence = arena_array(a, const char *, n);
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		if (which != ALL && is_step(&list[i]) != (which == STEPS))
			continue;
		series[m] = list[i].series_id;
		from[m] = list[i].from_kernel_id;
		to[m] = list[i].to_kernel_id;
		from_center[m] = list[i].from_center;
		to_center[m] = list[i].to_center;
		percent[m] = list[i].percent;
		verdict[m] = list[i].verdict;
		confidence[m] = list[i].confidence;
		q[m] = list[i].q;
		from_boots[m] = list[i].from_boots;
		to_boots[m] = list[i].to_boots;
		m++;
	}
	if (!m)
		return 0;
	return db_query(db, st,
			DB_ARGS(db_arg_i64s(series, m), db_arg_i64s(from, m), db_arg_i64s(to, m),
				db_arg_f64s(from_center, m), db_arg_f64s(to_center, m), db_arg_f64s(percent, m),
				db_arg_texts(verdict, m), db_arg_texts(confidence, m), db_arg_f64s(q, m),
				db_arg_i64s(from_boots, m), db_arg_i64s(to_boots, m)),
			NULL, err);
}

static const struct stmt upsert = {
	"alerts_change_upsert",
	"INSERT INTO change (series_id, from_kernel_id, to_kernel_id, from_center, to_center, percent, verdict, "
	"confidence, q, from_boots, to_boots) "
	"SELECT series_id, from_kernel_id, to_kernel_id, from_center, to_center, percent, verdict, confidence, "
	"q, from_boots, to_boots FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::float8[], "
	"$5::float8[], $6::float8[], $7::text[], $8::text[], $9::float8[], $10::bigint[], $11::bigint[]) "
	"AS v (series_id, from_kernel_id, to_kernel_id, from_center, to_center, percent, verdict, confidence, "
	"q, from_boots, to_boots) ORDER BY series_id "
	"ON CONFLICT (series_id, from_kernel_id, to_kernel_id) DO UPDATE SET "
	"from_center = EXCLUDED.from_center, to_center = EXCLUDED.to_center, percent = EXCLUDED.percent, "
	"verdict = EXCLUDED.verdict, confidence = EXCLUDED.confidence, q = EXCLUDED.q, "
	"from_boots = EXCLUDED.from_boots, to_boots = EXCLUDED.to_boots"
};

int db_alerts_changes_write(struct db *db, struct arena *a, const struct db_change *list, size_t n, struct err *err)
{
	static const struct stmt refresh = {
		"alerts_change_refresh",
		"UPDATE change AS c SET from_center = v.from_center, to_center = v.to_center, percent = v.percent, "
		"verdict = v.verdict, confidence = v.confidence, q = v.q, from_boots = v.from_boots, "
		"to_boots = v.to_boots FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::float8[], "
		"$5::float8[], $6::float8[], $7::text[], $8::text[], $9::float8[], $10::bigint[], $11::bigint[]) "
		"AS v (series_id, from_kernel_id, to_kernel_id, from_center, to_center, percent, verdict, confidence, "
		"q, from_boots, to_boots) WHERE c.series_id = v.series_id AND c.from_kernel_id = v.from_kernel_id "
		"AND c.to_kernel_id = v.to_kernel_id"
	};

	return write_some(db, a, &upsert, list, n, STEPS, err) || write_some(db, a, &refresh, list, n, NO_STEPS, err) ? -1 : 0;
}

int db_alerts_changes_keep(struct db *db, struct arena *a, const struct db_change *list, size_t n, struct err *err)
{
	return write_some(db, a, &upsert, list, n, ALL, err);
}

int db_alerts_changes_forget(struct db *db, const int64_t *series_ids, size_t n, int64_t kernel_id, struct err *err)
{
	static const struct stmt forget = {
		"alerts_changes_forget",
		"DELETE FROM change WHERE series_id = ANY($1::bigint[]) AND (from_kernel_id = $2 OR to_kernel_id = $2) "
		"AND NOT EXISTS (SELECT FROM alert_member m WHERE m.series_id = change.series_id "
		"AND m.from_kernel_id = change.from_kernel_id AND m.to_kernel_id = change.to_kernel_id)"
	};

	return db_query(db, &forget, DB_ARGS(db_arg_i64s(series_ids, n), db_arg_i64(kernel_id)), NULL, err);
}
