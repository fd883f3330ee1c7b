/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the database stands, for /metrics: what waits in its queues and since when. Cheap enough for every few seconds. */
#ifndef SERVER_DB_GAUGES_H
#define SERVER_DB_GAUGES_H

#include "db.h"

struct db_gauges {
	int64_t pack_waiting, check_waiting;		/* runs */
	double pack_age, check_age;			/* seconds since the oldest of them came; 0: none waits */
	int64_t outbox_waiting, outbox_dead, digest_waiting;
	double outbox_age;				/* seconds since the oldest that is due was due; 0: none is */
	int64_t alerts_open;
	int64_t newest_run;				/* when it came; TM_NONE: there are none */
	int64_t runs_about;				/* as PostgreSQL's statistics have it; -1: not known yet */
	int64_t bytes;					/* of the database on its disk */
};

int db_gauges_read(struct db *db, struct db_gauges *g, struct err *err);

#endif
