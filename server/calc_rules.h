/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules with their selectors resolved, and what they say of a change. The same for watch, which raises
 * alerts by them, and for the dry run, which asks what they would have done.
 */
#ifndef SERVER_CALC_RULES_H
#define SERVER_CALC_RULES_H

#include "calc_compare.h"
#include "calc_selector.h"
#include "db_rules.h"

struct calc_rule {
	struct db_rule rule;
	struct calc_selector on;
	const struct cat_kernel *baseline;	/* of RULE_BASELINE; NULL: not known (yet) */
	bool matched, fired;		/* for whoever counts */
};

/* From the rule's row. -1: the selector is wrong. Values that name nothing (yet) select nothing. */
int calc_rules_resolve(struct calc_rule *r, const struct db_rule *rule, struct catalog *c, struct db *db,
		       struct arena *a, struct err *err);

/* Whether it looks at this series on this track. */
bool calc_rules_selects(const struct calc_rule *r, const struct cat_series *series, const char *track);

/* A series that went from one value to another. */
struct calc_rule_step {
	const struct cat_series *series;
	const struct cat_kernel *from, *to;
	double from_center, to_center, percent;
	enum compare_verdict verdict;
	enum compare_confidence confidence;
};
/* Whether the rule is breached by a step of a series that it selects; then *regression. */
bool calc_rules_fires(const struct calc_rule *r, const struct calc_rule_step *step, bool *regression);

/* What "above" or "below" of a unit is in the unit that is stored; *canonical NULL without a unit. */
double calc_rules_limit(struct arena *a, double limit, const char *unit, const char **canonical);

#endif
