/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers as libmicrohttpd wants them: bodies that many answers may share (the cache
 * keeps some), their gzip form and ETags, the error shape, and the headers that every
 * answer has.
 */
#ifndef SERVER_REPLY_H
#define SERVER_REPLY_H

#include <microhttpd.h>

#include "../lib/buf.h"
#include "web.h"
#include "web_shared.h"

/* Bytes of one answer; counted references, constant once made, but for a gzip form that is made when first wanted. */
struct reply_body;

/*
 * Takes the bytes out of `out` (which is empty after). With `compress`, text of some size
 * goes out in gzip form, too, to who takes it. `weak_etag`: instead of one made of the content; NULL.
 */
struct reply_body *reply_body_new(struct buf *out, const char *type, bool compress, const char *weak_etag);
/* The same with a text (its reference is taken over) between the first `at` of those bytes and the rest; NULL: none. */
struct reply_body *reply_body_around(struct buf *out, struct web_shared *shared, size_t at, const char *type, bool compress,
				     const char *weak_etag);
struct reply_body *reply_body_of_file(const struct embed_file *file, const char *type);	/* borrows the bytes */
struct reply_body *reply_body_ref(struct reply_body *b);
void reply_body_unref(struct reply_body *b);		/* accepts NULL */
size_t reply_body_size(struct reply_body *b);		/* memory, for the cache's budget, without the text in it */
struct web_shared *reply_body_shared(struct reply_body *b);	/* that text, or NULL */

/* What goes into the headers of one answer. */
struct reply {
	unsigned status;
	bool gzip;			/* the client takes it */
	const char *if_none_match;	/* or NULL; only for GET and HEAD */
	bool etag;			/* send one; and answer 304 */
	const char *request_id;
	const char *location, *disposition, *allow, *timing, *set_cookie;	/* or NULL */
	bool personal;			/* for whoever asks alone: no cache that many share may keep it */
	bool challenge;			/* ask for a token: WWW-Authenticate */
	int retry_after_s;		/* 0: none */
	bool tls;			/* it goes out over TLS: browsers shall use nothing else for this host */
	bool close;			/* end the connection */
};

/* A response (the caller's reference) and in r->status what to queue it with: 304 where the client has it. */
struct MHD_Response *reply_make(struct reply_body *b, struct reply *r, size_t *sent);

/* The same as bytes for a socket, for what cannot go through libmicrohttpd: an answer in mid-upload. */
void reply_raw(struct buf *out, struct reply_body *b, const struct reply *r);

unsigned reply_status(enum err_kind kind);
/* {"error":{...}} of an error. */
void reply_error(struct buf *out, const char *code, const struct err *err);

#endif
