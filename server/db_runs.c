/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading runs back; db_runs_write.c writes them and leaves out what is made up again here. */
#include "db_runs.h"

#include <math.h>
#include <string.h>
#include <zstd.h>

#include "../lib/must.h"
#include "../lib/tm.h"
#include "db_replay.h"
#include "db_seen_sql.h"
#include "db_united.h"

#define YEAR_9999 INT64_C(253402300799000000)

#define HEADER										\
	"r.run_id, r.machine_id, r.kernel_id, r.config_id, r.boot_id, r.format, r.source,"	\
	" r.labels, r.environment, r.started_at, r.finished_at, r.received_at, cardinality(r.series_id)"
#define ARRAYS										\
	"r.series_id, r.status, r.n, r.mean, r.median, r.stddev, r.vmin, r.vmax, r.errors, r.original_units"

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
	x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
	return x ^ x >> 32;
}

/* All 16 bytes count: labs number ids through, or put the time of day in front. */
uint64_t db_runs_run_key(const struct uuid *run_id)
{
	uint64_t half[2];

	memcpy(half, run_id->b, sizeof(half));
	return mix(mix(half[0]) + half[1]);
}

uint64_t db_runs_boot_key(int64_t machine_id, const char *boot_id, const struct uuid *run_id)
{
	uint64_t key, word;
	size_t n;

	if (!boot_id)
		return db_runs_run_key(run_id);
	n = strlen(boot_id);
	for (key = mix((uint64_t)machine_id + 1); n >= 8; n -= 8, boot_id += 8) {
		memcpy(&word, boot_id, 8);
		key = mix(key + word);
	}
	word = 0;
	memcpy(&word, boot_id, n);
	return mix(key + word + n);
}

/* ---- one row ---- */

static void read_header(struct arena *a, const struct db_rows *rows, int i, struct run *r)
{
	db_uuid(rows, i, 0, &r->run_id);
	r->machine_id = db_i64(rows, i, 1);
	r->kernel_id = db_i64(rows, i, 2);
	r->config_id = db_i64(rows, i, 3);
	r->boot_id = arena_strdup(a, db_text(rows, i, 4));
	r->format = arena_strdup(a, db_text(rows, i, 5));
	r->source = arena_strdup(a, db_text(rows, i, 6));
	r->labels = arena_strdup(a, db_text(rows, i, 7));
	r->environment = arena_strdup(a, db_text(rows, i, 8));
	r->started_at = db_time(rows, i, 9);
	r->finished_at = db_time(rows, i, 10);
	r->received_at = db_time(rows, i, 11);
	r->n_results = (size_t)db_i64(rows, i, 12);
}

/* A column that was left out because it is the mean's. */
static double *or_mean(struct arena *a, const struct db_rows *rows, int i, int col, const struct run *r)
{
	size_t n;
	double *v = db_f64s(a, rows, i, col, &n);

	must(!v || n == r->n_results);
	return v ? v : r->mean;
}

static double *or_nan(struct arena *a, const struct db_rows *rows, int i, int col, size_t n_results)
{
	size_t n;
	double *v = db_f64s(a, rows, i, col, &n);

	if (v)
		return v;
	v = arena_alloc(a, n_results * sizeof(*v));
	for (size_t k = 0; k < n_results; k++)
		v[k] = NAN;
	return v;
}

/* Of arrays that are left out: every result is good, and each of one repetition. */
static void read_counts(struct arena *a, const struct db_rows *rows, int i, int col, struct run *r)
{
	size_t n;

	r->status = db_i16s(a, rows, i, col, &n);
	if (!r->status)
		r->status = arena_array(a, int16_t, r->n_results);	/* RESULT_OK is 0 */
	r->n = db_i64s(a, rows, i, col + 1, &n);
	if (r->n)
		return;
	r->n = arena_alloc(a, r->n_results * sizeof(*r->n));
	for (size_t k = 0; k < r->n_results; k++)
		r->n[k] = r->status[k] == RESULT_OK;
}

/* All arrays, from column `col` on. */
static void read_arrays(struct arena *a, const struct db_rows *rows, int i, int col, struct run *r)
{
	size_t n;

	r->series_ids = db_i64s(a, rows, i, col, &n);
	must(n == r->n_results);
	read_counts(a, rows, i, col + 1, r);
	r->mean = db_f64s(a, rows, i, col + 3, &n);
	must(n == r->n_results);
	r->median = or_mean(a, rows, i, col + 4, r);
	r->stddev = or_nan(a, rows, i, col + 5, r->n_results);
	r->min = or_mean(a, rows, i, col + 6, r);
	r->max = or_mean(a, rows, i, col + 7, r);
	r->errors = (const char *const *)db_texts(a, rows, i, col + 8, &n);
	r->original_units = (const char *const *)db_texts(a, rows, i, col + 9, &n);
}

#define SUMMARY										\
	"r.run_id, r.machine_id, r.kernel_id, r.config_id, r.boot_id, r.started_at, r.series_id, r.status,"	\
	" r.n, r.mean, r.stddev, r.vmin, r.vmax, r.errors"

static void read_summary(struct arena *a, const struct db_rows *rows, int i, struct run *r)
{
	size_t n;

	db_uuid(rows, i, 0, &r->run_id);
	r->machine_id = db_i64(rows, i, 1);
	r->kernel_id = db_i64(rows, i, 2);
	r->config_id = db_i64(rows, i, 3);
	r->boot_id = arena_strdup(a, db_text(rows, i, 4));
	r->started_at = db_time(rows, i, 5);
	r->series_ids = db_i64s(a, rows, i, 6, &r->n_results);
	read_counts(a, rows, i, 7, r);
	r->mean = db_f64s(a, rows, i, 9, &n);
	must(n == r->n_results);
	r->stddev = or_nan(a, rows, i, 10, r->n_results);
	r->min = or_mean(a, rows, i, 11, r);
	r->max = or_mean(a, rows, i, 12, r);
	r->errors = (const char *const *)db_texts(a, rows, i, 13, &n);
}

/* ---- one run, whole ---- */

#define RAW_JOIN " LEFT JOIN run_raw w ON w.run_id = r.run_id AND w.month =" \
		 " (date_trunc('month', r.received_at, 'UTC') AT TIME ZONE 'UTC')::date"

static const struct stmt get_run = {
	"get_run",
	"SELECT " HEADER ", " ARRAYS ", r.not_imported, w.run_id IS NOT NULL, w.counts, w.vals,"
	" CASE WHEN w.run_id IS NULL THEN (SELECT g.dropped_at FROM retained g WHERE g.month ="
	" (date_trunc('month', r.received_at, 'UTC') AT TIME ZONE 'UTC')::date) END FROM run r" RAW_JOIN " WHERE r.run_id = $1"
};

/* Raw repetitions: none where retention dropped them. */
static void read_values(struct arena *a, const struct db_rows *rows, int col, struct run *r)
{
	size_t n, n_vals, at = 0;
	bool kept = db_bool(rows, 0, col);
	int64_t *counts = db_i64s(a, rows, 0, col + 1, &n);
	double *vals = db_f64s(a, rows, 0, col + 2, &n_vals);

	r->values = arena_array(a, double *, r->n_results);
	r->n_values = arena_array(a, size_t, r->n_results);
	for (size_t i = 0; i < r->n_results && kept; i++) {
		r->n_values[i] = (size_t)(counts ? counts[i] : r->n[i]);
		if (!r->n_values[i])
			continue;
		must(vals ? at + r->n_values[i] <= n_vals : r->n_values[i] == 1);
		r->values[i] = vals ? vals + at : r->mean + i;
		at += r->n_values[i];
	}
}

int db_runs_get(struct db *db, struct arena *a, const struct uuid *run_id, struct run **run, struct err *err)
{
	struct db_rows *rows;
	struct run *r;

	*run = NULL;
	if (db_query(db, &get_run, DB_ARGS(db_arg_uuid(run_id)), &rows, err))
		return -1;
	if (db_rows_count(rows)) {
		r = *run = arena_zalloc(a, sizeof(*r));
		read_header(a, rows, 0, r);
		read_arrays(a, rows, 0, 13, r);
		r->not_imported = arena_strdup(a, db_text(rows, 0, 23));
		read_values(a, rows, 24, r);
		r->raw_dropped_at = db_time(rows, 0, 27);
	}
	db_rows_free(rows);
	return 0;
}

static const struct stmt get_between = {
	"get_between", "SELECT run_id FROM run WHERE run_id BETWEEN $1 AND $2 ORDER BY run_id LIMIT $3"
};

int db_runs_between(struct db *db, const struct uuid *lowest, const struct uuid *highest, struct uuid *ids, int most,
		    struct err *err)
{
	struct db_rows *rows;
	int n;

	if (db_query(db, &get_between, DB_ARGS(db_arg_uuid(lowest), db_arg_uuid(highest), db_arg_i64(most)), &rows, err))
		return -1;
	n = db_rows_count(rows);
	for (int i = 0; i < n; i++)
		db_uuid(rows, i, 0, &ids[i]);
	db_rows_free(rows);
	return n;
}

static const struct stmt get_raw = {
	"get_raw",
	"SELECT w.body_type, w.body_bytes, w.body FROM run r" RAW_JOIN " WHERE r.run_id = $1 AND w.run_id IS NOT NULL"
};

int db_runs_raw(struct db *db, struct arena *a, const struct uuid *run_id, const void **body, size_t *len,
		const char **type, struct err *err)
{
	struct db_rows *rows;
	const void *packed;
	size_t packed_len, got;
	char *out;

	*body = NULL;
	*len = 0;
	*type = NULL;
	if (db_query(db, &get_raw, DB_ARGS(db_arg_uuid(run_id)), &rows, err))
		return -1;
	if (!db_rows_count(rows)) {
		db_rows_free(rows);
		return 0;
	}
	*len = (size_t)db_i64(rows, 0, 1);
	*type = arena_strdup(a, db_text(rows, 0, 0));
	packed = db_bytes(rows, 0, 2, &packed_len);
	out = arena_alloc(a, *len + 1);
	got = ZSTD_decompress(out, *len, packed, packed_len);
	db_rows_free(rows);
	if (ZSTD_isError(got) || got != *len)
		return err_set(err, ERR_BUG, "the stored body of this run is damaged");
	out[*len] = 0;
	*body = out;
	return 0;
}

/* ---- many ---- */

/* What comparisons look at, and not the half of a row that they do not. */
static const struct stmt runs_of_kernels = {
	"runs_of_kernels",
	"SELECT " SUMMARY " FROM run r"
	" WHERE r.kernel_id = ANY($1) AND ($2::bigint[] IS NULL OR r.machine_id = ANY($2)) AND " SEEN_VALID("r")
	" ORDER BY r.started_at, r.run_id"
};

static const struct stmt runs_of_ids = {
	"runs_of_ids", "SELECT " SUMMARY " FROM run r WHERE r.run_id = ANY($1) AND " SEEN_VALID("r") " ORDER BY r.run_id"
};

struct summaries {
	struct arena *a;
	const struct db *united;	/* whose series stand for others; NULL: as the runs have them */
	db_runs_each_fn fn;
	void *arg;
};

static int each_summary(const struct db_rows *row, void *arg, struct err *err)
{
	const struct summaries *s = arg;
	struct run *r = arena_zalloc(s->a, sizeof(*r));

	read_summary(s->a, row, 0, r);
	if (s->united)
		db_united_mains(s->united, UNITED_SERIES, r->series_ids, r->n_results);
	return s->fn(r, s->arg, err);
}

int db_runs_each_of_kernels(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels,
			    const int64_t *machine_ids, size_t n_machines, db_runs_each_fn fn, void *arg,
			    struct err *err)
{
	struct summaries s = { a, db, fn, arg };

	machine_ids = n_machines ? db_united_all(db, UNITED_MACHINE, a, machine_ids, &n_machines) : NULL;
	return db_query_each(db, &runs_of_kernels,
			     DB_ARGS(db_arg_i64s(kernel_ids, n_kernels),
				     db_arg_i64s(machine_ids, n_machines)), each_summary, &s, err);
}

int db_runs_each_of_halves(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels,
			   const int64_t *machine_ids, size_t n_machines, db_runs_each_fn fn, void *arg, struct err *err)
{
	struct summaries s = { a, db, fn, arg };
	size_t half = n_kernels / 2;
	struct db_arg machines;

	if (!half)
		return db_runs_each_of_kernels(db, a, kernel_ids, n_kernels, machine_ids, n_machines, fn, arg, err);
	machine_ids = n_machines ? db_united_all(db, UNITED_MACHINE, a, machine_ids, &n_machines) : NULL;
	machines = db_arg_i64s(machine_ids, n_machines);
	return db_query_each_two(db, &runs_of_kernels,
				 (struct db_arg[]){ db_arg_i64s(kernel_ids, half), machines },
				 (struct db_arg[]){ db_arg_i64s(kernel_ids + half, n_kernels - half), machines }, 2,
				 each_summary, &s, err);
}

int db_runs_each_of_ids(struct db *db, struct arena *a, const struct uuid *run_ids, size_t n, db_runs_each_fn fn,
			void *arg, struct err *err)
{
	struct summaries s = { a, NULL, fn, arg };

	return db_query_each(db, &runs_of_ids, DB_ARGS(db_arg_uuids(run_ids, n)), each_summary, &s, err);
}

static const struct stmt list_runs = {
	"list_runs",
	"SELECT " HEADER " FROM run r"
	" WHERE (r.received_at, r.run_id) < ($1, $2)"
	" AND ($3::bigint[] IS NULL OR r.machine_id = ANY($3))"
	" AND ($4::bigint[] IS NULL OR r.kernel_id = ANY($4))"
	" AND ($5::bigint[] IS NULL OR r.config_id = ANY($5))"
	" ORDER BY r.received_at DESC, r.run_id DESC LIMIT $6"
};

/*
 * Of one benchmark there may be few runs among very many: run_seen has those of each set in order, and those
 * that are not in it yet wait for their packing.
 */
static const struct stmt list_runs_of = {
	"list_runs_of",
	"SELECT " HEADER " FROM run r WHERE r.run_id IN ("
	"(SELECT n.run_id FROM (" SEEN_SETS("$7") ") s, LATERAL (SELECT b.run_id, b.received_at FROM run_seen b"
	" WHERE b.set_id = s.set_id AND (b.received_at, b.run_id) < ($1, $2)"
	" AND ($3::bigint[] IS NULL OR b.machine_id = ANY($3))"
	" AND ($4::bigint[] IS NULL OR b.kernel_id = ANY($4))"
	" AND ($5::bigint[] IS NULL OR b.config_id = ANY($5))"
	" ORDER BY b.received_at DESC, b.run_id DESC LIMIT $6) n ORDER BY n.received_at DESC, n.run_id DESC LIMIT $6)"
	" UNION SELECT r.run_id FROM run_todo t JOIN run r ON r.run_id = t.run_id WHERE t.what = 'pack'"
	" AND (r.received_at, r.run_id) < ($1, $2)"
	" AND ($3::bigint[] IS NULL OR r.machine_id = ANY($3))"
	" AND ($4::bigint[] IS NULL OR r.kernel_id = ANY($4))"
	" AND ($5::bigint[] IS NULL OR r.config_id = ANY($5))"
	" AND " SEEN_HAS_BENCHMARK("$7") ")"
	" ORDER BY r.received_at DESC, r.run_id DESC LIMIT $6"
};

/* Of series that are looked for one run after the other, newest first, until there are enough. */
static const struct stmt list_runs_with = {
	"list_runs_with",
	"SELECT " HEADER " FROM run r WHERE (r.received_at, r.run_id) < ($1, $2)"
	" AND ($3::bigint[] IS NULL OR r.machine_id = ANY($3))"
	" AND ($4::bigint[] IS NULL OR r.kernel_id = ANY($4))"
	" AND ($5::bigint[] IS NULL OR r.config_id = ANY($5))"
	" AND (r.run_id IN (SELECT b.run_id FROM run_seen b WHERE b.set_id IN (" SEEN_SETS("$7") "))"
	" OR r.run_id IN (SELECT t.run_id FROM run_todo t WHERE t.what = 'pack'))"
	" AND " SEEN_HAS_SERIES("$8")
	" ORDER BY r.received_at DESC, r.run_id DESC LIMIT $6"
};

int db_runs_list(struct db *db, struct arena *a, const struct run_filter *f, const struct run_cursor *before,
		 int limit, struct run **runs, size_t *n, struct err *err)
{
	static const struct run_filter everything;
	struct run_filter all = f ? *f : everything;
	struct run_cursor from = { .received_at = YEAR_9999 };
	struct db_rows *rows;
	int ret;

	all.machine_ids = db_united_all(db, UNITED_MACHINE, a, all.machine_ids, &all.n_machines);
	all.benchmark_ids = db_united_all(db, UNITED_BENCHMARK, a, all.benchmark_ids, &all.n_benchmarks);
	all.series_ids = db_united_all(db, UNITED_SERIES, a, all.series_ids, &all.n_series);
	f = &all;
	if (before && before->received_at != TM_NONE)
		from = *before;
	const struct db_arg args[] = {
		db_arg_time(from.received_at), db_arg_uuid(&from.run_id),
		db_arg_i64s(f->machine_ids, f->n_machines), db_arg_i64s(f->kernel_ids, f->n_kernels),
		db_arg_i64s(f->config_ids, f->n_configs), db_arg_i64(limit),
		db_arg_i64s(f->benchmark_ids, f->n_benchmarks),
		db_arg_i64s(f->series_ids, f->n_series),
	};

	ret = f->series_ids ? db_query(db, &list_runs_with, args, 8, &rows, err) :
	      f->benchmark_ids ? db_query(db, &list_runs_of, args, 7, &rows, err) :
				 db_query(db, &list_runs, args, 6, &rows, err);
	if (ret)
		return -1;
	*n = (size_t)db_rows_count(rows);
	*runs = arena_array(a, struct run, *n);
	for (size_t i = 0; i < *n; i++)
		read_header(a, rows, (int)i, &(*runs)[i]);
	db_rows_free(rows);
	return 0;
}

/* One look-up in the index. */
static const struct stmt run_before = {
	"run_before",
	"SELECT " HEADER " FROM run r WHERE r.machine_id = $1 AND (r.started_at, r.run_id) < ($2, $3)"
	" AND ($4::bigint[] IS NULL OR r.config_id = ANY($4)) AND " SEEN_VALID("r")
	" ORDER BY r.started_at DESC, r.run_id DESC LIMIT 1"
};

static bool is_newer(const struct run *a, const struct run *b)
{
	return a->started_at > b->started_at ||
	       (a->started_at == b->started_at && memcmp(a->run_id.b, b->run_id.b, sizeof(a->run_id.b)) > 0);
}

int db_runs_before(struct db *db, struct arena *a, const struct run *run, const int64_t *config_ids, size_t n_configs,
		   struct run **before, struct err *err)
{
	const int64_t *machine_ids;
	struct db_rows *rows;
	size_t n = 1;

	*before = NULL;
	machine_ids = db_united_all(db, UNITED_MACHINE, a, &run->machine_id, &n);	/* those that are read as this one */
	for (size_t i = 0; i < n; i++) {
		struct run *found = arena_zalloc(a, sizeof(*found));

		if (db_query(db, &run_before,
			     DB_ARGS(db_arg_i64(machine_ids[i]), db_arg_time(run->started_at), db_arg_uuid(&run->run_id),
				     db_arg_i64s(n_configs ? config_ids : NULL, n_configs)), &rows, err))
			return -1;
		if (db_rows_count(rows))
			read_header(a, rows, 0, found);
		if (db_rows_count(rows) && (!*before || is_newer(found, *before)))
			*before = found;
		db_rows_free(rows);
	}
	return 0;
}

/*
 * The set of transactions this session can see, in PostgreSQL's words: two equal texts mean
 * the same data. (The other way round not: a transaction that changed nothing of ours counts too.) A hot
 * standby does not say which transactions are open within the set: there, how far it has come belongs to it.
 */
static const struct stmt data_version = { "data_version", "SELECT " DB_REPLAY_VERSION };

int db_runs_data_version(struct db *db, struct arena *a, const char **version, struct err *err)
{
	struct db_rows *rows;

	if (db_query(db, &data_version, DB_NO_ARGS, &rows, err))
		return -1;
	*version = arena_strdup(a, db_text(rows, 0, 0));
	db_rows_free(rows);
	return 0;
}

void db_runs_expect_version(struct db *db, const char *version)
{
	db_expect(db, &data_version, version);
}
