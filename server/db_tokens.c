/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tokens: the text is told once; the database keeps its SHA-256, which is enough for 256 random bits. */
#include "db_tokens.h"

#include <nettle/base64.h>
#include <string.h>

#include "../lib/ident.h"
#include "../lib/must.h"
#include "../lib/tm.h"
#include "../lib/utf8.h"

#define PREFIX "nsw_"
#define DEADLINE_MS 5000
#define NAME_MAX_BYTES 100

static const char *const words[] = {
	[SCOPE_NONE] = "none", [SCOPE_READ] = "read", [SCOPE_INGEST] = "ingest", [SCOPE_TRIAGE] = "triage",
	[SCOPE_ADMIN] = "admin",
};

const char *db_tokens_scope_word(enum token_scope scope)
{
	must(scope < sizeof(words) / sizeof(words[0]));
	return words[scope];
}

int db_tokens_scope_parse(const char *word, enum token_scope *scope)
{
	for (size_t i = SCOPE_READ; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(word, words[i])) {
			*scope = (enum token_scope)i;
			return 0;
		}
	}
	return -1;
}

bool db_tokens_allows(enum token_scope has, enum token_scope needs)
{
	return needs == SCOPE_NONE || has == needs || has == SCOPE_ADMIN || (needs == SCOPE_READ && has != SCOPE_NONE);
}

static const struct stmt add_token = {
	"add_token", "INSERT INTO token (name, scope, sha256, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING"
};

static const struct stmt find_token = {
	"find_token",
	"SELECT id, name, scope, created_at, revoked_at FROM token WHERE sha256 = $1 AND revoked_at IS NULL"
};

static const struct stmt list_tokens = {
	"list_tokens", "SELECT id, name, scope, created_at, revoked_at FROM token ORDER BY id"
};

static const struct stmt revoke_token = {
	"revoke_token", "UPDATE token SET revoked_at = coalesce(revoked_at, $2) WHERE name = $1 RETURNING id"
};

static void make_text(char text[TOKEN_TEXT])
{
	uint8_t random[32];
	char digits[BASE64_ENCODE_RAW_LENGTH(32)];

	random_bytes(random, sizeof(random));
	base64_encode_raw(digits, sizeof(random), random);
	memcpy(text, PREFIX, 4);
	for (int i = 0; i < 43; i++)		/* base64url; the 44th digit is padding */
		text[4 + i] = digits[i] == '+' ? '-' : digits[i] == '/' ? '_' : digits[i];
	text[47] = 0;
}

struct adding {
	const char *name, *scope;
	uint8_t sha256[32];
	bool taken;
};

static int add(struct db *db, void *arg, struct err *err)
{
	struct adding *t = arg;
	struct db_rows *rows;

	if (db_query(db, &add_token,
		     DB_ARGS(db_arg_text(t->name), db_arg_text(t->scope), db_arg_bytes(t->sha256, 32),
			     db_arg_time(tm_now_usec())), NULL, err) ||
	    db_query(db, &find_token, DB_ARGS(db_arg_bytes(t->sha256, 32)), &rows, err))
		return -1;
	t->taken = !db_rows_count(rows);	/* ours is not there: the name is another's */
	db_rows_free(rows);
	return 0;
}

/* It stands in logs and lists. */
static bool is_good_name(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
			return false;
	return n && n <= NAME_MAX_BYTES && utf8_good(name, n) == n;
}

int db_tokens_add(struct db *db, const char *name, enum token_scope scope, char text[TOKEN_TEXT], struct err *err)
{
	struct adding t = { .name = name, .scope = db_tokens_scope_word(scope) };

	must(scope != SCOPE_NONE);
	if (!is_good_name(name))
		return err_set(err, ERR_SETUP, "a token's name is 1 to %d bytes of text without control characters",
			       NAME_MAX_BYTES);
	make_text(text);
	sha256(text, strlen(text), t.sha256);
	if (db_tx(db, add, &t, DEADLINE_MS, err))
		return -1;
	if (t.taken)
		return err_set(err, ERR_CONFLICT, "there is a token named '%s' already", name);
	return 0;
}

static int read_token(struct arena *a, const struct db_rows *rows, int i, struct token *t)
{
	t->id = db_i64(rows, i, 0);
	t->name = arena_strdup(a, db_text(rows, i, 1));
	t->created_at = db_time(rows, i, 3);
	t->revoked_at = db_time(rows, i, 4);
	return db_tokens_scope_parse(db_text(rows, i, 2), &t->scope);
}

int db_tokens_find(struct db *db, struct arena *a, const char *text, struct token *token, struct err *err)
{
	struct db_rows *rows;
	uint8_t digest[32];
	int ret = 0;

	*token = (struct token){ .revoked_at = TM_NONE };
	if (strncmp(text, PREFIX, 4) || strlen(text) != TOKEN_TEXT - 1)
		return 0;
	sha256(text, strlen(text), digest);
	if (db_query(db, &find_token, DB_ARGS(db_arg_bytes(digest, 32)), &rows, err))
		return -1;
	if (db_rows_count(rows))
		ret = read_token(a, rows, 0, token);
	db_rows_free(rows);
	return ret ? err_set(err, ERR_BUG, "a token with a scope nobody knows") : 0;
}

int db_tokens_list(struct db *db, struct arena *a, struct token **list, size_t *n, struct err *err)
{
	struct db_rows *rows;
	int ret = 0;

	if (db_query(db, &list_tokens, DB_NO_ARGS, &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct token, *n);
	for (size_t i = 0; i < *n; i++)
		ret |= read_token(a, rows, (int)i, &(*list)[i]);
	db_rows_free(rows);
	return ret ? err_set(err, ERR_BUG, "a token with a scope nobody knows") : 0;
}

struct revoking {
	const char *name;
	bool found;
};

static int revoke(struct db *db, void *arg, struct err *err)
{
	struct revoking *r = arg;
	struct db_rows *rows;

	if (db_query(db, &revoke_token, DB_ARGS(db_arg_text(r->name), db_arg_time(tm_now_usec())), &rows, err))
		return -1;
	r->found = db_rows_count(rows) > 0;
	db_rows_free(rows);
	return 0;
}

int db_tokens_revoke(struct db *db, const char *name, bool *found, struct err *err)
{
	struct revoking r = { .name = name };
	int ret = db_tx(db, revoke, &r, DEADLINE_MS, err);

	*found = r.found;
	return ret;
}
