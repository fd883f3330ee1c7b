/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files compiled into the program: pages, migrations, demo data. tools/embed.sh makes the tables. */
#ifndef SERVER_EMBED_H
#define SERVER_EMBED_H

#include <stddef.h>

struct embed_file {
	const char *path;		/* "sweep.html", "0001_start.sql", "vendor/uPlot.esm.js" */
	const char *etag;		/* 16 hex digits of the SHA-256 */
	const unsigned char *data;	/* followed by a NUL */
	size_t len;
	const unsigned char *gzip;	/* NULL when not smaller */
	size_t gzip_len;
};

/* Sorted by path; end with path NULL. */
extern const struct embed_file embed_static[], embed_schema[], embed_demo[];

const struct embed_file *embed_find(const struct embed_file *table, const char *path);

#endif
