/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the read*.c files only: what streams and forms are made of. */
#ifndef INGEST_READ_IMPL_H
#define INGEST_READ_IMPL_H

#include "jread.h"
#include "read.h"

/*
 * One submission as JSON into an item, good or bad. -1 where it cannot be parsed: item->err
 * is ERR_BAD_JSON, *syntax as jread_parse() has it.
 */
int read_impl_json(struct arena *a, const struct jread_slice *slice, int64_t now, struct read_item *item,
		   bool *syntax);

/* A file of a foreign format, as read_body() does it. */
int read_impl_file(struct arena *a, const char *text, size_t len, const struct read_context *ctx,
		   struct read_result *out, struct err *err);

struct read_mended {			/* bytes that were no UTF-8 */
	size_t bytes, line;		/* how many, and where the first is */
};

/*
 * A file of a foreign format as UTF-8, in the arena where it had to be mended (what is
 * no JSON may come in an old locale). -1 where it is empty, or no text.
 */
int read_impl_text(struct arena *a, const char **text, size_t *len, struct read_mended *mended, struct err *err);

/* Where the text stops being UTF-8 (without NUL), or len. */
size_t read_impl_utf8_bad(const char *s, size_t len);

/* The first argument of the context that says something of the run, or NULL. */
const char *read_impl_argument(const struct read_context *ctx);

/* -1 where a body has more submissions than we take. */
int read_impl_check_count(size_t n, struct err *err);

#endif
