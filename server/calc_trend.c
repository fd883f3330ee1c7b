/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/num.h"
#include "../lib/parallel.h"
#include "../lib/stats/bh.h"
#include "calc_ids.h"
#include "calc_noise.h"
#include "calc_trend_levels.h"
#include "db_alerts.h"
#include "db_packs.h"

#define POINTS_LEAST 4000	/* in a part: a quarter of a millisecond's work */

struct step {			/* two neighbours of a series that were tested */
	struct trend_series *series;
	size_t after, at;
	struct compare_row row;
};

struct drawn {			/* a point of the series at hand */
	size_t kernel;
	struct stats_side side;
};

struct work {
	struct arena *a;
	const struct selection *sel;
	const struct cat_series **order;	/* the selection, as rows are ordered */
	bool variants;
	const struct compare_runs *runs;
	const struct cat_kernel **kernels;	/* by track and order */
	uint32_t *line;				/* of each: its track, counted */
	size_t n_kernels, n_lines;
	struct trend_run *points;		/* samples that count: by series (index in `order`), then kernel */
	size_t n;
	struct student_memo memo;
	size_t most_runs;			/* of a point, that there is room for: */
	struct stats_sample *flat;
	void *side_scratch;
	struct step *steps;
	size_t n_steps, cap_steps;
	struct change *detector;		/* of the series at hand */
	size_t *measured, n_measured;		/* its kernels, no variants */
	struct change_run *level_runs;		/* them, as change detection sees them */
	struct drawn *drawn;			/* its points, variants too */
	size_t n_drawn;
	struct noise_point *history;		/* room for CALC_NOISE_KERNELS */
	double *scratch;			/* and for twice as many numbers */
	struct trend *out;
};

/* ---- which samples count ---- */

static bool among_runs(const struct work *w, const struct sample *s)
{
	bool narrowed = false;

	for (size_t i = 0; i < w->runs->n; i++) {
		if (db_runs_run_key(&w->runs->ids[i]) == s->run_key)
			return true;
		narrowed |= w->runs->kernel_ids[i] == s->kernel_id;
	}
	return !narrowed;
}

static inline bool run_wanted(const struct work *w, const struct sample *s)
{
	return !w->runs || !w->runs->n || among_runs(w, s);
}

static bool kernel_wanted(const struct work *w, const struct cat_kernel *k)
{
	return k && (w->variants || !k->is_variant) && calc_select_track(w->sel, k->track);
}

/* Uploads come in the order of kernels, or nearly: often there is nothing to sort. */
static void sort_kernels(const struct cat_kernel **v, size_t n)
{
	size_t i = 1;

	while (i < n && calc_select_kernel_order(&v[i - 1], &v[i]) <= 0)
		i++;
	if (i < n)
		qsort(v, n, sizeof(*v), calc_select_kernel_order);
}

/* The kernels of the samples, in order; and the map to their places. Under the catalogue's lock. */
static struct calc_ids find_kernels(struct work *w, struct catalog *c, const struct sample *samples, size_t n)
{
	size_t all;
	struct calc_ids map;

	db_catalog_kernels(c, &all);
	map = calc_ids_new(w->a, all + 1);
	w->kernels = arena_array(w->a, const struct cat_kernel *, all + 1);
	for (size_t i = 0; i < n; i++) {
		const struct cat_kernel *k;
		size_t seen;

		if (samples[i].n < 1 || calc_ids_find(&map, samples[i].kernel_id, &seen) ||
		    !run_wanted(w, &samples[i]))
			continue;
		k = db_catalog_kernel(c, samples[i].kernel_id);
		if (!kernel_wanted(w, k))	/* or newer than the catalogue: the next answer has it */
			continue;
		*calc_ids_at(&map, k->id) = 1;
		w->kernels[w->n_kernels++] = k;
	}
	sort_kernels(w->kernels, w->n_kernels);
	w->line = arena_alloc(w->a, w->n_kernels * sizeof(*w->line));
	for (size_t i = 0; i < w->n_kernels; i++) {
		*calc_ids_at(&map, w->kernels[i]->id) = (uint32_t)i + 1;
		w->n_lines += !i || (w->kernels[i]->track != w->kernels[i - 1]->track &&
				     strcmp(w->kernels[i]->track, w->kernels[i - 1]->track));
		w->line[i] = (uint32_t)w->n_lines;
	}
	return map;
}

/* Where a sample belongs; false: nowhere. */
static bool place_of(const struct work *w, const struct calc_ids *series, const struct calc_ids *kernels,
		     const struct sample *s, size_t *at, size_t *k)
{
	return s->n >= 1 && calc_ids_find(series, s->series_id, at) && calc_ids_find(kernels, s->kernel_id, k) &&
	       run_wanted(w, s);
}

/* Counts in cell[1..n] become where each cell begins, in cell[0..n-1]. */
static void begin_cells(size_t *cell, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cell[i + 1] += cell[i];
}

struct place {
	uint32_t sample, series, kernel;
};

static struct trend_run run_of(const struct place *p, const struct sample *s)
{
	return (struct trend_run){
		.series = p->series, .kernel = p->kernel, .started_at = s->started_at,
		.s = { .boot_key = s->boot_key, .n = s->n, .mean = s->mean, .stddev = s->stddev, .min = s->min, .max = s->max } };
}

/* The places of samples, in their order; true: that is the order of series and kernels, as it is where uploads came so. */
static bool find_places(struct work *w, const struct calc_ids *kernels, const struct sample *samples, size_t n,
			struct place *places)
{
	const struct selection *sel = w->sel;
	struct calc_ids series = calc_ids_new(w->a, sel->n);
	uint64_t last = 0;
	bool in_order = true;

	for (size_t i = 0; i < sel->n; i++)
		*calc_ids_at(&series, w->order[i]->id) = (uint32_t)i + 1;
	for (size_t i = 0; i < n; i++) {
		size_t at, k;
		uint64_t key;

		if (!place_of(w, &series, kernels, &samples[i], &at, &k))
			continue;
		key = (uint64_t)at << 32 | k;
		in_order &= key >= last;
		last = key;
		places[w->n++] = (struct place){ (uint32_t)i, (uint32_t)at, (uint32_t)k };
	}
	return in_order;
}

/* Samples by series, within a series by kernel: counted by kernel, then by series. */
static void sort_points(struct work *w, const struct calc_ids *kernels, const struct sample *samples, size_t n)
{
	struct place *places = arena_alloc(w->a, n * sizeof(*places)), *by_kernel;
	bool in_order = find_places(w, kernels, samples, n, places);
	size_t *of_series, *of_kernel;

	w->points = arena_alloc(w->a, w->n * sizeof(*w->points));
	for (size_t i = 0; i < w->n && in_order; i++)
		w->points[i] = run_of(&places[i], &samples[places[i].sample]);
	if (in_order)
		return;
	by_kernel = arena_alloc(w->a, w->n * sizeof(*by_kernel));
	of_series = arena_array(w->a, size_t, w->sel->n + 1);
	of_kernel = arena_array(w->a, size_t, w->n_kernels + 1);
	for (size_t i = 0; i < w->n; i++) {
		of_series[places[i].series + 1]++;
		of_kernel[places[i].kernel + 1]++;
	}
	begin_cells(of_kernel, w->n_kernels);
	begin_cells(of_series, w->sel->n);
	for (size_t i = 0; i < w->n; i++)
		by_kernel[of_kernel[places[i].kernel]++] = places[i];
	for (size_t i = 0; i < w->n; i++)
		w->points[of_series[by_kernel[i].series]++] = run_of(&by_kernel[i], &samples[by_kernel[i].sample]);
}

/* ---- points ---- */

static struct trend_series *add_series(struct work *w, const struct cat_series *series, const char *track)
{
	struct trend *t = w->out;
	struct trend_series *s = &t->series[t->n_series++];

	*s = (struct trend_series){ .series = series, .track = track, .y = arena_array(w->a, double, w->n_kernels),
				    .lo = arena_array(w->a, double, w->n_kernels),
				    .hi = arena_array(w->a, double, w->n_kernels),
				    .n = arena_array(w->a, int64_t, w->n_kernels),
				    .boots = arena_array(w->a, int64_t, w->n_kernels) };
	for (size_t i = 0; i < w->n_kernels; i++)
		s->y[i] = s->lo[i] = s->hi[i] = NAN;
	return s;
}

/* Tests a point against the measured one before it. A variant is no step of the line. */
static void add_step(struct work *w, struct trend_series *s, size_t after, const struct stats_side *before,
		     size_t at, const struct stats_side *now)
{
	struct step *st;

	if (w->n_steps == w->cap_steps) {
		size_t cap = w->cap_steps ? w->cap_steps * 2 : 256;

		w->steps = arena_grow(w->a, w->steps, w->cap_steps * sizeof(*w->steps), cap * sizeof(*w->steps));
		w->cap_steps = cap;
	}
	st = &w->steps[w->n_steps];
	*st = (struct step){ .series = s, .after = after, .at = at, .row = { .base = *before, .head = *now } };
	calc_compare_test(&st->row, NULL, &w->memo);
	w->n_steps += st->row.tested && isfinite(st->row.change_percent);
}

/* The points from..to of one series and kernel become one value; the side, good until the series ends. */
static const struct stats_side *add_point(struct work *w, struct trend_series *s, const struct trend_run *p, size_t n)
{
	struct drawn *d = &w->drawn[w->n_drawn++];

	if (n > w->most_runs) {
		w->most_runs = 2 * n;
		w->flat = arena_alloc(w->a, w->most_runs * sizeof(*w->flat));
		w->side_scratch = arena_alloc(w->a, stats_side_scratch(w->most_runs));
	}
	for (size_t i = 0; i < n && n > 1; i++)
		w->flat[i] = p[i].s;
	stats_side_of(n > 1 ? w->flat : &p->s, n, w->side_scratch, &d->side);
	d->kernel = p->kernel;
	s->y[p->kernel] = d->side.center;
	s->n[p->kernel] = d->side.n;
	s->boots[p->kernel] = d->side.boots;
	s->n_runs += n;
	return &d->side;
}

/* What the series itself tells of its noise gives the intervals of points that have one boot. */
static void add_intervals(struct work *w, struct trend_series *s)
{
	struct ab_row row = { 0 };
	struct noise noise;
	size_t n = 0;

	for (size_t i = w->n_drawn; i-- > 0 && n < CALC_NOISE_KERNELS;)	/* backwards: differences have no direction */
		if (!w->kernels[w->drawn[i].kernel]->is_variant)
			n += noise_point_of(&w->drawn[i].side, 0, &w->history[n]);
	noise_of_history(w->history, n, w->scratch, &noise);
	for (size_t i = 0; i < w->n_drawn; i++) {
		size_t k = w->drawn[i].kernel;

		ab_interval(&w->drawn[i].side, &noise, &w->memo, &row, &s->lo[k], &s->hi[k]);
	}
}

/* Whether the kernels of the series and track at `from` are enough to speak of levels. */
static bool has_levels(const struct work *w, size_t from)
{
	const struct trend_run *first = &w->points[from];
	size_t n = 0;
	uint32_t last = UINT32_MAX;

	for (size_t i = from; i < w->n && n < TREND_LEVELS_LEAST; i++) {
		const struct trend_run *p = &w->points[i];

		if (p->series != first->series || w->line[p->kernel] != w->line[first->kernel])
			break;
		n += p->kernel != last && !w->kernels[p->kernel]->is_variant;
		last = p->kernel;
	}
	return n == TREND_LEVELS_LEAST;
}

/*
 * Ends the series. Of a long one its newest kernel is compared with the one before it, too, where
 * both have several boots: what one value cannot tell, they can.
 */
static void end_series(struct work *w, struct trend_series *s, const struct stats_side *before,
		       const struct stats_side *last)
{
	size_t n = w->n_measured;

	if (!s)
		return;
	add_intervals(w, s);
	w->n_drawn = 0;
	s->newest = n ? w->measured[n - 1] : 0;
	if (!s->levels)
		return;
	calc_trend_levels(w->a, w->detector, w->level_runs, n, w->kernels, w->measured, s);
	if (before && before->boots > 1 && last->boots > 1)
		add_step(w, s, w->measured[n - 2], before, w->measured[n - 1], last);
}

static void make_series(struct work *w)
{
	struct trend_series *s = NULL;
	const struct stats_side *before = NULL, *last = NULL, *side;
	uint32_t series = 0, line = 0;		/* lines begin with 1 */

	for (size_t from = 0, to; from < w->n; from = to) {
		const struct trend_run *p = &w->points[from];
		const struct cat_kernel *k = w->kernels[p->kernel];

		for (to = from; to < w->n && w->points[to].series == p->series && w->points[to].kernel == p->kernel;)
			to++;
		if (series != p->series || line != w->line[p->kernel]) {
			end_series(w, s, before, last);
			s = add_series(w, w->order[p->series], k->track);
			s->levels = has_levels(w, from);
			s->runs = p;
			series = p->series;
			line = w->line[p->kernel];
			w->n_measured = 0;
			before = last = NULL;
		}
		side = add_point(w, s, p, to - from);
		if (k->is_variant)
			continue;
		if (s->levels)
			w->level_runs[w->n_measured] = calc_trend_level_run(side);
		else if (w->n_measured)
			add_step(w, s, w->measured[w->n_measured - 1], last, p->kernel, side);
		before = last;
		last = side;
		w->measured[w->n_measured++] = p->kernel;
	}
	end_series(w, s, before, last);
}

static void make_room(struct work *w)
{
	w->detector = change_new(w->a);
	w->measured = arena_alloc(w->a, w->n_kernels * sizeof(*w->measured));
	w->level_runs = arena_alloc(w->a, w->n_kernels * sizeof(*w->level_runs));
	w->drawn = arena_alloc(w->a, w->n_kernels * sizeof(*w->drawn));
	w->history = arena_alloc(w->a, CALC_NOISE_KERNELS * sizeof(*w->history));
	w->scratch = arena_alloc(w->a, 2 * CALC_NOISE_KERNELS * sizeof(*w->scratch));
}

/* ---- on several CPUs ---- */

struct part {			/* some of the series: their points, and room for what they become */
	struct work w;
	struct trend out;
};

static void make_part(void *arg, unsigned i)
{
	struct part *part = (struct part *)arg + i;

	make_room(&part->w);
	make_series(&part->w);
}

/* Points into parts where a series begins. Each part has its arena, the first one the answer's. */
static void split(struct work *w, struct part *parts, unsigned n)
{
	size_t entries = 0;
	unsigned at = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct trend_run *p = &w->points[i], *before = &w->points[i ? i - 1 : 0];
		bool begins = !i || p->series != before->series;

		if (begins && at < n && i >= parallel_from(w->n, at, n)) {
			struct part *part = &parts[at];

			part->w = *w;
			part->w.a = at ? arena_new() : w->a;
			part->w.points = &w->points[i];
			part->w.out = &part->out;
			part->out = (struct trend){ .series = w->out->series + entries };
			if (at)
				part[-1].w.n = (size_t)(p - part[-1].w.points);
			part->w.n = w->n - i;
			at++;
		}
		entries += begins || w->line[p->kernel] != w->line[before->kernel];
	}
	for (; at < n; at++)		/* fewer series than parts */
		parts[at].w = (struct work){ .a = arena_new(), .out = &parts[at].out };
}

static void join(struct work *w, struct part *parts, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		w->n_steps += parts[i].w.n_steps;
		w->out->n_series += parts[i].out.n_series;
		if (i)
			arena_adopt(w->a, parts[i].w.a);
	}
	w->steps = arena_alloc(w->a, w->n_steps * sizeof(*w->steps));
	w->n_steps = 0;
	for (unsigned i = 0; i < n; i++) {
		if (parts[i].w.n_steps)
			memcpy(w->steps + w->n_steps, parts[i].w.steps, parts[i].w.n_steps * sizeof(*w->steps));
		w->n_steps += parts[i].w.n_steps;
	}
}

static void make_all(struct work *w)
{
	unsigned n = parallel_parts(w->n, POINTS_LEAST);
	struct part *parts;

	if (n == 1) {
		make_room(w);
		make_series(w);
		return;
	}
	parts = arena_array(w->a, struct part, n);
	split(w, parts, n);
	parallel_run(n, make_part, parts);
	join(w, parts, n);
}

/* ---- changes ---- */

static struct trend_change *add_change(struct work *w, struct trend_series *s)
{
	s->changes = arena_grow(w->a, s->changes, s->n_changes * sizeof(*s->changes),
				(s->n_changes + 1) * sizeof(*s->changes));
	return &s->changes[s->n_changes++];
}

/* Steps that pass the test of compare, with q over all steps of the answer. */
static void judge_steps(struct work *w)
{
	double *q = arena_array(w->a, double, w->n_steps);

	for (size_t i = 0; i < w->n_steps; i++)
		q[i] = w->steps[i].row.p;
	w->out->family = w->n_steps;
	bh_q(q, w->n_steps, arena_array(w->a, size_t, w->n_steps), q);
	for (size_t i = 0; i < w->n_steps; i++) {
		struct step *st = &w->steps[i];

		st->row.q = q[i];
		calc_compare_judge(&st->row, st->series->series->metric->better);
		if (st->row.verdict < COMPARE_IMPROVEMENT)
			continue;
		*add_change(w, st->series) = (struct trend_change){
			.at = st->at, .after = st->after, .first = st->at, .last = st->at,
			.before_center = st->row.base.center, .after_center = st->row.head.center,
			.percent = st->row.change_percent, .ci_lo = st->row.ci_lo, .ci_hi = st->row.ci_hi,
			.before_boots = st->row.base.boots, .after_boots = st->row.head.boots,
			.verdict = st->row.verdict, .confidence = st->row.confidence,
			.row = &st->row, .from = w->kernels[st->after], .to = w->kernels[st->at],
		};
	}
}

/* The alerts that hold the changes. */
static int find_alerts(struct work *w, struct db *db, struct err *err)
{
	int64_t *ids = arena_array(w->a, int64_t, w->out->n_series);
	struct db_member *members;
	size_t n_ids = 0, n;

	for (size_t i = 0; i < w->out->n_series; i++) {
		const struct trend_series *s = &w->out->series[i];

		if (s->n_changes && (!n_ids || ids[n_ids - 1] != s->series->id))
			ids[n_ids++] = s->series->id;
	}
	if (!n_ids)
		return 0;
	if (db_alerts_members_of_series(db, w->a, ids, n_ids, &members, &n, err))
		return -1;
	calc_trend_alerts(w->a, w->out, members, n);
	return 0;
}

/* The selection in order; *ids: in that order. */
static int begin(struct work *w, struct arena *a, const struct selection *sel, bool variants, struct trend **out,
		 int64_t **ids, struct err *err)
{
	*out = arena_zalloc(a, sizeof(**out));
	if (sel->n > TREND_SERIES_MAX)
		return err_set(err, ERR_BAD_ARGUMENT, "%zu series match; a trend holds at most %d: select fewer, by "
			       "benchmark, machine, thp, ...", sel->n, TREND_SERIES_MAX);
	*w = (struct work){ .a = a, .sel = sel, .variants = variants, .out = *out,
			    .order = arena_array(a, const struct cat_series *, sel->n) };
	*ids = arena_array(a, int64_t, sel->n);
	if (!sel->n)
		return 0;
	memcpy(w->order, sel->series, sel->n * sizeof(*w->order));
	qsort(w->order, sel->n, sizeof(*w->order), calc_compare_order);
	for (size_t i = 0; i < sel->n; i++)
		(*ids)[i] = sel->series[i]->id;
	return 0;
}

static int make(struct work *w, struct catalog *c, struct db *db, const struct sample *samples, size_t n, struct err *err)
{
	struct arena *a = w->a;
	struct calc_ids kernels;

	db_catalog_lock(c);
	kernels = find_kernels(w, c, samples, n);
	db_catalog_unlock(c);
	if (w->n_kernels * w->sel->n > TREND_POINTS_MAX)
		return err_set(err, ERR_BAD_ARGUMENT, "%zu series over %zu kernels are too much for one answer: "
			       "select fewer, by benchmark, machine, thp, track, ...", w->sel->n, w->n_kernels);
	sort_points(w, &kernels, samples, n);
	w->out->kernels = w->kernels;
	w->out->n_kernels = w->n_kernels;
	/* a series has at most one entry a track, and no more entries than points; each is cleared when it is added */
	n = w->sel->n * w->n_lines < w->n ? w->sel->n * w->n_lines : w->n;
	w->out->series = arena_alloc(a, n * sizeof(*w->out->series));
	make_all(w);
	judge_steps(w);
	return find_alerts(w, db, err);
}

int calc_trend(struct catalog *c, struct db *db, struct arena *a, const struct selection *sel, bool variants,
	       const struct compare_runs *runs, struct trend **out, struct err *err)
{
	struct work *w = arena_zalloc(a, sizeof(*w));
	struct sample *samples;
	int64_t *ids;
	size_t n;

	if (begin(w, a, sel, variants, out, &ids, err))
		return -1;
	w->runs = runs;
	if (!sel->n)
		return 0;
	return db_packs_read(db, a, ids, sel->n, &samples, &n, err) || make(w, c, db, samples, n, err) ? -1 : 0;
}

int calc_trend_given(struct catalog *c, struct db *db, struct arena *a, const struct selection *sel,
		     const struct sample *samples, size_t n, struct trend **out, struct err *err)
{
	struct work *w = arena_zalloc(a, sizeof(*w));
	int64_t *ids;

	if (begin(w, a, sel, false, out, &ids, err))
		return -1;
	return sel->n ? make(w, c, db, samples, n, err) : 0;
}
