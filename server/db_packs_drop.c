/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking the samples of one run out of the packs of its series. */
#include <stdlib.h>
#include <string.h>

#include "db_packs.h"
#include "db_packs_store.h"

int db_packs_lock(struct db *db, struct err *err)
{
	bool mine;

	return db_packs_store_lock(db, true, &mine, err);
}

/* All samples of these series but the run's; *n_dropped: how many were the run's. */
static int read_others(struct db *db, const int64_t *series_ids, size_t n, uint64_t run_key, struct sample_list *l,
		       size_t *n_dropped, bool *damaged, struct err *err)
{
	static const struct stmt chunks = {
		"packs_drop_read", "SELECT series_id, samples, body, crc32 FROM series_pack WHERE series_id = ANY($1)"
				   " ORDER BY series_id, chunk"
	};
	struct sample chunk[PACK_CHUNK_MAX];
	struct db_rows *rows;

	*n_dropped = l->n = 0;
	*damaged = false;
	if (db_query(db, &chunks, DB_ARGS(db_arg_i64s(series_ids, n)), &rows, err))
		return -1;
	for (int i = 0; i < db_rows_count(rows); i++) {
		size_t many = db_packs_store_chunk(rows, i, chunk);

		*damaged |= !many;
		for (size_t k = 0; k < many; k++)
			if (chunk[k].run_key == run_key)
				++*n_dropped;
			else
				*db_packs_store_more(l, 1) = chunk[k];
	}
	db_rows_free(rows);
	return 0;
}

/* The series' packs anew, of these samples, which stand by series. */
static int write_others(struct db *db, const int64_t *series_ids, size_t n, const struct sample_list *l, struct err *err)
{
	static const struct stmt drop = { "packs_drop_delete", "DELETE FROM series_pack WHERE series_id = ANY($1)" };
	struct chunk_list chunks = { .arena = arena_new() };
	size_t end;
	int ret = db_query(db, &drop, DB_ARGS(db_arg_i64s(series_ids, n)), NULL, err);

	for (size_t i = 0; i < l->n && !ret; i = end) {
		for (end = i; end < l->n && l->v[end].series_id == l->v[i].series_id; end++)
			;
		db_packs_store_add(&chunks, 0, l->v + i, end - i);
	}
	if (!ret)
		ret = db_packs_store_write(db, &chunks, err);
	arena_free(chunks.arena);
	return ret;
}

#define AT_ONCE 500	/* series whose histories are in memory together */

int db_packs_drop(struct db *db, const struct run *run, struct err *err)
{
	uint64_t key = db_runs_run_key(&run->run_id);
	int ret = 0;

	for (size_t i = 0; i < run->n_results && !ret; i += AT_ONCE) {
		size_t n = run->n_results - i < AT_ONCE ? run->n_results - i : AT_ONCE, dropped;
		struct sample_list l = { 0 };
		bool damaged;

		ret = read_others(db, run->series_ids + i, n, key, &l, &dropped, &damaged, err);
		if (!ret && damaged)
			ret = db_packs_mend(db, run->series_ids + i, n, err) ||
			      read_others(db, run->series_ids + i, n, key, &l, &dropped, &damaged, err) ? -1 : 0;
		if (!ret && dropped)
			ret = write_others(db, run->series_ids + i, n, &l, err);
		db_packs_store_free(&l);
	}
	return ret;
}
