/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of CSV (RFC 4180; also with ';' or tabs), cell by cell, for the readers of tables. */
#ifndef INGEST_FORMAT_CELLS_H
#define INGEST_FORMAT_CELLS_H

#include "format.h"

#define FORMAT_CELLS_MAX 256

struct format_cells {
	struct arena *a;
	struct buf *scratch;		/* the caller's */
	const char *at, *end;		/* the rest of the text */
	size_t line, row_line;		/* of `at`; of the row's first byte */
	char delimiter;
	const char *cells[FORMAT_CELLS_MAX];	/* of the row at hand, in the arena, trimmed */
	size_t n_cells;			/* what is more than FORMAT_CELLS_MAX is lost */
};

/* A text whose delimiter is the one that stands most often in its first line. */
void format_cells_init(struct format_cells *c, struct arena *a, struct buf *scratch, const char *text, size_t len);

/* The next row that is not blank: 1, 0 at the end, -1 at a quote that never closes. */
int format_cells_row(struct format_cells *c);

#endif
