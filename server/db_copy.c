/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_copy.h"

#include <stdlib.h>

#include "../lib/must.h"
#include "db_own.h"

static int failed(struct db *db, PGresult *first, const char *what, struct err *err)
{
	int ret;

	db->sqlstate[0] = 0;
	ret = db_own_failed(db, first, what, err);
	PQclear(first);
	return ret;
}

/* Begins a COPY in this direction. */
static int begin(struct db *db, const char *sql, ExecStatusType direction, struct err *err)
{
	PGresult *r;

	must(db->in_tx);
	if (!db->conn)
		return err_set(err, ERR_UNAVAILABLE, "database: the connection was lost");
	r = PQsendQuery(db->conn, sql) ? PQgetResult(db->conn) : NULL;
	if (PQresultStatus(r) != direction)
		return failed(db, r, "copy", err);
	PQclear(r);
	return 0;
}

/* Takes what follows the rows: the first error counts. */
static int finish(struct db *db, int64_t *rows, struct err *err)
{
	PGresult *r, *bad = NULL;
	bool good = false;

	while ((r = PQgetResult(db->conn))) {
		if (PQresultStatus(r) == PGRES_COMMAND_OK) {
			good = true;
			*rows = strtoll(PQcmdTuples(r), NULL, 10);
		} else if (!bad) {
			bad = r;
			continue;
		}
		PQclear(r);
		if (PQstatus(db->conn) == CONNECTION_BAD)
			break;
	}
	return bad || !good ? failed(db, bad, "copy", err) : 0;
}

int db_copy_out(struct db *db, const char *sql, db_copy_fn fn, void *arg, int64_t *rows, struct err *err)
{
	char *row = NULL;
	int len, ret = 0;

	*rows = 0;
	if (begin(db, sql, PGRES_COPY_OUT, err))
		return -1;
	while ((len = PQgetCopyData(db->conn, &row, 0)) > 0) {
		ret = ret ? ret : fn(row, (size_t)len, arg, err);
		PQfreemem(row);
	}
	if (ret) {
		struct err ignored = { 0 };

		finish(db, rows, &ignored);
		return -1;
	}
	return len == -2 ? failed(db, NULL, "copy", err) : finish(db, rows, err);
}

int db_copy_in(struct db *db, const char *sql, struct err *err)
{
	return begin(db, sql, PGRES_COPY_IN, err);
}

int db_copy_put(struct db *db, const char *rows, size_t len, struct err *err)
{
	const size_t most = 1 << 30;	/* libpq counts in int */
	int64_t n;

	while (len) {
		size_t now = len < most ? len : most;

		if (PQputCopyData(db->conn, rows, (int)now) == 1) {
			rows += now;
			len -= now;
			continue;
		}
		/* what the server had against the rows so far tells more than that it takes no more */
		return finish(db, &n, err) ? -1 : failed(db, NULL, "copy", err);
	}
	return 0;
}

int db_copy_end(struct db *db, const char *why, int64_t *rows, struct err *err)
{
	struct err ignored = { 0 };

	*rows = 0;
	if (!db->conn)
		return why ? 0 : err_set(err, ERR_UNAVAILABLE, "database: the connection was lost");
	if (PQputCopyEnd(db->conn, why) != 1)
		return why ? 0 : failed(db, NULL, "copy", err);
	if (!why)
		return finish(db, rows, err);
	finish(db, rows, &ignored);		/* that it failed is what was asked for */
	return 0;
}
