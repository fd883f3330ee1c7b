/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One PostgreSQL connection and how statements are run on it: prepared on first use,
 * re-prepared after a reconnect, parameters and results in binary. SQL stands in
 * db_*.c only; others pass a struct db on. A struct db belongs to one thread.
 *
 * Which errors mean "try again" and which "the link is lost" follows SQLSTATEs of the
 * FIRST error result and PQstatus(); see db_tx().
 */
#ifndef SERVER_DB_H
#define SERVER_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lib/arena.h"
#include "../lib/buf.h"
#include "../lib/err.h"
#include "../lib/histogram.h"
#include "../lib/ident.h"

struct db;
struct db_rows;			/* a result; owner: whoever got it, db_rows_free() */

struct stmt {
	const char *name;	/* unique in the program */
	const char *sql;
};

/* A parameter: made by the db_arg_*() below, encoded in binary. The data is borrowed until the call returns. */
struct db_arg {
	enum {
		DB_NULL, DB_BOOL, DB_I16, DB_I64, DB_F64, DB_TEXT, DB_JSON, DB_BYTES, DB_UUID, DB_TIME,
		DB_I64_ARRAY, DB_F64_ARRAY, DB_TEXT_ARRAY, DB_I16_ARRAY, DB_UUID_ARRAY, DB_BYTES_ARRAY,
		DB_TIME_ARRAY, DB_BOOL_ARRAY,
	} type;
	size_t n;
	union {
		bool b;
		int64_t i;
		double d;
		const void *p;
	};
	const size_t *lengths;	/* of DB_BYTES_ARRAY */
};

struct db_arg db_arg_null(void);
struct db_arg db_arg_bool(bool b);
struct db_arg db_arg_i16(int i);
struct db_arg db_arg_i64(int64_t i);
struct db_arg db_arg_f64(double d);
struct db_arg db_arg_text(const char *s);			/* NULL: SQL NULL */
struct db_arg db_arg_json(const char *s);			/* jsonb from JSON text; NULL: SQL NULL */
struct db_arg db_arg_bytes(const void *p, size_t n);		/* p NULL: SQL NULL */
struct db_arg db_arg_uuid(const struct uuid *u);		/* NULL: SQL NULL */
struct db_arg db_arg_time(int64_t usec);			/* timestamptz; TM_NONE: SQL NULL */
struct db_arg db_arg_i64s(const int64_t *v, size_t n);		/* bigint[]; v NULL: SQL NULL */
struct db_arg db_arg_i16s(const int16_t *v, size_t n);		/* smallint[] */
struct db_arg db_arg_f64s(const double *v, size_t n);		/* float8[]; a NaN element becomes NULL */
struct db_arg db_arg_texts(const char *const *v, size_t n);	/* text[]; a NULL element becomes NULL */
struct db_arg db_arg_uuids(const struct uuid *v, size_t n);
struct db_arg db_arg_bytess(const void *const *v, const size_t *lengths, size_t n);	/* bytea[] */
struct db_arg db_arg_times(const int64_t *v, size_t n);
struct db_arg db_arg_bools(const bool *v, size_t n);

#define DB_ARGS(...) \
	(const struct db_arg[]){ __VA_ARGS__ }, \
	sizeof((const struct db_arg[]){ __VA_ARGS__ }) / sizeof(struct db_arg)
#define DB_NO_ARGS NULL, 0

/* Connects lazily: db_new() never fails; the first use does, with ERR_UNAVAILABLE, and the next one tries again. */
struct db *db_new(const char *conninfo, const char *application_name, int statement_timeout_ms);
/* The same for questions only: of several servers a hot standby is taken, if there is one, and none has to take writes. */
struct db *db_new_reading(const char *conninfo, const char *application_name, int statement_timeout_ms);
void db_free(struct db *db);
int db_connect(struct db *db, struct err *err);		/* now; 0 when it is up already */
bool db_is_up(struct db *db);
bool db_in_tx(const struct db *db);			/* in the function that db_tx() runs */
int db_socket(struct db *db);				/* for poll(), after LISTEN; -1 when down */
int64_t db_waited_usec(const struct db *db);		/* for the server, in all its life: two readings tell what one job cost */
/* What all connections of the process did, for /metrics. */
struct db_stats {
	struct histogram_sums round_trips;	/* how long the server was waited for, each time */
	uint64_t connects, failures, lost;	/* connections made, refused, lost */
	uint64_t refused;			/* not made: a former primary that takes writes */
	int64_t open;				/* connections now */
};
void db_stats(struct db_stats *out);
/*
 * From time to time, between two statements: of several servers (host=a,b) the next statement asks all which is on the
 * newest timeline, if nobody did of late: so one that was promoted is found while the old one still answers.
 */
void db_look_around(struct db *db);
/* Which of them take writes and must not, by their timeline, when they were asked last: names with commas. Whether any. */
bool db_former_primaries(const struct db *db, struct buf *names);
uint64_t db_generation(const struct db *db);		/* +1 at each (re)connect: what was set on the session is gone */

/* Runs one prepared statement. rows may be NULL. 0, or -1 with err (ERR_UNAVAILABLE: worth a retry; ERR_BUG: not). */
int db_query(struct db *db, const struct stmt *st, const struct db_arg *args, size_t n, struct db_rows **rows,
	     struct err *err);
/*
 * The same with one call a row, as they come: fn gets a result of one row, which is gone after, and must
 * not use db. Where fn fails, no more calls. Some rows may have been
 * seen where this fails.
 */
typedef int (*db_row_fn)(const struct db_rows *row, void *arg, struct err *err);
/* What the next db_query_each() runs once, before its first row, while the server works on them: it must not use db. */
void db_meanwhile(struct db *db, void (*fn)(void *arg), void *arg);
int db_query_each(struct db *db, const struct stmt *st, const struct db_arg *args, size_t n, db_row_fn fn, void *arg,
		  struct err *err);
/*
 * The same for two lists of n arguments, first all rows of `a`, then those of `b`. Where a second connection was lent
 * and nobody else uses it at the moment, the server works on both at once.
 */
int db_query_each_two(struct db *db, const struct stmt *st, const struct db_arg *a, const struct db_arg *b, size_t n,
		      db_row_fn fn, void *arg, struct err *err);

/* A connection that others share, for one statement at a time: see db_query_each_two(). Outlives all it is lent to. */
struct db_second;
struct db_second *db_second_new(const char *conninfo, const char *application_name, int statement_timeout_ms);
void db_second_free(struct db_second *s);		/* accepts NULL */
void db_lend(struct db *db, struct db_second *s);

/* Runs text of one or more statements without parameters (migrations, LISTEN). */
int db_script(struct db *db, const char *sql, struct err *err);
const char *db_sqlstate(const struct db *db);		/* of the last error: "23505", or "" */

/*
 * Runs fn in a transaction (BEGIN .. COMMIT, its tag checked). Lost links, 40001,
 * 40P01, 57P0x, 25006, 53300, 55P03 are retried on a fresh connection with capped,
 * jittered back-off, `fn` being run again from its start: it must carry keys that make a second run
 * harmless. Retries end at deadline_ms from now: ERR_UNAVAILABLE.
 */
typedef int (*db_tx_fn)(struct db *db, void *arg, struct err *err);
int db_tx(struct db *db, db_tx_fn fn, void *arg, int deadline_ms, struct err *err);

/*
 * BEGIN, all the calls, COMMIT (its tag checked), in one round trip and one attempt, for what is written often.
 * rows of each call become the caller's, if it asked (want_rows). On -1 nothing was done, or, where
 * the link was lost, perhaps everything: to be followed by db_tx() with a key. `after` (no
 * parameters, or NULL) goes with it as a transaction of its own, whose failure nobody minds.
 */
struct db_call {
	const struct stmt *st;
	const struct db_arg *args;
	size_t n_args;
	bool want_rows;
	struct db_rows *rows;		/* out; NULL on -1 */
};
int db_tx_once(struct db *db, struct db_call *calls, size_t n, const struct stmt *after, struct err *err);

/*
 * Statements that may run twice, in one round trip (in db_tx(): one after the other): each sees what was committed
 * when it began, and they run in this order. Fails whole.
 */
int db_query_all(struct db *db, struct db_call *calls, size_t n, struct err *err);
/* The same of one call, the last column of whose last row is what db_expect() asks for: that is not asked apart. */
int db_query_telling(struct db *db, struct db_call *call, struct err *err);

/*
 * Before the next statement that is run, `st` is (no parameters, one text): in the same round trip, where that is
 * db_query_all(), and not at all where that is db_query_telling(). Where it says anything but `expected` (borrowed), that statement fails, and those after
 * it run as usual. db_expected() runs st, if nothing did, ends this, and tells whether it said so.
 */
void db_expect(struct db *db, const struct stmt *st, const char *expected);
bool db_expected(struct db *db);

/*
 * A place in the order in which runs came. With one set, reads of packs on this connection leave out the runs that
 * still wait for a check behind it: they show what there was when it was the newest. NULL: all there is.
 */
struct db_horizon {
	int64_t queued_at;
	struct uuid run_id;
};
void db_set_horizon(struct db *db, const struct db_horizon *h);	/* copied */
const struct db_horizon *db_horizon(const struct db *db);

/* Results. Out-of-range and wrong types are bugs: must(). Pointers die with the rows. */
void db_rows_free(struct db_rows *rows);		/* accepts NULL */
int db_rows_count(const struct db_rows *rows);
bool db_is_null(const struct db_rows *rows, int row, int col);
bool db_bool(const struct db_rows *rows, int row, int col);
int64_t db_i64(const struct db_rows *rows, int row, int col);		/* smallint, integer, bigint */
double db_f64(const struct db_rows *rows, int row, int col);		/* NULL: NaN */
const char *db_text(const struct db_rows *rows, int row, int col);	/* text, json, jsonb; NULL: NULL */
const void *db_bytes(const struct db_rows *rows, int row, int col, size_t *n);
void db_uuid(const struct db_rows *rows, int row, int col, struct uuid *u);
int64_t db_time(const struct db_rows *rows, int row, int col);		/* NULL: TM_NONE */
/* Arrays, decoded into the arena; NULL array: n = 0 and NULL. A NULL float8 element is NaN, a NULL text NULL. */
int64_t *db_i64s(struct arena *a, const struct db_rows *rows, int row, int col, size_t *n);
int16_t *db_i16s(struct arena *a, const struct db_rows *rows, int row, int col, size_t *n);
double *db_f64s(struct arena *a, const struct db_rows *rows, int row, int col, size_t *n);
char **db_texts(struct arena *a, const struct db_rows *rows, int row, int col, size_t *n);
struct uuid *db_uuids(struct arena *a, const struct db_rows *rows, int row, int col, size_t *n);
int64_t *db_times(struct arena *a, const struct db_rows *rows, int row, int col, size_t *n);

/* Async notifications since the last call: true when `channel` was among them. */
bool db_notified(struct db *db, const char *channel);

#endif
