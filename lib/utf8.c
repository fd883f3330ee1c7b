/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "utf8.h"

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
