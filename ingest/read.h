/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The front door of ingest/: bytes of any supported format in, submissions out. The
 * table of formats is in format.c; the one narrow reader of our own JSON in
 * submission_json.c can be exchanged for a faster one without anybody noticing.
 */
#ifndef INGEST_READ_H
#define INGEST_READ_H

#include "submission.h"

/* Context that a foreign format does not carry: from the query, or the lab client. NULL = not said. */
struct read_context {
	const char *format;		/* NULL: our JSON; "auto": by content; else a name of the table */
	const char *filename;		/* hint, may carry the kernel (the reproducer's folder) */
	const char *machine, *isa, *uarch, *kernel, *thp, *boot_id, *benchmark, *started_at;
	const char *base_page_kib;	/* text: checked here */
	const char *(*labels)[2];	/* n_labels pairs key, value */
	size_t n_labels;
	int64_t now;			/* usec: what a missing started_at becomes */
};

#define READ_ITEMS_MAX 10000		/* submissions in one body */

struct read_item {			/* one submission of a body, good or bad */
	size_t index;			/* in the answer: of the array, or of the line */
	struct submission *sub;		/* NULL: it is bad, and err says why */
	struct err err;			/* kind ERR_INVALID with problems, ... */
	const char *raw;		/* its bytes, borrowed from the body */
	size_t raw_len;
	const char *raw_type;		/* their media type; NULL: as the request says */
};

struct read_result {
	struct read_item *items;
	size_t n;
	bool many;			/* the body was an array (or a stream): answer with items[] */
};

/*
 * Reads a whole body. -1 only where nothing of it can be read (not JSON, an unknown
 * format, too deep: err); else 0 and one item per submission, in order. Everything
 * lives in `a`.
 */
int read_body(struct arena *a, const char *body, size_t len, const struct read_context *ctx,
	      struct read_result *out, struct err *err);

/* The same for a stream: a submission a line, blank lines between them count as lines only. */
int read_ndjson(struct arena *a, const char *body, size_t len, const struct read_context *ctx,
		struct read_result *out, struct err *err);

/*
 * The same for multipart/form-data: a part "context", a submission without results,
 * and parts "result", files. What they measured under that kernel is one submission; a
 * file that names other kernels adds one for each. `content_type` names the boundary.
 */
int read_multipart(struct arena *a, const char *body, size_t len, const char *content_type,
		   const struct read_context *ctx, struct read_result *out, struct err *err);

/* The names of the table of formats, NULL-terminated, for help texts and errors. */
const char *const *read_format_names(void);

#endif
