/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "deliver_http.h"

#include <nettle/hmac.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../lib/must.h"
#include "../lib/tm.h"
#include "../lib/version.h"

#define TIMEOUT_S 30
#define ANSWER_MAX 4096		/* of a webhook's answer: read and dropped; more ends the call */
#define AGAIN_MOST_S 3600	/* a Retry-After beyond is cut */
#define HEADER_MOST 1200

const char *deliver_http_sign(char out[DELIVER_HTTP_SIGNATURE], const char *secret, int64_t at, const char *body)
{
	struct hmac_sha256_ctx ctx;
	uint8_t digest[32];
	char time[32];
	int n = snprintf(time, sizeof(time), "%lld.", (long long)at);

	hmac_sha256_set_key(&ctx, strlen(secret), (const uint8_t *)secret);
	hmac_sha256_update(&ctx, (size_t)n, (const uint8_t *)time);
	hmac_sha256_update(&ctx, strlen(body), (const uint8_t *)body);
	hmac_sha256_digest(&ctx, sizeof(digest), digest);
	memcpy(out, "sha256=", 7);
	hex_format(digest, sizeof(digest), out + 7);
	return out;
}

static size_t drop_answer(char *p, size_t size, size_t n, void *arg)
{
	size_t *seen = arg;

	(void)p;
	*seen += size * n;
	return *seen > ANSWER_MAX ? 0 : size * n;
}

struct guarded {
	const struct deliver *d;
	char why[200];		/* "" until an address was refused */
};

static curl_socket_t open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct guarded *g = arg;
	const char *what = deliver_guard_refuses(&g->d->allow, &address->addr);

	(void)purpose;
	if (!what)
		return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
	snprintf(g->why, sizeof(g->why), "the webhook's host is %s, which --webhook-allow does not name", what);
	return CURL_SOCKET_BAD;
}

__attribute__((format(printf, 2, 3))) static void add_header(struct curl_slist **list, const char *fmt, ...)
{
	char line[HEADER_MOST + 64];
	struct curl_slist *longer;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	must(n > 0 && n < (int)sizeof(line) && !line[strcspn(line, "\r\n")]);
	longer = curl_slist_append(*list, line);
	must(longer);
	*list = longer;
}

static struct curl_slist *headers_of(const struct deliver_target *t, const struct deliver_http *post)
{
	char signature[DELIVER_HTTP_SIGNATURE];
	int64_t now = tm_now_usec() / 1000000;
	struct curl_slist *list = NULL;

	add_header(&list, "Content-Type: application/json");
	add_header(&list, "Idempotency-Key: %s", post->key);
	add_header(&list, "Expect:");
	if (t->kind == OUTBOX_MATRIX)
		add_header(&list, "Authorization: Bearer %s", t->secret);
	if (t->kind != OUTBOX_WEBHOOK)
		return list;
	add_header(&list, "X-Nsecwatch-Event: %s", post->event);
	add_header(&list, "X-Nsecwatch-Timestamp: %lld", (long long)now);
	if (t->secret)
		add_header(&list, "X-Nsecwatch-Signature-256: %s", deliver_http_sign(signature, t->secret, now, post->body));
	return list;
}

/* Of matrix an event has the transaction's id as the last part of its address: sent twice, it is there once. */
static void url_of(struct buf *out, const struct deliver_target *t, const char *key)
{
	size_t n = strlen(t->url);

	buf_puts(out, t->url);
	if (t->kind == OUTBOX_MATRIX)
		buf_printf(out, "%s%s", n && t->url[n - 1] == '/' ? "" : "/", key);
}

static int judge(struct deliver_call *call, CURLcode rc, const struct guarded *g, struct deliver_fate *fate,
		 struct err *err)
{
	curl_off_t again_s = 0;
	long status = 0;

	must(!curl_easy_getinfo(call->curl, CURLINFO_RESPONSE_CODE, &status));
	/* a 2xx whose long body was cut off has said yes all the same */
	if (status / 100 == 2 && (!rc || rc == CURLE_WRITE_ERROR))
		return 0;
	if (rc && rc != CURLE_WRITE_ERROR && *g->why)
		return err_set(err, ERR_UNAVAILABLE, "%s", g->why);
	if (rc && rc != CURLE_WRITE_ERROR)
		return deliver_failed(call, rc, fate, err);
	if ((status == 429 || status == 503) && !curl_easy_getinfo(call->curl, CURLINFO_RETRY_AFTER, &again_s) && again_s > 0)
		fate->again_ms = 1000 * (int64_t)(again_s < AGAIN_MOST_S ? again_s : AGAIN_MOST_S);
	if (status / 100 == 3)
		return err_set(err, ERR_UNAVAILABLE, "the webhook answered HTTP %ld: redirects are not followed", status);
	return err_set(err, ERR_UNAVAILABLE, "the webhook answered HTTP %ld", status);
}

int deliver_http(const struct deliver *d, const struct deliver_target *t, const struct deliver_http *post,
		 struct deliver_fate *fate, struct err *err)
{
	struct curl_slist *headers = headers_of(t, post);
	struct guarded guarded = { .d = d };
	struct deliver_call call;
	char agent[128];
	size_t seen = 0;
	struct buf url;
	int ret;

	*fate = (struct deliver_fate){ 0 };
	buf_init(&url);
	url_of(&url, t, post->key);
	snprintf(agent, sizeof(agent), "nsecwatch/%s", version_text);
	deliver_begin(&call, d, url.p, "http,https", TIMEOUT_S);
	must(!curl_easy_setopt(call.curl, CURLOPT_PROXY, ""));	/* the guard must see the address itself */
	must(!curl_easy_setopt(call.curl, CURLOPT_OPENSOCKETFUNCTION, open_socket));
	must(!curl_easy_setopt(call.curl, CURLOPT_OPENSOCKETDATA, &guarded));
	must(!curl_easy_setopt(call.curl, CURLOPT_HTTPHEADER, headers));
	must(!curl_easy_setopt(call.curl, CURLOPT_USERAGENT, agent));
	must(!curl_easy_setopt(call.curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(post->body)));
	must(!curl_easy_setopt(call.curl, CURLOPT_POSTFIELDS, post->body));
	if (t->kind == OUTBOX_MATRIX)
		must(!curl_easy_setopt(call.curl, CURLOPT_CUSTOMREQUEST, "PUT"));
	must(!curl_easy_setopt(call.curl, CURLOPT_WRITEFUNCTION, drop_answer));
	must(!curl_easy_setopt(call.curl, CURLOPT_WRITEDATA, &seen));
	ret = judge(&call, deliver_perform(&call), &guarded, fate, err);
	deliver_end(&call);
	curl_slist_free_all(headers);
	buf_fini(&url);
	return ret;
}
