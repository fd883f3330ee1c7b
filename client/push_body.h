/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file of results and the context it was measured in, as the one request that says
 * both. What the file says by itself wins; the context of another machine, kernel or
 * boot than the file's is not put on it.
 */
#ifndef CLIENT_PUSH_BODY_H
#define CLIENT_PUSH_BODY_H

#include <stdint.h>

#include "../ingest/jread.h"
#include "../lib/buf.h"
#include "options.h"
#include "spool.h"

struct push_context {
	struct jnode *root;		/* a submission without results */
	const char *machine, *kernel, *boot_id;	/* of it, borrowed; or NULL */
	bool collected;			/* here and now, not read from a file that goes with the results */
	int64_t boot_usec;		/* when this boot began; 0: not known */
};

/* From --context, or of this machine. push_body_context_end() frees. */
int push_body_context(struct arena *a, const struct options *o, struct push_context *c, struct err *err);
void push_body_context_end(struct push_context *c);

struct push_file {
	const char *path, *about;	/* "-" is told as "standard input" */
	struct buf text;
	int64_t changed_usec;		/* when the file was written; 0: now */
};

/* Makes the request in *e, in the arena. -1: it is no use to send it (err). Notes go to standard error. */
int push_body_make(struct arena *a, const struct options *o, const struct push_context *c,
		   const struct push_file *f, struct spool_entry *e, struct err *err);

#endif
