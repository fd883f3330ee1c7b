/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two machines, or two benchmarks, that are one: their histories are read as one from then on, alerts follow, and
 * the names of both mean it. Undone, each has its own again. Written in one transaction, which keeps checks away.
 */
#ifndef SERVER_CALC_MERGE_H
#define SERVER_CALC_MERGE_H

#include "db_catalog.h"
#include "db_events.h"
#include "db_names.h"

struct calc_merge {
	enum names_of of;
	const char *into, *from;	/* by any of their names */
	bool undo;
	bool anyway;			/* though their processors differ */
	const char *who, *reason;	/* reason may be NULL */
	/* out */
	struct db_names *into_row, *from_row;
	size_t n_series;		/* that are read as one with another's, or are no longer */
	size_t n_alerts;		/* whose rows are others than before, or that went into another */
	struct db_event event;
};

/* ERR_NOT_FOUND, ERR_INVALID, ERR_CONFLICT. Lives in `a`. The catalogue is up to date after. */
int calc_merge_do(struct catalog *c, struct db *db, struct arena *a, struct calc_merge *m, struct err *err);

#endif
