/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "web_standby.h"

#include "../lib/err.h"
#include "db_replay.h"
#include "web_call.h"

#define UNKNOWN (INT64_MAX - 1)		/* further than any standby comes */

void web_standby_init(struct web_standby *s, const char *conninfo, int statement_timeout_ms)
{
	*s = (struct web_standby){ 0 };
	if (conninfo && *conninfo)
		s->db = db_new_reading(conninfo, "nsecwatchd serve reading", statement_timeout_ms);
}

void web_standby_fini(struct web_standby *s)
{
	db_free(s->db);
	s->db = NULL;
}

enum shows { SHOWS, SHOWS_LESS, SHOWS_NOTHING };

static enum shows shows(struct call *call)
{
	struct web_standby *s = call->standby;
	int64_t wanted = atomic_load(&call->web->standby.written), given;
	struct err ignored = { 0 };

	if (call->lsn && !db_replay_parse(call->lsn, &given) && given > wanted)
		wanted = given;
	if (s->generation != db_generation(s->db))	/* another server perhaps, and not so far */
		s->shown = -1;
	if (s->shown < wanted || !db_is_up(s->db)) {
		if (db_replay_shown(s->db, &s->shown, &ignored)) {
			s->shown = -1;
			return SHOWS_NOTHING;
		}
		s->generation = db_generation(s->db);
	}
	return s->shown >= wanted ? SHOWS : SHOWS_LESS;
}

bool web_standby_shows(struct call *call)
{
	return call->standby && call->standby->db && shows(call) == SHOWS;
}

bool web_standby_may(struct call *call)
{
	struct web_standby_shared *shared = &call->web->standby;
	enum shows what;

	if (!call->standby || !call->standby->db)
		return false;
	what = shows(call);
	if (what != SHOWS)
		atomic_fetch_add(what == SHOWS_LESS ? &shared->behind : &shared->failed, 1);
	return what == SHOWS;
}

void web_standby_wrote(struct call *call)
{
	struct web_standby_shared *shared = &call->web->standby;
	int64_t place, before = atomic_load(&shared->written);
	struct err ignored = { 0 };

	if (!call->standby || !call->standby->db)
		return;
	/* where it cannot be told, no standby is asked until the next write tells */
	if (db_replay_written(call->rq.db, &place, &ignored))
		place = UNKNOWN;
	else
		call->wrote = place;
	while ((before < place || before == UNKNOWN) && !atomic_compare_exchange_weak(&shared->written, &before, place))
		;
}
