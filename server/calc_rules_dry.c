/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_rules_dry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc_trend.h"

#define AT_ONCE 500	/* series whose history is in memory together */

struct dry_walk {
	struct arena *a;	/* of what is found */
	const struct calc_rule *rule;
	struct rules_dry *out;
};

static void add_machine(struct dry_walk *run, struct rules_firing *f, const struct cat_machine *m)
{
	for (size_t i = 0; i < f->n_machines; i++)
		if (f->machines[i] == m)
			return;
	if (f->n_machines == f->cap_machines) {
		size_t cap = f->cap_machines ? 2 * f->cap_machines : 4;

		f->machines = arena_grow(run->a, f->machines, f->n_machines * sizeof(m), cap * sizeof(m));
		f->cap_machines = cap;
	}
	f->machines[f->n_machines++] = m;
}

static struct rules_firing *firing_of(struct dry_walk *run, const struct calc_rule_step *s, bool regression)
{
	struct rules_dry *d = run->out;
	size_t i = 0;

	while (i < d->n && (d->list[i].benchmark != s->series->benchmark || d->list[i].to != s->to ||
			    d->list[i].regression != regression))
		i++;
	if (i < d->n)
		return &d->list[i];
	if (d->n == d->cap) {
		size_t cap = d->cap ? 2 * d->cap : 16;

		d->list = arena_grow(run->a, d->list, d->n * sizeof(*d->list), cap * sizeof(*d->list));
		d->cap = cap;
	}
	d->list[d->n] = (struct rules_firing){ .benchmark = s->series->benchmark, .from = s->from, .to = s->to,
					       .regression = regression, .worst_percent = s->percent };
	return &d->list[d->n++];
}

static int by_series_id(const void *x, const void *y)
{
	int64_t a = (*(const struct cat_series *const *)x)->id, b = (*(const struct cat_series *const *)y)->id;

	return (a > b) - (a < b);
}

static void note(struct dry_walk *run, const struct calc_rule_step *s)
{
	struct rules_firing *f;
	bool regression = false;

	if (!calc_rules_fires(run->rule, s, &regression))
		return;
	f = firing_of(run, s, regression);
	f->n_series++;
	if (calc_select_kernel_order(&f->from, &s->from) < 0)	/* the range that all have in common */
		f->from = s->from;
	if (fabs(log1p(s->percent / 100)) > fabs(log1p(f->worst_percent / 100)))
		f->worst_percent = s->percent;
	add_machine(run, f, s->series->machine);
}

/* The verdict between two neighbours is the trend's own. */
static void judge_neighbours(const struct trend_series *s, size_t at, struct calc_rule_step *step)
{
	for (size_t i = 0; i < s->n_changes; i++)
		if (s->changes[i].at == at) {
			step->verdict = s->changes[i].verdict;
			step->confidence = s->changes[i].confidence;
		}
}

static struct calc_rule_step step_of(const struct trend *t, const struct trend_series *s, size_t from, size_t to)
{
	return (struct calc_rule_step){
		.series = s->series, .from = t->kernels[from], .to = t->kernels[to], .from_center = s->y[from],
		.to_center = s->y[to], .percent = (s->y[to] / s->y[from] - 1) * 100, .verdict = COMPARE_INCONCLUSIVE,
	};
}

static void walk_neighbours(struct dry_walk *run, const struct trend *t, const struct trend_series *s)
{
	size_t last = t->n_kernels;

	for (size_t i = 0; i < t->n_kernels; i++) {
		struct calc_rule_step step;

		if (isnan(s->y[i]) || strcmp(t->kernels[i]->track, s->track))
			continue;
		if (last < t->n_kernels) {
			step = step_of(t, s, last, i);
			judge_neighbours(s, i, &step);
			note(run, &step);
		}
		last = i;
	}
}

/* One of the series at a kernel after the baseline: far enough off to be worth a test? */
static bool may_breach(const struct dry_walk *run, const struct trend_series *s, size_t base, size_t at)
{
	return fabs(s->y[at] / s->y[base] - 1) * 100 >= run->rule->rule.percent;
}

static bool is_measured(const struct trend *t, const struct trend_series *s, size_t base, size_t at)
{
	return !isnan(s->y[base]) && !isnan(s->y[at]) && !strcmp(t->kernels[at]->track, s->track);
}

/* The comparison that watch would make with this kernel; *cmp NULL: none of the series can breach the rule. */
static int compare_with(const struct dry_walk *run, struct catalog *c, struct db *db, struct arena *a, const struct trend *t,
			size_t base, size_t at, struct compare **cmp, struct err *err)
{
	struct selection sel = { .series = arena_array(a, const struct cat_series *, t->n_series + 1) };
	bool any = false;

	*cmp = NULL;
	for (size_t i = 0; i < t->n_series; i++) {
		const struct trend_series *s = &t->series[i];

		if (!is_measured(t, s, base, at) || !calc_rules_selects(run->rule, s->series, s->track))
			continue;
		any |= may_breach(run, s, base, at);
		sel.series[sel.n++] = s->series;
	}
	if (!any)
		return 0;
	qsort(sel.series, sel.n, sizeof(*sel.series), by_series_id);
	return calc_compare(c, db, a, &sel, t->kernels[base], t->kernels[at], NULL, NULL, cmp, err);
}

static const struct compare_row *row_of(const struct compare *cmp, const struct cat_series *s)
{
	for (size_t i = 0; cmp && i < cmp->n_rows; i++)
		if (cmp->rows[i].series == s)
			return &cmp->rows[i];
	return NULL;
}

/* Only where a series gets worse than the baseline, not all the time that it stays so. */
static void walk_kernel(struct dry_walk *run, const struct trend *t, size_t base, size_t at, const struct compare *cmp, bool *was)
{
	for (size_t i = 0; i < t->n_series; i++) {
		const struct trend_series *s = &t->series[i];
		const struct compare_row *row = row_of(cmp, s->series);
		struct calc_rule_step step;
		bool regression, is;

		if (!is_measured(t, s, base, at) || !calc_rules_selects(run->rule, s->series, s->track))
			continue;
		step = step_of(t, s, base, at);
		if (row) {
			step.verdict = row->verdict;
			step.confidence = row->confidence;
		}
		is = calc_rules_fires(run->rule, &step, &regression);
		if (is && !was[i])
			note(run, &step);
		was[i] = is;
	}
}

static int walk_baseline(struct dry_walk *run, struct catalog *c, struct db *db, const struct trend *t, struct err *err)
{
	struct arena *a = arena_new(), *own = arena_new();
	bool *was = arena_array(a, bool, t->n_series + 1);
	size_t base = 0;
	int ret = 0;

	while (base < t->n_kernels && t->kernels[base] != run->rule->baseline)
		base++;
	for (size_t at = base + 1; at < t->n_kernels && !ret; at++) {
		struct compare *cmp;

		ret = compare_with(run, c, db, own, t, base, at, &cmp, err);
		if (!ret)
			walk_kernel(run, t, base, at, cmp, was);
		arena_reset(own);
	}
	arena_free(own);
	arena_free(a);
	return ret;
}

static int walk(struct dry_walk *run, struct catalog *c, struct db *db, struct arena *scratch, struct selection *part,
		struct err *err)
{
	struct trend *t;

	if (calc_trend(c, db, scratch, part, false, NULL, &t, err))
		return -1;
	for (size_t i = 0; i < t->n_series; i++) {
		const struct trend_series *s = &t->series[i];

		if (!calc_rules_selects(run->rule, s->series, s->track))
			continue;
		run->out->n_series++;
		if (run->rule->rule.kind != RULE_BASELINE)
			walk_neighbours(run, t, s);
	}
	return run->rule->rule.kind == RULE_BASELINE ? walk_baseline(run, c, db, t, err) : 0;
}

static int by_place(const void *x, const void *y)
{
	const struct rules_firing *f = x, *g = y;
	int order = calc_select_kernel_order(&f->to, &g->to);

	return order ? order : strcmp(f->benchmark->name, g->benchmark->name);
}

int calc_rules_dry_run(struct catalog *c, struct db *db, struct arena *a, const struct calc_rule *rule,
		       struct rules_dry *out, struct err *err)
{
	struct dry_walk run = { .a = a, .rule = rule, .out = out };
	struct selection sel = rule->on.sel;
	struct arena *scratch = arena_new();
	size_t at_once;
	int ret = 0;

	*out = (struct rules_dry){ 0 };
	if (rule->on.everything)
		ret = calc_select_series(c, a, NULL, 0, &sel, err);
	db_catalog_lock(c);
	db_catalog_kernels(c, &at_once);
	db_catalog_unlock(c);
	at_once = calc_trend_at_once(at_once, AT_ONCE);
	for (size_t i = 0; i < sel.n && !ret; i += at_once) {
		struct selection part = sel;

		part.series = sel.series + i;
		part.n = sel.n - i < at_once ? sel.n - i : at_once;
		ret = walk(&run, c, db, scratch, &part, err);
		arena_reset(scratch);
	}
	arena_free(scratch);
	if (out->n)
		qsort(out->list, out->n, sizeof(*out->list), by_place);
	return ret;
}
