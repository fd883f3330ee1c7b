/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tokens made and revoked, each with its line in the audit trail. By people (API), and by commands. */
#ifndef SERVER_CALC_TOKEN_H
#define SERVER_CALC_TOKEN_H

#include "../lib/jsonw.h"
#include "db_tokens.h"

#define CALC_TOKEN_GLOBS_MOST 100
#define CALC_TOKEN_GLOB_MOST 200	/* bytes */

/* Globs with commas, "milan-*,rome-1", as struct token has them. NULL and "" become NULL. -1: err says what is wrong. */
int calc_token_globs(struct arena *a, const char *text, const char **out, struct err *err);
/* Whether a name is among them (NULL: any is). */
bool calc_token_lets(const char *globs, const char *name);
/* "90d", "12h" from now, or a time of RFC 3339; it has to be to come. */
int calc_token_end(const char *text, int64_t now, int64_t *expires_at, struct err *err);
/* Whether its parts go together: limits are of uploads, so of scope ingest. */
int calc_token_check(const struct token *t, struct err *err);

/* Name, scope, limits and end of *t are given; its text is told here and never again. */
int calc_token_add(struct db *db, struct arena *a, struct token *t, const char *who, char text[TOKEN_TEXT], struct err *err);
/* ERR_NOT_FOUND. Again: harmless. */
int calc_token_revoke(struct db *db, struct arena *a, const char *name, const char *who, struct token *t, struct err *err);

/* What may be told of it: all but the text. */
void calc_token_json(struct jsonw *j, const struct token *t, int64_t now);

#endif
