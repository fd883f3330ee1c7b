/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names in the COPYs come from the catalogue of the database itself, which also quotes them: what a file says is only
 * ever looked up there.
 */
#include "db_backup.h"

#include <string.h>

#include "db_copy.h"
#include "db_migrate.h"

/* ---- reading ---- */

/* Before the snapshot: a month that `retain` drops after it would be in the snapshot and not in the table. */
static const char one_snapshot[] =
	"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;"
	"SET LOCAL idle_in_transaction_session_timeout = 0;"
	"SET LOCAL enable_seqscan = on;"
	"LOCK TABLE nsecwatch.run_raw IN ACCESS SHARE MODE";

static const struct stmt list_months = {
	"backup_months",
	"SELECT to_char(to_date(right(c.relname::text, 6), 'YYYYMM'), 'YYYY-MM-DD') FROM pg_inherits i"
	" JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'nsecwatch.run_raw'::regclass"
	" AND c.relname ~ '^run_raw_[0-9]{6}$' ORDER BY c.relname"
};

/* A partitioned table has no rows of its own to COPY: hence the SELECT. */
static const struct stmt list_tables = {
	"backup_tables",
	"SELECT c.relname::text, array_agg(a.attname::text ORDER BY a.attnum),"
	" format('COPY (SELECT %s FROM nsecwatch.%I) TO STDOUT',"
	" string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum), c.relname),"
	" coalesce((SELECT max(pg_sequence_last_value("
	"pg_get_serial_sequence(format('nsecwatch.%I', c.relname), i.attname)::regclass))"
	" FROM pg_attribute i WHERE i.attrelid = c.oid AND i.attidentity <> ''), 0)"
	" FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
	" WHERE c.relnamespace = 'nsecwatch'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
	" AND c.relname <> 'schema_migration' AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''"
	" AND a.attname <> 'changed_in' GROUP BY c.oid, c.relname ORDER BY c.relname"
};

static int read_table(struct db *db, struct arena *a, const struct db_rows *rows, int i, const struct backup_visitor *v,
		      struct err *err)
{
	struct backup_table t = { .name = db_text(rows, i, 0), .sequence = db_i64(rows, i, 3) };

	t.columns = (const char *const *)db_texts(a, rows, i, 1, &t.n_columns);
	if (v->table(v->arg, &t, err) || db_copy_out(db, db_text(rows, i, 2), v->row, v->arg, &t.rows, err))
		return -1;
	return v->table_end(v->arg, &t, err);
}

static int read_begin(struct db *db, struct arena *a, const struct backup_visitor *v, struct err *err)
{
	struct db_rows *rows;
	int64_t schema;
	size_t n;
	const char **months;
	int ret;

	if (db_migrate_version(db, &schema, err) || db_query(db, &list_months, DB_NO_ARGS, &rows, err))
		return -1;
	n = (size_t)db_rows_count(rows);
	months = arena_array(a, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		months[i] = db_text(rows, (int)i, 0);
	ret = v->begin(v->arg, schema, months, n, err);
	db_rows_free(rows);
	return ret;
}

static int read_all(struct db *db, void *arg, struct err *err)
{
	const struct backup_visitor *v = arg;
	struct arena *a = arena_new();
	struct db_rows *rows = NULL;
	int ret = db_script(db, one_snapshot, err);

	if (ret && (!strcmp(db_sqlstate(db), "3F000") || !strcmp(db_sqlstate(db), "42P01")))
		err_set(err, ERR_UNAVAILABLE, "the database has no tables of nsecwatch: is it the right one?");
	ret = ret || read_begin(db, a, v, err) || db_query(db, &list_tables, DB_NO_ARGS, &rows, err) ? -1 : 0;
	for (int i = 0; !ret && i < db_rows_count(rows); i++)
		ret = read_table(db, a, rows, i, v, err);
	db_rows_free(rows);
	arena_free(a);
	return ret;
}

int db_backup_read(struct db *db, const struct backup_visitor *v, struct err *err)
{
	struct backup_visitor copy = *v;

	return db_tx(db, read_all, &copy, 0, err);
}

/* ---- writing ---- */

int db_backup_write(struct db *db, db_tx_fn fn, void *arg, struct err *err)
{
	return db_tx(db, fn, arg, 0, err);
}

static const char be_patient[] = "SET LOCAL idle_in_transaction_session_timeout = 0";

/* Which of our tables have rows; what migrations, the first start of `up` and making a token put there apart. */
static const char find_filled[] =
	"DO $$ DECLARE t name; filled boolean; list text := '';"
	" BEGIN"
	" FOR t IN SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'nsecwatch'::regnamespace AND c.relkind IN ('r', 'p')"
	" AND NOT c.relispartition AND c.relname NOT IN ('schema_migration', 'rule', 'noise_version', 'token', 'session', 'access_event')"
	" ORDER BY 1 LOOP"
	" EXECUTE format('SELECT EXISTS (SELECT FROM nsecwatch.%I)', t) INTO filled;"
	" IF filled THEN list := list || CASE WHEN list = '' THEN '' ELSE ', ' END || t; END IF;"
	" END LOOP;"
	" PERFORM set_config('nsecwatch.filled', list, true);"
	" END $$";

static const struct stmt filled = { "restore_filled", "SELECT left(current_setting('nsecwatch.filled'), 200)" };
static const struct stmt have_schema = { "restore_have_schema", "SELECT to_regnamespace('nsecwatch') IS NOT NULL" };

#define CURE "restore into a new, empty database (createdb nsecwatch_restored)"

/* *there: our schema is, empty and of this program's version. */
static int look_at_target(struct db *db, bool *there, struct err *err)
{
	struct db_rows *rows;
	struct err why = { 0 };
	int ret = 0;

	if (db_query(db, &have_schema, DB_NO_ARGS, &rows, err))
		return -1;
	*there = db_bool(rows, 0, 0);
	db_rows_free(rows);
	if (!*there)
		return 0;
	if (db_migrate_check(db, &why))
		return err_set(err, ERR_CONFLICT, "the database has a schema nsecwatch already, of another version (%s): " CURE,
			       why.message);
	if (db_script(db, find_filled, err) || db_query(db, &filled, DB_NO_ARGS, &rows, err))
		return -1;
	if (*db_text(rows, 0, 0))
		ret = err_set(err, ERR_CONFLICT, "the database is not empty (there are rows in %s): " CURE, db_text(rows, 0, 0));
	db_rows_free(rows);
	return ret;
}

/*
 * Rows come in any order, so references are put back behind them. changed_in is this transaction: a server that is
 * running already gets to know of them as of any others.
 */
static const char loosen[] =
	"CREATE TEMPORARY TABLE restore_reference ON COMMIT DROP AS SELECT c.relname AS tbl, k.conname AS name,"
	" pg_get_constraintdef(k.oid) AS def FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid"
	" WHERE k.connamespace = 'nsecwatch'::regnamespace AND k.contype = 'f';"
	"DO $$ DECLARE r record; BEGIN"
	" FOR r IN SELECT tbl, name FROM restore_reference LOOP"
	" EXECUTE format('ALTER TABLE nsecwatch.%I DROP CONSTRAINT %I', r.tbl, r.name);"
	" END LOOP;"
	" FOR r IN SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
	" WHERE c.relnamespace = 'nsecwatch'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname = 'changed_in' LOOP"
	" EXECUTE format('ALTER TABLE nsecwatch.%I ALTER COLUMN changed_in SET DEFAULT"
	" pg_current_xact_id()::text::bigint', r.relname);"
	" END LOOP;"
	" END $$";

static const char tighten[] =
	"DO $$ DECLARE r record; BEGIN"
	" FOR r IN SELECT tbl, name, def FROM restore_reference LOOP"
	" EXECUTE format('ALTER TABLE nsecwatch.%I ADD CONSTRAINT %I %s', r.tbl, r.name, r.def);"
	" END LOOP;"
	" FOR r IN SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
	" WHERE c.relnamespace = 'nsecwatch'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname = 'changed_in' LOOP"
	" EXECUTE format('ALTER TABLE nsecwatch.%I ALTER COLUMN changed_in DROP DEFAULT', r.relname);"
	" END LOOP;"
	" FOR r IN SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'nsecwatch'::regnamespace AND c.relkind IN ('r', 'p')"
	" AND NOT c.relispartition LOOP"
	" EXECUTE format('ANALYZE nsecwatch.%I', r.relname);"
	" END LOOP;"
	" END $$";

static const struct stmt make_month = { "restore_month", "SELECT run_raw_month($1::text::date)" };

int db_backup_begin(struct db *db, int64_t schema, const char *const *months, size_t n_months, struct err *err)
{
	bool there;

	if (db_script(db, be_patient, err) || look_at_target(db, &there, err))
		return -1;
	if (there && schema != db_migrate_newest() && db_script(db, "DROP SCHEMA nsecwatch CASCADE", err))
		return -1;
	if (db_migrate_within(db, schema, err) || db_script(db, loosen, err))
		return -1;
	for (size_t i = 0; i < n_months; i++)
		if (db_query(db, &make_month, DB_ARGS(db_arg_text(months[i])), NULL, err))
			return -1;
	return 0;
}

static const struct stmt find_table = {
	"restore_table",
	"SELECT count(*), format('DELETE FROM nsecwatch.%I', c.relname), format('COPY nsecwatch.%I (%s) FROM STDIN', c.relname,"
	" string_agg(quote_ident(a.attname), ', ' ORDER BY array_position($2::text[], a.attname::text)))"
	" FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
	" WHERE c.relnamespace = 'nsecwatch'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
	" AND c.relname::text = $1::text AND c.relname <> 'schema_migration' AND a.attnum > 0 AND NOT a.attisdropped"
	" AND a.attname::text = ANY($2::text[]) GROUP BY c.relname"
};

int db_backup_table(struct db *db, const struct backup_table *t, struct err *err)
{
	struct db_rows *rows;
	int ret;

	if (db_query(db, &find_table, DB_ARGS(db_arg_text(t->name), db_arg_texts(t->columns, t->n_columns)), &rows, err))
		return -1;
	if (!db_rows_count(rows) || db_i64(rows, 0, 0) != (int64_t)t->n_columns)
		ret = err_set(err, ERR_INVALID, "a table \"%.100s\" with %zu columns is not in the schema that the backup says it is of",
			      t->name, t->n_columns);
	else	/* what the migrations put there is in the backup, as it is now */
		ret = db_script(db, db_text(rows, 0, 1), err) || db_copy_in(db, db_text(rows, 0, 2), err) ? -1 : 0;
	db_rows_free(rows);
	return ret;
}

static const struct stmt set_sequence = {
	"restore_sequence",
	"SELECT setval(pg_get_serial_sequence(format('nsecwatch.%I', c.relname), a.attname), $2) FROM pg_class c"
	" JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = 'nsecwatch'::regnamespace AND c.relname::text = $1::text"
	" AND a.attidentity <> ''"
};

int db_backup_table_end(struct db *db, const struct backup_table *t, struct err *err)
{
	int64_t rows;

	if (db_copy_end(db, NULL, &rows, err))
		return -1;
	if (rows != t->rows)
		return err_set(err, ERR_INVALID, "%s: %lld rows were read where the backup says %lld", t->name, (long long)rows,
			       (long long)t->rows);
	return t->sequence > 0 ? db_query(db, &set_sequence, DB_ARGS(db_arg_text(t->name), db_arg_i64(t->sequence)), NULL, err) : 0;
}

int db_backup_finish(struct db *db, struct err *err)
{
	return db_script(db, tighten, err) || db_migrate_within(db, db_migrate_newest(), err) ? -1 : 0;
}
