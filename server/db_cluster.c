/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_cluster.h"

static const struct stmt find_role = {
	"cluster_role", "SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = 'nsecwatch'"
};
static const struct stmt find_database = {
	"cluster_database", "SELECT 1 FROM pg_catalog.pg_database WHERE datname = 'nsecwatch'"
};

static int make_if_missing(struct db *db, const struct stmt *find, const char *make, struct err *err)
{
	struct db_rows *rows;
	int found;

	if (db_query(db, find, DB_NO_ARGS, &rows, err))
		return -1;
	found = db_rows_count(rows);
	db_rows_free(rows);
	return found ? 0 : db_script(db, make, err);
}

int db_cluster_prepare(struct db *db, struct err *err)
{
	if (make_if_missing(db, &find_role, "CREATE ROLE nsecwatch LOGIN", err))
		return -1;
	return make_if_missing(db, &find_database,
			       "CREATE DATABASE nsecwatch OWNER nsecwatch TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'",
			       err);
}
