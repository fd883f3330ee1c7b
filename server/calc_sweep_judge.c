/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_sweep_judge.h"

#include <math.h>

#include "../lib/stats/bh.h"

const char *calc_sweep_judge_cost_word(enum sweep_cost c)
{
	static const char *const words[] = { "fixed", "per_unit", "overall" };

	return words[c];
}

/*
 * What boots or history say of ln(head / base), over sizes; siblings are the sizes again, and
 * what is presumed of one boot is presumed here too. Only where every size has it:
 * else the quiet sizes would speak for the loud ones. The same boots stand behind all sizes,
 * so degrees of freedom do not add up.
 */
static void known_noise(const struct sweep_ratio *r, struct fitpair_in *in)
{
	double sum = 0, df = INFINITY;

	in->noise = in->noise_df = NAN;
	for (size_t i = 0; i < r->n; i++) {
		const struct compare_row *row = r->row[i];

		if (row->ab.source != NOISE_BOOTS && row->ab.source != NOISE_HISTORY)
			return;
		sum += row->ab.se * row->ab.se;
		df = fmin(df, row->ab.df);
	}
	in->noise = sum / (double)r->n;
	in->noise_df = df;
}

static void test_ratio(struct arena *a, struct sweep_ratio *r)
{
	double *u = arena_array(a, double, r->n), *base = arena_array(a, double, r->n);
	double *head = arena_array(a, double, r->n);

	for (size_t i = 0; i < r->n; i++) {
		u[i] = r->x[i] / r->line->unit_step;
		base[i] = r->row[i]->base.center;
		head[i] = r->row[i]->head.center;
	}
	r->in = (struct fitpair_in){ .u = u, .base = base, .head = head, .n = r->n };
	known_noise(r, &r->in);
	r->has_pair = fitpair_test(&r->in, &r->pair);
}

static void fill_part(struct sweep_part *p, const struct fitpair_part *test, double base, double head)
{
	*p = (struct sweep_part){ .test = test, .base = base, .head = head, .restored_percent = NAN,
				  .percent = expm1(test->change) * 100, .ci_lo = expm1(test->lo) * 100,
				  .ci_hi = expm1(test->hi) * 100, .p = test->p, .q = NAN };
}

static void fill_parts(struct sweep_ratio *r)
{
	const struct fitpair *f = &r->pair;

	fill_part(&r->part[SWEEP_FIXED], &f->fixed, f->base.fixed, f->head.fixed);
	fill_part(&r->part[SWEEP_PER_UNIT], &f->per_unit, f->base.per_unit, f->head.per_unit);
	fill_part(&r->part[SWEEP_OVERALL], &f->all, NAN, NAN);
}

/* As a row is judged; but many sizes agree, so a single boot may be as sure as it looks. */
static void judge_part(struct sweep_part *p, enum better better)
{
	struct compare_row row = { .q = p->q, .ab = { .source = p->test->told ? NOISE_BOOTS : NOISE_NONE,
						      .diff = p->test->change, .lo = p->test->lo, .hi = p->test->hi } };

	calc_compare_judge(&row, better);
	p->verdict = row.verdict;
	p->confidence = row.confidence;
}

/* Null where the kernel that it repairs lost nothing that shows. */
static void restored(const struct sweep *s, struct sweep_ratio *r)
{
	const struct sweep_ratio *broken = calc_sweep_fixes(s, r);

	for (int c = 0; broken && broken->has_pair && c < SWEEP_OVERALL; c++) {
		const struct sweep_part *b = &broken->part[c];

		if (b->confidence != COMPARE_NONE && r->part[c].test->told)
			r->part[c].restored_percent = (b->percent - r->part[c].percent) / b->percent * 100;
	}
}

void calc_sweep_judge(struct arena *a, struct sweep *s)
{
	size_t n = 0, most = s->n_ratios * SWEEP_COSTS;
	double *p = arena_array(a, double, most);

	for (size_t i = 0; i < s->n_ratios; i++) {
		struct sweep_ratio *r = &s->ratios[i];

		test_ratio(a, r);
		if (!r->has_pair)
			continue;
		fill_parts(r);
		for (int c = 0; c < SWEEP_COSTS; c++, n++) {
			p[n] = r->part[c].p;
			s->family += !isnan(p[n]);
		}
	}
	bh_q(p, n, arena_array(a, size_t, n), p);
	n = 0;
	for (size_t i = 0; i < s->n_ratios; i++) {
		struct sweep_ratio *r = &s->ratios[i];

		for (int c = 0; r->has_pair && c < SWEEP_COSTS; c++) {
			r->part[c].q = p[n++];
			judge_part(&r->part[c], r->line->series->metric->better);
		}
	}
	for (size_t i = 0; i < s->n_ratios; i++)
		if (s->ratios[i].has_pair)
			restored(s, &s->ratios[i]);
}
