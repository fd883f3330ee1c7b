/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one rule says of a series at a kernel, in words. */
#ifndef SERVER_CALC_EXPLAIN_RULE_H
#define SERVER_CALC_EXPLAIN_RULE_H

#include "calc_explain.h"

/* step NULL: there is none, as of a first kernel; a baseline is looked up for itself. */
int calc_explain_rule(struct catalog *c, struct db *db, struct arena *a, const struct calc_rule *r,
		      const struct calc_rule_step *step, const struct cat_series *series, const struct cat_kernel *kernel,
		      struct explain_rule *out, struct err *err);

#endif
