/* SPDX-License-Identifier: GPL-2.0-or-later */
/* POST /api/v1/runs: one submission or many, each stored whole or not at all. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../ingest/read.h"
#include "../lib/err_json.h"
#include "../lib/jsonw.h"
#include "../lib/must.h"
#include "api_handlers.h"
#include "calc_token.h"

/* Types that say "JSON", or nothing: curl calls any --data a form unless told otherwise. */
static bool json_type(const char *type)
{
	static const char *const good[] = { "application/json", "text/json", "text/plain", "application/octet-stream",
					    "application/x-www-form-urlencoded" };
	size_t n = strcspn(type, "; \t");

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (strlen(good[i]) == n && !strncasecmp(type, good[i], n))
			return true;
	return n > 5 && !strncasecmp(type + n - 5, "+json", 5);
}

/* What kind of body the Content-Type says: which door of ingest/ it goes through. */
enum body_kind { BODY_WHOLE, BODY_STREAM, BODY_FORM };

static bool is_type(const char *type, const char *name)
{
	size_t n = strcspn(type, "; \t");

	return n == strlen(name) && !strncasecmp(type, name, n);
}

static int body_kind(const struct req *rq, enum body_kind *kind, struct err *err)
{
	const char *type = rq->content_type;

	*kind = BODY_WHOLE;
	if (!type || json_type(type))
		return 0;
	if (is_type(type, "application/x-ndjson") || is_type(type, "application/ndjson") ||
	    is_type(type, "application/jsonl"))
		*kind = BODY_STREAM;
	else if (!strncasecmp(type, "multipart/", strlen("multipart/")))
		*kind = BODY_FORM;
	else if (!web_arg(rq, "format"))
		return err_set(err, ERR_TYPE, "Content-Type %.100s: application/json, application/x-ndjson or "
			       "multipart/form-data is needed, or ?format=NAME for another format", type);
	return 0;
}

static void read_labels(const struct req *rq, struct read_context *ctx)
{
	ctx->labels = arena_zalloc_array(rq->arena, rq->n_args + 1, sizeof(*ctx->labels));
	for (size_t i = 0; i < rq->n_args; i++) {
		const char **label = ctx->labels[ctx->n_labels];

		if (strncmp(rq->args[i].name, "label.", 6))
			continue;
		label[0] = rq->args[i].name + 6;
		label[1] = rq->args[i].value;
		ctx->n_labels++;
	}
}

static void read_context(const struct req *rq, struct read_context *ctx)
{
	*ctx = (struct read_context){
		.format = web_arg(rq, "format"),
		.filename = web_arg(rq, "filename"),
		.machine = web_arg(rq, "machine"),
		.isa = web_arg(rq, "isa"),
		.uarch = web_arg(rq, "uarch"),
		.kernel = web_arg(rq, "kernel"),
		.thp = web_arg(rq, "thp"),
		.boot_id = web_arg(rq, "boot_id"),
		.benchmark = web_arg(rq, "benchmark"),
		.started_at = web_arg(rq, "started_at"),
		.base_page_kib = web_arg(rq, "base_page_kib"),
		.now = tm_now_usec(),
	};
	read_labels(rq, ctx);
}

static const char *outcome_word(enum write_outcome outcome)
{
	return outcome == WRITE_STORED ? "stored" : outcome == WRITE_DUPLICATE ? "duplicate" : "conflict";
}

static void warnings(struct jsonw *j, const struct submission *sub)
{
	jsonw_key(j, "warnings");
	jsonw_array(j);
	for (size_t i = 0; i < sub->warnings->n; i++) {
		jsonw_object(j);
		jsonw_kstr(j, "at", sub->warnings->list[i].at);
		jsonw_kstr(j, "message", sub->warnings->list[i].message);
		jsonw_object_end(j);
	}
	for (size_t i = 0; i < sub->n_not_imported; i++) {
		jsonw_object(j);
		jsonw_kstr(j, "at", sub->not_imported[i].at);
		jsonw_kstr(j, "message", sub->not_imported[i].message);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
}

/* The fields of a stored or duplicate submission, inside an object. */
static void tell(struct jsonw *j, const struct submission *sub, const struct run_write *w)
{
	char id[UUID_TEXT], url[120];

	uuid_format(&sub->run_id, id);
	if (w->dry_run)	/* first of all: the rest says what would be */
		jsonw_kbool(j, "dry_run", true);
	jsonw_kstr(j, "run_id", id);
	jsonw_kstr(j, "status", outcome_word(w->outcome));
	jsonw_ki64(j, "results", (int64_t)sub->n_results);
	jsonw_ki64(j, "failed", (int64_t)sub->n_failed);
	jsonw_ki64(j, "series_new", (int64_t)w->series_new);
	snprintf(url, sizeof(url), "/runs/%s", id);
	jsonw_kstr(j, "url", url);
	snprintf(url, sizeof(url), "/api/v1/runs/%s/verdict", id);
	jsonw_kstr(j, "verdict_url", url);
	warnings(j, sub);
}

static int conflict(const struct submission *sub, struct err *err)
{
	char id[UUID_TEXT];

	return err_set(err, ERR_CONFLICT, "run %s is stored already, with other content", uuid_format(&sub->run_id, id));
}

static void count(struct req *rq, const struct run_write *w)
{
	if (w->dry_run)
		return;
	if (w->outcome == WRITE_STORED)
		web_count_samples(rq, w->sub->n_results);
	web_count(rq, w->outcome == WRITE_STORED ? WEB_STORED : w->outcome == WRITE_DUPLICATE ? WEB_DUPLICATE :
		  WEB_CONFLICT);
}

/* What /runs/{id}/raw is served as: what the sender said, unless that is only curl's default. */
static const char *raw_type(const struct req *rq, const struct read_item *item)
{
	const char *said = rq->content_type;

	if (item->raw_type)
		return item->raw_type;
	if (said && !strncasecmp(said, "multipart/", strlen("multipart/")))
		return said;
	if (!web_arg(rq, "format"))
		return "application/json";
	return said && strncasecmp(said, "application/x-www-form-urlencoded", 33) ? said : "text/plain";
}

/* Stores one; -1 with the reason when it is neither there now nor was before. */
static int store(struct req *rq, const struct read_item *item, bool dry_run, struct run_write *w, struct err *err)
{
	*w = (struct run_write){
		.sub = item->sub,
		.raw = item->raw,
		.raw_len = item->raw_len,
		.raw_type = raw_type(rq, item),
		.token_name = rq->token.id ? rq->token.name : NULL,
		.dry_run = dry_run,
	};
	db_runs_write(rq->server->writer, rq->db, rq->arena, w);
	if (w->outcome == WRITE_FAILED) {
		must(w->err.kind != ERR_NONE);
		*err = w->err;
		return -1;
	}
	count(rq, w);
	return w->outcome == WRITE_CONFLICT ? conflict(item->sub, err) : 0;
}

static int post_one(struct req *rq, const struct read_item *item, bool dry_run, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);
	char id[UUID_TEXT];
	struct run_write w;

	if (!item->sub) {
		web_count(rq, WEB_INVALID);
		*err = item->err;
		return -1;
	}
	if (store(rq, item, dry_run, &w, err))
		return -1;
	rq->status = w.outcome == WRITE_STORED ? 201 : 200;
	if (!dry_run)
		rq->location = arena_printf(rq->arena, "/api/v1/runs/%s", uuid_format(&item->sub->run_id, id));
	jsonw_object(&j);
	tell(&j, item->sub, &w);
	jsonw_object_end(&j);
	return 0;
}

static void tell_refused(struct jsonw *j, const char *status, const struct err *err)
{
	jsonw_kstr(j, "status", status);
	jsonw_key(j, "error");
	jsonw_object(j);
	jsonw_kstr(j, "code", err_code(err->kind));
	jsonw_kstr(j, "message", err->message);
	err_json_problems(j, err);
	jsonw_object_end(j);
}

/* One of many. -1 only where the whole request has to come again: the database is away. */
static int post_item(struct req *rq, const struct read_item *item, bool dry_run, struct jsonw *j, bool *all_good,
		     struct err *err)
{
	struct err why = item->err;
	struct run_write w = { 0 };

	if (!item->sub) {
		web_count(rq, WEB_INVALID);
		tell_refused(j, "invalid", &why);
		*all_good = false;
		return 0;
	}
	if (!store(rq, item, dry_run, &w, &why)) {
		tell(j, item->sub, &w);
		return 0;
	}
	*all_good = false;
	if (w.outcome != WRITE_CONFLICT && why.kind != ERR_INVALID) {
		*err = why;
		return -1;
	}
	tell_refused(j, w.outcome == WRITE_CONFLICT ? "conflict" : "invalid", &why);
	return 0;
}

static int post_many(struct req *rq, const struct read_result *read, bool dry_run, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);
	bool all_good = true;

	jsonw_object(&j);
	if (dry_run)
		jsonw_kbool(&j, "dry_run", true);
	jsonw_key(&j, "items");
	jsonw_array(&j);
	for (size_t i = 0; i < read->n; i++) {
		jsonw_object(&j);
		jsonw_ki64(&j, "index", (int64_t)read->items[i].index);
		if (post_item(rq, &read->items[i], dry_run, &j, &all_good, err))
			return -1;
		jsonw_object_end(&j);
	}
	jsonw_array_end(&j);
	jsonw_object_end(&j);
	rq->status = all_good ? 200 : 207;
	return 0;
}

/* What the token may not send: each with its place. */
static void check_one(const struct token *t, const struct read_item *item, const char *prefix, struct problems *found)
{
	const struct submission *sub = item->sub;

	if (!calc_token_lets(t->machines, sub->machine))
		problems_add(found, arena_printf(found->arena, "%s/machine/name", prefix), "the machine \"%.100s\" is none of this token's",
			     sub->machine);
	for (size_t i = 0; i < sub->n_results; i++)
		if (!calc_token_lets(t->benchmarks, sub->results[i].benchmark))
			problems_add(found, arena_printf(found->arena, "%s/results/%zu/benchmark", prefix, i),
				     "the benchmark \"%.100s\" is none of this token's", sub->results[i].benchmark);
}

/* All of it before any of it is stored: whoever may not send one of many sends none. */
static int check_limits(const struct req *rq, const struct read_result *read, struct err *err)
{
	const struct token *t = &rq->token;
	struct problems *found;

	if (!t->machines && !t->benchmarks)
		return 0;
	found = problems_new(rq->arena);
	for (size_t i = 0; i < read->n; i++)
		if (read->items[i].sub)
			check_one(t, &read->items[i], read->many ? arena_printf(rq->arena, "/%zu", read->items[i].index) : "", found);
	if (!found->total)
		return 0;
	err_set(err, ERR_FORBIDDEN, "token '%.100s' may not send this: %s", t->name, found->list[0].message);
	err->problems = found;
	return -1;
}

static int read_upload(struct req *rq, enum body_kind kind, struct read_result *read, struct err *err)
{
	struct read_context ctx;

	read_context(rq, &ctx);
	switch (kind) {
	case BODY_STREAM:
		return read_ndjson(rq->arena, rq->body, rq->body_len, &ctx, read, err);
	case BODY_FORM:
		return read_multipart(rq->arena, rq->body, rq->body_len, rq->content_type, &ctx, read, err);
	case BODY_WHOLE:
		break;
	}
	return read_body(rq->arena, rq->body, rq->body_len, &ctx, read, err);
}

int api_upload(struct req *rq, struct err *err)
{
	struct read_result read = { 0 };
	enum body_kind kind;
	const char *dry = web_arg(rq, "dry_run");
	bool dry_run = dry && strcmp(dry, "0") != 0;

	if (dry && strcmp(dry, "0") && strcmp(dry, "1"))
		return err_set(err, ERR_BAD_ARGUMENT, "dry_run: 0 or 1 is needed");
	if (body_kind(rq, &kind, err))
		return -1;
	if (read_upload(rq, kind, &read, err)) {
		web_count(rq, WEB_INVALID);
		return -1;
	}
	if (check_limits(rq, &read, err))
		return -1;
	if (read.many)
		return post_many(rq, &read, dry_run, err);
	must(read.n == 1);
	return post_one(rq, &read.items[0], dry_run, err);
}
