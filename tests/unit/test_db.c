/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One connection: values there and back, transactions that are run again, links that die. */
#include "pg.h"
#include "tap.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>

#include "../../lib/must.h"
#include "../../lib/tm.h"

static const struct stmt echo = {
	"t_echo", "SELECT $1::boolean, $2::smallint, $3::bigint, $4::float8, $5::text, $6::jsonb, $7::bytea, $8::uuid,"
	" $9::timestamptz"
};
static const struct stmt echo_arrays = {
	"t_echo_arrays", "SELECT $1::bigint[], $2::float8[], $3::text[], $4::smallint[], $5::uuid[], $6::timestamptz[],"
	" $7::bytea[], $8::boolean[], ($7::bytea[])[2], ($8::boolean[])[1]"
};

static void test_values(struct db *db, struct arena *a)
{
	const uint8_t bytes[3] = { 0, 255, 7 };
	struct uuid u, v;
	struct db_rows *r;
	struct err err;
	size_t n;

	uuid_v7(&u);
	ok(!db_query(db, &echo, DB_ARGS(db_arg_bool(true), db_arg_i16(-7), db_arg_i64(INT64_MIN), db_arg_f64(-0.1),
					db_arg_text("é'\\"), db_arg_json("{\"a\":1}"), db_arg_bytes(bytes, 3),
					db_arg_uuid(&u), db_arg_time(INT64_C(1770995280123456))), &r, &err),
	   "one of each type");
	ok(db_bool(r, 0, 0) && db_i64(r, 0, 1) == -7 && db_i64(r, 0, 2) == INT64_MIN && db_f64(r, 0, 3) == -0.1,
	   "numbers come back");
	is_str(db_text(r, 0, 4), "é'\\", "text comes back");
	is_str(db_text(r, 0, 5), "{\"a\": 1}", "jsonb comes back");
	ok(!memcmp(db_bytes(r, 0, 6, &n), bytes, 3) && n == 3, "bytes come back");
	db_uuid(r, 0, 7, &v);
	ok(uuid_equal(&u, &v), "a uuid comes back");
	ok(db_time(r, 0, 8) == INT64_C(1770995280123456), "a time comes back");
	db_rows_free(r);

	ok(!db_query(db, &echo, DB_ARGS(db_arg_null(), db_arg_null(), db_arg_null(), db_arg_null(), db_arg_text(NULL),
					db_arg_json(NULL), db_arg_bytes(NULL, 0), db_arg_uuid(NULL),
					db_arg_time(TM_NONE)), &r, &err), "NULLs of each type");
	n = 0;
	for (int i = 0; i < 9; i++)
		n += db_is_null(r, 0, i);
	ok(n == 9, "they come back as NULL");
	ok(isnan(db_f64(r, 0, 3)) && !db_text(r, 0, 4) && db_time(r, 0, 8) == TM_NONE, "and read as such");
	db_rows_free(r);
	(void)a;
}

static void test_arrays(struct db *db, struct arena *a)
{
	const int64_t i64s[] = { 1, -2, INT64_MAX }, times[] = { 0, TM_NONE, INT64_C(1770995280000000) };
	const double f64s[] = { 1.5, NAN, -3e300 };
	const char *texts[] = { "a", NULL, "" };
	const int16_t i16s[] = { 0, -32768, 2 };
	const void *bytes[] = { "x", "\0z" };
	const size_t lengths[] = { 1, 2 };
	const bool bools[] = { true, false };
	struct uuid uuids[2];
	struct db_rows *r;
	struct err err;
	size_t n, len;

	uuid_v7(&uuids[0]);
	uuid_v7(&uuids[1]);
	ok(!db_query(db, &echo_arrays,
		     DB_ARGS(db_arg_i64s(i64s, 3), db_arg_f64s(f64s, 3), db_arg_texts(texts, 3), db_arg_i16s(i16s, 3),
			     db_arg_uuids(uuids, 2), db_arg_times(times, 3), db_arg_bytess(bytes, lengths, 2),
			     db_arg_bools(bools, 2)), &r, &err), "arrays");
	ok(!memcmp(db_i64s(a, r, 0, 0, &n), i64s, sizeof(i64s)) && n == 3, "bigint[]");
	double *d = db_f64s(a, r, 0, 1, &n);
	ok(n == 3 && d[0] == 1.5 && isnan(d[1]) && d[2] == -3e300, "float8[] with a NULL");
	char **t = db_texts(a, r, 0, 2, &n);
	ok(n == 3 && !strcmp(t[0], "a") && !t[1] && !strcmp(t[2], ""), "text[] with a NULL");
	ok(!memcmp(db_i16s(a, r, 0, 3, &n), i16s, sizeof(i16s)), "smallint[]");
	ok(!memcmp(db_uuids(a, r, 0, 4, &n), uuids, sizeof(uuids)) && n == 2, "uuid[]");
	ok(!memcmp(db_times(a, r, 0, 5, &n), times, sizeof(times)), "timestamptz[]");
	ok(!memcmp(db_bytes(r, 0, 8, &len), "\0z", 2) && len == 2 && db_bool(r, 0, 9), "bytea[] and boolean[]");
	db_rows_free(r);
	ok(!db_query(db, &echo_arrays,
		     DB_ARGS(db_arg_i64s(NULL, 0), db_arg_f64s(f64s, 0), db_arg_texts(NULL, 0), db_arg_i16s(NULL, 0),
			     db_arg_uuids(NULL, 0), db_arg_times(NULL, 0), db_arg_bytess(NULL, NULL, 0),
			     db_arg_bools(NULL, 0)), &r, &err), "no array, and an empty one");
	ok(!db_i64s(a, r, 0, 0, &n) && n == 0, "a NULL array is NULL");
	ok(db_f64s(a, r, 0, 1, &n) && n == 0, "an empty one is not");
	db_rows_free(r);
}

static const struct stmt backend_pid = { "t_pid", "SELECT pg_backend_pid()" };
static const struct stmt terminate = { "t_terminate", "SELECT pg_terminate_backend($1::bigint::int, 5000)" };

static int64_t pid_of(struct db *db)
{
	struct db_rows *r;
	struct err err;
	int64_t pid = 0;

	if (!db_query(db, &backend_pid, DB_NO_ARGS, &r, &err))
		pid = db_i64(r, 0, 0);
	db_rows_free(r);
	return pid;
}

static void test_lost(struct db *db, struct db *other)
{
	int64_t pid = pid_of(db);
	uint64_t generation = db_generation(db);
	struct err err;

	ok(!db_query(other, &terminate, DB_ARGS(db_arg_i64(pid)), NULL, &err), "a backend is terminated while idle");
	ok(pid_of(db) != pid && db_generation(db) == generation + 1, "the next query connects anew and succeeds");
}

/* Kills its own connection the first `kills` times, at a chosen place. */
struct tx {
	struct db *other;
	int runs, kills;
	bool raise, late;
	const char *sql;
};

static const struct stmt insert = { "t_insert", "INSERT INTO t_tx (k) VALUES ($1) ON CONFLICT DO NOTHING" };

static int tx_body(struct db *db, void *arg, struct err *err)
{
	struct tx *t = arg;
	struct err ignored;
	bool kill_now = t->runs++ < t->kills;

	if (kill_now && !t->late)
		db_query(t->other, &terminate, DB_ARGS(db_arg_i64(pid_of(db))), NULL, &ignored);
	if (db_query(db, &insert, DB_ARGS(db_arg_i64(1)), NULL, err))
		return -1;
	if (kill_now && t->late)
		db_query(t->other, &terminate, DB_ARGS(db_arg_i64(pid_of(db))), NULL, &ignored);
	return t->sql ? db_script(db, t->sql, err) : 0;
}

static const struct stmt count = { "t_count", "SELECT count(*) FROM t_tx" };

static int64_t count_rows(struct db *db)
{
	struct db_rows *r = NULL;
	struct err err;
	int64_t n = -1;

	if (!db_query(db, &count, DB_NO_ARGS, &r, &err))
		n = db_i64(r, 0, 0);
	db_rows_free(r);
	return n;
}

static void test_tx(struct db *db, struct db *other)
{
	struct tx t = { .other = other, .kills = 2 };
	struct err err;

	ok(!db_script(db, "CREATE TABLE t_tx (k bigint PRIMARY KEY)", &err), "a table");
	ok(!db_tx(db, tx_body, &t, 5000, &err) && t.runs == 3, "a transaction whose link dies is run again from its start");
	t = (struct tx){ .other = other, .kills = 1, .late = true };
	ok(!db_tx(db, tx_body, &t, 5000, &err) && t.runs == 2, "also when the link dies before COMMIT");
	ok(count_rows(db) == 1, "and did its work once");

	t = (struct tx){ .other = other, .sql = "SELECT 1/0" };
	ok(db_tx(db, tx_body, &t, 5000, &err) && t.runs == 1 && err.kind == ERR_INVALID, "an error of the data is final");
	is_str(db_sqlstate(db), "22012", "its SQLSTATE is known");
	t = (struct tx){ .other = other,
			 .sql = "DO $$ BEGIN RAISE EXCEPTION 'try again' USING ERRCODE = '40001'; END $$" };
	ok(db_tx(db, tx_body, &t, 300, &err) && t.runs > 2 && err.kind == ERR_UNAVAILABLE,
	   "40001 is tried again until the deadline (%d runs)", t.runs);
	t = (struct tx){ .other = other, .sql = "ROLLBACK" };
	ok(db_tx(db, tx_body, &t, 300, &err), "COMMIT without a transaction is not taken for success");
	t = (struct tx){ .other = other };
	ok(!db_tx(db, tx_body, &t, 300, &err), "the connection is good afterwards");
}

static int swallow(struct db *db, void *arg, struct err *err)
{
	struct err ignored;

	(void)arg;
	(void)err;
	db_script(db, "SELECT 1/0", &ignored);
	return 0;
}

static void test_swallowed(struct db *db)
{
	struct err err;

	ok(db_tx(db, swallow, NULL, 1000, &err), "COMMIT of a failed transaction (tag ROLLBACK) is an error");
}

static const struct stmt divide = { "t_divide", "SELECT 1 / $1::bigint" };
static const struct stmt deferred = { "t_deferred", "INSERT INTO t_deferred (k) VALUES ($1)" };
static const struct stmt kill_self = { "t_kill_self", "SELECT pg_terminate_backend(pg_backend_pid(), $1)" };

static const struct stmt broken = { "t_broken", "SELECT 1 / (SELECT count(*) FROM t_deferred WHERE k < 0)" };
static const struct stmt kill_now = { "t_kill_now", "SELECT pg_terminate_backend(pg_backend_pid(), 1)" };

/* BEGIN to COMMIT in one round trip. */
static void test_once(struct db *db)
{
	const struct db_arg one[] = { db_arg_i64(1) }, seven[] = { db_arg_i64(7) }, zero[] = { db_arg_i64(0) };
	struct db_call calls[3] = { { &insert, seven, 1, true, NULL }, { &divide, one, 1, true, NULL }, { &count, NULL, 0, false, NULL } };
	struct err err;

	ok(!db_tx_once(db, calls, 3, NULL, &err) && db_rows_count(calls[0].rows) == 0 && db_i64(calls[1].rows, 0, 0) == 1 && !calls[2].rows,
	   "several statements, and the rows that were asked for");
	db_rows_free(calls[0].rows);
	db_rows_free(calls[1].rows);
	ok(count_rows(db) == 2, "are committed");
	calls[0].args = zero;
	calls[1].args = zero;
	ok(db_tx_once(db, calls, 3, NULL, &err) && err.kind == ERR_INVALID && !calls[0].rows && !calls[1].rows, "one that fails: %s", err.message);
	is_str(db_sqlstate(db), "22012", "has its SQLSTATE");
	ok(count_rows(db) == 2, "and takes all with it");
	db_script(db, "CREATE TABLE t_deferred (k bigint UNIQUE DEFERRABLE INITIALLY DEFERRED)", &err);
	calls[0] = calls[1] = (struct db_call){ &deferred, one, 1, false, NULL };
	ok(db_tx_once(db, calls, 2, NULL, &err) && !strcmp(db_sqlstate(db), "23505"), "an error at COMMIT is one: %s", err.message);
	calls[1] = (struct db_call){ &kill_self, one, 1, true, NULL };
	ok(db_tx_once(db, calls, 2, NULL, &err) && err.kind == ERR_UNAVAILABLE && !db_is_up(db), "a link that dies on the way: %s", err.message);
	ok(count_rows(db) == 2, "nothing was done, and the next call connects anew");
	ok(!db_tx_once(db, calls, 0, NULL, &err), "an empty transaction");
	ok(!db_tx_once(db, calls, 1, &broken, &err), "what goes after it may fail");
	ok(!db_tx_once(db, calls, 0, &kill_now, &err), "or take the link with it");
	ok(count_rows(db) == 2, "the next call is good");
}

static const struct stmt say = { "t_say", "SELECT current_setting('t.word')" };

static int expect_tx(struct db *db, void *arg, struct err *err)
{
	return db_query(db, &count, DB_NO_ARGS, arg, err);
}

static const struct stmt say_too = { "t_say_too", "SELECT $1::bigint, NULL::text UNION ALL SELECT NULL, current_setting('t.word')" };

/* A statement that tells it along with its own rows. */
static void test_telling(struct db *db)
{
	const struct db_arg six[] = { db_arg_i64(6) };
	struct db_call call = { &say_too, six, 1, true, NULL };
	struct err err = { 0 };

	db_expect(db, &say, "as ever");
	ok(!db_query_telling(db, &call, &err) && db_i64(call.rows, 0, 0) == 6 && db_expected(db), "what was expected, told along");
	db_rows_free(call.rows);
	db_expect(db, &say, "else");
	ok(db_query_telling(db, &call, &err) && err.kind == ERR_UNAVAILABLE && !call.rows && !db_expected(db),
	   "what was not expected: %s", err.message);
	ok(!db_query_telling(db, &call, &err) && db_i64(call.rows, 0, 0) == 6, "nothing is expected: no matter what it tells");
	db_rows_free(call.rows);
	call.st = &divide;
	call.args = (const struct db_arg[]){ db_arg_i64(0) };
	db_expect(db, &say, "as ever");
	ok(db_query_telling(db, &call, &err) && err.kind == ERR_INVALID && !call.rows && !db_expected(db), "one that fails tells nothing");
}

/* What is expected before the next statement. */
static void test_expect(struct db *db)
{
	const struct db_arg six[] = { db_arg_i64(6) };
	struct db_call calls[2] = { { &divide, six, 1, true, NULL }, { &count, NULL, 0, true, NULL } };
	struct db_rows *rows;
	struct err err = { 0 };

	db_script(db, "SET t.word = 'as ever'", &err);
	db_expect(db, &say, "as ever");
	ok(!db_query_all(db, calls, 2, &err) && db_i64(calls[1].rows, 0, 0) == 2 && db_expected(db), "what was expected, with queries");
	db_rows_free(calls[0].rows);
	db_rows_free(calls[1].rows);
	ok(!db_query_all(db, calls, 2, &err), "it is over");
	db_rows_free(calls[0].rows);
	db_rows_free(calls[1].rows);
	db_expect(db, &say, "else");
	ok(db_query_all(db, calls, 2, &err) && err.kind == ERR_UNAVAILABLE && !calls[0].rows && !calls[1].rows,
	   "what was not expected makes them fail: %s", err.message);
	ok(!db_query(db, &count, DB_NO_ARGS, NULL, &err) && !db_expected(db), "once");
	db_expect(db, &say, "as ever");
	ok(!db_query(db, &count, DB_NO_ARGS, &rows, &err) && db_i64(rows, 0, 0) == 2 && db_expected(db), "with one query");
	db_rows_free(rows);
	db_expect(db, &say, "else");
	ok(db_query(db, &count, DB_NO_ARGS, &rows, &err) && !rows && !db_expected(db), "which fails likewise");
	db_expect(db, &say, "as ever");
	ok(!db_tx(db, expect_tx, NULL, 1000, &err) && db_expected(db), "before a transaction");
	db_expect(db, &say, "as ever");
	ok(db_expected(db), "with nothing after it");
	db_expect(db, &say, "else");
	ok(!db_expected(db), "which may say no, too");
}

/* Queries in one round trip. */
static int all_tx(struct db *db, void *arg, struct err *err)
{
	return db_query_all(db, arg, 3, err);
}

static void test_query_all(struct db *db, struct db *other)
{
	const struct db_arg six[] = { db_arg_i64(6) }, zero[] = { db_arg_i64(0) };
	struct db_call calls[3] = { { &divide, six, 1, true, NULL }, { &count, NULL, 0, true, NULL }, { &divide, six, 1, false, NULL } };
	struct err err;

	ok(!db_query_all(db, calls, 3, &err) && db_i64(calls[0].rows, 0, 0) == 0 && db_i64(calls[1].rows, 0, 0) == 2 && !calls[2].rows,
	   "several queries at once, and the rows that were asked for");
	db_rows_free(calls[0].rows);
	db_rows_free(calls[1].rows);
	calls[2].args = zero;
	calls[2].args = six;
	ok(!db_tx(db, all_tx, calls, 1000, &err) && db_i64(calls[1].rows, 0, 0) == 2 && !calls[2].rows, "the same in a transaction");
	db_rows_free(calls[0].rows);
	db_rows_free(calls[1].rows);
	calls[2].args = zero;
	ok(db_tx(db, all_tx, calls, 1000, &err) && err.kind == ERR_INVALID && !calls[0].rows && !calls[1].rows,
	   "one of them fails, and the transaction");
	ok(db_query_all(db, calls, 3, &err) && err.kind == ERR_INVALID && !calls[0].rows && !calls[1].rows, "one of them fails: %s", err.message);
	ok(!db_query_all(db, calls, 2, &err), "and the next are good");
	db_rows_free(calls[0].rows);
	db_rows_free(calls[1].rows);
	ok(!db_query(other, &terminate, DB_ARGS(db_arg_i64(pid_of(db))), NULL, &err) && !db_query_all(db, calls, 2, &err) &&
	   db_i64(calls[1].rows, 0, 0) == 2, "a link that died unnoticed is made anew");
	db_rows_free(calls[0].rows);
	db_rows_free(calls[1].rows);
}

static const struct stmt countdown = { "t_countdown", "SELECT i, 6 / (i - $1) FROM generate_series(1, 5) i ORDER BY i" };
static const struct stmt dying = {
	"t_dying", "SELECT i, CASE WHEN i > 200 THEN pg_terminate_backend(pg_backend_pid(), 0) END, repeat('x', 1000)"
		   " FROM generate_series(1, $1) i"
};

struct seen {
	int rows, most;
};

static int see(const struct db_rows *row, void *arg, struct err *err)
{
	struct seen *s = arg;

	must(db_rows_count(row) == 1 && db_i64(row, 0, 0) == ++s->rows);
	return s->rows == s->most ? err_set(err, ERR_CONFLICT, "enough") : 0;
}

/* Rows one by one. */
static void test_query_each(struct db *db, struct db *other)
{
	struct seen all = { 0 }, some = { .most = 2 }, bad = { 0 }, again = { 0 }, cut = { 0 };
	struct err err;

	ok(!db_query_each(db, &countdown, DB_ARGS(db_arg_i64(0)), see, &all, &err) && all.rows == 5, "all rows, one by one");
	ok(db_query_each(db, &countdown, DB_ARGS(db_arg_i64(0)), see, &some, &err) && err.kind == ERR_CONFLICT && some.rows == 2,
	   "no more where the one who looks fails: %s", err.message);
	ok(db_query_each(db, &countdown, DB_ARGS(db_arg_i64(4)), see, &bad, &err) && err.kind == ERR_INVALID && bad.rows < 4,
	   "a query that fails on the way: %s", err.message);
	is_str(db_sqlstate(db), "22012", "has its SQLSTATE");
	ok(!db_query(other, &terminate, DB_ARGS(db_arg_i64(pid_of(db))), NULL, &err) &&
	   !db_query_each(db, &countdown, DB_ARGS(db_arg_i64(0)), see, &again, &err) && again.rows == 5,
	   "a link that died unnoticed is made anew");
	ok(db_query_each(db, &dying, DB_ARGS(db_arg_i64(1000)), see, &cut, &err) && err.kind == ERR_UNAVAILABLE && cut.rows > 0 &&
	   cut.rows < 1000, "rows that were seen are not seen twice: %s", err.message);
	ok(count_rows(db) == 2, "and the next call is good");
}

/* $1 to $1 + 299, 1 KB each: more than a socket holds, so that a server process waits for its reader. $2: fails there. */
static const struct stmt thousand = {
	"t_thousand", "SELECT i, 6 / (i - $2), repeat('x', 1000) FROM generate_series($1, $1 + 299) i ORDER BY i"
};
static const struct stmt kill_second = {
	"t_kill_second", "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'second'"
};
static const struct stmt sessions = { "t_sessions", "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'second'" };

static void add_one(void *arg)
{
	++*(int *)arg;
}

static int two(struct db *db, struct seen *s, int64_t a_fails, int64_t b_fails, struct err *err)
{
	*s = (struct seen){ .most = s->most };
	return db_query_each_two(db, &thousand, (struct db_arg[]){ db_arg_i64(1), db_arg_i64(a_fails) },
				 (struct db_arg[]){ db_arg_i64(301), db_arg_i64(b_fails) }, 2, see, s, err);
}

static void test_query_each_two(struct db *db, struct db *other)
{
	struct db_second *second = db_second_new(pg_dsn, "second", 60000);
	struct seen s = { 0 };
	struct db_rows *r;
	struct err err;
	int ran = 0;

	ok(!two(db, &s, 0, 0, &err) && s.rows == 600, "without a second connection one after the other");
	db_lend(db, second);
	db_meanwhile(db, add_one, &ran);
	ok(!two(db, &s, 0, 0, &err) && s.rows == 600 && ran == 1, "with one the same rows in the same order");
	ok(!db_query(other, &sessions, DB_NO_ARGS, &r, &err) && db_i64(r, 0, 0) == 1, "and it was used");
	db_rows_free(r);
	ok(!db_query(other, &kill_second, DB_NO_ARGS, NULL, &err) && !two(db, &s, 0, 0, &err) && s.rows == 600,
	   "where it died unnoticed, its part is asked for here");
	ok(!two(db, &s, 0, 0, &err) && s.rows == 600 && ran == 1, "and it is made anew");
	ok(two(db, &s, 5, 0, &err) && err.kind == ERR_INVALID && s.rows < 300, "the first fails: %s", err.message);
	ok(two(db, &s, 0, 305, &err) && err.kind == ERR_INVALID && s.rows >= 300 && s.rows < 600, "the second fails: %s", err.message);
	s.most = 2;
	ok(two(db, &s, 0, 0, &err) && err.kind == ERR_CONFLICT && s.rows == 2, "no more rows of either where the one who looks fails");
	s.most = 0;
	ok(!two(db, &s, 0, 0, &err) && s.rows == 600, "and the next call is good");
	db_lend(db, NULL);
	db_second_free(second);
}

static const struct stmt star = { "t_star", "SELECT * FROM t_plan" };

static int star_tx(struct db *db, void *arg, struct err *err)
{
	return db_query(db, &star, DB_NO_ARGS, arg, err);
}

static void test_stale(struct db *db, struct db *other)
{
	struct db_rows *r;
	struct err err;

	db_script(db, "CREATE TABLE t_plan (a int)", &err);
	ok(!db_query(db, &star, DB_NO_ARGS, NULL, &err), "a statement is prepared");
	db_script(other, "ALTER TABLE t_plan ADD b int", &err);
	ok(!db_query(db, &star, DB_NO_ARGS, NULL, &err), "after a migration it is prepared again");
	db_script(other, "ALTER TABLE t_plan ADD c int", &err);
	ok(!db_tx(db, star_tx, &r, 1000, &err), "in a transaction too");
	db_rows_free(r);
	db_script(db, "DEALLOCATE ALL", &err);
	ok(!db_query(db, &star, DB_NO_ARGS, NULL, &err), "and when the server forgot it");
}

static void test_notify(struct db *db, struct db *other)
{
	struct err err;
	struct pollfd p;
	bool got = false;

	ok(!db_script(db, "LISTEN nsecwatch_run; LISTEN nsecwatch_other", &err), "LISTEN");
	ok(!db_notified(db, "nsecwatch_run"), "nothing yet");
	db_script(other, "NOTIFY nsecwatch_run; NOTIFY nsecwatch_other", &err);
	p = (struct pollfd){ db_socket(db), POLLIN, 0 };
	while (!got && poll(&p, 1, 5000) > 0)
		got = db_notified(db, "nsecwatch_run");
	ok(got, "a notification arrives");
	while (!db_notified(db, "nsecwatch_other") && poll(&p, 1, 5000) > 0)
		;
	ok(!db_notified(db, "nsecwatch_run") && !db_notified(db, "nsecwatch_other"), "each is told once");
}

static void test_away(void)
{
	struct db *db = db_new("host=/nonexistent port=1 user=x dbname=x", "test", 1000);
	struct tx t = { 0 };
	struct err err;
	int64_t before = tm_monotonic_usec(), took;

	ok(db_query(db, &backend_pid, DB_NO_ARGS, NULL, &err) && err.kind == ERR_UNAVAILABLE, "no server: unavailable");
	ok(db_tx(db, tx_body, &t, 200, &err) && err.kind == ERR_UNAVAILABLE && !t.runs, "in a transaction too");
	took = tm_monotonic_usec() - before;
	ok(took >= 200000 && took < 5000000, "within its deadline (%d ms)", (int)(took / 1000));
	ok(db_socket(db) == -1 && !db_is_up(db), "it is down");
	db_free(db);
}

static void test_timeout(void)
{
	static const struct stmt nap = { "t_nap", "SELECT pg_sleep(20)" };
	struct db *db = db_new(pg_dsn, "test", 100);
	struct err err;

	ok(db_query(db, &nap, DB_NO_ARGS, NULL, &err) && err.kind == ERR_UNAVAILABLE && !strcmp(db_sqlstate(db), "57014"),
	   "a statement that takes too long is unavailable");
	ok(pid_of(db) != 0, "the connection is good afterwards");
	db_free(db);
}

static void test_durable(struct db *db)
{
	static const struct stmt shown = { "t_shown", "SELECT current_setting('synchronous_commit')" };
	static const char *const words[][2] = { { "off", "on" }, { "local", "local" }, { "remote_apply", "remote_apply" } };
	struct db_rows *rows;
	struct err err;
	char sql[200];

	for (size_t i = 0; i < 3; i++) {
		struct db *other = db_new(pg_dsn, "test", 60000);

		snprintf(sql, sizeof(sql), "ALTER ROLE CURRENT_USER SET synchronous_commit = %s", words[i][0]);
		if (ok(!db_script(db, sql, &err) && !db_query(other, &shown, DB_NO_ARGS, &rows, &err), "a role's %s", words[i][0])) {
			is_str(db_text(rows, 0, 0), words[i][1], "a commit is durable when it returns");
			db_rows_free(rows);
		}
		db_free(other);
	}
	db_script(db, "ALTER ROLE CURRENT_USER RESET synchronous_commit", &err);
}

static void *migrate(void *arg)
{
	struct db *db = db_new(pg_dsn, "test", 60000);
	struct err err;

	if (db_migrate_run(db, arg, &err)) {
		printf("# %s\n", err.message);
		*(int *)arg = -100;
	}
	db_free(db);
	return NULL;
}

static void test_migrate(struct db *db)
{
	pthread_t threads[4];
	int applied[4], sum = 0, again;
	struct err err;

	ok(db_migrate_check(db, &err) && err.kind == ERR_UNAVAILABLE, "a database without schema is unavailable: %s", err.message);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, migrate, &applied[i]);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		sum += applied[i];
	}
	ok(!db_migrate_run(db, &again, &err) && again == 0, "nothing is left to do: %s", err.kind ? err.message : "");
	ok(sum > 0, "four servers at once migrate it once");
	ok(!db_migrate_check(db, &err), "the schema is current");
	db_script(db, "UPDATE nsecwatch.schema_migration SET sha256 = sha256('x') WHERE version = 1", &err);
	ok(db_migrate_check(db, &err) && db_migrate_run(db, &again, &err), "a changed file is refused: %s", err.message);
	db_script(db, "INSERT INTO nsecwatch.schema_migration VALUES (9999, 'x', '', now())", &err);
	db_script(db, "DELETE FROM nsecwatch.schema_migration WHERE version = 1", &err);
	ok(db_migrate_check(db, &err) && err.kind == ERR_UNAVAILABLE, "a newer schema is refused: %s", err.message);
}

int main(void)
{
	struct arena *a = arena_new();
	struct db *db, *other;
	struct err err;

	pg_start();
	db = db_new(pg_dsn, "test", 60000);
	other = db_new(pg_dsn, "test", 60000);
	test_away();
	test_migrate(db);
	db_script(db, "SET search_path = public", &err);
	test_values(db, a);
	test_arrays(db, a);
	db_free(db);
	db = db_new(pg_dsn, "test", 60000);
	test_lost(db, other);
	test_tx(db, other);
	test_swallowed(db);
	test_once(db);
	test_query_all(db, other);
	test_expect(db);
	test_telling(db);
	test_query_each(db, other);
	test_query_each_two(db, other);
	test_stale(db, other);
	test_notify(db, other);
	test_timeout();
	test_durable(db);
	db_free(db);
	db_free(other);
	arena_free(a);
	return done();
}
