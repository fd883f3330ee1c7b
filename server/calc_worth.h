/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a step that a rule fires at is worth: told to people, shown as a suspect, or neither, and why. By watch, which goes by
 * it, and by those who are asked why there is an alert, or why not.
 */
#ifndef SERVER_CALC_WORTH_H
#define SERVER_CALC_WORTH_H

#include "calc_trend.h"

enum calc_worth {
	WORTH_NONE,		/* of no alert */
	WORTH_SUSPECT,		/* one boot */
	WORTH_PROVEN,		/* two boots or runs */
};

/* A series with as many kernels knows by itself what single boots are worth: they are left to change detection. */
#define CALC_WORTH_LONG TREND_LEVELS_LEAST

/* Kernel after kernel of a series, in order. */
struct calc_worth_point {
	double log_mean;
	int64_t boots;
};

/*
 * Of the step from point i - 1 to point i; those two before and the one after are looked at, where there are. lasting: the
 * series has CALC_WORTH_LONG kernels or more. siblings: others of its run say the same. *why (which may be NULL): half a
 * sentence, in which %s stands for the kernel of point i.
 */
enum calc_worth calc_worth_step(const struct calc_worth_point *p, size_t n, size_t i, bool lasting, bool siblings,
				const char **why);

/* Of a change of level that is strong enough to look at. *why: likewise. */
enum calc_worth calc_worth_level(const struct trend_change *c, const char **why);

/* Of a value beyond a limit, or worse than a baseline: by the boots of its kernel alone. */
enum calc_worth calc_worth_boots(int64_t boots, const char **why);

#endif
