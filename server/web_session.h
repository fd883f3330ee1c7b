/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cookie of a browser that is signed in, and the proof that what it sends comes from a page of ours: the browser
 * says from where (Origin, Sec-Fetch-Site), and the page says what only it could read (X-CSRF-Token).
 */
#ifndef SERVER_WEB_SESSION_H
#define SERVER_WEB_SESSION_H

#include "web.h"

/* What a request says of where it was made. Each may be NULL. */
struct web_origin {
	const char *origin, *fetch_site, *host;
	const char *public_url;		/* --public-url */
	bool https;
};

/*
 * 0: it was made by a page of this server. ERR_FORBIDDEN else; also where the browser does not say, if `needed`:
 * a program does not, and has no need to.
 */
int web_session_origin(const struct web_origin *o, bool needed, struct err *err);
/* The proof of the session that the request is of; sent NULL: none. */
int web_session_proof(const struct req *rq, const char *sent, struct err *err);

/* The name of the cookie; with `secure` one that browsers take over HTTPS only, for this host alone. */
const char *web_session_cookie(bool secure);

/* For handlers: the answer sets the cookie (ends_at TM_NONE: for as long as the browser runs), or takes it away. */
void web_session_begin(struct req *rq, const char *secret, int64_t ends_at);
void web_session_end(struct req *rq);
/* A token was revoked: this process does not know it any more. */
void web_session_forget_token(struct req *rq, int64_t token_id);

#endif
