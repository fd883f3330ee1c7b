/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes as the readers of foreign files need them: valid UTF-8 without NUL. */
#include "read_impl.h"

#include <string.h>

#include "../lib/utf8.h"

size_t read_impl_utf8_bad(const char *text, size_t len)
{
	return utf8_good(text, strnlen(text, len));
}

static size_t line_of(const char *text, size_t at)
{
	size_t line = 1;

	for (size_t i = 0; i < at; i++)
		line += text[i] == '\n';
	return line;
}

/* Old locales' bytes as UTF-8: each byte that is none is a character of Latin-1, or unknown below U+00A0. */
static char *mend(struct arena *a, const char *text, size_t *len, struct read_mended *mended)
{
	char *out = arena_alloc(a, *len * 3 + 1), *p = out;
	const char *s = text, *end = text + *len;

	while (s < end) {
		size_t good = utf8_good(s, (size_t)(end - s));
		unsigned char c;

		memcpy(p, s, good);
		p += good;
		s += good;
		if (s == end)
			break;
		c = (unsigned char)*s++;
		mended->bytes++;
		if (c < 0xa0) {
			memcpy(p, "\xef\xbf\xbd", 3);	/* U+FFFD */
			p += 3;
		} else {
			*p++ = (char)(0xc0 | c >> 6);
			*p++ = (char)(0x80 | (c & 0x3f));
		}
	}
	*p = 0;
	*len = (size_t)(p - out);
	return out;
}

int read_impl_text(struct arena *a, const char **text, size_t *len, struct read_mended *mended, struct err *err)
{
	size_t bad = read_impl_utf8_bad(*text, *len), blank = 0;
	bool is_json;

	*mended = (struct read_mended){ .bytes = 0 };
	while (blank < *len && strchr(" \t\r\n", (*text)[blank]))
		blank++;
	if (blank == *len)
		return err_set(err, ERR_INVALID, "the file is empty");
	is_json = (*text)[blank] == '{' || (*text)[blank] == '[';
	if (bad < *len && (is_json || memchr(*text, 0, *len)))
		return err_line(err, ERR_INVALID, line_of(*text, bad), "%s: this is no text in UTF-8",
			       (*text)[bad] ? "a byte that is no character" : "a NUL byte");
	if (bad < *len) {	/* what a tool printed for people, in whatever locale */
		mended->line = line_of(*text, bad);
		*text = mend(a, *text, len, mended);
	}
	return 0;
}
