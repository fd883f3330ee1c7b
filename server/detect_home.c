/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_home.h"

#include <string.h>

#include "db_triage.h"

#define MERGES_MOST 100		/* a chain of merges has no loop, but who knows */

struct finding {
	const struct detect_home *h;
	struct db *db;
	struct arena *a;
	struct db_alert *list;
	size_t n;
	struct db_triage_range *past;
	size_t n_past;
};

static int no_kernel(struct err *err)
{
	return err_set(err, ERR_BUG, "an alert names a kernel the catalogue does not have");
}

static bool range_of(struct catalog *c, int64_t from, int64_t to, struct detect_range *out)
{
	db_catalog_lock(c);
	out->from = db_catalog_kernel(c, from);
	out->to = db_catalog_kernel(c, to);
	db_catalog_unlock(c);
	return out->from && out->to;
}

static int follow(struct finding *f, const struct db_alert *al, struct uuid *id, struct err *err)
{
	struct db_alert *next;

	*id = al->id;
	for (int i = 0; al->merged; i++) {
		*id = al->merged_into;
		if (i == MERGES_MOST || db_alerts_get(f->db, f->a, id, &next, err))
			return i == MERGES_MOST ? err_set(err, ERR_BUG, "alerts are merged in a circle") : -1;
		if (!next)
			return err_set(err, ERR_BUG, "an alert is merged into one that is not there");
		al = next;
	}
	return 0;
}

static bool was_nudged(const struct finding *f, const struct db_alert *al)
{
	for (size_t i = 0; i < f->n_past; i++)
		if (!f->past[i].reopened && uuid_equal(&f->past[i].alert_id, &al->id))
			return true;
	return false;
}

/* No wider than the step; where another alert has that very range, the step is that one's. */
static int narrow(struct finding *f, struct db_alert *al, const struct detect_range *range, struct uuid *id,
		  struct err *err)
{
	struct detect_range narrowed = detect_range_narrowed(range, &f->h->step);
	struct uuid other;
	bool taken;

	if (narrowed.from == range->from && narrowed.to == range->to)
		return 0;
	al->from_kernel_id = narrowed.from->id;
	al->to_kernel_id = narrowed.to->id;
	if (db_triage_taken(f->db, al, &other, &taken, err))
		return -1;
	if (!taken)
		return db_alerts_set_range(f->db, id, narrowed.from->id, narrowed.to->id, err);
	*id = other;
	return 0;
}

static int find_present(struct finding *f, bool *found, struct uuid *id, struct err *err)
{
	struct detect_range *ranges = arena_array(f->a, struct detect_range, f->n + 1);
	struct db_alert **of = arena_array(f->a, struct db_alert *, f->n + 1);
	size_t n = 0;
	int at;

	for (size_t i = 0; i < f->n; i++) {
		if (f->list[i].part)		/* only what was put there is in those */
			continue;
		if (!range_of(f->h->catalog, f->list[i].from_kernel_id, f->list[i].to_kernel_id, &ranges[n]))
			return no_kernel(err);
		of[n++] = &f->list[i];
	}
	at = detect_range_find(ranges, n, &f->h->step);
	*found = at >= 0;
	if (at < 0)
		return 0;
	if (follow(f, of[at], id, err))
		return -1;
	return of[at]->merged || was_nudged(f, of[at]) ? 0 : narrow(f, of[at], &ranges[at], id, err);
}

static int find_past(struct finding *f, enum detect_home_kind *kind, struct uuid *id, struct err *err)
{
	for (size_t i = 0; i < f->n_past; i++) {
		struct detect_range r;

		if (!range_of(f->h->catalog, f->past[i].from_kernel_id, f->past[i].to_kernel_id, &r))
			return no_kernel(err);
		if (!detect_range_overlap(&r, &f->h->step))
			continue;
		for (size_t k = 0; k < f->n; k++)
			if (uuid_equal(&f->list[k].id, &f->past[i].alert_id)) {
				*kind = f->past[i].reopened ? HOME_OLD : HOME_FOUND;
				return follow(f, &f->list[k], id, err);
			}
	}
	return 0;
}

static bool shares_a_series(const struct detect_home *h, const struct uuid *alert_id)
{
	for (size_t i = 0; i < h->n_members; i++)
		for (size_t k = 0; uuid_equal(&h->members[i].alert_id, alert_id) && k < h->n_series; k++)
			if (h->members[i].change.series_id == h->series_ids[k])
				return true;
	return false;
}

/* The last one that was fixed in the step's first kernel or before. */
static void find_fixed(struct finding *f, enum detect_home_kind *kind, struct uuid *id)
{
	const struct cat_kernel *best = NULL;

	for (size_t i = 0; i < f->n; i++) {
		const struct db_alert *al = &f->list[i];
		const struct cat_kernel *fixed;

		if (strcmp(al->state, "fixed") || !al->fixed_in_kernel_id || !shares_a_series(f->h, &al->id))
			continue;
		db_catalog_lock(f->h->catalog);
		fixed = db_catalog_kernel(f->h->catalog, al->fixed_in_kernel_id);
		db_catalog_unlock(f->h->catalog);
		if (!fixed || detect_range_order(fixed, f->h->step.from) > 0 ||
		    (best && detect_range_order(fixed, best) <= 0))
			continue;
		best = fixed;
		*id = al->id;
		*kind = HOME_FIXED;
	}
}

int detect_home_find(const struct detect_home *h, struct db *db, struct arena *a, enum detect_home_kind *kind,
		     struct uuid *id, struct err *err)
{
	struct finding f = { .h = h, .db = db, .a = a };
	bool found;

	*kind = HOME_NONE;
	if (db_alerts_of_benchmark(db, a, h->step.to->track, h->benchmark->id, h->regression, &f.list, &f.n, err) ||
	    db_triage_ranges(db, a, h->step.to->track, h->benchmark->id, h->regression, &f.past, &f.n_past, err) ||
	    find_present(&f, &found, id, err))
		return -1;
	if (found) {
		*kind = HOME_FOUND;
		return 0;
	}
	if (find_past(&f, kind, id, err))
		return -1;
	if (*kind == HOME_NONE)
		find_fixed(&f, kind, id);
	return 0;
}

const struct db_member *detect_home_moved(const struct detect_home *h, int64_t series_id, bool *bad)
{
	*bad = false;
	for (size_t i = 0; i < h->n_members; i++) {
		const struct db_member *m = &h->members[i];
		struct detect_range r;

		if (!m->moved || m->regression != h->regression || m->change.series_id != series_id)
			continue;
		*bad = !range_of(h->catalog, m->change.from_kernel_id, m->change.to_kernel_id, &r);
		if (*bad || detect_range_overlap(&r, &h->step))
			return m;
	}
	return NULL;
}
