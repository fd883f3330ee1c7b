/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Schema migrations, embedded, numbered, each in its own transaction under one advisory lock, with a recorded SHA-256. */
#ifndef SERVER_DB_MIGRATE_H
#define SERVER_DB_MIGRATE_H

#include "db.h"

/* Brings the schema to the newest version; *applied = how many ran. -1: err names the file. */
int db_migrate_run(struct db *db, int *applied, struct err *err);
/* 0: current. -1 ERR_UNAVAILABLE: older, or newer than this program knows, or the database is away. */
int db_migrate_check(struct db *db, struct err *err);

#endif
