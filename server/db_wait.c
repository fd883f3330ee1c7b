/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting for the server's answer, and not for ever. statement_timeout is the server's own: one that is
 * stopped, whose machine hangs while its kernel still acknowledges packets, or whose COMMIT waits for a
 * synchronous standby that is gone, ends no statement by itself. So who has waited longer than any statement may take
 * gives up the link, as if it were lost. What was sent may still be done: as with a lost link.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>

#include "../lib/tm.h"
#include "db_own.h"

int db_own_patience_ms(const struct db *db)
{
	return db->statement_timeout_ms ? db->statement_timeout_ms + DB_GRACE_MS : INT_MAX;
}

int64_t db_own_until(const struct db *db)
{
	return db->statement_timeout_ms ? tm_monotonic_usec() + db_own_patience_ms(db) * INT64_C(1000) : INT64_MAX;
}

int db_own_left_ms(int64_t until)
{
	int64_t left;

	if (until == INT64_MAX)
		return -1;
	left = (until - tm_monotonic_usec()) / 1000 + 1;
	return left < 1 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

/* Until a result can be taken, or an error that PQgetResult() tells. false: it took too long. */
static bool await(struct db *db)
{
	int64_t until = 0;
	int unsent, ms;

	for (;;) {
		struct pollfd fd = { .fd = PQsocket(db->conn), .events = POLLIN };

		unsent = PQflush(db->conn);
		if (unsent < 0 || !PQisBusy(db->conn))
			return true;
		if (!until)		/* the clock is read only where there is something to wait for */
			until = db_own_until(db);
		if (unsent)
			fd.events |= POLLOUT;
		ms = db_own_left_ms(until);
		if (!ms)
			return false;
		if (poll(&fd, 1, ms) < 0 && errno != EINTR)
			return true;
		if ((fd.revents & ~POLLOUT) && !PQconsumeInput(db->conn))
			return true;
	}
}

PGresult *db_own_result(struct db *db)
{
	if (db->overdue)
		return NULL;
	if (await(db))
		return PQgetResult(db->conn);
	db->overdue = true;
	return PQmakeEmptyPGresult(db->conn, PGRES_FATAL_ERROR);
}
