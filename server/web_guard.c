/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libmicrohttpd 0.9.75 takes requests with Content-Length and Transfer-Encoding, with two
 * lengths, with two hosts: behind a proxy that reads them otherwise, the rest of such a
 * body is a second request of somebody else's. They end here.
 */
#include "web_call.h"

#include <string.h>
#include <strings.h>

struct seen {
	unsigned length, coding, host;
	bool chunked;
};

static enum MHD_Result look(void *cls, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct seen *s = cls;

	(void)kind;
	if (!strcasecmp(key, "Content-Length")) {
		s->length++;
	} else if (!strcasecmp(key, "Transfer-Encoding")) {
		s->coding++;
		s->chunked = value && !strcasecmp(value, "chunked");
	} else if (!strcasecmp(key, "Host")) {
		s->host++;
	}
	return MHD_YES;
}

int web_guard_headers(struct MHD_Connection *connection, const char *version, struct err *err)
{
	struct seen s = { 0 };

	MHD_get_connection_values(connection, MHD_HEADER_KIND, look, &s);
	if (s.length && s.coding)
		return err_set(err, ERR_BAD_ARGUMENT, "Content-Length and Transfer-Encoding in one request");
	if (s.length > 1)
		return err_set(err, ERR_BAD_ARGUMENT, "more than one Content-Length");
	if (s.coding > 1 || (s.coding && !s.chunked))
		return err_set(err, ERR_BAD_ARGUMENT, "Transfer-Encoding: only 'chunked' is taken");
	if (s.host > 1 || (!s.host && !strcmp(version, "HTTP/1.1")))
		return err_set(err, ERR_BAD_ARGUMENT, "exactly one Host header is needed");
	return 0;
}
