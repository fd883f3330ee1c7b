/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Uploads are long lists of small objects that programs wrote, and jansson took longer to
 * read them than all else together took to store them. This reads what such programs write, and gives up
 * on the first byte that it is not sure of: it never says what is wrong, and need not know.
 */
#include "jread_own.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/must.h"

#define DEPTH_MAX 64		/* recursion; deeper ones are refused before, or read carefully */
#define MEMBERS_MAX 128		/* of an object: each new key is compared with all before it */
#define DIGITS_MAX 18		/* that surely fit 64 bits */
#define NUMBER_MAX 64		/* bytes of a number that is left to strtod() */

struct quick {
	const char *p, *end;
	char *text;			/* where the next string goes; the slice's length is room for all */
	struct arena *arena;
	struct jnode *open;		/* a stack: the children so far of all that is open */
	size_t n, cap;
	unsigned depth;
};

static bool value(struct quick *q, struct jnode *v);

static void skip_blanks(struct quick *q)
{
	while (q->p < q->end && (*q->p == ' ' || *q->p == '\n' || *q->p == '\t' || *q->p == '\r'))
		q->p++;
}

static bool next_is(struct quick *q, char c)
{
	bool is = q->p < q->end && *q->p == c;

	q->p += is;
	return is;
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
	return 0;			/* u, or nothing known */
}

/* Behind the opening quote, to behind the closing one. */
static bool string(struct quick *q, const char **s, uint32_t *n)
{
	const char *p = q->p;
	char *to = q->text;

	for (; p < q->end; p++) {
		unsigned char c = (unsigned char)*p;

		if (c == '"') {
			*to = '\0';
			*s = q->text;
			*n = (uint32_t)(to - q->text);
			q->text = to + 1;
			q->p = p + 1;
			return true;
		}
		if (c < 0x20 || c > 0x7e)
			return false;
		if (c == '\\') {
			if (++p == q->end)
				return false;
			c = (unsigned char)unescaped(*p);
			if (!c)
				return false;
		}
		*to++ = (char)c;
	}
	return false;
}

struct digits {
	uint64_t value;
	unsigned n;
	int power;			/* of ten, that the value is to be multiplied by */
	bool real;
};

static bool read_digits(struct quick *q, struct digits *d, int power)
{
	const char *from = q->p;

	for (; q->p < q->end && *q->p >= '0' && *q->p <= '9'; q->p++) {
		if (d->n++ < DIGITS_MAX)
			d->value = d->value * 10 + (uint64_t)(*q->p - '0');
		d->power += power;
	}
	return q->p > from;
}

static bool read_exponent(struct quick *q, struct digits *d)
{
	struct digits e = { 0 };
	bool minus;

	if (!next_is(q, 'e') && !next_is(q, 'E'))
		return true;
	d->real = true;
	minus = next_is(q, '-');
	if (!minus)
		next_is(q, '+');
	if (!read_digits(q, &e, 0) || e.n > 4)
		return false;
	d->power += minus ? -(int)e.value : (int)e.value;
	return true;
}

/* Exact: both are doubles without rounding, so their product or quotient is rounded once (Clinger, PLDI 1990). */
static bool small_real(const struct digits *d, double *num)
{
	static const double tens[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
				       1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

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
static bool long_integer(const char *from, const char *to, struct jnode *v)
{
	char text[NUMBER_MAX];

	if (!number_text(from, to, text))
		return false;
	errno = 0;
	v->i = strtoll(text, NULL, 10);
	v->is_int = errno != ERANGE;
	return v->is_int || big_real(from, to, &v->num);
}

static bool number(struct quick *q, struct jnode *v)
{
	const char *from = q->p;
	bool minus = next_is(q, '-');
	struct digits d = { 0 };

	v->type = JREAD_NUMBER;
	if (next_is(q, '0'))
		d.n = 1;
	else if (!read_digits(q, &d, 0))
		return false;
	if (next_is(q, '.')) {
		d.real = true;
		if (!read_digits(q, &d, -1))
			return false;
	}
	if (!read_exponent(q, &d))
		return false;
	v->is_int = !d.real;
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

static bool word(struct quick *q, struct jnode *v, const char *w, enum jread_type type, bool truth)
{
	size_t n = strlen(w);

	if ((size_t)(q->end - q->p) < n || memcmp(q->p, w, n))
		return false;
	q->p += n;
	v->type = (uint8_t)type;
	v->truth = truth;
	return true;
}

static struct jnode *push(struct quick *q)
{
	if (q->n == q->cap) {
		q->cap = q->cap ? q->cap * 2 : 256;
		q->open = realloc(q->open, q->cap * sizeof(*q->open));
		must(q->open != NULL);
	}
	return memset(&q->open[q->n++], 0, sizeof(*q->open));
}

static bool member_key(struct quick *q, size_t first, const char **key)
{
	uint32_t n;

	if (!next_is(q, '"') || !string(q, key, &n) || !n || q->n - first >= MEMBERS_MAX)
		return false;
	for (size_t i = first; i < q->n; i++)
		if (!strcmp(q->open[i].key, *key))
			return false;
	skip_blanks(q);
	if (!next_is(q, ':'))
		return false;
	skip_blanks(q);
	return true;
}

/* Behind the opening bracket. The children are gathered on the stack: their own would be gathered above them. */
static bool children(struct quick *q, struct jnode *v, bool object)
{
	char close = object ? '}' : ']';
	size_t first = q->n;

	v->type = object ? JREAD_OBJECT : JREAD_ARRAY;
	skip_blanks(q);
	if (next_is(q, close))
		return true;
	do {
		struct jnode child = { 0 };

		skip_blanks(q);
		if ((object && !member_key(q, first, &child.key)) || !value(q, &child))
			return false;
		*push(q) = child;
		skip_blanks(q);
	} while (next_is(q, ','));
	v->n = (uint32_t)(q->n - first);
	v->child = arena_array(q->arena, struct jnode, v->n);
	memcpy(v->child, q->open + first, v->n * sizeof(*v->child));
	q->n = first;
	return next_is(q, close);
}

static bool value(struct quick *q, struct jnode *v)
{
	bool good;

	if (q->p == q->end)
		return false;
	switch (*q->p) {
	case '"':
		q->p++;
		v->type = JREAD_STRING;
		return string(q, &v->str, &v->n);
	case '{':
	case '[':
		if (++q->depth > DEPTH_MAX)
			return false;
		good = children(q, v, *q->p++ == '{');
		q->depth--;
		return good;
	case 't':
		return word(q, v, "true", JREAD_BOOL, true);
	case 'f':
		return word(q, v, "false", JREAD_BOOL, false);
	case 'n':
		return word(q, v, "null", JREAD_NULL, false);
	}
	return number(q, v);
}

bool jread_quick_parse(const struct jread_slice *slice, struct jread_doc *doc)
{
	struct quick q = { .p = slice->text, .end = slice->text + slice->len, .arena = doc->arena };
	bool good;

	if (slice->len >= UINT32_MAX)
		return false;
	/* a string and its NUL take no more than the string and its quotes */
	q.text = arena_alloc(doc->arena, slice->len + 1);
	skip_blanks(&q);
	good = value(&q, &doc->root);
	skip_blanks(&q);
	free(q.open);
	return good && q.p == q.end;
}
