/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of a connection, shared by db.c, db_pipe.c and db_stream.c only. */
#ifndef SERVER_DB_OWN_H
#define SERVER_DB_OWN_H

#include <libpq-fe.h>

#include "db_hosts.h"
#include "db_united.h"
#include "db_wire.h"

#define CHANNELS_MAX 8
#define STATEMENTS_MAX 512		/* in the program; a power of two */
#define DB_GRACE_MS 5000		/* past statement_timeout, until the server counts as hung */
enum fate {				/* what the last error means for a transaction */
	FATE_FINAL,
	FATE_AGAIN,			/* as it is, on the same link */
	FATE_STALE,			/* the server forgot a prepared statement, or its plan */
	FATE_READ_ONLY,			/* the wrong server of several: connect anew */
	FATE_LOST,
};

struct db_events_origin;

struct db {
	PGconn *conn;			/* NULL when down */
	char *conninfo, *application_name;
	struct db_hosts *hosts;		/* that conninfo names; shared */
	uint64_t epoch;			/* of theirs, when the link was made */
	int statement_timeout_ms;
	bool reading;			/* a standby will do */
	bool look;			/* all hosts are asked at the next link */
	uint64_t generation;
	int64_t waited_usec;
	char sqlstate[6];
	enum fate fate;
	bool in_tx;
	bool overdue;			/* this link gave no answer in time: it is given up */
	bool hung;			/* the last error was that */
	bool behind;			/* in pipeline mode still, with one more sync to read: db_connect() does */
	const struct stmt *prepared[STATEMENTS_MAX];	/* on this connection: a hash set by address */
	struct {
		const struct stmt *st;	/* NULL: nothing is expected, or it was asked */
		const char *text;
		bool met;
	} expect;
	struct {
		void (*fn)(void *arg);	/* NULL: nothing, or it has run */
		void *arg;
	} meanwhile;
	bool has_horizon;
	struct db_horizon horizon;
	struct db_second *second;	/* lent; or NULL */
	struct db *beside;		/* that has results on their way, too, while this one reads its own; or NULL */
	struct buf wire;		/* the parameters of the call being made */
	struct db_united *united;	/* held; or NULL */
	const struct db_events_origin *origin;	/* borrowed; or NULL */
	char channels[CHANNELS_MAX][64];		/* notified and not yet asked for */
	int n_channels;
	unsigned seed;
};

/* A new link, ready for statements; -1 with why not. See db_link.c. */
int db_own_open(struct db *db, struct err *err);
void db_own_opened(void);			/* counts it; db_own_disconnect() counts it off */
void db_own_disconnect(struct db *db);
/* Takes all results of what was sent (1, or 0 as PQsend*() say); the last one, if it is good, goes to *last, unless NULL. */
int db_own_finish(struct db *db, int sent, const char *what, PGresult **last, struct err *err);
const char *db_own_line(const char *text, char out[400]);	/* a message of libpq without its line ends */
void db_own_waited(struct db *db, int64_t since);	/* for the server, since that monotonic moment: one round trip */
void db_own_round_trip(int64_t usec);			/* the same of waits that are in waited_usec already */
/*
 * The next result, as PQgetResult() has it; where none comes in the longest time that a statement may take and some
 * more, one that is an error without SQLSTATE, and then NULL.
 */
PGresult *db_own_result(struct db *db);
int db_own_patience_ms(const struct db *db);	/* that time; INT_MAX: none */
int64_t db_own_until(const struct db *db);	/* now and that time: monotonic usec, INT64_MAX: for ever */
int db_own_left_ms(int64_t until);		/* for poll(): 0 when it is over, -1 for ever */
/* Records the first error of a call (or NULL: the link's); -1. */
int db_own_failed(struct db *db, const PGresult *first, const char *what, struct err *err);
/* Unless it is prepared on this link already: a round trip. */
int db_own_prepare(struct db *db, const struct stmt *st, const struct db_arg *args, size_t n, struct err *err);
/* Hands a prepared statement to libpq, which copies the parameters: 1, or 0 as PQsend*() do. */
int db_own_send(struct db *db, const struct stmt *st, const struct db_arg *args, size_t n);
void db_own_catch_up(struct db *db);		/* reads what db_tx_once() left unread */
/* After another try: that the server gave no answer says more than that it can't be connected to now. Sets err so; -1. */
int db_own_first_reason(const struct db *db, const struct err *hung, struct err *err);
void db_own_forget(struct db *db);		/* makes the next use of each statement prepare it again */
/* Runs what db_expect() wants run, if it was not yet: by all but db_query_all(), which takes it along. */
int db_own_settle(struct db *db, struct err *err);
/* After a transaction that failed: the link, if there still is one, is as if nothing had been; the error stays known. */
void db_own_clean_up(struct db *db);

#endif
