/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../lib/ids.h"
#include "../lib/log.h"
#include "calc_noise_learn.h"
#include "db_united.h"
#include "detect_corrected.h"
#include "detect_fixes.h"
#include "detect_levels.h"
#include "detect_pairs.h"
#include "detect_range.h"
#include "detect_rules.h"

#define LONG_MS 300		/* a transaction that has taken so long takes no other in: fresh runs wait for its end */

/*
 * Series x kernels that are in memory at a time, some 400 MB: an upload may have 100,000 series. One with more than that
 * is looked at in parts, each a family of its own.
 */
#define POINTS_MOST 1000000

/* Runs of one machine and kernel that are checked together. */
struct place {
	const struct cat_machine *machine;
	const struct cat_kernel *kernel;
	struct uuid *runs;
	size_t n_runs;
	int64_t *series;		/* with a result in one of them, in order */
	size_t n;
};

struct work {
	const struct detect *d;
	int max_runs;
	struct detect_queue *queue;
	struct detect_report *report;
	struct uuid alone;		/* the run under work, when it is only one */
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int compare_with_neighbours(const struct detect_rules *rules, struct db *db, struct arena *a, const struct place *p,
				   const struct detect_history *h, struct detect_report *report, struct err *err)
{
	struct detect_pair *pairs;
	size_t n;

	if (detect_pairs_read(rules->d->catalog, db, a, h, p->kernel, &pairs, &n, err))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (detect_alerts_apply_as(rules, db, a, pairs[i].cmp, pairs[i].evidence, report, err))
			return -1;
	return 0;
}

/* Rules that say "never worse than 6.12": each with its kernel, for the series that it looks at. */
static int compare_with_baselines(const struct detect_rules *rules, struct db *db, struct arena *a,
				  const struct place *p, const struct detect_history *h, struct detect_report *report,
				  struct err *err)
{
	for (size_t i = 0; i < rules->n; i++) {
		struct detect_rules only = { .d = rules->d, .list = &rules->list[i], .n = 1, .mutes = rules->mutes,
					     .apart = true };
		const struct calc_rule *r = &rules->list[i];
		struct compare *cmp;

		if (r->rule.kind != RULE_BASELINE || !r->baseline || r->baseline->is_variant ||
		    strcmp(r->baseline->track, p->kernel->track) || detect_range_order(r->baseline, p->kernel) >= 0)
			continue;
		if (detect_pairs_baseline(rules->d->catalog, db, a, h, r, p->kernel, &cmp, err) ||
		    (cmp && detect_alerts_apply(&only, db, a, cmp, report, err)))
			return -1;
	}
	return 0;
}

static int check_part(const struct detect_rules *rules, struct db *db, struct arena *a, const struct place *p,
		      struct detect_report *report, struct err *err)
{
	struct detect_history h;

	return detect_history_read(rules->d->catalog, db, a, p->kernel, p->series, p->n, &h, err) ||
	       compare_with_neighbours(rules, db, a, p, &h, report, err) ||
	       detect_levels_check(rules, db, a, &h, p->kernel, report, err) ||
	       compare_with_baselines(rules, db, a, p, &h, report, err) ||
	       calc_noise_learn_given(rules->d->catalog, db, a, p->series, p->n, h.samples, h.n_samples, &report->noise,
				      err) ? -1 : 0;
}

static int check_place(const struct detect_rules *rules, struct db *db, struct arena *a, const struct place *p,
		       struct detect_report *report, struct err *err)
{
	struct catalog *c = rules->d->catalog;
	size_t kernels, most;

	if (p->kernel->is_variant)
		return 0;
	db_catalog_lock(c);
	db_catalog_kernels(c, &kernels);
	db_catalog_unlock(c);
	most = POINTS_MOST / (kernels + 1) + 1;
	for (size_t from = 0; from < p->n; from += most) {
		struct place part = *p;
		struct arena *own = arena_new();
		int ret;

		part.series = p->series + from;
		part.n = p->n - from < most ? p->n - from : most;
		ret = check_part(rules, db, own, &part, report, err);
		arena_free(own);
		if (ret)
			return -1;
	}
	return detect_fixes_look(rules, db, a, p->kernel, p->series, p->n, err);
}

/*
 * Where the kernel no longer stands between others, those are neighbours: each series that it lost is looked
 * at from the next kernel above that has it, or else from the one below.
 */
static int check_around(const struct detect_rules *rules, struct db *db, struct arena *a, const struct place *p,
			const struct detect_corrected *fix, struct detect_report *report, struct err *err)
{
	const struct cat_kernel **other = arena_array(a, const struct cat_kernel *, fix->n_lost);
	struct detect_history h;

	if (detect_history_read(rules->d->catalog, db, a, p->kernel, fix->lost, fix->n_lost, &h, err))
		return -1;
	for (size_t i = 0; i < h.n; i++) {
		const struct history_series *s = &h.series[i];
		size_t k = 0;

		while (k < s->n && detect_range_order(s->point[k].kernel, p->kernel) < 0)
			k++;
		if (s->n)
			other[i] = s->point[k < s->n ? k : s->n - 1].kernel;
	}
	for (size_t i = 0; i < h.n; i++) {
		struct place q = { .machine = p->machine, .kernel = other[i], .series = arena_array(a, int64_t, h.n) };

		for (size_t k = i; k < h.n && q.kernel; k++) {
			if (other[k] != q.kernel)
				continue;
			q.series[q.n++] = fix->lost[k];
			other[k] = NULL;
		}
		if (q.kernel && check_place(rules, db, a, &q, report, err))
			return -1;
	}
	return 0;
}

/* Those of the run's series that other runs of the kernel have, too. */
static int find_left(const struct detect_rules *rules, struct db *db, struct arena *a, const struct run *run,
		     struct place *p, struct err *err)
{
	int64_t *ids = arena_array(a, int64_t, run->n_results);
	struct detect_history h;
	size_t n;

	memcpy(ids, run->series_ids, run->n_results * sizeof(*ids));
	n = ids_unique(ids, run->n_results);
	if (detect_history_read(rules->d->catalog, db, a, p->kernel, ids, n, &h, err))
		return -1;
	p->series = ids;
	for (size_t i = 0; i < h.n; i++)
		if (h.series[i].at < h.series[i].n)
			p->series[p->n++] = h.series[i].series->id;
	return 0;
}

/* A run that was found wrong: what it said is forgotten, and what is left is looked at again. */
static int check_corrected(const struct detect_rules *rules, struct db *db, struct arena *a, const struct place *of,
			   const struct db_invalid *why, struct detect_report *report, struct err *err)
{
	struct place p = { .machine = of->machine, .kernel = of->kernel };
	struct detect_corrected fix = { .why = why, .kernel = of->kernel };
	struct run *run;

	if (p.kernel->is_variant)
		return 0;
	if (db_runs_get(db, a, &why->run_id, &run, err))
		return -1;
	if (!run)
		return 0;
	db_united_mains(db, UNITED_SERIES, run->series_ids, run->n_results);
	if (find_left(rules, db, a, run, &p, err))
		return -1;
	if (detect_corrected_forget(&fix, db, a, run, p.series, p.n, err) ||
	    check_place(rules, db, a, &p, report, err) || check_around(rules, db, a, &p, &fix, report, err))
		return -1;
	return detect_corrected_end(&fix, rules, db, a, err);
}

/* All that waits of one machine and kernel: what was found wrong first. */
static int check_waiting(const struct detect_rules *rules, struct db *db, struct arena *a, struct place *p,
			 struct detect_report *report, struct err *err)
{
	struct uuid *valid = arena_array(a, struct uuid, p->n_runs);
	struct db_invalid *invalid;
	size_t n, n_valid = 0;

	if (db_invalid_of(db, a, p->runs, p->n_runs, &invalid, &n, err))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (check_corrected(rules, db, a, p, &invalid[i], report, err))
			return -1;
	for (size_t i = 0; i < p->n_runs; i++) {
		bool wrong = false;

		for (size_t k = 0; k < n; k++)
			wrong |= uuid_equal(&invalid[k].run_id, &p->runs[i]);
		if (!wrong)
			valid[n_valid++] = p->runs[i];
	}
	if (n_valid && (db_alerts_series_of(db, a, valid, n_valid, &p->series, &p->n, err) ||
			check_place(rules, db, a, p, report, err)))
		return -1;
	return db_alerts_checked(db, p->runs, p->n_runs, err);
}

static int gather(const struct work *w, struct db *db, struct arena *a, const struct db_unchecked *of, struct place *p,
		  struct err *err)
{
	struct catalog *c = w->d->catalog;
	struct detect_turn turn;

	if (detect_queue_turn(w->queue, db, a, of, &turn, err))
		return -1;
	*p = (struct place){ .runs = turn.runs, .n_runs = turn.n };
	db_catalog_lock(c);
	p->machine = db_catalog_machine(c, turn.machine_id);
	p->kernel = db_catalog_kernel(c, turn.kernel_id);
	db_catalog_unlock(c);
	if (!p->machine || !p->kernel)
		return err_set(err, ERR_BUG, "a run names a machine or kernel that the catalogue does not have");
	return 0;
}

static int check_list(struct work *w, struct db *db, struct arena *a, const struct db_unchecked *list, size_t n,
		      struct err *err)
{
	int64_t begun = now_ms();
	struct detect_rules rules;

	if (w->max_runs == 1)
		w->alone = list[0].run_id;
	if (db_catalog_refresh(w->d->catalog, db, err) || detect_rules_load(&rules, w->d, db, a, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct arena *own = arena_new();
		struct place p;
		int ret = gather(w, db, own, &list[i], &p, err) ||
			  check_waiting(&rules, db, own, &p, w->report, err);

		w->report->runs += ret ? 0 : p.n_runs;
		arena_free(own);
		if (ret)
			return -1;
		w->report->more |= i + 1 < n && now_ms() - begun >= LONG_MS;
		if (w->report->more)
			break;
	}
	return detect_rules_touch(&rules, db, a, err);
}

static int work_tx(struct db *db, void *arg, struct err *err)
{
	struct work *w = arg;
	struct db_unchecked *list;
	struct arena *a;
	size_t n = 0;
	bool mine;
	int ret = -1;

	*w->report = (struct detect_report){ 0 };
	memset(&w->alone, 0, sizeof(w->alone));
	if (db_alerts_lock(db, &mine, err))
		return -1;
	if (!mine)
		return 0;
	a = arena_new();
	if (!detect_queue_list(w->queue, db, a, w->max_runs, &list, &n, err))
		ret = n ? check_list(w, db, a, list, n, err) : 0;
	w->report->more |= n == (size_t)w->max_runs;
	db_set_horizon(db, NULL);
	arena_free(a);
	return ret;
}

int detect_work(const struct detect *d, struct db *db, int max_runs, struct detect_queue *queue,
		struct detect_report *report, struct err *err)
{
	static const struct uuid none;
	struct work w = { .d = d, .max_runs = max_runs, .queue = queue, .report = report };
	char id[UUID_TEXT], quoted[900];

	if (!db_tx(db, work_tx, &w, DETECT_DEADLINE_MS, err))
		return 0;
	if (err->kind == ERR_UNAVAILABLE || uuid_equal(&w.alone, &none))
		return -1;
	detect_queue_leave_out(queue, &w.alone);
	*report = (struct detect_report){ .skipped = true, .more = true };
	log_event(LOG_ERROR, "a run cannot be checked and is left out", "run=%s error=%s", uuid_format(&w.alone, id),
		  log_quote(quoted, sizeof(quoted), err->message));
	return 0;
}
