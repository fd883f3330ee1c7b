/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libmicrohttpd 0.9.75 takes requests with Content-Length and Transfer-Encoding, with two
 * lengths, with two hosts, with folded lines and with lines that end in a bare LF: behind a proxy
 * that reads them otherwise, the rest of such a body is a second request of somebody
 * else's. They end here.
 *
 * Folds and line ends are told by how it leaves its buffer: a line is cut in place, the colon
 * and each byte of its end becoming NUL, and a name is moved away from its value only when the
 * text of a folded line was put to it (to the name: "Content-Length: 1" and a second
 * line "0" are a field Content-Length0). From 1.0 on its parser is another, which refuses
 * all of this by itself: there the buffer is not looked at.
 */
#include "web_call.h"

#include <string.h>
#include <strings.h>

#define TOKEN "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

struct seen {
	bool cut_in_place;		/* the buffer tells of folds and line ends */
	unsigned length, coding, host;
	bool chunked;
	const char *wrong;		/* the first that is, as a sentence; or NULL */
	const char *last;		/* where the last value ends */
};

static bool ends_in_crlf(const char *end)
{
	return !end[0] && !end[1];
}

/* RFC 9110 section 5.5: no control bytes but the tab. A NUL shows as a line's end that is none. */
static bool has_controls(const char *value)
{
	for (; *value; value++)
		if (((unsigned char)*value < ' ' && *value != '\t') || *value == 0x7f)
			return true;
	return false;
}

static const char *wrong_line(const char *key, const char *value)
{
	size_t n = strlen(key);

	if (value <= key + n || strspn(key + n + 1, " \t") < (size_t)(value - key) - n - 1)
		return "a folded header line (RFC 9112 section 5.2)";
	if (!ends_in_crlf(value + strlen(value)))
		return "each header line ends in CR LF";
	return NULL;
}

static const char *wrong_field(const char *key, const char *value)
{
	size_t n = strlen(key);

	if (!n || strspn(key, TOKEN) != n)
		return "a header field's name has a blank or another character that is not allowed there";
	if (has_controls(value))
		return "a control character in a header field";
	return NULL;
}

static enum MHD_Result look(void *cls, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct seen *s = cls;

	(void)kind;
	if (!value)
		value = "";		/* never of a header; then it is no neighbour, and refused */
	if (!s->wrong)
		s->wrong = wrong_field(key, value);
	if (!s->wrong && s->cut_in_place)
		s->wrong = wrong_line(key, value);
	s->last = value + strlen(value);
	if (!strcasecmp(key, "Content-Length")) {
		s->length++;
	} else if (!strcasecmp(key, "Transfer-Encoding")) {
		s->coding++;
		s->chunked = !strcasecmp(value, "chunked");
	} else if (!strcasecmp(key, "Host")) {
		s->host++;
	}
	return MHD_YES;
}

/* Line ends of the request line and, behind the last field, of the empty line. */
static bool ends_are_good(const struct seen *s, const char *version)
{
	const char *line = version + strlen(version);

	return ends_in_crlf(line) && ends_in_crlf(s->last ? s->last + 2 : line + 2);
}

int web_guard_headers(struct MHD_Connection *connection, const char *version, struct err *err)
{
	struct seen s = { .cut_in_place = !strncmp(MHD_get_version(), "0.9.", 4) };

	MHD_get_connection_values(connection, MHD_HEADER_KIND, look, &s);
	if (s.wrong)
		return err_set(err, ERR_BAD_ARGUMENT, "%s", s.wrong);
	if (s.cut_in_place && !ends_are_good(&s, version))
		return err_set(err, ERR_BAD_ARGUMENT, "each header line ends in CR LF");
	if (s.length && s.coding)
		return err_set(err, ERR_BAD_ARGUMENT, "Content-Length and Transfer-Encoding in one request");
	if (s.length > 1)
		return err_set(err, ERR_BAD_ARGUMENT, "more than one Content-Length");
	if (s.coding > 1 || (s.coding && (!s.chunked || strcmp(version, "HTTP/1.1"))))
		return err_set(err, ERR_BAD_ARGUMENT, "Transfer-Encoding: only 'chunked' is taken, and not before version 1.1");
	if (s.host > 1 || (!s.host && !strcmp(version, "HTTP/1.1")))
		return err_set(err, ERR_BAD_ARGUMENT, "exactly one Host header is needed");
	return 0;
}
