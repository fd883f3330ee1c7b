/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "utf8.h"

#include <locale.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <wctype.h>

#include "must.h"

size_t utf8_char(const char *s, size_t n)
{
	unsigned char c = n ? (unsigned char)*s : 0xff, low = 0x80, high = 0xbf;
	size_t len = c < 0x80 ? 1 : c >= 0xc2 && c <= 0xdf ? 2 : (c & 0xf0) == 0xe0 ? 3 : c >= 0xf0 && c <= 0xf4 ? 4 : 0;

	if (!len || len > n)
		return 0;
	low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : low;	/* there is a shorter form */
	high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : high;	/* surrogates, past U+10FFFF */
	for (size_t i = 1; i < len; i++, low = 0x80, high = 0xbf)
		if ((unsigned char)s[i] < low || (unsigned char)s[i] > high)
			return 0;
	return len;
}

size_t utf8_good(const char *s, size_t n)
{
	size_t at = 0, len;

	while (at < n && (len = utf8_char(s + at, n - at)))
		at += len;
	return at;
}

/* ---- letters in either case ---- */

static locale_t letters;	/* of all scripts; 0: the system knows only those of ASCII */

static void find_letters(void)
{
	letters = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* Of a character that utf8_char() took for one. */
static uint32_t code_of(const char *s, size_t len)
{
	static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = (unsigned char)*s & first[len];

	for (size_t i = 1; i < len; i++)
		code = code << 6 | ((unsigned char)s[i] & 0x3f);
	return code;
}

static void put_code(struct buf *out, uint32_t c)
{
	if (c >= 0x10000)
		buf_putc(out, (char)(0xf0 | c >> 18));
	if (c >= 0x10000)
		buf_putc(out, (char)(0x80 | (c >> 12 & 0x3f)));
	else if (c >= 0x800)
		buf_putc(out, (char)(0xe0 | c >> 12));
	if (c >= 0x800)
		buf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
	else
		buf_putc(out, (char)(0xc0 | c >> 6));
	buf_putc(out, (char)(0x80 | (c & 0x3f)));
}

/* What \s of a JavaScript pattern takes, above ASCII. */
static bool is_blank(uint32_t c)
{
	return c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
	       c == 0x205f || c == 0x3000 || c == 0xfeff;
}

void utf8_plain(struct buf *out, const char *s)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	size_t left = strlen(s);

	must(pthread_once(&once, find_letters) == 0);
	for (size_t len; left; s += len, left -= len) {
		len = utf8_char(s, left);
		if (len > 1) {
			uint32_t c = code_of(s, len);

			if (is_blank(c))
				buf_putc(out, ' ');
			else
				put_code(out, letters ? (uint32_t)towlower_l((wint_t)c, letters) : c);
			continue;
		}
		len = 1;
		if (*s >= 'A' && *s <= 'Z')
			buf_putc(out, (char)(*s - 'A' + 'a'));
		else
			buf_putc(out, *s == '\t' || (*s >= '\n' && *s <= '\r') ? ' ' : *s);
	}
}
