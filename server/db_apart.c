/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_apart.h"

#include <string.h>
#include <time.h>

#include "../lib/must.h"

#define WORD " CONCURRENTLY"

/*
 * The same key as the migrations that run in transactions take; and no limit to how long an index takes. Tried again and
 * again: who waits in a statement is waited for by the one who makes an index.
 */
static const struct stmt begin_apart = {
	"apart_begin", "SELECT pg_try_advisory_lock(hashtextextended('nsecwatch.schema_migration', 0)),"
		       " set_config('statement_timeout', '0', false)"
};

static const struct stmt end_apart = {
	"apart_end", "SELECT set_config('statement_timeout', $1, false),"
		     " pg_advisory_unlock(hashtextextended('nsecwatch.schema_migration', 0))"
};

static const struct stmt timeout_now = { "apart_timeout", "SELECT current_setting('statement_timeout')" };

static const struct stmt unfinished = {
	"apart_unfinished",
	"SELECT format('DROP INDEX CONCURRENTLY %I.%I', n.nspname, c.relname) FROM pg_index x"
	" JOIN pg_class c ON c.oid = x.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace"
	" WHERE NOT x.indisvalid AND n.nspname = 'nsecwatch' AND c.relkind = 'i' ORDER BY c.relname"
};

bool db_apart_is(const char *sql)
{
	const char *line = strchr(sql, '\n');

	if (!strncmp(sql, "-- SPDX", 7) && line)
		sql = line + 1;
	return !strncmp(sql, DB_APART_MARK, strlen(DB_APART_MARK));
}

static int wait_for_turn(struct db *db, struct err *err)
{
	const struct timespec pause = { .tv_nsec = 200 * 1000 * 1000 };
	struct db_rows *rows;
	bool ours = false;

	while (!ours) {
		if (db_query(db, &begin_apart, DB_NO_ARGS, &rows, err))
			return -1;
		ours = db_bool(rows, 0, 0);
		db_rows_free(rows);
		if (!ours)
			nanosleep(&pause, NULL);
	}
	return 0;
}

static int drop_unfinished(struct db *db, struct err *err)
{
	struct db_rows *rows;
	int ret = 0;

	if (db_query(db, &unfinished, DB_NO_ARGS, &rows, err))
		return -1;
	for (int i = 0; i < db_rows_count(rows) && !ret; i++)
		ret = db_script(db, db_text(rows, i, 0), err);
	db_rows_free(rows);
	return ret;
}

/* Past blanks and comments: a statement's first line is how errors name it. */
static const char *statement_at(const char *sql)
{
	for (;;) {
		sql += strspn(sql, " \t\n");
		if (strncmp(sql, "--", 2) != 0)
			return sql;
		sql += strcspn(sql, "\n");
	}
}

/* One after the other: libpq sends several in one string as one transaction. */
static int run_each(struct db *db, struct arena *a, const char *sql, struct err *err)
{
	while (*(sql = statement_at(sql))) {
		const char *end = strstr(sql, ";\n");
		size_t n = end ? (size_t)(end + 1 - sql) : strlen(sql);

		if (db_script(db, arena_strndup(a, sql, n), err))
			return -1;
		sql += n;
	}
	return 0;
}

int db_apart_run(struct db *db, const char *sql, struct err *err)
{
	struct arena *a = arena_new();
	struct err ignored = { 0 };
	struct db_rows *rows = NULL;
	const char *timeout;
	uint64_t link;
	int ret = -1;

	must(!db_in_tx(db));
	if (db_query(db, &timeout_now, DB_NO_ARGS, &rows, err) || wait_for_turn(db, err))
		goto out;
	timeout = db_text(rows, 0, 0);
	link = db_generation(db);
	ret = drop_unfinished(db, err) || run_each(db, a, sql, err) ? -1 : 0;
	if (!ret && link != db_generation(db))		/* the lock went with the link */
		ret = err_set(err, ERR_UNAVAILABLE, "database: the connection was lost: start again");
	if (db_is_up(db) && link == db_generation(db))
		ret |= db_query(db, &end_apart, DB_ARGS(db_arg_text(timeout)), NULL, ret ? &ignored : err);
out:
	db_rows_free(rows);
	arena_free(a);
	return ret;
}

char *db_apart_together(struct arena *a, const char *sql)
{
	char *all = arena_strdup(a, sql), *at = all;

	while ((at = strstr(at, WORD)))
		memmove(at, at + strlen(WORD), strlen(at + strlen(WORD)) + 1);
	return all;
}
