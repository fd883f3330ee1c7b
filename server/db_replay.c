/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int one(struct db *db, const struct stmt *st, int64_t *place, struct err *err)
{
	struct db_rows *rows;

	if (db_query(db, st, DB_NO_ARGS, &rows, err))
		return -1;
	*place = db_i64(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}

int db_replay_written(struct db *db, int64_t *place, struct err *err)
{
	static const struct stmt written = { "replay_written", "SELECT (pg_current_wal_flush_lsn() - '0/0')::bigint" };

	return one(db, &written, place, err);
}

int db_replay_shown(struct db *db, int64_t *place, struct err *err)
{
	static const struct stmt shown = {
		"replay_shown", "SELECT CASE WHEN pg_is_in_recovery() THEN coalesce((pg_last_wal_replay_lsn() - '0/0')::bigint, 0)"
				" ELSE 9223372036854775807 END"
	};

	return one(db, &shown, place, err);
}

const char *db_replay_format(int64_t place, char out[DB_REPLAY_TEXT])
{
	snprintf(out, DB_REPLAY_TEXT, "%X/%X", (unsigned)((uint64_t)place >> 32), (unsigned)(uint32_t)place);
	return out;
}

int db_replay_parse(const char *text, int64_t *place)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	size_t high = strspn(text, digits), low = text[high] == '/' ? strspn(text + high + 1, digits) : 0;
	uint64_t value;

	if (!high || high > 8 || !low || low > 8 || text[high + 1 + low])
		return -1;
	value = (uint64_t)strtoull(text, NULL, 16) << 32 | strtoull(text + high + 1, NULL, 16);
	if (value > INT64_MAX)
		return -1;
	*place = (int64_t)value;
	return 0;
}
