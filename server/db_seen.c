/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_seen.h"

#include <stdlib.h>

#include "db_seen_sql.h"

/* Runs that wait for their packing, and so are not in run_benchmark yet. */
#define WAITING "run_todo t JOIN run r ON r.run_id = t.run_id WHERE t.what = 'pack' AND " SEEN_VALID("r")

int db_seen_add(struct db *db, const struct uuid *run_ids, size_t n, struct err *err)
{
	static const struct stmt add = {
		"seen_add",
		"INSERT INTO run_benchmark (run_id, benchmark_id, kernel_id, machine_id, config_id, received_at)"
		" SELECT DISTINCT r.run_id, s.benchmark_id, r.kernel_id, r.machine_id, r.config_id, r.received_at"
		" FROM run r CROSS JOIN unnest(r.series_id) u (id) JOIN series s ON s.id = u.id"
		" WHERE r.run_id = ANY($1::uuid[]) ON CONFLICT (run_id, benchmark_id) DO NOTHING"
	};

	return db_query(db, &add, DB_ARGS(db_arg_uuids(run_ids, n)), NULL, err);
}

static void take_ids(struct arena *a, struct db_rows *rows, int64_t **ids, size_t *n)
{
	*n = (size_t)db_rows_count(rows);
	*ids = arena_array(a, int64_t, *n + 1);
	for (size_t i = 0; i < *n; i++)
		(*ids)[i] = db_i64(rows, (int)i, 0);
	db_rows_free(rows);
}

#define PLACE(table)										\
	"($1::bigint[] IS NULL OR " table ".machine_id = ANY($1)) AND ($2::bigint[] IS NULL OR " table ".config_id = ANY($2))"

int db_seen_kernels(struct db *db, struct arena *a, const struct seen_filter *f, int64_t **ids, size_t *n,
		    struct err *err)
{
	static const struct stmt anything = {
		"seen_kernels", "SELECT DISTINCT r.kernel_id FROM run r WHERE " PLACE("r") " AND " SEEN_VALID("r") " ORDER BY r.kernel_id"
	};
	static const struct stmt of_benchmarks = {
		"seen_kernels_of_benchmarks",
		"SELECT b.kernel_id FROM run_benchmark b WHERE b.benchmark_id = ANY($3) AND " PLACE("b") " AND " SEEN_VALID("b")
		" UNION SELECT r.kernel_id FROM " WAITING " AND " PLACE("r") " AND " SEEN_HAS_BENCHMARK("$3") " ORDER BY 1"
	};
	static const struct stmt of_series = {
		"seen_kernels_of_series",
		"SELECT DISTINCT r.kernel_id FROM run r WHERE r.run_id IN (SELECT b.run_id FROM run_benchmark b"
		" WHERE b.benchmark_id = ANY($3) AND " PLACE("b") " UNION ALL SELECT t.run_id FROM run_todo t"
		" WHERE t.what = 'pack') AND " PLACE("r") " AND " SEEN_VALID("r") " AND " SEEN_HAS_SERIES("$4") " ORDER BY r.kernel_id"
	};
	const struct stmt *st = f->series_ids ? &of_series : f->benchmark_ids ? &of_benchmarks : &anything;
	size_t n_args = f->series_ids ? 4 : f->benchmark_ids ? 3 : 2;
	const struct db_arg args[] = {
		db_arg_i64s(f->machine_ids, f->n_machines), db_arg_i64s(f->config_ids, f->n_configs),
		db_arg_i64s(f->benchmark_ids, f->n_benchmarks), db_arg_i64s(f->series_ids, f->n_series),
	};
	struct db_rows *rows;

	if (db_query(db, st, args, n_args, &rows, err))
		return -1;
	take_ids(a, rows, ids, n);
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct seen_place *x = a, *y = b;

	if (x->benchmark_id != y->benchmark_id)
		return x->benchmark_id < y->benchmark_id ? -1 : 1;
	if (x->machine_id != y->machine_id)
		return x->machine_id < y->machine_id ? -1 : 1;
	return (x->config_id > y->config_id) - (x->config_id < y->config_id);
}

bool db_seen_has(const struct seen_place *list, size_t n, const struct seen_place *place)
{
	return n && bsearch(place, list, n, sizeof(*list), by_place);
}

int db_seen_places(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels,
		   struct seen_place **list, size_t *n, struct err *err)
{
	static const struct stmt places = {
		"seen_places",
		"SELECT b.benchmark_id, b.machine_id, b.config_id FROM run_benchmark b WHERE b.kernel_id = ANY($1) AND " SEEN_VALID("b")
		" UNION SELECT s.benchmark_id, r.machine_id, r.config_id FROM run_todo t JOIN run r ON r.run_id = t.run_id"
		" CROSS JOIN unnest(r.series_id) u (id) JOIN series s ON s.id = u.id"
		" WHERE t.what = 'pack' AND r.kernel_id = ANY($1) AND " SEEN_VALID("r") " ORDER BY 1, 2, 3"
	};
	struct db_rows *rows;

	if (db_query(db, &places, DB_ARGS(db_arg_i64s(kernel_ids, n_kernels)), &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct seen_place, *n + 1);
	for (int i = 0; i < (int)*n; i++)
		(*list)[i] = (struct seen_place){ db_i64(rows, i, 0), db_i64(rows, i, 1), db_i64(rows, i, 2) };
	db_rows_free(rows);
	return 0;
}

int db_seen_series(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels, int64_t **ids,
		   size_t *n, struct err *err)
{
	static const struct stmt series = {
		"seen_series",
		"SELECT DISTINCT u.id FROM run r CROSS JOIN unnest(r.series_id) u (id) WHERE r.kernel_id = ANY($1) AND " SEEN_VALID("r")
		" ORDER BY u.id"
	};
	struct db_rows *rows;

	if (db_query(db, &series, DB_ARGS(db_arg_i64s(kernel_ids, n_kernels)), &rows, err))
		return -1;
	take_ids(a, rows, ids, n);
	return 0;
}
