/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What db_packs.c and db_packs_rebuild.c share: samples in a growing list, and chunks in and out of the table. */
#ifndef SERVER_DB_PACKS_STORE_H
#define SERVER_DB_PACKS_STORE_H

#include "db_packs_code.h"

struct sample_list {
	struct sample *v;		/* on the heap: db_packs_store_free() */
	size_t n, cap;
};

struct sample *db_packs_store_more(struct sample_list *l, size_t n);	/* room for n more, counted in */
void db_packs_store_free(struct sample_list *l);

/* Appends the good results of a run; for db_runs_each_of_*(): arg is a struct sample_list. */
int db_packs_store_run(const struct run *run, void *arg, struct err *err);

/* By series, then by what tells samples apart: equal lists hold equal samples. */
void db_packs_store_sort(struct sample_list *l);

/* Who packs or rebuilds holds this until the end of the transaction; wait = false: *mine tells. */
int db_packs_store_lock(struct db *db, bool wait, bool *mine, struct err *err);

/* Reads columns series_id, samples, body, crc32 of row i: the samples, or 0 where the chunk is damaged. */
size_t db_packs_store_chunk(const struct db_rows *rows, int i, struct sample samples[PACK_CHUNK_MAX]);

/* Chunks to be written, all in one statement. */
struct chunk_list {
	struct arena *arena;
	int64_t *series_ids, *chunks, *samples, *crcs, *kernel_sets;
	const void **bodies;
	size_t *lengths;
	size_t n, cap;
};

/* Cuts samples of one series into chunks, numbered from `chunk` on. */
void db_packs_store_add(struct chunk_list *l, int64_t chunk, const struct sample *samples, size_t n);
int db_packs_store_write(struct db *db, const struct chunk_list *l, struct err *err);

#endif
