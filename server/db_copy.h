/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * COPY, for what moves whole tables: rows as PostgreSQL's text format has them, one a piece with its line end. Inside of
 * db_tx() only: a link that is lost in the middle is the transaction's end.
 */
#ifndef SERVER_DB_COPY_H
#define SERVER_DB_COPY_H

#include "db.h"

/* Gets one row; where it fails no more calls are made, the rest is read and thrown away. It must not use db. */
typedef int (*db_copy_fn)(const char *row, size_t len, void *arg, struct err *err);
/* `sql` is a COPY ... TO STDOUT; *rows: how many there were. */
int db_copy_out(struct db *db, const char *sql, db_copy_fn fn, void *arg, int64_t *rows, struct err *err);

/* `sql` is a COPY ... FROM STDIN; rows go in by _put(), and nothing else is run before _end(). */
int db_copy_in(struct db *db, const char *sql, struct err *err);
int db_copy_put(struct db *db, const char *rows, size_t len, struct err *err);
/* why NULL: that was all, *rows of them; else the COPY is given up, and the transaction with it: 0. */
int db_copy_end(struct db *db, const char *why, int64_t *rows, struct err *err);

#endif
