/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several statements in one round trip, as a transaction of their own or not: see db.h. */
#include "db.h"

#include <string.h>

#include "../lib/must.h"
#include "../lib/tm.h"
#include "db_own.h"

#define CALLS_MAX 8			/* of db_query_all(), with an expectation */

/*
 * The planner thinks a list of ten, which it assumes of a parameter it has not seen, so much dearer than
 * the one or two that come, that it would plan anew each time: longer than these statements take.
 */
static const struct stmt plan_once = {
	"plan_once", "SELECT set_config('plan_cache_mode', 'force_generic_plan', true)"
};

static bool has_list(const struct db_call *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < calls[i].n_args; k++)
			if (calls[i].args[k].type >= DB_I64_ARRAY)
				return true;
	return false;
}

static int prepare_all(struct db *db, const struct db_call *calls, size_t n, struct err *err)
{
	if (db_connect(db, err) || (has_list(calls, n) && db_own_prepare(db, &plan_once, NULL, 0, err)))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (db_own_prepare(db, calls[i].st, calls[i].args, calls[i].n_args, err))
			return -1;
	return 0;
}

static int send_text(struct db *db, const char *sql)
{
	return PQsendQueryParams(db->conn, sql, 0, NULL, NULL, NULL, NULL, 0);
}

/* after: NULL, or what follows as a transaction of its own. */
static int send_all(struct db *db, const struct db_call *calls, size_t n, bool tx, const struct stmt *after)
{
	int sent = PQenterPipelineMode(db->conn) && (!tx || send_text(db, "BEGIN")) &&
		   (!has_list(calls, n) || db_own_send(db, &plan_once, NULL, 0));

	for (size_t i = 0; i < n && sent; i++)
		sent = db_own_send(db, calls[i].st, calls[i].args, calls[i].n_args);
	sent = sent && (!tx || send_text(db, "COMMIT")) && PQpipelineSync(db->conn);
	if (after)
		sent = sent && PQsendQueryPrepared(db->conn, after->name, 0, NULL, NULL, NULL, 1) && PQpipelineSync(db->conn);
	return sent;
}

/* Throws away what comes up to the next sync: 0, or -1 where none comes. */
static int skip_to_sync(struct db *db)
{
	ExecStatusType status = PGRES_COMMAND_OK;
	PGresult *r;

	for (int nulls = 0; status != PGRES_PIPELINE_SYNC && nulls < 2;) {
		r = db_own_result(db);
		nulls += !r;
		status = PQresultStatus(r);
		PQclear(r);
	}
	return status == PGRES_PIPELINE_SYNC ? 0 : -1;
}

/*
 * Each statement's results are followed by a NULL, the sync's are not; behind an error
 * all that follow are PGRES_PIPELINE_ABORTED. It is read to the sync, or the link is given up.
 * committed: NULL, or there are a BEGIN before the calls and a COMMIT behind them.
 */
static int finish_all(struct db *db, struct db_call *calls, size_t n, bool *committed, struct err *err)
{
	size_t at = 0, first = (committed ? 1 : 0) + (has_list(calls, n) ? 1 : 0);	/* BEGIN, plan_once */
	size_t end = n + first;
	ExecStatusType status;
	PGresult *r;
	int ret = 0;

	while (at <= end + (committed ? 1 : 0)) {
		struct db_call *call = at >= first && at < end ? &calls[at - first] : NULL;

		r = db_own_result(db);
		if (!r) {
			at++;
			continue;
		}
		status = PQresultStatus(r);
		if (status == PGRES_TUPLES_OK && call && call->want_rows && !call->rows) {
			call->rows = db_rows_new(r);
			continue;
		}
		if (status == PGRES_COMMAND_OK && committed && at == end)
			*committed = !strcmp(PQcmdStatus(r), "COMMIT");
		if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_PIPELINE_SYNC && !ret)
			ret = db_own_failed(db, r, call ? call->st->name : "commit", err);
		PQclear(r);
		if (status == PGRES_PIPELINE_SYNC || !db->conn)
			return ret;
	}
	return db_own_failed(db, NULL, "pipeline", err);	/* no sync: that link is of no use */
}

static void drop_rows(struct db_call *calls, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		db_rows_free(calls[i].rows);
		calls[i].rows = NULL;
	}
}

void db_own_catch_up(struct db *db)
{
	db->behind = false;
	if (skip_to_sync(db) || !PQexitPipelineMode(db->conn))
		db_own_disconnect(db);
}

/* All of it, there and back; the link is in its usual mode again, or down, or has what came after yet to read. */
static int round_trip(struct db *db, struct db_call *calls, size_t n, bool *committed, const struct stmt *after,
		      struct err *err)
{
	int64_t begun = tm_monotonic_usec();
	int ret;

	db->sqlstate[0] = 0;
	db->fate = FATE_FINAL;
	if (send_all(db, calls, n, committed != NULL, after))
		ret = finish_all(db, calls, n, committed, err);
	else
		ret = db_own_failed(db, NULL, "pipeline", err);
	if (db->conn && after && !ret)
		db->behind = true;	/* whoever waits for this need not wait for that too */
	else if (db->conn && ((after && skip_to_sync(db)) || !PQexitPipelineMode(db->conn)))
		db_own_disconnect(db);
	db_own_waited(db, begun);
	return ret;
}

int db_tx_once(struct db *db, struct db_call *calls, size_t n, const struct stmt *after, struct err *err)
{
	bool committed = false;
	int ret;

	must(!db->in_tx);
	for (size_t i = 0; i < n; i++)
		calls[i].rows = NULL;
	if (db_own_settle(db, err))
		return -1;
	if (prepare_all(db, calls, n, err) || (after && db_own_prepare(db, after, NULL, 0, err)))
		return -1;
	ret = round_trip(db, calls, n, &committed, after, err);
	if (!ret && !committed)
		ret = err_set(err, ERR_BUG, "database: a transaction that was not committed");
	if (ret) {
		db_own_clean_up(db);
		drop_rows(calls, n);
	}
	return ret;
}

static int query_all(struct db *db, struct db_call *calls, size_t n, struct err *err)
{
	int ret = prepare_all(db, calls, n, err);

	if (!ret)
		ret = round_trip(db, calls, n, NULL, NULL, err);
	if (ret)
		drop_rows(calls, n);
	return ret;
}

/* In a transaction, which db_tx() runs again when it must. */
static int query_each(struct db *db, struct db_call *calls, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (db_query(db, calls[i].st, calls[i].args, calls[i].n_args, calls[i].want_rows ? &calls[i].rows : NULL, err)) {
			drop_rows(calls, i);
			return -1;
		}
	return 0;
}

static int query_again(struct db *db, struct db_call *calls, size_t n, struct err *err)
{
	bool was_up = db->conn != NULL;
	struct err hung;
	int ret = query_all(db, calls, n, err);

	hung.kind = ERR_NONE;
	/* as in db_query(): once more, where the link had died unnoticed or a statement was forgotten */
	if (ret && was_up && (db->fate == FATE_LOST || db->fate == FATE_READ_ONLY)) {
		if (db->hung)
			hung = *err;
		ret = query_all(db, calls, n, err) ? db_own_first_reason(db, &hung, err) : 0;
	} else if (ret && db->fate == FATE_STALE) {
		db_own_forget(db);
		ret = query_all(db, calls, n, err);
	}
	return ret;
}

/* ---- what is expected ---- */

void db_expect(struct db *db, const struct stmt *st, const char *expected)
{
	must(!db->in_tx);
	db->expect.st = st;
	db->expect.text = expected;
	db->expect.met = false;
}

/* From what it said, in the last row and this column. */
static int compare(struct db *db, const struct db_rows *rows, int col, struct err *err)
{
	const char *text = db_rows_count(rows) ? db_text(rows, db_rows_count(rows) - 1, col) : NULL;

	db->expect.met = text && !strcmp(text, db->expect.text);
	return db->expect.met ? 0 : err_set(err, ERR_UNAVAILABLE, "database: not as it was a moment ago");
}

int db_own_settle(struct db *db, struct err *err)
{
	const struct stmt *st = db->expect.st;
	struct db_rows *rows;
	int ret;

	if (!st)
		return 0;
	db->expect.st = NULL;
	if (db_query(db, st, NULL, 0, &rows, err))
		return -1;
	ret = compare(db, rows, 0, err);
	db_rows_free(rows);
	return ret;
}

bool db_expected(struct db *db)
{
	struct err ignored = { 0 };

	return !db_own_settle(db, &ignored) && db->expect.met;
}

/* The expectation ahead of the calls. */
static int query_expecting(struct db *db, struct db_call *calls, size_t n, struct err *err)
{
	struct db_call with[CALLS_MAX + 1] = { { db->expect.st, NULL, 0, true, NULL } };
	int ret;

	must(n <= CALLS_MAX);
	memcpy(with + 1, calls, n * sizeof(*calls));
	db->expect.st = NULL;
	ret = query_again(db, with, n + 1, err);
	if (ret)
		return -1;
	ret = compare(db, with[0].rows, 0, err);
	db_rows_free(with[0].rows);
	if (ret)
		drop_rows(with + 1, n);
	memcpy(calls, with + 1, n * sizeof(*calls));
	return ret;
}

int db_query_all(struct db *db, struct db_call *calls, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		calls[i].rows = NULL;
	if (db->in_tx)
		return query_each(db, calls, n, err);
	return db->expect.st ? query_expecting(db, calls, n, err) : query_again(db, calls, n, err);
}

int db_query_telling(struct db *db, struct db_call *call, struct err *err)
{
	bool expects = db->expect.st != NULL;

	db->expect.st = NULL;
	if (db_query_all(db, call, 1, err))
		return -1;
	if (!expects || !compare(db, call->rows, db_rows_columns(call->rows) - 1, err))
		return 0;
	drop_rows(call, 1);
	return -1;
}
