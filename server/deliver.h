/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Telling the world (libcurl): an address by SMTP here, a webhook in deliver_http.h. Every
 * call has its deadlines; nothing is retried here. The caller has run curl_global_init().
 */
#ifndef SERVER_DELIVER_H
#define SERVER_DELIVER_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lib/buf.h"
#include "../lib/err.h"
#include "deliver_guard.h"
#include "deliver_map.h"

/* Asked now and then while something is under way: true ends it at once, as a failure. */
typedef bool (*deliver_stop_fn)(void *arg);

/* What all deliveries share. */
struct deliver {
	const char *smtp_url;		/* NULL: no mail */
	const char *smtp_user, *smtp_password;	/* or NULL */
	const char *mail_from;
	const char *ca_file;		/* or NULL: the system's */
	struct net_list allow;	/* private networks with webhooks in them */
	deliver_stop_fn stop;		/* or NULL */
	void *stop_arg;
};

/* From the options. -1: what is wrong with them, or with a target of the map, found now and not at the first alert. */
int deliver_init(struct deliver *d, struct arena *a, const struct conf *conf, const struct deliver_map *map,
		 struct err *err);

/* What a failure says about the next attempt. */
struct deliver_fate {
	bool down;			/* the receiver was not there: others to it would fail, too */
	int64_t again_ms;		/* it says itself when: else 0 */
};

struct deliver_mail {
	const char *to;			/* a plain address */
	const char *subject, *body;	/* UTF-8; whatever is in the subject cannot leave its header */
	const char *message_id;		/* what stands before the @ */
	const char *thread_id;		/* likewise of the mail this one follows, or NULL */
	int64_t date;			/* usec */
};
/* 0: the mail server has taken it over (its 250). -1: err says why not, in words that can be shown. */
int deliver_mail(const struct deliver *d, const struct deliver_mail *mail, struct deliver_fate *fate, struct err *err);

/* The message as it goes over the wire: headers, CRLF, no dot-stuffing (libcurl does that). */
void deliver_message(struct buf *out, const struct deliver *d, const struct deliver_mail *mail);

/* For deliver_http.c: one transfer, its deadlines, and what became of it. */
struct deliver_call {
	const struct deliver *d;
	CURL *curl;
	char text[CURL_ERROR_SIZE];
	int64_t deadline;		/* monotonic usec; may move while it is under way */
	bool late;			/* the deadline ended it */
};
void deliver_begin(struct deliver_call *call, const struct deliver *d, const char *url, const char *protocols,
		   int timeout_s);
CURLcode deliver_perform(struct deliver_call *call);
int deliver_failed(const struct deliver_call *call, CURLcode rc, struct deliver_fate *fate, struct err *err);
void deliver_end(struct deliver_call *call);

#endif
