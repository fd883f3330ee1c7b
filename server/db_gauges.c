/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_gauges.h"

#define AGE(time) "greatest(coalesce(extract(epoch FROM now() - min(" time ")), 0), 0)::float8"

static const struct stmt read_gauges = {
	"gauges",
	"SELECT p.n, p.age, c.n, c.age, o.n, o.age,"
	" (SELECT count(*) FROM outbox WHERE dead_at IS NOT NULL),"
	" (SELECT count(*) FROM digest_item WHERE outbox_id IS NULL),"
	" (SELECT count(*) FROM alert WHERE state NOT IN ('fixed', 'accepted', 'invalid', 'muted')),"
	" (SELECT max(received_at) FROM run),"
	" (SELECT reltuples::bigint FROM pg_class WHERE oid = 'run'::regclass),"
	" pg_database_size(current_database())"
	" FROM (SELECT count(*) AS n, " AGE("queued_at") " AS age FROM run_todo WHERE what = 'pack') p,"
	" (SELECT count(*) AS n, " AGE("queued_at") " AS age FROM run_todo WHERE what = 'check') c,"
	" (SELECT count(*) AS n, " AGE("next_try") " AS age FROM outbox WHERE sent_at IS NULL AND dead_at IS NULL) o"
};

int db_gauges_read(struct db *db, struct db_gauges *g, struct err *err)
{
	struct db_rows *rows;

	if (db_query(db, &read_gauges, DB_NO_ARGS, &rows, err))
		return -1;
	*g = (struct db_gauges){
		.pack_waiting = db_i64(rows, 0, 0), .pack_age = db_f64(rows, 0, 1),
		.check_waiting = db_i64(rows, 0, 2), .check_age = db_f64(rows, 0, 3),
		.outbox_waiting = db_i64(rows, 0, 4), .outbox_age = db_f64(rows, 0, 5), .outbox_dead = db_i64(rows, 0, 6),
		.digest_waiting = db_i64(rows, 0, 7), .alerts_open = db_i64(rows, 0, 8), .newest_run = db_time(rows, 0, 9),
		.runs_about = db_i64(rows, 0, 10), .bytes = db_i64(rows, 0, 11),
	};
	db_rows_free(rows);
	return 0;
}
