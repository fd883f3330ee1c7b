/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jscan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/plain.h"
#include "../lib/utf8.h"

#define DIGITS_MAX 18		/* that surely fit 64 bits */
#define NUMBER_MAX 64		/* bytes of a number that is left to strtod() */
#define SHORTEST_MAX UINT64_C(1000000000000000)	/* decimals of 15 digits all differ as doubles: none has a shorter form */

/* ---- texts ---- */

/* Past one character that is not plain. */
static bool odd_character(const char **at, const char *end, struct jscan_text *t)
{
	const char *p = *at;
	unsigned char c = (unsigned char)*p;
	size_t n = 1;

	if (c >= 0x80) {
		n = utf8_char(p, (size_t)(end - p));
	} else if (c == '\\') {
		t->escaped = true;
		t->as_is = false;
		n = end - p < 2 ? 0 : 2;
	} else if (c < 0x20) {
		n = 0;
	} else {			/* '<' and DEL, which jsonw.c escapes */
		t->as_is = false;
	}
	*at = p + n;
	return n > 0;
}

bool jscan_text(struct jscan *q, struct jscan_text *t)
{
	const char *p = q->p;

	*t = (struct jscan_text){ .s = p, .as_is = true };
	for (;;) {
		p += plain_run(p, (size_t)(q->end - p));
		if (p == q->end)
			return false;
		if (*p == '"')
			break;
		if (!odd_character(&p, q->end, t))
			return false;
	}
	t->n = (size_t)(p - t->s);
	q->p = p + 1;
	return true;
}

static char unescaped(char c)
{
	switch (c) {
	case '"':
	case '\\':
	case '/':
		return c;
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	}
	return 0;
}

/* Behind \u; -1 when these are no four hex digits. */
static long hex4(const char *p, const char *end)
{
	long code = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = p[i] | 0x20;
		int digit = p[i] >= '0' && p[i] <= '9' ? p[i] - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

		if (digit < 0)
			return -1;
		code = code << 4 | digit;
	}
	return code;
}

/* The character of \uXXXX, or of two that are a surrogate pair; p behind the u, moved past it all. -1: none. */
static long code_point(const char **p, const char *end)
{
	long high = hex4(*p, end), low;

	if (high <= 0)
		return -1;
	*p += 4;
	if (high < 0xd800 || high > 0xdfff)
		return high;
	if (high > 0xdbff || end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u')
		return -1;
	low = hex4(*p + 2, end);
	*p += 6;
	return low < 0xdc00 || low > 0xdfff ? -1 : 0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00));
}

static char *put_utf8(char *to, long c)
{
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c >= 0x10000) {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
	} else if (c >= 0x800) {
		*to++ = (char)(0xe0 | c >> 12);
	}
	*to++ = (char)(c >= 0x800 ? 0x80 | (c >> 6 & 0x3f) : 0xc0 | c >> 6);
	*to++ = (char)(0x80 | (c & 0x3f));
	return to;
}

long jscan_unescape(const struct jscan_text *t, char *to)
{
	const char *p = t->s, *end = t->s + t->n;
	char *from = to;

	while (p < end) {
		const char *slash = memchr(p, '\\', (size_t)(end - p));
		size_t n = (size_t)((slash ? slash : end) - p);
		char c;

		memmove(to, p, n);
		to += n;
		p += n;
		if (!slash)
			break;
		c = p[1];		/* jscan_text() saw to it that there is one */
		p += 2;
		if (c == 'u') {
			long code = code_point(&p, end);

			if (code < 0)
				return -1;
			to = put_utf8(to, code);
		} else if (unescaped(c)) {
			*to++ = unescaped(c);
		} else {
			return -1;
		}
	}
	return to - from;
}

/* ---- numbers ---- */

struct digits {
	uint64_t value;			/* right where n is no more than DIGITS_MAX */
	size_t n;
	int power;			/* of ten, that the value is to be multiplied by */
};

static inline bool read_digits(struct jscan *q, struct digits *d)
{
	const char *p = q->p, *end = q->end;
	uint64_t value = d->value;
	unsigned char digit;

	for (; p < end && (digit = (unsigned char)(*p - '0')) < 10; p++)
		value = value * 10 + digit;
	d->value = value;
	d->n += (size_t)(p - q->p);
	if (p == q->p)
		return false;
	q->p = p;
	return true;
}

static bool read_exponent(struct jscan *q, struct digits *d)
{
	struct digits e = { 0 };
	bool minus = jscan_next(q, '-');

	if (!minus)
		jscan_next(q, '+');
	if (!read_digits(q, &e) || e.n > 4)
		return false;
	d->power += minus ? -(int)e.value : (int)e.value;
	return true;
}

static const double tens[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
			       1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

/* Exact: both are doubles without rounding, so their product or quotient is rounded once (Clinger, PLDI 1990). */
static bool small_real(const struct digits *d, double *num)
{
	if (d->n > DIGITS_MAX || d->value > UINT64_C(1) << 53 || d->power < -22 || d->power > 22)
		return false;
	*num = d->power < 0 ? (double)d->value / tens[-d->power] : (double)d->value * tens[d->power];
	return true;
}

static bool number_text(const char *from, const char *to, char text[NUMBER_MAX])
{
	if (to - from >= NUMBER_MAX)
		return false;
	memcpy(text, from, (size_t)(to - from));
	text[to - from] = '\0';
	return true;
}

static bool big_real(const char *from, const char *to, double *num)
{
	char text[NUMBER_MAX];

	if (!number_text(from, to, text))
		return false;
	*num = strtod(text, NULL);
	return isfinite(*num);
}

/* Past 64 bits an integer is a number as any other: the nearest double. */
static bool long_integer(const char *from, const char *to, struct jscan_number *v)
{
	char text[NUMBER_MAX];

	if (!number_text(from, to, text))
		return false;
	errno = 0;
	v->i = strtoll(text, NULL, 10);
	v->is_int = errno != ERANGE;
	return v->is_int || big_real(from, to, &v->num);
}

/*
 * Digits, a point, digits, the last one not 0, at most 15 that count, and at most two zeros behind "0.":
 * so num_format() writes it, too.
 */
static bool is_shortest(const struct digits *d, char last)
{
	return last != '0' && d->n <= DIGITS_MAX && d->value < SHORTEST_MAX &&
	       (d->power > -4 || (d->power >= -22 && (double)d->value >= tens[-d->power - 3]));
}

bool jscan_number(struct jscan *q, struct jscan_number *v)
{
	const char *from = q->p;
	bool minus = jscan_next(q, '-'), exponent;
	struct digits d = { 0 };

	if (jscan_next(q, '0'))
		d.n = 1;
	else if (!read_digits(q, &d))
		return false;
	v->is_int = true;
	if (q->p < q->end && *q->p == '.') {
		const char *point = q->p++;

		if (!read_digits(q, &d))
			return false;
		d.power = -(int)(q->p - point - 1);
		v->is_int = false;
	}
	exponent = q->p < q->end && (*q->p == 'e' || *q->p == 'E');
	v->as_is = v->is_int ? d.n <= DIGITS_MAX && !(minus && !d.value) : !exponent && is_shortest(&d, q->p[-1]);
	if (exponent) {
		q->p++;
		v->is_int = v->as_is = false;
		if (!read_exponent(q, &d))
			return false;
	}
	if (v->is_int && d.n > DIGITS_MAX)
		return long_integer(from, q->p, v);
	if (v->is_int) {
		v->i = minus ? -(int64_t)d.value : (int64_t)d.value;
		return true;
	}
	if (!small_real(&d, &v->num))
		return big_real(from, q->p, &v->num);
	v->num = minus ? -v->num : v->num;
	return true;
}
