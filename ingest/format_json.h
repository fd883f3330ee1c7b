/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON as tools write it: with NaN in it, numbers as texts, several documents one after
 * the other, words of others between them.
 */
#ifndef INGEST_FORMAT_JSON_H
#define INGEST_FORMAT_JSON_H

#include "format.h"

/*
 * The whole file as one document of the wanted type (JREAD_OBJECT, JREAD_ARRAY;
 * JREAD_ABSENT: either). Bare NaN and Infinity (Python's json) are read as null, the
 * count of them in *mended where that is not NULL. Owner: the caller, jread_free().
 * NULL with err; `shape` says what was expected.
 */
struct jnode *format_json(struct format_file *f, enum jread_type want, const char *shape, size_t *mended, struct err *err);

/* A text of several documents, and lines that are none. */
struct format_json_stream {
	struct format_file *f;
	size_t at, line;		/* of the byte to come */
	size_t doc_line;		/* where the document given last begins */
	size_t doc_from, doc_to;
	size_t looked_at;		/* bytes, to find where broken documents end */
	bool mend;			/* NaN and Infinity become null */
};
void format_json_stream(struct format_json_stream *s, struct format_file *f);

/*
 * The next object of the stream; owner: the caller, jread_free(). NULL at the end, and
 * (with err->kind set) where one is broken; the stream goes on behind it, at the next line,
 * but not for ever: a text of nothing but beginnings is given up.
 */
struct jnode *format_json_next(struct format_json_stream *s, struct err *err);

/* A number, or a text that is one: NaN for all else. */
double format_json_number(const struct jnode *v);

/* A member's text, or NULL. */
const char *format_json_text(const struct jnode *object, const char *key);

/* The node behind several keys, NULL-terminated; NULL where one is not there. */
const struct jnode *format_json_at(const struct jnode *v, ...) __attribute__((sentinel));

/* v[i] of an array, or v itself as the only one. */
size_t format_json_count(const struct jnode *v);
const struct jnode *format_json_item(const struct jnode *v, size_t i);

/* "BASE/3" */
const char *format_json_place(struct arena *a, const char *base, size_t index);

/* An object as text for a draft's environment; arena. */
const char *format_json_copy(struct draft *d, const struct jnode *object);

/* The next item's own part of the file is v, which makes its identity: a history that grows can be sent again. */
void format_json_part(struct format_file *f, const struct jnode *v);

/* For sniffing: whether "KEY" stands somewhere in the text as a whole string. */
bool format_json_has(const char *text, size_t len, const char *key);

#endif
