/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_overview.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tm.h"
#include "calc_overview_own.h"
#include "calc_select.h"

#define DAY_USEC (INT64_C(86400) * 1000000)
#define LOOKS 32	/* newest kernels of a track that are asked for one by one */

/* ---- tracks ---- */

struct track {
	const struct cat_kernel **kernels;	/* newest first */
	size_t n, found;			/* found: of measured */
	const struct cat_kernel *measured[2];
};

static int newest_first(const void *a, const void *b)
{
	return calc_select_kernel_order(b, a);
}

/* Kernels that are no variants, by track. */
static struct track *tracks_of(struct catalog *c, struct arena *a, size_t *n_tracks)
{
	const struct cat_kernel *const *all, **list;
	struct track *tracks;
	size_t n, kept = 0;

	db_catalog_lock(c);
	all = db_catalog_kernels(c, &n);
	list = arena_array(a, const struct cat_kernel *, n + 1);
	for (size_t i = 0; i < n; i++)
		if (!all[i]->is_variant)
			list[kept++] = all[i];
	db_catalog_unlock(c);
	qsort(list, kept, sizeof(*list), newest_first);
	tracks = arena_array(a, struct track, kept + 1);
	*n_tracks = 0;
	for (size_t i = 0; i < kept; i++) {
		if (!i || strcmp(list[i - 1]->track, list[i]->track))
			tracks[(*n_tracks)++].kernels = list + i;
		tracks[*n_tracks - 1].n++;
	}
	return tracks;
}

static void count_in(struct overview_track *t, const struct overview_count *counts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (counts[i].kernel_id == t->kernel->id) {
			t->runs += counts[i].runs;
			t->machines++;
		}
}

static bool is_counted(const struct overview_count *counts, size_t n, int64_t kernel_id)
{
	for (size_t i = 0; i < n; i++)
		if (counts[i].kernel_id == kernel_id)
			return true;
	return false;
}

/* Kernels of which only dates are known can be many: those behind the ones that were asked for one by one. */
static int look_at_rest(struct db *db, struct arena *a, struct track *t, struct err *err)
{
	int64_t *ids = arena_array(a, int64_t, t->n);
	struct overview_count *counts;
	size_t n;

	for (size_t i = LOOKS; i < t->n; i++)
		ids[i - LOOKS] = t->kernels[i]->id;
	if (db_overview_counts(db, a, ids, t->n - LOOKS, &counts, &n, err))
		return -1;
	for (size_t i = LOOKS; i < t->n && t->found < 2; i++)
		if (is_counted(counts, n, t->kernels[i]->id))
			t->measured[t->found++] = t->kernels[i];
	return 0;
}

/* Of a track the two newest kernels with runs: mostly the first two. */
static int look_for_runs(struct db *db, struct arena *a, struct track *t, struct err *err)
{
	for (size_t i = 0; i < t->n && i < LOOKS && t->found < 2; i++) {
		bool any;

		if (db_overview_has_runs(db, t->kernels[i]->id, &any, err))
			return -1;
		if (any)
			t->measured[t->found++] = t->kernels[i];
	}
	return t->found < 2 && t->n > LOOKS ? look_at_rest(db, a, t, err) : 0;
}

/* Mainline first, then what was heard of last. */
static int by_arrival(const void *x, const void *y)
{
	const struct overview_track *s = x, *t = y;
	bool main_s = !strcmp(s->track, "mainline"), main_t = !strcmp(t->track, "mainline");

	if (main_s != main_t)
		return main_s ? -1 : 1;
	if (s->last_at != t->last_at)
		return s->last_at > t->last_at ? -1 : 1;
	return strcmp(s->track, t->track);
}

/* Numbers of the newest kernels: runs, machines, times, whether all was checked. */
static int measure(struct db *db, struct arena *a, struct overview *o, struct err *err)
{
	int64_t *ids = arena_array(a, int64_t, o->n_tracks + 1), *unchecked;
	struct overview_count *counts;
	struct overview_times *times;
	size_t n_counts, n_times, n_unchecked;

	for (size_t i = 0; i < o->n_tracks; i++)
		ids[i] = o->tracks[i].kernel->id;
	if (db_overview_counts(db, a, ids, o->n_tracks, &counts, &n_counts, err) ||
	    db_overview_times(db, a, ids, o->n_tracks, &times, &n_times, err) ||
	    db_overview_unchecked(db, a, ids, o->n_tracks, &unchecked, &n_unchecked, err))
		return -1;
	for (size_t i = 0; i < o->n_tracks; i++) {
		struct overview_track *t = &o->tracks[i];

		count_in(t, counts, n_counts);
		for (size_t k = 0; k < n_times; k++)
			if (times[k].kernel_id == t->kernel->id) {
				t->first_at = times[k].first_at;
				t->last_at = times[k].last_at;
			}
		for (size_t k = 0; k < n_unchecked; k++)
			t->unchecked |= unchecked[k] == t->kernel->id;
	}
	return 0;
}

double calc_overview_size(double percent)
{
	return isnan(percent) ? 0 : percent > -100 ? fabs(log1p(percent / 100)) : INFINITY;
}

static double size_of(const struct calc_alert *al)
{
	return calc_overview_size(al->alert->worst_percent);
}

static int rank(const struct calc_alert *al)
{
	return al->alert->silence ? 2 : al->alert->regression ? 0 : 1;
}

/* Regressions first; then the larger change as a ratio: half and double are alike. */
static int by_weight(const void *x, const void *y)
{
	const struct calc_alert *s = *(const struct calc_alert *const *)x, *t = *(const struct calc_alert *const *)y;

	if (rank(s) != rank(t))
		return rank(s) - rank(t);
	if (size_of(s) != size_of(t))
		return size_of(s) > size_of(t) ? -1 : 1;
	return memcmp(&s->alert->id, &t->alert->id, sizeof(s->alert->id));
}

static int name_alerts(struct catalog *c, struct arena *a, const struct db_alert *list, size_t n, struct calc_alert **named,
		       struct err *err)
{
	*named = arena_array(a, struct calc_alert, n + 1);
	for (size_t i = 0; i < n; i++)
		if (calc_alert_name(c, a, &list[i], &(*named)[i], err))
			return -1;
	return 0;
}

static int found_in(struct catalog *c, struct db *db, struct arena *a, struct overview *o, struct err *err)
{
	int64_t *ids = arena_array(a, int64_t, o->n_tracks + 1);
	struct calc_alert *named;
	struct db_alert *list;
	size_t n;

	for (size_t i = 0; i < o->n_tracks; i++)
		ids[i] = o->tracks[i].kernel->id;
	if (db_alerts_to(db, a, ids, o->n_tracks, &list, &n, err) || name_alerts(c, a, list, n, &named, err))
		return -1;
	for (size_t i = 0; i < o->n_tracks; i++) {
		struct overview_track *t = &o->tracks[i];

		t->alerts = arena_array(a, const struct calc_alert *, n + 1);
		for (size_t k = 0; k < n; k++) {
			if (named[k].to != t->kernel || named[k].alert->silence || named[k].alert->merged)
				continue;
			t->alerts[t->n_alerts++] = &named[k];
			t->regressions += named[k].alert->regression;
			t->improvements += !named[k].alert->regression;
		}
		qsort(t->alerts, t->n_alerts, sizeof(*t->alerts), by_weight);
		for (size_t k = 0; k < o->n_open; k++)
			t->open_regressions += o->open[k].alert->regression && !o->open[k].alert->silence &&
					       !strcmp(o->open[k].alert->track, t->track);
	}
	return 0;
}

static int look_at_tracks(struct catalog *c, struct db *db, struct arena *a, struct overview *o, struct err *err)
{
	size_t n;
	struct track *tracks = tracks_of(c, a, &n);

	o->tracks = arena_array(a, struct overview_track, n + 1);
	for (size_t i = 0; i < n; i++) {
		if (look_for_runs(db, a, &tracks[i], err))
			return -1;
		if (tracks[i].found)
			o->tracks[o->n_tracks++] = (struct overview_track){
				.track = tracks[i].kernels[0]->track, .kernel = tracks[i].measured[0], .against = tracks[i].measured[1],
			};
	}
	if (measure(db, a, o, err) || found_in(c, db, a, o, err))
		return -1;
	qsort(o->tracks, o->n_tracks, sizeof(*o->tracks), by_arrival);
	return 0;
}

/* ---- machines that fell silent ---- */

static int by_age(const void *x, const void *y)
{
	const struct overview_silent *s = x, *t = y;

	if (!s->expected != !t->expected)
		return s->expected ? -1 : 1;
	if (s->last_at != t->last_at)
		return s->last_at < t->last_at ? -1 : 1;
	return strcmp(s->machine->name, t->machine->name);
}

static const struct db_expectation *overdue(const struct db_expectation *list, size_t n, int64_t machine_id)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].machine_id == machine_id && list[i].silent)
			return &list[i];
	return NULL;
}

static int look_at_machines(struct catalog *c, struct db *db, struct arena *a, struct overview *o, struct err *err)
{
	const struct cat_machine *const *all;
	struct db_expectation *expected;
	struct overview_silent *list;
	size_t n, n_expected;

	if (db_expectations_list(db, a, &expected, &n_expected, err))
		return -1;
	db_catalog_lock(c);
	all = db_catalog_machines(c, &n);
	list = arena_array(a, struct overview_silent, n + 1);
	for (size_t i = 0; i < n; i++)
		list[i] = (struct overview_silent){ all[i], TM_NONE, overdue(expected, n_expected, all[i]->id) };
	db_catalog_unlock(c);
	o->newest_start = TM_NONE;
	for (size_t i = 0; i < n; i++) {
		struct overview_silent *s = &list[i];

		if ((n <= CALC_OVERVIEW_MACHINES || s->expected) && db_overview_last_start(db, s->machine->id, &s->last_at, err))
			return -1;
		if (s->last_at > o->newest_start)
			o->newest_start = s->last_at;
	}
	o->silent = list;
	for (size_t i = 0; i < n; i++)
		if (list[i].expected ||
		    (list[i].last_at != TM_NONE && list[i].last_at < o->newest_start - CALC_OVERVIEW_BEHIND_DAYS * DAY_USEC))
			o->silent[o->n_silent++] = list[i];
	qsort(o->silent, o->n_silent, sizeof(*o->silent), by_age);
	return 0;
}

/* ---- what came ---- */

static void add_config(struct overview_upload *u, const struct cat_config *config)
{
	for (size_t i = 0; i < u->n_configs; i++)
		if (u->configs[i] == config)
			return;
	u->configs[u->n_configs++] = config;
}

static int look_at_uploads(struct catalog *c, struct db *db, struct arena *a, struct overview *o, struct err *err)
{
	struct overview_upload *last = NULL;
	struct run *runs;
	size_t n;

	if (db_runs_list(db, a, NULL, NULL, CALC_OVERVIEW_RUNS, &runs, &n, err))
		return -1;
	o->uploads = arena_array(a, struct overview_upload, CALC_OVERVIEW_UPLOADS);
	db_catalog_lock(c);
	for (size_t i = 0; i < n; i++) {
		const struct cat_kernel *kernel = db_catalog_kernel(c, runs[i].kernel_id);
		const struct cat_machine *machine = db_catalog_machine(c, runs[i].machine_id);
		const struct cat_config *config = db_catalog_config(c, runs[i].config_id);

		if (!kernel || !machine || !config)	/* newer than this catalogue: next time */
			continue;
		if (!last || last->kernel != kernel || last->machine != machine) {
			if (o->n_uploads == CALC_OVERVIEW_UPLOADS)
				break;
			last = &o->uploads[o->n_uploads++];
			*last = (struct overview_upload){ kernel, machine, arena_array(a, const struct cat_config *, n - i), 0,
							  .received_at = runs[i].received_at, .run_id = runs[i].run_id };
		}
		add_config(last, config);
		last->runs++;
		last->results += (int64_t)runs[i].n_results;
	}
	db_catalog_unlock(c);
	return 0;
}

static void count_all(struct catalog *c, struct overview *o)
{
	db_catalog_lock(c);
	db_catalog_machines(c, &o->n_machines);
	db_catalog_benchmarks(c, &o->n_benchmarks);
	db_catalog_kernels(c, &o->n_kernels);
	db_catalog_series(c, &o->n_series);
	db_catalog_unlock(c);
}

int calc_overview(struct catalog *c, struct db *db, struct arena *a, const char *track, struct overview *o, struct err *err)
{
	struct db_alert *open;
	size_t n;

	*o = (struct overview){ 0 };
	if (db_alerts_open(db, a, CALC_OVERVIEW_OPEN, &open, &n, err) || db_alerts_count_open(db, &o->open_count, err) ||
	    name_alerts(c, a, open, n, &o->open, err))
		return -1;
	o->n_open = n;
	count_all(c, o);
	if (look_at_tracks(c, db, a, o, err) || look_at_machines(c, db, a, o, err) || look_at_uploads(c, db, a, o, err))
		return -1;
	return calc_overview_heat(c, db, a, track, o, err);
}
