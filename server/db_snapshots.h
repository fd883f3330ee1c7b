/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What mails said: kept once, by their content, never changed. */
#ifndef SERVER_DB_SNAPSHOTS_H
#define SERVER_DB_SNAPSHOTS_H

#include "db.h"

struct db_snapshot {
	struct uuid id, alert_id;
	int64_t made_at;		/* when it was first kept */
	const char *subject, *body, *csv;
};

/* Keeps it unless one of its id is there, which then says the same. */
int db_snapshots_keep(struct db *db, const struct db_snapshot *s, struct err *err);
/* *s NULL: there is none. */
int db_snapshots_get(struct db *db, struct arena *a, const struct uuid *id, struct db_snapshot **s, struct err *err);

#endif
