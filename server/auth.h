/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who sends a request: the Authorization header (Bearer TOKEN, or Basic with the token as
 * password, which is what a browser can do) to a struct token. Found tokens are kept
 * for a few seconds: that long a revoked one may still work.
 */
#ifndef SERVER_AUTH_H
#define SERVER_AUTH_H

#include "db_tokens.h"

struct auth;

struct auth *auth_new(void);
void auth_free(struct auth *a);		/* accepts NULL */

/*
 * header NULL: nobody (token->id 0), which is no error. A header without a good token: ERR_UNAUTHORIZED.
 * The database away: ERR_UNAVAILABLE.
 */
int auth_find(struct auth *a, struct db *db, struct arena *arena, const char *header, struct token *token,
	      struct err *err);

/* A password: a browser sends it with the form of any site, so it is good for reading only. */
bool auth_is_basic(const char *header);

/*
 * Takes one upload from what the token may send: per_minute (0: no limit), all of it at once if it likes.
 * None left: ERR_RATE, and in *retry_after_s when there will be one.
 */
int auth_rate(struct auth *a, const struct token *token, int per_minute, int *retry_after_s, struct err *err);

/* 0 when the token may do what `needs` says; else ERR_UNAUTHORIZED (nobody) or ERR_FORBIDDEN. */
int auth_check(const struct token *token, enum token_scope needs, struct err *err);

#endif
