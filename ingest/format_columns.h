/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of tables with a kernel a column: each column of each table is a submission of its own. */
#ifndef INGEST_FORMAT_COLUMNS_H
#define INGEST_FORMAT_COLUMNS_H

#include "format_words.h"

#define FORMAT_COLUMNS_MAX 32

struct format_columns {
	struct format_file *f;
	struct format_lines lines;
	struct format_words words;	/* of the line at hand */
	const char *line;		/* where it begins; the end of the text, at last */
	const char *from;		/* where the lines of the table at hand, or to come, begin */
	size_t tables;			/* in the whole file, as the reader counted them */
	struct draft drafts[FORMAT_COLUMNS_MAX];
	size_t n;			/* columns; 0: not in a table */
};

void format_columns_init(struct format_columns *c, struct format_file *f, size_t tables);

/* The next line into c->words; false at the end of the text. */
bool format_columns_next(struct format_columns *c);

/* Begins a table: n drafts, made by `tool`, to be filled by the reader. */
void format_columns_begin(struct format_columns *c, size_t n, const char *tool);

/* Ends it (also when there is none): each draft is an item, with the lines of its table where there are several. */
void format_columns_end(struct format_columns *c);

/* Takes one row's values, one a column, with what they share in r. */
void format_columns_result(struct format_columns *c, struct draft_result *r, const double *values);

/* The line at hand is no result: told of each column. */
void format_columns_left_out(struct format_columns *c, const char *what);

/* A warning for each column, about the whole table. */
void format_columns_warn(struct format_columns *c, const char *what);

#endif
