/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "num.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"

int num_format(char out[NUM_MAX], double d)
{
	int n = 0;

	must(isfinite(d));
	if (fabs(d) < 1e15 && d == (double)(int64_t)d)	/* in this order: a cast out of range is undefined */
		return snprintf(out, NUM_MAX, "%lld", (long long)d);
	/* %g drops zeros: fewer than 15 digits give no shorter text, but for subnormals */
	for (int digits = fabs(d) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
		n = snprintf(out, NUM_MAX, "%.*g", digits, d);
		if (strtod(out, NULL) == d)
			break;
	}
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
