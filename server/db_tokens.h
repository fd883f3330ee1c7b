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
	int64_t id;
	const char *name;
	enum token_scope scope;
	int64_t created_at, revoked_at;		/* revoked_at TM_NONE: good */
};

#define TOKEN_TEXT 48				/* "nsw_" + 43 base64url characters and a NUL */

const char *db_tokens_scope_word(enum token_scope scope);
int db_tokens_scope_parse(const char *word, enum token_scope *scope);
bool db_tokens_allows(enum token_scope has, enum token_scope needs);

/* Makes one; its text is told here and never again. */
int db_tokens_add(struct db *db, const char *name, enum token_scope scope, char text[TOKEN_TEXT], struct err *err);
/* Which token this text is. 0 with token->id 0: none, or revoked. */
int db_tokens_find(struct db *db, struct arena *a, const char *text, struct token *token, struct err *err);
int db_tokens_list(struct db *db, struct arena *a, struct token **list, size_t *n, struct err *err);
int db_tokens_revoke(struct db *db, const char *name, bool *found, struct err *err);

#endif
