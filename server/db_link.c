/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a link comes about: to the right server, on the right timeline, with the settings that every session wants. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/log.h"
#include "../lib/num.h"
#include "../lib/tm.h"
#include "db_own.h"

#define OWN_OPTIONS 9		/* before those of one host */
#define OPTIONS_MAX 16
#define ASK_USEC 2000000	/* that another host is given to say how far it is */

/* As PQconnectdbParams() takes them. What stands before dbname are defaults: the operator's conninfo wins. */
struct options {
	const char *keys[OPTIONS_MAX], *values[OPTIONS_MAX];
};

static struct options options_of(const struct db *db, const char *timeout_s)
{
	return (struct options){
		{ "connect_timeout", "tcp_user_timeout", "keepalives_idle", "keepalives_interval", "keepalives_count",
		  "target_session_attrs", "dbname", "application_name", "client_encoding", NULL },
		{ timeout_s, "10000", "10", "5", "3", db->reading ? "prefer-standby" : "read-write", db->conninfo, db->application_name,
		  "UTF8", NULL },
	};
}

static void notice(void *arg, const PGresult *r)
{
	char quoted[400], line[400];

	(void)arg;
	db_own_line(PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY) ? PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY) : "", line);
	log_event(LOG_WARN, "database notice", "text=%s", log_quote(quoted, sizeof(quoted), line));
}

/* ---- timelines ---- */

/*
 * Of a primary: the first eight digits of the name of the file that it writes to. pg_control_checkpoint() tells a
 * promotion only after the checkpoint that follows it.
 */
#define PRIMARY_TIMELINE "('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint"
#define CLUSTER "(SELECT system_identifier FROM pg_control_system())"

static int64_t number_of(const PGresult *r, int column)
{
	int64_t n = 0;

	if (r && PQntuples(r) == 1 && !PQgetisnull(r, 0, column))
		num_parse_i64(PQgetvalue(r, 0, column), strlen(PQgetvalue(r, 0, column)), &n);
	return n;
}

/* NULL where no answer comes in time: a server that is stopped ends no statement by itself. */
static PGresult *ask_in_time(PGconn *conn, const char *sql)
{
	int64_t until = tm_monotonic_usec() + ASK_USEC;

	if (!PQsendQuery(conn, sql))
		return NULL;
	while (PQisBusy(conn)) {
		struct pollfd fd = { .fd = PQsocket(conn), .events = POLLIN };

		if (poll(&fd, 1, db_own_left_ms(until)) <= 0 || !PQconsumeInput(conn))
			return NULL;
	}
	return PQgetResult(conn);
}

/* The timeline of one host, whatever it is now: a standby's is that of the primary it follows. 0: it does not say. */
static struct db_timeline ask_timeline(const struct db *db, int host)
{
	static const char sql[] = "SELECT CASE WHEN pg_is_in_recovery() THEN coalesce((SELECT received_tli FROM pg_stat_wal_receiver),"
				  " (SELECT timeline_id FROM pg_control_checkpoint())) ELSE " PRIMARY_TIMELINE " END, " CLUSTER;
	struct options o = options_of(db, "2");
	struct db_timeline timeline = { 0 };
	PGconn *conn;

	db_hosts_of_one(db->hosts, host, o.keys, o.values, OWN_OPTIONS);
	o.keys[OWN_OPTIONS + 3] = "target_session_attrs";
	o.values[OWN_OPTIONS + 3] = "any";
	o.keys[OWN_OPTIONS + 4] = NULL;
	conn = PQconnectdbParams(o.keys, o.values, 1);
	if (PQstatus(conn) == CONNECTION_OK) {
		PGresult *r = ask_in_time(conn, sql);

		timeline = (struct db_timeline){ number_of(r, 1), number_of(r, 0) };
		PQclear(r);
	}
	PQfinish(conn);
	return timeline;
}

/* A process that has just started knows of no promotion: the others do. */
static void ask_others(struct db *db, int host)
{
	for (int i = 0; i < db_hosts_count(db->hosts); i++)
		if (i != host)
			db_hosts_saw(db->hosts, ask_timeline(db, i));
}

/* Of several servers only the primary that was promoted last is written to: libpq itself takes the first that can be. */
static int admit(struct db *db, int host, struct db_timeline t, struct err *err)
{
	struct db_timeline newest = db_hosts_timeline(db->hosts);

	if (!newest.number || db->look)
		ask_others(db, host);
	db->look = false;
	if (db_hosts_admit(db->hosts, host, t))
		return 0;
	return err_set(err, ERR_UNAVAILABLE, "database: %s was the primary once (its timeline is %lld, and %lld was seen): make it a "
		       "standby of the present one (pg_rewind)", PQhost(db->conn), (long long)t.number,
		       (long long)db_hosts_timeline(db->hosts).number);
}

/* ---- a session ---- */

/*
 * What every session wants; *timeline: of a primary, else 0. As a statement and not in the conninfo's `options`, which the
 * operator may use. enable_seqscan: a prepared statement keeps its plan, and one made while
 * a table was small would read all of it when it no longer is; every statement here has its index.
 * jit: takes longer than any of them. synchronous_commit: off, somebody's default for other
 * programs, would acknowledge uploads that a crash then loses.
 */
static int set_up(struct db *db, struct db_timeline *timeline, struct err *err)
{
	static const char sql[] =
		"SELECT CASE WHEN NOT pg_is_in_recovery() THEN " PRIMARY_TIMELINE " END, " CLUSTER ", set_config('statement_timeout', $1, false),"
		" set_config('idle_in_transaction_session_timeout', '60000', false),"
		" set_config('TimeZone', 'UTC', false), set_config('search_path', 'nsecwatch', false),"
		" set_config('client_min_messages', 'warning', false),"
		" set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false),"
		" set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), false)";
	char timeout[16];
	const char *values[1] = { timeout };
	PGresult *r = NULL;

	snprintf(timeout, sizeof(timeout), "%d", db->statement_timeout_ms);
	if (db_own_finish(db, PQsendQueryParams(db->conn, sql, 1, NULL, values, NULL, NULL, 0), "session", &r, err))
		return -1;
	*timeline = (struct db_timeline){ number_of(r, 1), number_of(r, 0) };
	PQclear(r);
	return 0;
}

/* To the one server, or to any of those that libpq finds. */
static PGconn *connect_one(const struct options *o, struct buf *why)
{
	PGconn *conn = PQconnectdbParams(o->keys, o->values, 1);
	char line[400];

	if (PQstatus(conn) == CONNECTION_OK)
		return conn;
	buf_puts(why, db_own_line(conn ? PQerrorMessage(conn) : "out of memory", line));
	PQfinish(conn);
	return NULL;
}

/* To the right one of several, those `without` left out, or to the one there is. */
static int connect_to(struct db *db, bool several, uint32_t without, int *host, struct err *err)
{
	struct options o = options_of(db, "5");
	struct buf why;

	buf_init(&why);
	db->conn = several ? db_hosts_connect(db->hosts, o.keys, o.values, OWN_OPTIONS, without, host, &why) : connect_one(&o, &why);
	if (!db->conn)
		err_set(err, ERR_UNAVAILABLE, "database: %.*s", (int)why.len, why.p ? why.p : "");
	buf_fini(&why);
	if (!db->conn)
		return -1;
	db_own_opened();
	PQsetNoticeReceiver(db->conn, notice, NULL);
	if (db->statement_timeout_ms)	/* a server that reads no more would else stop us in the middle of a long body */
		PQsetnonblocking(db->conn, 1);
	return 0;
}

int db_own_open(struct db *db, struct err *err)
{
	bool several = db_hosts_several(db->hosts) && !db->reading;	/* "a standby, else any" is a matter of all: libpq's */
	uint64_t epoch = db_hosts_epoch(db->hosts);
	struct err former = { 0 };
	uint32_t without = 0;
	struct db_timeline timeline;
	int host = 0;

	for (;;) {
		if (connect_to(db, several, without, &host, err)) {
			if (former.kind)
				*err = former;	/* that tells more than why the others can't be reached */
			return -1;
		}
		if (set_up(db, &timeline, err)) {
			db_own_disconnect(db);
			return -1;
		}
		if (db->reading || !admit(db, host, timeline, &former))
			break;
		db_own_disconnect(db);
		if (!several) {		/* its address leads to another one than before */
			*err = former;
			return -1;
		}
		without |= UINT32_C(1) << host;
	}
	db->epoch = several ? db_hosts_epoch(db->hosts) : epoch;
	return 0;
}
