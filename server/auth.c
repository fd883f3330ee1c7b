/* SPDX-License-Identifier: GPL-2.0-or-later */
/* With a small cache by the SHA-256 of what was sent; see auth.h. */
#include "auth.h"

#include <nettle/base64.h>
#include <nettle/memops.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../lib/must.h"
#include "../lib/tm.h"
#include "db_sessions.h"

#define SLOTS 256			/* by the first byte of the digest; a newer one replaces */
#define KEEP_USEC (5 * 1000000LL)
#define SECRET_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

/* What kind of secret a digest is of: no token is ever taken for a cookie. */
enum secret { SECRET_TOKEN, SECRET_COOKIE };

struct slot {
	uint8_t digest[32];
	enum secret kind;
	int64_t until;			/* monotonic usec; 0 = empty */
	struct arena *arena;		/* of the token's texts; or NULL */
	struct token token;
	int64_t session_ends;
};

struct auth {
	enum token_scope proxy_scope;
	const char *proxy_admins;
	pthread_mutex_t lock;
	struct slot slot[SLOTS];	/* under lock */
};

struct auth *auth_new(enum token_scope scope, const char *admins)
{
	struct auth *a = calloc(1, sizeof(*a));

	must(a != NULL);
	a->proxy_scope = scope;
	a->proxy_admins = admins;
	must(!pthread_mutex_init(&a->lock, NULL));
	return a;
}

void auth_free(struct auth *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < SLOTS; i++)
		arena_free(a->slot[i].arena);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

bool auth_same(const char *x, const char *y)
{
	size_t n = strlen(x);

	return n == strlen(y) && memeql_sec(x, y, n);
}

/* ---- what was sent ---- */

/* The password of "Basic dXNlcjpwYXNz". */
static const char *basic_password(struct arena *arena, const char *text)
{
	struct base64_decode_ctx ctx;
	size_t n = strlen(text), len = BASE64_DECODE_LENGTH(n);
	char *plain;

	if (n > 1024)
		return NULL;
	plain = arena_zalloc(arena, len + 1);
	base64_decode_init(&ctx);
	if (!base64_decode_update(&ctx, &len, (uint8_t *)plain, n, text) || !base64_decode_final(&ctx))
		return NULL;
	plain[len] = 0;
	plain = strchr(plain, ':');
	return plain ? plain + 1 : NULL;
}

static const char *token_text(struct arena *arena, const char *header, enum auth_way *way)
{
	size_t n = strcspn(header, " ");
	const char *rest = header + n + strspn(header + n, " ");
	const char *text = NULL;

	*way = AUTH_TOKEN;
	if (n == 6 && !strncasecmp(header, "Bearer", 6)) {
		text = rest;
	} else if (n == 5 && !strncasecmp(header, "Basic", 5)) {
		text = basic_password(arena, rest);
		*way = AUTH_PASSWORD;
	}
	return text && *text && strlen(text) < TOKEN_TEXT && strspn(text, SECRET_CHARS) == strlen(text) ? text : NULL;
}

void auth_session_digest(const char *secret, uint8_t digest[32])
{
	sha256(secret, strlen(secret), digest);
}

const char *auth_session_csrf(struct arena *arena, const char *secret)
{
	const char *text = arena_printf(arena, "nsecwatch change %s", secret);
	uint8_t digest[32];
	char hex[65];

	sha256(text, strlen(text), digest);
	hex_format(digest, 32, hex);
	return arena_strdup(arena, hex);
}

/* ---- what is kept ---- */

static bool recall(struct auth *a, struct arena *arena, enum secret kind, const uint8_t digest[32], struct auth_known *known)
{
	struct slot *s = &a->slot[digest[0]];
	bool found;

	must(!pthread_mutex_lock(&a->lock));
	found = s->until > tm_monotonic_usec() && s->kind == kind && memeql_sec(s->digest, digest, 32);
	if (found) {
		known->token = db_tokens_copy(arena, &s->token);
		known->session_ends = s->session_ends;
	}
	must(!pthread_mutex_unlock(&a->lock));
	return found;
}

/* Not past its own end. */
static int64_t keep_until(const struct auth_known *known)
{
	int64_t left = KEEP_USEC, now = tm_now_usec();

	if (known->token.id > 0 && known->token.expires_at != TM_NONE && known->token.expires_at - now < left)
		left = known->token.expires_at - now;
	if (known->session_ends != TM_NONE && known->session_ends - now < left)
		left = known->session_ends - now;
	return tm_monotonic_usec() + left;
}

static void keep(struct auth *a, enum secret kind, const uint8_t digest[32], const struct auth_known *known)
{
	struct slot *s = &a->slot[digest[0]];

	must(!pthread_mutex_lock(&a->lock));
	if (!s->arena)
		s->arena = arena_new();
	arena_reset(s->arena);
	memcpy(s->digest, digest, 32);
	s->kind = kind;
	s->token = db_tokens_copy(s->arena, &known->token);
	s->session_ends = known->session_ends;
	s->until = keep_until(known);
	must(!pthread_mutex_unlock(&a->lock));
}

void auth_forget_session(struct auth *a, const char *secret)
{
	uint8_t digest[32];
	struct slot *s;

	auth_session_digest(secret, digest);
	s = &a->slot[digest[0]];
	must(!pthread_mutex_lock(&a->lock));
	if (s->kind == SECRET_COOKIE && memeql_sec(s->digest, digest, 32))
		s->until = 0;
	must(!pthread_mutex_unlock(&a->lock));
}

void auth_forget_token(struct auth *a, int64_t token_id)
{
	must(!pthread_mutex_lock(&a->lock));
	for (size_t i = 0; i < SLOTS; i++)
		if (a->slot[i].token.id == token_id)
			a->slot[i].until = 0;
	must(!pthread_mutex_unlock(&a->lock));
}

/* ---- who it is ---- */

static int find_token(struct auth *a, struct db *db, struct arena *arena, const char *header, struct auth_known *known,
		      struct err *err)
{
	enum auth_way way;
	const char *text = token_text(arena, header, &way);
	uint8_t digest[32];

	if (!text)
		return err_set(err, ERR_UNAUTHORIZED, "Authorization: 'Bearer TOKEN' is needed");
	known->way = way;
	sha256(text, strlen(text), digest);
	if (recall(a, arena, SECRET_TOKEN, digest, known))
		return 0;
	if (!db)
		return err_set(err, ERR_UNAVAILABLE, "this token has to be looked up");
	if (db_tokens_find(db, arena, text, &known->token, err))
		return -1;
	if (!known->token.id)
		return err_set(err, ERR_UNAUTHORIZED, "this token is not known here, or it expired or was revoked");
	keep(a, SECRET_TOKEN, digest, known);
	return 0;
}

static bool is_listed(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (; list && *list; list += strcspn(list, ","), list += *list == ',') {
		list += strspn(list, " ");
		if (strcspn(list, ",") == n && !strncmp(list, name, n))
			return true;
	}
	return false;
}

static enum token_scope scope_of_person(const struct auth *a, const char *name)
{
	return is_listed(a->proxy_admins, name) ? SCOPE_ADMIN : a->proxy_scope;
}

/* person: whom a proxy names now. Its word for another, or for nobody, ends what it began. */
static int find_session(struct auth *a, struct db *db, struct arena *arena, const char *secret, const char *person,
			struct auth_known *known, struct err *err)
{
	struct db_session s;
	uint8_t digest[32];

	auth_session_digest(secret, digest);
	if (!recall(a, arena, SECRET_COOKIE, digest, known)) {
		if (!db)
			return err_set(err, ERR_UNAVAILABLE, "this session has to be looked up");
		if (db_sessions_find(db, arena, digest, &s, err))
			return -1;
		known->token = s.token;
		known->session_ends = s.expires_at;
		if (s.token.id)
			keep(a, SECRET_COOKIE, digest, known);
	}
	if (known->token.id < 0 && (!person || strcmp(person, known->token.name)))
		known->token.id = 0;
	if (!known->token.id) {
		*known = (struct auth_known){ .session_ends = TM_NONE, .session_over = true };
		return 0;
	}
	if (known->token.id < 0)
		known->token.scope = scope_of_person(a, known->token.name);
	known->way = AUTH_SESSION;
	known->csrf = auth_session_csrf(arena, secret);
	return 0;
}

int auth_find(struct auth *a, struct db *db, struct arena *arena, const struct auth_given *given, struct auth_known *known,
	      struct err *err)
{
	*known = (struct auth_known){ .session_ends = TM_NONE };
	if (given->authorization)
		return find_token(a, db, arena, given->authorization, known, err);
	if (given->secret && strlen(given->secret) == TOKEN_SECRET - 1 && strspn(given->secret, SECRET_CHARS) == TOKEN_SECRET - 1 &&
	    find_session(a, db, arena, given->secret, given->person, known, err))
		return -1;
	if (known->token.id || !given->person)
		return 0;
	known->way = AUTH_PROXY;
	known->token = (struct token){ .id = -1, .name = arena_strdup(arena, given->person),
				       .scope = scope_of_person(a, given->person), .expires_at = TM_NONE, .revoked_at = TM_NONE };
	return 0;
}

int auth_check(const struct token *token, enum token_scope needs, struct err *err)
{
	if (needs == SCOPE_NONE)
		return 0;
	if (!token->id)
		return err_set(err, ERR_UNAUTHORIZED, "a token with scope %s is needed: Authorization: Bearer TOKEN",
			       db_tokens_scope_word(needs));
	if (!db_tokens_allows(token->scope, needs))
		return err_set(err, ERR_FORBIDDEN, "%s '%.100s' has scope %s; this needs %s", token->id > 0 ? "token" : "person",
			       token->name, db_tokens_scope_word(token->scope), db_tokens_scope_word(needs));
	return 0;
}
