/* SPDX-License-Identifier: GPL-2.0-or-later */
/* multipart/form-data (RFC 7578, RFC 2046) cut into its parts. One pass, nothing is copied but names. */
#ifndef INGEST_READ_FORM_H
#define INGEST_READ_FORM_H

#include <stddef.h>

#include "../lib/arena.h"
#include "../lib/err.h"

#define READ_FORM_PARTS_MAX 1000
#define READ_FORM_HEAD_MAX 8192		/* bytes of a part's headers */

struct read_form_part {
	const char *name;
	const char *filename, *type;	/* or NULL */
	const char *body;		/* borrowed */
	size_t len;
};

struct read_form {
	struct read_form_part *parts;
	size_t n;
};

/* -1 with ERR_BAD_ARGUMENT (ERR_TOO_LARGE, ERR_TYPE) where it is no such form. */
int read_form(struct arena *a, const char *body, size_t len, const char *content_type, struct read_form *out,
	      struct err *err);

#endif
