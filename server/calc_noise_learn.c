/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_noise_learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/ids.h"
#include "calc_noise.h"
#include "db_noise.h"

#define AT_ONCE 250
#define DEADLINE_MS 30000

/* Whether a comparison could come out otherwise. */
static bool differs(const struct db_noise *old, const struct noise *now)
{
	return fabs(now->variance - old->variance) > .05 * old->variance || fabs(now->df - old->df) > .1 * old->df ||
	       fabs(now->reps - old->reps) > .1 * old->reps || isfinite(now->within) != isfinite(old->within) ||
	       fabs(now->within - old->within) > .1 * old->within;
}

/* Of series whose ids are in order. */
static int keep(struct db *db, struct arena *a, const int64_t *ids, const struct noise *now, size_t n, size_t *changed,
		struct err *err)
{
	struct db_noise *old, *write = arena_array(a, struct db_noise, n);
	int64_t *gone = arena_array(a, int64_t, n);
	size_t n_old, n_write = 0, n_gone = 0, at = 0;

	if (db_noise_read(db, a, ids, n, &old, &n_old, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		bool had = at < n_old && old[at].series_id == ids[i];

		if (!now[i].source && had)
			gone[n_gone++] = ids[i];
		else if (now[i].source && (!had || differs(&old[at], &now[i])))
			write[n_write++] = (struct db_noise){ ids[i], now[i].variance, now[i].df, now[i].within,
							      now[i].reps, now[i].from };
		at += had;
	}
	*changed += n_write + n_gone;
	if (n_gone && db_noise_delete(db, gone, n_gone, err))
		return -1;
	return n_write ? db_noise_write(db, a, write, n_write, err) : 0;
}

int calc_noise_learn_given(struct catalog *c, struct db *db, struct arena *a, const int64_t *ids, size_t n,
			   const struct sample *samples, size_t n_samples, size_t *changed, struct err *err)
{
	struct noise *now = arena_array(a, struct noise, n);

	if (!n)
		return 0;
	calc_noise_of_given(c, a, ids, n, samples, n_samples, NULL, 0, now);
	return keep(db, a, ids, now, n, changed, err);
}

int calc_noise_learn(struct catalog *c, struct db *db, struct arena *a, const int64_t *series_ids, size_t n,
		     size_t *changed, struct err *err)
{
	int64_t *ids = arena_array(a, int64_t, n);
	int ret = 0;

	if (!n)
		return 0;
	memcpy(ids, series_ids, n * sizeof(*ids));
	qsort(ids, n, sizeof(*ids), ids_compare);
	for (size_t from = 0; from < n && !ret; from += AT_ONCE) {
		struct arena *own = arena_new();	/* a run may have 100,000 series, each with its samples */
		size_t part = n - from < AT_ONCE ? n - from : AT_ONCE;
		struct noise *now = arena_array(own, struct noise, part);

		ret = calc_noise_of_samples(c, db, own, ids + from, part, NULL, 0, now, err) ||
		      keep(db, own, ids + from, now, part, changed, err) ? -1 : 0;
		arena_free(own);
	}
	return ret;
}

struct rebuild {
	struct catalog *catalog;
	const int64_t *ids;
	size_t n, *changed;
};

static int rebuild_tx(struct db *db, void *arg, struct err *err)
{
	struct rebuild *r = arg;
	struct arena *a = arena_new();
	int ret;

	*r->changed = 0;	/* it may run twice */
	ret = calc_noise_learn(r->catalog, db, a, r->ids, r->n, r->changed, err);
	arena_free(a);
	return ret;
}

int calc_noise_learn_all(struct db *db, size_t *changed, struct err *err)
{
	struct catalog *c = db_catalog_new();
	struct arena *a = arena_new();
	size_t n = 0;
	int64_t *ids = NULL;
	int ret = db_catalog_refresh(c, db, err);

	*changed = 0;
	if (!ret) {
		const struct cat_series *const *all = db_catalog_series(c, &n);

		ids = arena_array(a, int64_t, n);
		for (size_t i = 0; i < n; i++)
			ids[i] = all[i]->id;
	}
	for (size_t from = 0; from < n && !ret; from += AT_ONCE) {
		size_t changed_now = 0;
		struct rebuild r = { c, ids + from, n - from < AT_ONCE ? n - from : AT_ONCE, &changed_now };

		ret = db_tx(db, rebuild_tx, &r, DEADLINE_MS, err);
		*changed += changed_now;
	}
	arena_free(a);
	db_catalog_free(c);
	return ret;
}
