/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places in PostgreSQL's write-ahead log, as bytes since its beginning: how far the primary had written when something was
 * acknowledged, and how far a hot standby has come. A standby that has not come so far does not show it yet.
 */
#ifndef SERVER_DB_REPLAY_H
#define SERVER_DB_REPLAY_H

#include "db.h"

#define DB_REPLAY_TEXT 20		/* "16/B374D848" and a NUL */

/* What this session can see, in PostgreSQL's words: see db_runs_data_version(). */
#define DB_REPLAY_VERSION \
	"pg_current_snapshot()::text || CASE WHEN pg_is_in_recovery() THEN '@' || pg_last_wal_replay_lsn()::text ELSE '' END"

/* On a primary: all that is committed is before it. (What is flushed, not what is inserted: that may be no record of ours, and waits.) */
int db_replay_written(struct db *db, int64_t *place, struct err *err);
/* Of a standby how far it shows; a primary shows everything: INT64_MAX. */
int db_replay_shown(struct db *db, int64_t *place, struct err *err);

/* As PostgreSQL writes it. parse: -1 where it is none. */
const char *db_replay_format(int64_t place, char out[DB_REPLAY_TEXT]);
int db_replay_parse(const char *text, int64_t *place);

#endif
