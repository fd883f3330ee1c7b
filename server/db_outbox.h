/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outbox: what is to be delivered, to whom, once each. A row waits, and ends as sent
 * or dead. It is claimed by a lease (busy_until, renewed while the attempt lasts) and
 * counting the attempt; a sender that dies leaves a row that is free when its lease is over.
 */
#ifndef SERVER_DB_OUTBOX_H
#define SERVER_DB_OUTBOX_H

#include "db.h"

enum outbox_kind { OUTBOX_WEBHOOK, OUTBOX_MAIL, OUTBOX_SLACK, OUTBOX_MATTERMOST, OUTBOX_MATRIX, OUTBOX_KINDS };

#define OUTBOX_DEFAULT "default"	/* the target that the options name */

struct outbox_item {
	int64_t id;
	enum outbox_kind kind;
	const char *target;		/* a mail address, or the name of a webhook */
	const char *event;		/* "opened", "weekly-2026-02-09" */
	bool has_alert;			/* else it is a digest */
	struct uuid alert_id;
	const char *idempotency_key;
	int64_t created_at;
	int64_t attempts;		/* the claimed one counted: 1 at the first */
	const char *subject, *body;	/* NULL until db_outbox_write_down() */
};

const char *db_outbox_kind_word(enum outbox_kind kind);
int db_outbox_kind_parse(const char *word, enum outbox_kind *kind);

/* The key of what `what` ("ALERT-opened", "digest-weekly-2026-02-09") tells a target. */
#define OUTBOX_KEY 160
const char *db_outbox_key(char out[OUTBOX_KEY], const char *what, enum outbox_kind kind, const char *target);

/* In a transaction with what it tells: one row for this alert, event and target unless it is there. */
int db_outbox_add(struct db *db, enum outbox_kind kind, const char *target, const struct uuid *alert_id,
		  const char *event, struct err *err);

/* What a sender can deliver: mails, if it has a mail server, and to which webhooks. */
struct outbox_able {
	bool mail;
	const char *const *targets;
	size_t n;
	int settle_s;			/* an alert's text waits so long for more runs of its kernels; 0: it does not */
};
#define OUTBOX_SETTLE_TIMES 10		/* so many times as long it waits at most */
/* Leases the row that is due longest among these: *item NULL when none is. */
int db_outbox_claim(struct db *db, struct arena *a, const struct outbox_able *able, int lease_s,
		    struct outbox_item **item, struct err *err);
/* Renews leases. */
int db_outbox_hold(struct db *db, const int64_t *ids, size_t n, int lease_s, struct err *err);
/* Keeps the texts for all attempts; the first writer wins, and *item has what is kept. */
int db_outbox_write_down(struct db *db, struct arena *a, struct outbox_item *item, const char *subject,
			 const char *body, struct err *err);
int db_outbox_sent(struct db *db, const struct outbox_item *item, struct err *err);
/* Due again in delay_ms, or dead (delay_ms < 0), unless the lease is no longer ours. */
int db_outbox_failed(struct db *db, const struct outbox_item *item, int64_t delay_ms, const char *why,
		     struct err *err);
/* Not before `until`; the claim does not count as an attempt. */
int db_outbox_put_off(struct db *db, const struct outbox_item *item, int64_t until, struct err *err);
/* Ends what none of these is for and has been due for so long that nobody else delivers it either: *n of them. */
int db_outbox_bury(struct db *db, const struct outbox_able *able, int overdue_s, int64_t *n, struct err *err);

/*
 * Whether `at` is in the quiet hours from .. to (minutes of the day in that time zone, over
 * midnight where from > to): *until is their end, or TM_NONE.
 */
int db_outbox_quiet(struct db *db, int64_t at, const char *zone, int from, int to, int64_t *until, struct err *err);

/* How the deliveries of an alert stand, digests that tell of it counted in. */
struct outbox_state {
	enum outbox_kind kind;
	const char *state;		/* "waiting", "sent", "dead" */
	int64_t attempts;
	const char *last_error;		/* or NULL */
	int64_t next_try, sent_at;	/* sent_at TM_NONE: not yet */
};
int db_outbox_of_alert(struct db *db, struct arena *a, const struct uuid *alert_id, struct outbox_state **list,
		       size_t *n, struct err *err);

/* Deliveries as their list shows them, newest first. */
struct outbox_row {
	struct outbox_item item;	/* without body */
	const char *state, *last_error, *again_by;
	int64_t next_try, sent_at, dead_at, again_at;
};
struct outbox_filter {
	const char *const *states, *const *kinds;	/* NULL: any */
	size_t n_states, n_kinds;
	const struct uuid *alert_id;			/* or NULL */
	int64_t before_id;				/* INT64_MAX: from the top */
};
extern const char *const db_outbox_states[];		/* NULL-terminated */
int db_outbox_list(struct db *db, struct arena *a, const struct outbox_filter *f, int limit,
		   struct outbox_row **list, size_t *n, struct err *err);
int db_outbox_get(struct db *db, struct arena *a, int64_t id, struct outbox_row **row, struct err *err);
int db_outbox_count(struct db *db, int64_t *waiting, int64_t *dead, struct err *err);
/* Due now, a dead one with all its tries before it; *found: there is such a row, and it was not sent. */
int db_outbox_again(struct db *db, int64_t id, const char *who, bool *found, struct err *err);

#endif
