/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life of an alert: suspect -> new -> acknowledged -> reported -> fix-posted -> fixed, or accepted,
 * invalid, muted. Which action leads where, and which is refused. A table, no data.
 */
#ifndef SERVER_CALC_LIFECYCLE_H
#define SERVER_CALC_LIFECYCLE_H

#include <stdbool.h>

#include "../lib/err.h"

enum lifecycle_action {
	LIFECYCLE_ACKNOWLEDGE,
	LIFECYCLE_ASSIGN,
	LIFECYCLE_COMMENT,
	LIFECYCLE_REPORT,
	LIFECYCLE_FIX_POSTED,
	LIFECYCLE_FIXED,
	LIFECYCLE_ACCEPT,
	LIFECYCLE_INVALID,
	LIFECYCLE_REOPEN,
	LIFECYCLE_MUTE,
	LIFECYCLE_NUDGE,
	LIFECYCLE_MERGE,
	LIFECYCLE_SPLIT,
	LIFECYCLE_ACTIONS,
};

extern const char *const calc_lifecycle_words[];	/* by action; NULL-terminated */

/* The state after the action; equal to `state` where it changes none. NULL with ERR_CONFLICT: not from this one. */
const char *calc_lifecycle_next(enum lifecycle_action action, const char *state, struct err *err);
bool calc_lifecycle_is_open(const char *state);		/* somebody has still to do something */

#endif
