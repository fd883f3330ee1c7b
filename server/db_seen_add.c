/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which set of benchmarks each run has, written by whoever packs it: see db_seen.h. */
#include "db_seen.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/buf.h"

struct list {			/* of series; many runs have the same one */
	const int64_t *ids;
	size_t n;
	struct uuid set;
	int64_t *benchmarks;	/* each once, by id */
	size_t n_benchmarks;
};

struct benchmark_of {
	int64_t series_id, benchmark_id;
};

static int by_id(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static size_t unique(int64_t *ids, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(ids, n, sizeof(*ids), by_id);
	for (size_t i = 0; i < n; i++)
		if (!kept || ids[kept - 1] != ids[i])
			ids[kept++] = ids[i];
	return kept;
}

/* The list of a run, among those there are or as one more: a lab has few, and most differ in length or first id. */
static size_t list_of(struct list *lists, size_t *n_lists, const int64_t *ids, size_t n)
{
	size_t i = 0;

	while (i < *n_lists && (lists[i].n != n || memcmp(lists[i].ids, ids, n * sizeof(*ids))))
		i++;
	if (i == *n_lists)
		lists[(*n_lists)++] = (struct list){ .ids = ids, .n = n };
	return i;
}

/* The benchmarks of the series of all lists, by series. */
static int read_benchmarks(struct db *db, struct arena *a, const struct list *lists, size_t n_lists, struct benchmark_of **of,
			   size_t *n, struct err *err)
{
	static const struct stmt read = { "seen_benchmarks", "SELECT id, benchmark_id FROM series WHERE id = ANY($1) ORDER BY id" };
	struct db_rows *rows;
	int64_t *ids;
	size_t all = 0;

	for (size_t i = 0; i < n_lists; i++)
		all += lists[i].n;
	ids = arena_array(a, int64_t, all + 1);
	all = 0;
	for (size_t i = 0; i < n_lists; all += lists[i++].n)
		memcpy(ids + all, lists[i].ids, lists[i].n * sizeof(*ids));
	all = unique(ids, all);
	if (db_query(db, &read, DB_ARGS(db_arg_i64s(ids, all)), &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*of = arena_array(a, struct benchmark_of, *n + 1);
	for (size_t i = 0; i < *n; i++)
		(*of)[i] = (struct benchmark_of){ db_i64(rows, (int)i, 0), db_i64(rows, (int)i, 1) };
	db_rows_free(rows);
	return 0;
}

/* A set is called by the first half of the SHA-256 of its ids in text, as schema/0022 called those that were there. */
static void name_set(struct list *l)
{
	uint8_t digest[32];
	struct buf text;

	buf_init(&text);
	for (size_t i = 0; i < l->n_benchmarks; i++)
		buf_printf(&text, "%s%lld", i ? "," : "", (long long)l->benchmarks[i]);
	sha256(text.p, text.len, digest);
	memcpy(l->set.b, digest, sizeof(l->set.b));
	buf_fini(&text);
}

static void make_set(struct arena *a, struct list *l, const struct benchmark_of *of, size_t n)
{
	l->benchmarks = arena_array(a, int64_t, l->n + 1);
	for (size_t i = 0; i < l->n; i++) {
		const struct benchmark_of *b = n ? bsearch(&l->ids[i], of, n, sizeof(*of), by_id) : NULL;

		if (b)
			l->benchmarks[l->n_benchmarks++] = b->benchmark_id;
	}
	l->n_benchmarks = unique(l->benchmarks, l->n_benchmarks);
	name_set(l);
}

/* In one order, so that of two that add the same none waits for the other in a circle. */
static int add_sets(struct db *db, struct arena *a, const struct list *lists, size_t n_lists, struct err *err)
{
	static const struct stmt add = {
		"seen_add_sets",
		"INSERT INTO benchmark_set (set_id, benchmark_id) SELECT DISTINCT s.id, s.b FROM unnest($1::uuid[], $2::bigint[]) s (id, b)"
		" ORDER BY s.id, s.b ON CONFLICT (benchmark_id, set_id) DO NOTHING"
	};
	size_t n = 0, all = 0;
	struct uuid *sets;
	int64_t *benchmarks;

	for (size_t i = 0; i < n_lists; i++)
		all += lists[i].n_benchmarks;
	sets = arena_array(a, struct uuid, all + 1);
	benchmarks = arena_array(a, int64_t, all + 1);
	for (size_t i = 0; i < n_lists; i++)
		for (size_t k = 0; k < lists[i].n_benchmarks; k++, n++) {
			sets[n] = lists[i].set;
			benchmarks[n] = lists[i].benchmarks[k];
		}
	return db_query(db, &add, DB_ARGS(db_arg_uuids(sets, n), db_arg_i64s(benchmarks, n)), NULL, err);
}

static int add_runs(struct db *db, struct arena *a, const struct uuid *run_ids, const size_t *list, const struct list *lists, size_t n,
		    struct err *err)
{
	static const struct stmt add = {
		"seen_add",
		"INSERT INTO run_seen (run_id, set_id, kernel_id, machine_id, config_id, received_at)"
		" SELECT r.run_id, s.set_id, r.kernel_id, r.machine_id, r.config_id, r.received_at"
		" FROM unnest($1::uuid[], $2::uuid[]) s (run_id, set_id) JOIN run r ON r.run_id = s.run_id ON CONFLICT (run_id) DO NOTHING"
	};
	struct uuid *runs = arena_array(a, struct uuid, n + 1), *sets = arena_array(a, struct uuid, n + 1);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (lists[list[i]].n_benchmarks) {	/* a run without results has none */
			runs[kept] = run_ids[i];
			sets[kept++] = lists[list[i]].set;
		}
	return kept ? db_query(db, &add, DB_ARGS(db_arg_uuids(runs, kept), db_arg_uuids(sets, kept)), NULL, err) : 0;
}

static int add_seen(struct db *db, struct arena *a, const struct uuid *run_ids, size_t n, struct err *err)
{
	static const struct stmt read = { "seen_lists", "SELECT run_id, series_id FROM run WHERE run_id = ANY($1::uuid[])" };
	struct uuid *ids = arena_array(a, struct uuid, n + 1);
	struct list *lists = arena_array(a, struct list, n + 1);
	size_t *list = arena_array(a, size_t, n + 1), n_lists = 0, n_of;
	struct benchmark_of *of;
	struct db_rows *rows;

	if (db_query(db, &read, DB_ARGS(db_arg_uuids(run_ids, n)), &rows, err))
		return -1;
	n = (size_t)db_rows_count(rows);
	for (size_t i = 0; i < n; i++) {
		size_t len;
		const int64_t *series = db_i64s(a, rows, (int)i, 1, &len);

		db_uuid(rows, (int)i, 0, &ids[i]);
		list[i] = list_of(lists, &n_lists, series, len);
	}
	db_rows_free(rows);
	if (read_benchmarks(db, a, lists, n_lists, &of, &n_of, err))
		return -1;
	for (size_t i = 0; i < n_lists; i++)
		make_set(a, &lists[i], of, n_of);
	return add_sets(db, a, lists, n_lists, err) || add_runs(db, a, ids, list, lists, n, err) ? -1 : 0;
}

int db_seen_add(struct db *db, const struct uuid *run_ids, size_t n, struct err *err)
{
	struct arena *a = arena_new();
	int ret = add_seen(db, a, run_ids, n, err);

	arena_free(a);
	return ret;
}
