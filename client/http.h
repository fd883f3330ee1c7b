/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests to the server. The token goes to the one server it is for and nowhere else:
 * redirects are not followed but told. TLS certificates are verified.
 */
#ifndef CLIENT_HTTP_H
#define CLIENT_HTTP_H

#include "../lib/arena.h"
#include "../lib/buf.h"
#include "../lib/err.h"
#include "options.h"

struct http;

struct http_request {
	const char *target;	/* "/api/v1/runs?dry_run=1" */
	const char *type;	/* of the body; NULL: a GET */
	const char *coding;	/* "gzip", or NULL */
	const char *body;
	size_t len;
	int patience_s;		/* how much longer than usual the answer may take: a long poll */
};

struct http_answer {
	long status;
	struct buf body;	/* the caller's: buf_init() before, buf_fini() after */
	int retry_after_s;	/* -1: not said */
	char type[128];		/* Content-Type, or "" */
	char location[512];	/* of a redirect, or "" */
};

/* What an answer, or that there is none, means for who asked. */
enum http_meaning {
	HTTP_GOOD,		/* 2xx */
	HTTP_REFUSED,		/* what was sent is wrong; sending it again is in vain */
	HTTP_AWAY,		/* no answer, 429, 5xx: later */
	HTTP_SETUP,		/* wrong address, token or certificate: somebody has to act */
};

struct http *http_new(struct arena *a, const struct options *o, struct err *err);	/* NULL: err */
void http_free(struct http *h);								/* accepts NULL */

/*
 * Sends, and while the server is away again and again, until the time for that
 * (--retry-for, shared by all requests of h) is up. For anything but HTTP_GOOD err says
 * why, with the server's own words and problems (in the arena).
 */
enum http_meaning http_send(struct http *h, struct arena *a, const struct http_request *rq,
			    struct http_answer *answer, struct err *err);

/* text percent-encoded, for a query; in the arena. */
const char *http_quote(struct arena *a, const char *text);

#endif
