/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "deliver.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "../lib/must.h"
#include "../lib/version.h"

#define CONNECT_TIMEOUT_S 10
#define ANSWER_MAX 4096		/* of a webhook's answer: read and dropped; more ends the call */

/* local@domain in ASCII, nothing that could end a header or an SMTP command. */
static bool is_address(const char *s)
{
	const char *at = strrchr(s, '@');

	if (!at || at == s || !at[1] || strlen(s) > 254)
		return false;
	for (const char *p = s; *p; p++)
		if (*p <= ' ' || *p >= 0x7f || strchr("<>,;:\\\"()[]", *p))
			return false;
	return true;
}

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
	if (d->smtp_url && (!d->mail_from || !is_address(d->mail_from)))
		return err_set(err, ERR_SETUP, "--mail-from: one plain address is needed, as watch@lab.example");
	if (d->smtp_url && (!d->mail_to || !is_address(d->mail_to)))
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

static bool is_ascii(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s >= 0x7f || ((unsigned char)*s < ' ' && *s != '\n'))
			return false;
	return true;
}

/* Bytes of the UTF-8 character at s. */
static size_t char_bytes(const char *s)
{
	size_t n = 1;

	while (((unsigned char)s[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* An encoded word (RFC 2047) of n bytes. */
static void encoded_word(struct buf *out, const char *s, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	buf_puts(out, "=?UTF-8?B?");
	for (size_t i = 0; i < n; i += 3) {
		unsigned v = (unsigned)(unsigned char)s[i] << 16;

		v |= i + 1 < n ? (unsigned)(unsigned char)s[i + 1] << 8 : 0;
		v |= i + 2 < n ? (unsigned)(unsigned char)s[i + 2] : 0;
		buf_putc(out, digits[v >> 18 & 63]);
		buf_putc(out, digits[v >> 12 & 63]);
		buf_putc(out, i + 1 < n ? digits[v >> 6 & 63] : '=');
		buf_putc(out, i + 2 < n ? digits[v & 63] : '=');
	}
	buf_puts(out, "?=");
}

/*
 * Unstructured header text. ASCII is folded at blanks; anything else, and words too
 * long for a line, go out as encoded words, so that no byte of it can end the header.
 */
static void add_subject(struct buf *out, const char *s)
{
	size_t column = strlen("Subject: "), longest = strcspn(s, " ");

	for (const char *p = s; *p; p += strcspn(p, " "), p += strspn(p, " "))
		longest = strcspn(p, " ") > longest ? strcspn(p, " ") : longest;
	if (is_ascii(s) && !strchr(s, '\n') && longest <= 60 && !strstr(s, "=?")) {
		while (*s) {
			size_t blanks = strspn(s, " "), n = blanks + strcspn(s + blanks, " ");

			if (column + n > 76 && blanks && s[blanks]) {
				buf_puts(out, "\r\n");
				column = 0;
			}
			buf_add(out, s, n);
			column += n;
			s += n;
		}
		return;
	}
	for (bool first = true; *s; first = false) {
		size_t n = 0;

		while (s[n] && n + char_bytes(s + n) <= 42)	/* 42 bytes are 56 digits: the word stays under 75 */
			n += char_bytes(s + n);
		n = n ? n : 1;
		buf_puts(out, first ? "" : "\r\n ");
		encoded_word(out, s, n);
		s += n;
	}
}

static void add_date(struct buf *out, int64_t usec)
{
	static const char *const days[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t t = (time_t)(usec / 1000000);
	struct tm tm;

	must(gmtime_r(&t, &tm));
	buf_printf(out, "%s, %d %s %d %02d:%02d:%02d +0000", days[tm.tm_wday], tm.tm_mday, months[tm.tm_mon],
		   tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

void deliver_message(struct buf *out, const struct deliver *d, const struct deliver_mail *mail)
{
	buf_puts(out, "Date: ");
	add_date(out, mail->date);
	buf_printf(out, "\r\nFrom: nsecwatch <%s>\r\nTo: <%s>\r\nSubject: ", d->mail_from, d->mail_to);
	add_subject(out, mail->subject);
	buf_printf(out, "\r\nMessage-ID: <%s@%s>\r\n", mail->message_id, strrchr(d->mail_from, '@') + 1);
	buf_puts(out, "Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n"
		      "Content-Type: text/plain; charset=utf-8\r\n");
	buf_printf(out, "Content-Transfer-Encoding: %s\r\n\r\n", is_ascii(mail->body) ? "7bit" : "8bit");
	for (const char *p = mail->body; *p; p++)
		if (*p == '\n')
			buf_puts(out, "\r\n");
		else if (*p != '\r')
			buf_putc(out, *p);
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
