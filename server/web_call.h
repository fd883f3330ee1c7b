/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the network side (web*.c only). A `conn` is a TCP connection, a `call` one
 * request on it. A call belongs to the network thread, but for the time between its
 * suspension and its resumption, when it belongs to the queue or to the worker that runs it.
 */
#ifndef SERVER_WEB_CALL_H
#define SERVER_WEB_CALL_H

#include <pthread.h>
#include <stdatomic.h>

#include "auth.h"
#include "cache.h"
#include "reply.h"
#include "web.h"
#include "web_args.h"
#include "web_standby.h"
#include "web_tls.h"
#include "web_limit.h"
#include "web_peer.h"
#include "web_session.h"

#define WEB_RETRY_AFTER_S 2		/* told with 503 */

enum conn_phase {
	CONN_IDLE,		/* waits for a request line */
	CONN_HEAD,		/* request line is there, headers not yet */
	CONN_BODY,		/* the body comes in */
	CONN_WORK,		/* suspended */
	CONN_SEND,		/* the answer goes out */
	CONN_CUT,		/* the reaper ended it */
};

struct conn {
	struct web *web;
	struct conn *next, *prev;	/* all under web->conns_lock */
	enum conn_phase phase;
	int64_t opened, since, last;	/* monotonic usec: accepted, begin of the phase, last sign of life */
	int fd;
	struct web_tls_line tls;	/* the network thread's */
	bool over;			/* one more than the limit: its request gets 503 */
	char request_id[17];
	char remote[64];		/* constant */
};

enum call_state {
	CALL_NEW,		/* only the request line is known */
	CALL_READING,
	CALL_DRAIN,		/* answered past libmicrohttpd; what still comes is thrown away */
	CALL_QUEUED,		/* suspended: the queue's or a worker's */
	CALL_ANSWERED,
};

struct call {
	struct web *web;
	struct conn *conn;
	struct MHD_Connection *connection;
	struct arena *arena;		/* of this request; the handlers use the worker's */
	enum call_state state;
	char *uri;			/* raw */
	struct web_path path;
	const struct route *route;	/* NULL: none */
	struct req rq;
	struct buf body;
	size_t seen;			/* bytes of body, kept or not */
	const char *accept, *accept_encoding, *if_none_match, *content_encoding;
	struct auth_given given;	/* who it may be */
	struct web_origin origin;
	struct web_peer peer;
	web_limit_seat address_seat, person_seat;	/* held until the end of it */
	bool admitted;			/* counted among those of its person */
	struct reply reply;
	struct reply_body *answer;	/* what to send */
	struct MHD_Response *response;	/* made of it */
	size_t sent;
	int64_t started, queued_at, run_usec, wake_at;	/* monotonic usec */
	int64_t db_usec;		/* waited for PostgreSQL */
	struct web_standby *standby;	/* the worker's, while it has the call; or NULL */
	const char *lsn;		/* what the client wants to see, or NULL */
	int64_t wrote;			/* how far the primary was when its write was done; 0: none */
	bool cache_hit, counted;
	uint8_t key[32];		/* of its answer in the cache; of cached routes */
	struct call *next;		/* in the queue */
};

struct route_count {
	_Atomic uint64_t by_class[6], usec;
};

/* How long the answers of a class of routes took, and how much of that was waiting for PostgreSQL. */
struct class_count {
	struct histogram whole, db;
};

struct web {
	struct server server;
	const struct conf *conf;
	struct MHD_Daemon *daemon;
	struct web_queue *queue;
	struct web_keeper *keeper;
	struct web_pack *pack;
	struct auth *auth;
	struct arena *arena;		/* constant after start-up */
	struct net_list proxies;	/* --proxy */
	struct web_limit *addresses, *persons, *uploads, *signins;
	struct cache *cache;
	size_t n_routes;
	struct route_count *counts;	/* n_routes + 1 */
	struct class_count classes[WEB_CLASSES];
	_Atomic uint64_t samples;
	struct web_standby_shared standby;
	size_t bodies;			/* bytes of bodies held; network thread, as the next */
	uint64_t next_id;
	unsigned connections_most;	/* --max-connections, or what file descriptors allow */
	pthread_mutex_t conns_lock;
	struct conn *conns;		/* under conns_lock */
	atomic_bool stopping;
	_Atomic uint64_t connections, bytes_in, bytes_out, refused, outcome[4];
	int64_t started_at;
};

/* web_run.c: what the answer to a call is. With a worker's database and arena; db NULL for light routes. */
void web_run_call(struct call *call, struct db *db, struct arena *arena);
/* Puts an error into the call as its answer. status 0: by kind; code NULL: by kind. */
void web_run_fail(struct call *call, unsigned status, const char *code, const struct err *err);
/* Whether the answer may be in the cache, and whoever asks may have it, as far as that is known without the database. Then: */
bool web_run_may_hit(struct call *call);
/* answers it if the cache has that of this version, which was asked for at `begun` in db_usec. false: nothing was done. */
bool web_run_hit(struct call *call, const char *version, int64_t begun, int64_t db_usec);
/* 503: nobody had time for it. */
void web_run_too_late(struct call *call);

/* web_guard.c: refuses requests whose length two parsers could read differently, and bad ones. */
int web_guard_headers(struct MHD_Connection *connection, const char *version, struct err *err);

/* web_queue.c: the workers. */
struct web_queue *web_queue_new(struct web *web);
void web_queue_give(struct web_queue *q, struct call *call);	/* a suspended call; full, or stopping: it is answered so */
void web_queue_expire(struct web_queue *q);			/* answers those that waited too long, should no worker come to it */
void web_queue_stop(struct web_queue *q);			/* answers what waits, ends the workers */
void web_queue_free(struct web_queue *q);			/* accepts NULL */
void web_queue_stats(struct web_queue *q, uint64_t *queued, uint64_t *busy);

/* web_keeper.c: the keeper of the data version, a thread of its own that answers hits. */
struct web_keeper *web_keeper_new(struct web *web);
bool web_keeper_take(struct web_keeper *k, struct call *call);	/* of a suspended call that may be a hit; false: it is not for it now */
void web_keeper_expire(struct web_keeper *k);			/* those that waited too long for it go to the queue */
void web_keeper_stop(struct web_keeper *k);			/* before the queue is: what waits goes there */
void web_keeper_free(struct web_keeper *k);			/* accepts NULL */

/* web_pack.c: the packer, a thread of its own; _free() ends it and accepts NULL. */
struct web_pack *web_pack_new(const struct conf *conf);
void web_pack_free(struct web_pack *p);
bool web_pack_gauges(struct web_pack *p, struct db_gauges *g);	/* those of some seconds ago; false: the database was away */

/* web_stats.c: one answer more. Any thread. */
void web_stats_answered(struct call *call, bool whole);

#endif
