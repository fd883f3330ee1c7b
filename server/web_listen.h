/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where serve listens: --listen, --tls-cert, --tls-key. */
#ifndef SERVER_WEB_LISTEN_H
#define SERVER_WEB_LISTEN_H

#include "web_call.h"

/* libmicrohttpd's callbacks, all with the struct web as their argument but for `log`. */
struct web_listen_calls {
	MHD_AccessHandlerCallback request;
	void *(*uri)(void *cls, const char *uri, struct MHD_Connection *connection);
	MHD_RequestCompletedCallback done;
	void (*log)(void *cls, const char *fmt, va_list ap);
};

/* Starts web->daemon. -1: err says what is in the way. */
int web_listen(struct web *web, const struct web_listen_calls *calls, struct err *err);

/* SIGHUP: the certificate anew; where it is no good, the one before stays, and the log says so. */
void web_listen_again(struct web *web);

#endif
