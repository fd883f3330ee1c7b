/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `nsecwatch bisect`: is this kernel as the good one was, or as the bad one? For `git bisect run`: exit codes
 * 0 good, 1 bad, 125 can't tell; 128 where a person has to look.
 */
#ifndef CLIENT_BISECT_H
#define CLIENT_BISECT_H

#include "options.h"

#define BISECT_CANT_TELL 125
#define BISECT_ABORT 128	/* git bisect run stops at this; 1 to 124 would say that a commit is bad */

/* The commands; their exit codes. */
int bisect_start(struct arena *a, const struct options *o);
int bisect_judge(struct arena *a, const struct options *o);
int bisect_log(struct arena *a, const struct options *o);

#endif
