/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "net.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "must.h"
#include "num.h"

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

void net_of_v4(const void *four, uint8_t b[16])
{
	memcpy(b, mapped, 12);
	memcpy(b + 12, four, 4);
}

bool net_is_v4(const uint8_t b[16])
{
	return !memcmp(b, mapped, 12);
}

bool net_parse_host(const char *s, size_t n, uint8_t b[16], int *width)
{
	char text[64];
	uint8_t four[4];
	bool v4;

	if (n >= sizeof(text))
		return false;
	memcpy(text, s, n);
	text[n] = 0;
	v4 = inet_pton(AF_INET, text, four) == 1;
	if (width)
		*width = v4 ? 32 : 128;
	if (v4)
		net_of_v4(four, b);
	return v4 || inet_pton(AF_INET6, text, b) == 1;
}

bool net_parse(const char *s, size_t n, struct net *net)
{
	const char *slash = memchr(s, '/', n);
	size_t host = slash ? (size_t)(slash - s) : n;
	int64_t bits;
	int width;

	if (!net_parse_host(s, host, net->b, &width))
		return false;
	bits = width;
	if (slash && (num_parse_i64(slash + 1, n - host - 1, &bits) || bits < 0 || bits > width))
		return false;
	net->bits = (int)bits + 128 - width;
	return true;
}

int net_parse_list(struct arena *a, const char *text, struct net_list *out, struct err *err)
{
	*out = (struct net_list){ .list = arena_array(a, struct net, strlen(text) / 2 + 1) };
	while (*text) {
		size_t n = strcspn(text, ", ");

		if (n && !net_parse(text, n, &out->list[out->n++]))
			return err_set(err, ERR_SETUP, "\"%.*s\" is no network: 10.0.0.0/8, fd00::/8 or an address is needed",
				       (int)(n < 100 ? n : 100), text);
		text += n + (text[n] != 0);
	}
	return 0;
}

bool net_contains(const struct net *net, const uint8_t b[16])
{
	int whole = net->bits / 8, rest = net->bits % 8;

	return !memcmp(net->b, b, (size_t)whole) && (!rest || !((net->b[whole] ^ b[whole]) >> (8 - rest)));
}

bool net_list_contains(const struct net_list *list, const uint8_t b[16])
{
	for (size_t i = 0; i < list->n; i++)
		if (net_contains(&list->list[i], b))
			return true;
	return false;
}

bool net_of_sockaddr(const struct sockaddr *address, uint8_t b[16])
{
	if (address->sa_family == AF_INET)
		net_of_v4(&((const struct sockaddr_in *)(const void *)address)->sin_addr, b);
	else if (address->sa_family == AF_INET6)
		memcpy(b, ((const struct sockaddr_in6 *)(const void *)address)->sin6_addr.s6_addr, 16);
	else
		return false;
	return true;
}

const char *net_format(const uint8_t b[16], char out[NET_TEXT])
{
	bool v4 = net_is_v4(b);

	must(inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? b + 12 : b, out, NET_TEXT));
	return out;
}
