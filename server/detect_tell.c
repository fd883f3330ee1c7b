/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_tell.h"

#include "../lib/log.h"
#include "../lib/mime.h"
#include "db_digest.h"

struct telling {
	struct db *db;
	const struct uuid *alert_id;
	bool regression;
	const char *event;
};

static int tell(const struct telling *what, const struct deliver_target *t, struct err *err)
{
	enum deliver_when when = what->regression ? t->regressions : t->improvements;

	if (when == DELIVER_NOW)
		return db_outbox_add(what->db, t->kind, t->name, what->alert_id, what->event, err);
	if (when == DELIVER_NEVER)
		return 0;
	return db_digest_add(what->db, t->kind, t->name, what->alert_id, what->event, when == DELIVER_WEEKLY, err);
}

/* One whom a rule names. Who is told already is told once: the rows' keys see to it. */
static int tell_name(const struct telling *what, const struct deliver_map *map, const char *name, struct err *err)
{
	struct deliver_target address = map->standard;
	const struct deliver_target *t = deliver_map_find(map, name);
	char quoted[200];

	if (!t && map->able.mail && mime_is_address(name)) {
		address.kind = OUTBOX_MAIL;
		address.name = address.address = name;
		t = &address;
	}
	if (t)
		return tell(what, t, err);
	log_event(LOG_WARN, "a rule tells somebody who is not in the configuration", "name=%s",
		  log_quote(quoted, sizeof(quoted), name));
	return 0;
}

int detect_tell_rules(const struct deliver_map *map, struct db *db, const struct uuid *alert_id, const char *benchmark,
		      bool regression, const char *event, const struct db_rule *const *rules, size_t n_rules, struct err *err)
{
	const struct telling what = { db, alert_id, regression, event };
	struct arena *a = arena_new();
	const struct deliver_target **who;
	size_t n;
	int ret = 0;

	who = deliver_map_who(a, map, benchmark, &n);
	for (size_t i = 0; i < n && !ret; i++)
		ret = tell(&what, who[i], err);
	for (size_t k = 0; k < n_rules; k++)
		for (size_t i = 0; i < rules[k]->n_tell && !ret; i++)
			ret = tell_name(&what, map, rules[k]->tell[i], err);
	arena_free(a);
	return ret;
}

int detect_tell(const struct deliver_map *map, struct db *db, const struct uuid *alert_id, const char *benchmark,
		bool regression, const char *event, struct err *err)
{
	return detect_tell_rules(map, db, alert_id, benchmark, regression, event, NULL, 0, err);
}
