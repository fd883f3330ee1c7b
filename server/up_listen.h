/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The address that `up` lets serve listen on: is it free, does it answer, how does one write it. */
#ifndef SERVER_UP_LISTEN_H
#define SERVER_UP_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "../lib/err.h"

/*
 * Binds it for a moment: an address in use is told before seconds of work. Port 0 becomes a free one.
 * 0, -1, or 1: in use; err says so, too.
 */
int up_listen_check(const char *given, const char *host, int *port, struct err *err);

/* Whether GET /readyz says 200 there now. */
bool up_listen_ready(const char *host, int port, bool tls);

void up_listen_text(const char *host, int port, char *out, size_t size);	/* for --listen */
void up_listen_url(const char *host, int port, bool tls, char *out, size_t size);	/* for a browser on this machine */

#endif
