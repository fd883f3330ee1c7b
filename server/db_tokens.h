/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Access tokens: 256 random bits, stored as their SHA-256. */
#ifndef SERVER_DB_TOKENS_H
#define SERVER_DB_TOKENS_H

#include "db.h"

/* Each includes what is said on the right. */
enum token_scope {
	SCOPE_NONE,
	SCOPE_READ,
	SCOPE_INGEST,		/* and read */
	SCOPE_TRIAGE,		/* and read */
	SCOPE_ADMIN,		/* everything */
};

struct token {
	int64_t id;				/* 0: nobody; -1: a person whom a trusted proxy named, who has no token */
	const char *name;
	enum token_scope scope;
	/* globs of names that uploads with it may have, each with a '\n' behind it; NULL: any */
	const char *machines, *benchmarks;
	int64_t created_at;
	int64_t expires_at, revoked_at;		/* TM_NONE: never, not */
	int64_t last_used_at;			/* to some minutes; TM_NONE: not yet */
};

#define TOKEN_TEXT 48				/* "nsw_" + 43 base64url characters and a NUL */

const char *db_tokens_scope_word(enum token_scope scope);
int db_tokens_scope_parse(const char *word, enum token_scope *scope);
bool db_tokens_allows(enum token_scope has, enum token_scope needs);
/* "active", "expired" or "revoked", by now. */
const char *db_tokens_state(const struct token *t, int64_t now);
/* 256 random bits as 43 base64url characters and a NUL; the text of tokens and of cookies. */
#define TOKEN_SECRET 44
void db_tokens_secret(char text[TOKEN_SECRET]);
/* A deep copy, into the arena. */
struct token db_tokens_copy(struct arena *a, const struct token *t);

/*
 * Makes one (name, scope, limits and end of *t), in a transaction that may run twice: with the text of
 * db_tokens_text(), which is told to whoever asked and never again. ERR_CONFLICT: the name is taken.
 */
void db_tokens_text(char text[TOKEN_TEXT]);
int db_tokens_add(struct db *db, const struct token *t, const char text[TOKEN_TEXT], struct err *err);
/* Which token this text is. 0 with token->id 0: none, or over. Notes that it was used, if it has not for some minutes. */
int db_tokens_find(struct db *db, struct arena *a, const char *text, struct token *token, struct err *err);
int db_tokens_list(struct db *db, struct arena *a, struct token **list, size_t *n, struct err *err);
/* Sets *t to what it is then; (*t)->id 0: there is none. *was: it was revoked before. */
int db_tokens_revoke(struct db *db, struct arena *a, const char *name, struct token *t, bool *was, struct err *err);

#endif
