/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All tables of a database there and back, each as the rows of a COPY: what a backup reads in one snapshot and a restore
 * writes in one transaction. What they look like in a file is backup_file.h's business.
 *
 * Not carried: `changed_in`, which counts the transactions of the cluster that it stands in (see db_catalog_load.c);
 * schema_migration, which the migrations that make the tables write.
 */
#ifndef SERVER_DB_BACKUP_H
#define SERVER_DB_BACKUP_H

#include "db.h"

struct backup_table {
	const char *name;
	const char *const *columns;
	size_t n_columns;
	int64_t rows;			/* known after its rows */
	int64_t sequence;		/* the last id that was given out; 0: none, or no such column */
};

/* What a backup is told, in this order: begin, then for each table: table, its rows, table_end. */
struct backup_visitor {
	int (*begin)(void *arg, int64_t schema, const char *const *months, size_t n_months, struct err *err);
	int (*table)(void *arg, const struct backup_table *t, struct err *err);
	int (*row)(const char *row, size_t len, void *arg, struct err *err);
	int (*table_end)(void *arg, const struct backup_table *t, struct err *err);
	void *arg;
};

/* One snapshot of everything; months: those that run_raw has partitions of ("2026-02-01"). No second attempt. */
int db_backup_read(struct db *db, const struct backup_visitor *v, struct err *err);

/*
 * The other way, in one transaction: fn calls _begin(), for each table _table(), db_copy_put() and _table_end(), then
 * _finish(). Where anything fails, the database is as it was.
 */
int db_backup_write(struct db *db, db_tx_fn fn, void *arg, struct err *err);
/*
 * Makes the tables as they were at that schema version. The database must have none of ours, or nothing in those it
 * has but what a server that was just started put there: else ERR_CONFLICT, with the cure.
 */
int db_backup_begin(struct db *db, int64_t schema, const char *const *months, size_t n_months, struct err *err);
int db_backup_table(struct db *db, const struct backup_table *t, struct err *err);
int db_backup_table_end(struct db *db, const struct backup_table *t, struct err *err);
/* Puts the references back (each is checked) and brings the schema to the newest version. */
int db_backup_finish(struct db *db, struct err *err);

#endif
