/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From where a request comes: the other end of the connection, or, where that is a proxy of ours (--proxy), whom it
 * says it speaks for. What anybody else writes into those headers counts for nothing.
 */
#ifndef SERVER_WEB_PEER_H
#define SERVER_WEB_PEER_H

#include <microhttpd.h>

#include "../lib/net.h"
#include "conf.h"

struct web_peer {
	uint8_t address[16];		/* lib/net.h; all 0: not known */
	const char *text;		/* of the address */
	bool proxied;			/* the connection is a proxy's */
	bool https;			/* TLS, up to us or up to the proxy */
	const char *person;		/* whom the proxy names (--proxy-user-header); or NULL */
};

/* proxies: of --proxy. Texts live in the arena. -1 ERR_BAD_ARGUMENT: the proxy names two, one of which is the client's own word. */
int web_peer_read(struct arena *a, const struct conf *conf, const struct net_list *proxies, struct MHD_Connection *connection,
		  struct web_peer *peer, struct err *err);

/* The address in "203.0.113.7, 10.0.0.2" (X-Forwarded-For) that is the last one not ours; false: there is none. */
bool web_peer_forwarded(const struct net_list *proxies, const char *list, uint8_t address[16]);

#endif
