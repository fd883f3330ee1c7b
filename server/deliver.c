/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "deliver.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "../lib/mime.h"
#include "../lib/must.h"
#include "../lib/tm.h"

#define CONNECT_S 10
#define ANSWER_S 30		/* until the whole message is out */
#define TAKEN_S 600		/* from then to its 250 (RFC 5321, 4.5.3.2.6): giving up before would send it twice */

static int check_smtp(const struct deliver *d, struct err *err)
{
	char *scheme = NULL, *host = NULL;
	CURLU *u = curl_url();
	bool good;

	must(u);
	good = !curl_url_set(u, CURLUPART_URL, d->smtp_url, CURLU_NON_SUPPORT_SCHEME) &&
	       !curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) && !curl_url_get(u, CURLUPART_HOST, &host, 0) && *host &&
	       (!strcmp(scheme, "smtp") || !strcmp(scheme, "smtps"));
	curl_free(scheme);
	curl_free(host);
	curl_url_cleanup(u);
	if (!good)	/* it may hold a password: it is not repeated */
		return err_set(err, ERR_SETUP, "--smtp-url is no URL that begins with smtp:// or smtps://");
	if (!d->mail_from || !mime_is_address(d->mail_from))
		return err_set(err, ERR_SETUP, "--mail-from: one plain address is needed, as watch@lab.example");
	if (d->smtp_password && !d->smtp_user)
		return err_set(err, ERR_SETUP, "a password for the mail server, but no --smtp-user");
	return 0;
}

/* It may go into a header. */
static bool is_plain(const char *secret)
{
	for (const char *p = secret; *p; p++)
		if (*p < ' ' || *p >= 0x7f)
			return false;
	return strlen(secret) < CONF_SECRET;
}

/* A webhook that is written as an address can be judged now; names are when they are connected to. */
static int check_target(const struct deliver *d, const struct deliver_target *t, const char *file, struct err *err)
{
	char *host = NULL;
	const char *what;
	CURLU *u = curl_url();

	if (t->kind == OUTBOX_MATRIX && !is_plain(t->secret))
		return err_set(err, ERR_SETUP, "the access token of %s is no line of plain ASCII", t->name);
	must(u && !curl_url_set(u, CURLUPART_URL, t->url, 0) && !curl_url_get(u, CURLUPART_HOST, &host, 0));
	what = deliver_guard_refuses_host(&d->allow, host);
	if (what && t->line)
		err_set(err, ERR_SETUP, "%s: line %d: %s is %s: --webhook-allow would allow it", file, t->line, host, what);
	else if (what)
		err_set(err, ERR_SETUP, "--webhook-url: %s is %s: --webhook-allow would allow it", host, what);
	curl_free(host);
	curl_url_cleanup(u);
	return what ? -1 : 0;
}

static const char *given(const char *s)
{
	return s && *s ? s : NULL;
}

int deliver_init(struct deliver *d, struct arena *a, const struct conf *conf, const struct deliver_map *map,
		 struct err *err)
{
	*d = (struct deliver){
		.smtp_url = map->able.mail ? conf->smtp_url : NULL,
		.smtp_user = given(conf->smtp_user),
		.smtp_password = conf->smtp_password,
		.mail_from = conf->mail_from,
		.ca_file = given(conf->ca_file),
	};
	if (given(conf->webhook_allow) && net_parse_list(a, conf->webhook_allow, &d->allow, err))
		return err_prefix(err, "--webhook-allow");
	if (d->smtp_url && check_smtp(d, err))
		return -1;
	if (d->ca_file && access(d->ca_file, R_OK))
		return err_set(err, ERR_SETUP, "--ca-file %s: %s", d->ca_file, strerror(errno));
	for (size_t i = 0; i < map->n_targets; i++)
		if (map->targets[i]->url && check_target(d, map->targets[i], conf->maintainers, err))
			return -1;
	return 0;
}

/* libcurl asks this about once a second, or more often. */
static int watch_progress(void *arg, curl_off_t dltotal, curl_off_t dlnow, curl_off_t ultotal, curl_off_t ulnow)
{
	struct deliver_call *call = arg;

	(void)dltotal, (void)dlnow, (void)ultotal, (void)ulnow;
	call->late = tm_monotonic_usec() > call->deadline;
	return call->late || (call->d->stop && call->d->stop(call->d->stop_arg));
}

void deliver_begin(struct deliver_call *call, const struct deliver *d, const char *url, const char *protocols,
		   int timeout_s)
{
	CURL *curl = curl_easy_init();

	must(curl);
	*call = (struct deliver_call){ .d = d, .curl = curl,
				       .deadline = tm_monotonic_usec() + timeout_s * INT64_C(1000000) };
	must(!curl_easy_setopt(curl, CURLOPT_URL, url));
	must(!curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, protocols));
	must(!curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L));
	must(!curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, call->text));
	must(!curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L));
	must(!curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S));
	must(!curl_easy_setopt(curl, CURLOPT_SERVER_RESPONSE_TIMEOUT, (long)TAKEN_S));
	must(!curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L));
	must(!curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, watch_progress));
	must(!curl_easy_setopt(curl, CURLOPT_XFERINFODATA, call));
	if (d->ca_file)
		must(!curl_easy_setopt(curl, CURLOPT_CAINFO, d->ca_file));
}

CURLcode deliver_perform(struct deliver_call *call)
{
	return curl_easy_perform(call->curl);
}

int deliver_failed(const struct deliver_call *call, CURLcode rc, struct deliver_fate *fate, struct err *err)
{
	fate->down = call->late || rc == CURLE_COULDNT_CONNECT || rc == CURLE_COULDNT_RESOLVE_HOST ||
		     rc == CURLE_OPERATION_TIMEDOUT || rc == CURLE_SSL_CONNECT_ERROR || rc == CURLE_PEER_FAILED_VERIFICATION ||
		     rc == CURLE_LOGIN_DENIED || rc == CURLE_USE_SSL_FAILED;
	if (rc == CURLE_ABORTED_BY_CALLBACK)
		return err_set(err, ERR_UNAVAILABLE, call->late ? "no answer in time" : "ended because the program stops");
	return err_set(err, ERR_UNAVAILABLE, "%s", *call->text ? call->text : curl_easy_strerror(rc));
}

void deliver_end(struct deliver_call *call)
{
	curl_socket_t s = CURL_SOCKET_BAD;

	/* QUIT goes out, but nobody waits for its answer: what counted has been said */
	if (!curl_easy_getinfo(call->curl, CURLINFO_ACTIVESOCKET, &s) && s != CURL_SOCKET_BAD)
		(void)shutdown(s, SHUT_RD);
	curl_easy_cleanup(call->curl);
}

void deliver_message(struct buf *out, const struct deliver *d, const struct deliver_mail *mail)
{
	const char *domain = strrchr(d->mail_from, '@') + 1;

	mime_date_header(out, mail->date);
	buf_printf(out, "From: nsecwatch <%s>\r\nTo: <%s>\r\n", d->mail_from, mail->to);
	mime_text_header(out, "Subject", mail->subject);
	buf_printf(out, "Message-ID: <%s@%s>\r\n", mail->message_id, domain);
	if (mail->thread_id)
		buf_printf(out, "In-Reply-To: <%s@%s>\r\nReferences: <%s@%s>\r\n", mail->thread_id, domain, mail->thread_id,
			   domain);
	buf_puts(out, "Auto-Submitted: auto-generated\r\n");
	mime_text_body(out, mail->body);
}

struct reader {
	const struct buf *from;
	size_t at;
	struct deliver_call *call;
};

static size_t read_message(char *p, size_t size, size_t n, void *arg)
{
	struct reader *r = arg;
	size_t left = r->from->len - r->at, take = size * n < left ? size * n : left;

	memcpy(p, r->from->p + r->at, take);
	r->at += take;
	if (r->at == r->from->len)	/* from now on the server may have it */
		r->call->deadline = tm_monotonic_usec() + TAKEN_S * INT64_C(1000000);
	return take;
}

static void set_security(const struct deliver *d, CURL *curl)
{
	if (!d->smtp_user && !strncasecmp(d->smtp_url, "smtp://", 7)) {
		/*
		 * As between mail servers: encrypted where offered, and a certificate nobody signed
		 * (the local relay's, as installed) is better than none.
		 */
		must(!curl_easy_setopt(curl, CURLOPT_USE_SSL, (long)CURLUSESSL_TRY));
		must(!curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, d->ca_file ? 1L : 0L));
		must(!curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, d->ca_file ? 2L : 0L));
	} else {	/* a password never goes out in the clear, nor to somebody else */
		must(!curl_easy_setopt(curl, CURLOPT_USE_SSL, (long)CURLUSESSL_ALL));
	}
	if (d->smtp_user) {
		must(!curl_easy_setopt(curl, CURLOPT_USERNAME, d->smtp_user));
		must(!curl_easy_setopt(curl, CURLOPT_PASSWORD, d->smtp_password ? d->smtp_password : ""));
	}
}

int deliver_mail(const struct deliver *d, const struct deliver_mail *mail, struct deliver_fate *fate, struct err *err)
{
	struct curl_slist *recipients;
	struct deliver_call call;
	char from[300], to[300];
	struct reader reader;
	struct buf message;
	CURLcode rc;
	int ret;

	*fate = (struct deliver_fate){ 0 };
	if (!mime_is_address(mail->to))
		return err_set(err, ERR_BUG, "\"%.100s\" is no plain mail address", mail->to);
	buf_init(&message);
	deliver_message(&message, d, mail);
	reader = (struct reader){ .from = &message, .call = &call };
	snprintf(from, sizeof(from), "<%s>", d->mail_from);
	snprintf(to, sizeof(to), "<%s>", mail->to);
	recipients = curl_slist_append(NULL, to);
	must(recipients);
	deliver_begin(&call, d, d->smtp_url, "smtp,smtps", ANSWER_S);
	must(!curl_easy_setopt(call.curl, CURLOPT_MAIL_FROM, from));
	must(!curl_easy_setopt(call.curl, CURLOPT_MAIL_RCPT, recipients));
	must(!curl_easy_setopt(call.curl, CURLOPT_UPLOAD, 1L));
	must(!curl_easy_setopt(call.curl, CURLOPT_READFUNCTION, read_message));
	must(!curl_easy_setopt(call.curl, CURLOPT_READDATA, &reader));
	set_security(d, call.curl);
	rc = deliver_perform(&call);
	ret = rc ? deliver_failed(&call, rc, fate, err) : 0;
	deliver_end(&call);
	curl_slist_free_all(recipients);
	buf_fini(&message);
	return ret;
}
