/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connections and their deadlines. libmicrohttpd knows only inactivity: a client that sends
 * a byte a second holds a connection for ever. The reaper ends those whose request takes
 * too long to arrive (with 408 where a request line was read) or whose answer nobody reads.
 * At its own limit libmicrohttpd leaves clients in the backlog, without a word; so ours is
 * lower, and those between the two are told 503.
 */
#ifndef SERVER_WEB_CONN_H
#define SERVER_WEB_CONN_H

#include "web_call.h"

#define WEB_CONN_SPARE 256	/* connections over the limit that are taken to be told 503 */
#define WEB_CONN_OVER "the server has as many connections as it may have"

/* MHD_OPTION_NOTIFY_CONNECTION; cls: struct web. */
void web_conn_notify(void *cls, struct MHD_Connection *connection, void **socket_context,
		     enum MHD_ConnectionNotificationCode code);
struct conn *web_conn_of(struct MHD_Connection *connection);

/* request_id NULL: as before. A connection that was cut stays cut. */
void web_conn_phase(struct conn *conn, enum conn_phase phase, const char *request_id);
bool web_conn_alive(struct conn *conn);		/* not cut; and notes a sign of life */
/* Bytes past libmicrohttpd, the last this connection sends; only while a request comes in. */
void web_conn_send_last(struct conn *conn, const struct buf *out);

/* Whether an answer is being made or sent; with `arriving`, or a request is coming in. */
bool web_conn_busy(struct web *web, bool arriving);

void *web_conn_reap(void *web);			/* a thread's body; ends when web->stopping */

#endif
