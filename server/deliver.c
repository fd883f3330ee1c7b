/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "deliver.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../lib/mime.h"
#include "../lib/must.h"
#include "../lib/version.h"

#define CONNECT_TIMEOUT_S 10
#define ANSWER_MAX 4096		/* of a webhook's answer: read and dropped; more ends the call */

static int check_url(const char *option, const char *url, const char *const *schemes, struct err *err)
{
	char *scheme = NULL, *host = NULL;
	CURLU *u = curl_url();
	bool good = false;

	must(u);
	if (!curl_url_set(u, CURLUPART_URL, url, 0) && !curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) &&
	    !curl_url_get(u, CURLUPART_HOST, &host, 0))
		for (size_t i = 0; schemes[i]; i++)
			good |= !strcmp(scheme, schemes[i]);
	curl_free(scheme);
	curl_free(host);
	curl_url_cleanup(u);
	if (good)
		return 0;
	/* the URL itself may hold a secret: it is not repeated */
	return err_set(err, ERR_SETUP, "--%s is no URL that begins with %s:// or %s://", option, schemes[0], schemes[1]);
}

int deliver_check(const struct deliver *d, struct err *err)
{
	static const char *const http[] = { "https", "http", NULL }, *const smtp[] = { "smtp", "smtps", NULL };

	if (d->webhook_url && check_url("webhook-url", d->webhook_url, http, err))
		return -1;
	if (d->smtp_url && check_url("smtp-url", d->smtp_url, smtp, err))
		return -1;
	if (d->smtp_url && (!d->mail_from || !mime_is_address(d->mail_from)))
		return err_set(err, ERR_SETUP, "--mail-from: one plain address is needed, as watch@lab.example");
	if (d->smtp_url && (!d->mail_to || !mime_is_address(d->mail_to)))
		return err_set(err, ERR_SETUP, "--mail-to: one plain address is needed, as mm-list@lab.example");
	if (d->smtp_password && !d->smtp_user)
		return err_set(err, ERR_SETUP, "a password for the mail server, but no --smtp-user");
	return 0;
}

static int watch_stop(void *arg, curl_off_t dltotal, curl_off_t dlnow, curl_off_t ultotal, curl_off_t ulnow)
{
	const struct deliver *d = arg;

	(void)dltotal, (void)dlnow, (void)ultotal, (void)ulnow;
	return d->stop && d->stop(d->stop_arg);
}

static size_t drop_answer(char *p, size_t size, size_t n, void *arg)
{
	size_t *seen = arg;

	(void)p;
	*seen += size * n;
	return *seen > ANSWER_MAX ? 0 : size * n;
}

static void set_common(CURL *curl, const struct deliver *d, const char *url, const char *protocols, long timeout_s,
		       char *text)
{
	text[0] = 0;
	must(!curl_easy_setopt(curl, CURLOPT_URL, url));
	must(!curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, protocols));
	must(!curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, text));
	must(!curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L));
	must(!curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_TIMEOUT_S));
	must(!curl_easy_setopt(curl, CURLOPT_TIMEOUT, timeout_s));
	must(!curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L));
	must(!curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, watch_stop));
	must(!curl_easy_setopt(curl, CURLOPT_XFERINFODATA, d));
}

static int failed(CURLcode rc, const char *text, struct err *err)
{
	if (rc == CURLE_ABORTED_BY_CALLBACK)
		return err_set(err, ERR_UNAVAILABLE, "ended because the program stops");
	return err_set(err, ERR_UNAVAILABLE, "%s", *text ? text : curl_easy_strerror(rc));
}

static struct curl_slist *header(struct curl_slist *list, const char *line)
{
	struct curl_slist *longer = curl_slist_append(list, line);

	must(longer);
	return longer;
}

int deliver_webhook(const struct deliver *d, const char *idempotency_key, const char *json, struct err *err)
{
	char text[CURL_ERROR_SIZE], key[256], agent[128];
	struct curl_slist *headers = NULL;
	CURL *curl = curl_easy_init();
	long status = 0;
	size_t seen = 0;
	CURLcode rc;
	int ret = 0;

	must(curl);
	snprintf(key, sizeof(key), "Idempotency-Key: %s", idempotency_key);
	snprintf(agent, sizeof(agent), "nsecwatch/%s", version_text);
	headers = header(headers, "Content-Type: application/json");
	headers = header(headers, key);
	headers = header(headers, "Expect:");
	set_common(curl, d, d->webhook_url, "http,https", DELIVER_WEBHOOK_S, text);
	must(!curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers));
	must(!curl_easy_setopt(curl, CURLOPT_USERAGENT, agent));
	must(!curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(json)));
	must(!curl_easy_setopt(curl, CURLOPT_POSTFIELDS, json));
	must(!curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop_answer));
	must(!curl_easy_setopt(curl, CURLOPT_WRITEDATA, &seen));
	rc = curl_easy_perform(curl);
	must(!curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status));
	/* a 2xx whose long body was cut off has said yes all the same */
	if (rc && !(rc == CURLE_WRITE_ERROR && status / 100 == 2))
		ret = failed(rc, text, err);
	else if (status / 100 != 2)
		ret = err_set(err, ERR_UNAVAILABLE, "the webhook answered HTTP %ld", status);
	curl_slist_free_all(headers);
	curl_easy_cleanup(curl);
	return ret;
}

void deliver_message(struct buf *out, const struct deliver *d, const struct deliver_mail *mail)
{
	mime_date_header(out, mail->date);
	buf_printf(out, "From: nsecwatch <%s>\r\nTo: <%s>\r\n", d->mail_from, d->mail_to);
	mime_text_header(out, "Subject", mail->subject);
	buf_printf(out, "Message-ID: <%s@%s>\r\n", mail->message_id, strrchr(d->mail_from, '@') + 1);
	buf_puts(out, "Auto-Submitted: auto-generated\r\n");
	mime_text_body(out, mail->body);
}

struct reader {
	const struct buf *from;
	size_t at;
};

static size_t read_message(char *p, size_t size, size_t n, void *arg)
{
	struct reader *r = arg;
	size_t left = r->from->len - r->at, take = size * n < left ? size * n : left;

	memcpy(p, r->from->p + r->at, take);
	r->at += take;
	return take;
}

int deliver_mail(const struct deliver *d, const struct deliver_mail *mail, struct err *err)
{
	char text[CURL_ERROR_SIZE], from[300], to[300];
	struct curl_slist *recipients = NULL;
	CURL *curl = curl_easy_init();
	struct reader reader;
	struct buf message;
	CURLcode rc;

	must(curl);
	buf_init(&message);
	deliver_message(&message, d, mail);
	reader = (struct reader){ .from = &message };
	snprintf(from, sizeof(from), "<%s>", d->mail_from);
	snprintf(to, sizeof(to), "<%s>", d->mail_to);
	recipients = header(NULL, to);
	set_common(curl, d, d->smtp_url, "smtp,smtps", DELIVER_MAIL_S, text);
	must(!curl_easy_setopt(curl, CURLOPT_MAIL_FROM, from));
	must(!curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, recipients));
	must(!curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L));
	must(!curl_easy_setopt(curl, CURLOPT_READFUNCTION, read_message));
	must(!curl_easy_setopt(curl, CURLOPT_READDATA, &reader));
	if (!d->smtp_user && !strncasecmp(d->smtp_url, "smtp://", 7)) {
		/*
		 * As between mail servers: encrypted where offered, and a certificate nobody signed
		 * (the local relay's, as installed) is better than none.
		 */
		must(!curl_easy_setopt(curl, CURLOPT_USE_SSL, (long)CURLUSESSL_TRY));
		must(!curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L));
		must(!curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L));
	} else {	/* a password never goes out in the clear, nor to somebody else */
		must(!curl_easy_setopt(curl, CURLOPT_USE_SSL, (long)CURLUSESSL_ALL));
	}
	if (d->smtp_user) {
		must(!curl_easy_setopt(curl, CURLOPT_USERNAME, d->smtp_user));
		must(!curl_easy_setopt(curl, CURLOPT_PASSWORD, d->smtp_password ? d->smtp_password : ""));
	}
	rc = curl_easy_perform(curl);
	curl_slist_free_all(recipients);
	curl_easy_cleanup(curl);
	buf_fini(&message);
	return rc ? failed(rc, text, err) : 0;
}
