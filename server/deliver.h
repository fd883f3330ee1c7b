/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Telling the world (libcurl): one webhook by POST, one address by SMTP. Every call has
 * its deadlines; nothing is retried here. The caller has run curl_global_init().
 */
#ifndef SERVER_DELIVER_H
#define SERVER_DELIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lib/buf.h"
#include "../lib/err.h"

#define DELIVER_WEBHOOK_S 30
#define DELIVER_MAIL_S 120	/* giving up between the message and its 250 would send it twice */

/* Asked now and then while something is under way: true ends it at once, as a failure. */
typedef bool (*deliver_stop_fn)(void *arg);

struct deliver {
	const char *webhook_url;	/* NULL: no webhook */
	const char *smtp_url;		/* NULL: no mail */
	const char *smtp_user, *smtp_password;	/* or NULL */
	const char *mail_from, *mail_to;
	deliver_stop_fn stop;		/* or NULL */
	void *stop_arg;
};

/* What is wrong with the addresses and options: found at start, not at the first alert. */
int deliver_check(const struct deliver *d, struct err *err);

/* POSTs JSON; 0 on a 2xx answer. -1: err says why, in words that can be shown. */
int deliver_webhook(const struct deliver *d, const char *idempotency_key, const char *json, struct err *err);

struct deliver_mail {
	const char *subject, *body;	/* UTF-8; whatever is in the subject cannot leave its header */
	const char *message_id;		/* what stands before the @ */
	int64_t date;			/* usec */
};
int deliver_mail(const struct deliver *d, const struct deliver_mail *mail, struct err *err);

/* The message as it goes over the wire: headers, CRLF, no dot-stuffing (libcurl does that). */
void deliver_message(struct buf *out, const struct deliver *d, const struct deliver_mail *mail);

#endif
