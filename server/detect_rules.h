/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules that watch goes by: which step raises an alert. */
#ifndef SERVER_DETECT_RULES_H
#define SERVER_DETECT_RULES_H

#include "calc_rules.h"
#include "detect.h"
#include "detect_mutes.h"

struct detect_rules {
	const struct detect *d;
	struct calc_rule *list;
	size_t n;
	struct detect_mutes mutes;
	bool apart;			/* what is compared are no neighbours: who has a finer word for it keeps it */
};

/* Reads them; lives in `a`. A rule whose selector is wrong is logged and left out. */
int detect_rules_load(struct detect_rules *rules, const struct detect *d, struct db *db, struct arena *a,
		      struct err *err);
/*
 * The rules that this row breaches into `breached` (room for all of them), in order: the first gives *regression, and others
 * stand there where they agree with it. Returns how many.
 */
size_t detect_rules_breached(const struct detect_rules *rules, const struct compare *cmp, const struct compare_row *row,
			     const struct calc_rule **breached, bool *regression);
/* In the transaction: which have seen something of theirs, and which have fired. */
int detect_rules_touch(const struct detect_rules *rules, struct db *db, struct arena *a, struct err *err);

#endif
