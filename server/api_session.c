/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signing in and out: as the pages' scripts do it (/api/v1/session), and by a form, for browsers without them. A session
 * is of a token, or of the word of a trusted proxy; what it may do is asked anew with each request.
 */
#include <string.h>
#include <strings.h>

#include "../lib/must.h"
#include "../lib/tm.h"
#include "api_body.h"
#include "api_handlers.h"
#include "calc_audit.h"
#include "db_sessions.h"
#include "pages.h"
#include "web_args.h"
#include "web_session.h"

#define DEADLINE_MS 5000
#define TOKEN_MOST 200
#define FORM_MOST 8192

static void session_json(struct jsonw *j, const struct req *rq)
{
	static const char *const ways[] = { [AUTH_NOBODY] = NULL, [AUTH_TOKEN] = "token", [AUTH_PASSWORD] = "password",
					    [AUTH_SESSION] = "session", [AUTH_PROXY] = "proxy" };
	const struct token *t = &rq->token;
	char end[TM_TEXT];

	jsonw_object(j);
	jsonw_kstr(j, "name", t->id ? t->name : NULL);
	jsonw_kstr(j, "scope", t->id ? db_tokens_scope_word(t->scope) : NULL);
	jsonw_kbool(j, "triage", t->id && db_tokens_allows(t->scope, SCOPE_TRIAGE));
	jsonw_kbool(j, "admin", t->id && t->scope == SCOPE_ADMIN);
	jsonw_kstr(j, "via", ways[rq->way]);
	jsonw_kstr(j, "csrf", rq->csrf);
	jsonw_kstr(j, "expires_at", rq->csrf && rq->session_ends != TM_NONE ? tm_format(rq->session_ends, end) : NULL);
	jsonw_object_end(j);
}

int api_session_get(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);

	(void)err;
	rq->no_store = true;
	session_json(&j, rq);
	return 0;
}

/* ---- in ---- */

struct signing {
	struct req *rq;
	const char *action;
};

static int event_tx(struct db *db, void *arg, struct err *err)
{
	struct signing *s = arg;
	struct audit au;

	calc_audit_begin(&au, s->rq->token.name, "session", s->action, s->rq->token.name);
	return calc_audit_end(&au, db, s->rq->arena, NULL, err);
}

static int note(struct req *rq, const char *action, struct err *err)
{
	struct signing s = { rq, action };

	return db_tx(rq->db, event_tx, &s, DEADLINE_MS, err);
}

/* Another session is begun with another secret: what somebody put into the browser before is worth nothing. */
static int begin(struct req *rq, bool remember, struct err *err)
{
	struct db_session s = { .token = rq->token };
	char secret[TOKEN_SECRET];
	uint8_t digest[32];

	s.expires_at = tm_now_usec() + rq->server->conf->session_hours * 3600 * 1000000LL;
	if (rq->token.id > 0 && rq->token.expires_at != TM_NONE && rq->token.expires_at < s.expires_at)
		s.expires_at = rq->token.expires_at;
	if (rq->secret) {
		auth_session_digest(rq->secret, digest);
		if (db_sessions_end(rq->db, digest, err))
			return -1;
		web_session_end(rq);
	}
	db_tokens_secret(secret);
	auth_session_digest(secret, digest);
	if (db_sessions_add(rq->db, digest, &s, err) || note(rq, "sign-in", err))
		return -1;
	web_session_begin(rq, secret, remember ? s.expires_at : TM_NONE);
	rq->session_ends = s.expires_at;
	rq->way = AUTH_SESSION;
	rq->csrf = auth_session_csrf(rq->arena, secret);
	return 0;
}

/* text NULL: a trusted proxy's word will do. needs: who may not do that is not signed in. */
static int sign_in(struct req *rq, const char *text, enum token_scope needs, bool remember, struct err *err)
{
	struct token t;

	if (!text && rq->way != AUTH_PROXY)
		return err_set(err, ERR_UNAUTHORIZED, "token: is needed, since no proxy says who you are");
	if (text) {
		if (db_tokens_find(rq->db, rq->arena, text, &t, err))
			return -1;
		if (!t.id)
			return err_set(err, ERR_UNAUTHORIZED, "this token is not known here, or it expired or was revoked");
		rq->token = t;
	}
	return auth_check(&rq->token, needs, err) ? -1 : begin(rq, remember, err);
}

int api_session_post(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);
	struct api_body b;
	static const char *const scopes[] = { "read", "ingest", "triage", "admin", NULL };
	enum token_scope needs = SCOPE_NONE;
	const char *text, *word;
	bool remember;

	if (api_body_begin(&b, rq, err))
		return -1;
	text = api_body_line(&b, "token", false, TOKEN_MOST);
	remember = api_body_bool(&b, "remember", false);
	word = api_body_word(&b, "needs", false, scopes);
	if (word)
		must(!db_tokens_scope_parse(word, &needs));
	if (api_body_end(&b, err) || sign_in(rq, text, needs, remember, err))
		return -1;
	rq->no_store = true;
	session_json(&j, rq);
	return 0;
}

/* ---- out ---- */

static int sign_out(struct req *rq, const char *proof, struct err *err)
{
	uint8_t digest[32];

	if (rq->way == AUTH_SESSION) {
		if (web_session_proof(rq, proof, err))
			return -1;
		auth_session_digest(rq->secret, digest);
		if (db_sessions_end(rq->db, digest, err) || note(rq, "sign-out", err))
			return -1;
	}
	if (rq->secret)
		web_session_end(rq);
	return 0;
}

int api_session_delete(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);

	if (sign_out(rq, rq->csrf_sent, err))
		return -1;
	rq->token = (struct token){ .id = 0 };
	rq->way = AUTH_NOBODY;
	rq->csrf = NULL;
	session_json(&j, rq);
	return 0;
}

/* ---- the same by a form ---- */

/* Only a path of this server: "//host" and "/\host" are other places to a browser. */
static const char *good_next(const char *next)
{
	if (!next || *next != '/' || next[1] == '/' || next[1] == '\\')
		return "/";
	for (const char *p = next; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return "/";
	return next;
}

static int page(struct req *rq, const char *next, const char *wrong, struct err *err)
{
	bool in = rq->token.id != 0 && rq->way != AUTH_PROXY;

	rq->no_store = true;
	rq->type = "text/html; charset=utf-8";
	return pages_fill(rq, in ? "signed.html" : "signin.html", (const struct pages_value[]){
		{ "next", next }, { "wrong", wrong }, { "who", in ? rq->token.name : rq->way == AUTH_PROXY ? rq->token.name : "" },
		{ "scope", in ? db_tokens_scope_word(rq->token.scope) : "" }, { "csrf", rq->csrf ? rq->csrf : "" },
		{ NULL, NULL },
	}, err);
}

int api_session_page(struct req *rq, struct err *err)
{
	return page(rq, good_next(web_arg(rq, "next")), "", err);
}

/* The fields of a form (application/x-www-form-urlencoded), as a request's arguments. */
static int read_form(const struct req *rq, struct req *form, struct err *err)
{
	struct web_path path;

	*form = *rq;
	if (!rq->content_type || strncasecmp(rq->content_type, "application/x-www-form-urlencoded", 33))
		return err_set(err, ERR_TYPE, "a form is needed: application/x-www-form-urlencoded");
	if (rq->body_len > FORM_MOST)
		return err_set(err, ERR_TOO_LARGE, "the form has more than %d bytes", FORM_MOST);
	return web_args_split(rq->arena, arena_printf(rq->arena, "/?%.*s", (int)rq->body_len, rq->body ? rq->body : ""), &path, form, err);
}

static int go_on(struct req *rq, const char *next)
{
	rq->status = 303;
	rq->location = next;
	rq->type = "text/plain; charset=utf-8";
	buf_puts(&rq->out, "See Location.\n");
	return 0;
}

int api_session_form(struct req *rq, struct err *err)
{
	const char *text, *next;
	struct req form;
	struct err why = { 0 };

	if (read_form(rq, &form, err))
		return -1;
	text = web_arg(&form, "token");
	next = good_next(web_arg(&form, "next"));
	if (!sign_in(rq, text && *text ? text : NULL, SCOPE_NONE, web_arg(&form, "remember") != NULL, &why))
		return go_on(rq, next);
	if (why.kind != ERR_UNAUTHORIZED) {
		*err = why;
		return -1;
	}
	rq->status = 401;
	return page(rq, next, why.message, err);
}

int api_session_form_out(struct req *rq, struct err *err)
{
	struct req form;

	return read_form(rq, &form, err) || sign_out(rq, web_arg(&form, "csrf"), err) ? -1 : go_on(rq, "/signin");
}
