/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules: when an alert is raised, and how often that was. */
#ifndef SERVER_DB_RULES_H
#define SERVER_DB_RULES_H

#include "db.h"

enum rule_kind { RULE_STEP, RULE_LIMIT, RULE_BASELINE };
extern const char *const db_rules_kinds[];	/* words by kind; NULL-terminated */

struct db_rule {
	int64_t id;
	const char *name;
	enum rule_kind kind;
	const char *selector;		/* JSON object {"benchmark": ["mm/..."], ...} */
	double percent;			/* the least change that counts */
	bool worse, better;		/* which directions it looks at */
	const char *confidence;		/* the least a verdict has: "none", "weak", "strong" */
	double above, below;		/* of a limit, in the metric's unit; NaN: no such side */
	const char *unit;		/* a limit is of series of this unit; NULL: of any */
	const char *baseline;		/* a kernel, as given; or NULL */
	const char *const *tell;		/* names of targets, beside those of the benchmark */
	size_t n_tell;
	const char *note;		/* or NULL */
	bool enabled;
	const char *origin;		/* "default", "api", "file" */
	int64_t created_at, changed_at, last_matched_at, last_fired_at;
};

/* Those there are, by id. only_enabled: for those who check. */
int db_rules_list(struct db *db, struct arena *a, bool only_enabled, struct db_rule **rules, size_t *n, struct err *err);
int db_rules_get(struct db *db, struct arena *a, int64_t id, struct db_rule **rule, struct err *err);
/* Makes it where id is 0 (and sets id), else replaces what that rule says. ERR_CONFLICT: the name is taken. */
int db_rules_put(struct db *db, struct db_rule *rule, struct err *err);
int db_rules_delete(struct db *db, int64_t id, struct err *err);
/* They saw something of theirs, or raised an alert, now. */
int db_rules_touch(struct db *db, const int64_t *matched, size_t n_matched, const int64_t *fired, size_t n_fired,
		   struct err *err);

#endif
