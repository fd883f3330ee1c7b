/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_trend_thin.h"

#include <math.h>
#include <string.h>

/* Indexes of the points that a series has; returns how many. */
static size_t points_of(const struct trend *t, const struct trend_series *s, size_t *at)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_kernels; i++)
		if (!isnan(s->y[i]))
			at[n++] = i;
	return n;
}

static void keep_change(bool *keep, const struct trend_change *c)
{
	keep[c->at] = keep[c->after] = keep[c->first] = keep[c->last] = true;
}

/* The lowest and the highest of each stretch of points: nothing that stands out in the picture is lost. */
static void keep_extremes(const struct trend_series *s, const size_t *at, size_t n, size_t stretches, bool *keep)
{
	for (size_t b = 0; b < stretches; b++) {
		size_t from = b * n / stretches, to = (b + 1) * n / stretches, lo = from, hi = from;

		for (size_t i = from; i < to; i++) {
			if (s->y[at[i]] < s->y[at[lo]])
				lo = i;
			if (s->y[at[i]] > s->y[at[hi]])
				hi = i;
		}
		keep[at[lo]] = keep[at[hi]] = true;
	}
	keep[at[0]] = keep[at[n - 1]] = true;
}

static void thin_series(const struct trend *t, struct trend_series *s, size_t most, size_t *at, bool *keep)
{
	size_t n = points_of(t, s, at);

	if (n <= most)
		return;
	memset(keep, 0, t->n_kernels * sizeof(*keep));
	keep_extremes(s, at, n, most / 2, keep);
	for (size_t i = 0; i < s->n_changes; i++)
		keep_change(keep, &s->changes[i]);
	if (s->suspect)
		keep_change(keep, &s->last);
	keep[s->newest] = true;
	for (size_t i = 0; i < n; i++) {
		if (keep[at[i]])
			continue;
		s->y[at[i]] = s->lo[at[i]] = s->hi[at[i]] = NAN;
		s->n[at[i]] = s->boots[at[i]] = 0;
		s->left_out++;
	}
}

static void move_change(struct trend_change *c, const size_t *to)
{
	c->at = to[c->at];
	c->after = to[c->after];
	c->first = to[c->first];
	c->last = to[c->last];
}

/* Columns close up; to: where the kernel of an index is now, SIZE_MAX: nowhere. */
static void move_series(struct arena *a, struct trend_series *s, const size_t *to, size_t n)
{
	struct trend_run *runs = arena_array(a, struct trend_run, s->n_runs);
	size_t n_runs = 0;

	for (size_t i = 0; i < n; i++) {
		if (to[i] == SIZE_MAX)
			continue;
		s->y[to[i]] = s->y[i];
		s->lo[to[i]] = s->lo[i];
		s->hi[to[i]] = s->hi[i];
		s->n[to[i]] = s->n[i];
		s->boots[to[i]] = s->boots[i];
	}
	for (size_t i = 0; i < s->n_runs; i++) {
		if (to[s->runs[i].kernel] == SIZE_MAX)
			continue;
		runs[n_runs] = s->runs[i];
		runs[n_runs++].kernel = (uint32_t)to[s->runs[i].kernel];
	}
	s->runs = runs;
	s->n_runs = n_runs;
	for (size_t i = 0; i < s->n_changes; i++)
		move_change(&s->changes[i], to);
	if (s->suspect)
		move_change(&s->last, to);
	s->newest = to[s->newest];
}

static void close_up(struct arena *a, struct trend *t)
{
	size_t *to = arena_array(a, size_t, t->n_kernels), n = 0;
	const struct cat_kernel **kernels = arena_array(a, const struct cat_kernel *, t->n_kernels);
	bool *used = arena_array(a, bool, t->n_kernels);

	for (size_t i = 0; i < t->n_series; i++)
		for (size_t k = 0; k < t->n_kernels; k++)
			used[k] |= !isnan(t->series[i].y[k]);
	for (size_t i = 0; i < t->n_kernels; i++) {
		to[i] = used[i] ? n : SIZE_MAX;
		if (used[i])
			kernels[n++] = t->kernels[i];
	}
	if (n == t->n_kernels)
		return;
	for (size_t i = 0; i < t->n_series; i++)
		move_series(a, &t->series[i], to, t->n_kernels);
	t->kernels = kernels;
	t->n_kernels = n;
}

bool calc_trend_thin(struct arena *a, struct trend *t, size_t most)
{
	size_t *at = arena_array(a, size_t, t->n_kernels), left_out = 0;
	bool *keep = arena_array(a, bool, t->n_kernels);

	for (size_t i = 0; i < t->n_series; i++) {
		thin_series(t, &t->series[i], most < TREND_THIN_LEAST ? TREND_THIN_LEAST : most, at, keep);
		left_out += t->series[i].left_out;
	}
	if (left_out)
		close_up(a, t);
	return left_out > 0;
}
