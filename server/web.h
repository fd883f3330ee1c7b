/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The HTTP side that handlers see: a request whose body has arrived, an arena, a
 * database connection, and where to put the answer. No handler sees libmicrohttpd.
 * One epoll thread owns the sockets and never blocks; workers run handlers.
 */
#ifndef SERVER_WEB_H
#define SERVER_WEB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lib/arena.h"
#include "../lib/buf.h"
#include "../lib/err.h"
#include "auth.h"
#include "conf.h"
#include "db_catalog.h"
#include "db_gauges.h"
#include "db_runs.h"
#include "embed.h"

/* Representations a resource has, chosen by extension, else by Accept. Bits: a route lists its own. */
enum rep {
	REP_JSON = 1, REP_CSV = 2, REP_TEXT = 4, REP_SVG = 8, REP_HTML = 16, REP_OTHER = 32, REP_EML = 64, REP_ATOM = 128
};

/* HTML with all of its style in it and no script: its policy allows the one and not the other. */
#define WEB_TYPE_FROZEN "text/html; charset=utf-8; frozen=1"

struct web_arg {
	const char *name, *value;	/* decoded; a value never has a NUL in it */
};

struct web;

/* What all requests of a process share; constant after start-up but for what locks itself. */
struct server {
	const struct conf *conf;
	struct catalog *catalog;
	struct run_writer *writer;
	struct web *web;		/* the network side; web_*.c only */
};

struct req {
	struct server *server;
	struct arena *arena;		/* dies with the request */
	struct db *db;			/* the worker's */

	const char *method;
	const char *path;		/* decoded, without extension of a representation */
	const char *id;			/* what {id} in the route's pattern matched, or NULL */
	const char *query;		/* raw, behind the '?'; "" without */
	struct web_arg *args;
	size_t n_args;
	enum rep rep;
	const char *body;
	size_t body_len;
	const char *content_type;	/* or NULL */
	struct token token;		/* id 0: nobody */
	enum auth_way way;		/* how that is known */
	const char *csrf;		/* of a session: the proof that its pages send; else NULL */
	int64_t session_ends;		/* TM_NONE: no session */
	const char *secret;		/* of the cookie that came, good or not; or NULL */
	const char *csrf_sent;		/* X-CSRF-Token; or NULL */
	const char *client;		/* the address it comes from, behind proxies of ours */
	bool secure;			/* cookies are for HTTPS only */
	char request_id[17];

	/* the answer; a handler that fails leaves it alone and returns -1 with err */
	int status;			/* 0 = 200 */
	const char *type;		/* media type; NULL = by rep */
	struct buf out;
	struct web_shared *shared;	/* text that stands behind the first shared_at bytes of `out`, a reference; or NULL */
	size_t shared_at;
	const char *location;		/* or NULL */
	const char *disposition;	/* file name to save under, or NULL */
	const struct embed_file *file;	/* the answer is this file, `out` is not looked at; or NULL */
	const char *set_cookie;		/* or NULL */
	bool no_store;			/* nobody keeps the answer, not even the browser */
	const char *weak_etag;		/* instead of the strong one made of the content; or NULL */
	bool no_cache;			/* not to be kept by the answer cache */
	int again_ms;			/* no answer yet: call the handler again after so long; 0 = answered */
	const char *version;		/* of a cached route: the data version its answer is kept for; or NULL */
	int64_t since;			/* monotonic usec: when the request came (for ?wait=) */
	bool last_call;			/* answer now, whatever the state: the server is going down */
};

typedef int (*web_handler)(struct req *rq, struct err *err);

struct route {
	const char *method;		/* GET also answers HEAD */
	const char *pattern;		/* "/api/v1/runs/{id}/verdict", ".../{id}:send-again"; a last "{path}" takes the rest of the path */
	web_handler handler;
	enum token_scope scope;		/* SCOPE_NONE: anybody; SCOPE_READ: anybody unless --private */
	unsigned reps;			/* enum rep bits; the first of JSON, HTML, TEXT it has is the default */
	const char *args;		/* known query arguments, blank-separated; "param.*" style; "*" = any */
	bool asks;			/* tells who it is, and demands nothing; or signs in and out */
	bool body;			/* takes a body (under the caps) */
	bool creates;			/* POST: 201 with Location, or 200 where it was there */
	bool light;			/* answered on the network thread: no database (rq->db NULL), never blocks */
	bool cached;			/* GET whose answer depends on query and data version only */
	const char *about;		/* one line for /api/openapi.json; NULL: not described there */
	const char *shape;		/* its JSON: a schema of static/openapi_base.json, or NULL */
	const char *takes;		/* its body: a requestBody of that file; NULL: none */
};

extern const struct route routes[];	/* routes.c; ends with method NULL */

/* The first value of a query argument, or NULL. */
const char *web_arg(const struct req *rq, const char *name);
/* All values of one, in order; NULL-free. */
const char **web_args(const struct req *rq, const char *name, size_t *n);
/* A whole number within bounds, or the default. -1: err names the argument. */
int web_arg_int(const struct req *rq, const char *name, int least, int most, int standard, int *value,
		struct err *err);

/* What the process counted since it started; for /metrics. */
struct web_route_stats {
	uint64_t by_class[6];		/* answers 1xx .. 5xx; [0]: cut connections */
	uint64_t usec;			/* sum over answers */
};
/* Classes of routes, few and for good: what a dashboard has a line for each of. */
enum web_class {
	WEB_UPLOAD, WEB_COMPARE, WEB_SWEEP, WEB_TREND, WEB_MATRIX, WEB_VERDICT, WEB_ALERTS, WEB_API, WEB_PAGES, WEB_STATIC,
	WEB_HEALTH, WEB_CLASSES
};
const char *web_class_word(enum web_class class);
struct web_class_stats {
	struct histogram_sums whole, db;	/* the answer; what of it was waiting for PostgreSQL */
};

struct web_stats {
	struct web_class_stats classes[WEB_CLASSES];
	struct db_stats database;		/* of all connections of the process */
	struct db_gauges gauges;		/* some seconds old; where has_gauges */
	bool has_gauges;
	uint64_t samples, workers, queue_most;
	bool has_standby;			/* --db-read; then: answered there, and passed over because it was behind, or failed */
	uint64_t standby_reads, standby_behind, standby_failed;
	const struct web_route_stats *routes;	/* one per entry of routes[], and one more: no route */
	uint64_t runs_stored, runs_duplicate, runs_conflict, runs_invalid;
	uint64_t cache_hits, cache_misses, cache_bytes;
	uint64_t connections, queued, workers_busy, bytes_in, bytes_out;
	uint64_t queue_refused;
	int64_t started_at;		/* usec */
};
void web_stats(struct req *rq, struct web_stats *out);
enum web_count { WEB_STORED, WEB_DUPLICATE, WEB_CONFLICT, WEB_INVALID };
void web_count(struct req *rq, enum web_count what);	/* one submission more with this outcome */
void web_count_samples(struct req *rq, size_t n);	/* results that were stored */

/* Serves until SIGTERM or SIGINT, then drains and returns 0; -1: could not start. */
int web_serve(const struct conf *conf, struct err *err);

#endif
