/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Migrations. Each takes the advisory lock inside its transaction and looks only then
 * whether it is still to be done, so servers started at once do not race.
 */
#include "db_migrate.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/must.h"
#include "../lib/tm.h"
#include "db_apart.h"
#include "db_catalog.h"
#include "embed.h"

#define DEADLINE_MS 120000	/* for retries; a migration itself may take as long as it needs */

static const struct stmt lock = {
	"migrate_lock",
	"SELECT set_config('statement_timeout', '0', true),"
	" pg_advisory_xact_lock(hashtextextended('nsecwatch.schema_migration', 0))"
};

static const struct stmt have_table = {
	"migrate_have_table", "SELECT to_regclass('nsecwatch.schema_migration') IS NOT NULL"
};

static const struct stmt recorded = {
	"migrate_recorded", "SELECT version, sha256 FROM nsecwatch.schema_migration ORDER BY version"
};

static const struct stmt record = {
	"migrate_record",
	"INSERT INTO nsecwatch.schema_migration (version, name, sha256, applied_at) VALUES ($1, $2, $3, $4)"
};

static const struct embed_file *files = embed_schema;

void db_migrate_use(const struct embed_file *other)
{
	files = other;
}

static const char bootstrap[] =
	"CREATE SCHEMA IF NOT EXISTS nsecwatch;"
	"CREATE TABLE nsecwatch.schema_migration ("
	" version bigint PRIMARY KEY, name text NOT NULL, sha256 bytea NOT NULL, applied_at timestamptz NOT NULL);"
	"COMMENT ON TABLE nsecwatch.schema_migration IS 'dist:local'";

/* "0001_start.sql": 1 */
static int64_t version_of(const struct embed_file *f)
{
	int64_t version = strtoll(f->path, NULL, 10);

	must(version > 0);
	return version;
}

static const struct embed_file *file_of(int64_t version)
{
	for (const struct embed_file *f = files; f->path; f++)
		if (version_of(f) == version)
			return f;
	return NULL;
}

/* Holds what the database has against what we know; *done = the highest version it has. */
static int compare(struct db *db, int64_t *done, struct err *err)
{
	struct db_rows *rows;
	const struct embed_file *f, *next = files;
	uint8_t digest[32];
	size_t len;
	int ret = 0;

	*done = 0;
	if (db_query(db, &recorded, DB_NO_ARGS, &rows, err))
		return -1;
	for (int i = 0; i < db_rows_count(rows) && !ret; i++) {
		const void *sum = db_bytes(rows, i, 1, &len);

		*done = db_i64(rows, i, 0);
		f = file_of(*done);
		if (!f) {
			ret = err_set(err, ERR_UNAVAILABLE, "the database's schema (version %lld) is newer than this program, which knows %lld:"
				      " run the nsecwatchd that migrated it, or a newer one", (long long)*done, (long long)db_migrate_newest());
			break;
		}
		if (f != next++) {
			ret = err_set(err, ERR_UNAVAILABLE, "the database's schema is half made: %s was applied and %s was not; restore a backup",
				      f->path, next[-1].path);
			break;
		}
		sha256(f->data, f->len, digest);
		if (len != sizeof(digest) || memcmp(sum, digest, len))
			ret = err_set(err, ERR_UNAVAILABLE, "%s is not what was applied to the database under that number",
				      f->path);
	}
	db_rows_free(rows);
	return ret;
}

static int table_there(struct db *db, bool *there, struct err *err)
{
	struct db_rows *rows;

	if (db_query(db, &have_table, DB_NO_ARGS, &rows, err))
		return -1;
	*there = db_bool(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}

static int start(struct db *db, void *arg, struct err *err)
{
	bool there;

	(void)arg;
	if (db_query(db, &lock, DB_NO_ARGS, NULL, err) || table_there(db, &there, err))
		return -1;
	return there ? 0 : db_script(db, bootstrap, err);
}

struct step {
	const struct embed_file *file;
	const char *sql;		/* NULL: has run */
	bool brief;			/* is run again where it has to wait for long */
	bool applied;
};

/*
 * Who waits for a table that is being read keeps all from it who come behind: so only for so long at a time,
 * and once more (55P03 is tried again), with room for the others in between.
 */
static const struct stmt be_brief = { "migrate_be_brief", "SELECT set_config('lock_timeout', '3s', true)" };

static int apply(struct db *db, void *arg, struct err *err)
{
	struct step *step = arg;
	uint8_t digest[32];
	int64_t done;

	step->applied = false;
	if (db_query(db, &lock, DB_NO_ARGS, NULL, err) || compare(db, &done, err))
		return -1;
	if (version_of(step->file) <= done)
		return 0;
	if (step->brief && db_query(db, &be_brief, DB_NO_ARGS, NULL, err))
		return -1;
	if (step->sql && db_script(db, step->sql, err))
		return err_prefix(err, "%s", step->file->path);
	sha256(step->file->data, step->file->len, digest);
	step->applied = true;
	return db_query(db, &record,
			DB_ARGS(db_arg_i64(version_of(step->file)), db_arg_text(step->file->path),
				db_arg_bytes(digest, sizeof(digest)), db_arg_time(tm_now_usec())),
			NULL, err);
}

static const char *sql_of(const struct embed_file *f)
{
	return (const char *)f->data;
}

/* What can't run in a transaction runs before the one that records it: interrupted in between, it is run again. */
static int apply_apart(struct db *db, struct step *step, struct err *err)
{
	int64_t done;

	step->sql = NULL;
	if (compare(db, &done, err))
		return -1;
	if (version_of(step->file) <= done)
		return 0;
	if (db_apart_run(db, sql_of(step->file), err))
		return err_prefix(err, "%s", step->file->path);
	return db_tx(db, apply, step, DEADLINE_MS, err);
}

int db_migrate_run(struct db *db, int *applied, struct err *err)
{
	struct step step = { .brief = true };

	*applied = 0;
	if (db_tx(db, start, NULL, DEADLINE_MS, err))
		return -1;
	for (step.file = files; step.file->path; step.file++) {
		step.applied = false;
		step.sql = sql_of(step.file);
		if (db_apart_is(step.sql) ? apply_apart(db, &step, err) : db_tx(db, apply, &step, DEADLINE_MS, err))
			return -1;
		*applied += step.applied;
	}
	return db_catalog_adopt(db, err);
}

int db_migrate_within(struct db *db, int64_t last, struct err *err)
{
	struct step step = { .brief = false };
	struct arena *a = arena_new();
	int ret = start(db, NULL, err);

	for (step.file = files; !ret && step.file->path && version_of(step.file) <= last; step.file++) {
		step.sql = db_apart_is(sql_of(step.file)) ? db_apart_together(a, sql_of(step.file)) : sql_of(step.file);
		ret = apply(db, &step, err);
	}
	arena_free(a);
	return ret;
}

int64_t db_migrate_newest(void)
{
	int64_t newest = 0;

	for (const struct embed_file *f = files; f->path; f++)
		newest = version_of(f);
	return newest;
}

int db_migrate_version(struct db *db, int64_t *version, struct err *err)
{
	bool there;

	*version = 0;
	if (table_there(db, &there, err))
		return -1;
	return there ? compare(db, version, err) : 0;
}

int db_migrate_check(struct db *db, struct err *err)
{
	int64_t done, newest = db_migrate_newest();
	bool there;

	if (table_there(db, &there, err))
		return -1;
	if (!there)
		return err_set(err, ERR_UNAVAILABLE, "the database has no schema yet: run nsecwatchd migrate");
	if (compare(db, &done, err))
		return -1;
	if (done < newest)
		return err_set(err, ERR_UNAVAILABLE, "the database's schema is version %lld of %lld: run nsecwatchd migrate",
			       (long long)done, (long long)newest);
	return 0;
}
