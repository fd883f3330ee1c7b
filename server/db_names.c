/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_names.h"

#define THIS_TX "pg_current_xact_id()::text::bigint"

#define COLUMNS "id, name, shown, aliases, coalesce(merged_into, 0)"

static void take(struct arena *a, struct db_rows *rows, struct db_names **names)
{
	struct db_names *n;

	*names = NULL;
	if (db_rows_count(rows)) {
		n = *names = arena_zalloc(a, sizeof(*n));
		n->id = db_i64(rows, 0, 0);
		n->key = arena_strdup(a, db_text(rows, 0, 1));
		n->shown = arena_strdup(a, db_text(rows, 0, 2));
		n->aliases = (const char *const *)db_texts(a, rows, 0, 3, &n->n_aliases);
		n->merged_into = db_i64(rows, 0, 4);
	}
	db_rows_free(rows);
}

int db_names_find(struct db *db, struct arena *a, enum names_of of, const char *name, struct db_names **names,
		  struct err *err)
{
	/* a row's own name goes before what others are called besides */
	static const struct stmt find[] = {
		[NAMES_MACHINE] = { "names_machine", "SELECT " COLUMNS " FROM machine WHERE name = $1 OR shown = $1"
						     " OR $1 = ANY(aliases) ORDER BY name <> $1, id LIMIT 1 FOR UPDATE" },
		[NAMES_BENCHMARK] = { "names_benchmark", "SELECT " COLUMNS " FROM benchmark WHERE name = $1"
							 " OR shown = $1 OR $1 = ANY(aliases) ORDER BY name <> $1, id LIMIT 1 FOR UPDATE" },
	};
	struct db_rows *rows;

	if (db_query(db, &find[of], DB_ARGS(db_arg_text(name)), &rows, err))
		return -1;
	take(a, rows, names);
	return 0;
}

int db_names_root(struct db *db, struct arena *a, enum names_of of, struct db_names **names, struct err *err)
{
	static const struct stmt by_id[] = {
		[NAMES_MACHINE] = { "names_machine_id", "SELECT " COLUMNS " FROM machine WHERE id = $1 FOR UPDATE" },
		[NAMES_BENCHMARK] = { "names_benchmark_id", "SELECT " COLUMNS " FROM benchmark WHERE id = $1 FOR UPDATE" },
	};
	struct db_rows *rows;

	while (*names && (*names)->merged_into) {
		if (db_query(db, &by_id[of], DB_ARGS(db_arg_i64((*names)->merged_into)), &rows, err))
			return -1;
		take(a, rows, names);
	}
	return 0;
}

int db_names_write(struct db *db, enum names_of of, const struct db_names *n, struct err *err)
{
	static const struct stmt write[] = {
		[NAMES_MACHINE] = { "names_machine_write",
				    "UPDATE machine SET shown = $2, aliases = $3, changed_in = " THIS_TX " WHERE id = $1" },
		[NAMES_BENCHMARK] = { "names_benchmark_write",
				      "UPDATE benchmark SET shown = $2, aliases = $3, changed_in = " THIS_TX " WHERE id = $1" },
	};
	static const char *const none[1];

	return db_query(db, &write[of],
			DB_ARGS(db_arg_i64(n->id), db_arg_text(n->shown),
				db_arg_texts(n->n_aliases ? n->aliases : none, n->n_aliases)),
			NULL, err);
}
