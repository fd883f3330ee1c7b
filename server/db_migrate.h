/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Schema migrations, embedded, numbered, each in its own transaction under one advisory lock (but see db_apart.h), with a recorded SHA-256. */
#ifndef SERVER_DB_MIGRATE_H
#define SERVER_DB_MIGRATE_H

#include "db.h"

struct embed_file;

/* Brings the schema to the newest version; *applied = how many ran. -1: err names the file. */
int db_migrate_run(struct db *db, int *applied, struct err *err);
/* 0: current. -1 ERR_UNAVAILABLE: older, or newer than this program knows, or the database is away. */
int db_migrate_check(struct db *db, struct err *err);
int64_t db_migrate_newest(void);			/* the version this program needs */
/* The version the database has, 0 for none. -1: it is newer than this program, or what was applied is not what we know. */
int db_migrate_version(struct db *db, int64_t *version, struct err *err);
/* In a transaction that is open: the migrations up to that version, those that are missing. For a restore. */
int db_migrate_within(struct db *db, int64_t last, struct err *err);

/* Other files in the place of the program's, for tests of how files are run. */
void db_migrate_use(const struct embed_file *other);

#endif
