/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_about.h"

#include <stdlib.h>

#include "db_seen_sql.h"
#include "db_united.h"

int db_about_facts(struct db *db, struct arena *a, int64_t machine_id, struct about_fact **list, size_t *n, struct err *err)
{
	static const struct stmt facts = {
		"about_facts", "SELECT created_at, isa, uarch, facts FROM machine_fact WHERE machine_id = ANY($1) ORDER BY created_at, id"
	};
	size_t n_ids = 1;
	const int64_t *ids = db_united_all(db, UNITED_MACHINE, a, &machine_id, &n_ids);
	struct db_rows *rows;

	if (db_query(db, &facts, DB_ARGS(db_arg_i64s(ids, n_ids)), &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct about_fact, *n + 1);
	for (int i = 0; i < (int)*n; i++)
		(*list)[i] = (struct about_fact){ db_time(rows, i, 0), arena_strdup(a, db_text(rows, i, 1)),
						  arena_strdup(a, db_text(rows, i, 2)), arena_strdup(a, db_text(rows, i, 3)) };
	db_rows_free(rows);
	return 0;
}

#define RUN "r.run_id, r.kernel_id, r.config_id, r.started_at, r.received_at, cardinality(r.series_id), r.boot_id, r.environment, r.source"

static void take_run(struct arena *a, const struct db_rows *rows, int i, struct about_run *r)
{
	db_uuid(rows, i, 0, &r->run_id);
	r->kernel_id = db_i64(rows, i, 1);
	r->config_id = db_i64(rows, i, 2);
	r->started_at = db_time(rows, i, 3);
	r->received_at = db_time(rows, i, 4);
	r->n_results = db_i64(rows, i, 5);
	r->boot_id = arena_strdup(a, db_text(rows, i, 6));
	r->environment = arena_strdup(a, db_text(rows, i, 7));
	r->source = arena_strdup(a, db_text(rows, i, 8));
}

int db_about_runs(struct db *db, struct arena *a, int64_t machine_id, int most, struct about_run **list, size_t *n,
		  struct err *err)
{
	static const struct stmt runs = {
		"about_runs", "SELECT " RUN " FROM run r WHERE r.machine_id = $1 AND " SEEN_VALID("r") " ORDER BY r.started_at DESC, r.run_id DESC LIMIT $2"
	};
	static const struct stmt runs_of_many = {	/* sorted whole: only where machines are read as one */
		"about_runs_of_many", "SELECT " RUN " FROM run r WHERE r.machine_id = ANY($1) AND " SEEN_VALID("r") " ORDER BY r.started_at DESC, r.run_id DESC LIMIT $2"
	};
	size_t n_ids = 1;
	const int64_t *ids = db_united_all(db, UNITED_MACHINE, a, &machine_id, &n_ids);
	struct db_rows *rows;

	if (n_ids == 1 ? db_query(db, &runs, DB_ARGS(db_arg_i64(machine_id), db_arg_i64(most)), &rows, err) :
			 db_query(db, &runs_of_many, DB_ARGS(db_arg_i64s(ids, n_ids), db_arg_i64(most)), &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct about_run, *n + 1);
	for (int i = 0; i < (int)*n; i++)
		take_run(a, rows, i, &(*list)[i]);
	db_rows_free(rows);
	return 0;
}

int db_about_places(struct db *db, struct arena *a, int64_t kernel_id, struct about_place **list, size_t *n, struct err *err)
{
	static const struct stmt places = {
		"about_places", "SELECT r.machine_id, r.config_id, count(*), max(r.started_at) FROM run r WHERE r.kernel_id = $1 AND "
				SEEN_VALID("r") " GROUP BY r.machine_id, r.config_id ORDER BY r.machine_id, r.config_id"
	};
	struct db_rows *rows;

	if (db_query(db, &places, DB_ARGS(db_arg_i64(kernel_id)), &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct about_place, *n + 1);
	*n = 0;
	for (int i = 0; i < db_rows_count(rows); i++) {
		struct about_place one = { db_united_main(db, UNITED_MACHINE, db_i64(rows, i, 0)), db_i64(rows, i, 1), db_i64(rows, i, 2),
					   db_time(rows, i, 3) };
		size_t k = 0;

		while (k < *n && ((*list)[k].machine_id != one.machine_id || (*list)[k].config_id != one.config_id))
			k++;
		if (k == *n) {
			(*list)[(*n)++] = one;
			continue;
		}
		(*list)[k].runs += one.runs;	/* of a machine that is read as one with it */
		if (one.last_at > (*list)[k].last_at)
			(*list)[k].last_at = one.last_at;
	}
	db_rows_free(rows);
	return 0;
}

int db_about_benchmarks(struct db *db, struct arena *a, int64_t kernel_id, const int64_t *benchmark_ids, size_t n_benchmarks,
			int64_t **ids, size_t *n, struct err *err)
{
	static const struct stmt benchmarks = {
		"about_benchmarks", "SELECT DISTINCT m.benchmark_id FROM benchmark_set m WHERE m.benchmark_id = ANY($2) AND m.set_id IN"
				    " (SELECT b.set_id FROM run_seen b WHERE b.kernel_id = $1) ORDER BY m.benchmark_id"
	};
	struct db_rows *rows;

	benchmark_ids = db_united_all(db, UNITED_BENCHMARK, a, benchmark_ids, &n_benchmarks);
	if (db_query(db, &benchmarks, DB_ARGS(db_arg_i64(kernel_id), db_arg_i64s(benchmark_ids, n_benchmarks)), &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*ids = arena_array(a, int64_t, *n + 1);
	for (int i = 0; i < (int)*n; i++)
		(*ids)[i] = db_i64(rows, i, 0);
	db_rows_free(rows);
	db_united_each(db, UNITED_BENCHMARK, *ids, n);
	return 0;
}

int db_about_log(struct db *db, struct arena *a, int64_t kernel_id, const char **log, struct err *err)
{
	static const struct stmt of = { "about_log", "SELECT log FROM kernel WHERE id = $1" };
	struct db_rows *rows;

	if (db_query(db, &of, DB_ARGS(db_arg_i64(kernel_id)), &rows, err))
		return -1;
	*log = db_rows_count(rows) ? arena_strdup(a, db_text(rows, 0, 0)) : NULL;
	db_rows_free(rows);
	return 0;
}

int db_about_newest(struct db *db, struct arena *a, int64_t benchmark_id, struct about_run **run, struct err *err)
{
	static const struct stmt newest = {	/* the newest of each set, then of those */
		"about_newest", "SELECT " RUN " FROM (" SEEN_SETS("$1") ") s, LATERAL (SELECT b.run_id, b.received_at FROM run_seen b"
				" WHERE b.set_id = s.set_id AND " SEEN_VALID("b") " ORDER BY b.received_at DESC, b.run_id DESC LIMIT 1) b"
				" JOIN run r ON r.run_id = b.run_id ORDER BY b.received_at DESC, b.run_id DESC LIMIT 1"
	};
	size_t n_ids = 1;
	const int64_t *ids = db_united_all(db, UNITED_BENCHMARK, a, &benchmark_id, &n_ids);
	struct db_rows *rows;

	*run = NULL;
	if (db_query(db, &newest, DB_ARGS(db_arg_i64s(ids, n_ids)), &rows, err))
		return -1;
	if (db_rows_count(rows)) {
		*run = arena_zalloc(a, sizeof(**run));
		take_run(a, rows, 0, *run);
	}
	db_rows_free(rows);
	return 0;
}
