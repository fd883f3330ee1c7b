/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "num.h"

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "num_decimal.h"

static void put_pair(char *p, uint32_t v)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
				    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";

	memcpy(p, pairs + 2 * v, 2);
}

static void put_eight(char *p, uint32_t v)
{
	uint32_t high = v / 10000, low = v % 10000;

	put_pair(p, high / 100);
	put_pair(p + 2, high % 100);
	put_pair(p + 4, low / 100);
	put_pair(p + 6, low % 100);
}

/* 1, 10, ..., 10^19: the least numbers of 1, 2, ... digits */
static const uint64_t tens[] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000,
	1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000,
	1000000000000000000, 10000000000000000000u,
};

static int count_digits(uint64_t v)
{
	int n = (64 - __builtin_clzll(v)) * 1233 >> 12;		/* bits by log10(2): right, or one too few */

	return n + (v >= tens[n]);
}

/* Inlined, digits stay in registers; through memory they take a third longer. */
#define INLINE static inline __attribute__((always_inline))

/* A decimal of 17 digits: value = 0.fab * 10^whole. */
struct digits {
	uint64_t a, b;		/* eight each behind the first one, as text, the first one in the lowest byte */
	char first;
	int n;			/* without the zeros at the end */
	int whole;		/* digits before the point */
};

/* The digits of v below 10^8, a byte each, the first one lowest: halved three times, side by side. */
static uint64_t eight_digits(uint32_t v)
{
	uint64_t high = v / 10000, x;

	x = ((uint64_t)v << 32) - high * ((UINT64_C(10000) << 32) - 1);
	high = (x * 10486 >> 20) & UINT64_C(0x0000007f0000007f);	/* x / 100 below 10^4 */
	x = (x << 16) - high * ((100 << 16) - 1);
	high = (x * 103 >> 10) & UINT64_C(0x000f000f000f000f);		/* x / 10 below 100 */
	return (x << 8) - high * ((10 << 8) - 1);
}

static int significant(uint64_t a, uint64_t b)
{
	return b ? 17 - __builtin_clzll(b) / 8 : a ? 9 - __builtin_clzll(a) / 8 : 1;
}

static struct digits digits_of(double d)
{
	const uint64_t zeros = UINT64_C(0x3030303030303030);
	struct num_decimal v = num_decimal_quick(d);
	struct digits t;
	uint64_t top, few;
	uint32_t first;

	if (!v.digits) {
		int missing;

		v = num_decimal_of(d);
		missing = 17 - count_digits(v.digits);
		v.digits *= tens[missing];
		v.exponent -= missing;
	}
	few = v.digits < tens[16];
	v.digits *= 1 + 9 * few;
	top = v.digits / 100000000;
	first = (uint32_t)top / 100000000;
	t.a = eight_digits((uint32_t)top - first * 100000000);
	t.b = eight_digits((uint32_t)(v.digits - top * 100000000));
	t.n = significant(t.a, t.b);
	t.a |= zeros;
	t.b |= zeros;
	t.first = (char)('0' + first);
	t.whole = v.exponent + 17 - (int)few;
	return t;
}

static void put_word(char *p, uint64_t w)
{
	w = htole64(w);
	memcpy(p, &w, sizeof(w));
}

/* By hand: answers are full of counts and ids, and printf takes ten times as long. */
int num_format_i64(char out[NUM_MAX], int64_t i)
{
	char digits[20];
	uint64_t left = i < 0 ? -(uint64_t)i : (uint64_t)i;
	int n = 0, at = 0;

	if (i >= 0 && left < 100000000) {	/* most: the digits behind the zeros before them */
		uint64_t eight = eight_digits((uint32_t)left);

		n = eight ? __builtin_ctzll(eight) / 8 : 7;
		put_word(out, (eight | UINT64_C(0x3030303030303030)) >> 8 * n);
		out[8 - n] = 0;
		return 8 - n;
	}
	do
		digits[n++] = (char)('0' + left % 10);
	while (left /= 10);
	if (i < 0)
		out[at++] = '-';
	while (n)
		out[at++] = digits[--n];
	out[at] = 0;
	return at;
}

/* All 17 digits, of which the first n count. */
INLINE char *put_digits(char *p, const struct digits *t)
{
	p[0] = t->first;
	put_word(p + 1, t->a);
	put_word(p + 9, t->b);
	return p + t->n;
}

/* w with a point behind its first n bytes; its last byte falls off. */
static inline uint64_t pointed(uint64_t w, int n)
{
	uint64_t before = (UINT64_C(1) << 8 * n) - 1;

	return (w & before) | (uint64_t)'.' << 8 * n | (w & ~before) << 8;
}

/* The digits with a point behind the first `whole` (1 to 16) of them; no point behind all. */
INLINE char *put_pointed(char *p, const struct digits *t, int whole)
{
	p[0] = t->first;
	if (whole <= 8) {
		put_word(p + 1, pointed(t->a, whole - 1));
		put_word(p + 9, t->b << 8 | t->a >> 56);
	} else {
		put_word(p + 1, t->a);
		put_word(p + 9, pointed(t->b, whole - 9));
	}
	p[17] = (char)(t->b >> 56);
	return p + t->n + (t->n > whole);
}

/* A whole number below 10^22, every digit as it is. */
static char *put_whole(char *p, double d)
{
	unsigned __int128 v = (unsigned __int128)d;
	uint64_t low = (uint64_t)(v % 10000000000);

	p += num_format_i64(p, (int64_t)(v / 10000000000));
	put_eight(p, (uint32_t)(low / 100));
	put_pair(p + 8, (uint32_t)(low % 100));
	return p + 10;
}

static char *put_exponent(char *p, int e)
{
	*p++ = 'e';
	*p++ = e < 0 ? '-' : '+';
	e = abs(e);
	if (e >= 100)
		*p++ = (char)('0' + e / 100);
	put_pair(p, (uint32_t)(e % 100));
	return p + 2;
}

/* As std::to_chars() would, in the notation that is shorter; but a whole number below 10^15 never has an exponent. */
int num_format(char out[NUM_MAX], double d)
{
	struct digits t;
	char *p = out;

	must(isfinite(d));
	if (fabs(d) < 1e15 && d == (double)(int64_t)d)	/* in this order: a cast out of range is undefined */
		return num_format_i64(out, (int64_t)d);
	t = digits_of(d);
	*p = '-';
	p += signbit(d) != 0;
	if (t.whole > 0 && t.n > t.whole) {
		p = put_pointed(p, &t, t.whole);
	} else if (t.whole <= 0 && t.whole >= -3 + (t.n == 1)) {
		memcpy(p, "0.000000", 8);
		p = put_digits(p + 2 - t.whole, &t);
	} else if (t.whole >= t.n && t.whole - t.n <= 5 - (t.n == 1)) {
		p = put_whole(p, fabs(d));
	} else {
		p = put_exponent(put_pointed(p, &t, 1), t.whole - 1);
	}
	*p = 0;
	return (int)(p - out);
}

/* Decimal grammar only: strtod() alone would take "0x1p3", "inf" and leading blanks. */
static int is_decimal(const char *s, size_t n, int integer)
{
	size_t i = 0, digits = 0;

	if (i < n && (s[i] == '-' || s[i] == '+'))
		i++;
	for (; i < n && s[i] >= '0' && s[i] <= '9'; i++)
		digits++;
	if (!integer && i < n && s[i] == '.')
		for (i++; i < n && s[i] >= '0' && s[i] <= '9'; i++)
			digits++;
	if (!digits)
		return 0;
	if (!integer && i < n && (s[i] == 'e' || s[i] == 'E')) {
		i++;
		if (i < n && (s[i] == '-' || s[i] == '+'))
			i++;
		if (i == n)
			return 0;
		while (i < n && s[i] >= '0' && s[i] <= '9')
			i++;
	}
	return i == n;
}

int num_parse(const char *s, size_t n, double *d)
{
	char text[64];

	if (n >= sizeof(text) || !is_decimal(s, n, 0))
		return -1;
	memcpy(text, s, n);
	text[n] = 0;
	*d = strtod(text, NULL);
	return isfinite(*d) ? 0 : -1;
}

int num_parse_i64(const char *s, size_t n, int64_t *i)
{
	char text[32];

	if (n >= sizeof(text) || !is_decimal(s, n, 1))
		return -1;
	memcpy(text, s, n);
	text[n] = 0;
	errno = 0;
	*i = strtoll(text, NULL, 10);
	return errno ? -1 : 0;
}
