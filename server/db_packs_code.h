/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a chunk of a series pack is laid out as bytes. Used by db_packs*.c only. */
#ifndef SERVER_DB_PACKS_CODE_H
#define SERVER_DB_PACKS_CODE_H

#include "../lib/buf.h"
#include "db_runs.h"

#define PACK_CHUNK_MAX 128		/* samples in a chunk */
#define PACK_CHUNK_FULL 96		/* no more are put into one: of 40 bytes each, two chunks fill a page of the table */

/* Appends the bytes of n samples (1 .. PACK_CHUNK_MAX) of one series. */
void db_packs_code_write(struct buf *out, const struct sample *samples, size_t n);

/* Reads them back; series_id is set to what is given. The number of samples, 0 where the bytes are damaged. */
size_t db_packs_code_read(const void *p, size_t len, int64_t series_id, struct sample samples[PACK_CHUNK_MAX]);

uint32_t db_packs_code_crc(const void *p, size_t len);

#endif
