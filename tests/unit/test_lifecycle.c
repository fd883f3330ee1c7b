/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "../../server/calc_lifecycle.h"
#include "../../server/db_alerts.h"
#include "tap.h"

static void leads(const char *from, enum lifecycle_action action, const char *to)
{
	struct err err = { 0 };
	const char *got = calc_lifecycle_next(action, from, &err);

	ok(got && !strcmp(got, to), "%s: %s -> %s", calc_lifecycle_words[action], from, got ? got : err.message);
}

static void refused(const char *from, enum lifecycle_action action)
{
	struct err err = { 0 };
	const char *got = calc_lifecycle_next(action, from, &err);

	ok(!got && err.kind == ERR_CONFLICT && strstr(err.message, from), "%s is refused: %s", calc_lifecycle_words[action],
	   err.message);
}

/* Whatever the state and the action: a known state comes out, or a refusal. */
static void every_pair(void)
{
	size_t strangers = 0, dead_ends = 0;

	for (size_t s = 0; db_alerts_states[s]; s++) {
		size_t ways = 0;

		for (int a = 0; a < LIFECYCLE_ACTIONS; a++) {
			struct err err = { 0 };
			const char *to = calc_lifecycle_next((enum lifecycle_action)a, db_alerts_states[s], &err);
			size_t k = 0;

			while (to && db_alerts_states[k] && strcmp(db_alerts_states[k], to))
				k++;
			strangers += to && !db_alerts_states[k];
			ways += to && strcmp(to, db_alerts_states[s]);
		}
		dead_ends += !ways;
	}
	ok(!strangers, "no action leads to a state that there is not");
	ok(!dead_ends, "no state is without a way out");
}

int main(void)
{
	leads("suspect", LIFECYCLE_ACKNOWLEDGE, "acknowledged");
	leads("new", LIFECYCLE_ACKNOWLEDGE, "acknowledged");
	leads("new", LIFECYCLE_REPORT, "reported");
	leads("acknowledged", LIFECYCLE_FIX_POSTED, "fix-posted");
	leads("fix-posted", LIFECYCLE_REPORT, "fix-posted");
	leads("fix-posted", LIFECYCLE_FIXED, "fixed");
	leads("new", LIFECYCLE_ACCEPT, "accepted");
	leads("muted", LIFECYCLE_INVALID, "invalid");
	leads("fixed", LIFECYCLE_REOPEN, "new");
	leads("invalid", LIFECYCLE_COMMENT, "invalid");
	leads("reported", LIFECYCLE_MERGE, "invalid");
	refused("acknowledged", LIFECYCLE_ACKNOWLEDGE);
	refused("fixed", LIFECYCLE_FIXED);
	refused("accepted", LIFECYCLE_REPORT);
	refused("new", LIFECYCLE_REOPEN);
	refused("invalid", LIFECYCLE_SPLIT);
	every_pair();
	ok(calc_lifecycle_is_open("suspect") && calc_lifecycle_is_open("fix-posted") && !calc_lifecycle_is_open("muted") &&
	   !calc_lifecycle_is_open("fixed") && !calc_lifecycle_is_open("fix"), "open and ended");
	return done();
}
