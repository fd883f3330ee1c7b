/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tokens of requests, with a small cache by the SHA-256 of their text; see auth.h. */
#include "auth.h"

#include <math.h>
#include <nettle/base64.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../lib/must.h"
#include "../lib/tm.h"

#define SLOTS 256			/* by the first byte of the digest; a newer one replaces */
#define KEEP_USEC (5 * 1000000LL)
#define MINUTE_USEC 6e7

struct slot {
	uint8_t digest[32];
	int64_t until;			/* monotonic usec; 0 = empty */
	char name[128];
	struct token token;		/* its name points into `name` of whoever copies it */
};

/* What a token has left of its uploads: a bucket that fills again, read when it is used. */
struct bucket {
	int64_t token_id;
	double left;
	int64_t at;			/* monotonic usec */
};

struct auth {
	pthread_mutex_t lock;
	struct slot slot[SLOTS];	/* under lock */
	struct bucket bucket[SLOTS];	/* likewise; by token_id: two that share one start it full again */
};

struct auth *auth_new(void)
{
	struct auth *a = calloc(1, sizeof(*a));

	must(a != NULL);
	must(!pthread_mutex_init(&a->lock, NULL));
	return a;
}

void auth_free(struct auth *a)
{
	if (!a)
		return;
	pthread_mutex_destroy(&a->lock);
	free(a);
}

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

bool auth_is_basic(const char *header)
{
	return header && strcspn(header, " ") == 5 && !strncasecmp(header, "Basic", 5);
}

static const char *token_text(struct arena *arena, const char *header)
{
	size_t n = strcspn(header, " ");
	const char *rest = header + n + strspn(header + n, " ");
	const char *text = NULL;

	if (n == 6 && !strncasecmp(header, "Bearer", 6))
		text = rest;
	else if (auth_is_basic(header))
		text = basic_password(arena, rest);
	return text && strlen(text) < TOKEN_TEXT && strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789_-") == strlen(text) && *text ? text : NULL;
}

static bool recall(struct auth *a, struct arena *arena, const uint8_t digest[32], struct token *token)
{
	struct slot *s = &a->slot[digest[0]];
	bool found;

	must(!pthread_mutex_lock(&a->lock));
	found = s->until > tm_monotonic_usec() && !memcmp(s->digest, digest, 32);
	if (found) {
		*token = s->token;
		token->name = arena_strdup(arena, s->name);
	}
	must(!pthread_mutex_unlock(&a->lock));
	return found;
}

static void keep(struct auth *a, const uint8_t digest[32], const struct token *token)
{
	struct slot *s = &a->slot[digest[0]];
	size_t n = token->name ? strlen(token->name) : 0;

	if (n >= sizeof(s->name))
		return;
	must(!pthread_mutex_lock(&a->lock));
	memcpy(s->digest, digest, 32);
	s->token = *token;
	memcpy(s->name, token->name ? token->name : "", n + 1);
	s->until = tm_monotonic_usec() + KEEP_USEC;
	must(!pthread_mutex_unlock(&a->lock));
}

int auth_find(struct auth *a, struct db *db, struct arena *arena, const char *header, struct token *token,
	      struct err *err)
{
	const char *text;
	uint8_t digest[32];

	*token = (struct token){ .id = 0 };
	if (!header)
		return 0;
	text = token_text(arena, header);
	if (!text)
		return err_set(err, ERR_UNAUTHORIZED, "Authorization: 'Bearer TOKEN' is needed");
	sha256(text, strlen(text), digest);
	if (recall(a, arena, digest, token))
		return 0;
	if (db_tokens_find(db, arena, text, token, err))
		return -1;
	if (!token->id)
		return err_set(err, ERR_UNAUTHORIZED, "this token is not known here, or was revoked");
	keep(a, digest, token);
	return 0;
}

int auth_rate(struct auth *a, const struct token *token, int per_minute, int *retry_after_s, struct err *err)
{
	struct bucket *b = &a->bucket[(uint64_t)token->id % SLOTS];
	int64_t now = tm_monotonic_usec();
	double left;

	if (!per_minute)
		return 0;
	must(!pthread_mutex_lock(&a->lock));
	if (b->token_id != token->id)
		*b = (struct bucket){ token->id, per_minute, now };
	b->left += (double)(now - b->at) * per_minute / MINUTE_USEC;
	if (b->left > per_minute)
		b->left = per_minute;
	b->at = now;
	left = b->left;
	if (left >= 1)
		b->left--;
	must(!pthread_mutex_unlock(&a->lock));
	if (left >= 1)
		return 0;
	*retry_after_s = (int)ceil((1 - left) * 60 / per_minute);
	return err_set(err, ERR_RATE, "token '%.100s' has sent its %d uploads of this minute", token->name, per_minute);
}

int auth_check(const struct token *token, enum token_scope needs, struct err *err)
{
	if (needs == SCOPE_NONE)
		return 0;
	if (!token->id)
		return err_set(err, ERR_UNAUTHORIZED, "a token with scope %s is needed: Authorization: Bearer TOKEN",
			       db_tokens_scope_word(needs));
	if (!db_tokens_allows(token->scope, needs))
		return err_set(err, ERR_FORBIDDEN, "token '%.100s' has scope %s; this needs %s", token->name,
			       db_tokens_scope_word(token->scope), db_tokens_scope_word(needs));
	return 0;
}
