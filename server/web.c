/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The network thread's side of a request: libmicrohttpd's callbacks. A call is made when
 * the request line is there, learns its route in the first callback, takes its body,
 * is suspended and handed to a worker, and is answered when the worker resumed it. The
 * thread never blocks. Nothing is answered in the first callback unless the connection
 * is to end: libmicrohttpd would close it.
 */
#include "web.h"

#include <errno.h>
#include <malloc.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../lib/log.h"
#include "../lib/must.h"
#include "../lib/num.h"
#include "../lib/terminal.h"
#include "../lib/tm.h"
#include "web_call.h"
#include "web_conn.h"
#include "web_listen.h"
#include "web_tls.h"

#define DRAIN_MAX (64u * 1024 * 1024)	/* of a refused body: then the line is cut */
#define BODIES_MAX (64u)		/* times the largest body: what all that are on their way may hold */
#define CACHE_BYTES (64u * 1024 * 1024)
#define FILES_ELSE 64		/* open ones that are no connection: listener, epoll, logs, libraries */
#define SIGNINS_PER_MINUTE 30	/* of an address: more is no person at a keyboard */
#define DRAIN_USEC 5000000		/* at the end: for answers to go out */
#define ARRIVE_USEC 500000		/* ... and for requests that are coming in */

/*
 * No two of a process are the same, and by whoever made it the next one is not guessed at once: a counter from a random
 * start through a bijection (SplitMix64: Steele, Lea & Flood, OOPSLA 2014). No secret; getrandom() for
 * each was a system call more.
 */
static uint64_t request_id(struct web *web)
{
	uint64_t z = web->next_id += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void *on_uri(void *cls, const char *uri, struct MHD_Connection *connection)
{
	struct web *web = cls;
	struct call *call = calloc(1, sizeof(*call));
	uint64_t id = request_id(web);

	must(call != NULL);
	call->web = web;
	call->connection = connection;
	call->conn = web_conn_of(connection);
	call->arena = arena_new();
	call->uri = arena_strdup(call->arena, uri);
	call->started = tm_monotonic_usec();
	buf_init(&call->body);
	buf_init(&call->rq.out);
	call->rq.server = &web->server;
	call->rq.arena = call->arena;
	call->rq.since = call->started;
	hex_format((const uint8_t *)&id, sizeof(id), call->rq.request_id);
	web_conn_phase(call->conn, CONN_HEAD, call->rq.request_id);
	return call;
}

static const char *header(struct call *call, const char *name)
{
	return MHD_lookup_connection_value(call->connection, MHD_HEADER_KIND, name);
}

/* Everything the request line and the headers can be wrong in. Route, id, rep, args are set. */
static int resolve(struct call *call, struct err *err)
{
	struct req *rq = &call->rq;
	enum rep ext = 0;

	if (web_args_split(call->arena, call->uri, &call->path, rq, err))
		return -1;
	call->route = web_args_route(call->arena, routes, rq->method, &call->path, rq, &ext, &call->reply.allow, err);
	if (!call->route)
		return -1;
	call->reply.allow = NULL;
	if (web_args_rep(call->route, ext, call->accept, &rq->rep, err) ||
	    web_args_check(call->route, rq, err))
		return -1;
	if (call->route->scope > SCOPE_READ && !call->given.authorization && !call->given.secret && !call->given.person)	/* its body is not worth a worker */
		return auth_check(&rq->token, call->route->scope, err);
	return 0;
}

static size_t body_cap(const struct call *call)
{
	return (size_t)call->web->conf->max_body_kib * 1024;
}

static enum MHD_Result queue_answer(struct call *call)
{
	enum MHD_Result done = MHD_queue_response(call->connection, call->reply.status, call->response);

	MHD_destroy_response(call->response);
	call->response = NULL;
	call->state = CALL_ANSWERED;
	web_conn_phase(call->conn, CONN_SEND, NULL);
	return done;
}

static void drop_body(struct call *call)
{
	call->web->bodies -= call->body.len;
	buf_fini(&call->body);
}

/*
 * An answer while the body is still coming: libmicrohttpd cannot send one, and closing with
 * unread data would reset the connection before the client has read why. So the answer goes
 * straight to the socket (libmicrohttpd has nothing to write now), and what comes is
 * thrown away for a while.
 */
static enum MHD_Result refuse_now(struct call *call)
{
	struct buf out;

	buf_init(&out);
	reply_raw(&out, call->answer, &call->reply);
	call->sent = out.len;
	call->state = CALL_DRAIN;
	drop_body(call);
	web_conn_send_last(call->conn, &out);
	buf_fini(&out);
	return MHD_YES;
}

/* Of --private, what needs a token needs a database, and so a worker. */
static bool is_light(const struct call *call)
{
	return call->route && call->route->light && !(call->route->scope != SCOPE_NONE && call->web->conf->private_reads);
}

/* Who sends it, as far as it can be told without asking anybody. */
static int read_sender(struct call *call, struct err *err)
{
	struct req *rq = &call->rq;
	const struct conf *conf = call->web->conf;

	if (web_peer_read(call->arena, conf, &call->web->proxies, call->connection, &call->peer, err))
		return -1;
	rq->client = call->peer.text;
	rq->secure = conf->secure_cookies || call->peer.https || (conf->public_url && !strncasecmp(conf->public_url, "https://", 8));
	rq->secret = MHD_lookup_connection_value(call->connection, MHD_COOKIE_KIND, web_session_cookie(rq->secure));
	rq->csrf_sent = header(call, "X-CSRF-Token");
	call->given = (struct auth_given){ .authorization = header(call, "Authorization"), .secret = rq->secret,
					   .person = call->peer.person };
	call->origin = (struct web_origin){ .origin = header(call, "Origin"), .fetch_site = header(call, "Sec-Fetch-Site"),
					    .host = header(call, "Host"), .public_url = conf->public_url, .https = rq->secure };
	return 0;
}

static int limit_address(struct call *call, struct err *err)
{
	struct web_limit_key key = web_limit_address(call->peer.address);

	if (is_light(call))
		return 0;
	switch (web_limit_take(call->web->addresses, &key, &call->address_seat, &call->reply.retry_after_s)) {
	case WEB_LIMIT_TOO_OFTEN:
		return err_set(err, ERR_RATE, "%s has sent its %d requests of this minute", call->peer.text, call->web->conf->address_rate);
	case WEB_LIMIT_TOO_MANY:
		return err_set(err, ERR_RATE, "%s has %d requests under way, as many as it may have", call->peer.text,
			       call->web->conf->address_at_once);
	case WEB_LIMIT_GOOD:
		return 0;
	}
	return 0;
}

/* Who, what, and whether there is room for it; what leads nowhere counts, too. */
static int look(struct call *call, struct err *err)
{
	struct err over = { 0 };
	int bad;

	if (read_sender(call, err))
		return -1;
	bad = resolve(call, err);
	if (!limit_address(call, &over))
		return bad;
	call->reply.allow = NULL;
	*err = over;
	return -1;
}

static void too_large(struct call *call)
{
	struct err err = { 0 };

	err_set(&err, ERR_TOO_LARGE, "the body is larger than %d KiB", call->web->conf->max_body_kib);
	web_run_fail(call, 0, NULL, &err);
}

static enum MHD_Result end_now(struct call *call, unsigned status, const char *code, const struct err *err)
{
	call->reply.close = true;
	web_run_fail(call, status, code, err);
	return queue_answer(call);
}

/* A connection over the limit: the answer at once, whatever it asks. */
static enum MHD_Result turn_away(struct call *call)
{
	struct err err = { 0 };
	bool body = header(call, "Content-Length") || header(call, "Transfer-Encoding");

	err_set(&err, ERR_UNAVAILABLE, WEB_CONN_OVER);
	call->reply.close = true;
	web_run_fail(call, 0, NULL, &err);
	return body && !header(call, "Expect") ? refuse_now(call) : queue_answer(call);
}

/* The first callback: headers are there. */
static enum MHD_Result begin(struct call *call, const char *method, const char *version)
{
	struct err err = { 0 };
	const char *length;
	int64_t n = 0;

	call->state = CALL_READING;
	call->rq.method = arena_strdup(call->arena, method);
	call->accept = header(call, "Accept");
	call->accept_encoding = header(call, "Accept-Encoding");
	call->lsn = header(call, WEB_STANDBY_HEADER);
	call->if_none_match = header(call, "If-None-Match");
	call->rq.content_type = header(call, "Content-Type");
	call->content_encoding = header(call, "Content-Encoding");
	web_conn_phase(call->conn, CONN_BODY, NULL);
	if (web_guard_headers(call->connection, version, &err))
		return end_now(call, 0, NULL, &err);
	if (call->conn->over)
		return turn_away(call);
	if (look(call, &err))
		web_run_fail(call, 0, NULL, &err);	/* told when the body is through */
	length = header(call, "Content-Length");
	if (length && num_parse_i64(length, strlen(length), &n))
		n = INT64_MAX;			/* libmicrohttpd refused what is no number */
	if (!length && !header(call, "Transfer-Encoding") && call->route && call->route->body && !call->answer) {
		err_set(&err, ERR_BAD_ARGUMENT, "a body is needed: Content-Length or Transfer-Encoding: chunked");
		web_run_fail(call, 411, NULL, &err);
	}
	if (n > (int64_t)body_cap(call)) {
		if (!call->answer)
			too_large(call);
		if (header(call, "Expect"))	/* the client waits with the body */
			return queue_answer(call);
		return refuse_now(call);
	}
	return MHD_YES;
}

static enum MHD_Result take(struct call *call, const char *piece, size_t n)
{
	struct web *web = call->web;
	struct err err = { 0 };

	call->seen += n;
	atomic_fetch_add(&web->bytes_in, n);
	if (!web_conn_alive(call->conn))
		return MHD_NO;
	if (call->state == CALL_DRAIN)
		return call->seen > DRAIN_MAX ? MHD_NO : MHD_YES;
	if (call->seen > body_cap(call)) {
		if (!call->answer)
			too_large(call);
		return refuse_now(call);
	}
	if (call->answer || !call->route->body)
		return MHD_YES;
	if (web->bodies + n > BODIES_MAX * body_cap(call)) {
		err_set(&err, ERR_UNAVAILABLE, "too many uploads at once");
		web_run_fail(call, 0, NULL, &err);
		return MHD_YES;
	}
	web->bodies += n;
	buf_add(&call->body, piece, n);
	return MHD_YES;
}

static enum MHD_Result hand_over(struct call *call)
{
	bool may_hit;

	call->queued_at = tm_monotonic_usec();
	call->state = CALL_QUEUED;
	web_conn_phase(call->conn, CONN_WORK, NULL);
	may_hit = web_run_may_hit(call);
	MHD_suspend_connection(call->connection);
	if (!may_hit || !web_keeper_take(call->web->keeper, call))
		web_queue_give(call->web->queue, call);
	return MHD_YES;
}

/* The last callback, or the one after a worker resumed the connection. */
static enum MHD_Result finish(struct call *call)
{
	if (call->state == CALL_DRAIN || !web_conn_alive(call->conn))
		return MHD_NO;
	if (call->response)
		return queue_answer(call);
	call->rq.body = call->body.p;
	call->rq.body_len = call->body.len;
	if (!is_light(call))
		return hand_over(call);
	web_run_call(call, NULL, call->arena);
	return queue_answer(call);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
				  const char *version, const char *upload, size_t *upload_size, void **con_cls)
{
	struct call *call = *con_cls;
	size_t n = *upload_size;

	(void)cls;
	(void)connection;
	(void)url;			/* decoded by libmicrohttpd; we decode the raw one */
	if (call->state == CALL_NEW)
		return begin(call, method, version);
	if (!n)
		return finish(call);
	*upload_size = 0;
	return take(call, upload, n);
}

static void access_log(const struct call *call, bool whole)
{
	int64_t usec = tm_monotonic_usec() - call->started;
	char uri[700], name[160], remote[80], token[240], client[80];

	log_event(is_light(call) ? LOG_DEBUG : LOG_INFO, whole ? "request" : "request cut",
		  "request_id=%s method=%s uri=%s status=%u bytes_in=%zu bytes=%zu ms=%lld.%d remote=%s%s%s token=%s%s",
		  call->rq.request_id, call->rq.method ? log_quote(name, sizeof(name), call->rq.method) : "-",
		  log_quote(uri, sizeof(uri), call->uri), whole ? call->reply.status : 0, call->seen, call->sent,
		  (long long)usec / 1000, (int)(usec % 1000 / 100), log_quote(remote, sizeof(remote),
		  call->conn ? call->conn->remote : ""), call->peer.proxied ? " client=" : "",
		  call->peer.proxied ? log_quote(client, sizeof(client), call->peer.text) : "",
		  call->rq.token.id ? log_quote(token, sizeof(token), call->rq.token.name) : "-", call->cache_hit ? " cache=hit" : "");
}

static void on_done(void *cls, struct MHD_Connection *connection, void **con_cls,
		    enum MHD_RequestTerminationCode how)
{
	struct call *call = *con_cls;
	bool whole;

	(void)cls;
	(void)connection;
	if (!call)
		return;
	whole = call->state == CALL_DRAIN || (call->state == CALL_ANSWERED && how == MHD_REQUEST_TERMINATED_COMPLETED_OK);
	web_limit_give(call->web->addresses, &call->address_seat);
	web_limit_give(call->web->persons, &call->person_seat);
	web_stats_answered(call, whole);
	access_log(call, whole);
	drop_body(call);
	web_conn_phase(call->conn, CONN_IDLE, NULL);
	if (call->response)
		MHD_destroy_response(call->response);
	reply_body_unref(call->answer);
	buf_fini(&call->rq.out);
	arena_free(call->arena);
	free(call);
	*con_cls = NULL;
}

__attribute__((format(printf, 2, 0))) static void on_log(void *cls, const char *fmt, va_list ap)
{
	char text[500], quoted[600];

	(void)cls;
	vsnprintf(text, sizeof(text), fmt, ap);
	text[strcspn(text, "\n")] = 0;
	log_event(LOG_DEBUG, "libmicrohttpd", "text=%s", log_quote(quoted, sizeof(quoted), text));
}

static void on_panic(void *cls, const char *file, unsigned line, const char *reason)
{
	char quoted[300];

	(void)cls;
	log_event(LOG_ERROR, "libmicrohttpd gave up", "at=%s:%u reason=%s", file, line,
		  log_quote(quoted, sizeof(quoted), reason ? reason : ""));
	abort();
}

/* No new connections; what is in flight gets its answer, then everything ends. */
static void stop(struct web *web)
{
	const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
	MHD_socket listener = MHD_quiesce_daemon(web->daemon);
	int64_t begun = tm_monotonic_usec(), passed = 0;

	atomic_store(&web->stopping, true);
	while (passed < ARRIVE_USEC && web_conn_busy(web, true)) {
		nanosleep(&pause, NULL);
		passed = tm_monotonic_usec() - begun;
	}
	web_keeper_stop(web->keeper);
	web_queue_stop(web->queue);	/* all that were suspended are resumed with an answer */
	while (web_conn_busy(web, false) && passed < DRAIN_USEC) {
		nanosleep(&pause, NULL);
		passed = tm_monotonic_usec() - begun;
	}
	MHD_stop_daemon(web->daemon);
	if (listener != MHD_INVALID_SOCKET)
		close(listener);
}

static void web_fini(struct web *web)
{
	web_keeper_free(web->keeper);
	web_queue_free(web->queue);
	web_pack_free(web->pack);
	cache_free(web->cache);
	auth_free(web->auth);
	web_limit_free(web->addresses);
	web_limit_free(web->persons);
	web_limit_free(web->uploads);
	web_limit_free(web->signins);
	arena_free(web->arena);
	db_runs_writer_free(web->server.writer);
	db_catalog_free(web->server.catalog);
	pthread_mutex_destroy(&web->conns_lock);
	free(web->counts);
}

/* As many connections as asked for, or as there can be files. */
static void limit_connections(struct web *web)
{
	struct rlimit files;
	rlim_t needs = (rlim_t)web->conf->max_connections + WEB_CONN_SPARE + FILES_ELSE + (rlim_t)web->conf->workers;

	web->connections_most = (unsigned)web->conf->max_connections;
	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur >= needs)
		return;
	if (files.rlim_max < needs)
		needs = files.rlim_max;
	files.rlim_cur = needs;
	if (setrlimit(RLIMIT_NOFILE, &files))
		getrlimit(RLIMIT_NOFILE, &files);
	needs = WEB_CONN_SPARE + FILES_ELSE + (rlim_t)web->conf->workers;
	if (files.rlim_cur >= needs + web->connections_most)
		return;
	web->connections_most = files.rlim_cur > needs ? (unsigned)(files.rlim_cur - needs) : 1;
	log_event(LOG_WARN, "fewer connections than asked for", "most=%u asked=%d open_files=%llu",
		  web->connections_most, web->conf->max_connections, (unsigned long long)files.rlim_cur);
}

static int init_access(struct web *web, const struct conf *conf, struct err *err)
{
	enum token_scope scope = SCOPE_READ;

	must(!conf->proxy_scope || !db_tokens_scope_parse(conf->proxy_scope, &scope));	/* conf.c has looked */
	web->auth = auth_new(scope, conf->proxy_admins);
	web->addresses = web_limit_new(conf->address_rate, conf->address_at_once);
	web->persons = web_limit_new(conf->token_rate, conf->token_at_once);
	web->uploads = web_limit_new(conf->uploads_per_minute, 0);
	web->signins = web_limit_new(SIGNINS_PER_MINUTE, 0);
	web->arena = arena_new();
	if (conf->proxy && net_parse_list(web->arena, conf->proxy, &web->proxies, err))
		return err_prefix(err, "--proxy");
	return 0;
}

static void web_init(struct web *web, const struct conf *conf)
{
	web->conf = web->server.conf = conf;
	limit_connections(web);
	web->server.web = web;
	web->server.catalog = db_catalog_new();
	web->server.writer = db_runs_writer_new(web->server.catalog);
	web->cache = cache_new(CACHE_BYTES);
	random_bytes(&web->next_id, sizeof(web->next_id));
	web->started_at = tm_now_usec();
	must(!pthread_mutex_init(&web->conns_lock, NULL));
	while (routes[web->n_routes].method)
		web->n_routes++;
	web->counts = calloc(web->n_routes + 1, sizeof(*web->counts));
	must(web->counts != NULL);
}

/*
 * A big answer takes tens of MiB for a moment. Given back to the kernel each time, to come again
 * page by page, they take a third of the time that the answer takes. So they stay: up to KEEP in
 * all, not in each thread, for which there is one heap. What is freed in between is used again.
 */
#define KEEP (64 << 20)

static void keep_memory(void)
{
	/* a wish: another allocator, a sanitizer's say, has none of it */
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, KEEP / 2);	/* the most that glibc takes */
	mallopt(M_TRIM_THRESHOLD, KEEP);
}

int web_serve(const struct conf *conf, struct err *err)
{
	struct web web = { 0 };
	pthread_t reaper;
	static const struct web_listen_calls calls = { on_request, on_uri, on_done, on_log };
	bool terminal = terminal_is_there();
	sigset_t ends;
	int sig, ret = -1;

	keep_memory();
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGHUP);
	must(!pthread_sigmask(SIG_BLOCK, &ends, NULL));	/* before the first thread: all inherit it */
	MHD_set_panic_func(on_panic, NULL);
	web_init(&web, conf);
	if (init_access(&web, conf, err)) {
		web_fini(&web);
		return -1;
	}
	web.queue = web_queue_new(&web);
	web.keeper = web_keeper_new(&web);
	web.pack = web_pack_new(conf);
	if (web_listen(&web, &calls, err)) {
		web_keeper_stop(web.keeper);
		web_queue_stop(web.queue);
	} else {
		must(!pthread_create(&reaper, NULL, web_conn_reap, &web));
		while (!sigwait(&ends, &sig) && sig == SIGHUP && (!terminal || terminal_is_there()))
			web_listen_again(&web);
		log_event(LOG_INFO, "ending", "signal=%s", sig == SIGTERM ? "SIGTERM" : sig == SIGINT ? "SIGINT" : "SIGHUP");
		stop(&web);
		must(!pthread_join(reaper, NULL));
		ret = 0;
	}
	web_fini(&web);
	web_tls_unload();
	must(!pthread_sigmask(SIG_UNBLOCK, &ends, NULL));
	return ret;
}
