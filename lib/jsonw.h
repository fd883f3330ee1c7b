/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JSON writer, into a buf: values in order, commas by itself, numbers in their
 * shortest form, strings escaped (also '<' as \u003c, so that JSON inside HTML stays
 * data). Reading is jansson's job (ingest/), behind typed getters of its users.
 */
#ifndef LIB_JSONW_H
#define LIB_JSONW_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "buf.h"

struct jsonw {
	struct buf *out;
	bool comma;		/* a value stands before at this level */
	double last;		/* the last number and where its text stands: it often comes again at once */
	size_t last_at;
	unsigned last_len;	/* 0: none */
};

static inline struct jsonw jsonw_begin(struct buf *out)
{
	return (struct jsonw){ .out = out };
}

void jsonw_object(struct jsonw *j);			/* { */
void jsonw_object_end(struct jsonw *j);			/* } */
void jsonw_array(struct jsonw *j);			/* [ */
void jsonw_array_end(struct jsonw *j);			/* ] */
void jsonw_key(struct jsonw *j, const char *key);		/* "key": the next call gives its value */

void jsonw_null(struct jsonw *j);
void jsonw_bool(struct jsonw *j, bool b);
void jsonw_i64(struct jsonw *j, int64_t i);
void jsonw_num(struct jsonw *j, double d);		/* NaN and infinities become null */
void jsonw_str(struct jsonw *j, const char *s);		/* NULL becomes null; what is no UTF-8 becomes U+FFFD */
void jsonw_strn(struct jsonw *j, const char *s, size_t n);
void jsonw_raw(struct jsonw *j, const char *json);	/* text that is JSON already; NULL becomes null */

/* jsonw_key() of a literal that has nothing to escape, for what is written ten thousand times in one answer. */
#define JSONW_KEY(j, literal) jsonw_piece(j, "\"" literal "\":", sizeof(literal) + 2)

/* A comma where one is due, then n bytes, behind which a value is due. */
static inline void jsonw_piece(struct jsonw *j, const char *text, size_t n)
{
	char *p = buf_room(j->out, n + 1);

	*p = ',';
	p += j->comma;
	memcpy(p, text, n);
	p[n] = 0;
	j->out->len += n + j->comma;
	j->comma = false;
}

/* "key": value in one call. */
void jsonw_kbool(struct jsonw *j, const char *key, bool b);
void jsonw_ki64(struct jsonw *j, const char *key, int64_t i);
void jsonw_knum(struct jsonw *j, const char *key, double d);
void jsonw_kstr(struct jsonw *j, const char *key, const char *s);
void jsonw_kraw(struct jsonw *j, const char *key, const char *json);

#endif
