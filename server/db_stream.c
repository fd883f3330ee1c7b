/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A query whose rows are looked at while the server still makes the next ones: for the few
 * that bring megabytes, which are half of the time of what is made of them.
 */
#include "db_own.h"

#include "../lib/tm.h"

struct stream {
	db_row_fn fn;
	void *arg;
	size_t seen;
};

/* The next result, NULL at the end; waiting for it is waiting for the server. */
static PGresult *next(struct db *db)
{
	int64_t begun = tm_monotonic_usec();
	PGresult *r = PQgetResult(db->conn);

	db->waited_usec += tm_monotonic_usec() - begun;
	return r;
}

/* All results are taken, whatever happens: the link has to be good for the next query. */
static int take(struct db *db, const char *what, struct stream *s, struct err *err)
{
	PGresult *r, *bad = NULL;
	bool whole = false;
	int ret = 0;

	db->sqlstate[0] = 0;
	db->fate = FATE_FINAL;
	while ((r = next(db))) {
		ExecStatusType status = PQresultStatus(r);

		if (status == PGRES_SINGLE_TUPLE) {
			s->seen++;
			ret = ret ? ret : s->fn(db_rows_new(r), s->arg, err);
		} else if (status == PGRES_TUPLES_OK) {		/* none, behind the last row */
			whole = true;
		} else if (!bad) {
			bad = r;
			continue;
		}
		PQclear(r);
		if (PQstatus(db->conn) == CONNECTION_BAD)
			break;
	}
	if (!ret && (bad || !whole))
		ret = db_own_failed(db, bad, what, err);
	PQclear(bad);
	return ret;
}

void db_meanwhile(struct db *db, void (*fn)(void *arg), void *arg)
{
	db->meanwhile.fn = fn;
	db->meanwhile.arg = arg;
}

static void run_meanwhile(struct db *db)
{
	void (*fn)(void *arg) = db->meanwhile.fn;

	db->meanwhile.fn = NULL;
	if (fn)
		fn(db->meanwhile.arg);
}

static int stream(struct db *db, const struct stmt *st, const struct db_arg *args, size_t n, struct stream *s,
		  struct err *err)
{
	if (db_connect(db, err) || db_own_prepare(db, st, args, n, err))
		return -1;
	if (!db_own_send(db, st, args, n) || !PQsetSingleRowMode(db->conn)) {
		db->sqlstate[0] = 0;
		return db_own_failed(db, NULL, st->name, err);
	}
	run_meanwhile(db);
	return take(db, st->name, s, err);
}

static int query_each(struct db *db, const struct stmt *st, const struct db_arg *args, size_t n, db_row_fn fn, void *arg,
		      struct err *err)
{
	struct stream s = { .fn = fn, .arg = arg };
	bool was_up = db->conn != NULL;
	int ret;

	if (db_own_settle(db, err))
		return -1;
	if (db->in_tx && !db->conn)	/* lost before; a new link is not in the transaction */
		return err_set(err, ERR_UNAVAILABLE, "database: the connection was lost");
	ret = stream(db, st, args, n, &s, err);
	/* once more as db_query() does, while nobody has seen a row */
	if (!ret || s.seen || db->in_tx)
		return ret;
	if (db->fate == FATE_STALE)
		db_own_forget(db);
	else if (!was_up || (db->fate != FATE_LOST && db->fate != FATE_READ_ONLY))
		return ret;
	return stream(db, st, args, n, &s, err);
}

int db_query_each(struct db *db, const struct stmt *st, const struct db_arg *args, size_t n, db_row_fn fn, void *arg,
		  struct err *err)
{
	int ret = query_each(db, st, args, n, fn, arg, err);

	db->meanwhile.fn = NULL;
	return ret;
}
