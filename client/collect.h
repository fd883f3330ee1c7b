/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this machine is and runs, as a submission without results: read from /proc and
 * /sys, without privileges. What cannot be read is left out, and said.
 */
#ifndef CLIENT_COLLECT_H
#define CLIENT_COLLECT_H

#include "options.h"

/*
 * The context as compact JSON, in the arena. With `tell`, standard error says what was
 * left out and why; else in *left_out is what was, as one line ("" for nothing). bench: what
 * "bench" of the environment is, JSON, or NULL for none.
 */
const char *collect_context(struct arena *a, const struct options *o, const char *bench, bool tell, const char **left_out);

int collect(struct arena *a, const struct options *o);	/* the command; its exit code */

#endif
