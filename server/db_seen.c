/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_seen.h"

#include <stdlib.h>

#include "db_seen_sql.h"
#include "db_united.h"

/* Runs that wait for their packing, and so are not in run_seen yet. */
#define WAITING "run_todo t JOIN run r ON r.run_id = t.run_id WHERE t.what = 'pack' AND " SEEN_VALID("r")

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

/* Of these kernels, those that have one of the series: mostly the first run of each that is looked at says so. */
static int keep_kernels(struct db *db, const struct seen_filter *f, int64_t *ids, size_t *n, struct err *err)
{
	static const struct stmt has = {
		"seen_kernel_has_series",
		"SELECT 1 FROM run r WHERE r.kernel_id = $4 AND " PLACE("r") " AND " SEEN_VALID("r") " AND " SEEN_HAS_SERIES("$3")
		" LIMIT 1"
	};
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++) {
		struct db_rows *rows;

		if (db_query(db, &has,
			     DB_ARGS(db_arg_i64s(f->machine_ids, f->n_machines), db_arg_i64s(f->config_ids, f->n_configs),
				     db_arg_i64s(f->series_ids, f->n_series), db_arg_i64(ids[i])),
			     &rows, err))
			return -1;
		if (db_rows_count(rows))
			ids[kept++] = ids[i];
		db_rows_free(rows);
	}
	*n = kept;
	return 0;
}

int db_seen_kernels(struct db *db, struct arena *a, const struct seen_filter *f, int64_t **ids, size_t *n,
		    struct err *err)
{
	static const struct stmt anything = {
		"seen_kernels", "SELECT DISTINCT r.kernel_id FROM run r WHERE " PLACE("r") " AND " SEEN_VALID("r") " ORDER BY r.kernel_id"
	};
	static const struct stmt of_benchmarks = {
		"seen_kernels_of_benchmarks",
		"SELECT b.kernel_id FROM run_seen b WHERE b.set_id IN (" SEEN_SETS("$3") ") AND " PLACE("b") " AND " SEEN_VALID("b")
		" UNION SELECT r.kernel_id FROM " WAITING " AND " PLACE("r") " AND " SEEN_HAS_BENCHMARK("$3") " ORDER BY 1"
	};
	struct seen_filter all = *f;
	struct db_rows *rows;

	all.machine_ids = db_united_all(db, UNITED_MACHINE, a, f->machine_ids, &all.n_machines);
	all.benchmark_ids = db_united_all(db, UNITED_BENCHMARK, a, f->benchmark_ids, &all.n_benchmarks);
	all.series_ids = db_united_all(db, UNITED_SERIES, a, f->series_ids, &all.n_series);
	f = &all;
	const struct db_arg args[] = {
		db_arg_i64s(f->machine_ids, f->n_machines), db_arg_i64s(f->config_ids, f->n_configs),
		db_arg_i64s(f->benchmark_ids, f->n_benchmarks),
	};

	if (db_query(db, f->benchmark_ids ? &of_benchmarks : &anything, args, f->benchmark_ids ? 3 : 2, &rows, err))
		return -1;
	take_ids(a, rows, ids, n);
	return f->series_ids ? keep_kernels(db, f, *ids, n, err) : 0;
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
		"SELECT m.benchmark_id, p.machine_id, p.config_id FROM (SELECT DISTINCT b.set_id, b.machine_id, b.config_id"
		" FROM run_seen b WHERE b.kernel_id = ANY($1) AND " SEEN_VALID("b") ") p JOIN benchmark_set m ON m.set_id = p.set_id"
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
		(*list)[i] = (struct seen_place){ db_united_main(db, UNITED_BENCHMARK, db_i64(rows, i, 0)),
						  db_united_main(db, UNITED_MACHINE, db_i64(rows, i, 1)), db_i64(rows, i, 2) };
	db_rows_free(rows);
	if (!db_united_nothing(db) && *n)
		qsort(*list, *n, sizeof(**list), by_place);
	return 0;
}

int db_seen_series(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels, int64_t **ids,
		   size_t *n, struct err *err)
{
	static const struct stmt series = {	/* many runs have the same series: each list is taken apart once */
		"seen_series",
		"SELECT DISTINCT u.id FROM (SELECT DISTINCT r.series_id FROM run r WHERE r.kernel_id = ANY($1) AND " SEEN_VALID("r")
		") l CROSS JOIN unnest(l.series_id) u (id) ORDER BY u.id"
	};
	struct db_rows *rows;

	if (db_query(db, &series, DB_ARGS(db_arg_i64s(kernel_ids, n_kernels)), &rows, err))
		return -1;
	take_ids(a, rows, ids, n);
	db_united_each(db, UNITED_SERIES, *ids, n);
	return 0;
}

int db_seen_unchecked(struct db *db, int64_t machine_id, int64_t kernel_id, bool *waits, struct err *err)
{
	static const struct stmt unchecked = {
		"seen_unchecked", "SELECT EXISTS (SELECT FROM run_todo t JOIN run r ON r.run_id = t.run_id WHERE t.what = 'check'"
				  " AND r.machine_id = ANY($1) AND r.kernel_id = $2)"
	};
	struct arena *a = arena_new();
	size_t n = 1;
	const int64_t *ids = db_united_all(db, UNITED_MACHINE, a, &machine_id, &n);
	struct db_rows *rows;
	int ret = db_query(db, &unchecked, DB_ARGS(db_arg_i64s(ids, n), db_arg_i64(kernel_id)), &rows, err);

	arena_free(a);
	if (ret)
		return -1;
	*waits = db_bool(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}
