/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our own format, nsecwatch.submission/1, into a submission. */
#ifndef INGEST_SUBMISSION_JSON_H
#define INGEST_SUBMISSION_JSON_H

#include "jread.h"
#include "submission.h"
#include "submission_build.h"

#define SUBMISSION_JSON_SCHEMA "nsecwatch.submission/1"

/* NULL, with err and everything that is wrong in err->problems. `now`: a missing started_at. */
struct submission *submission_json_read(struct arena *a, const struct jnode *root, int64_t now, struct err *err);

/*
 * The same of a text that is good and as most programs write it, in a fraction of the time. NULL, and no
 * word of why, for any other: jread_parse() and submission_json_read() tell.
 */
struct submission *submission_json_quick(struct arena *a, const struct jread_slice *slice, int64_t now);

/*
 * Begins a draft with all that the object says but its results (to have some is wrong):
 * they come from elsewhere. What is wrong is in d->problems; give it back with
 * submission_build_fini().
 */
void submission_json_context(struct arena *a, const struct jnode *root, int64_t now, struct draft *d);

#endif
