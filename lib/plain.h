/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes that stand in a JSON string as they are: printable ASCII but for the quote, the backslash and,
 * so that JSON inside HTML stays data, '<'. What jsonw.c writes without a look back, and ingest/ reads so.
 */
#ifndef LIB_PLAIN_H
#define LIB_PLAIN_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool plain_char(unsigned char c)
{
	return c >= 0x20 && c != '"' && c != '\\' && c != '<' && c < 0x7f;
}

/*
 * Of eight bytes side by side: 0 when all are plain; else the lowest set bit is the top bit of the first that is not
 * (those behind it may be marked wrongly). "Determine if a word has a zero byte", Bit Twiddling Hacks (Anderson).
 */
static inline uint64_t plain_stops(uint64_t w)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
	uint64_t bad = (w - ones * 0x20) | w;			/* below 0x20, above 0x7f */

	bad |= ((w ^ ones * '"') - ones) | ((w ^ ones * '\\') - ones) | ((w ^ ones * '<') - ones) |
	       ((w ^ ones * 0x7f) - ones);
	return bad & tops;
}

/* How many bytes from the start are plain. */
static inline size_t plain_run(const char *s, size_t n)
{
	uint64_t w, stops;
	size_t i = 0;

	for (; n - i >= 8; i += 8) {
		memcpy(&w, s + i, 8);
		stops = plain_stops(le64toh(w));
		if (stops)
			return i + (size_t)__builtin_ctzll(stops) / 8;
	}
	while (i < n && plain_char((unsigned char)s[i]))
		i++;
	return i;
}

#endif
