/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_trend_levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc_memo.h"

struct change_run calc_trend_level_run(const struct stats_side *side)
{
	return (struct change_run){ .value = side->center, .reps = side->n, .boots = side->boots,
				    .sd = side->boots == 1 ? side->stddev : NAN };
}

/* What change detection found in a series, as it is kept. */
struct kept {
	bool suspect;
	struct change_found last;
	size_t n;
	struct change_found found[];
};

static const struct kept *find(struct arena *a, struct change *detector, const struct change_run *runs, size_t n)
{
	static struct calc_memo memo = CALC_MEMO_INIT;
	const struct calc_memo_key key = calc_memo_key(runs, n * sizeof(*runs));
	struct kept *kept = calc_memo_get(&memo, &key, a);
	const struct change_list *l;
	size_t size;

	if (kept)
		return kept;
	change_clear(detector);
	for (size_t i = 0; i < n; i++)
		change_add(detector, &runs[i]);
	l = change_find(detector);
	size = sizeof(*kept) + l->n * sizeof(*l->found);
	kept = arena_zalloc(a, size);
	kept->suspect = l->suspect;
	kept->last = l->last;
	kept->n = l->n;
	if (l->n)
		memcpy(kept->found, l->found, l->n * sizeof(*l->found));
	calc_memo_put(&memo, &key, kept, size);
	return kept;
}

static struct trend_change change_of(const struct change_found *f, const struct cat_kernel *const *kernels,
				     const size_t *measured, enum better better)
{
	bool worse = (better == BETTER_LOWER) == (f->after > f->before);

	return (struct trend_change){
		.at = measured[f->index], .after = measured[f->index - 1], .first = measured[f->lo],
		.last = measured[f->hi], .before_center = f->before, .after_center = f->after, .percent = f->percent,
		.before_boots = (int64_t)f->runs_before, .after_boots = (int64_t)f->runs_after,
		.ci_lo = f->ci_lo, .ci_hi = f->ci_hi, .level = true, .noise_percent = f->noise_percent,
		.score = f->score, .runs_before = f->runs_before, .runs_after = f->runs_after,
		.verdict = worse ? COMPARE_REGRESSION : COMPARE_IMPROVEMENT,
		.confidence = f->state == CHANGE_SUSPECT ? COMPARE_NONE : f->clear ? COMPARE_STRONG : COMPARE_WEAK,
		.from = kernels[measured[f->lo ? f->lo - 1 : 0]], .to = kernels[measured[f->hi]],
	};
}

void calc_trend_levels(struct arena *a, struct change *detector, const struct change_run *runs, size_t n,
		       const struct cat_kernel *const *kernels, const size_t *measured, struct trend_series *s)
{
	const struct kept *l = find(a, detector, runs, n);
	enum better better = s->series->metric->better;

	if (better == BETTER_NEUTRAL)
		return;
	s->changes = arena_array(a, struct trend_change, l->n + 1);
	for (size_t i = 0; i < l->n; i++)
		if (isfinite(l->found[i].percent))
			s->changes[s->n_changes++] = change_of(&l->found[i], kernels, measured, better);
	s->suspect = l->suspect && isfinite(l->last.percent);
	if (s->suspect)
		s->last = change_of(&l->last, kernels, measured, better);
}

/* ---- alerts ---- */

static int by_series(const void *a, const void *b)
{
	const struct db_change *x = &((const struct db_member *)a)->change, *y = &((const struct db_member *)b)->change;
	const int64_t k[] = { x->series_id, x->to_kernel_id, x->from_kernel_id };
	const int64_t l[] = { y->series_id, y->to_kernel_id, y->from_kernel_id };

	for (int i = 0; i < 3; i++)
		if (k[i] != l[i])
			return k[i] < l[i] ? -1 : 1;
	return 0;
}

static const struct cat_kernel *kernel_of(const struct trend *t, int64_t id)
{
	for (size_t i = 0; i < t->n_kernels; i++)
		if (t->kernels[i]->id == id)
			return t->kernels[i];
	return NULL;
}

/* The alert's range stays, unless that of the change lies within: then it becomes narrower. */
static void take(struct trend *t, struct trend_change *c, const struct db_member *m)
{
	const struct cat_kernel *from = kernel_of(t, m->change.from_kernel_id);
	const struct cat_kernel *to = kernel_of(t, m->change.to_kernel_id);

	c->has_alert = true;
	c->alert_id = m->alert_id;
	if (!from || !to)	/* out of the answer: run= */
		return;
	if (calc_select_kernel_order(&from, &c->from) <= 0 && calc_select_kernel_order(&c->to, &to) <= 0)
		return;
	c->from = from;
	c->to = to;
}

static void known_steps(struct trend *t, struct trend_series *s, const struct db_member *m, size_t n)
{
	for (size_t i = 0; i < s->n_changes; i++)
		for (size_t k = 0; k < n && !s->changes[i].level; k++)
			if (m[k].change.from_kernel_id == s->changes[i].from->id &&
			    m[k].change.to_kernel_id == s->changes[i].to->id)
				take(t, &s->changes[i], &m[k]);
}

/* Places count the kernels the series was measured with, as change detection does. */
static void count_places(const struct trend *t, const struct trend_series *s, size_t *place)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_kernels; i++) {
		place[i] = n;
		n += !isnan(s->y[i]) && !t->kernels[i]->is_variant;
	}
}

static void known_levels(struct arena *a, struct trend *t, struct trend_series *s, const struct db_member *m, size_t n)
{
	size_t *place = arena_array(a, size_t, t->n_kernels), *of = arena_array(a, size_t, s->n_changes);
	struct change_found *found = arena_array(a, struct change_found, s->n_changes);
	struct change_said *said = arena_array(a, struct change_said, n);
	const struct db_member **whose = arena_array(a, const struct db_member *, n);
	struct change_list l = { .found = found };
	size_t n_said = 0;

	count_places(t, s, place);
	for (size_t i = 0; i < s->n_changes && s->changes[i].level; i++)
		found[l.n++] = (struct change_found){ .index = place[s->changes[i].at],
						      .before = s->changes[i].before_center,
						      .after = s->changes[i].after_center };
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < t->n_kernels; i++)
			if (t->kernels[i]->id == m[k].change.to_kernel_id && !strcmp(t->kernels[i]->track, s->track)) {
				whose[n_said] = &m[k];
				said[n_said++] = (struct change_said){
					place[i], m[k].regression == (s->series->metric->better == BETTER_LOWER) };
			}
	change_match(&l, said, n_said, of);
	for (size_t i = 0; i < l.n; i++)
		if (of[i] != SIZE_MAX)
			take(t, &s->changes[i], whose[of[i]]);
}

void calc_trend_alerts(struct arena *a, struct trend *t, struct db_member *members, size_t n)
{
	if (n)
		qsort(members, n, sizeof(*members), by_series);
	for (size_t i = 0; i < t->n_series && n; i++) {
		struct trend_series *s = &t->series[i];
		struct db_member key = { .change = { .series_id = s->series->id, .to_kernel_id = INT64_MIN,
						     .from_kernel_id = INT64_MIN } };
		size_t lo = 0, hi = n, count = 0;

		while (lo < hi) {	/* the first of the series */
			size_t mid = lo + (hi - lo) / 2;

			if (by_series(&members[mid], &key) < 0)
				lo = mid + 1;
			else
				hi = mid;
		}
		while (lo + count < n && members[lo + count].change.series_id == s->series->id)
			count++;
		if (!count || !s->n_changes)
			continue;
		known_steps(t, s, &members[lo], count);
		if (s->levels)
			known_levels(a, t, s, &members[lo], count);
	}
}
