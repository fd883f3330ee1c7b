/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How PostgreSQL is set up, as far as a role that owns no more than its database may see. */
#ifndef SERVER_DB_DOCTOR_H
#define SERVER_DB_DOCTOR_H

#include "db.h"

struct db_doctor {
	int64_t version;			/* 150020 */
	const char *version_text;
	const char *fsync, *full_page_writes, *synchronous_commit, *autovacuum, *data_checksums, *archive_mode;
	const char *synchronous_standby_names;
	bool sync_standby_missing;		/* some are named and none is connected */
	int64_t max_connections, reserved, used;
	const char *encoding, *collation;
	bool collation_changed;			/* the system sorts otherwise than when indexes were made */
	bool in_recovery, read_only;
	int64_t xid_age, now;			/* now: its clock, in usec */
	bool may_create, may_temp;		/* in the database */
	const char *invalid_indexes;		/* names with commas; "" */
	int64_t serves, watches;		/* that are connected */
	int64_t admins;				/* tokens that are good and may do everything */
	const char *expiring, *expired;		/* names of tokens, with commas; "" */
};

/* Text in the arena. */
int db_doctor_read(struct db *db, struct arena *a, struct db_doctor *d, struct err *err);
int db_doctor_zone_known(struct db *db, const char *zone, bool *known, struct err *err);

#endif
