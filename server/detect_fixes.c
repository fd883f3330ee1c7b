/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_fixes.h"

#include <math.h>

#include "calc_triage.h"
#include "detect_range.h"

static int look_at(const struct detect_rules *rules, struct db *db, struct arena *a, const struct cat_kernel *kernel,
		   const struct uuid *id, struct err *err)
{
	struct triage t = { .action = LIFECYCLE_FIXED, .who = "watch", .due_at = TM_NONE, .restored_percent = NAN };
	struct catalog *c = rules->d->catalog;
	struct calc_alert *al;
	struct still still;

	if (calc_alert_load(c, db, a, id, &al, err))
		return -1;
	if (!al || detect_range_order(kernel, al->to) <= 0)
		return 0;
	if (calc_still(c, db, a, al, &still, err))
		return -1;
	t.text = calc_triage_verify(a, &still, NULL, &t);
	return t.verified ? calc_triage_in_tx(c, db, a, id, &t, err) : 0;
}

int detect_fixes_look(const struct detect_rules *rules, struct db *db, struct arena *a, const struct cat_kernel *kernel,
		      const int64_t *series_ids, size_t n_series, struct err *err)
{
	struct uuid *ids;
	size_t n;

	if (db_triage_awaiting_fix(db, a, kernel->track, series_ids, n_series, &ids, &n, err))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (look_at(rules, db, a, kernel, &ids[i], err))
			return -1;
	return 0;
}
