/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_doctor.h"

/* reset_val: our own session sets some of them. */
#define SETTING(name) "(SELECT s.reset_val FROM pg_settings s WHERE s.name = '" name "')"
#define SESSIONS(name) "(SELECT count(DISTINCT coalesce(a.client_addr::text, '') || a.application_name) FROM pg_stat_activity a" \
		       " WHERE a.datname = current_database() AND a.application_name LIKE '" name "%')"

static int read_server(struct db *db, struct arena *a, struct db_doctor *d, struct err *err)
{
	static const struct stmt server = {
		"doctor_server",
		"SELECT current_setting('server_version_num')::bigint, current_setting('server_version'), " SETTING("fsync") ","
		" " SETTING("full_page_writes") ", " SETTING("synchronous_commit") ", " SETTING("autovacuum") ","
		" " SETTING("data_checksums") ", " SETTING("archive_mode") ", " SETTING("synchronous_standby_names") ","
		" " SETTING("synchronous_standby_names") " <> '' AND NOT EXISTS (SELECT FROM pg_stat_replication),"
		" " SETTING("max_connections") "::bigint, " SETTING("superuser_reserved_connections") "::bigint,"
		" (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),"
		" pg_encoding_to_char(d.encoding)::text, d.datcollate::text, pg_is_in_recovery(), " SETTING("default_transaction_read_only") " = 'on',"
		" age(d.datfrozenxid)::bigint, clock_timestamp(), has_database_privilege(d.oid, 'CREATE'), has_database_privilege(d.oid, 'TEMP'),"
		" (SELECT coalesce(string_agg(c.relname::text, ', '), '') FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
		" WHERE NOT i.indisvalid AND c.relnamespace = to_regnamespace('nsecwatch')), " SESSIONS("nsecwatchd serve") ","
		" " SESSIONS("nsecwatchd watch") " FROM pg_database d WHERE d.datname = current_database()"
	};
	struct db_rows *rows;

	if (db_query(db, &server, DB_NO_ARGS, &rows, err))
		return -1;
	*d = (struct db_doctor){
		.version = db_i64(rows, 0, 0), .version_text = arena_strdup(a, db_text(rows, 0, 1)),
		.fsync = arena_strdup(a, db_text(rows, 0, 2)), .full_page_writes = arena_strdup(a, db_text(rows, 0, 3)),
		.synchronous_commit = arena_strdup(a, db_text(rows, 0, 4)), .autovacuum = arena_strdup(a, db_text(rows, 0, 5)),
		.data_checksums = arena_strdup(a, db_text(rows, 0, 6)), .archive_mode = arena_strdup(a, db_text(rows, 0, 7)),
		.synchronous_standby_names = arena_strdup(a, db_text(rows, 0, 8)), .sync_standby_missing = db_bool(rows, 0, 9),
		.max_connections = db_i64(rows, 0, 10), .reserved = db_i64(rows, 0, 11), .used = db_i64(rows, 0, 12),
		.encoding = arena_strdup(a, db_text(rows, 0, 13)), .collation = arena_strdup(a, db_text(rows, 0, 14)),
		.in_recovery = db_bool(rows, 0, 15), .read_only = db_bool(rows, 0, 16), .xid_age = db_i64(rows, 0, 17),
		.now = db_time(rows, 0, 18), .may_create = db_bool(rows, 0, 19), .may_temp = db_bool(rows, 0, 20),
		.invalid_indexes = arena_strdup(a, db_text(rows, 0, 21)), .serves = db_i64(rows, 0, 22), .watches = db_i64(rows, 0, 23),
		.expiring = "", .expired = "",
	};
	db_rows_free(rows);
	return 0;
}

static int read_collation(struct db *db, struct db_doctor *d, struct err *err)
{
	static const struct stmt changed = {	/* PostgreSQL 15 */
		"doctor_collation",
		"SELECT datcollversion IS DISTINCT FROM pg_database_collation_actual_version(oid) FROM pg_database"
		" WHERE datname = current_database()"
	};
	struct db_rows *rows;

	if (d->version < 150000)
		return 0;
	if (db_query(db, &changed, DB_NO_ARGS, &rows, err))
		return -1;
	d->collation_changed = db_bool(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}

/* As JSON: a column that an older schema has not is null. */
static int read_tokens(struct db *db, struct arena *a, struct db_doctor *d, struct err *err)
{
	static const struct stmt tokens = {
		"doctor_tokens",
		"SELECT count(*) FILTER (WHERE t.scope = 'admin' AND (t.ends IS NULL OR t.ends > now())),"
		" coalesce(string_agg(t.name, ', ' ORDER BY t.ends) FILTER (WHERE t.ends BETWEEN now() AND now() + interval '14 days'), ''),"
		" coalesce(string_agg(t.name, ', ' ORDER BY t.ends) FILTER (WHERE t.ends < now() AND t.ends > now() - interval '30 days'), '')"
		" FROM (SELECT o.scope, o.name, (to_jsonb(o) ->> 'expires_at')::timestamptz AS ends FROM token o WHERE o.revoked_at IS NULL) t"
	};
	struct db_rows *rows;

	if (db_query(db, &tokens, DB_NO_ARGS, &rows, err))
		return -1;
	d->admins = db_i64(rows, 0, 0);
	d->expiring = arena_strdup(a, db_text(rows, 0, 1));
	d->expired = arena_strdup(a, db_text(rows, 0, 2));
	db_rows_free(rows);
	return 0;
}

int db_doctor_read(struct db *db, struct arena *a, struct db_doctor *d, struct err *err)
{
	struct err ignored = { 0 };

	if (read_server(db, a, d, err) || read_collation(db, d, err))
		return -1;
	d->admins = -1;
	read_tokens(db, a, d, &ignored);	/* there may be no schema */
	return 0;
}

int db_doctor_zone_known(struct db *db, const char *zone, bool *known, struct err *err)
{
	static const struct stmt find = { "doctor_zone", "SELECT EXISTS (SELECT FROM pg_timezone_names WHERE name = $1::text)" };
	struct db_rows *rows;

	if (db_query(db, &find, DB_ARGS(db_arg_text(zone)), &rows, err))
		return -1;
	*known = db_bool(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}
