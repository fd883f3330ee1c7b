/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of JSON, one after the other: what jread_quick.c makes trees of, and submission_json_stream.c results
 * without one. Each takes what is surely good and returns false for anything else, good or bad: who calls
 * then has it read carefully, which also says what is wrong. Nothing at `end` or behind is looked at.
 */
#ifndef INGEST_JSCAN_H
#define INGEST_JSCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jscan {
	const char *p, *end;
};

struct jscan_text {
	const char *s;			/* between the quotes, as it stands */
	size_t n;
	bool escaped;			/* a backslash is in it: jscan_unescape() */
	bool as_is;			/* jsonw.c would write it so */
};

struct jscan_number {
	union {
		double num;
		int64_t i;
	};
	bool is_int;			/* i, else num */
	bool as_is;			/* jread_canonical() would write it as it stands */
};

static inline void jscan_blanks(struct jscan *q)
{
	/* mostly there is none, or one: told by one comparison */
	while (q->p < q->end && (unsigned char)*q->p <= ' ' &&
	       (*q->p == ' ' || *q->p == '\n' || *q->p == '\t' || *q->p == '\r'))
		q->p++;
}

static inline bool jscan_next(struct jscan *q, char c)
{
	bool is = q->p < q->end && *q->p == c;

	q->p += is;
	return is;
}

/* Behind the opening quote, to behind the closing one: UTF-8 without control characters. */
bool jscan_text(struct jscan *q, struct jscan_text *t);

/* What the text means, into room for t->n bytes: its length, or -1 for an escape that is none, NUL, or half a surrogate pair. */
long jscan_unescape(const struct jscan_text *t, char *to);

/* A number that a double, or for an integer 64 bits or a double, can hold. */
bool jscan_number(struct jscan *q, struct jscan_number *v);

/* The number as jread_num() gives it. */
static inline double jscan_double(const struct jscan_number *v)
{
	return v->is_int ? (double)v->i : v->num;
}

#endif
