/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_tell.h"

#include "db_digest.h"

int detect_tell(const struct deliver_map *map, struct db *db, const struct uuid *alert_id, const char *benchmark,
		bool regression, const char *event, struct err *err)
{
	struct arena *a = arena_new();
	const struct deliver_target **who;
	size_t n;
	int ret = 0;

	who = deliver_map_who(a, map, benchmark, &n);
	for (size_t i = 0; i < n && !ret; i++) {
		const struct deliver_target *t = who[i];
		enum deliver_when when = regression ? t->regressions : t->improvements;

		if (when == DELIVER_NOW)
			ret = db_outbox_add(db, t->kind, t->name, alert_id, event, err);
		else if (when != DELIVER_NEVER)
			ret = db_digest_add(db, t->kind, t->name, alert_id, event, when == DELIVER_WEEKLY, err);
	}
	arena_free(a);
	return ret;
}
