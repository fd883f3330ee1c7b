/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The results of one side of a local comparison. */
#ifndef CLIENT_LOCAL_READ_H
#define CLIENT_LOCAL_READ_H

#include "../ingest/submission.h"
#include "../lib/buf.h"
#include "options.h"

struct local_value {
	const struct submission *sub;
	const struct result *result;
	uint64_t boot_key;		/* the same for runs of one boot */
};

struct local_input {
	const char *path;		/* as given */
	const char *kernel;		/* name, or NULL: no file says it */
	struct local_value *values;	/* failed results are among them */
	size_t n, cap;
	size_t runs;
};

/* The machine of files that do not say theirs. */
#define LOCAL_READ_NOBODY "local"

/*
 * Reads path (a file, a folder with all below it, "-"). kernel: the one that counts where it holds several, or NULL.
 * ERR_NOT_FOUND: it holds nothing of that one.
 */
int local_read(struct arena *a, const struct options *o, const char *path, const char *kernel, const char *kernel_option,
	       struct local_input *in, struct err *err);

/* The same for a text that is in memory; path names it. */
int local_read_text(struct arena *a, const struct options *o, const char *path, const struct buf *text, const char *kernel,
		    const char *kernel_option, struct local_input *in, struct err *err);

#endif
