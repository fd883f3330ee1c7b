/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading from hot standbys (serve --db-read). What a client was told is stored it sees: all that this process wrote, and what
 * the client itself was told by another one, which the header Nsecwatch-Lsn says (it comes with each answer to a write, and
 * goes with the questions that are to see it). A standby that is behind that, or fails, is passed over: the primary answers.
 */
#ifndef SERVER_WEB_STANDBY_H
#define SERVER_WEB_STANDBY_H

#include <stdatomic.h>

#include "db.h"

struct call;

#define WEB_STANDBY_HEADER "Nsecwatch-Lsn"

/* Of one worker. */
struct web_standby {
	struct db *db;			/* NULL: there is no --db-read */
	uint64_t generation;		/* of the link that `shown` is of */
	int64_t shown;			/* at least so far it has come */
};

/* Of the process. */
struct web_standby_shared {
	_Atomic int64_t written;	/* how far the primary was when the last write was acknowledged */
	_Atomic uint64_t reads, behind, failed;	/* answered there; passed over, because it was behind or failed */
};

void web_standby_init(struct web_standby *s, const char *conninfo, int statement_timeout_ms);	/* conninfo NULL: none */
void web_standby_fini(struct web_standby *s);
/* Whether its worker's standby, if there is one, shows this call all that it may expect. */
bool web_standby_shows(struct call *call);
/* The same, counted: whether it is to be answered there. */
bool web_standby_may(struct call *call);
/* After a write that is about to be acknowledged: later reads see it. */
void web_standby_wrote(struct call *call);

#endif
