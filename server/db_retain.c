/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_retain.h"

#define PATIENCE_MS 60000

int db_retain_list(struct db *db, struct arena *a, int months, struct retain_month **list, size_t *n, struct err *err)
{
	static const struct stmt old = {
		"retain_list",
		"SELECT to_char(m.month, 'YYYY-MM'), m.partition, (SELECT count(*) FROM run_raw w WHERE w.month = m.month),"
		" pg_total_relation_size(m.oid) FROM (SELECT c.oid, c.relname::text AS partition,"
		" to_date(right(c.relname::text, 6), 'YYYYMM') AS month FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
		" WHERE i.inhparent = 'run_raw'::regclass AND c.relname ~ '^run_raw_[0-9]{6}$') m"
		" WHERE m.month + interval '1 month' <= (now() AT TIME ZONE 'UTC') - make_interval(months => $1::integer) ORDER BY m.month"
	};
	struct db_rows *rows;

	if (db_query(db, &old, DB_ARGS(db_arg_i64(months)), &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct retain_month, *n + 1);
	for (int i = 0; i < (int)*n; i++)
		(*list)[i] = (struct retain_month){ arena_strdup(a, db_text(rows, i, 0)), arena_strdup(a, db_text(rows, i, 1)),
						    db_i64(rows, i, 2), db_i64(rows, i, 3) };
	db_rows_free(rows);
	return 0;
}

/* The name is looked up once more, and quoted, by the database. */
static int drop(struct db *db, void *arg, struct err *err)
{
	static const struct stmt text = {
		"retain_drop",
		"SELECT set_config('lock_timeout', '2s', true), format('DROP TABLE nsecwatch.%I', c.relname) FROM pg_inherits i"
		" JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'run_raw'::regclass AND c.relname::text = $1::text"
	};
	static const struct stmt note = {
		"retain_note",
		"INSERT INTO retained AS r (month, dropped_at, runs, bytes) VALUES (to_date($1::text, 'YYYY-MM'), now(), $2, $3)"
		" ON CONFLICT (month) DO UPDATE SET dropped_at = EXCLUDED.dropped_at, runs = r.runs + EXCLUDED.runs,"
		" bytes = r.bytes + EXCLUDED.bytes"
	};
	const struct retain_month *m = arg;
	struct db_rows *rows;
	int ret = 0;

	if (db_query(db, &text, DB_ARGS(db_arg_text(m->partition)), &rows, err))
		return -1;
	if (db_rows_count(rows))	/* else somebody else dropped it meanwhile */
		ret = db_script(db, db_text(rows, 0, 1), err) ||
		      db_query(db, &note, DB_ARGS(db_arg_text(m->month), db_arg_i64(m->runs), db_arg_i64(m->bytes)), NULL, err) ? -1 : 0;
	db_rows_free(rows);
	return ret;
}

int db_retain_drop(struct db *db, const struct retain_month *m, struct err *err)
{
	struct retain_month copy = *m;

	return db_tx(db, drop, &copy, PATIENCE_MS, err);
}
