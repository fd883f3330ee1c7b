/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses and networks, all as IPv6: an IPv4 address is ::ffff:a.b.c.d. */
#ifndef LIB_NET_H
#define LIB_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "arena.h"
#include "err.h"

struct net {
	uint8_t b[16];
	int bits;
};

struct net_list {
	struct net *list;
	size_t n;
};

/* n bytes of text; *width (may be NULL): 32 or 128, by how it is written. False: no address. */
bool net_parse_host(const char *s, size_t n, uint8_t b[16], int *width);
bool net_parse(const char *s, size_t n, struct net *net);	/* an address, or one with /BITS behind it */
/* "127.0.0.0/8,10.1.0.0/16,fd00::/8", into the arena. -1: err names what is none. */
int net_parse_list(struct arena *a, const char *text, struct net_list *out, struct err *err);
bool net_contains(const struct net *net, const uint8_t b[16]);
bool net_list_contains(const struct net_list *list, const uint8_t b[16]);
bool net_of_sockaddr(const struct sockaddr *address, uint8_t b[16]);	/* false: neither IPv4 nor IPv6 */
void net_of_v4(const void *four, uint8_t b[16]);
bool net_is_v4(const uint8_t b[16]);

#define NET_TEXT 46	/* with the NUL */
const char *net_format(const uint8_t b[16], char out[NET_TEXT]);	/* IPv4 as a.b.c.d; returns out */

#endif
