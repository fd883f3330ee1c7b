/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses are compared as IPv6, an IPv4 one as ::ffff:a.b.c.d. */
#include "deliver_guard.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../lib/must.h"
#include "../lib/num.h"

struct deliver_net {
	uint8_t b[16];
	int bits;
};

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

static void of_v4(const void *four, uint8_t b[16])
{
	memset(b, 0, 10);
	b[10] = b[11] = 0xff;
	memcpy(b + 12, four, 4);
}

static bool parse_host(const char *s, size_t n, uint8_t b[16], int *width)
{
	char text[64];
	uint8_t four[4];

	if (n >= sizeof(text))
		return false;
	memcpy(text, s, n);
	text[n] = 0;
	*width = 32;
	if (inet_pton(AF_INET, text, four) == 1) {
		of_v4(four, b);
		return true;
	}
	*width = 128;
	return inet_pton(AF_INET6, text, b) == 1;
}

static bool parse_net(const char *s, size_t n, struct deliver_net *net)
{
	const char *slash = memchr(s, '/', n);
	size_t host = slash ? (size_t)(slash - s) : n;
	int64_t bits;
	int width;

	if (!parse_host(s, host, net->b, &width))
		return false;
	bits = width;
	if (slash && (num_parse_i64(slash + 1, n - host - 1, &bits) || bits < 0 || bits > width))
		return false;
	net->bits = (int)bits + 128 - width;
	return true;
}

static bool contains(const struct deliver_net *net, const uint8_t b[16])
{
	int whole = net->bits / 8, rest = net->bits % 8;

	return !memcmp(net->b, b, (size_t)whole) && (!rest || !((net->b[whole] ^ b[whole]) >> (8 - rest)));
}

int deliver_guard_parse(struct arena *a, const char *text, struct deliver_allow *allow, struct err *err)
{
	struct deliver_net *list = arena_array(a, struct deliver_net, strlen(text) / 2 + 1);

	*allow = (struct deliver_allow){ .list = list };
	while (*text) {
		size_t n = strcspn(text, ", ");

		if (n && !parse_net(text, n, &list[allow->n++]))
			return err_set(err, ERR_SETUP, "\"%.*s\" is no network: 10.0.0.0/8, fd00::/8 or an address is needed",
				       (int)(n < 100 ? n : 100), text);
		text += n + (text[n] != 0);
	}
	return 0;
}

/* An IPv6 address that leads to an IPv4 one: NAT64 (RFC 6052), 6to4 (RFC 3056), IPv4-compatible. */
static bool carries_v4(const uint8_t b[16], uint8_t inner[16])
{
	static const uint8_t nat64[12] = { 0, 0x64, 0xff, 0x9b }, zero[12];

	if (!memcmp(b, nat64, 12) || (!memcmp(b, zero, 12) && (b[12] || b[13])))
		of_v4(b + 12, inner);
	else if (b[0] == 0x20 && b[1] == 0x02)
		of_v4(b + 2, inner);
	else
		return false;
	return true;
}

static const char *refuses(const struct deliver_allow *allow, const uint8_t b[16])
{
	uint8_t inner[16];

	for (size_t i = 0; i < allow->n; i++)
		if (contains(&allow->list[i], b))
			return NULL;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct deliver_net net;

		must(parse_net(refused[i].net, strlen(refused[i].net), &net));
		if (contains(&net, b))
			return refused[i].what;
	}
	return carries_v4(b, inner) ? refuses(allow, inner) : NULL;
}

const char *deliver_guard_refuses(const struct deliver_allow *allow, const struct sockaddr *address)
{
	uint8_t b[16];

	if (address->sa_family == AF_INET) {
		of_v4(&((const struct sockaddr_in *)(const void *)address)->sin_addr, b);
		return refuses(allow, b);
	}
	if (address->sa_family != AF_INET6)
		return "no address of the Internet";
	return refuses(allow, ((const struct sockaddr_in6 *)(const void *)address)->sin6_addr.s6_addr);
}

const char *deliver_guard_refuses_host(const struct deliver_allow *allow, const char *host)
{
	size_t n = strlen(host);
	uint8_t b[16];
	int width;

	if (n > 2 && host[0] == '[' && host[n - 1] == ']')
		host++, n -= 2;
	n = strcspn(host, "%") < n ? strcspn(host, "%") : n;	/* the zone of a link-local one */
	return parse_host(host, n, b, &width) ? refuses(allow, b) : NULL;
}
