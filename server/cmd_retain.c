/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `nsecwatchd retain --raw 6m`: bodies and raw repetitions that are older go, month by month; for cron, or a systemd timer. */
#include <stdio.h>
#include <string.h>

#include "../lib/num.h"
#include "cmd.h"
#include "db_migrate.h"
#include "db_retain.h"

#define MONTHS_MOST 1200

/* "6m", "6", "2y" -> months. */
static int months_of(const char *text, int *months, struct err *err)
{
	size_t n = strlen(text);
	int64_t i, each = 1;

	if (n && (text[n - 1] == 'm' || text[n - 1] == 'y'))
		each = text[--n] == 'y' ? 12 : 1;
	if (!n || num_parse_i64(text, n, &i) || i < 1 || i > MONTHS_MOST / each)
		return err_set(err, ERR_BAD_ARGUMENT, "--raw is \"%s\": months are needed, as 6m, or years, as 2y", text);
	*months = (int)(i * each);
	return 0;
}

static int drop_all(const struct conf *conf, struct db *db, struct arena *a, int months, struct err *err)
{
	struct retain_month *list;
	int64_t runs = 0, bytes = 0;
	size_t n;

	if (db_migrate_check(db, err) || db_retain_list(db, a, months, &list, &n, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (!conf->check_only && db_retain_drop(db, &list[i], err))
			return err_prefix(err, "%s", list[i].month);
		printf("%s: bodies and repetitions of %lld runs %s, %.1f MB\n", list[i].month, (long long)list[i].runs,
		       conf->check_only ? "would go" : "are gone", (double)list[i].bytes / 1e6);
		runs += list[i].runs;
		bytes += list[i].bytes;
	}
	if (n)
		printf("%zu months, %lld runs, %.1f MB; their summaries stay\n", n, (long long)runs, (double)bytes / 1e6);
	else
		printf("nothing is older than %d months\n", months);
	return 0;
}

int cmd_retain(const struct conf *conf, struct err *err)
{
	struct arena *a;
	struct db *db;
	int months = 0, ret;

	if (months_of(conf->retain_raw, &months, err))
		return -1;
	a = arena_new();
	db = db_new(conf->db, "nsecwatchd retain", 0);
	ret = db_connect(db, err) || drop_all(conf, db, a, months, err) ? -1 : 0;
	db_free(db);
	arena_free(a);
	return ret;
}
