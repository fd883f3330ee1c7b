/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An action on an alert, done: the state it leads to, what it says, and the event that tells so, in one
 * transaction. By people (API) and by watch, which sees fixes arrive and fixed things come back.
 */
#ifndef SERVER_CALC_TRIAGE_H
#define SERVER_CALC_TRIAGE_H

#include "calc_lifecycle.h"
#include "calc_select.h"
#include "calc_still.h"
#include "db_events.h"
#include "db_triage.h"

struct triage {
	enum lifecycle_action action;
	const char *who;
	const char *text;		/* comment, reason; or NULL */
	const char *url, *commit;	/* of a report or a fix; or NULL */
	bool assigns, sets_due;		/* whether the two that follow are said; NULL and TM_NONE take them away */
	const char *assignee;
	int64_t due_at;
	const struct cat_kernel *from, *to;	/* nudge; NULL: stays */
	struct uuid into;			/* merge */
	int64_t mute_id;			/* mute: by this one; 0: by one of its own, */
	int64_t until;				/* until then (TM_NONE: no end) */
	const int64_t *series_ids;		/* split */
	size_t n_series;
	/* of `fixed`: what the data say; NULL: not looked at */
	const struct cat_kernel *fixed_in;
	double restored_percent;		/* NaN: not known */
	bool verified;
	bool has_key;
	struct uuid key;			/* the sender's own id of the event */
	/* out */
	struct db_event *event;
	struct uuid made;			/* split: the new alert */
	bool repeated;				/* the key was there: nothing was done now */
};

/* ERR_NOT_FOUND, ERR_CONFLICT (not from this state), ERR_INVALID. Lives in `a`. */
int calc_triage_do(struct catalog *c, struct db *db, struct arena *a, const struct uuid *alert_id, struct triage *t,
		   struct err *err);
/* The same in a transaction that is under way. */
int calc_triage_in_tx(struct catalog *c, struct db *db, struct arena *a, const struct uuid *alert_id,
		      struct triage *t, struct err *err);

/*
 * Whether `kernel` (NULL: the first without it) and all measured after it are without the change: fills in fixed_in,
 * restored_percent and verified. A sentence of what the data say, or NULL.
 */
const char *calc_triage_verify(struct arena *a, const struct still *still, const struct cat_kernel *kernel,
			       struct triage *t);

/* Fields of an alert's object: what triage says of it; and of the whole alert, still and events. */
void calc_triage_json(struct jsonw *j, const struct calc_alert *al);
void calc_triage_details_json(struct jsonw *j, const struct calc_alert *al);
void calc_triage_event_fields(struct jsonw *j, const struct db_event *e);	/* of an object that is open */
void calc_triage_event_json(struct jsonw *j, const struct db_event *e);

#endif
