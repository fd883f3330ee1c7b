/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_lifecycle.h"

#include <string.h>

#define OPEN "suspect new acknowledged reported fix-posted"
#define ENDED "fixed accepted invalid muted"

const char *const calc_lifecycle_words[] = {
	[LIFECYCLE_ACKNOWLEDGE] = "acknowledge", [LIFECYCLE_ASSIGN] = "assign",	   [LIFECYCLE_COMMENT] = "comment",
	[LIFECYCLE_REPORT] = "report",		 [LIFECYCLE_FIX_POSTED] = "fix-posted", [LIFECYCLE_FIXED] = "fixed",
	[LIFECYCLE_ACCEPT] = "accept",		 [LIFECYCLE_INVALID] = "invalid",   [LIFECYCLE_REOPEN] = "reopen",
	[LIFECYCLE_MUTE] = "mute",		 [LIFECYCLE_NUDGE] = "nudge",	   [LIFECYCLE_MERGE] = "merge",
	[LIFECYCLE_SPLIT] = "split",		 [LIFECYCLE_ACTIONS] = NULL,
};

static const struct {
	const char *from;		/* states, with a blank between */
	const char *to;			/* NULL: stays as it is */
	const char *instead;		/* what else to do where it is refused */
} table[] = {
	[LIFECYCLE_ACKNOWLEDGE] = { "suspect new", "acknowledged", "only a suspect or new one can be; reopen what has ended" },
	[LIFECYCLE_ASSIGN] = { OPEN " " ENDED, NULL, "" },
	[LIFECYCLE_COMMENT] = { OPEN " " ENDED, NULL, "" },
	[LIFECYCLE_REPORT] = { OPEN, "reported", "reopen it first" },
	[LIFECYCLE_FIX_POSTED] = { OPEN, "fix-posted", "reopen it first" },
	[LIFECYCLE_FIXED] = { OPEN, "fixed", "reopen it first" },
	[LIFECYCLE_ACCEPT] = { OPEN " muted", "accepted", "reopen it first" },
	[LIFECYCLE_INVALID] = { OPEN " muted", "invalid", "reopen it first" },
	[LIFECYCLE_REOPEN] = { ENDED, "new", "only what is fixed, accepted, invalid or muted can be" },
	[LIFECYCLE_MUTE] = { OPEN, "muted", "reopen it first" },
	[LIFECYCLE_NUDGE] = { OPEN " " ENDED, NULL, "" },
	[LIFECYCLE_MERGE] = { OPEN, "invalid", "reopen it first" },
	[LIFECYCLE_SPLIT] = { OPEN, NULL, "reopen it first" },
};

static bool is_among(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = words; *p; p += strcspn(p, " "), p += strspn(p, " "))
		if (strcspn(p, " ") == n && !strncmp(p, word, n))
			return true;
	return false;
}

bool calc_lifecycle_is_open(const char *state)
{
	return is_among(OPEN, state);
}

const char *calc_lifecycle_next(enum lifecycle_action action, const char *state, struct err *err)
{
	if (!is_among(table[action].from, state)) {
		err_set(err, ERR_CONFLICT, "%s: the alert is %s: %s", calc_lifecycle_words[action], state, table[action].instead);
		return NULL;
	}
	/* a link to the report of what has a fix already takes no step back */
	if (!table[action].to || (action == LIFECYCLE_REPORT && !strcmp(state, "fix-posted")))
		return state;
	return table[action].to;
}
