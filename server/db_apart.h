/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SQL that cannot run in a transaction: CREATE INDEX CONCURRENTLY and its like, which let uploads go on while they take their
 * time. Statement by statement; what is interrupted is begun again from the first one, so each must bear that (IF NOT EXISTS).
 */
#ifndef SERVER_DB_APART_H
#define SERVER_DB_APART_H

#include "db.h"

#define DB_APART_MARK "-- apart\n"	/* the first line of such a file, or the one behind that of its licence */

/* Whether the text is so marked. */
bool db_apart_is(const char *sql);

/*
 * Runs the statements, each up to a ';' at the end of its line, while nobody else migrates. An index of our schema that an
 * interrupted attempt has left unfinished is dropped before: IF NOT EXISTS would take it for done.
 */
int db_apart_run(struct db *db, const char *sql, struct err *err);

/* The same text for an empty database, in a transaction: without CONCURRENTLY. In the arena. */
char *db_apart_together(struct arena *a, const char *sql);

#endif
