/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_packs_store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "../lib/must.h"

struct sample *db_packs_store_more(struct sample_list *l, size_t n)
{
	l->n += n;
	if (l->n > l->cap) {
		l->cap = l->n > l->cap * 2 ? l->n : l->cap * 2;
		l->v = realloc(l->v, l->cap * sizeof(*l->v));
		must(l->v != NULL);
	}
	return l->v + l->n - n;
}

void db_packs_store_free(struct sample_list *l)
{
	free(l->v);
	*l = (struct sample_list){ 0 };
}

int db_packs_store_run(const struct run *run, void *arg, struct err *err)
{
	uint64_t run_key = db_runs_run_key(&run->run_id);
	uint64_t boot_key = db_runs_boot_key(run->machine_id, run->boot_id, &run->run_id);

	(void)err;
	for (size_t i = 0; i < run->n_results; i++) {
		if (run->status[i] != RESULT_OK)
			continue;
		*db_packs_store_more(arg, 1) = (struct sample){
			.series_id = run->series_ids[i], .kernel_id = run->kernel_id,
			.run_key = run_key, .boot_key = boot_key, .started_at = run->started_at,
			.n = run->n[i], .mean = run->mean[i], .stddev = run->stddev[i],
			.min = run->min[i], .max = run->max[i],
		};
	}
	return 0;
}

#define ORDER(a, b) ((a) < (b) ? -1 : (a) > (b))

/* NaN before all numbers: an order that holds for every double. */
static int order_of(double a, double b)
{
	if (isnan(a) || isnan(b))
		return !!isnan(b) - !!isnan(a);
	return ORDER(a, b);
}

static int by_content(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	int order = ORDER(x->series_id, y->series_id);

	if (!order)
		order = ORDER(x->started_at, y->started_at);
	if (!order)
		order = ORDER(x->run_key, y->run_key);
	if (!order)
		order = order_of(x->mean, y->mean);
	if (!order)
		order = ORDER(x->n, y->n);
	if (!order)
		order = order_of(x->stddev, y->stddev);
	if (!order)
		order = order_of(x->min, y->min);
	return order ? order : order_of(x->max, y->max);
}

void db_packs_store_sort(struct sample_list *l)
{
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_content);
}

static const struct stmt try_lock = {
	"pack_try_lock", "SELECT pg_try_advisory_xact_lock(hashtextextended('nsecwatch.series_pack', 0))"
};

static const struct stmt wait_lock = {
	"pack_wait_lock",
	"SELECT set_config('statement_timeout', '0', true),"
	" pg_advisory_xact_lock(hashtextextended('nsecwatch.series_pack', 0))"
};

int db_packs_store_lock(struct db *db, bool wait, bool *mine, struct err *err)
{
	struct db_rows *rows;

	if (db_query(db, wait ? &wait_lock : &try_lock, DB_NO_ARGS, &rows, err))
		return -1;
	*mine = wait || db_bool(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}

size_t db_packs_store_chunk(const struct db_rows *rows, int i, struct sample samples[PACK_CHUNK_MAX])
{
	size_t len, n;
	const void *body = db_bytes(rows, i, 2, &len);

	if (db_packs_code_crc(body, len) != db_i64(rows, i, 3))
		return 0;
	n = db_packs_code_read(body, len, db_i64(rows, i, 0), samples);
	return n == (size_t)db_i64(rows, i, 1) ? n : 0;
}

static void grow(struct chunk_list *l)
{
	size_t cap = l->cap ? l->cap * 2 : 256;

#define GROW(field) l->field = arena_grow(l->arena, l->field, l->cap * sizeof(*l->field), cap * sizeof(*l->field))
	GROW(series_ids);
	GROW(chunks);
	GROW(samples);
	GROW(crcs);
	GROW(kernel_sets);
	GROW(bodies);
	GROW(lengths);
#undef GROW
	l->cap = cap;
}

#define KERNELS_MOST 8		/* in a set that is told */

/* The column kernel_set; 0: NULL. */
static int64_t kernel_set_of(const struct sample *samples, size_t n)
{
	int64_t ids[KERNELS_MOST + 1];
	size_t have = 0, at;

	for (size_t i = 0; i < n; i++) {
		for (at = 0; at < have && ids[at] < samples[i].kernel_id; at++)
			;
		if (at < have && ids[at] == samples[i].kernel_id)
			continue;
		if (have == KERNELS_MOST)
			return 0;
		memmove(ids + at + 1, ids + at, (have - at) * sizeof(*ids));
		ids[at] = samples[i].kernel_id;
		have++;
	}
	return (int64_t)XXH3_64bits(ids, have * sizeof(*ids));
}

void db_packs_store_add(struct chunk_list *l, int64_t chunk, const struct sample *samples, size_t n)
{
	struct buf b;
	size_t part;

	buf_init(&b);
	for (; n; n -= part, samples += part, chunk++) {
		part = n < PACK_CHUNK_FULL ? n : PACK_CHUNK_FULL;
		if (l->n == l->cap)
			grow(l);
		buf_clear(&b);
		db_packs_code_write(&b, samples, part);
		l->series_ids[l->n] = samples->series_id;
		l->chunks[l->n] = chunk;
		l->samples[l->n] = (int64_t)part;
		l->kernel_sets[l->n] = kernel_set_of(samples, part);
		l->crcs[l->n] = db_packs_code_crc(b.p, b.len);
		l->bodies[l->n] = memcpy(arena_alloc(l->arena, b.len), b.p, b.len);
		l->lengths[l->n++] = b.len;
	}
	buf_fini(&b);
}

static const struct stmt write_chunks = {
	"pack_write",
	"INSERT INTO series_pack (series_id, chunk, samples, body, crc32, kernel_set)"
	" SELECT u.series_id, u.chunk::integer, u.samples::smallint, u.body, u.crc32, nullif(u.kernel_set, 0)"
	" FROM unnest($1, $2, $3, $4, $5, $6) u (series_id, chunk, samples, body, crc32, kernel_set)"
	" ON CONFLICT (series_id, chunk) DO UPDATE"
	" SET samples = EXCLUDED.samples, body = EXCLUDED.body, crc32 = EXCLUDED.crc32, kernel_set = EXCLUDED.kernel_set"
};

int db_packs_store_write(struct db *db, const struct chunk_list *l, struct err *err)
{
	if (!l->n)
		return 0;
	return db_query(db, &write_chunks,
			DB_ARGS(db_arg_i64s(l->series_ids, l->n), db_arg_i64s(l->chunks, l->n), db_arg_i64s(l->samples, l->n),
				db_arg_bytess(l->bodies, l->lengths, l->n), db_arg_i64s(l->crcs, l->n),
				db_arg_i64s(l->kernel_sets, l->n)),
			NULL, err);
}
