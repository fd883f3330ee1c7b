/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packing and reading packs. A run stands in run_todo until the transaction that put its
 * samples into packs, and a reader asks for both in one statement: it sees a run there or here.
 * The samples of those that wait take a second one; what was packed in between is not among the packs of the first.
 */
#include "db_packs.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/log.h"
#include "../lib/must.h"
#include "../lib/tm.h"
#include "db_packs_store.h"
#include "db_seen.h"
#include "db_seen_sql.h"
#include "db_united.h"

#define DEADLINE_MS 15000
#define RUNS_AT_ONCE 200		/* fetched by a packer: a page of them is in memory whole */
#define SAMPLES_MOST 400000		/* in one transaction of packing: 32 MB */

/* ---- reading ---- */

/* A NULL array left out by db_runs_write.c gives NULL for each of its elements. */
static const struct stmt waiting_samples = {
	"pack_waiting_samples",
	"SELECT r.run_id, r.machine_id, r.boot_id, r.kernel_id, r.started_at, u.series_id, coalesce(u.n, 1), u.mean,"
	" u.stddev, CASE WHEN r.vmin IS NULL THEN u.mean ELSE u.vmin END,"
	" CASE WHEN r.vmax IS NULL THEN u.mean ELSE u.vmax END"
	" FROM run r, unnest(r.series_id, r.status, r.n, r.mean, r.stddev, r.vmin, r.vmax)"
	" u (series_id, status, n, mean, stddev, vmin, vmax)"
	" WHERE r.run_id = ANY($1) AND r.machine_id IN (SELECT machine_id FROM series WHERE id = ANY($2))"
	" AND u.series_id = ANY($2) AND coalesce(u.status, 0) = 0 AND " SEEN_VALID("r")
};

/*
 * Packs, the runs that wait, and in the last row what db_runs_data_version() would say: one statement costs
 * PostgreSQL half of what three do, and is of one moment.
 */
#define READ(packs)											\
	"SELECT series_id, samples, body, crc32, NULL::uuid, NULL::text FROM " packs				\
	" UNION ALL SELECT NULL, NULL, NULL, NULL, run_id, NULL FROM run_todo WHERE what = 'pack'"		\
	" UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, pg_current_snapshot()::text"
enum { SERIES, SAMPLES, BODY, CRC, WAITING };

static const struct stmt read_many = { "pack_read", READ("series_pack WHERE series_id = ANY($1)") };
/* The usual question; with a list the planner would plan it anew each time, or had to be told not to. */
static const struct stmt read_one = { "pack_read_one", READ("series_pack WHERE series_id = $1") };

/*
 * Of each set of kernels the newest chunks, with $2 samples and those behind the horizon at least, and the chunks of which
 * it is not told. LATERAL with an OFFSET is a look-up in the index for each, whatever the planner believes of the table.
 */
static const struct stmt read_newest = {
	"pack_read_newest",
	READ("(SELECT p.* FROM (SELECT series_id, chunk, kernel_set,"
	     " row_number() OVER (PARTITION BY series_id, kernel_set ORDER BY chunk DESC) AS nth"
	     " FROM series_pack WHERE series_id = ANY($1)) c, LATERAL (SELECT series_id, samples, body, crc32 FROM series_pack"
	     " WHERE series_id = c.series_id AND chunk = c.chunk OFFSET 0) p WHERE c.kernel_set IS NULL OR c.nth <="
	     " ($2 + (SELECT count(*) FROM run_todo WHERE what = 'check' AND queued_at >= $3)) / $4 + 2) newest")
};

/* Asked last, so that a run whose samples were read and whose check is still to come is in it. */
static const struct stmt behind_horizon = {
	"pack_behind_horizon",
	"SELECT run_id FROM run_todo WHERE what = 'check' AND queued_at >= $1 AND (queued_at > $1 OR run_id > $2)"
};

static int by_key(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* What a reader gathers. */
struct reading {
	struct arena *arena;
	const int64_t *series_ids;
	size_t n_series;
	uint64_t *keys;			/* of waiting runs, sorted: the packs may hold them by now too */
	size_t n_keys;
	struct sample *samples;
	size_t n;
	int64_t *damaged;		/* series with a chunk whose checksum is wrong; each once */
	size_t n_damaged;
};

static bool is_waiting(const struct reading *r, uint64_t run_key)
{
	return r->n_keys && bsearch(&run_key, r->keys, r->n_keys, sizeof(*r->keys), by_key);
}

static void add_waiting(struct reading *r, const struct db_rows *rows)
{
	struct uuid id;

	for (int i = 0; i < db_rows_count(rows); i++) {
		db_uuid(rows, i, 0, &id);
		r->samples[r->n++] = (struct sample){
			.series_id = db_i64(rows, i, 5), .kernel_id = db_i64(rows, i, 3),
			.run_key = db_runs_run_key(&id),
			.boot_key = db_runs_boot_key(db_i64(rows, i, 1), db_text(rows, i, 2), &id),
			.started_at = db_time(rows, i, 4), .n = db_i64(rows, i, 6), .mean = db_f64(rows, i, 7),
			.stddev = db_f64(rows, i, 8), .min = db_f64(rows, i, 9), .max = db_f64(rows, i, 10),
		};
	}
}

static void note_damaged(struct reading *r, int64_t series_id)
{
	if (!r->damaged)
		r->damaged = arena_array(r->arena, int64_t, r->n_series);
	for (size_t i = 0; i < r->n_damaged; i++)
		if (r->damaged[i] == series_id)
			return;
	if (r->n_damaged < r->n_series)
		r->damaged[r->n_damaged++] = series_id;
}

static void add_packed(struct reading *r, const struct db_rows *rows)
{
	size_t n;

	for (int i = 0; i < db_rows_count(rows); i++) {
		struct sample *chunk = r->samples + r->n;	/* read in place; what waits too is dropped again */

		if (db_is_null(rows, i, BODY))
			continue;
		n = db_packs_store_chunk(rows, i, chunk);
		if (!n)
			note_damaged(r, db_i64(rows, i, SERIES));
		if (!r->n_keys)
			r->n += n;
		for (size_t k = 0; k < n && r->n_keys; k++)
			if (!is_waiting(r, chunk[k].run_key))
				r->samples[r->n++] = chunk[k];
	}
}

/* The ids of waiting runs; their keys are kept. */
static struct uuid *note_waiting(struct reading *r, const struct db_rows *rows)
{
	struct uuid *ids;

	for (int i = 0; i < db_rows_count(rows); i++)
		r->n_keys += !db_is_null(rows, i, WAITING);
	if (!r->n_keys)
		return NULL;
	ids = arena_array(r->arena, struct uuid, r->n_keys);
	r->keys = arena_array(r->arena, uint64_t, r->n_keys);
	r->n_keys = 0;
	for (int i = 0; i < db_rows_count(rows); i++) {
		if (db_is_null(rows, i, WAITING))
			continue;
		db_uuid(rows, i, WAITING, &ids[r->n_keys]);
		r->keys[r->n_keys] = db_runs_run_key(&ids[r->n_keys]);
		r->n_keys++;
	}
	qsort(r->keys, r->n_keys, sizeof(*r->keys), by_key);
	return ids;
}

/* From the answer; the samples of runs that wait are asked for where there are any. */
static int gather(struct db *db, struct reading *r, const struct db_rows *read, struct err *err)
{
	const struct uuid *ids = note_waiting(r, read);
	struct db_rows *rows = NULL;
	size_t most = 0;
	int ret = 0;

	if (r->n_keys)
		ret = db_query(db, &waiting_samples, DB_ARGS(db_arg_uuids(ids, r->n_keys), db_arg_i64s(r->series_ids, r->n_series)),
			       &rows, err);
	if (ret)
		return -1;
	for (int i = 0; i < db_rows_count(read); i++)
		most += db_is_null(read, i, SAMPLES) ? 0 : (size_t)db_i64(read, i, SAMPLES);
	/* a chunk is read whole behind those before it, whatever its row says that it holds */
	most += (rows ? (size_t)db_rows_count(rows) : 0) + PACK_CHUNK_MAX;
	r->samples = arena_alloc(r->arena, most * sizeof(*r->samples));
	if (rows)
		add_waiting(r, rows);
	db_rows_free(rows);
	add_packed(r, read);
	return 0;
}

static int leave_out_later(struct db *db, struct reading *r, const struct db_horizon *h, struct err *err)
{
	struct db_rows *rows;
	struct uuid id;
	uint64_t *keys;
	size_t n, left = 0;

	if (db_query(db, &behind_horizon, DB_ARGS(db_arg_time(h->queued_at), db_arg_uuid(&h->run_id)), &rows, err))
		return -1;
	n = (size_t)db_rows_count(rows);
	keys = arena_array(r->arena, uint64_t, n);
	for (size_t i = 0; i < n; i++) {
		db_uuid(rows, (int)i, 0, &id);
		keys[i] = db_runs_run_key(&id);
	}
	db_rows_free(rows);
	if (!n)
		return 0;
	qsort(keys, n, sizeof(*keys), by_key);
	for (size_t i = 0; i < r->n; i++)
		if (!bsearch(&r->samples[i].run_key, keys, n, sizeof(*keys), by_key))
			r->samples[left++] = r->samples[i];
	r->n = left;
	return 0;
}

static int read_once(struct db *db, struct reading *r, struct db_call *call, struct err *err)
{
	int ret = db_query_telling(db, call, err);

	r->n = r->n_keys = r->n_damaged = 0;
	if (!ret)
		ret = gather(db, r, call->rows, err);
	db_rows_free(call->rows);
	return ret;
}

/*
 * call: asks for what is to be read. Where a checksum is wrong, the packs are made anew from the runs, and read
 * again: a reader sees the right samples, or an error.
 */
static int read_samples(struct db *db, struct reading *r, struct db_call *call, struct err *err)
{
	int ret;

	if (!r->n_series)
		return 0;
	ret = read_once(db, r, call, err);
	if (!ret && r->n_damaged)
		ret = db_packs_mend(db, r->damaged, r->n_damaged, err) || read_once(db, r, call, err) ? -1 : 0;
	if (!ret && r->n_damaged)
		ret = err_set(err, ERR_BUG, "the pack of series %lld stays damaged: `nsecwatchd rebuild` tells more",
			      (long long)r->damaged[0]);
	if (!ret && r->n && db_horizon(db))
		ret = leave_out_later(db, r, db_horizon(db), err);
	if (ret)
		r->n = 0;
	for (size_t i = 0; i < r->n && !db_united_nothing(db); i++)
		r->samples[i].series_id = db_united_main(db, UNITED_SERIES, r->samples[i].series_id);
	return ret;
}

int db_packs_read(struct db *db, struct arena *a, const int64_t *series_ids, size_t n_series,
		  struct sample **samples, size_t *n, struct err *err)
{
	const int64_t *united = db_united_all(db, UNITED_SERIES, a, series_ids, &n_series);
	struct reading r = { .arena = a, .series_ids = united, .n_series = n_series };
	const struct db_arg ids = n_series == 1 ? db_arg_i64(united[0]) : db_arg_i64s(united, n_series);
	struct db_call call = { n_series == 1 ? &read_one : &read_many, &ids, 1, true, NULL };
	int ret = read_samples(db, &r, &call, err);

	*n = r.n;
	*samples = r.samples;
	return ret;
}

#define ORDER(a, b) ((a) < (b) ? -1 : (a) > (b))

/* Those of a kernel together, the newest first. */
static int by_age(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	int order = ORDER(x->series_id, y->series_id);

	if (!order)
		order = ORDER(x->kernel_id, y->kernel_id);
	if (!order)
		order = ORDER(y->started_at, x->started_at);
	return order ? order : ORDER(y->run_key, x->run_key);
}

#define COUNTS 65536

/* Whether a series may have more than `most` of a kernel: counted by hash, in one pass, and never a no too many. */
static bool may_have_more(const struct reading *r, size_t most)
{
	uint32_t *count = arena_array(r->arena, uint32_t, COUNTS);

	for (size_t i = 0; i < r->n; i++) {
		uint64_t hash = ((uint64_t)r->samples[i].series_id * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)r->samples[i].kernel_id) *
				UINT64_C(0xD6E8FEB86659FD93);

		if (++count[hash >> 48] > most)
			return true;
	}
	return false;
}

static void keep_newest(struct reading *r, size_t most)
{
	size_t left = 0, nth = 0;

	if (r->n <= most || !may_have_more(r, most))
		return;
	qsort(r->samples, r->n, sizeof(*r->samples), by_age);
	for (size_t i = 0; i < r->n; i++) {
		bool same = i && r->samples[i].series_id == r->samples[left - 1].series_id &&
			    r->samples[i].kernel_id == r->samples[left - 1].kernel_id;

		nth = same ? nth + 1 : 0;
		if (nth < most)
			r->samples[left++] = r->samples[i];
	}
	r->n = left;
}

int db_packs_read_newest(struct db *db, struct arena *a, const int64_t *series_ids, size_t n_series, size_t most,
			 struct sample **samples, size_t *n, struct err *err)
{
	const int64_t *united = db_united_all(db, UNITED_SERIES, a, series_ids, &n_series);
	struct reading r = { .arena = a, .series_ids = united, .n_series = n_series };
	const struct db_arg args[] = { db_arg_i64s(united, n_series), db_arg_i64((int64_t)most),
				       db_arg_time(db_horizon(db) ? db_horizon(db)->queued_at : TM_NONE),
				       db_arg_i64(PACK_CHUNK_FULL) };
	struct db_call call = { &read_newest, args, 4, true, NULL };
	int ret = read_samples(db, &r, &call, err);

	keep_newest(&r, most);
	*n = r.n;
	*samples = r.samples;
	return ret;
}

/* ---- packing ---- */

static const struct stmt oldest_waiting = {
	"pack_oldest", "SELECT run_id FROM run_todo WHERE what = 'pack' ORDER BY queued_at, run_id LIMIT $1"
};

static const struct stmt last_chunks = {
	"pack_last_chunks",
	"SELECT p.series_id, p.samples, p.body, p.crc32, p.chunk FROM series_pack p"
	" JOIN (SELECT series_id, max(chunk) AS chunk FROM series_pack WHERE series_id = ANY($1) GROUP BY series_id) m"
	" USING (series_id, chunk) ORDER BY p.series_id"
};

static const struct stmt packed_now = {
	"pack_done", "DELETE FROM run_todo WHERE what = 'pack' AND run_id = ANY($1)"
};

struct packing {
	struct arena *arena;
	int max_runs;
	size_t packed;
};

static int find_oldest(struct db *db, struct packing *p, struct uuid **ids, size_t *n, struct err *err)
{
	struct db_rows *rows;

	if (db_query(db, &oldest_waiting, DB_ARGS(db_arg_i64(p->max_runs)), &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*ids = arena_array(p->arena, struct uuid, *n);
	for (size_t i = 0; i < *n; i++)
		db_uuid(rows, (int)i, 0, &(*ids)[i]);
	db_rows_free(rows);
	return 0;
}

/* Samples n of one series behind what its last chunk (row `row`, or -1: none) holds. */
static void append(struct chunk_list *chunks, const struct db_rows *rows, int row, const struct sample *samples, size_t n)
{
	struct sample open[PACK_CHUNK_MAX];
	int64_t chunk = row < 0 ? 0 : db_i64(rows, row, 4);
	size_t have = row < 0 ? 0 : db_packs_store_chunk(rows, row, open), more;

	if (row >= 0 && !have) {	/* damaged: a rebuild's business; what comes in now must not wait for it */
		log_event(LOG_ERROR, "a damaged pack", "series=%lld", (long long)samples->series_id);
		chunk++;
	}
	if (have >= PACK_CHUNK_FULL) {
		have = 0;
		chunk++;
	}
	more = n < PACK_CHUNK_FULL - have ? n : PACK_CHUNK_FULL - have;
	memcpy(open + have, samples, more * sizeof(*samples));
	db_packs_store_add(chunks, chunk, open, have + more);
	db_packs_store_add(chunks, chunk + 1, samples + more, n - more);
}

/* l is sorted by series, as the rows are. */
static int pack_samples(struct db *db, struct arena *a, const struct sample_list *l, struct err *err)
{
	int64_t *series_ids = arena_array(a, int64_t, l->n);
	struct chunk_list chunks = { .arena = a };
	struct db_rows *rows;
	size_t n_series = 0, end;
	int row = 0, ret;

	for (size_t i = 0; i < l->n; i++)
		if (!i || l->v[i].series_id != l->v[i - 1].series_id)
			series_ids[n_series++] = l->v[i].series_id;
	if (!n_series)
		return 0;
	if (db_query(db, &last_chunks, DB_ARGS(db_arg_i64s(series_ids, n_series)), &rows, err))
		return -1;
	for (size_t i = 0; i < l->n; i = end) {
		for (end = i; end < l->n && l->v[end].series_id == l->v[i].series_id; end++)
			;
		bool has_row = row < db_rows_count(rows) && db_i64(rows, row, 0) == l->v[i].series_id;

		append(&chunks, rows, has_row ? row : -1, l->v + i, end - i);
		row += has_row;
	}
	ret = db_packs_store_write(db, &chunks, err);
	db_rows_free(rows);
	return ret;
}

/* The samples of the first of these runs, as many as memory is for; *n becomes how many runs those are. */
static int read_runs(struct db *db, const struct uuid *ids, size_t *n, struct sample_list *l, struct err *err)
{
	struct arena *page = arena_new();
	size_t done = 0, part;
	int ret = 0;

	for (; done < *n && l->n < SAMPLES_MOST && !ret; done += part) {
		part = *n - done < RUNS_AT_ONCE ? *n - done : RUNS_AT_ONCE;
		ret = db_runs_each_of_ids(db, page, ids + done, part, db_packs_store_run, l, err);
		arena_reset(page);
	}
	arena_free(page);
	*n = done;
	return ret;
}

static int pack(struct db *db, void *arg, struct err *err)
{
	struct packing *p = arg;
	struct sample_list l = { 0 };
	struct uuid *ids;
	bool mine;
	size_t n;
	int ret;

	p->packed = 0;
	if (db_packs_store_lock(db, false, &mine, err))
		return -1;
	if (!mine)
		return 0;
	if (find_oldest(db, p, &ids, &n, err))
		return -1;
	if (!n)
		return 0;
	ret = read_runs(db, ids, &n, &l, err);
	db_packs_store_sort(&l);
	if (!ret)
		ret = pack_samples(db, p->arena, &l, err);
	if (!ret)
		ret = db_seen_add(db, ids, n, err);
	if (!ret)
		ret = db_query(db, &packed_now, DB_ARGS(db_arg_uuids(ids, n)), NULL, err);
	db_packs_store_free(&l);
	p->packed = n;
	return ret;
}

int db_packs_work(struct db *db, struct arena *a, int max_runs, size_t *packed, struct err *err)
{
	struct packing p = { .arena = a, .max_runs = max_runs };
	int ret = db_tx(db, pack, &p, DEADLINE_MS, err);

	*packed = ret ? 0 : p.packed;
	return ret;
}

static const struct stmt count_waiting = {
	"pack_count", "SELECT count(*) FROM run_todo WHERE what = 'pack'"
};

int db_packs_waiting(struct db *db, int64_t *runs, struct err *err)
{
	struct db_rows *rows;

	if (db_query(db, &count_waiting, DB_NO_ARGS, &rows, err))
		return -1;
	*runs = db_i64(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}
