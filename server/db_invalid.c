/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_invalid.h"

#include "../lib/tm.h"
#include "db_packs.h"

int db_invalid_of(struct db *db, struct arena *a, const struct uuid *ids, size_t n, struct db_invalid **list,
		  size_t *n_list, struct err *err)
{
	static const struct stmt of = {
		"invalid_of", "SELECT run_id, reason, who, at FROM run_invalid WHERE run_id = ANY($1::uuid[]) ORDER BY run_id"
	};
	struct db_rows *rows;

	*n_list = 0;
	*list = NULL;
	if (!n)
		return 0;
	if (db_query(db, &of, DB_ARGS(db_arg_uuids(ids, n)), &rows, err))
		return -1;
	*n_list = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct db_invalid, *n_list + 1);
	for (int i = 0; i < (int)*n_list; i++) {
		struct db_invalid *v = &(*list)[i];

		db_uuid(rows, i, 0, &v->run_id);
		v->reason = arena_strdup(a, db_text(rows, i, 1));
		v->who = arena_strdup(a, db_text(rows, i, 2));
		v->at = db_time(rows, i, 3);
	}
	db_rows_free(rows);
	return 0;
}

/* With its check; and with its packing, where it is to be in packs again. */
static int queue(struct db *db, const struct uuid *run_id, bool pack, struct err *err)
{
	static const struct stmt add = {
		"invalid_queue", "INSERT INTO run_todo (run_id, what) SELECT $1, w.what FROM (VALUES ('check'), ('pack')) w (what)"
				 " WHERE $2 OR w.what = 'check' ON CONFLICT (what, run_id) DO NOTHING"
	};
	static const struct stmt wake = { "invalid_notify", "SELECT pg_notify('nsecwatch_run', '')" };

	return db_query(db, &add, DB_ARGS(db_arg_uuid(run_id), db_arg_bool(pack)), NULL, err) ||
	       db_query(db, &wake, DB_NO_ARGS, NULL, err) ? -1 : 0;
}

int db_invalid_add(struct db *db, const struct run *run, struct db_invalid *v, bool *was, struct err *err)
{
	static const struct stmt add = {
		"invalid_add", "INSERT INTO run_invalid (run_id, reason, who, at) VALUES ($1, $2, $3, $4)"
			       " ON CONFLICT (run_id) DO NOTHING RETURNING run_id"
	};
	struct db_rows *rows;

	v->run_id = run->run_id;
	v->at = tm_now_usec();
	if (db_packs_lock(db, err) ||
	    db_query(db, &add,
		     DB_ARGS(db_arg_uuid(&v->run_id), db_arg_text(v->reason), db_arg_text(v->who), db_arg_time(v->at)), &rows, err))
		return -1;
	*was = db_rows_count(rows) == 0;
	db_rows_free(rows);
	if (*was)
		return 0;
	return db_packs_drop(db, run, err) || queue(db, &run->run_id, false, err) ? -1 : 0;
}

int db_invalid_remove(struct db *db, const struct uuid *run_id, bool *was, struct err *err)
{
	static const struct stmt gone = { "invalid_remove", "DELETE FROM run_invalid WHERE run_id = $1 RETURNING run_id" };
	struct db_rows *rows;

	if (db_packs_lock(db, err) || db_query(db, &gone, DB_ARGS(db_arg_uuid(run_id)), &rows, err))
		return -1;
	*was = db_rows_count(rows) > 0;
	db_rows_free(rows);
	return *was ? queue(db, run_id, true, err) : 0;
}
