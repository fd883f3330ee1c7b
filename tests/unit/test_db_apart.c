/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Migrations that cannot run in a transaction: begun again where they were interrupted, recorded at their end. */
#include "pg.h"
#include "tap.h"

#include <pthread.h>

#include "../../server/db_apart.h"
#include "../../server/embed.h"

static const char make[] = "-- SPDX-License-Identifier: GPL-2.0-or-later\n" DB_APART_MARK "CREATE TABLE IF NOT EXISTS nsecwatch.apart (v int);\n"
			   "CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS apart_v ON nsecwatch.apart (v);\n"
			   "CREATE INDEX CONCURRENTLY IF NOT EXISTS apart_w\n ON nsecwatch.apart ((v + 1));\n";

static const struct stmt valid = {
	"test_valid", "SELECT count(*) FROM pg_index WHERE indisvalid AND indexrelid::regclass::text LIKE 'nsecwatch.apart%' OR "
		      "indisvalid AND indexrelid::regclass::text LIKE 'apart%'"
};
static const struct stmt invalid = { "test_invalid", "SELECT count(*) FROM pg_index WHERE NOT indisvalid" };
static const struct stmt timeout = { "test_timeout", "SELECT current_setting('statement_timeout') = '1min', count(*) FROM pg_locks WHERE locktype = 'advisory'" };

static int64_t count(struct db *db, const struct stmt *st)
{
	struct db_rows *rows;
	struct err err;
	int64_t n = -1;

	if (!db_query(db, st, DB_NO_ARGS, &rows, &err)) {
		n = db_i64(rows, 0, 0);
		db_rows_free(rows);
	}
	return n;
}

static void *run(void *arg)
{
	struct db *db = db_new(pg_dsn, "test", 60000);
	struct err err = { 0 };

	*(int *)arg = db_apart_run(db, make, &err);
	if (*(int *)arg)
		printf("# %s\n", err.message);
	db_free(db);
	return NULL;
}

static void interrupted(struct db *db)
{
	struct db_rows *rows;
	struct err err = { 0 };

	db_script(db, "CREATE TABLE nsecwatch.apart (v int); INSERT INTO nsecwatch.apart VALUES (1), (1)", &err);
	ok(db_apart_run(db, make, &err) && strstr(err.message, "could not create unique index"), "what fails says so: %s", err.message);
	ok(count(db, &invalid) == 1, "and leaves an index that is not valid");
	ok(!db_query(db, &timeout, DB_NO_ARGS, &rows, &err) && db_bool(rows, 0, 0) && !db_i64(rows, 0, 1),
	   "the session's timeout is as it was, the lock is free");
	db_rows_free(rows);
	db_script(db, "TRUNCATE nsecwatch.apart", &err);
	err.message[0] = 0;
	ok(!db_apart_run(db, make, &err), "begun again, it is made: %s", err.message);
	ok(count(db, &invalid) == 0 && count(db, &valid) == 2, "both indexes are valid");
	ok(!db_apart_run(db, make, &err), "and once more does no harm");
}

static void several(struct db *db)
{
	pthread_t threads[4];
	int bad[4], sum = 0;
	struct err err;

	db_script(db, "DROP TABLE nsecwatch.apart", &err);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run, &bad[i]);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		sum += bad[i];
	}
	ok(!sum && count(db, &valid) == 2, "four at once make it once");
}

static void as_a_migration(struct db *db)
{
	struct embed_file files[200] = { 0 };
	size_t n = 0;
	struct err err = { 0 };
	int applied;

	db_script(db, "DROP TABLE nsecwatch.apart; CREATE TABLE nsecwatch.apart (v int); INSERT INTO nsecwatch.apart VALUES (1), (1)", &err);
	for (; embed_schema[n].path && n < 190; n++)
		files[n] = embed_schema[n];
	files[n] = (struct embed_file){ .path = "9000_apart.sql", .data = (const unsigned char *)make, .len = sizeof(make) - 1 };
	db_migrate_use(files);
	ok(db_migrate_run(db, &applied, &err) && strstr(err.message, "9000_apart.sql"), "a file that fails is named: %s", err.message);
	ok(db_migrate_check(db, &err), "and is not recorded");
	db_script(db, "TRUNCATE nsecwatch.apart", &err);
	ok(!db_migrate_run(db, &applied, &err) && applied == 1 && count(db, &valid) == 2, "run again, it is");
	ok(!db_migrate_check(db, &err), "and is recorded");
	ok(!db_migrate_run(db, &applied, &err) && applied == 0, "so it does not run once more");
	db_migrate_use(embed_schema);
}

int main(void)
{
	struct arena *a = arena_new();
	struct db *db;

	pg_start();
	db = pg_migrated();
	ok(db_apart_is(make) && db_apart_is(DB_APART_MARK) && !db_apart_is("-- SPDX\nCREATE") && !db_apart_is(""), "a file says in its first line that it is one");
	interrupted(db);
	several(db);
	as_a_migration(db);
	is_str(db_apart_together(a, "CREATE INDEX CONCURRENTLY IF NOT EXISTS x;\nDROP INDEX CONCURRENTLY y;\n"),
	       "CREATE INDEX IF NOT EXISTS x;\nDROP INDEX y;\n", "in a transaction, where nobody is kept waiting, it is the same without the word");
	db_free(db);
	arena_free(a);
	return done();
}
