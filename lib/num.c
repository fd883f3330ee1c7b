/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "num.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "num_decimal.h"

/* By hand: answers are full of counts and ids, and printf takes ten times as long. */
int num_format_i64(char out[NUM_MAX], int64_t i)
{
	char digits[20];
	uint64_t left = i < 0 ? -(uint64_t)i : (uint64_t)i;
	int n = 0, at = 0;

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

/* The n digits of v, and zeros up to 17 of them: without a loop, whose end a processor would guess wrong. */
static void put_digits(char *p, uint64_t v, int n)
{
	uint64_t low;

	v *= tens[17 - n];
	low = v % 10000000000000000;
	p[0] = (char)('0' + v / 10000000000000000);
	put_eight(p + 1, (uint32_t)(low / 100000000));
	put_eight(p + 9, (uint32_t)(low % 100000000));
}

/* The n digits of v with a point behind the first `whole` of them. */
static char *put_pointed(char *p, uint64_t v, int n, int whole)
{
	put_digits(p + 1, v, n);
	for (int i = 0; i < whole; i++)		/* mostly few: less than a call of memmove() */
		p[i] = p[i + 1];
	if (whole == n)
		return p + n;
	p[whole] = '.';
	return p + n + 1;
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
	struct num_decimal v;
	char *p = out;
	int n, whole;

	must(isfinite(d));
	if (fabs(d) < 1e15 && d == (double)(int64_t)d)	/* in this order: a cast out of range is undefined */
		return num_format_i64(out, (int64_t)d);
	v = num_decimal_of(d);
	n = count_digits(v.digits);
	whole = n + v.exponent;
	if (signbit(d))
		*p++ = '-';
	if (v.exponent < 0 && whole > 0) {
		p = put_pointed(p, v.digits, n, whole);
	} else if (v.exponent < 0 && v.exponent >= -(n + 3) + (n == 1)) {
		memcpy(p, "0.000000", 8);	/* at most three zeros behind the point */
		put_digits(p + 2 - whole, v.digits, n);
		p += 2 - whole + n;
	} else if (v.exponent >= 0 && v.exponent <= 5 - (n == 1)) {
		p = put_whole(p, fabs(d));
	} else {
		p = put_exponent(put_pointed(p, v.digits, n, 1), whole - 1);
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
