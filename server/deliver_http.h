/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A webhook by HTTP. Where it is of kind "webhook" and has a secret, two headers let the
 * receiver see that it comes from here, and when it was sent:
 *
 *	X-Nsecwatch-Timestamp: 1771000200
 *	X-Nsecwatch-Signature-256: sha256=HEX	HMAC-SHA256(secret, timestamp "." body)
 *
 * Redirects are not followed, proxies of the environment not used, private addresses
 * refused (deliver_guard.h) when they are connected to.
 */
#ifndef SERVER_DELIVER_HTTP_H
#define SERVER_DELIVER_HTTP_H

#include "deliver.h"

struct deliver_http {
	const char *key;		/* Idempotency-Key; transaction id of matrix */
	const char *event;		/* X-Nsecwatch-Event */
	const char *body;		/* JSON */
};
/* 0 on a 2xx answer. -1: err says why, in words that can be shown. */
int deliver_http(const struct deliver *d, const struct deliver_target *t, const struct deliver_http *post,
		 struct deliver_fate *fate, struct err *err);

/* The signature's value at that time (seconds). */
#define DELIVER_HTTP_SIGNATURE 72
const char *deliver_http_sign(char out[DELIVER_HTTP_SIGNATURE], const char *secret, int64_t at, const char *body);

#endif
