/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mime.h"

#include <string.h>
#include <time.h>

#include "must.h"

bool mime_is_address(const char *s)
{
	const char *at = strrchr(s, '@');

	if (!at || at == s || !at[1] || strlen(s) > 254)
		return false;
	for (const char *p = s; *p; p++)
		if (*p <= ' ' || *p >= 0x7f || strchr("<>,;:\\\"()[]", *p))
			return false;
	return true;
}

bool mime_is_ascii(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s >= 0x7f || ((unsigned char)*s < ' ' && *s != '\n'))
			return false;
	return true;
}

/* Bytes of the UTF-8 character at s. */
static size_t char_bytes(const char *s)
{
	size_t n = 1;

	while (((unsigned char)s[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* An encoded word (RFC 2047) of n bytes. */
static void encoded_word(struct buf *out, const char *s, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	buf_puts(out, "=?UTF-8?B?");
	for (size_t i = 0; i < n; i += 3) {
		unsigned v = (unsigned)(unsigned char)s[i] << 16;

		v |= i + 1 < n ? (unsigned)(unsigned char)s[i + 1] << 8 : 0;
		v |= i + 2 < n ? (unsigned)(unsigned char)s[i + 2] : 0;
		buf_putc(out, digits[v >> 18 & 63]);
		buf_putc(out, digits[v >> 12 & 63]);
		buf_putc(out, i + 1 < n ? digits[v >> 6 & 63] : '=');
		buf_putc(out, i + 2 < n ? digits[v & 63] : '=');
	}
	buf_puts(out, "?=");
}

static void header_text(struct buf *out, size_t column, const char *s)
{
	size_t longest = strcspn(s, " ");

	for (const char *p = s; *p; p += strcspn(p, " "), p += strspn(p, " "))
		longest = strcspn(p, " ") > longest ? strcspn(p, " ") : longest;
	if (mime_is_ascii(s) && !strchr(s, '\n') && longest <= 60 && !strstr(s, "=?")) {
		while (*s) {
			size_t blanks = strspn(s, " "), n = blanks + strcspn(s + blanks, " ");

			if (column + n > 76 && blanks && s[blanks]) {
				buf_puts(out, "\r\n");
				column = 0;
			}
			buf_add(out, s, n);
			column += n;
			s += n;
		}
		return;
	}
	for (bool first = true; *s; first = false) {
		size_t n = 0;

		while (s[n] && n + char_bytes(s + n) <= 42)	/* 42 bytes are 56 digits: the word stays under 75 */
			n += char_bytes(s + n);
		n = n ? n : 1;
		buf_puts(out, first ? "" : "\r\n ");
		encoded_word(out, s, n);
		s += n;
	}
}

/* Control characters become blanks: not even who decodes a word and writes it on finds a line's end. */
void mime_text_header(struct buf *out, const char *name, const char *text)
{
	struct buf plain;

	buf_init(&plain);
	for (; *text; text++)
		buf_putc(&plain, (unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text);
	buf_printf(out, "%s: ", name);
	header_text(out, strlen(name) + 2, plain.p);
	buf_puts(out, "\r\n");
	buf_fini(&plain);
}

void mime_date_header(struct buf *out, int64_t usec)
{
	static const char *const days[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t t = (time_t)(usec / 1000000);
	struct tm tm;

	must(gmtime_r(&t, &tm));
	buf_printf(out, "Date: %s, %d %s %d %02d:%02d:%02d +0000\r\n", days[tm.tm_wday], tm.tm_mday, months[tm.tm_mon],
		   tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

void mime_text_body(struct buf *out, const char *text)
{
	buf_puts(out, "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n");
	buf_printf(out, "Content-Transfer-Encoding: %s\r\n\r\n", mime_is_ascii(text) ? "7bit" : "8bit");
	for (; *text; text++)
		if (*text == '\n')
			buf_puts(out, "\r\n");
		else if (*text != '\r')
			buf_putc(out, *text);
}
