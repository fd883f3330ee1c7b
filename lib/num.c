/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "num.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"

int num_shortest(char *out, int size, double d);	/* num_shortest.cc */

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

int num_format(char out[NUM_MAX], double d)
{
	int n;

	must(isfinite(d));
	if (fabs(d) < 1e15 && d == (double)(int64_t)d)	/* in this order: a cast out of range is undefined */
		return num_format_i64(out, (int64_t)d);	/* to_chars() would write 1e+06 */
	n = num_shortest(out, NUM_MAX - 1, d);
	out[n] = 0;
	return n;
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
