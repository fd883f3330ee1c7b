/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libcurl, opened when the first request is made: what needs no server needs no libcurl, and one file is the whole
 * client. Its ABI has been the same since 7.16 (libcurl.so.4).
 */
#ifndef CLIENT_CURL_H
#define CLIENT_CURL_H

#include <curl/curl.h>
#include <time.h>

#include "../lib/err.h"

struct curl {			/* the functions that we use, without curl's prefix */
	CURLcode (*global_init)(long flags);
	CURL *(*easy_init)(void);
	void (*easy_cleanup)(CURL *curl);
	void (*easy_reset)(CURL *curl);
	CURLcode (*easy_setopt)(CURL *curl, CURLoption option, ...);
	CURLcode (*easy_perform)(CURL *curl);
	CURLcode (*easy_getinfo)(CURL *curl, CURLINFO info, ...);
	const char *(*easy_strerror)(CURLcode rc);
	struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
	void (*slist_free_all)(struct curl_slist *list);
	time_t (*getdate)(const char *text, const time_t *unused);
};

/* Opened once, and never closed. NULL: it is not here, and err says what to install. */
const struct curl *curl_open(struct err *err);

#endif
