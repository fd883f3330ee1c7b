/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_expectations.h"

#include "../lib/must.h"
#include "../lib/tm.h"
#include "db_united.h"

int db_expectations_list(struct db *db, struct arena *a, struct db_expectation **list, size_t *n, struct err *err)
{
	static const struct stmt all = {
		"expectations_list", "SELECT id, machine_id, benchmark, interval_s, note, author, created_at, alert_id"
				     " FROM expectation WHERE deleted_at IS NULL ORDER BY id"
	};
	struct db_rows *rows;

	if (db_query(db, &all, DB_NO_ARGS, &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct db_expectation, *n + 1);
	for (int i = 0; i < (int)*n; i++) {
		struct db_expectation *e = &(*list)[i];

		e->id = db_i64(rows, i, 0);
		e->machine_id = db_i64(rows, i, 1);
		e->benchmark = arena_strdup(a, db_text(rows, i, 2));
		e->interval_s = db_i64(rows, i, 3);
		e->note = arena_strdup(a, db_text(rows, i, 4));
		e->author = arena_strdup(a, db_text(rows, i, 5));
		e->created_at = db_time(rows, i, 6);
		e->silent = !db_is_null(rows, i, 7);
		if (e->silent)
			db_uuid(rows, i, 7, &e->alert_id);
	}
	db_rows_free(rows);
	return 0;
}

int db_expectations_add(struct db *db, struct db_expectation *e, struct err *err)
{
	static const struct stmt add = {
		"expectations_add", "INSERT INTO expectation (machine_id, benchmark, interval_s, note, author, created_at)"
				    " VALUES ($1, $2, $3, $4, $5, $6) RETURNING id"
	};
	struct db_rows *rows;

	e->created_at = tm_now_usec();
	if (db_query(db, &add,
		     DB_ARGS(db_arg_i64(e->machine_id), db_arg_text(e->benchmark), db_arg_i64(e->interval_s), db_arg_text(e->note),
			     db_arg_text(e->author), db_arg_time(e->created_at)),
		     &rows, err))
		return -1;
	must(db_rows_count(rows) == 1);
	e->id = db_i64(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}

int db_expectations_delete(struct db *db, int64_t id, struct err *err)
{
	static const struct stmt gone = { "expectations_delete", "UPDATE expectation SET deleted_at = $2 WHERE id = $1" };

	return db_query(db, &gone, DB_ARGS(db_arg_i64(id), db_arg_time(tm_now_usec())), NULL, err);
}

int db_expectations_set_alert(struct db *db, int64_t id, const struct uuid *alert_id, struct err *err)
{
	static const struct stmt set = { "expectations_set_alert", "UPDATE expectation SET alert_id = $2 WHERE id = $1" };

	return db_query(db, &set, DB_ARGS(db_arg_i64(id), db_arg_uuid(alert_id)), NULL, err);
}

int db_expectations_last(struct db *db, int64_t machine_id, const int64_t *benchmark_ids, size_t n,
			 struct db_last_run *last, struct err *err)
{
	static const struct stmt newest = {
		"expectations_last",
		"(SELECT b.received_at, b.kernel_id, s.benchmark_id FROM (SELECT m.set_id, min(m.benchmark_id) AS benchmark_id"
		" FROM benchmark_set m WHERE m.benchmark_id = ANY($2) GROUP BY m.set_id) s, LATERAL (SELECT b.received_at, b.kernel_id"
		" FROM run_seen b WHERE b.set_id = s.set_id AND b.machine_id = ANY($1) ORDER BY b.received_at DESC LIMIT 1) b"
		" ORDER BY b.received_at DESC LIMIT 1)"
		" UNION ALL (SELECT r.received_at, r.kernel_id, s.benchmark_id FROM run_todo t JOIN run r ON r.run_id = t.run_id"
		" CROSS JOIN unnest(r.series_id) u (id) JOIN series s ON s.id = u.id WHERE t.what = 'pack' AND r.machine_id = ANY($1)"
		" AND s.benchmark_id = ANY($2) ORDER BY r.received_at DESC LIMIT 1) ORDER BY 1 DESC LIMIT 1"
	};
	struct arena *a = arena_new();
	size_t n_machines = 1;
	const int64_t *machines = db_united_all(db, UNITED_MACHINE, a, &machine_id, &n_machines);
	const int64_t *benchmarks = db_united_all(db, UNITED_BENCHMARK, a, benchmark_ids, &n);
	struct db_rows *rows;
	int ret = db_query(db, &newest, DB_ARGS(db_arg_i64s(machines, n_machines), db_arg_i64s(benchmarks, n)), &rows, err);

	arena_free(a);
	*last = (struct db_last_run){ .at = TM_NONE };
	if (ret)
		return -1;
	if (db_rows_count(rows))
		*last = (struct db_last_run){ db_time(rows, 0, 0), db_i64(rows, 0, 1),
					db_united_main(db, UNITED_BENCHMARK, db_i64(rows, 0, 2)) };
	db_rows_free(rows);
	return 0;
}

int db_expectations_alert(struct db *db, struct db_alert *al, struct err *err)
{
	static const struct stmt insert = {
		"expectations_alert",
		"INSERT INTO alert (id, track, from_kernel_id, to_kernel_id, benchmark_id, direction, created_at, state, part, about,"
		" machine_ids) SELECT $1, $2, $3, $3, $4, 'silence', $5, 'new', (SELECT coalesce(max(part), 0) + 1 FROM alert"
		" WHERE track = $2 AND from_kernel_id = $3 AND to_kernel_id = $3 AND benchmark_id = $4 AND direction = 'silence'),"
		" $6, $7"
	};

	al->created_at = tm_now_usec();
	return db_query(db, &insert,
			DB_ARGS(db_arg_uuid(&al->id), db_arg_text(al->track), db_arg_i64(al->to_kernel_id),
				db_arg_i64(al->benchmark_id), db_arg_time(al->created_at), db_arg_text(al->about),
				db_arg_i64s(al->machine_ids, al->n_machines)),
			NULL, err);
}
