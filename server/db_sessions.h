/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Browsers that are signed in, by the SHA-256 of their cookie's secret. */
#ifndef SERVER_DB_SESSIONS_H
#define SERVER_DB_SESSIONS_H

#include "db_tokens.h"

#define DB_SESSIONS_IDLE_S (12 * 3600)	/* unused for so long, it is over */

struct db_session {
	struct token token;		/* whose it is; id -1: a trusted proxy's word, and only the name is told */
	int64_t expires_at;
};

/* Begins one, and forgets those that are over; at most some hundreds a person, of which the oldest make room. Not in a transaction. */
int db_sessions_add(struct db *db, const uint8_t digest[32], const struct db_session *s, struct err *err);
/* s->token.id 0: there is none, or it is over, as its token may be. Notes that it was used, if it has not for some minutes. */
int db_sessions_find(struct db *db, struct arena *a, const uint8_t digest[32], struct db_session *s, struct err *err);
int db_sessions_end(struct db *db, const uint8_t digest[32], struct err *err);

#endif
