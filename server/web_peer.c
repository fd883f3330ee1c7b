/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "web_peer.h"

#include <string.h>
#include <strings.h>

#include "../lib/utf8.h"

#define PERSON_MAX_BYTES 100

/* All values of a header, with commas between them, as one field would have them (RFC 9110 section 5.3). */
struct gathering {
	struct arena *a;
	const char *name, *text;	/* text NULL: none */
	unsigned n;
};

static enum MHD_Result gather_one(void *cls, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct gathering *g = cls;

	(void)kind;
	if (strcasecmp(key, g->name) || !value)
		return MHD_YES;
	g->text = g->n++ ? arena_printf(g->a, "%s,%s", g->text, value) : value;
	return MHD_YES;
}

static struct gathering gather(struct arena *a, struct MHD_Connection *connection, const char *name)
{
	struct gathering g = { .a = a, .name = name };

	MHD_get_connection_values(connection, MHD_HEADER_KIND, gather_one, &g);
	return g;
}

/* "203.0.113.7", "203.0.113.7:4711", "2001:db8::1", "[2001:db8::1]:4711" */
static bool read_address(const char *s, size_t n, uint8_t b[16])
{
	const char *end;

	while (n && strchr(" \t", *s))
		s++, n--;
	while (n && strchr(" \t", s[n - 1]))
		n--;
	if (n && *s == '[') {
		end = memchr(s, ']', n);
		return end && net_parse_host(s + 1, (size_t)(end - s) - 1, b, NULL);
	}
	end = memchr(s, ':', n);
	if (end && !memchr(end + 1, ':', n - (size_t)(end - s) - 1))
		n = (size_t)(end - s);
	return net_parse_host(s, n, b, NULL);
}

bool web_peer_forwarded(const struct net_list *proxies, const char *list, uint8_t address[16])
{
	const char *end = list + strlen(list);

	for (;;) {		/* each proxy puts whom it heard behind what it was told: from the right, ours are true */
		const char *from = end;

		while (from > list && from[-1] != ',')
			from--;
		if (!read_address(from, (size_t)(end - from), address))
			return false;
		if (!net_list_contains(proxies, address))
			return true;
		if (from == list)
			return false;
		end = from - 1;
	}
}

static bool is_good_name(const char *name)
{
	size_t n = strlen(name);

	return n && n <= PERSON_MAX_BYTES && utf8_good(name, n) == n && !strpbrk(name, "\t,");
}

static int read_person(struct arena *a, const struct conf *conf, struct MHD_Connection *connection, struct web_peer *peer,
		       struct err *err)
{
	struct gathering g = gather(a, connection, conf->proxy_user_header);

	if (!g.n || !*g.text)
		return 0;
	if (g.n > 1)
		return err_set(err, ERR_BAD_ARGUMENT, "more than one %s: the proxy has to take out what clients send", conf->proxy_user_header);
	if (!is_good_name(g.text))
		return err_set(err, ERR_BAD_ARGUMENT, "%s: a name of 1 to %d bytes without commas is needed", conf->proxy_user_header,
			       PERSON_MAX_BYTES);
	peer->person = g.text;
	return 0;
}

static void read_socket(struct MHD_Connection *connection, struct web_peer *peer)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

	if (info && info->client_addr)
		net_of_sockaddr(info->client_addr, peer->address);
	info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
	peer->https = info && info->tls_session;
}

int web_peer_read(struct arena *a, const struct conf *conf, const struct net_list *proxies, struct MHD_Connection *connection,
		  struct web_peer *peer, struct err *err)
{
	const char *proto = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "X-Forwarded-Proto");
	char text[NET_TEXT];
	struct gathering g;
	uint8_t client[16];

	*peer = (struct web_peer){ .https = false };
	read_socket(connection, peer);
	peer->proxied = net_list_contains(proxies, peer->address);
	if (peer->proxied) {
		g = gather(a, connection, "X-Forwarded-For");
		if (g.n && web_peer_forwarded(proxies, g.text, client))
			memcpy(peer->address, client, 16);
		peer->https |= proto && !strcasecmp(proto, "https");
	}
	peer->text = arena_strdup(a, net_format(peer->address, text));
	return peer->proxied && conf->proxy_user_header ? read_person(a, conf, connection, peer, err) : 0;
}
