/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the two halves of the reader of our own format: the head and the results. */
#ifndef INGEST_SUBMISSION_JSON_IMPL_H
#define INGEST_SUBMISSION_JSON_IMPL_H

#include "jread.h"
#include "submission_build.h"

#define SUBMISSION_JSON_IGNORED "unknown field, ignored"

/* The array "results" of a submission into the draft. */
void submission_json_results(struct draft *d, const struct jnode *root);

/*
 * The same from its text, which `in` stands at the '[' of, to behind its ']'; what it is as canonical JSON is added to out. False
 * where something is odd or wrong: the draft is no good then, all has to be read anew by way of a tree.
 */
bool submission_json_stream(struct draft *d, struct jscan *in, struct buf *out);

/* A warning (`what`) for each member of the object, at place `at`, that is not among the known ones. */
void submission_json_unknown(struct draft *d, const struct jnode *object, const char *at, const char *const *known,
			     const char *what);

#endif
