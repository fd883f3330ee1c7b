/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a call to its answer: token, scope, cache, handler, and what became of it as
 * status, headers and body. Runs on a worker, or for light routes on the network thread.
 */
#include "web_call.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "../lib/log.h"
#include "../lib/must.h"
#include "../lib/tm.h"
#include "db_events.h"
#include "db_replay.h"
#include "web_inflate.h"

static bool reads(const struct call *call)
{
	return !strcmp(call->rq.method, "GET") || !strcmp(call->rq.method, "HEAD");
}

static void answer(struct call *call, struct reply_body *body)
{
	struct reply *r = &call->reply;

	call->answer = body;
	r->gzip = web_args_takes_gzip(call->accept_encoding);
	r->if_none_match = call->if_none_match;
	r->request_id = call->rq.request_id;
	r->tls = call->web->conf->tls_cert != NULL;
	r->close = r->close || atomic_load(&call->web->stopping);
	r->etag = r->status == 200 && !call->rq.no_store && reads(call);
	r->personal = call->route && (call->route->scope > SCOPE_READ || call->route->asks ||
				      (call->route->scope == SCOPE_READ && call->web->conf->private_reads));
	call->response = reply_make(body, r, &call->sent);
}

/*
 * Why requests are not served: of each reason at most a line a second, while as many may fail as come. A reason in
 * the place of another waits for that one: there are few at a time.
 */
static void tell_unavailable(const struct call *call, const struct err *err)
{
	static _Atomic int64_t next_at[16];
	_Atomic int64_t *next = &next_at[XXH3_64bits(err->message, strlen(err->message)) % 16];
	int64_t now = tm_monotonic_usec(), due = atomic_load(next);
	char quoted[800];

	if (now >= due && atomic_compare_exchange_strong(next, &due, now + 1000000))
		log_event(LOG_WARN, "unavailable", "request_id=%s error=%s", call->rq.request_id,
			  log_quote(quoted, sizeof(quoted), err->message));
}

/* A person's browser that opens a page. */
static bool wants_page(const struct call *call)
{
	return call->route && (call->route->reps & REP_HTML) && reads(call) && call->accept && strstr(call->accept, "text/html");
}

/* Where to sign in, and what to show then. */
static const char *sign_in_first(const struct call *call)
{
	const char *next = *call->uri == '/' ? call->uri : "/";
	struct buf out;

	buf_init(&out);
	buf_puts(&out, "/signin?next=");
	for (; *next; next++) {
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/", *next))
			buf_putc(&out, *next);
		else
			buf_printf(&out, "%%%02X", (unsigned char)*next);
	}
	next = arena_strdup(call->arena, out.p);
	buf_fini(&out);
	return next;
}

void web_run_fail(struct call *call, unsigned status, const char *code, const struct err *err)
{
	struct reply *r = &call->reply;
	char quoted[800];
	struct buf out;

	r->status = status ? status : reply_status(err->kind);
	if ((r->status == 503 || r->status == 429) && !r->retry_after_s)
		r->retry_after_s = WEB_RETRY_AFTER_S;
	r->challenge = r->status == 401;
	if (r->status == 401 && wants_page(call)) {
		r->status = 303;
		r->challenge = false;
		r->location = sign_in_first(call);
	}
	buf_init(&out);
	if (r->status == 500) {		/* ours: the log has it all, the sender gets the id to ask with */
		struct err told = { 0 };

		log_event(LOG_ERROR, "request failed", "request_id=%s error=%s", call->rq.request_id,
			  log_quote(quoted, sizeof(quoted), err->message));
		err_set(&told, ERR_BUG, "a fault of the server; its log has it as request %s", call->rq.request_id);
		reply_error(&out, code, &told);
	} else {
		if (r->status == 503)
			tell_unavailable(call, err);
		reply_error(&out, code, err);
	}
	answer(call, reply_body_new(&out, "application/json", false, NULL));
}

/* What a handler set, as headers. Its strings may die with the worker's arena: the response copies them. version NULL: not to be kept. */
static void succeed(struct call *call, const char *version)
{
	struct req *rq = &call->rq;
	const char *type = rq->type ? rq->type : web_args_rep_type(rq->rep);
	struct reply_body *body;

	call->reply.status = rq->status ? (unsigned)rq->status : 200;
	call->reply.location = rq->location;
	call->reply.set_cookie = rq->set_cookie;
	call->reply.challenge = call->reply.status == 401;
	if (rq->disposition)
		call->reply.disposition = arena_printf(rq->arena, "inline; filename=\"%s\"", rq->disposition);
	if (rq->file)
		body = reply_body_of_file(rq->file, type);
	else
		body = reply_body_around(&rq->out, rq->shared, rq->shared_at, type, reads(call), rq->weak_etag);
	rq->shared = NULL;
	if (version && call->reply.status == 200 && !rq->no_cache)
		cache_put(call->web->cache, call->key, version, body);
	answer(call, body);
	call->reply.location = call->reply.disposition = call->reply.set_cookie = NULL;
}

static void cache_key(struct call *call)
{
	const struct req *rq = &call->rq;
	struct buf text;

	buf_init(&text);
	buf_printf(&text, "%s %d ", call->route->pattern, (int)rq->rep);
	buf_puts(&text, rq->id ? rq->id : "");
	buf_putc(&text, 0);
	web_args_canonical(rq, &text);
	sha256(text.p, text.len, call->key);
	buf_fini(&text);
}

/* body NULL: none is kept. */
static bool answer_kept(struct call *call, struct reply_body *body)
{
	if (!body)
		return false;
	call->cache_hit = true;
	call->reply.status = 200;
	answer(call, body);
	return true;
}

/* Whether the cache has the answer of this moment; else *version is what the answer to come is good for. */
static int look_up(struct call *call, const char **version, struct err *err)
{
	/* asked before the data is read: what changes in between only makes the entry useless */
	if (db_runs_data_version(call->rq.db, call->rq.arena, version, err))
		return -1;
	call->rq.version = *version;
	answer_kept(call, cache_get(call->web->cache, call->key, *version));
	return 0;
}

static void forget_answer(struct req *rq)
{
	web_shared_unref(rq->shared);
	rq->shared = NULL;
	rq->shared_at = 0;
	rq->status = 0;
	rq->type = rq->location = rq->disposition = rq->set_cookie = rq->weak_etag = rq->version = NULL;
	rq->file = NULL;
	rq->no_cache = rq->no_store = false;
	buf_clear(&rq->out);
}

/*
 * Where the cache has nothing of the version that the catalogue is of, that is taken for the version of this
 * moment: to ask goes in one round trip with the handler's first query. False: it was
 * not, and whatever the handler did is void.
 */
static bool run_expecting(struct call *call, int *ret, struct err *err)
{
	struct req *rq = &call->rq;
	const char *version = db_catalog_version(call->web->server.catalog, rq->arena);
	bool good;

	if (!version || cache_has(call->web->cache, call->key, version))
		return false;
	rq->version = version;
	db_runs_expect_version(rq->db, version);
	*ret = call->route->handler(rq, err);
	good = db_expected(rq->db);
	if (good && !*ret)
		succeed(call, version);
	if (!good)
		forget_answer(rq);
	return good;
}

static int run_cached(struct call *call, struct err *err)
{
	const char *version;
	int ret;

	cache_key(call);
	if (run_expecting(call, &ret, err))
		return ret;
	*err = (struct err){ 0 };
	if (look_up(call, &version, err))
		return -1;
	if (call->answer)
		return 0;
	if (call->route->handler(&call->rq, err))
		return -1;
	succeed(call, version);
	return 0;
}

/* From the worker's standby, if that has what the client may expect; what goes wrong there is asked of the primary. */
static int run_cached_somewhere(struct call *call, struct err *err)
{
	struct req *rq = &call->rq;
	struct db *primary = rq->db;
	struct err ignored = { 0 };
	int64_t waited;
	int ret;

	if (!web_standby_may(call))
		return run_cached(call, err);
	rq->db = call->standby->db;
	waited = db_waited_usec(rq->db);
	ret = run_cached(call, &ignored);
	call->db_usec += db_waited_usec(rq->db) - waited;
	rq->db = primary;
	atomic_fetch_add(ret ? &call->web->standby.failed : &call->web->standby.reads, 1);
	if (!ret)
		return 0;
	forget_answer(rq);
	return run_cached(call, err);
}

static int know(struct call *call, struct err *err)
{
	struct req *rq = &call->rq;
	struct auth_known known;

	if (auth_find(call->web->auth, rq->db, rq->arena, &call->given, &known, err))
		return -1;
	rq->token = known.token;
	rq->way = known.way;
	rq->csrf = known.csrf;
	rq->session_ends = known.session_ends;
	if (known.session_over && call->route->scope != SCOPE_NONE &&
	    (call->route->scope > SCOPE_READ || call->web->conf->private_reads))
		return err_set(err, ERR_UNAUTHORIZED, "the session is over: sign in again");
	return 0;
}

/* Once a request, which may be run more than once. */
static int limit_person(struct call *call, struct err *err)
{
	const struct token *t = &call->rq.token;
	struct web_limit_key key;

	if (!t->id || call->admitted)
		return 0;
	key = web_limit_person(t->id, t->name);
	switch (web_limit_take(call->web->persons, &key, &call->person_seat, &call->reply.retry_after_s)) {
	case WEB_LIMIT_TOO_OFTEN:
		return err_set(err, ERR_RATE, "'%.100s' has sent the %d requests of this minute", t->name, call->web->conf->token_rate);
	case WEB_LIMIT_TOO_MANY:
		return err_set(err, ERR_RATE, "'%.100s' has %d requests under way, as many as there may be", t->name,
			       call->web->conf->token_at_once);
	case WEB_LIMIT_GOOD:
		call->admitted = true;
	}
	return 0;
}

static int limit_uploads(struct call *call, struct err *err)
{
	const struct token *t = &call->rq.token;
	struct web_limit_key key = web_limit_person(t->id, t->name);

	if (!web_limit_take(call->web->uploads, &key, NULL, &call->reply.retry_after_s))
		return 0;
	return err_set(err, ERR_RATE, "token '%.100s' has sent its %d uploads of this minute", t->name,
		       call->web->conf->uploads_per_minute);
}

/* Signing in and out: from a page of ours, or by a program; and not for ever with another secret. */
static int admit_signing(struct call *call, struct err *err)
{
	struct web_limit_key key = web_limit_address(call->peer.address);

	if (reads(call))
		return 0;
	if (web_session_origin(&call->origin, false, err))
		return -1;
	if (!strcmp(call->rq.method, "POST") && web_limit_take(call->web->signins, &key, NULL, &call->reply.retry_after_s))
		return err_set(err, ERR_RATE, "too many tries to sign in from %s failed", call->peer.text);
	return 0;
}

/* Only tries that fail count: many may sit behind one address. */
static void pardon_signing(struct call *call)
{
	struct web_limit_key key = web_limit_address(call->peer.address);

	if (!strcmp(call->rq.method, "POST"))
		web_limit_pardon(call->web->signins, &key);
}

/* What a browser sends by itself is no will of the person's. */
static int admit_browser(struct call *call, struct err *err)
{
	const struct req *rq = &call->rq;

	if (rq->way == AUTH_PASSWORD && call->route->scope > SCOPE_READ)
		return err_set(err, ERR_UNAUTHORIZED, "a password is good for reading only: send Authorization: Bearer TOKEN");
	if (reads(call) || (rq->way != AUTH_SESSION && rq->way != AUTH_PROXY))
		return 0;
	return web_session_origin(&call->origin, true, err) ? -1 : web_session_proof(rq, rq->csrf_sent, err);
}

static int admit(struct call *call, struct err *err)
{
	enum token_scope needs = call->route->scope;

	if (needs == SCOPE_NONE && !call->route->asks)
		return 0;
	if (know(call, err) || limit_person(call, err))
		return -1;
	if (call->route->asks)
		return admit_signing(call, err);
	if (needs == SCOPE_READ && !call->web->conf->private_reads)
		return 0;
	if (auth_check(&call->rq.token, needs, err) || admit_browser(call, err))
		return -1;
	return needs == SCOPE_INGEST ? limit_uploads(call, err) : 0;
}

/* The body as the handler reads it; the unpacked one takes the place of what came. */
static int unpack(struct call *call, struct err *err)
{
	struct req *rq = &call->rq;
	size_t most = (size_t)call->web->conf->max_inflated_kib * 1024;
	struct buf out;
	bool plain;
	int ret;

	buf_init(&out);
	ret = web_inflate(call->content_encoding, rq->body, rq->body_len, most, &plain, &out, err);
	if (!ret && !plain) {
		rq->body = arena_strndup(rq->arena, out.p, out.len);
		rq->body_len = out.len;
	}
	buf_fini(&out);
	return ret;
}

static int run_handler(struct call *call, struct err *err)
{
	struct req *rq = &call->rq;

	if (call->route->handler(rq, err))
		return -1;
	if (rq->db && !reads(call))
		web_standby_wrote(call);
	if (!rq->again_ms || rq->last_call)
		succeed(call, NULL);
	return 0;
}

static int run_admitted(struct call *call, struct err *err)
{
	if (call->route->cached)
		return run_cached_somewhere(call, err);
	if (call->route->body && unpack(call, err))
		return -1;
	return run_handler(call, err);
}

static int run(struct call *call, struct err *err)
{
	static const char *const ways[] = { [AUTH_NOBODY] = NULL, [AUTH_TOKEN] = "token", [AUTH_PASSWORD] = "password",
					    [AUTH_SESSION] = "session", [AUTH_PROXY] = "proxy" };
	struct req *rq = &call->rq;
	struct db_events_origin from = { .address = rq->client, .request_id = rq->request_id };
	int ret;

	if (!rq->db)
		return run_handler(call, err);
	if (admit(call, err))
		return -1;
	from.via = ways[rq->way];
	db_events_from(rq->db, &from);
	ret = run_admitted(call, err);
	db_events_from(rq->db, NULL);
	if (call->route->asks && !reads(call) && !ret && call->reply.status < 400)
		pardon_signing(call);
	return ret;
}

/*
 * Server-Timing in ms: waiting for a worker, for PostgreSQL, and the rest. What another
 * worker commits for this one (group commit) is waiting of ours, and stands under app.
 */
static const char *timing(struct call *call, int64_t begun, int64_t db_usec)
{
	int64_t usec[] = { begun - (call->queued_at ? call->queued_at : begun), db_usec, tm_monotonic_usec() - begun - db_usec };
	int ms[3], hundredths[3];

	for (int i = 0; i < 3; i++) {		/* whole numbers: printf() takes longer for a double than for all else */
		ms[i] = (int)(usec[i] / 1000);
		hundredths[i] = usec[i] > 0 ? (int)(usec[i] % 1000 / 10) : 0;
	}
	return arena_printf(call->arena, "%squeue;dur=%d.%02d, db;dur=%d.%02d, app;dur=%d.%02d", call->cache_hit ? "hit, " : "",
			    ms[0], hundredths[0], ms[1], hundredths[1], ms[2], hundredths[2]);
}

void web_run_too_late(struct call *call)
{
	struct err err = { 0 };

	err_set(&err, ERR_UNAVAILABLE, "the server is too busy: the request waited too long");
	web_run_fail(call, 0, NULL, &err);
}

/* With a write: from where on others see it. */
static void tell_place(struct call *call)
{
	char place[DB_REPLAY_TEXT];

	if (call->wrote)
		must(MHD_add_response_header(call->response, WEB_STANDBY_HEADER, db_replay_format(call->wrote, place)) == MHD_YES);
}

bool web_run_may_hit(struct call *call)
{
	struct err ignored = { 0 };

	if (!call->route->cached || !reads(call) || call->route->asks)
		return false;
	cache_key(call);
	if (!cache_may_have(call->web->cache, call->key))
		return false;
	if (!admit(call, &ignored))
		return true;
	call->reply.retry_after_s = 0;	/* whatever speaks against it, a worker tells */
	return false;
}

bool web_run_hit(struct call *call, const char *version, int64_t begun, int64_t db_usec)
{
	if (!answer_kept(call, cache_take(call->web->cache, call->key, version)))
		return false;
	call->db_usec += db_usec;
	must(MHD_add_response_header(call->response, "Server-Timing", timing(call, begun, db_usec)) == MHD_YES);
	if (call->standby)
		atomic_fetch_add(&call->web->standby.reads, 1);
	call->standby = NULL;
	return true;
}

void web_run_call(struct call *call, struct db *db, struct arena *arena)
{
	struct req *rq = &call->rq;
	int64_t begun = tm_monotonic_usec(), waited = db ? db_waited_usec(db) : 0;
	struct err err = { 0 };

	rq->db = db;
	rq->arena = arena;
	rq->again_ms = 0;
	rq->version = NULL;
	buf_clear(&rq->out);
	if (begun - call->queued_at > call->web->conf->request_timeout_s * 1000000LL && call->queued_at) {
		web_run_too_late(call);
	} else if (run(call, &err)) {
		must(err.kind != ERR_NONE);
		must(!rq->shared);	/* the last thing that a handler makes: nothing fails after it */
		web_run_fail(call, 0, NULL, &err);
	}
	call->db_usec += db ? db_waited_usec(db) - waited : 0;
	if (!call->answer) {		/* come again */
		call->queued_at = call->wake_at = begun + rq->again_ms * 1000LL;
	} else if (call->response) {
		must(MHD_add_response_header(call->response, "Server-Timing",
					     timing(call, begun, db ? db_waited_usec(db) - waited : 0)) == MHD_YES);
		tell_place(call);
	}
	call->standby = NULL;
	if (rq->token.id)
		rq->token.name = arena_strdup(call->arena, rq->token.name);
	rq->db = NULL;
	rq->arena = call->arena;
}
