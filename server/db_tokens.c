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
#define NAME_MAX_BYTES 100
#define TOKEN_USE_USEC (5 * 60 * 1000000LL)

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

#define COLUMNS "id, name, scope, machines, benchmarks, created_at, expires_at, revoked_at, last_used_at"
#define GOOD "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())"

void db_tokens_secret(char text[TOKEN_SECRET])
{
	uint8_t random[32];
	char digits[BASE64_ENCODE_RAW_LENGTH(32)];

	random_bytes(random, sizeof(random));
	base64_encode_raw(digits, sizeof(random), random);
	for (int i = 0; i < TOKEN_SECRET - 1; i++)		/* base64url; the 44th digit is padding */
		text[i] = digits[i] == '+' ? '-' : digits[i] == '/' ? '_' : digits[i];
	text[TOKEN_SECRET - 1] = 0;
}

void db_tokens_text(char text[TOKEN_TEXT])
{
	memcpy(text, PREFIX, 4);
	db_tokens_secret(text + 4);
}

const char *db_tokens_state(const struct token *t, int64_t now)
{
	if (t->revoked_at != TM_NONE)
		return "revoked";
	return t->expires_at != TM_NONE && t->expires_at <= now ? "expired" : "active";
}

struct token db_tokens_copy(struct arena *a, const struct token *t)
{
	struct token copy = *t;

	copy.name = arena_strdup(a, t->name);
	copy.machines = arena_strdup(a, t->machines);
	copy.benchmarks = arena_strdup(a, t->benchmarks);
	return copy;
}

/* "a\nb\n" as two texts. */
static const char **split(struct arena *a, const char *lines, size_t *n)
{
	const char **list = arena_array(a, const char *, strlen(lines) + 1);

	for (*n = 0; *lines; lines += strcspn(lines, "\n") + 1)
		list[(*n)++] = arena_strndup(a, lines, strcspn(lines, "\n"));
	return list;
}

static struct db_arg globs(struct arena *a, const char *lines)
{
	size_t n;
	const char **list;

	if (!lines)
		return db_arg_null();
	list = split(a, lines, &n);
	return db_arg_texts(list, n);
}

static const char *join(struct arena *a, const struct db_rows *rows, int row, int col)
{
	const char *text = "";
	size_t n;
	char **list = db_texts(a, rows, row, col, &n);

	for (size_t i = 0; i < n; i++)
		text = arena_printf(a, "%s%s\n", text, list[i]);
	return n ? text : NULL;
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

/* Whether the row with this text is there now; else another has the name. */
static int is_ours(struct db *db, const uint8_t digest[32], bool *ours, struct err *err)
{
	static const struct stmt ask = { "tokens_ours", "SELECT id FROM token WHERE sha256 = $1" };
	struct db_rows *rows;

	if (db_query(db, &ask, DB_ARGS(db_arg_bytes(digest, 32)), &rows, err))
		return -1;
	*ours = db_rows_count(rows) == 1;
	db_rows_free(rows);
	return 0;
}

int db_tokens_add(struct db *db, const struct token *t, const char text[TOKEN_TEXT], struct err *err)
{
	static const struct stmt add = {
		"tokens_add", "INSERT INTO token (name, scope, sha256, machines, benchmarks, expires_at, created_at) "
			      "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING"
	};
	struct arena *a = arena_new();
	uint8_t digest[32];
	bool ours = false;
	int ret;

	must(t->scope != SCOPE_NONE);
	if (!is_good_name(t->name)) {
		arena_free(a);
		return err_set(err, ERR_INVALID, "a token's name is 1 to %d bytes of text without control characters",
			       NAME_MAX_BYTES);
	}
	sha256(text, strlen(text), digest);
	ret = db_query(db, &add,
		       DB_ARGS(db_arg_text(t->name), db_arg_text(db_tokens_scope_word(t->scope)), db_arg_bytes(digest, 32),
			       globs(a, t->machines), globs(a, t->benchmarks), db_arg_time(t->expires_at),
			       db_arg_time(tm_now_usec())), NULL, err) || is_ours(db, digest, &ours, err) ? -1 : 0;
	arena_free(a);
	if (!ret && !ours)
		return err_set(err, ERR_CONFLICT, "there is a token named '%s' already", t->name);
	return ret;
}

static int read_token(struct arena *a, const struct db_rows *rows, int i, struct token *t, struct err *err)
{
	*t = (struct token){
		.id = db_i64(rows, i, 0),
		.name = arena_strdup(a, db_text(rows, i, 1)),
		.machines = join(a, rows, i, 3),
		.benchmarks = join(a, rows, i, 4),
		.created_at = db_time(rows, i, 5),
		.expires_at = db_time(rows, i, 6),
		.revoked_at = db_time(rows, i, 7),
		.last_used_at = db_time(rows, i, 8),
	};
	return db_tokens_scope_parse(db_text(rows, i, 2), &t->scope) ?
	       err_set(err, ERR_BUG, "a token with a scope nobody knows") : 0;
}

/* A failure is nobody's: a standby that only reads answers as well. */
static void note_use(struct db *db, struct token *t)
{
	static const struct stmt note = {
		"tokens_use", "UPDATE token SET last_used_at = now() WHERE id = $1 AND "
			      "(last_used_at IS NULL OR last_used_at < now() - interval '5 minutes')"
	};
	struct err ignored = { 0 };

	if (t->last_used_at == TM_NONE || t->last_used_at < tm_now_usec() - TOKEN_USE_USEC)
		db_query(db, &note, DB_ARGS(db_arg_i64(t->id)), NULL, &ignored);
}

int db_tokens_find(struct db *db, struct arena *a, const char *text, struct token *token, struct err *err)
{
	static const struct stmt find = { "tokens_find", "SELECT " COLUMNS " FROM token WHERE sha256 = $1 AND " GOOD };
	struct db_rows *rows;
	uint8_t digest[32];
	int ret = 0;

	*token = (struct token){ .revoked_at = TM_NONE };
	if (strncmp(text, PREFIX, 4) || strlen(text) != TOKEN_TEXT - 1)
		return 0;
	sha256(text, strlen(text), digest);
	if (db_query(db, &find, DB_ARGS(db_arg_bytes(digest, 32)), &rows, err))
		return -1;
	if (db_rows_count(rows))
		ret = read_token(a, rows, 0, token, err);
	db_rows_free(rows);
	if (!ret && token->id)
		note_use(db, token);
	return ret;
}

int db_tokens_list(struct db *db, struct arena *a, struct token **list, size_t *n, struct err *err)
{
	static const struct stmt all = { "tokens_list", "SELECT " COLUMNS " FROM token ORDER BY id" };
	struct db_rows *rows;
	int ret = 0;

	if (db_query(db, &all, DB_NO_ARGS, &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct token, *n);
	for (size_t i = 0; !ret && i < *n; i++)
		ret = read_token(a, rows, (int)i, &(*list)[i], err);
	db_rows_free(rows);
	return ret;
}

int db_tokens_revoke(struct db *db, struct arena *a, const char *name, struct token *t, bool *was, struct err *err)
{
	static const struct stmt find = { "tokens_named", "SELECT " COLUMNS " FROM token WHERE name = $1 FOR UPDATE" };
	static const struct stmt revoke = { "tokens_revoke", "UPDATE token SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL" };
	static const struct stmt end = { "tokens_sessions", "DELETE FROM session WHERE token_id = $1" };
	struct db_rows *rows;
	int ret = 0;

	*t = (struct token){ .id = 0 };
	if (db_query(db, &find, DB_ARGS(db_arg_text(name)), &rows, err))
		return -1;
	if (db_rows_count(rows))
		ret = read_token(a, rows, 0, t, err);
	db_rows_free(rows);
	if (ret || !t->id)
		return ret;
	*was = t->revoked_at != TM_NONE;
	if (!*was)
		t->revoked_at = tm_now_usec();
	return db_query(db, &revoke, DB_ARGS(db_arg_i64(t->id), db_arg_time(t->revoked_at)), NULL, err) ||
	       db_query(db, &end, DB_ARGS(db_arg_i64(t->id)), NULL, err) ? -1 : 0;
}
