/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why there is an alert, or why not: what watch makes of one series at one kernel, step by step, with each rule's own
 * answer. It goes by the same rules and the same measure of evidence, over what is measured now.
 */
#ifndef SERVER_CALC_EXPLAIN_H
#define SERVER_CALC_EXPLAIN_H

#include "calc_expect.h"
#include "calc_rules.h"
#include "calc_why.h"
#include "calc_worth.h"
#include "db_alerts.h"
#include "db_mutes.h"

#define CALC_EXPLAIN_MOST 200	/* series at once */

struct explain_rule {
	const struct db_rule *rule;
	bool selects, fires;
	const char *text;		/* a sentence: by what it fires, or what is missing */
};

enum explain_outcome {
	EXPLAIN_ALERT,			/* there is one, whatever its state */
	EXPLAIN_PENDING,		/* a run waits for its check */
	EXPLAIN_NOT_MEASURED,
	EXPLAIN_FIRST,			/* nothing before it */
	EXPLAIN_NO_RULE,		/* that looks at the series */
	EXPLAIN_NOT_FIRED,
	EXPLAIN_NO_EVIDENCE,		/* one fires, at what is worth nothing yet */
	EXPLAIN_NOT_RAISED,		/* it should be there: the rule is newer than the check, or the story older */
};
const char *calc_explain_word(enum explain_outcome o);	/* "alert", "not_fired" */

struct explain {
	const struct cat_series *series;
	const struct cat_kernel *from, *to;	/* from NULL: there is nothing before */
	/* the step; meaningless where not measured or first */
	double before, after, percent;
	enum compare_verdict verdict;
	enum compare_confidence confidence;
	double q, noise_percent;	/* NaN: none */
	int64_t from_boots, to_boots;
	bool level;			/* a change of the level of a long series */
	struct why why;			/* text NULL: there is no test */
	enum calc_worth worth;
	const char *worth_text;		/* a sentence */
	struct explain_rule *rules;	/* all, in order; the first that fires counts */
	size_t n_rules;
	const struct explain_rule *fired;	/* or NULL */
	const struct db_mute **mutes;	/* in force, of this series */
	size_t n_mutes;
	const struct calc_expect *expects;	/* of its machine and benchmark */
	size_t n_expects;
	const struct db_alert *alert;	/* or NULL */
	enum explain_outcome outcome;
	const char *sentence;
	const char *next;		/* what would make it an alert; NULL: nothing in particular */
};

/* One each of the selection, which has at most CALC_EXPLAIN_MOST, in the order of compare. Lives in `a`. */
int calc_explain(struct catalog *c, struct db *db, struct arena *a, const struct selection *sel,
		 const struct cat_kernel *kernel, struct explain **out, struct err *err);

#endif
