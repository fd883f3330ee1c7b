/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/log.h"
#include "calc_compare.h"
#include "calc_noise_learn.h"
#include "detect_alerts.h"
#include "detect_corrected.h"
#include "detect_fixes.h"
#include "detect_levels.h"
#include "detect_range.h"
#include "detect_rules.h"

/* Runs of one machine and kernel: checked together. */
struct place {
	const struct cat_machine *machine;
	const struct cat_kernel *kernel;
	int64_t *series;		/* with a result there, sorted, each once */
	size_t n;
};

struct work {
	const struct detect *d;
	int max_runs;
	const struct detect_skip *skip;
	struct detect_report *report;
	struct uuid alone;		/* the run under work, when it is only one */
};

static int by_id(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

static int by_key(const void *x, const void *y)
{
	return detect_range_order(*(const struct cat_kernel *const *)x, *(const struct cat_kernel *const *)y);
}

struct gather {
	struct arena *a;
	int64_t *ids;
	size_t n, cap;
};

/* A run's series that have a result. */
static int add_series(const struct run *run, void *arg, struct err *err)
{
	struct gather *g = arg;

	(void)err;
	for (size_t i = 0; i < run->n_results; i++) {
		if (run->status && run->status[i] != RESULT_OK)
			continue;
		if (g->n == g->cap) {
			size_t cap = g->cap ? 2 * g->cap : 256;

			g->ids = arena_grow(g->a, g->ids, g->cap * sizeof(*g->ids), cap * sizeof(*g->ids));
			g->cap = cap;
		}
		g->ids[g->n++] = run->series_ids[i];
	}
	return 0;
}

/* Series with a result of this kernel on this machine, sorted, each once. */
static int series_at(struct db *db, struct arena *a, int64_t machine_id, int64_t kernel_id, int64_t **ids, size_t *n,
		     struct err *err)
{
	struct gather g = { .a = a };
	size_t kept = 0;

	if (db_runs_each_of_kernels(db, a, &kernel_id, 1, &machine_id, 1, add_series, &g, err))
		return -1;
	if (g.n)
		qsort(g.ids, g.n, sizeof(*g.ids), by_id);
	for (size_t i = 0; i < g.n; i++)
		if (!kept || g.ids[kept - 1] != g.ids[i])
			g.ids[kept++] = g.ids[i];
	*ids = g.ids;
	*n = kept;
	return 0;
}

/* Splits wanted (sorted) into those that are in have (sorted) and those that are left; both in place of wanted. */
static size_t take_common(int64_t *wanted, size_t *n, const int64_t *have, size_t n_have, int64_t *common)
{
	size_t left = 0, found = 0, h = 0;

	for (size_t i = 0; i < *n; i++) {
		while (h < n_have && have[h] < wanted[i])
			h++;
		if (h < n_have && have[h] == wanted[i])
			common[found++] = wanted[i];
		else
			wanted[left++] = wanted[i];
	}
	*n = left;
	return found;
}

static int select_ids(struct catalog *c, struct arena *a, const int64_t *ids, size_t n, struct selection *sel,
		      struct err *err)
{
	bool all = true;

	*sel = (struct selection){ .series = arena_array(a, const struct cat_series *, n), .n = n };
	db_catalog_lock(c);
	for (size_t i = 0; i < n; i++) {
		sel->series[i] = db_catalog_series_by_id(c, ids[i]);
		all &= sel->series[i] != NULL;
	}
	db_catalog_unlock(c);
	return all ? 0 : err_set(err, ERR_BUG, "a run names a series that the catalogue does not have");
}

static int compare_pair(const struct detect_rules *rules, struct db *db, struct arena *a,
			const struct detect_levels *levels, const int64_t *ids, size_t n, const struct cat_kernel *base,
			const struct cat_kernel *head, struct detect_report *report, struct err *err)
{
	struct selection sel;
	struct compare *cmp;

	if (select_ids(rules->d->catalog, a, ids, n, &sel, err) ||
	    calc_compare(rules->d->catalog, db, a, &sel, base, head, NULL, NULL, &cmp, err))
		return -1;
	detect_levels_filter(levels, cmp);
	return detect_alerts_apply(rules, db, a, cmp, report, err);
}

/*
 * Compares each series with the nearest kernel that has it, below or above: a kernel
 * that was only measured in part does not stand between the others.
 */
static int compare_with(const struct detect_rules *rules, struct db *db, struct arena *a, const struct place *p,
			const struct detect_levels *levels, const struct cat_kernel *const *kernels, size_t n_kernels,
			bool below, struct detect_report *report, struct err *err)
{
	int64_t *left = arena_array(a, int64_t, p->n), *common = arena_array(a, int64_t, p->n);
	struct arena *scratch = arena_new();	/* series that are new walk the whole history */
	size_t n_left = p->n;
	int ret = 0;

	if (p->n)
		memcpy(left, p->series, p->n * sizeof(*left));
	for (size_t i = 0; i < n_kernels && n_left && !ret; i++) {
		const struct cat_kernel *other = kernels[below ? n_kernels - 1 - i : i];
		int64_t *have;
		size_t n_have, n;

		if (detect_range_order(other, p->kernel) != (below ? -1 : 1))
			continue;
		/* keys order all of a track; names of local trees and of two branches have no before and after */
		if (kernel_compare_names(other->name, p->kernel->name) != (below ? KERNEL_BEFORE : KERNEL_AFTER))
			continue;
		arena_reset(scratch);
		ret = series_at(db, scratch, p->machine->id, other->id, &have, &n_have, err);
		if (ret)
			break;
		n = take_common(left, &n_left, have, n_have, common);
		if (n)
			ret = compare_pair(rules, db, scratch, levels, common, n, below ? other : p->kernel,
					   below ? p->kernel : other, report, err);
	}
	arena_free(scratch);
	return ret;
}

/* Rules that say "never worse than 6.12": each with its kernel, for the series that it looks at. */
static int compare_with_baselines(const struct detect_rules *rules, struct db *db, struct arena *a,
				  const struct place *p, struct detect_report *report, struct err *err)
{
	const struct detect_levels none = { 0 };
	int64_t *ids = arena_array(a, int64_t, p->n), *have;
	size_t n_have;

	for (size_t i = 0; i < rules->n; i++) {
		struct detect_rules only = { .d = rules->d, .list = &rules->list[i], .n = 1, .mutes = rules->mutes,
					     .apart = true };
		const struct calc_rule *r = &rules->list[i];
		struct selection sel;
		size_t n = 0;

		if (r->rule.kind != RULE_BASELINE || !r->baseline || r->baseline->is_variant ||
		    strcmp(r->baseline->track, p->kernel->track) || detect_range_order(r->baseline, p->kernel) >= 0)
			continue;
		if (series_at(db, a, p->machine->id, r->baseline->id, &have, &n_have, err) ||
		    select_ids(rules->d->catalog, a, p->series, p->n, &sel, err))
			return -1;
		for (size_t k = 0; k < p->n; k++)
			if (calc_rules_selects(r, sel.series[k], p->kernel->track) &&
			    n_have && bsearch(&p->series[k], have, n_have, sizeof(*have), by_id))
				ids[n++] = p->series[k];
		if (n && compare_pair(&only, db, a, &none, ids, n, r->baseline, p->kernel, report, err))
			return -1;
	}
	return 0;
}

/* The machine's kernels that may stand beside p's: of its track, no variants, in order. */
static int neighbours(struct catalog *c, struct db *db, struct arena *a, const struct place *p,
		      const struct cat_kernel ***out, size_t *n, struct err *err)
{
	const struct cat_kernel **list;
	int64_t *ids;
	size_t n_ids, kept = 0;

	if (db_alerts_kernels_of_machine(db, a, p->machine->id, &ids, &n_ids, err))
		return -1;
	list = arena_array(a, const struct cat_kernel *, n_ids);
	db_catalog_lock(c);
	for (size_t i = 0; i < n_ids; i++) {
		const struct cat_kernel *k = db_catalog_kernel(c, ids[i]);

		if (k && !k->is_variant && !strcmp(k->track, p->kernel->track))
			list[kept++] = k;
	}
	db_catalog_unlock(c);
	if (kept)
		qsort(list, kept, sizeof(*list), by_key);
	*out = list;
	*n = kept;
	return 0;
}

static int check_place(const struct detect_rules *rules, struct db *db, struct arena *a, int64_t machine_id,
		       int64_t kernel_id, struct detect_report *report, struct err *err)
{
	struct catalog *c = rules->d->catalog;
	const struct cat_kernel **kernels;
	struct detect_levels levels = { 0 };
	struct place p = { 0 };
	size_t n;

	db_catalog_lock(c);
	p.machine = db_catalog_machine(c, machine_id);
	p.kernel = db_catalog_kernel(c, kernel_id);
	db_catalog_unlock(c);
	if (!p.machine || !p.kernel)
		return err_set(err, ERR_BUG, "a run names a machine or kernel that the catalogue does not have");
	if (p.kernel->is_variant)
		return 0;
	if (series_at(db, a, machine_id, kernel_id, &p.series, &p.n, err) ||
	    neighbours(c, db, a, &p, &kernels, &n, err))
		return -1;
	if (n >= TREND_LEVELS_LEAST && detect_levels_read(c, db, a, p.kernel, p.series, p.n, &levels, err))
		return -1;
	if (compare_with(rules, db, a, &p, &levels, kernels, n, true, report, err) ||
	    compare_with(rules, db, a, &p, &levels, kernels, n, false, report, err) ||
	    detect_levels_apply(&levels, rules, db, a, report, err))
		return -1;
	if (compare_with_baselines(rules, db, a, &p, report, err))
		return -1;
	if (detect_fixes_look(rules, db, a, p.kernel, p.series, p.n, err))
		return -1;
	return calc_noise_learn(c, db, a, p.series, p.n, &report->noise, err);
}

/*
 * Where the kernel no longer stands between others, those are neighbours: each series that it lost is looked
 * at from the next kernel above that has it, or else from the one below.
 */
static int check_around(const struct detect_rules *rules, struct db *db, struct arena *a, const struct place *p,
			const struct detect_corrected *fix, struct detect_report *report, struct err *err)
{
	int64_t *left = arena_array(a, int64_t, fix->n_lost + 1), *common = arena_array(a, int64_t, fix->n_lost + 1), *have;
	const struct cat_kernel **kernels;
	size_t n, n_left = fix->n_lost, n_have;

	memcpy(left, fix->lost, n_left * sizeof(*left));
	if (neighbours(rules->d->catalog, db, a, p, &kernels, &n, err))
		return -1;
	for (int below = 0; below < 2; below++)
		for (size_t i = 0; i < n && n_left; i++) {
			const struct cat_kernel *other = kernels[below ? n - 1 - i : i];

			if (detect_range_order(other, p->kernel) != (below ? -1 : 1))
				continue;
			if (series_at(db, a, p->machine->id, other->id, &have, &n_have, err))
				return -1;
			if (take_common(left, &n_left, have, n_have, common) &&
			    check_place(rules, db, a, p->machine->id, other->id, report, err))
				return -1;
		}
	return 0;
}

/* A run that was found wrong: what it said is forgotten, and what is left is looked at again. */
static int check_corrected(const struct detect_rules *rules, struct db *db, struct arena *a, const struct db_unchecked *u,
			   const struct db_invalid *why, struct detect_report *report, struct err *err)
{
	struct detect_corrected fix = { .why = why };
	struct place p = { 0 };
	struct run *run;

	db_catalog_lock(rules->d->catalog);
	p.machine = db_catalog_machine(rules->d->catalog, u->machine_id);
	p.kernel = fix.kernel = db_catalog_kernel(rules->d->catalog, u->kernel_id);
	db_catalog_unlock(rules->d->catalog);
	if (!p.machine || !p.kernel)
		return err_set(err, ERR_BUG, "a run names a machine or kernel that the catalogue does not have");
	if (p.kernel->is_variant)
		return 0;
	if (db_runs_get(db, a, &u->run_id, &run, err) || series_at(db, a, u->machine_id, u->kernel_id, &p.series, &p.n, err))
		return -1;
	if (!run)
		return 0;
	if (detect_corrected_forget(&fix, db, a, run, p.series, p.n, err) ||
	    check_place(rules, db, a, u->machine_id, u->kernel_id, report, err) ||
	    check_around(rules, db, a, &p, &fix, report, err))
		return -1;
	return detect_corrected_end(&fix, rules, db, a, err);
}

static const struct db_invalid *invalid_of(const struct db_invalid *list, size_t n, const struct uuid *run_id)
{
	for (size_t i = 0; i < n; i++)
		if (uuid_equal(&list[i].run_id, run_id))
			return &list[i];
	return NULL;
}

static int find_invalid(struct db *db, struct arena *a, const struct db_unchecked *list, size_t n,
			struct db_invalid **invalid, size_t *n_invalid, struct err *err)
{
	struct uuid *ids = arena_array(a, struct uuid, n);

	for (size_t i = 0; i < n; i++)
		ids[i] = list[i].run_id;
	return db_invalid_of(db, a, ids, n, invalid, n_invalid, err);
}

/* Whether an earlier run of the list has the same machine and kernel. */
static bool seen_before(const struct db_unchecked *list, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (list[k].machine_id == list[i].machine_id && list[k].kernel_id == list[i].kernel_id)
			return true;
	return false;
}

static int check_list(struct work *w, struct db *db, struct arena *a, const struct db_unchecked *list, size_t n,
		      struct err *err)
{
	struct db_invalid *invalid;
	struct detect_rules rules;
	size_t n_invalid;

	if (n == 1)
		w->alone = list[0].run_id;
	if (db_catalog_refresh(w->d->catalog, db, err) || detect_rules_load(&rules, w->d, db, a, err) ||
	    find_invalid(db, a, list, n, &invalid, &n_invalid, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct db_invalid *why = invalid_of(invalid, n_invalid, &list[i].run_id);
		struct arena *own;
		int ret;

		if (!why && seen_before(list, i))
			continue;
		own = arena_new();
		ret = why ? check_corrected(&rules, db, own, &list[i], why, w->report, err) :
		      check_place(&rules, db, own, list[i].machine_id, list[i].kernel_id, w->report, err);
		arena_free(own);
		if (ret)
			return -1;
	}
	w->report->runs = n;
	return detect_rules_touch(&rules, db, a, err) || db_alerts_checked(db, list, n, err) ? -1 : 0;
}

static int work_tx(struct db *db, void *arg, struct err *err)
{
	struct work *w = arg;
	struct db_unchecked *list;
	struct arena *a;
	size_t n;
	bool mine;
	int ret = -1;

	*w->report = (struct detect_report){ 0 };
	memset(&w->alone, 0, sizeof(w->alone));
	if (db_alerts_lock(db, &mine, err))
		return -1;
	if (!mine)
		return 0;
	a = arena_new();
	if (!db_alerts_unchecked(db, a, w->max_runs, w->skip->ids, w->skip->n, &list, &n, err))
		ret = n ? check_list(w, db, a, list, n, err) : 0;
	arena_free(a);
	return ret;
}

int detect_work(const struct detect *d, struct db *db, int max_runs, struct detect_skip *skip,
		struct detect_report *report, struct err *err)
{
	static const struct uuid none;
	struct work w = { .d = d, .max_runs = max_runs, .skip = skip, .report = report };
	char id[UUID_TEXT], quoted[900];

	if (!db_tx(db, work_tx, &w, DETECT_DEADLINE_MS, err))
		return 0;
	if (err->kind == ERR_UNAVAILABLE || uuid_equal(&w.alone, &none))
		return -1;
	if (skip->n == DETECT_SKIP_MAX)	/* the oldest gets its next try early */
		memmove(skip->ids, skip->ids + 1, --skip->n * sizeof(skip->ids[0]));
	skip->ids[skip->n++] = w.alone;
	*report = (struct detect_report){ .skipped = true };
	log_event(LOG_ERROR, "a run cannot be checked and is left out", "run=%s error=%s", uuid_format(&w.alone, id),
		  log_quote(quoted, sizeof(quoted), err->message));
	return 0;
}
