/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_manual.h"

#include <string.h>

#include "calc_alert.h"
#include "db_triage.h"
#include "detect_rules.h"
#include "detect_tell.h"

struct telling {
	const struct detect *d;
	struct db *db;
	struct arena *a;
	struct detect_rules rules;
	size_t *n;
};

/* Those that a step of these series would be held against. */
static const struct db_rule **rules_of(const struct telling *w, const struct db_alert *al, const struct db_member *list, size_t n,
				       size_t *n_rules)
{
	const struct db_rule **rules = arena_array(w->a, const struct db_rule *, w->rules.n + 1);
	struct catalog *c = w->d->catalog;

	*n_rules = 0;
	db_catalog_lock(c);
	for (size_t k = 0; k < w->rules.n; k++) {
		const struct calc_rule *r = &w->rules.list[k];
		bool selects = false;

		for (size_t i = 0; i < n && !selects; i++) {
			const struct cat_series *s = db_catalog_series_by_id(c, list[i].change.series_id);

			selects = s && (al->regression ? r->rule.worse : r->rule.better) && calc_rules_selects(r, s, al->track);
		}
		if (selects)
			rules[(*n_rules)++] = &r->rule;
	}
	db_catalog_unlock(c);
	return rules;
}

static int tell_one(struct telling *w, const struct uuid *id, struct err *err)
{
	struct db_member *list;
	struct calc_alert named;
	struct db_alert *al;
	const struct db_rule **rules;
	int64_t *ids, mute;
	size_t n, n_rules;

	if (db_triage_told(w->db, id, err) || db_alerts_get(w->db, w->a, id, &al, err) ||
	    db_alerts_members(w->db, w->a, id, &list, &n, err))
		return -1;
	if (!al || strcmp(al->state, "new"))	/* somebody has decided of it meanwhile */
		return 0;
	ids = arena_array(w->a, int64_t, n + 1);
	for (size_t i = 0; i < n; i++)
		ids[i] = list[i].change.series_id;
	mute = detect_mutes_of(&w->rules.mutes, w->d->catalog, ids, n, al->track);
	if (mute)
		return detect_mutes_silence(w->d, w->db, w->a, id, mute, err);
	if (calc_alert_name(w->d->catalog, w->a, al, &named, err))
		return -1;
	++*w->n;
	rules = rules_of(w, al, list, n, &n_rules);
	return detect_tell_rules(w->d->map, w->db, id, named.benchmark->name, al->regression, "opened", rules, n_rules, err);
}

static int tell_all(struct telling *w, struct err *err)
{
	struct uuid *ids;
	size_t n;

	if (db_triage_untold(w->db, w->a, &ids, &n, err) || db_catalog_refresh(w->d->catalog, w->db, err) ||
	    detect_rules_load(&w->rules, w->d, w->db, w->a, err))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (tell_one(w, &ids[i], err))
			return -1;
	return 0;
}

static int tell_tx(struct db *db, void *arg, struct err *err)
{
	struct telling *w = arg;
	bool mine;
	int ret;

	*w->n = 0;
	w->db = db;
	if (db_alerts_lock(db, &mine, err))
		return -1;
	if (!mine)
		return 0;
	w->a = arena_new();
	ret = tell_all(w, err);
	arena_free(w->a);
	return ret;
}

int detect_manual_tell(const struct detect *d, struct db *db, size_t *n, struct err *err)
{
	struct telling w = { .d = d, .n = n };
	struct arena *a = arena_new();
	struct uuid *ids;
	int ret = db_triage_untold(db, a, &ids, n, err);	/* mostly none: no transaction for that */

	arena_free(a);
	return ret || !*n ? ret : db_tx(db, tell_tx, &w, DETECT_DEADLINE_MS, err);
}
