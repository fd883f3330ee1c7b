/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "web_session.h"

#include <string.h>
#include <strings.h>

#include "../lib/tm.h"
#include "web_call.h"

#define PLAIN "nsecwatch"
#define SECURE "__Host-nsecwatch"	/* RFC 6265bis section 4.1.3.2: no other host can set it */

const char *web_session_cookie(bool secure)
{
	return secure ? SECURE : PLAIN;
}

/* ---- where it was made ---- */

struct place {
	const char *scheme;		/* "http", "https" */
	const char *authority;		/* host, or host:port where the port is not the scheme's own */
	size_t n;
};

/* Of an origin or of the start of a URL. */
static bool read_place(const char *url, struct place *p)
{
	bool https = !strncasecmp(url, "https://", 8);
	const char *standard = https ? ":443" : ":80";
	size_t own = strlen(standard);

	if (!https && strncasecmp(url, "http://", 7))
		return false;
	p->scheme = https ? "https" : "http";
	p->authority = url + strlen(p->scheme) + 3;
	p->n = strcspn(p->authority, "/?#");
	if (p->n > own && !strncmp(p->authority + p->n - own, standard, own))
		p->n -= own;
	return p->n > 0;
}

static bool same_authority(const struct place *p, const char *host, size_t n)
{
	return p->n == n && !strncasecmp(p->authority, host, n);
}

static bool is_ours(const struct web_origin *o)
{
	struct place origin, ours;
	size_t n = o->host ? strlen(o->host) : 0;
	const char *standard;

	if (!read_place(o->origin, &origin))
		return false;
	if (o->public_url && read_place(o->public_url, &ours) && !strcmp(origin.scheme, ours.scheme) &&
	    same_authority(&origin, ours.authority, ours.n))
		return true;
	if (o->https && strcmp(origin.scheme, "https"))		/* a page that anybody on the way could write */
		return false;
	standard = !strcmp(origin.scheme, "https") ? ":443" : ":80";
	if (n > strlen(standard) && !strcmp(o->host + n - strlen(standard), standard))
		n -= strlen(standard);
	return n && same_authority(&origin, o->host, n);
}

int web_session_origin(const struct web_origin *o, bool needed, struct err *err)
{
	if (o->fetch_site && strcmp(o->fetch_site, "same-origin"))
		return err_set(err, ERR_FORBIDDEN, "the browser says that another site sent this (Sec-Fetch-Site: %.40s)", o->fetch_site);
	if (o->origin && !is_ours(o))
		return err_set(err, ERR_FORBIDDEN, "the browser says that a page of %.200s sent this, which is not this server%s", o->origin,
			       o->public_url ? "" : "; behind a proxy that changes Host, --public-url says what is");
	if (!o->origin && !o->fetch_site && needed)
		return err_set(err, ERR_FORBIDDEN, "nothing says from where this was sent (Origin): a program sends a token, Authorization: Bearer");
	return 0;
}

int web_session_proof(const struct req *rq, const char *sent, struct err *err)
{
	if (rq->way == AUTH_PROXY)
		return err_set(err, ERR_FORBIDDEN, "sign in first: POST {} to /api/v1/session, as the pages do");
	if (rq->csrf && sent && auth_same(rq->csrf, sent))
		return 0;
	return err_set(err, ERR_FORBIDDEN, "what is done as %.100s has to come from a page of this server: its proof (X-CSRF-Token) is %s",
		       rq->token.name ? rq->token.name : "nobody", sent ? "another" : "not there");
}

/* ---- the cookie ---- */

static void set_cookie(struct req *rq, const char *secret, int64_t seconds)
{
	rq->set_cookie = arena_printf(rq->arena, "%s=%s; Path=/; HttpOnly; SameSite=Lax%s%s", web_session_cookie(rq->secure), secret,
				      rq->secure ? "; Secure" : "",
				      seconds < 0 ? "" : arena_printf(rq->arena, "; Max-Age=%lld", (long long)seconds));
}

void web_session_begin(struct req *rq, const char *secret, int64_t ends_at)
{
	set_cookie(rq, secret, ends_at == TM_NONE ? -1 : (ends_at - tm_now_usec()) / 1000000);
}

void web_session_end(struct req *rq)
{
	if (rq->secret)
		auth_forget_session(rq->server->web->auth, rq->secret);
	set_cookie(rq, "", 0);
}

void web_session_forget_token(struct req *rq, int64_t token_id)
{
	auth_forget_token(rq->server->web->auth, token_id);
}
