/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables: one description of columns and one set of cells, written as RFC 4180 CSV (raw
 * numbers at full precision) or as text of at most 72 columns that is safe to paste into
 * a mail or a terminal (rounded, with units, no control characters). Everything lives in an arena.
 *
 *	struct table *t = table_new(a, cols, n_cols);
 *	table_row(t);
 *	table_str(t, "milan-01");
 *	table_num(t, 1713, table_value(a, 1713, "ns/call"));
 *	table_csv(out, t) or table_txt(out, t);
 */
#ifndef CHART_TABLE_H
#define CHART_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lib/arena.h"
#include "../lib/buf.h"

#define TABLE_COLUMNS 72	/* no line of text is wider */

enum table_in { TABLE_BOTH, TABLE_CSV, TABLE_TXT };	/* where a column stands */

struct table_col {
	const char *name;	/* in the first line of the CSV */
	const char *head;	/* over the text column; NULL = name */
	bool right;		/* numbers: aligned right, never broken */
	enum table_in in;
};

/* In tables of columns: a string, a number. */
#define TABLE_STR(n) { .name = (n) }
#define TABLE_NUM(n) { .name = (n), .right = true }

struct table;

/* cols is kept by reference and must live as long as the table. */
struct table *table_new(struct arena *a, const struct table_col *cols, size_t n_cols);
size_t table_rows(const struct table *t);

/* Begins a row; then exactly one cell a column, in order, TABLE_CSV and TABLE_TXT ones too. */
void table_row(struct table *t);
void table_str(struct table *t, const char *s);			/* copied; NULL: nothing ("-" as text) */
void table_num(struct table *t, double v, const char *text);	/* text NULL: 3 significant digits; NaN: nothing */
void table_i64(struct table *t, int64_t v);
void table_bool(struct table *t, bool v);			/* true, false; yes, no as text */
void table_none(struct table *t);				/* nothing: empty in CSV, "-" as text */

/*
 * CSV: CRLF, a head line, quotes where RFC 4180 wants them. A string that a spreadsheet
 * would run as a formula (= + - @ TAB CR LF in front) gets a ' before it; numbers do not.
 */
void table_csv(struct buf *out, const struct table *t);

/*
 * Text. Columns of strings are broken into lines where 72 columns do not hold the row;
 * when even that does not help, each row becomes a block of "name: value" lines.
 */
void table_txt(struct buf *out, const struct table *t);

/* A paragraph broken at blanks to 72 columns, each line after the first indented; ends in a newline. */
void table_para(struct buf *out, int indent, const char *text);

/* s without control characters, fit for a line of text. */
const char *table_clean(struct arena *a, const char *s);

/* Numbers for people; "-" for NaN. */
const char *table_sig3(struct arena *a, double v);				/* 3 significant digits: 1710000, 42.5, 0.0123 */
const char *table_value(struct arena *a, double v, const char *unit);	/* "1.71 us" of 1713 ns/call; "144k calls/s" */
const char *table_percent(struct arena *a, double v);			/* "+3.62 %", "-66.6 %" */

#endif
