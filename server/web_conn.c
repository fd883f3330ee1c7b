/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "web_conn.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "../lib/must.h"
#include "../lib/tm.h"

#define REAP_MSEC 200
#define OVER_USEC 2000000		/* for a connection over the limit to send its request and get 503 */

static void name_remote(struct conn *conn, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const struct sockaddr *sa = info ? info->client_addr : NULL;
	char host[48], port[8];

	if (sa && !getnameinfo(sa, sa->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in),
			       host, sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
		snprintf(conn->remote, sizeof(conn->remote), "%s:%s", host, port);
}

static struct conn *conn_new(struct web *web, struct MHD_Connection *connection)
{
	struct conn *conn = calloc(1, sizeof(*conn));

	must(conn != NULL);
	conn->web = web;
	conn->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	conn->opened = conn->since = conn->last = tm_monotonic_usec();
	conn->over = atomic_load(&web->connections) >= web->connections_most;
	name_remote(conn, connection);
	web_tls_begin(&conn->tls, connection, conn->fd);
	must(!pthread_mutex_lock(&web->conns_lock));
	conn->next = web->conns;
	if (conn->next)
		conn->next->prev = conn;
	web->conns = conn;
	must(!pthread_mutex_unlock(&web->conns_lock));
	atomic_fetch_add(&web->connections, 1);
	return conn;
}

static void conn_free(struct conn *conn)
{
	struct web *web = conn->web;

	must(!pthread_mutex_lock(&web->conns_lock));	/* the reaper is not in the middle of this one */
	*(conn->prev ? &conn->prev->next : &web->conns) = conn->next;
	if (conn->next)
		conn->next->prev = conn->prev;
	must(!pthread_mutex_unlock(&web->conns_lock));
	atomic_fetch_sub(&web->connections, 1);
	free(conn);
}

void web_conn_notify(void *cls, struct MHD_Connection *connection, void **socket_context,
		     enum MHD_ConnectionNotificationCode code)
{
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		*socket_context = conn_new(cls, connection);
	} else {
		conn_free(*socket_context);
		*socket_context = NULL;
	}
}

struct conn *web_conn_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

void web_conn_phase(struct conn *conn, enum conn_phase phase, const char *request_id)
{
	must(!pthread_mutex_lock(&conn->web->conns_lock));
	if (conn->phase != CONN_CUT) {
		/* a request's time runs from its first line: its body does not start it anew */
		if (phase != CONN_BODY)
			conn->since = tm_monotonic_usec();
		conn->last = tm_monotonic_usec();
		conn->phase = phase;
	}
	if (request_id)
		snprintf(conn->request_id, sizeof(conn->request_id), "%s", request_id);
	must(!pthread_mutex_unlock(&conn->web->conns_lock));
}

bool web_conn_alive(struct conn *conn)
{
	bool alive;

	must(!pthread_mutex_lock(&conn->web->conns_lock));
	alive = conn->phase != CONN_CUT;
	conn->last = tm_monotonic_usec();
	must(!pthread_mutex_unlock(&conn->web->conns_lock));
	return alive;
}

/* Under lock. A few hundred bytes into an empty send buffer: all or nothing matters to nobody. */
static void send_bytes(struct conn *conn, const struct buf *out)
{
	(void)!send(conn->fd, out->p, out->len, MSG_DONTWAIT | MSG_NOSIGNAL);
	shutdown(conn->fd, SHUT_WR);
}

void web_conn_send_last(struct conn *conn, const struct buf *out)
{
	must(!pthread_mutex_lock(&conn->web->conns_lock));
	if (conn->phase != CONN_CUT && conn->tls.session) {
		web_tls_send_last(&conn->tls, out);
		shutdown(conn->fd, SHUT_WR);
	} else if (conn->phase != CONN_CUT) {
		send_bytes(conn, out);
	}
	must(!pthread_mutex_unlock(&conn->web->conns_lock));
}

/* Under lock: why it ends here. */
static void send_goodbye(struct conn *conn)
{
	struct reply r = { .status = conn->over ? 503 : 408, .request_id = conn->request_id,
			   .retry_after_s = conn->over ? WEB_RETRY_AFTER_S : 0 };
	struct reply_body *body;
	struct err err = { 0 };
	struct buf out;

	err_set(&err, ERR_UNAVAILABLE, "%s", conn->over ? WEB_CONN_OVER : "the request did not arrive in time");
	buf_init(&out);
	reply_error(&out, NULL, &err);
	body = reply_body_new(&out, "application/json", false, NULL);
	reply_raw(&out, body, &r);
	send_bytes(conn, &out);
	reply_body_unref(body);
	buf_fini(&out);
}

bool web_conn_busy(struct web *web, bool arriving)
{
	bool busy = false;

	must(!pthread_mutex_lock(&web->conns_lock));
	for (struct conn *conn = web->conns; conn && !busy; conn = conn->next)
		busy = conn->phase == CONN_WORK || conn->phase == CONN_SEND ||
		       (arriving && (conn->phase == CONN_HEAD || conn->phase == CONN_BODY));
	must(!pthread_mutex_unlock(&web->conns_lock));
	return busy;
}

/* Under lock: whether its time is over. */
static bool overdue(const struct conn *conn, int64_t now)
{
	int64_t idle = conn->web->conf->idle_timeout_s * 1000000LL;
	int64_t whole = conn->web->conf->request_timeout_s * 1000000LL;

	if (conn->over && conn->phase != CONN_WORK && conn->phase != CONN_CUT)
		return now - conn->opened > OVER_USEC;
	switch (conn->phase) {
	case CONN_IDLE:		/* libmicrohttpd ends silent ones; this is for a request line in drops */
		return now - conn->since > idle + whole;
	case CONN_HEAD:
		return now - conn->since > whole || now - conn->last > idle;
	case CONN_BODY:
		return now - conn->since > whole || now - conn->last > idle;
	case CONN_SEND:
		return now - conn->since > idle + whole;
	case CONN_WORK:		/* bounded by the statements' own timeout */
	case CONN_CUT:
		return false;
	}
	return false;
}

static void reap(struct web *web)
{
	int64_t now = tm_monotonic_usec();

	must(!pthread_mutex_lock(&web->conns_lock));
	for (struct conn *conn = web->conns; conn; conn = conn->next) {
		if (!overdue(conn, now))
			continue;
		/* what goes out encrypted is the network thread's business, so that there it ends without a word */
		if ((conn->phase == CONN_HEAD || conn->phase == CONN_BODY) && !conn->tls.session)
			send_goodbye(conn);
		conn->phase = CONN_CUT;
		shutdown(conn->fd, SHUT_RDWR);	/* the network thread sees the end and closes */
	}
	must(!pthread_mutex_unlock(&web->conns_lock));
}

void *web_conn_reap(void *cls)
{
	struct web *web = cls;
	const struct timespec pause = { .tv_nsec = REAP_MSEC * 1000000L };

	while (!atomic_load(&web->stopping)) {
		reap(web);
		web_keeper_expire(web->keeper);
		web_queue_expire(web->queue);
		nanosleep(&pause, NULL);
	}
	return NULL;
}
