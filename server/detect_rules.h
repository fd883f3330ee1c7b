/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules with their selectors resolved: which step raises an alert. */
#ifndef SERVER_DETECT_RULES_H
#define SERVER_DETECT_RULES_H

#include "calc_compare.h"
#include "detect.h"

struct detect_rule {
	struct db_rule rule;
	bool everything;		/* no selector */
	struct selection sel;
};

struct detect_rules {
	const struct detect *d;
	struct detect_rule *list;
	size_t n;
};

/* Reads them; lives in `a`. A rule whose selector is wrong is logged and left out. */
int detect_rules_load(struct detect_rules *rules, const struct detect *d, struct db *db, struct arena *a,
		      struct err *err);
/* The first rule that this row breaches, or NULL. */
const struct detect_rule *detect_rules_breached(const struct detect_rules *rules, const struct compare_row *row,
						const char *track);

#endif
