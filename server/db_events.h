/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The audit trail: who did what to what, and when. Written in the transaction that does it, never changed. */
#ifndef SERVER_DB_EVENTS_H
#define SERVER_DB_EVENTS_H

#include "db.h"

struct db_event {
	int64_t id, at;
	const char *who;
	const char *kind;		/* one of db_events_kinds, or of db_events_admin_kinds */
	const char *object;		/* a UUID, a name, an id */
	const char *action;
	const char *from_state, *to_state;	/* of alerts; or NULL */
	const char *details;		/* JSON object */
	bool has_key;
	struct uuid key;		/* the sender's */
	/* read, not written: what was set by db_events_from() when it was written; or NULL */
	const char *via, *address, *request_id;
};

extern const char *const db_events_kinds[];		/* NULL-terminated: decisions, for all who read */
extern const char *const db_events_admin_kinds[];	/* likewise: access, for admins */

/* How whoever uses this connection from now on was known, and from where; borrowed. NULL: the program itself. */
struct db_events_origin {
	const char *via, *address, *request_id;
};
void db_events_from(struct db *db, const struct db_events_origin *origin);

/* Fills in id and at. */
int db_events_add(struct db *db, struct db_event *event, struct err *err);
/* The one with this key; *event NULL: there is none. */
int db_events_of_key(struct db *db, struct arena *a, const struct uuid *key, struct db_event **event, struct err *err);

/* How often this was done to it, `event` counted in. */
int db_events_count(struct db *db, const struct db_event *event, int64_t *n, struct err *err);

/* Newest first; NULL: any. before_id 0: from the top. */
struct db_event_filter {
	const char *kind, *object, *who;
	int64_t before_id;
	bool oldest_first;
	bool access;			/* those about access, too; newest first */
};
int db_events_list(struct db *db, struct arena *a, const struct db_event_filter *f, int limit, struct db_event **list,
		   size_t *n, struct err *err);

#endif
