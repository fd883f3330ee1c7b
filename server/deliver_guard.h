/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which addresses a webhook may lead to. Those of this machine, of private networks, of
 * links and of clouds' metadata are refused unless the configuration allows them. Asked with
 * the address that is about to be connected to, so that no name can change in between.
 */
#ifndef SERVER_DELIVER_GUARD_H
#define SERVER_DELIVER_GUARD_H

#include <sys/socket.h>

#include "../lib/arena.h"
#include "../lib/err.h"

/* Networks that are allowed in spite of all: "127.0.0.0/8,10.1.0.0/16,fd00::/8", without a slash one address. */
struct deliver_net;
struct deliver_allow {
	const struct deliver_net *list;
	size_t n;
};
int deliver_guard_parse(struct arena *a, const char *text, struct deliver_allow *allow, struct err *err);

/* NULL: may be connected to. Else what it is: "a loopback address". */
const char *deliver_guard_refuses(const struct deliver_allow *allow, const struct sockaddr *address);

/* The same for the host of a URL as it is written, if it is an address at all; a name: NULL. */
const char *deliver_guard_refuses_host(const struct deliver_allow *allow, const char *host);

#endif
