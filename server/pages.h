/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What pages are made of, for those that make other pages of it. */
#ifndef SERVER_PAGES_H
#define SERVER_PAGES_H

#include "web.h"

/* NAME.html of static/ with these placeholders filled in, and those that all pages have. values end with name NULL. */
struct pages_value {
	const char *name, *text;
};
int pages_fill(struct req *rq, const char *file, const struct pages_value *values, struct err *err);

/* A file of static/, compiled in or from --static DIR; NULL: none. Lives as long as the request. */
const struct embed_file *pages_file(struct req *rq, const char *path);
/* Text with what HTML would take for markup escaped. */
void pages_escape(struct buf *out, const char *text);
/* Percent-encoded but for what a path and a query's values may hold plainly. */
void pages_percent(struct buf *out, const char *text);

#endif
