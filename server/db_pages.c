/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_pages.h"

int db_pages_keep(struct db *db, const struct db_page *p, bool *is_new, struct err *err)
{
	static const struct stmt keep = {
		"pages_keep", "INSERT INTO page (id, made_at, made_by, address, html) VALUES ($1, $2, $3, $4, $5) "
			      "ON CONFLICT (id) DO NOTHING RETURNING id"
	};
	struct db_rows *rows;

	if (db_query(db, &keep,
		     DB_ARGS(db_arg_uuid(&p->id), db_arg_time(p->made_at), db_arg_text(p->made_by), db_arg_text(p->address),
			     db_arg_text(p->html)), &rows, err))
		return -1;
	*is_new = db_rows_count(rows) > 0;
	db_rows_free(rows);
	return 0;
}

int db_pages_html(struct db *db, struct arena *a, const struct uuid *id, const char **html, struct err *err)
{
	static const struct stmt get = { "pages_html", "SELECT html FROM page WHERE id = $1" };
	struct db_rows *rows;

	*html = NULL;
	if (db_query(db, &get, DB_ARGS(db_arg_uuid(id)), &rows, err))
		return -1;
	if (db_rows_count(rows))
		*html = arena_strdup(a, db_text(rows, 0, 0));
	db_rows_free(rows);
	return 0;
}
