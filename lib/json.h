/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing JSON into a buf: values in order, commas by itself, numbers in their
 * shortest form, strings escaped (also '<' as \u003c, so that JSON inside HTML stays
 * data). Reading is jansson's job (ingest/), behind typed getters of its users.
 */
#ifndef LIB_JSON_H
#define LIB_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

struct json {
	struct buf *out;
	bool comma;		/* a value stands before at this level */
};

/*
 * jansson exports functions of these three names, and a program's own would take their
 * place inside the library; so ours have other names for the linker. (One .c file
 * cannot include both headers: only ingest/jread_careful.c includes jansson.h.)
 */
#define JSON_LINK_NAME(name) __asm__(name)

static inline struct json json_begin(struct buf *out)
{
	return (struct json){ .out = out };
}

void json_object(struct json *j) JSON_LINK_NAME("json_w_object");	/* { */
void json_object_end(struct json *j);			/* } */
void json_array(struct json *j) JSON_LINK_NAME("json_w_array");	/* [ */
void json_array_end(struct json *j);			/* ] */
void json_key(struct json *j, const char *key);		/* "key": the next call gives its value */

void json_null(struct json *j) JSON_LINK_NAME("json_w_null");
void json_bool(struct json *j, bool b);
void json_i64(struct json *j, int64_t i);
void json_num(struct json *j, double d);		/* NaN and infinities become null */
void json_str(struct json *j, const char *s);		/* NULL becomes null; what is no UTF-8 becomes U+FFFD */
void json_strn(struct json *j, const char *s, size_t n);
void json_raw(struct json *j, const char *json);	/* text that is JSON already; NULL becomes null */

/* "key": value in one call. */
void json_kbool(struct json *j, const char *key, bool b);
void json_ki64(struct json *j, const char *key, int64_t i);
void json_knum(struct json *j, const char *key, double d);
void json_kstr(struct json *j, const char *key, const char *s);
void json_kraw(struct json *j, const char *key, const char *json);

#endif
