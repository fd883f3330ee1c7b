/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outbox: what is to be delivered, once each. A row is claimed by pushing its
 * next_try ahead (the lease) and counting the attempt, sent, and then marked; a sender
 * that dies leaves a row that is due again when its lease is over.
 */
#ifndef SERVER_DB_OUTBOX_H
#define SERVER_DB_OUTBOX_H

#include "db.h"

enum outbox_kind { OUTBOX_WEBHOOK, OUTBOX_MAIL };

struct outbox_item {
	int64_t id;
	enum outbox_kind kind;
	struct uuid alert_id;
	const char *idempotency_key;
	int64_t created_at;
	int64_t attempts;		/* the claimed one counted: 1 at the first */
	const char *subject, *body;	/* NULL until db_outbox_write_down() */
};

const char *db_outbox_kind_word(enum outbox_kind kind);

/* In a transaction with what it tells: one row for this alert and event ("opened") unless it is there. */
int db_outbox_add(struct db *db, enum outbox_kind kind, const struct uuid *alert_id, const char *event,
		  struct err *err);
/* Leases the row of this kind that is due longest: *item NULL when none is. */
int db_outbox_claim(struct db *db, struct arena *a, enum outbox_kind kind, int lease_s, struct outbox_item **item,
		    struct err *err);
/* Keeps the texts for all attempts; the first writer wins, and *item has what is kept. */
int db_outbox_write_down(struct db *db, struct arena *a, struct outbox_item *item, const char *subject,
			 const char *body, struct err *err);
int db_outbox_sent(struct db *db, const struct outbox_item *item, struct err *err);
/* Due again in delay_ms, unless the lease is no longer ours. */
int db_outbox_failed(struct db *db, const struct outbox_item *item, int64_t delay_ms, const char *why,
		     struct err *err);

/* How the deliveries of an alert stand. */
struct outbox_state {
	enum outbox_kind kind;
	int64_t attempts;
	const char *last_error;		/* or NULL */
	int64_t next_try, sent_at;	/* sent_at TM_NONE: not yet */
};
int db_outbox_of_alert(struct db *db, struct arena *a, const struct uuid *alert_id, struct outbox_state **list,
		       size_t *n, struct err *err);

#endif
