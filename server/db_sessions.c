/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_sessions.h"

#include "../lib/tm.h"

#define DEADLINE_MS 5000
#define EACH_MOST "200"

struct adding {
	const uint8_t *digest;
	const struct db_session *s;
};

static int add_tx(struct db *db, void *arg, struct err *err)
{
	static const struct stmt sweep = {
		"sessions_sweep", "DELETE FROM session WHERE expires_at < now() OR used_at < now() - make_interval(secs => $1)"
	};
	static const struct stmt make_room = {
		"sessions_room", "DELETE FROM session WHERE sha256 IN (SELECT sha256 FROM session "
				 "WHERE who = $2 AND token_id IS NOT DISTINCT FROM $1 ORDER BY used_at DESC OFFSET " EACH_MOST " - 1)"
	};
	static const struct stmt add = {
		"sessions_add", "INSERT INTO session (sha256, token_id, who, made_at, used_at, expires_at) "
				"VALUES ($1, $2, $3, $4, $4, $5) ON CONFLICT DO NOTHING"
	};
	const struct adding *d = arg;
	const struct token *t = &d->s->token;
	struct db_arg token_id = t->id > 0 ? db_arg_i64(t->id) : db_arg_null();

	return db_query(db, &sweep, DB_ARGS(db_arg_f64(DB_SESSIONS_IDLE_S)), NULL, err) ||
	       db_query(db, &make_room, DB_ARGS(token_id, db_arg_text(t->name)), NULL, err) ||
	       db_query(db, &add, DB_ARGS(db_arg_bytes(d->digest, 32), token_id, db_arg_text(t->name),
					  db_arg_time(tm_now_usec()), db_arg_time(d->s->expires_at)), NULL, err) ? -1 : 0;
}

int db_sessions_add(struct db *db, const uint8_t digest[32], const struct db_session *s, struct err *err)
{
	struct adding d = { digest, s };

	return db_tx(db, add_tx, &d, DEADLINE_MS, err);
}

/* A failure is nobody's, as with tokens. */
static void note_use(struct db *db, const uint8_t digest[32])
{
	static const struct stmt note = {
		"sessions_use", "UPDATE session SET used_at = now() WHERE sha256 = $1 AND used_at < now() - interval '5 minutes'"
	};
	struct err ignored = { 0 };

	db_query(db, &note, DB_ARGS(db_arg_bytes(digest, 32)), NULL, &ignored);
}

int db_sessions_find(struct db *db, struct arena *a, const uint8_t digest[32], struct db_session *s, struct err *err)
{
	static const struct stmt find = {
		"sessions_find",
		"SELECT s.token_id, s.who, t.scope, s.expires_at, s.used_at < now() - interval '5 minutes' "
		"FROM session AS s LEFT JOIN token AS t ON t.id = s.token_id "
		"WHERE s.sha256 = $1 AND s.expires_at > now() AND s.used_at > now() - make_interval(secs => $2) "
		"AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())"
	};
	struct db_rows *rows;
	bool proxy, old = false;
	int ret = 0;

	*s = (struct db_session){ .expires_at = TM_NONE };
	if (db_query(db, &find, DB_ARGS(db_arg_bytes(digest, 32), db_arg_f64(DB_SESSIONS_IDLE_S)), &rows, err))
		return -1;
	if (db_rows_count(rows)) {
		proxy = db_is_null(rows, 0, 0);
		s->token.id = proxy ? -1 : db_i64(rows, 0, 0);
		s->token.name = arena_strdup(a, db_text(rows, 0, 1));
		s->expires_at = db_time(rows, 0, 3);
		old = db_bool(rows, 0, 4);
		if (!proxy && db_tokens_scope_parse(db_text(rows, 0, 2), &s->token.scope))
			ret = err_set(err, ERR_BUG, "a token with a scope nobody knows");
	}
	db_rows_free(rows);
	if (!ret && old)
		note_use(db, digest);
	return ret;
}

int db_sessions_end(struct db *db, const uint8_t digest[32], struct err *err)
{
	static const struct stmt end = { "sessions_end", "DELETE FROM session WHERE sha256 = $1" };

	return db_query(db, &end, DB_ARGS(db_arg_bytes(digest, 32)), NULL, err);
}
