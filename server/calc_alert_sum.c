/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_alert_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/ids.h"

/* The member that stands for the alert: the largest change among those that still say what the alert says. */
static double worst_of(const struct db_alert *al, const struct db_member *list, size_t n)
{
	double worst = NAN;

	for (int any = 0; any < 2 && isnan(worst); any++)
		for (size_t i = 0; i < n; i++) {
			const struct db_change *ch = &list[i].change;

			if (!any && strcmp(ch->verdict, db_alerts_direction(al->regression)))
				continue;
			if (isnan(worst) || fabs(log1p(ch->percent / 100)) > fabs(log1p(worst / 100)))
				worst = ch->percent;
		}
	return worst;
}

int calc_alert_sum_up(struct catalog *c, struct db *db, struct arena *a, const struct uuid *id, struct err *err)
{
	struct db_member *list;
	struct db_alert al = { .id = *id };
	size_t n;

	if (db_alerts_members(db, a, id, &list, &n, err))
		return -1;
	al.regression = n && list[0].regression;
	al.n_series = (int64_t)n;
	al.worst_percent = worst_of(&al, list, n);
	al.machine_ids = arena_array(a, int64_t, n);
	al.config_ids = arena_array(a, int64_t, n);
	db_catalog_lock(c);
	for (size_t i = 0; i < n; i++) {
		const struct cat_series *s = db_catalog_series_by_id(c, list[i].change.series_id);

		if (!s)
			continue;
		al.machine_ids[al.n_machines++] = s->machine->id;
		al.config_ids[al.n_configs++] = s->config->id;
	}
	db_catalog_unlock(c);
	al.n_machines = ids_unique(al.machine_ids, al.n_machines);
	al.n_configs = ids_unique(al.config_ids, al.n_configs);
	return db_alerts_set_summary(db, &al, err);
}
