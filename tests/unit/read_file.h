/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Test data: whole files, and read_body() in one call. Run from the repository's root. */
#ifndef TESTS_READ_FILE_H
#define TESTS_READ_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../ingest/read.h"

#define NOW INT64_C(1798761600000000)	/* 2027-01-01T00:00:00Z */

/* The file with a NUL behind it, in the arena; NULL when it cannot be read. */
__attribute__((unused)) static char *read_file(struct arena *a, const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *p;
	long n;

	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	n = ftell(f);
	rewind(f);
	p = arena_alloc(a, (size_t)n + 1);
	*len = fread(p, 1, (size_t)n, f);
	p[*len] = 0;
	fclose(f);
	return p;
}

/* A body in memory of exactly its length, so that a reader past its end is seen. */
__attribute__((unused)) static int read_text(struct arena *a, const char *text, size_t len, struct read_context ctx,
					     struct read_result *r, struct err *err)
{
	char *exact = malloc(len ? len : 1);
	int ret;

	memcpy(exact, text, len);
	ctx.now = ctx.now ? ctx.now : NOW;
	*err = (struct err){ 0 };
	ret = read_body(a, exact, len, &ctx, r, err);
	free(exact);	/* nothing but item.raw points into the body */
	return ret;
}

#endif
