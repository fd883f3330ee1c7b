/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_snapshots.h"

int db_snapshots_keep(struct db *db, const struct db_snapshot *s, struct err *err)
{
	static const struct stmt keep = {
		"snapshots_keep", "INSERT INTO snapshot (id, alert_id, made_at, subject, body, rows_csv) "
				  "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING"
	};

	return db_query(db, &keep,
			DB_ARGS(db_arg_uuid(&s->id), db_arg_uuid(&s->alert_id), db_arg_time(s->made_at),
				db_arg_text(s->subject), db_arg_text(s->body), db_arg_text(s->csv)),
			NULL, err);
}

int db_snapshots_get(struct db *db, struct arena *a, const struct uuid *id, struct db_snapshot **s, struct err *err)
{
	static const struct stmt get = {
		"snapshots_get", "SELECT alert_id, made_at, subject, body, rows_csv FROM snapshot WHERE id = $1"
	};
	struct db_rows *rows;

	*s = NULL;
	if (db_query(db, &get, DB_ARGS(db_arg_uuid(id)), &rows, err))
		return -1;
	if (db_rows_count(rows)) {
		*s = arena_zalloc(a, sizeof(**s));
		**s = (struct db_snapshot){
			.id = *id,
			.made_at = db_time(rows, 0, 1),
			.subject = arena_strdup(a, db_text(rows, 0, 2)),
			.body = arena_strdup(a, db_text(rows, 0, 3)),
			.csv = arena_strdup(a, db_text(rows, 0, 4)),
		};
		db_uuid(rows, 0, 0, &(*s)->alert_id);
	}
	db_rows_free(rows);
	return 0;
}
