/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which cost of a sweep changed: the verdicts on its fixed part, its part per unit, and all sizes together. */
#ifndef SERVER_CALC_SWEEP_JUDGE_H
#define SERVER_CALC_SWEEP_JUDGE_H

#include "calc_sweep.h"

/* Tests every ratio of s, with q over all of them. The rows behind the points are there already. */
void calc_sweep_judge(struct arena *a, struct sweep *s);

/* "fixed", "per_unit", "overall": names of the API. */
const char *calc_sweep_judge_cost_word(enum sweep_cost c);

#endif
