/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_mutes.h"

#include <math.h>

#include "../lib/log.h"
#include "calc_triage.h"
#include "detect_tell.h"

int detect_mutes_load(struct detect_mutes *m, struct catalog *c, struct db *db, struct arena *a, struct err *err)
{
	struct db_mute *list;
	size_t n;

	if (db_mutes_list(db, a, true, &list, &n, err))
		return -1;
	*m = (struct detect_mutes){ .list = arena_array(a, struct detect_mute, n + 1) };
	for (size_t i = 0; i < n; i++) {
		char why[900];

		if (list[i].of_alert)
			continue;
		m->list[m->n].mute = &list[i];
		if (!calc_selector_resolve(&m->list[m->n].on, list[i].selector, c, a, err))
			m->n++;
		else
			log_event(LOG_WARN, "a mute is left out", "mute=%lld error=%s", (long long)list[i].id,
				  log_quote(why, sizeof(why), err->message));
	}
	return 0;
}

/* Which mute goes on for longer. */
static bool is_longer(const struct db_mute *x, const struct db_mute *y)
{
	return x->until == TM_NONE || (y->until != TM_NONE && x->until > y->until);
}

int64_t detect_mutes_of(const struct detect_mutes *m, struct catalog *c, const int64_t *series_ids, size_t n,
			const char *track)
{
	const struct db_mute *longest = NULL;

	for (size_t i = 0; i < n && m->n; i++) {
		const struct cat_series *s;
		bool muted = false;

		db_catalog_lock(c);
		s = db_catalog_series_by_id(c, series_ids[i]);
		db_catalog_unlock(c);
		for (size_t k = 0; s && k < m->n; k++)
			if (calc_selector_has(&m->list[k].on, s, track)) {
				muted = true;
				if (!longest || is_longer(m->list[k].mute, longest))
					longest = m->list[k].mute;
			}
		if (!muted)
			return 0;
	}
	return longest ? longest->id : 0;
}

int detect_mutes_silence(const struct detect *d, struct db *db, struct arena *a, const struct uuid *alert_id,
			 int64_t mute_id, struct err *err)
{
	struct triage t = { .action = LIFECYCLE_MUTE, .who = "watch", .mute_id = mute_id, .due_at = TM_NONE, .until = TM_NONE,
			    .restored_percent = NAN };
	struct db_mute *m;

	if (db_mutes_get(db, a, mute_id, &m, err))
		return -1;
	t.text = m ? m->reason : NULL;
	t.until = m ? m->until : TM_NONE;
	return calc_triage_in_tx(d->catalog, db, a, alert_id, &t, err);
}

int detect_mutes_wake(const struct detect *d, struct db *db, struct arena *a, const struct uuid *alert_id,
		      const char *why, struct err *err)
{
	struct triage t = { .action = LIFECYCLE_REOPEN, .who = "watch", .text = why, .due_at = TM_NONE, .until = TM_NONE,
			    .restored_percent = NAN };
	struct calc_alert named;
	struct db_alert *al;

	if (calc_triage_in_tx(d->catalog, db, a, alert_id, &t, err) || db_alerts_get(db, a, alert_id, &al, err) ||
	    calc_alert_name(d->catalog, a, al, &named, err))
		return -1;
	return detect_tell(d->map, db, alert_id, named.benchmark->name, al->regression,
			   arena_printf(a, "unmuted-%lld", (long long)t.event->id), err);
}

struct expiring {
	const struct detect *d;
	size_t *n;
};

static int expire_tx(struct db *db, void *arg, struct err *err)
{
	struct expiring *e = arg;
	struct arena *a = arena_new();
	struct uuid *ids;
	bool mine;
	size_t n;
	int ret = db_alerts_lock(db, &mine, err);

	*e->n = 0;
	if (!ret && mine)
		ret = db_catalog_refresh(e->d->catalog, db, err) || db_mutes_alerts_over(db, a, &ids, &n, err) ? -1 : 0;
	for (size_t i = 0; !ret && mine && i < n; i++)
		ret = detect_mutes_wake(e->d, db, a, &ids[i], "The mute is over.", err);
	if (!ret && mine)
		*e->n = n;
	arena_free(a);
	return ret;
}

int detect_mutes_expire(const struct detect *d, struct db *db, size_t *n, struct err *err)
{
	struct expiring e = { d, n };
	struct arena *a = arena_new();
	struct uuid *ids;
	int ret = db_mutes_alerts_over(db, a, &ids, n, err);	/* mostly none: no transaction for that */

	arena_free(a);
	return ret || !*n ? ret : db_tx(db, expire_tx, &e, DETECT_DEADLINE_MS, err);
}
