/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last change of each benchmark on each micro-architecture, from alerts of one track. */
#include "calc_overview_own.h"

#include <stdlib.h>
#include <string.h>

#include "calc_lifecycle.h"
#include "calc_select.h"

struct heat {
	struct catalog *catalog;
	struct arena *a;
	struct overview_heat *out;
	struct calc_alert *alerts;		/* of the track */
	size_t n_alerts;
	const struct overview_extent *extents;
	size_t n_extents;
};

static int by_text(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static int by_name(const void *x, const void *y)
{
	return strcmp((*(const struct cat_benchmark *const *)x)->name, (*(const struct cat_benchmark *const *)y)->name);
}

/* Columns: the micro-architectures of all machines. */
static void find_uarchs(struct heat *h)
{
	const struct cat_machine *const *all;
	const char **list;
	size_t n, kept = 0;

	db_catalog_lock(h->catalog);
	all = db_catalog_machines(h->catalog, &n);
	list = arena_array(h->a, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		list[i] = all[i]->uarch;
	db_catalog_unlock(h->catalog);
	qsort(list, n, sizeof(*list), by_text);
	for (size_t i = 0; i < n; i++)
		if (!kept || strcmp(list[kept - 1], list[i]))
			list[kept++] = list[i];
	h->out->uarchs = list;
	h->out->n_uarchs = kept;
}

static bool counts(const struct calc_alert *al)
{
	return !al->alert->silence && !al->alert->merged && al->alert->n_series > 0;
}

/* Rows: benchmarks with a change. */
static void find_benchmarks(struct heat *h, size_t n_all)
{
	struct overview_heat *o = h->out;

	o->benchmarks = arena_array(h->a, const struct cat_benchmark *, h->n_alerts + 1);
	for (size_t i = 0; i < h->n_alerts; i++) {
		size_t k = 0;

		while (k < o->n_benchmarks && o->benchmarks[k] != h->alerts[i].benchmark)
			k++;
		if (k == o->n_benchmarks && counts(&h->alerts[i]))
			o->benchmarks[o->n_benchmarks++] = h->alerts[i].benchmark;
	}
	qsort(o->benchmarks, o->n_benchmarks, sizeof(*o->benchmarks), by_name);
	o->n_still = n_all - o->n_benchmarks;
}

static struct overview_cell *cell_of(const struct heat *h, const struct cat_benchmark *b, const char *uarch)
{
	const struct overview_heat *o = h->out;
	size_t row = 0, col = 0;

	while (row < o->n_benchmarks && o->benchmarks[row] != b)
		row++;
	while (col < o->n_uarchs && strcmp(o->uarchs[col], uarch))
		col++;
	return row < o->n_benchmarks && col < o->n_uarchs ? &o->cells[row * o->n_uarchs + col] : NULL;
}

/* Which cells have anything to change: from the series of the benchmarks shown. */
static void find_measured(struct heat *h)
{
	db_catalog_lock(h->catalog);
	for (size_t i = 0; i < h->out->n_benchmarks; i++) {
		size_t n;
		const struct cat_series *const *list = db_catalog_series_of(h->catalog, h->out->benchmarks[i]->id, &n);

		for (size_t k = 0; k < n; k++) {
			struct overview_cell *cell = cell_of(h, h->out->benchmarks[i], list[k]->machine->uarch);

			if (cell)
				cell->measured = true;
		}
	}
	db_catalog_unlock(h->catalog);
}

static const struct cat_kernel *kernel_of(const struct overview_cell *cell)
{
	return cell->worse.alert ? cell->worse.alert->to : cell->better.alert ? cell->better.alert->to : NULL;
}

/* An alert into its cell: the newest kernel's, and there one of each direction. */
static void put(struct overview_cell *cell, const struct calc_alert *al)
{
	const struct cat_kernel *had = kernel_of(cell);
	struct overview_side *side = al->alert->regression ? &cell->worse : &cell->better;
	int order = had ? calc_select_kernel_order(&al->to, &had) : 1;

	if (order < 0)
		return;
	if (order > 0)
		cell->worse.alert = cell->better.alert = NULL;
	if (!side->alert || side->alert->alert->n_series < al->alert->n_series)
		side->alert = al;
}

/* fn with each alert and each cell it is about. */
static void each_place(struct heat *h, void (*fn)(struct overview_cell *cell, const struct calc_alert *al))
{
	db_catalog_lock(h->catalog);
	for (size_t i = 0; i < h->n_alerts; i++) {
		const struct calc_alert *al = &h->alerts[i];

		for (size_t k = 0; k < al->alert->n_machines && counts(al); k++) {
			const struct cat_machine *m = db_catalog_machine(h->catalog, al->alert->machine_ids[k]);
			struct overview_cell *cell = m ? cell_of(h, al->benchmark, m->uarch) : NULL;

			if (cell)
				fn(cell, al);
		}
	}
	db_catalog_unlock(h->catalog);
}

/* What went before the change that is shown, and was not ended. */
static void remember_open(struct overview_cell *cell, const struct calc_alert *al)
{
	const struct cat_kernel *last = kernel_of(cell);

	if (!last || al->to == last || !al->alert->regression || !calc_lifecycle_is_open(al->alert->state))
		return;
	if (!cell->older || calc_overview_size(al->alert->worst_percent) > calc_overview_size(cell->older->alert->worst_percent))
		cell->older = al;
}

static struct uuid *shown(const struct heat *h, size_t *n)
{
	const struct overview_heat *o = h->out;
	struct uuid *ids = arena_array(h->a, struct uuid, 2 * o->n_benchmarks * o->n_uarchs + 1);

	*n = 0;
	for (size_t i = 0; i < h->n_alerts; i++) {
		bool used = false;

		for (size_t k = 0; k < o->n_benchmarks * o->n_uarchs && !used; k++)
			used = o->cells[k].worse.alert == &h->alerts[i] || o->cells[k].better.alert == &h->alerts[i];
		if (used)
			ids[(*n)++] = h->alerts[i].alert->id;
	}
	return ids;
}

static void sum_up(const struct heat *h, struct overview_side *side, const char *uarch)
{
	for (size_t i = 0; side->alert && i < h->n_extents; i++) {
		const struct overview_extent *x = &h->extents[i];
		const struct cat_machine *m;
		double p;

		if (!uuid_equal(&x->alert_id, &side->alert->alert->id))
			continue;
		m = db_catalog_machine(h->catalog, x->machine_id);
		if (!m || strcmp(m->uarch, uarch))
			continue;
		p = calc_overview_size(x->least) > calc_overview_size(x->greatest) ? x->least : x->greatest;
		if (!side->n_series || calc_overview_size(p) > calc_overview_size(side->percent))
			side->percent = p;
		side->n_series += x->n_series;
	}
}

/* An alert without rows on this micro-architecture any more is none of its cell. */
static void fill_cells(const struct heat *h)
{
	const struct overview_heat *o = h->out;

	db_catalog_lock(h->catalog);
	for (size_t i = 0; i < o->n_benchmarks * o->n_uarchs; i++) {
		struct overview_side *sides[] = { &o->cells[i].worse, &o->cells[i].better };

		for (size_t k = 0; k < 2; k++) {
			sum_up(h, sides[k], o->uarchs[i % o->n_uarchs]);
			if (!sides[k]->n_series)
				sides[k]->alert = NULL;
		}
	}
	db_catalog_unlock(h->catalog);
}

static int pick_track(struct arena *a, const struct overview *o, const char *wanted, const char **track, struct err *err)
{
	const char **names = arena_array(a, const char *, o->n_tracks + 1);

	*track = o->n_tracks && !wanted ? o->tracks[0].track : NULL;
	for (size_t i = 0; i < o->n_tracks; i++) {
		names[i] = o->tracks[i].track;
		if (wanted && !strcmp(names[i], wanted))
			*track = names[i];
	}
	return wanted && !*track ? calc_select_unknown(a, "track", wanted, names, o->n_tracks, err) : 0;
}

int calc_overview_heat(struct catalog *c, struct db *db, struct arena *a, const char *track, struct overview *o, struct err *err)
{
	struct heat h = { .catalog = c, .a = a, .out = &o->heat };
	struct overview_extent *extents;
	struct db_alert *list;
	struct uuid *ids;
	size_t n;

	if (pick_track(a, o, track, &o->heat.track, err))
		return -1;
	if (!o->heat.track)
		return 0;
	if (db_alerts_of_track(db, a, o->heat.track, &list, &h.n_alerts, err))
		return -1;
	h.alerts = arena_array(a, struct calc_alert, h.n_alerts + 1);
	for (size_t i = 0; i < h.n_alerts; i++)
		if (calc_alert_name(c, a, &list[i], &h.alerts[i], err))
			return -1;
	find_uarchs(&h);
	find_benchmarks(&h, o->n_benchmarks);
	o->heat.cells = arena_array(a, struct overview_cell, o->heat.n_benchmarks * o->heat.n_uarchs + 1);
	find_measured(&h);
	each_place(&h, put);
	each_place(&h, remember_open);
	ids = shown(&h, &n);
	if (db_overview_extents(db, a, ids, n, &extents, &h.n_extents, err))
		return -1;
	h.extents = extents;
	fill_cells(&h);
	return 0;
}
