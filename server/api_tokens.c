/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tokens, for admins: listed, made, revoked. A token's text is in the one answer that makes it. */
#include <string.h>

#include "../lib/tm.h"
#include "api_body.h"
#include "api_handlers.h"
#include "api_list.h"
#include "calc_token.h"
#include "web_session.h"

#define NAME_MOST 100
#define WHEN_MOST 60

static const char *joined(struct arena *a, const char *globs)
{
	char *text;

	if (!globs)
		return NULL;
	text = arena_strndup(a, globs, strlen(globs) - 1);
	for (char *p = text; (p = strchr(p, '\n')); )
		*p = ',';
	return text;
}

static void table(struct req *rq, const struct token *list, const struct api_list *page)
{
	static const struct table_col cols[] = {
		{ .name = "name" }, { .name = "scope" }, { .name = "state" }, { .name = "machines", .in = TABLE_CSV },
		{ .name = "benchmarks", .in = TABLE_CSV }, { .name = "created_at", .in = TABLE_CSV }, { .name = "expires_at", .head = "until" },
		{ .name = "revoked_at", .in = TABLE_CSV }, { .name = "last_used_at", .head = "used" },
	};
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));
	int64_t now = tm_now_usec();

	for (size_t i = page->from; i < page->to; i++) {
		const struct token *k = &list[i];
		const int64_t times[] = { k->created_at, k->expires_at, k->revoked_at, k->last_used_at };

		table_row(t);
		table_str(t, k->name);
		table_str(t, db_tokens_scope_word(k->scope));
		table_str(t, db_tokens_state(k, now));
		table_str(t, joined(rq->arena, k->machines));
		table_str(t, joined(rq->arena, k->benchmarks));
		for (size_t n = 0; n < 4; n++) {
			char when[TM_TEXT];

			table_str(t, times[n] == TM_NONE ? NULL : rq->rep == REP_CSV ? tm_format(times[n], when) :
				  arena_printf(rq->arena, "%.10s", tm_format(times[n], when)));
		}
	}
	api_list_table(rq, t);
}

int api_tokens_list(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);
	struct api_list page;
	struct token *list;
	size_t n;

	if (db_tokens_list(rq->db, rq->arena, &list, &n, err) || api_list_page(rq, n, &page, err))
		return -1;
	if (rq->rep != REP_JSON) {
		table(rq, list, &page);
		return 0;
	}
	jsonw_object(&j);
	jsonw_key(&j, "tokens");
	jsonw_array(&j);
	for (size_t i = page.from; i < page.to; i++)
		calc_token_json(&j, &list[i], tm_now_usec());
	jsonw_array_end(&j);
	jsonw_kstr(&j, "next", page.next);
	jsonw_object_end(&j);
	return 0;
}

static void tell(struct req *rq, const char *status, const struct token *t, const char *text, const struct api_body *b)
{
	struct jsonw j = jsonw_begin(&rq->out);

	rq->no_store = true;
	jsonw_object(&j);
	jsonw_kstr(&j, "status", status);
	jsonw_key(&j, "token");
	calc_token_json(&j, t, tm_now_usec());
	if (text)
		jsonw_kstr(&j, "text", text);
	if (b)
		api_body_warnings(&j, b);
	jsonw_object_end(&j);
}

static const char *read_globs(struct api_body *b, const char *key)
{
	size_t n;
	const char **list = api_body_texts(b, key, false, &n), *all = "", *globs;
	struct err err = { 0 };

	for (size_t i = 0; list && i < n; i++) {
		if (strchr(list[i], ','))
			api_body_wrong(b, key, "one name each, without commas");
		all = arena_printf(b->a, "%s%s%s", all, *all ? "," : "", *list[i] ? list[i] : " ");
	}
	if (calc_token_globs(b->a, all, &globs, &err))
		api_body_wrong(b, key, "%s", err.message);
	return globs;
}

static void read_token(struct api_body *b, struct token *t)
{
	static const char *const scopes[] = { "read", "ingest", "triage", "admin", NULL };
	const char *word, *end;
	struct err err = { 0 };

	*t = (struct token){ .name = api_body_line(b, "name", true, NAME_MOST), .expires_at = TM_NONE };
	word = api_body_word(b, "scope", true, scopes);
	t->machines = read_globs(b, "machines");
	t->benchmarks = read_globs(b, "benchmarks");
	end = api_body_line(b, "expires_at", false, WHEN_MOST);
	if (end && calc_token_end(end, tm_now_usec(), &t->expires_at, &err))
		api_body_wrong(b, "expires_at", "%s", err.message);
	if (word && !db_tokens_scope_parse(word, &t->scope) && calc_token_check(t, &err))
		api_body_wrong(b, "scope", "%s", err.message);
}

int api_tokens_post(struct req *rq, struct err *err)
{
	char text[TOKEN_TEXT];
	struct api_body b;
	struct token t;

	if (api_body_begin(&b, rq, err))
		return -1;
	read_token(&b, &t);
	if (api_body_end(&b, err) || calc_token_add(rq->db, rq->arena, &t, rq->token.name, text, err))
		return -1;
	rq->status = 201;
	rq->location = "/api/v1/tokens";
	tell(rq, "done", &t, text, &b);
	return 0;
}

int api_tokens_delete(struct req *rq, struct err *err)
{
	struct token t;

	if (calc_token_revoke(rq->db, rq->arena, rq->id, rq->token.name, &t, err))
		return -1;
	web_session_forget_token(rq, t.id);
	tell(rq, "revoked", &t, NULL, NULL);
	return 0;
}
