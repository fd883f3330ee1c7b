/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_token.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/num.h"
#include "../lib/tm.h"
#include "calc_audit.h"
#include "calc_select.h"

#define DEADLINE_MS 5000
#define HOUR_USEC (3600 * 1000000LL)
#define DAYS_MOST 36500

/* ---- what it may be ---- */

static int add_glob(struct arena *a, const char *s, size_t n, const char **out, struct err *err)
{
	while (n && *s == ' ')
		s++, n--;
	while (n && s[n - 1] == ' ')
		n--;
	if (!n || n > CALC_TOKEN_GLOB_MOST)
		return err_set(err, ERR_INVALID, "names are 1 to %d bytes, with commas between them; * stands for any text",
			       CALC_TOKEN_GLOB_MOST);
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] < ' ' || s[i] == 0x7f)
			return err_set(err, ERR_INVALID, "a name with a control character in it");
	*out = arena_printf(a, "%s%.*s\n", *out ? *out : "", (int)n, s);
	return 0;
}

int calc_token_globs(struct arena *a, const char *text, const char **out, struct err *err)
{
	size_t count = 0;

	*out = NULL;
	while (text && *text) {
		size_t n = strcspn(text, ",");

		if (++count > CALC_TOKEN_GLOBS_MOST)
			return err_set(err, ERR_INVALID, "more than %d names", CALC_TOKEN_GLOBS_MOST);
		if (add_glob(a, text, n, out, err))
			return -1;
		text += n + (text[n] == ',');
	}
	return 0;
}

bool calc_token_lets(const char *globs, const char *name)
{
	char one[CALC_TOKEN_GLOB_MOST + 1];

	if (!globs)
		return true;
	for (; *globs; globs += strcspn(globs, "\n") + 1) {
		size_t n = strcspn(globs, "\n");

		if (n >= sizeof(one))	/* none is made so long */
			continue;
		memcpy(one, globs, n);
		one[n] = 0;
		if (calc_select_glob(one, name))
			return true;
	}
	return false;
}

int calc_token_end(const char *text, int64_t now, int64_t *expires_at, struct err *err)
{
	size_t n = strlen(text);
	bool days = n && text[n - 1] == 'd', hours = n && text[n - 1] == 'h';
	int64_t count;

	if ((days || hours) && !num_parse_i64(text, n - 1, &count) && count > 0 && count <= (days ? DAYS_MOST : DAYS_MOST * 24)) {
		*expires_at = now + count * HOUR_USEC * (days ? 24 : 1);
		return 0;
	}
	if (tm_parse(text, expires_at))
		return err_set(err, ERR_INVALID, "\"%.60s\" is no end of a token: 90d, 12h, or a time as 2027-01-01T00:00:00Z is needed",
			       text);
	return *expires_at > now ? 0 : err_set(err, ERR_INVALID, "%.60s is over already", text);
}

int calc_token_check(const struct token *t, struct err *err)
{
	if ((t->machines || t->benchmarks) && t->scope != SCOPE_INGEST)
		return err_set(err, ERR_INVALID, "machines and benchmarks limit what is uploaded: a token with them has scope ingest, not %s",
			       db_tokens_scope_word(t->scope));
	return 0;
}

/* ---- as JSON ---- */

static void time_json(struct jsonw *j, const char *key, int64_t usec)
{
	char text[TM_TEXT];

	jsonw_kstr(j, key, usec == TM_NONE ? NULL : tm_format(usec, text));
}

static void globs_json(struct jsonw *j, const char *key, const char *globs)
{
	jsonw_key(j, key);
	if (!globs) {
		jsonw_null(j);
		return;
	}
	jsonw_array(j);
	for (; *globs; globs += strcspn(globs, "\n") + 1)
		jsonw_strn(j, globs, strcspn(globs, "\n"));
	jsonw_array_end(j);
}

void calc_token_json(struct jsonw *j, const struct token *t, int64_t now)
{
	jsonw_object(j);
	jsonw_kstr(j, "name", t->name);
	jsonw_kstr(j, "scope", db_tokens_scope_word(t->scope));
	jsonw_kstr(j, "state", db_tokens_state(t, now));
	globs_json(j, "machines", t->machines);
	globs_json(j, "benchmarks", t->benchmarks);
	time_json(j, "created_at", t->created_at);
	time_json(j, "expires_at", t->expires_at);
	time_json(j, "revoked_at", t->revoked_at);
	time_json(j, "last_used_at", t->last_used_at);
	jsonw_object_end(j);
}

/* ---- made, revoked ---- */

struct changing {
	struct arena *a;
	struct token *t;
	const char *who, *name;
	const char *text;
};

static int add_tx(struct db *db, void *arg, struct err *err)
{
	struct changing *c = arg;
	struct token *t = c->t;
	struct audit au;

	if (db_tokens_add(db, t, c->text, err))
		return -1;
	calc_audit_begin(&au, c->who, "token", "add", t->name);
	jsonw_object(&au.json);
	jsonw_kstr(&au.json, "scope", db_tokens_scope_word(t->scope));
	globs_json(&au.json, "machines", t->machines);
	globs_json(&au.json, "benchmarks", t->benchmarks);
	time_json(&au.json, "expires_at", t->expires_at);
	jsonw_object_end(&au.json);
	return calc_audit_end(&au, db, c->a, NULL, err);
}

int calc_token_add(struct db *db, struct arena *a, struct token *t, const char *who, char text[TOKEN_TEXT], struct err *err)
{
	struct changing c = { .a = a, .t = t, .who = who, .text = text };

	t->created_at = tm_now_usec();
	t->revoked_at = t->last_used_at = TM_NONE;
	if (calc_token_check(t, err))
		return -1;
	db_tokens_text(text);
	return db_tx(db, add_tx, &c, DEADLINE_MS, err);
}

static int revoke_tx(struct db *db, void *arg, struct err *err)
{
	struct changing *c = arg;
	struct audit au;
	bool was;

	if (db_tokens_revoke(db, c->a, c->name, c->t, &was, err))
		return -1;
	if (!c->t->id)
		return err_set(err, ERR_NOT_FOUND, "there is no token \"%s\"", c->name);
	if (was)
		return 0;
	calc_audit_begin(&au, c->who, "token", "revoke", c->name);
	return calc_audit_end(&au, db, c->a, NULL, err);
}

int calc_token_revoke(struct db *db, struct arena *a, const char *name, const char *who, struct token *t, struct err *err)
{
	struct changing c = { .a = a, .t = t, .who = who, .name = name };

	return db_tx(db, revoke_tx, &c, DEADLINE_MS, err);
}
