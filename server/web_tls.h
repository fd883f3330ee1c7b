/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTTPS without a proxy: the certificate and its key, read when serve starts and again at SIGHUP, and what is said to
 * somebody who speaks plain HTTP to that port. GnuTLS does the rest under libmicrohttpd. One a process:
 * libmicrohttpd asks for the certificate without saying for whom.
 */
#ifndef SERVER_WEB_TLS_H
#define SERVER_WEB_TLS_H

#include <microhttpd.h>
#include <stdbool.h>

#include "../lib/buf.h"
#include "../lib/err.h"
#include "conf.h"

/* TLS 1.2 and 1.3, nothing that GnuTLS calls less than normal. */
#define WEB_TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"

/*
 * Reads --tls-cert and --tls-key. -1: err names the file, what is wrong with it and the cure; a pair
 * that was read before stays in use.
 */
int web_tls_load(const struct conf *conf, struct err *err);
void web_tls_unload(void);			/* when no connection is left */

void *web_tls_certificate(void);		/* the function for MHD_OPTION_HTTPS_CERT_CALLBACK */

/*
 * As a client of our own server on this machine, whose certificate is for another name: sends and takes up
 * to size bytes of the answer; how many came, 0 where something failed.
 */
size_t web_tls_ask(int fd, const char *ask, size_t n, char *answer, size_t size);

/* Of a connection: what the first bytes are looked at with. Lives as long as the connection. */
struct web_tls_line {
	void *session;			/* gnutls_session_t; NULL: plain HTTP */
	int fd;
	bool spoke;			/* its first bytes were looked at */
};
void web_tls_begin(struct web_tls_line *line, struct MHD_Connection *connection, int fd);

/* The last bytes of a connection, encrypted, and its end. By the thread that libmicrohttpd runs the connection in. */
void web_tls_send_last(const struct web_tls_line *line, const struct buf *out);

#endif
