/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One connection: see db.h. Everything libpq can do to us is in this file, db_link.c and db_pipe.c. */
#include "db.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../lib/log.h"
#include "../lib/must.h"
#include "../lib/tm.h"
#include "db_own.h"

#define BACKOFF_FIRST_MS 20
#define BACKOFF_MOST_MS 1000

/* Of all connections of the process. */
static struct {
	struct histogram round_trips;
	_Atomic uint64_t connects, failures, lost;
	_Atomic int64_t open;
} counted;

void db_stats(struct db_stats *out)
{
	histogram_read(&counted.round_trips, &out->round_trips);
	out->connects = counted.connects;
	out->failures = counted.failures;
	out->lost = counted.lost;
	out->open = counted.open;
	out->refused = db_hosts_refused();
}

void db_own_round_trip(int64_t usec)
{
	histogram_add(&counted.round_trips, usec);
}

void db_own_waited(struct db *db, int64_t since)
{
	int64_t usec = tm_monotonic_usec() - since;

	db->waited_usec += usec;
	db_own_round_trip(usec);
}

struct db *db_new(const char *conninfo, const char *application_name, int statement_timeout_ms)
{
	struct db *db = calloc(1, sizeof(*db));

	must(db != NULL);
	db->conninfo = strdup(conninfo);
	db->application_name = strdup(application_name);
	must(db->conninfo && db->application_name);
	db->hosts = db_hosts_of(conninfo);
	db->statement_timeout_ms = statement_timeout_ms;
	buf_init(&db->wire);
	random_bytes(&db->seed, sizeof(db->seed));
	return db;
}

struct db *db_new_reading(const char *conninfo, const char *application_name, int statement_timeout_ms)
{
	struct db *db = db_new(conninfo, application_name, statement_timeout_ms);

	db->reading = true;
	return db;
}

void db_own_opened(void)
{
	counted.open++;
}

void db_own_disconnect(struct db *db)
{
	counted.open -= db->conn != NULL;
	PQfinish(db->conn);
	db->conn = NULL;
	db->behind = db->overdue = false;
	memset(db->prepared, 0, sizeof(db->prepared));
}

void db_free(struct db *db)
{
	if (!db)
		return;
	db_own_disconnect(db);
	free(db->conninfo);
	free(db->application_name);
	buf_fini(&db->wire);
	db_united_drop(db->united);
	free(db);
}

bool db_is_up(struct db *db)
{
	return db->conn != NULL;
}

bool db_in_tx(const struct db *db)
{
	return db->in_tx;
}

int db_socket(struct db *db)
{
	return db->conn ? PQsocket(db->conn) : -1;
}

int64_t db_waited_usec(const struct db *db)
{
	return db->waited_usec;
}

uint64_t db_generation(const struct db *db)
{
	return db->generation;
}

void db_set_horizon(struct db *db, const struct db_horizon *h)
{
	db->has_horizon = h != NULL;
	if (h)
		db->horizon = *h;
}

const struct db_horizon *db_horizon(const struct db *db)
{
	return db->has_horizon ? &db->horizon : NULL;
}

const char *db_sqlstate(const struct db *db)
{
	return db->sqlstate;
}

static enum fate fate_of(const struct db *db)
{
	static const struct {
		const char *state;	/* or its first two characters */
		enum fate fate;
	} fates[] = {
		{ "57P01", FATE_LOST }, { "57P02", FATE_LOST }, { "57P03", FATE_LOST }, { "25P03", FATE_LOST },
		{ "25006", FATE_READ_ONLY }, { "26000", FATE_STALE },
		/* in our statements: "cached plan must not change result type", after a migration */
		{ "0A000", FATE_STALE },
		{ "40001", FATE_AGAIN }, { "40P01", FATE_AGAIN }, { "55P03", FATE_AGAIN }, { "53300", FATE_AGAIN },
		{ "08", FATE_AGAIN },	/* with a good link: another node behind the server is away */
	};

	if (PQstatus(db->conn) == CONNECTION_BAD || !db->sqlstate[0])
		return FATE_LOST;
	for (size_t i = 0; i < sizeof(fates) / sizeof(fates[0]); i++)
		if (!strncmp(db->sqlstate, fates[i].state, strlen(fates[i].state)))
			return fates[i].fate;
	return FATE_FINAL;
}

const char *db_own_line(const char *text, char out[400])
{
	size_t n = strcspn(text, "\n");

	snprintf(out, 400, "%.*s", (int)(n > 399 ? 399 : n), text);
	return out;
}

/*
 * Records the first error of a call. What the sender's data can cause (22: data, 54: a
 * name too long for an index) is told apart from our bugs; a timeout or a full disk may pass,
 * and so does a table or column that `migrate` has not made yet (42P01, 42703).
 */
int db_own_failed(struct db *db, const PGresult *first, const char *what, struct err *err)
{
	const char *state = PQresultErrorField(first, PG_DIAG_SQLSTATE);
	const char *text = PQresultErrorField(first, PG_DIAG_MESSAGE_PRIMARY);
	enum err_kind kind = ERR_BUG;
	char line[400];

	snprintf(db->sqlstate, sizeof(db->sqlstate), "%s", state ? state : "");
	db->fate = fate_of(db);
	db->hung = db->overdue;
	if (db->overdue)
		snprintf(line, sizeof(line), "no answer in %d s", db_own_patience_ms(db) / 1000);
	else
		db_own_line(text ? text : PQerrorMessage(db->conn), line);
	if (db->fate != FATE_FINAL || !strncmp(db->sqlstate, "53", 2) || !strncmp(db->sqlstate, "57", 2) ||
	    !strcmp(db->sqlstate, "42P01") || !strcmp(db->sqlstate, "42703"))
		kind = ERR_UNAVAILABLE;
	else if (!strncmp(db->sqlstate, "22", 2) || !strncmp(db->sqlstate, "54", 2))
		kind = ERR_INVALID;
	if (db->fate == FATE_LOST || db->fate == FATE_READ_ONLY) {
		counted.lost++;
		db_own_disconnect(db);
	}
	return err_set(err, kind, "database: %s: %s%s%s", what, line, db->sqlstate[0] ? " " : "", db->sqlstate);
}

/* The first error counts: after "57P01 terminating connection" a second one without SQLSTATE follows. */
int db_own_finish(struct db *db, int sent, const char *what, PGresult **last, struct err *err)
{
	PGresult *r, *good = NULL, *bad = NULL;
	int64_t begun = tm_monotonic_usec();
	ExecStatusType status;
	int ret = 0;

	db->sqlstate[0] = 0;
	db->fate = FATE_FINAL;
	while (sent && (r = db_own_result(db))) {
		status = PQresultStatus(r);
		if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY) {
			PQclear(good);
			good = r;
		} else if (!bad) {
			bad = r;
		} else {
			PQclear(r);
		}
		if (PQstatus(db->conn) == CONNECTION_BAD)
			break;
	}
	db_own_waited(db, begun);
	if (bad || !good) {
		ret = db_own_failed(db, bad, what, err);
		PQclear(good);
		good = NULL;
	}
	PQclear(bad);
	if (last)
		*last = good;
	else
		PQclear(good);
	return ret;
}

void db_look_around(struct db *db)
{
	if (!db->conn || db->in_tx || db->reading || !db_hosts_look_is_due(db->hosts))
		return;
	db_own_disconnect(db);
	db->look = true;
}

bool db_former_primaries(const struct db *db, struct buf *names)
{
	db_hosts_former(db->hosts, names);
	return names->len > 0;
}

int db_connect(struct db *db, struct err *err)
{
	int64_t begun = tm_monotonic_usec();
	int ret;

	if (db->conn && db->behind)
		db_own_catch_up(db);
	if (db->conn && !db->in_tx && db->epoch != db_hosts_epoch(db->hosts))
		db_own_disconnect(db);		/* to a server that was the primary once */
	if (db->conn)
		return 0;
	db->sqlstate[0] = 0;
	db->fate = FATE_LOST;
	db->hung = false;
	ret = db_own_open(db, err);
	db->waited_usec += tm_monotonic_usec() - begun;
	counted.failures += ret != 0;
	if (ret)
		return -1;
	db->generation++;
	counted.connects++;
	return 0;
}

/* Where st is in the set, or the free place for it. */
static const struct stmt **slot_of(struct db *db, const struct stmt *st)
{
	size_t i = ((uintptr_t)st >> 3) * 0x9E3779B97F4A7C15u >> 32;

	for (size_t tries = 0; tries < STATEMENTS_MAX; tries++, i++)
		if (!db->prepared[i % STATEMENTS_MAX] || db->prepared[i % STATEMENTS_MAX] == st)
			return &db->prepared[i % STATEMENTS_MAX];
	must(!"STATEMENTS_MAX is too small");
	return NULL;
}

#define ARGS_MAX 48

int db_own_prepare(struct db *db, const struct stmt *st, const struct db_arg *args, size_t n, struct err *err)
{
	const struct stmt **slot = slot_of(db, st);
	Oid types[ARGS_MAX];

	must(n <= ARGS_MAX);
	if (*slot)
		return 0;
	for (size_t i = 0; i < n; i++)
		types[i] = db_arg_oid(&args[i]);
	if (db_own_finish(db, PQsendPrepare(db->conn, st->name, st->sql, (int)n, types), st->name, NULL, err))
		return -1;
	*slot = st;
	return 0;
}

/* Hands a prepared statement to libpq, which copies the parameters: 1, or 0 as PQsend*() do. */
int db_own_send(struct db *db, const struct stmt *st, const struct db_arg *args, size_t n)
{
	const char *values[ARGS_MAX];
	int lengths[ARGS_MAX], formats[ARGS_MAX];
	size_t at[ARGS_MAX + 1];

	must(n <= ARGS_MAX);
	buf_clear(&db->wire);
	for (size_t i = 0; i < n; i++) {
		at[i] = db->wire.len;
		if (!db_arg_is_null(&args[i]))
			db_arg_encode(&args[i], &db->wire);
		formats[i] = 1;
	}
	at[n] = db->wire.len;
	for (size_t i = 0; i < n; i++) {	/* now that the buffer moves no more */
		values[i] = db_arg_is_null(&args[i]) ? NULL : db->wire.p + at[i];
		lengths[i] = (int)(at[i + 1] - at[i]);
	}
	return PQsendQueryPrepared(db->conn, st->name, (int)n, values, lengths, formats, 1);
}

static int execute(struct db *db, const struct stmt *st, const struct db_arg *args, size_t n, PGresult **result,
		   struct err *err)
{
	if (db_connect(db, err) || db_own_prepare(db, st, args, n, err))
		return -1;
	return db_own_finish(db, db_own_send(db, st, args, n), st->name, result, err);
}

/* Makes the next execute() prepare everything again. */
void db_own_forget(struct db *db)
{
	struct err ignored = { 0 };

	memset(db->prepared, 0, sizeof(db->prepared));
	if (db_own_finish(db, PQsendQuery(db->conn, "DEALLOCATE ALL"), "deallocate", NULL, &ignored) && db->conn)
		db_own_disconnect(db);
}

int db_query(struct db *db, const struct stmt *st, const struct db_arg *args, size_t n, struct db_rows **rows,
	     struct err *err)
{
	PGresult *result = NULL;
	bool was_up = db->conn != NULL;
	struct err hung;
	int ret;

	hung.kind = ERR_NONE;
	if (rows)
		*rows = NULL;
	if (db_own_settle(db, err))
		return -1;
	if (db->in_tx && !db->conn)	/* lost before; a new link is not in the transaction */
		return err_set(err, ERR_UNAVAILABLE, "database: the connection was lost");
	ret = execute(db, st, args, n, &result, err);
	/*
	 * A link that idled through a restart of the server is found dead only now. Outside of
	 * db_tx() there are only statements that may run twice, so once more, on a new link.
	 */
	if (ret && !db->in_tx && was_up && (db->fate == FATE_LOST || db->fate == FATE_READ_ONLY)) {
		if (db->hung)
			hung = *err;
		ret = execute(db, st, args, n, &result, err) ? db_own_first_reason(db, &hung, err) : 0;
	} else if (ret && !db->in_tx && db->fate == FATE_STALE) {
		db_own_forget(db);
		ret = execute(db, st, args, n, &result, err);
	}
	if (ret)
		return -1;
	if (rows)
		*rows = db_rows_new(result);
	else
		PQclear(result);
	return 0;
}

int db_script(struct db *db, const char *sql, struct err *err)
{
	char name[60];

	if (db_own_settle(db, err))
		return -1;
	if (db->in_tx && !db->conn)
		return err_set(err, ERR_UNAVAILABLE, "database: the connection was lost");
	if (db_connect(db, err))
		return -1;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(sql, "\n"), sql);
	return db_own_finish(db, PQsendQuery(db->conn, sql), name, NULL, err);
}

/* COMMIT of a transaction that failed succeeds with the tag ROLLBACK. */
static int commit(struct db *db, struct err *err)
{
	PGresult *r = NULL;
	bool committed;

	if (!db->conn)
		return err_set(err, ERR_UNAVAILABLE, "database: the connection was lost");
	if (PQtransactionStatus(db->conn) == PQTRANS_IDLE)
		return err_set(err, ERR_BUG, "database: the transaction ended before its time");
	if (db_own_finish(db, PQsendQuery(db->conn, "COMMIT"), "commit", &r, err))
		return -1;
	committed = !strcmp(PQcmdStatus(r), "COMMIT");
	PQclear(r);
	return committed ? 0 : err_set(err, ERR_BUG, "database: a failed transaction was committed");
}

/* After a transaction that failed: the link, if there still is one, is as if nothing had been; the error stays known. */
void db_own_clean_up(struct db *db)
{
	char sqlstate[sizeof(db->sqlstate)];
	enum fate fate = db->fate;
	struct err ignored = { 0 };

	memcpy(sqlstate, db->sqlstate, sizeof(sqlstate));
	if (db->conn && PQtransactionStatus(db->conn) != PQTRANS_IDLE &&
	    db_own_finish(db, PQsendQuery(db->conn, "ROLLBACK"), "rollback", NULL, &ignored) && db->conn)
		db_own_disconnect(db);
	if (db->conn && fate == FATE_STALE)
		db_own_forget(db);
	memcpy(db->sqlstate, sqlstate, sizeof(sqlstate));
	db->fate = fate;
}

int db_own_first_reason(const struct db *db, const struct err *hung, struct err *err)
{
	if (hung->kind && !db->conn)
		*err = *hung;
	return -1;
}

/* One attempt. *fate: why it failed, FATE_FINAL also for what fn itself refused. */
static int attempt(struct db *db, db_tx_fn fn, void *arg, enum fate *fate, struct err *err)
{
	int ret;

	db->fate = FATE_FINAL;
	ret = db_connect(db, err);
	if (!ret)
		ret = db_own_finish(db, PQsendQuery(db->conn, "BEGIN"), "begin", NULL, err);
	if (!ret) {
		db->in_tx = true;
		ret = fn(db, arg, err);
		if (!ret)
			ret = commit(db, err);
		db->in_tx = false;
	}
	*fate = db->fate;
	if (ret)
		db_own_clean_up(db);
	return ret;
}

/* Half of the step is chance, so that workers thrown out together do not come back together. */
static void back_off(struct db *db, int tries, int64_t left_usec)
{
	int64_t ms = BACKOFF_FIRST_MS, usec;

	for (int i = 0; i < tries && ms < BACKOFF_MOST_MS; i++)
		ms *= 2;
	if (ms > BACKOFF_MOST_MS)
		ms = BACKOFF_MOST_MS;
	usec = ms * 500 + rand_r(&db->seed) % (ms * 500);
	if (usec > left_usec)
		usec = left_usec;
	nanosleep(&(struct timespec){ usec / 1000000, usec % 1000000 * 1000 }, NULL);
}

int db_tx(struct db *db, db_tx_fn fn, void *arg, int deadline_ms, struct err *err)
{
	int64_t end = tm_monotonic_usec() + (int64_t)deadline_ms * 1000, left;
	struct err hung;
	enum fate fate;

	must(!db->in_tx);
	hung.kind = ERR_NONE;
	if (db_own_settle(db, err))
		return -1;
	for (int tries = 0;; tries++) {
		if (!attempt(db, fn, arg, &fate, err))
			return 0;
		if (db->hung)
			hung = *err;
		left = end - tm_monotonic_usec();
		if (fate == FATE_FINAL || left <= 0)
			return db_own_first_reason(db, &hung, err);
		if (fate == FATE_STALE && tries > 1)	/* not forgotten but refused: 0A000 has other causes too */
			return err_set(err, ERR_BUG, "%s", err->message);
		/* a link found dead at its first use is not worth a pause */
		if (tries || (fate != FATE_STALE && fate != FATE_LOST))
			back_off(db, tries, left);
	}
}

bool db_notified(struct db *db, const char *channel)
{
	PGnotify *note;
	bool alive, found = false;

	if (!db->conn)
		return false;
	alive = PQconsumeInput(db->conn);
	while ((note = PQnotifies(db->conn))) {
		bool known = false;

		for (int i = 0; i < db->n_channels; i++)
			known |= !strcmp(db->channels[i], note->relname);
		if (!known && db->n_channels < CHANNELS_MAX)
			snprintf(db->channels[db->n_channels++], sizeof(db->channels[0]), "%s", note->relname);
		PQfreemem(note);
	}
	if (!alive || PQstatus(db->conn) == CONNECTION_BAD)
		db_own_disconnect(db);
	for (int i = 0; i < db->n_channels; i++) {
		if (strcmp(db->channels[i], channel))
			continue;
		found = true;
		memmove(db->channels[i], db->channels[db->n_channels - 1], sizeof(db->channels[i]));
		db->n_channels--;
	}
	return found;
}
