/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/parallel.h"
#include "../lib/stats/bh.h"
#include "../lib/stats/geomean.h"
#include "calc_mean.h"
#include "calc_order.h"
#include "calc_sides.h"

#define ROWS_LEAST 2000		/* in a part: a millisecond's work */
#define JUDGED_LEAST 5000	/* less to do in each: another third of one */

/* ---- order ---- */

int calc_compare_order(const void *a, const void *b)
{
	return calc_order_series(*(const struct cat_series *const *)a, *(const struct cat_series *const *)b);
}

static int missing_order(const void *a, const void *b)
{
	const struct compare_missing *x = a, *y = b;
	int d = calc_order_series(x->series, y->series);

	return d ? d : (int)x->side - (int)y->side;
}

/* ---- one row ---- */

enum compare_direction calc_compare_direction(double change, enum better better)
{
	if (isnan(change) || better == BETTER_NEUTRAL)
		return COMPARE_NO_DIRECTION;
	if (change == 0)
		return COMPARE_SAME;
	return (change > 0) == (better == BETTER_HIGHER) ? COMPARE_BETTER : COMPARE_WORSE;
}

static double percent(double part, double whole)
{
	double p = (part / whole - 1) * 100;

	return isfinite(p) ? p : NAN;
}

/* exp(log) - 1 in percent; what is beyond a double is no number. */
static double percent_of_log(double log)
{
	double p = expm1(log) * 100;

	return isfinite(p) ? p : NAN;
}

static void fill_fix(struct compare_row *r, const struct noise *noise, struct student_memo *memo)
{
	struct ab t;

	r->restored_percent = r->restored_lo = r->restored_hi = NAN;
	r->remaining_percent = r->remaining_lo = r->remaining_hi = NAN;
	if (!r->fix.runs)
		return;
	r->restored_percent = ab_restored(&r->base, &r->head, &r->fix, &r->ab, memo, &r->restored_lo, &r->restored_hi);
	r->remaining_percent = percent(r->fix.center, r->base.center);
	ab_test(&r->base, &r->fix, noise, &ab_floors_default, memo, &t);
	r->remaining_lo = percent_of_log(t.lo);
	r->remaining_hi = percent_of_log(t.hi);
}

void calc_compare_test(struct compare_row *r, const struct noise *noise, struct student_memo *memo)
{
	r->change_percent = percent(r->head.center, r->base.center);
	r->tested = ab_test(&r->base, &r->head, noise, &ab_floors_default, memo, &r->ab);
	r->p = r->q = r->ab.p;
	r->ci_lo = percent_of_log(r->ab.lo);
	r->ci_hi = percent_of_log(r->ab.hi);
	r->noise_percent = r->ab.noise * 100;
	r->detectable_percent = percent_of_log(r->ab.detectable);
	/* an interval beyond a double is no estimate that could be shown */
	r->tested = r->tested && isfinite(r->ci_hi) && isfinite(r->ci_lo) && isfinite(r->detectable_percent);
	if (r->tested)
		return;
	r->ab.source = NOISE_NONE;
	r->p = r->q = r->ci_lo = r->ci_hi = r->noise_percent = r->detectable_percent = NAN;
}

void calc_compare_judge(struct compare_row *r, enum better better)
{
	static const enum compare_verdict verdicts[] = {	/* where lower is better */
		[AB_INCONCLUSIVE] = COMPARE_INCONCLUSIVE, [AB_UNCHANGED] = COMPARE_UNCHANGED,
		[AB_LOWER] = COMPARE_IMPROVEMENT, [AB_HIGHER] = COMPARE_REGRESSION,
	};
	enum ab_confidence confidence;
	enum ab_verdict v = ab_judge(&r->ab, r->q, &ab_floors_default, &confidence);

	r->confidence = (enum compare_confidence)confidence;
	r->verdict = verdicts[v];
	if (v < AB_LOWER)
		return;
	if (better == BETTER_NEUTRAL)
		r->verdict = COMPARE_INCONCLUSIVE;
	else if (better == BETTER_HIGHER)
		r->verdict = v == AB_LOWER ? COMPARE_REGRESSION : COMPARE_IMPROVEMENT;
}

/* ---- all rows ---- */

/* Rows get their q and verdicts in as many parts as pay. */
struct judge {
	struct compare *c;
	const double *q;
	unsigned parts;
	struct judged {
		size_t tested, of[COMPARE_REGRESSION + 1];	/* rows of each verdict */
		char pad[64];					/* counts of two CPUs in no one line of a cache */
	} counts[PARALLEL_MOST];
};

static void judge_part(void *arg, unsigned part)
{
	struct judge *j = arg;
	struct judged *counts = &j->counts[part];
	size_t end = parallel_from(j->c->n_rows, part + 1, j->parts);

	for (size_t i = parallel_from(j->c->n_rows, part, j->parts); i < end; i++) {
		struct compare_row *r = &j->c->rows[i];

		r->q = j->q[i];
		calc_compare_judge(r, r->series->metric->better);
		counts->tested += r->tested;
		counts->of[r->verdict]++;
	}
}

/* p: of the rows; becomes their q. */
static void judge(struct arena *a, struct compare *c, double *p)
{
	struct judge j = { .c = c, .q = p, .parts = parallel_parts(c->n_rows, JUDGED_LEAST) };

	bh_q(p, c->n_rows, arena_alloc(a, c->n_rows * sizeof(size_t)), p);
	parallel_run(j.parts, judge_part, &j);
	for (unsigned i = 0; i < j.parts; i++) {
		const struct judged *counts = &j.counts[i];

		c->family += counts->tested;
		c->regressions += counts->of[COMPARE_REGRESSION];
		c->improvements += counts->of[COMPARE_IMPROVEMENT];
		c->unchanged += counts->of[COMPARE_UNCHANGED];
		c->inconclusive += counts->of[COMPARE_INCONCLUSIVE];
	}
}

static void sum_up(struct arena *a, struct compare *c, struct student_memo *memo)
{
	const struct compare_row **rows = arena_array(a, const struct compare_row *, c->n_rows);
	struct geomean head = { 0 }, fix = { 0 };
	struct calc_mean all;
	double h, f;

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct compare_row *r = rows[i] = &c->rows[i];
		double h_ratio = r->head.center / r->base.center, f_ratio = r->fix.center / r->base.center;

		/* both or neither: they must be means over the same rows */
		if (r->fix.runs && r->base.center > 0 && isfinite(log(h_ratio)) && isfinite(log(f_ratio))) {
			geomean_add(&head, h_ratio);
			geomean_add(&fix, f_ratio);
		}
	}
	calc_mean(a, rows, c->n_rows, memo, &all);
	c->geomean_percent = all.percent;
	c->geomean_lo = all.lo;
	c->geomean_hi = all.hi;
	c->signs_disagree = all.signs_disagree;
	h = geomean_value(&head);
	f = geomean_value(&fix);
	c->restored_percent = h != 1 ? (h - f) / (h - 1) * 100 : NAN;
}

/* Rows are filled in as many parts as pay, each with quantiles of its own to keep. */
struct fill {
	struct compare *c;
	const struct sides *sides;
	const size_t *index;		/* of a row, in the selection */
	size_t base, head;
	int fix;
	unsigned parts;
	struct student_memo *memo;	/* one a part */
	double *p;			/* of the rows, side by side */
};

static void fill_row(const struct fill *f, size_t n, struct student_memo *memo)
{
	struct compare_row *r = &f->c->rows[n];
	size_t i = f->index[n];
	const struct noise *noise = &f->sides->noise[i];

	r->series = f->sides->sel->series[i];
	r->base = *calc_sides_at(f->sides, i, f->base);
	r->head = *calc_sides_at(f->sides, i, f->head);
	r->fix = f->fix >= 0 ? *calc_sides_at(f->sides, i, (size_t)f->fix) : (struct stats_side){ 0 };
	calc_compare_test(r, noise, memo);
	/* of a base below 0, the percentage has the other sign */
	r->direction = calc_compare_direction(r->base.center < 0 ? r->head.center - r->base.center : r->change_percent,
					      r->series->metric->better);
	fill_fix(r, noise, memo);
	f->p[n] = r->p;
}

static void fill_part(void *arg, unsigned part)
{
	const struct fill *f = arg;
	size_t end = parallel_from(f->c->n_rows, part + 1, f->parts);

	for (size_t n = parallel_from(f->c->n_rows, part, f->parts); n < end; n++)
		fill_row(f, n, &f->memo[part]);
}

struct compare *calc_compare_rows(struct arena *a, const struct sides *sides, size_t base, size_t head, int fix)
{
	struct compare *c = arena_zalloc(a, sizeof(*c));
	const struct selection *sel = sides->sel;
	size_t *index = arena_array(a, size_t, sel->n);
	struct fill f = { .c = c, .sides = sides, .index = index, .base = base, .head = head, .fix = fix };

	for (size_t n = 0; n < sel->n; n++) {
		size_t i = sides->order ? sides->order[n] : n;

		if (calc_sides_at(sides, i, base)->runs && calc_sides_at(sides, i, head)->runs)
			index[c->n_rows++] = i;
	}
	c->sides = sides;
	if (!sides->order)
		calc_order_sort(a, sel->series, index, c->n_rows);
	c->rows = arena_alloc(a, c->n_rows * sizeof(*c->rows));	/* megabytes: fill_row() sets all of a row */
	f.p = arena_alloc(a, c->n_rows * sizeof(*f.p));
	f.parts = parallel_parts(c->n_rows, ROWS_LEAST);
	f.memo = arena_array(a, struct student_memo, f.parts);
	parallel_run(f.parts, fill_part, &f);
	judge(a, c, f.p);
	sum_up(a, c, f.memo);
	return c;
}

/* A series stands here for each side without a value, once any side was at least tried. */
static void list_missing(struct arena *a, const struct sides *sides, struct compare *c)
{
	const struct selection *sel = sides->sel;

	c->missing = arena_alloc(a, (sel->n * sides->n_kernels + 1) * sizeof(*c->missing));
	for (size_t i = 0; i < sel->n; i++) {
		bool tried = false;

		for (size_t k = 0; k < sides->n_kernels; k++)
			tried |= calc_sides_at(sides, i, k)->runs || sides->gap[i * sides->n_kernels + k].seen;
		for (size_t k = 0; k < sides->n_kernels && tried; k++) {
			const struct side_gap *gap = &sides->gap[i * sides->n_kernels + k];

			if (!calc_sides_at(sides, i, k)->runs)
				c->missing[c->n_missing++] = (struct compare_missing){
					.series = sel->series[i], .side = (enum compare_side)k,
					.reason = gap->seen ? gap->reason : COMPARE_NOT_RUN, .error = gap->error };
		}
	}
	qsort(c->missing, c->n_missing, sizeof(*c->missing), missing_order);
}

int calc_compare(struct catalog *cat, struct db *db, struct arena *a, const struct selection *sel,
		 const struct cat_kernel *base, const struct cat_kernel *head, const struct cat_kernel *fix,
		 const struct compare_runs *runs, struct compare **out, struct err *err)
{
	const struct cat_kernel *kernels[] = { base, head, fix };
	struct sides *sides;

	if (calc_sides_read(cat, db, a, sel, kernels, fix ? 3 : 2, runs, &sides, err))
		return -1;
	*out = calc_compare_rows(a, sides, COMPARE_BASE, COMPARE_HEAD, fix ? COMPARE_FIX : -1);
	(*out)->base = base;
	(*out)->head = head;
	(*out)->fix = fix;
	list_missing(a, sides, *out);
	return 0;
}

/* ---- words ---- */

const char *calc_compare_verdict_word(enum compare_verdict v)
{
	static const char *const words[] = { "inconclusive", "unchanged", "improvement", "regression" };

	return words[v];
}

const char *calc_compare_confidence_word(enum compare_confidence c)
{
	static const char *const words[] = { "none", "weak", "strong" };

	return words[c];
}

const char *calc_compare_direction_word(enum compare_direction d)
{
	static const char *const words[] = { NULL, "same", "better", "worse" };

	return words[d];
}

const char *calc_compare_reason_word(enum compare_reason r)
{
	static const char *const words[] = { "not_run", "failed", "skipped" };

	return words[r];
}

const char *calc_compare_side_word(enum compare_side s)
{
	static const char *const words[] = { "base", "head", "fix" };

	return words[s];
}
