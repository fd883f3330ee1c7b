/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which addresses a webhook may lead to. Those of this machine, of private networks, of
 * links and of clouds' metadata are refused unless the configuration allows them. Asked with
 * the address that is about to be connected to, so that no name can change in between.
 */
#ifndef SERVER_DELIVER_GUARD_H
#define SERVER_DELIVER_GUARD_H

#include <sys/socket.h>

#include "../lib/net.h"

/* NULL: may be connected to, since it is harmless, or among the networks allowed in spite of all. Else what it is: "a loopback address". */
const char *deliver_guard_refuses(const struct net_list *allow, const struct sockaddr *address);

/* The same for the host of a URL as it is written, if it is an address at all; a name: NULL. */
const char *deliver_guard_refuses_host(const struct net_list *allow, const char *host);

#endif
