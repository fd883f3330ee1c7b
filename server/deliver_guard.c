/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses are compared as IPv6, an IPv4 one as ::ffff:a.b.c.d. */
#include "deliver_guard.h"

#include <string.h>

#include "../lib/must.h"

/* The special registries of IANA (RFC 6890 and after), and addresses at which clouds tell their secrets. */
static const struct {
	const char *net, *what;
} refused[] = {
	{ "0.0.0.0/8", "an address of this network" },
	{ "10.0.0.0/8", "a private address" },
	{ "100.64.0.0/10", "an address behind a carrier's NAT" },
	{ "127.0.0.0/8", "a loopback address" },
	{ "168.63.129.16", "an address of a cloud's own services" },
	{ "169.254.0.0/16", "a link-local address" },
	{ "172.16.0.0/12", "a private address" },
	{ "192.0.0.0/24", "a reserved address" },
	{ "192.0.2.0/24", "an address for documentation" },
	{ "192.88.99.0/24", "a reserved address" },
	{ "192.168.0.0/16", "a private address" },
	{ "198.18.0.0/15", "an address for tests of networks" },
	{ "198.51.100.0/24", "an address for documentation" },
	{ "203.0.113.0/24", "an address for documentation" },
	{ "224.0.0.0/4", "a multicast address" },
	{ "240.0.0.0/4", "a reserved address" },
	{ "::", "an unspecified address" },
	{ "::1", "a loopback address" },
	{ "64:ff9b:1::/48", "a private address" },
	{ "100::/64", "a reserved address" },
	{ "2001::/23", "a reserved address" },
	{ "2001:db8::/32", "an address for documentation" },
	{ "3fff::/20", "an address for documentation" },
	{ "5f00::/16", "a reserved address" },
	{ "fc00::/7", "a private address" },
	{ "fe80::/10", "a link-local address" },
	{ "fec0::/10", "a private address" },
	{ "ff00::/8", "a multicast address" },
};

/* An IPv6 address that leads to an IPv4 one: NAT64 (RFC 6052), 6to4 (RFC 3056), IPv4-compatible. */
static bool carries_v4(const uint8_t b[16], uint8_t inner[16])
{
	static const uint8_t nat64[12] = { 0, 0x64, 0xff, 0x9b }, zero[12];

	if (!memcmp(b, nat64, 12) || (!memcmp(b, zero, 12) && (b[12] || b[13])))
		net_of_v4(b + 12, inner);
	else if (b[0] == 0x20 && b[1] == 0x02)
		net_of_v4(b + 2, inner);
	else
		return false;
	return true;
}

static const char *refuses(const struct net_list *allow, const uint8_t b[16])
{
	uint8_t inner[16];

	if (net_list_contains(allow, b))
		return NULL;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct net net;

		must(net_parse(refused[i].net, strlen(refused[i].net), &net));
		if (net_contains(&net, b))
			return refused[i].what;
	}
	return carries_v4(b, inner) ? refuses(allow, inner) : NULL;
}

const char *deliver_guard_refuses(const struct net_list *allow, const struct sockaddr *address)
{
	uint8_t b[16];

	return net_of_sockaddr(address, b) ? refuses(allow, b) : "no address of the Internet";
}

const char *deliver_guard_refuses_host(const struct net_list *allow, const char *host)
{
	size_t n = strlen(host);
	uint8_t b[16];

	if (n > 2 && host[0] == '[' && host[n - 1] == ']')
		host++, n -= 2;
	n = strcspn(host, "%") < n ? strcspn(host, "%") : n;	/* the zone of a link-local one */
	return net_parse_host(host, n, b, NULL) ? refuses(allow, b) : NULL;
}
