/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "../ingest/jread.h"
#include "../lib/ident.h"
#include "../lib/must.h"
#include "../lib/tm.h"
#include "../lib/version.h"
#include "curl.h"
#include "say.h"

#define CONNECT_S 10
#define ANSWER_MAX (64u << 20)
#define PAUSE_FIRST_MS 500
#define PAUSE_MOST_MS 30000

struct http {
	const struct curl *lib;
	CURL *curl;
	const char *url;
	struct curl_slist *headers; /* those of every request; the token is in one */
	const char *token, *ca_file;
	int timeout_s;
	int64_t patience_ms; /* left for pauses between tries */
};

/* The server's address: scheme, host, maybe a path; what else an address may have is a mistake here. */
static int check_url(const char *url, struct err *err)
{
	const char *host = !strncasecmp(url, "https://", 8) ? url + 8 : !strncasecmp(url, "http://", 7) ? url + 7 : "";
	size_t n = strcspn(host, "/?#");

	if (memchr(host, '@', n))
		return err_set(err, ERR_SETUP, "url: no user or password in it: use a token");
	if (strpbrk(host, "?#"))
		return err_set(err, ERR_SETUP, "url: no query in it: the server's address alone");
	if (!n || *host == ':')
		return err_set(err, ERR_SETUP, "url: an address is needed that begins with https:// or http://");
	for (const char *p = host; *p; p++)
		if (*p <= ' ' || *p >= 0x7f || strchr("\"<>\\^`{|}", *p))
			return err_set(err, ERR_SETUP, "url: an address is needed that begins with https:// or http://, without blanks");
	return 0;
}

struct http *http_new(struct arena *a, const struct options *o, struct err *err)
{
	struct http *h;

	if (check_url(o->url, err))
		return NULL;
	h = arena_zalloc(a, sizeof(*h));
	h->url = o->url;
	h->token = o->token;
	h->ca_file = o->ca_file;
	h->timeout_s = o->timeout_s;
	h->patience_ms = o->retry_for_s * 1000LL;
	h->lib = curl_open(err);
	if (!h->lib)
		return NULL;
	must(!h->lib->global_init(CURL_GLOBAL_DEFAULT));
	h->curl = h->lib->easy_init();
	must(h->curl);
	return h;
}

void http_free(struct http *h)
{
	if (h)
		h->lib->easy_cleanup(h->curl);
}

const char *http_quote(struct arena *a, const char *text)
{
	static const char digits[] = "0123456789ABCDEF";
	char *out = arena_alloc(a, strlen(text) * 3 + 1), *p = out;

	for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
		if ((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
		    strchr("-._~/*", *s)) {
			*p++ = (char)*s;
		} else {
			*p++ = '%';
			*p++ = digits[*s >> 4];
			*p++ = digits[*s & 15];
		}
	}
	*p = 0;
	return out;
}

/* ---- one try ---- */

static size_t on_body(char *p, size_t size, size_t n, void *arg)
{
	struct http_answer *answer = arg;

	if (answer->body.len + size * n > ANSWER_MAX)
		return 0;
	buf_add(&answer->body, p, size * n);
	return size * n;
}

static size_t on_header(char *p, size_t size, size_t n, void *arg)
{
	struct http_answer *answer = arg;
	char line[600];
	long seconds;
	time_t when;

	snprintf(line, sizeof(line), "%.*s", (int)(size * n), p);
	line[strcspn(line, "\r\n")] = 0;
	if (!strncasecmp(line, "Retry-After:", 12)) {
		char *end;

		seconds = strtol(line + 12, &end, 10);
		if (end != line + 12 && seconds >= 0 && seconds < 86400)
			answer->retry_after_s = (int)seconds;
		else if ((when = curl_open(&(struct err){ 0 })->getdate(line + 12, NULL)) > time(NULL))
			answer->retry_after_s = (int)(when - time(NULL));
	} else if (!strncasecmp(line, "Content-Type:", 13)) {
		snprintf(answer->type, sizeof(answer->type), "%s", line + 13 + strspn(line + 13, " \t"));
	} else if (!strncasecmp(line, "Location:", 9)) {
		snprintf(answer->location, sizeof(answer->location), "%s",
			 line + 9 + strspn(line + 9, " \t"));
	}
	return size * n;
}

static struct curl_slist *header(struct http *h, struct curl_slist *list, struct arena *a, const char *name,
				 const char *value)
{
	struct curl_slist *longer =
		value ? h->lib->slist_append(list, arena_printf(a, "%s%s", name, value)) : list;

	must(longer || !value);
	return longer;
}

/* Nothing but HTTP. The option with words is of 7.85 and replaces the one with bits. */
static void set_protocols(struct http *h)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	if (!h->lib->easy_setopt(h->curl, CURLOPT_PROTOCOLS_STR, "http,https"))
		return;
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	must(!h->lib->easy_setopt(h->curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS)));
#pragma GCC diagnostic pop
}

static struct curl_slist *set_request(struct http *h, struct arena *a, const struct http_request *rq,
				      struct http_answer *answer, char *text)
{
	struct curl_slist *headers = header(h, NULL, a, "Authorization: Bearer ", h->token);
	CURLcode (*set)(CURL *curl, CURLoption option, ...) = h->lib->easy_setopt;
	CURL *curl = h->curl;

	h->lib->easy_reset(curl);
	text[0] = 0;
	must(!set(curl, CURLOPT_URL, arena_printf(a, "%s%s", h->url, rq->target)));
	set_protocols(h);
	must(!set(curl, CURLOPT_FOLLOWLOCATION, 0L));
	must(!set(curl, CURLOPT_ERRORBUFFER, text));
	must(!set(curl, CURLOPT_NOSIGNAL, 1L));
	must(!set(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S));
	must(!set(curl, CURLOPT_TIMEOUT, (long)h->timeout_s + rq->patience_s));
	must(!set(curl, CURLOPT_USERAGENT, arena_printf(a, "nsecwatch/%s", version_text)));
	must(!set(curl, CURLOPT_ACCEPT_ENCODING, "gzip"));
	must(!set(curl, CURLOPT_WRITEFUNCTION, on_body));
	must(!set(curl, CURLOPT_WRITEDATA, answer));
	must(!set(curl, CURLOPT_HEADERFUNCTION, on_header));
	must(!set(curl, CURLOPT_HEADERDATA, answer));
	if (h->ca_file)
		must(!set(curl, CURLOPT_CAINFO, h->ca_file));
	if (rq->type) {
		must(!set(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)rq->len));
		must(!set(curl, CURLOPT_POSTFIELDS, rq->body));
		headers = header(h, headers, a, "Content-Type: ", rq->type);
		headers = header(h, headers, a, "Content-Encoding: ", rq->coding);
		headers = header(h, headers, a, "Expect:", ""); /* no wait for a 100 */
	}
	must(!set(curl, CURLOPT_HTTPHEADER, headers));
	return headers;
}

/* What comes by itself when one waits; the rest (a wrong certificate, a wrong file) does not. */
static bool is_passing(CURLcode rc)
{
	static const CURLcode passing[] = {
		CURLE_COULDNT_RESOLVE_PROXY,
		CURLE_COULDNT_RESOLVE_HOST,
		CURLE_COULDNT_CONNECT,
		CURLE_PARTIAL_FILE,
		CURLE_OPERATION_TIMEDOUT,
		CURLE_SEND_ERROR,
		CURLE_RECV_ERROR,
		CURLE_GOT_NOTHING,
		CURLE_HTTP2,
		CURLE_HTTP2_STREAM,
		CURLE_SSL_CONNECT_ERROR,
		CURLE_WEIRD_SERVER_REPLY,
	};

	for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++)
		if (passing[i] == rc)
			return true;
	return false;
}

/* The server's words for a refusal into err; its list of problems, too. */
static void read_error(struct arena *a, const struct http_answer *answer, struct err *err)
{
	struct jread_slice slice = { answer->body.p, answer->body.len, 1 };
	const struct jnode *error, *list;
	const char *message;
	struct problems *p;
	struct jnode *root;
	bool syntax;

	root = jread_parse(&slice, &syntax, &(struct err){ 0 });
	error = jread_get(root, "error");
	message = jread_str(jread_get(error, "message"));
	err_set(err, ERR_INVALID, message ? "HTTP %ld: %s" : "HTTP %ld", answer->status, message);
	list = jread_get(error, "problems");
	if (jread_len(list)) {
		p = problems_new(a);
		for (size_t i = 0; i < jread_len(list); i++) {
			const char *at = jread_str(jread_get(jread_at(list, i), "at"));

			message = jread_str(jread_get(jread_at(list, i), "message"));
			problems_add(p, at ? at : "", "%s", message ? message : "");
		}
		err->problems = p;
	}
	jread_free(root);
}

static enum http_meaning meaning(struct http *h, struct arena *a, const struct http_answer *answer,
				 struct err *err)
{
	long s = answer->status;

	if (s / 100 == 2)
		return HTTP_GOOD;
	read_error(a, answer, err);
	if (s / 100 == 3) {
		err_set(err, ERR_SETUP,
			"%s sends us elsewhere (HTTP %ld, %s): if that is right, set it as url", h->url, s,
			*answer->location ? answer->location : "nowhere");
		return HTTP_SETUP;
	}
	if (s == 408 || s == 429 || s / 100 == 5)
		return HTTP_AWAY;
	if (s == 401 || s == 403)
		err_prefix(err, h->token ? "the token is not enough"
					 : "a token is needed: NSECWATCH_TOKEN or token-file");
	return s == 401 || s == 403 || s == 404 || s == 405 ? HTTP_SETUP : HTTP_REFUSED;
}

static enum http_meaning try(struct http *h, struct arena *a, const struct http_request *rq,
			     struct http_answer *answer, struct err *err)
{
	char text[CURL_ERROR_SIZE];
	struct curl_slist *headers = set_request(h, a, rq, answer, text);
	CURLcode rc;

	buf_clear(&answer->body);
	answer->status = 0;
	answer->retry_after_s = -1;
	answer->location[0] = answer->type[0] = 0;
	rc = h->lib->easy_perform(h->curl);
	must(!h->lib->easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &answer->status));
	h->lib->slist_free_all(headers);
	if (!rc)
		return meaning(h, a, answer, err);
	err_set(err, ERR_UNAVAILABLE, "%s: %s", h->url, *text ? text : h->lib->easy_strerror(rc));
	return is_passing(rc) ? HTTP_AWAY : HTTP_SETUP;
}

/* ---- until the time is up ---- */

static void pause_ms(int64_t ms)
{
	struct timespec left = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

/* Doubled each time, capped, and anything from half of that to all: many clients must not come at once. */
static int64_t next_pause(int n, int retry_after_s)
{
	int64_t most = n < 6 ? (int64_t)PAUSE_FIRST_MS << n : PAUSE_MOST_MS;
	uint32_t r;

	random_bytes(&r, sizeof(r));
	most = most > PAUSE_MOST_MS ? PAUSE_MOST_MS : most;
	if (retry_after_s >= 0)
		return retry_after_s * 1000LL + r % PAUSE_FIRST_MS;
	return most / 2 + (int64_t)(r % (uint32_t)(most / 2 + 1));
}

enum http_meaning http_send(struct http *h, struct arena *a, const struct http_request *rq,
			    struct http_answer *answer, struct err *err)
{
	for (int n = 0;; n++) {
		enum http_meaning m = try(h, a, rq, answer, err);
		int64_t pause = next_pause(n, answer->retry_after_s);
		int64_t began = tm_monotonic_usec();

		if (m != HTTP_AWAY || pause > h->patience_ms)
			return m;
		say_progress("%s; again in %.1f s", err->message, (double)pause / 1000);
		pause_ms(pause);
		h->patience_ms -= (tm_monotonic_usec() - began) / 1000;
	}
}
