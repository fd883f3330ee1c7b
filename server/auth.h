/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who sends a request: the Authorization header (Bearer TOKEN, or Basic with the token as password, for reading), else
 * the cookie of a browser that is signed in, else the word of a trusted proxy. What was found is
 * kept for a few seconds: that long a revoked token may still work, in other processes than the one that was told.
 */
#ifndef SERVER_AUTH_H
#define SERVER_AUTH_H

#include "db_tokens.h"

struct auth;

enum auth_way {
	AUTH_NOBODY,
	AUTH_TOKEN,		/* a program says who it is with each request */
	AUTH_PASSWORD,		/* a browser sends it with the form of any site, so it is good for reading only */
	AUTH_SESSION,		/* likewise a cookie: what it changes needs its proof, too */
	AUTH_PROXY,		/* likewise: known by the proxy's cookie, and with no proof of ours */
};

/* What a request brings. Each may be NULL. */
struct auth_given {
	const char *authorization;
	const char *secret;		/* of our cookie */
	const char *person;		/* whom a trusted proxy names */
};

struct auth_known {
	struct token token;		/* id 0: nobody */
	enum auth_way way;
	const char *csrf;		/* of a session: what a page of ours sends with each change; else NULL */
	int64_t session_ends;		/* TM_NONE: no session */
	bool session_over;		/* there was a cookie, and it is good no more */
};

/* scope, admins: of people whom a proxy names; admins with commas, or NULL. Both are borrowed. */
struct auth *auth_new(enum token_scope scope, const char *admins);
void auth_free(struct auth *a);		/* accepts NULL */

/*
 * Nobody (token.id 0) is no error, nor is a cookie that is over. A header without a good token: ERR_UNAUTHORIZED.
 * The database away, or db NULL and nothing remembered: ERR_UNAVAILABLE. What *known says lives in the arena.
 */
int auth_find(struct auth *a, struct db *db, struct arena *arena, const struct auth_given *given, struct auth_known *known,
	      struct err *err);

/* 0 when the token may do what `needs` says; else ERR_UNAUTHORIZED (nobody) or ERR_FORBIDDEN. */
int auth_check(const struct token *token, enum token_scope needs, struct err *err);

/* It is looked up again when it comes next. */
void auth_forget_session(struct auth *a, const char *secret);
void auth_forget_token(struct auth *a, int64_t token_id);	/* and its sessions */

/* The digest under which a cookie's secret is kept. */
void auth_session_digest(const char *secret, uint8_t digest[32]);
/* What a page of ours sends with each change; it does not tell the secret. */
const char *auth_session_csrf(struct arena *arena, const char *secret);
/* Whether two texts are the same, in a time that does not tell where they differ. */
bool auth_same(const char *a, const char *b);

#endif
