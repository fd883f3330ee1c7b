/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A query whose rows are looked at while the server still makes the next ones: for the few
 * that bring megabytes, which are half of the time of what is made of them. And two of them at once: to turn
 * arrays into what goes over the wire takes a server process longer than all else.
 */
#include "db_own.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>

#include "../lib/must.h"

#include "../lib/tm.h"

struct stream {
	db_row_fn fn;			/* NULL: rows are thrown away */
	void *arg;
	size_t seen;
};

/* Takes what came for the one beside, whose server process would wait for it; false: nothing more will. */
static bool take_in(struct db *beside)
{
	return PQconsumeInput(beside->conn) && PQstatus(beside->conn) == CONNECTION_OK;
}

/* Sends what is left to be sent; what to wait for. */
static short wanted(const struct db *db)
{
	return PQflush(db->conn) > 0 ? POLLIN | POLLOUT : POLLIN;
}

/* Until there is a result, or an error that db_own_result() tells. */
static void wait_for_both(struct db *db)
{
	int64_t until = db_own_until(db);

	while (PQisBusy(db->conn)) {
		struct pollfd fd[] = { { .fd = PQsocket(db->conn), .events = wanted(db) },
				       { .fd = PQsocket(db->beside->conn), .events = wanted(db->beside) } };

		if (poll(fd, 2, db_own_left_ms(until)) < 0 && errno != EINTR)
			return;
		if (!db_own_left_ms(until))
			return;		/* db_own_result() gives it some more time, and then up */
		if (fd[1].revents && !take_in(db->beside)) {
			db->beside = NULL;
			return;
		}
		if (fd[0].revents && !PQconsumeInput(db->conn))
			return;
	}
}

/* The next result, NULL at the end; waiting for it is waiting for the server. */
static PGresult *next(struct db *db)
{
	int64_t begun = tm_monotonic_usec();
	PGresult *r;

	if (db->beside && !take_in(db->beside))
		db->beside = NULL;
	if (db->beside)
		wait_for_both(db);
	r = db_own_result(db);
	db->waited_usec += tm_monotonic_usec() - begun;
	return r;
}

/* All results are taken, whatever happens: the link has to be good for the next query. */
static int take(struct db *db, const char *what, struct stream *s, struct err *err)
{
	PGresult *r, *bad = NULL;
	int64_t waited = db->waited_usec;
	bool whole = false;
	int ret = 0;

	db->sqlstate[0] = 0;
	db->fate = FATE_FINAL;
	while ((r = next(db))) {
		ExecStatusType status = PQresultStatus(r);

		if (status == PGRES_SINGLE_TUPLE) {
			s->seen++;
			ret = ret || !s->fn ? ret : s->fn(db_rows_new(r), s->arg, err);
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
	db_own_round_trip(db->waited_usec - waited);
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

static int send(struct db *db, const struct stmt *st, const struct db_arg *args, size_t n, struct err *err)
{
	if (db_connect(db, err) || db_own_prepare(db, st, args, n, err))
		return -1;
	if (db_own_send(db, st, args, n) && PQsetSingleRowMode(db->conn))
		return 0;
	db->sqlstate[0] = 0;
	return db_own_failed(db, NULL, st->name, err);
}

static int stream(struct db *db, const struct stmt *st, const struct db_arg *args, size_t n, struct stream *s,
		  struct err *err)
{
	if (send(db, st, args, n, err))
		return -1;
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

/* ---- two at once ---- */

struct db_second {
	pthread_mutex_t lock;
	struct db *db;			/* under lock */
};

struct db_second *db_second_new(const char *conninfo, const char *application_name, int statement_timeout_ms)
{
	struct db_second *s = calloc(1, sizeof(*s));

	must(s != NULL);
	must(!pthread_mutex_init(&s->lock, NULL));
	s->db = db_new(conninfo, application_name, statement_timeout_ms);
	return s;
}

void db_second_free(struct db_second *s)
{
	if (!s)
		return;
	db_free(s->db);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void db_lend(struct db *db, struct db_second *s)
{
	db->second = s;
}

static int one_by_one(struct db *db, const struct stmt *st, const struct db_arg *a, const struct db_arg *b, size_t n,
		      db_row_fn fn, void *arg, struct err *err)
{
	if (db_query_each(db, st, a, n, fn, arg, err))
		return -1;
	return db_query_each(db, st, b, n, fn, arg, err);
}

/* Its query is under way. What fails there before a row was seen is asked again here. */
static int both(struct db *db, struct db *second, const struct stmt *st, const struct db_arg *a, const struct db_arg *b,
		size_t n, db_row_fn fn, void *arg, struct err *err)
{
	int64_t waited = second->waited_usec;
	struct stream s = { .arg = arg };
	struct err failed = { 0 };
	int ret;

	db->beside = second;
	ret = db_query_each(db, st, a, n, fn, arg, err);
	db->beside = NULL;
	s.fn = ret ? NULL : fn;
	if (!take(second, st->name, &s, ret ? &failed : err) || ret)
		goto out;
	if (second->fate == FATE_STALE)
		db_own_forget(second);
	ret = -1;
	if (s.seen)
		goto out;
	*err = failed;
	ret = db_query_each(db, st, b, n, fn, arg, err);
out:
	db->waited_usec += second->waited_usec - waited;
	return ret;
}

int db_query_each_two(struct db *db, const struct stmt *st, const struct db_arg *a, const struct db_arg *b, size_t n,
		      db_row_fn fn, void *arg, struct err *err)
{
	struct db_second *second = db->in_tx ? NULL : db->second;
	struct err failed = { 0 };
	int ret;

	if (!second || pthread_mutex_trylock(&second->lock))
		return one_by_one(db, st, a, b, n, fn, arg, err);
	if (send(second->db, st, b, n, &failed))
		ret = one_by_one(db, st, a, b, n, fn, arg, err);
	else
		ret = both(db, second->db, st, a, b, n, fn, arg, err);
	must(!pthread_mutex_unlock(&second->lock));
	return ret;
}
