/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading JSON: the one narrow interface between the readers of ingest/ and what parses
 * it: a quick parser of our own for what most programs write, jansson for the rest and
 * for saying what is wrong. A document is checked for depth before. Strings are borrowed
 * from the document: copy what must outlive jread_free().
 */
#ifndef INGEST_JREAD_H
#define INGEST_JREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lib/arena.h"
#include "../lib/buf.h"
#include "../lib/err.h"
#include "jscan.h"

struct jnode;			/* a value of a parsed document */

enum jread_type { JREAD_ABSENT, JREAD_NULL, JREAD_BOOL, JREAD_NUMBER, JREAD_STRING, JREAD_ARRAY, JREAD_OBJECT };

struct jread_slice {		/* one element of a top-level array, or the whole text */
	const char *text;
	size_t len;
	size_t line;		/* of its first byte in the whole, from 1 */
};

struct jread_split {
	bool is_array;
	struct jread_slice *slices;	/* one, unless is_array */
	size_t n;
};

/* The whole of a text, without the blanks at its end. */
struct jread_slice jread_whole(const char *text, size_t len);

/*
 * Cuts a text that starts with '[' into its elements without parsing them, and refuses
 * what nests deeper than depth_max (within an element). 0, or -1 with ERR_BAD_JSON.
 */
int jread_split(struct arena *a, const char *text, size_t len, size_t depth_max, struct jread_split *out,
		struct err *err);

/* -1 with ERR_BAD_JSON when a slice nests deeper than depth_max; nothing else of it is checked. */
int jread_check_depth(const struct jread_slice *slice, size_t depth_max, struct err *err);

/*
 * Parses one slice; owner: the caller, jread_free(). NULL with ERR_BAD_JSON; then
 * *syntax tells bytes that are no JSON at all from JSON that we refuse (a key twice,
 * a number no double can hold, NUL in a string).
 */
struct jnode *jread_parse(const struct jread_slice *slice, bool *syntax, struct err *err);

/* A long array that is not to become nodes: take() reads it from `in`, which stands at its '[', to behind its ']'. */
struct jread_stream {
	const char *key;		/* of the outermost object's member */
	unsigned depth_max;		/* of all else */
	bool (*take)(void *cls, struct jscan *in);	/* false: not this way */
	void *cls;
};

/*
 * Parses a document whose member stream->key, where it is an array, take() reads; in the document that is an array
 * without elements. NULL, and no word of why, for what is not surely good or what take() refused: read it
 * by jread_parse() then. Owner as there.
 */
struct jnode *jread_stream(const struct jread_slice *slice, const struct jread_stream *stream);
void jread_free(struct jnode *root);			/* accepts NULL */

enum jread_type jread_type(const struct jnode *v);	/* JREAD_ABSENT for NULL */
const char *jread_word(enum jread_type type);		/* "text", "a number", ... for messages */
size_t jread_len(const struct jnode *v);		/* elements of an array or object */
const struct jnode *jread_get(const struct jnode *object, const char *key);	/* NULL: not there */
const struct jnode *jread_at(const struct jnode *array, size_t i);
bool jread_bool(const struct jnode *v);
double jread_num(const struct jnode *v);
bool jread_int(const struct jnode *v, int64_t *i);	/* false: no number, or not an integer of 64 bits */
const char *jread_str(const struct jnode *v);		/* borrowed; NULL when it is no string */

/* The members of an object in their order: for (m = jread_first(o); m; m = jread_next(o, m)) */
struct jmember;
const struct jmember *jread_first(const struct jnode *object);
const struct jmember *jread_next(const struct jnode *object, const struct jmember *m);
const char *jread_key(const struct jmember *m);
const struct jnode *jread_value(const struct jmember *m);

/*
 * The value as compact JSON with sorted keys and shortest numbers (1.0 is 1), without
 * the top-level members named in `leave_out` (NULL-terminated, or NULL): equal for
 * equal documents, however they were spelled.
 */
void jread_canonical(const struct jnode *v, const char *const *leave_out, struct buf *out);

/* The same, where the member `key` of the object v is not its own value but `text`, which is canonical already. */
void jread_canonical_with(const struct jnode *v, const char *const *leave_out, const char *key, const struct buf *text,
			  struct buf *out);

/* Writes "BASE/KEY" with the key escaped as RFC 6901 wants. */
char *jread_pointer(struct arena *a, const char *base, const char *key);

#endif
