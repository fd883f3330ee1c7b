/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweeps tested in pairs: the story's table, simulations with truth (fixed seed), and what a verdict must not depend on. */
#include "tap.h"

#include <stdbool.h>
#include <stdint.h>

#include "../../lib/stats/bh.h"
#include "../../lib/stats/fitpair.h"

#define SIZES_MAX 10
#define STORY 8

static const double story_u[STORY] = { 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7 };
static const double story[3][STORY] = {
	{ 1713, 2071, 3453, 18804, 172613, 1699301, 17021882, 169677478 },
	{ 1775, 2362, 5993, 44116, 427731, 4252714, 42512805, 424995500 },
	{ 1750, 2126, 3800, 22227, 205446, 2011634, 20144468, 200764472 },
};

static double percent(const struct fitpair_part *p)
{
	return expm1(p->change) * 100;
}

static struct fitpair pair(const double *u, const double *base, const double *head, size_t n)
{
	struct fitpair_in in = { .u = u, .base = base, .head = head, .n = n, .noise = NAN };
	struct fitpair f;

	fitpair_test(&in, &f);
	return f;
}

static void the_story(void)
{
	struct fitpair f = pair(story_u, story[0], story[1], STORY);
	struct fitpair r = pair(story_u, story[0], story[2], STORY);

	is_num(percent(&f.per_unit), 149.78, 1e-4, "6.17-rc1: per page +150 %");
	ok(f.per_unit.p < 1e-10 && expm1(f.per_unit.lo) > 1.4, "and that is beyond any doubt");
	is_num(percent(&f.fixed), 1.52, 5e-3, "the fixed cost: +1.5 %");
	ok(f.fixed.p > .2 && f.fixed.lo < 0 && f.fixed.hi > 0, "which nobody can tell from nothing");
	is_num(percent(&r.per_unit), 18.79, 1e-3, "with the revert +18.8 % per page remains");
	ok(r.per_unit.p < 1e-8, "and that is sure");
	ok(r.fixed.p > .2, "its fixed cost is not");
	ok(sqrt(f.common) > 6 * sqrt(f.paired / 2), "what both kernels' lines miss alike cancels: 3 %% against 0.3 %%");
	is_num(percent(&f.all), 92.26, 1e-3, "over all sizes: the geometric mean of the ratios");
	ok(!f.run_known && f.run == 2 * FITPAIR_BOOT_SD * FITPAIR_BOOT_SD, "single values: a reboot's share is assumed");
}

/* ---- simulation ---- */

static uint64_t state = 88172645463325252u;

static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return ((double)(state >> 11) + .5) * 0x1p-53;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

struct world {
	const char *name;
	size_t n;
	double fixed, per_unit;		/* the truth: ratios */
	double common, own;		/* misfit: of both kernels alike, of each its own */
	double noise, boot;		/* of a value; of a whole boot */
	int boots;			/* 0: one boot, nothing known of noise */
};

struct rates {
	double told, any;		/* share of families with any false claim at q .05 */
	double fixed, per_unit, all;	/* claimed at p .05 */
	double fixed_in, per_unit_in;	/* the truth lies inside the interval */
};

/* The centres of one kernel over `boots` boots, and its part of the noise estimate. */
static double measure(const struct world *w, const double *truth, const double *common, double *y)
{
	double own[SIZES_MAX], values[SIZES_MAX][16], var = 0;
	int boots = w->boots ? w->boots : 1;

	for (size_t i = 0; i < w->n; i++)
		own[i] = w->own * normal();
	for (int k = 0; k < boots; k++) {
		double shift = w->boot * normal();

		for (size_t i = 0; i < w->n; i++)
			values[i][k] = log(truth[i]) + common[i] + own[i] + shift + w->noise * normal();
	}
	for (size_t i = 0; i < w->n; i++) {
		double mean = 0, ss = 0;

		for (int k = 0; k < boots; k++)
			mean += values[i][k] / boots;
		for (int k = 0; k < boots; k++)
			ss += (values[i][k] - mean) * (values[i][k] - mean);
		y[i] = exp(mean);
		if (boots > 1)
			var += ss / (boots - 1) / boots / (double)w->n;
	}
	return var;
}

static void one_sweep(const struct world *w, struct fitpair *f)
{
	double u[SIZES_MAX], base[SIZES_MAX], head[SIZES_MAX], t[2][SIZES_MAX], common[SIZES_MAX], var;
	struct fitpair_in in = { .u = u, .base = base, .head = head, .n = w->n, .noise = NAN };

	for (size_t i = 0; i < w->n; i++) {
		u[i] = pow(10, (double)i * 7 / (double)(w->n - 1));
		t[0][i] = 1776 + 17 * u[i];
		t[1][i] = 1776 * w->fixed + 17 * w->per_unit * u[i];
		common[i] = w->common * normal();
	}
	var = measure(w, t[0], common, base) + measure(w, t[1], common, head);
	if (w->boots > 1) {
		in.noise = var;
		in.noise_df = 2 * (w->boots - 1);
	}
	fitpair_test(&in, f);
}

static struct rates simulate(const struct world *w, int rounds)
{
	struct rates r = { 0 };

	for (int i = 0; i < rounds; i++) {
		struct fitpair f;
		double q[3];
		size_t scratch[3];

		one_sweep(w, &f);
		q[0] = w->fixed == 1 ? f.fixed.p : NAN;
		q[1] = w->per_unit == 1 ? f.per_unit.p : NAN;
		q[2] = w->fixed == 1 && w->per_unit == 1 ? f.all.p : NAN;
		bh_q(q, 3, scratch, q);
		r.any += q[0] <= .05 || q[1] <= .05 || q[2] <= .05;
		r.told += f.fixed.told && f.per_unit.told;
		r.fixed += f.fixed.p <= .05;
		r.per_unit += f.per_unit.p <= .05;
		r.all += f.all.p <= .05;
		r.fixed_in += f.fixed.lo <= log(w->fixed) && log(w->fixed) <= f.fixed.hi;
		r.per_unit_in += f.per_unit.lo <= log(w->per_unit) && log(w->per_unit) <= f.per_unit.hi;
	}
	for (double *d = &r.told; d <= &r.per_unit_in; d++)
		*d /= rounds;
	printf("# %-44s any %.3f, p<.05: fixed %.3f per unit %.3f all %.3f; in CI %.3f %.3f\n", w->name, r.any, r.fixed,
	       r.per_unit, r.all, r.fixed_in, r.per_unit_in);
	return r;
}

/* 3 standard errors of a share of .05 over the rounds */
#define ROUNDS 2000
#define AT_MOST (.05 + 3 * sqrt(.05 * .95 / ROUNDS))

static void nothing_changed(void)
{
	static const struct world worlds[] = {
		{ "6 sizes, noise 1 %", 6, 1, 1, 0, 0, .01, 0, 0 },
		{ "6 sizes, noise 3 %", 6, 1, 1, 0, 0, .03, 0, 0 },
		{ "6 sizes, noise 2 %, common misfit 6 %", 6, 1, 1, .06, 0, .02, 0, 0 },
		{ "6 sizes, noise 1 %, own misfit 5 %", 6, 1, 1, 0, .05, .01, 0, 0 },
		{ "8 sizes, noise 1 %, a boot 1 %", 8, 1, 1, .06, 0, .01, .01, 0 },
		{ "8 sizes, noise 3 %, both misfits", 8, 1, 1, .06, .03, .03, 0, 0 },
		{ "8 sizes, noise 2 %, own misfit 5 %", 8, 1, 1, 0, .05, .02, 0, 0 },
		{ "10 sizes, noise 2 %", 10, 1, 1, 0, 0, .02, 0, 0 },
		{ "10 sizes, noise 3 %, own misfit 10 %", 10, 1, 1, 0, .1, .03, 0, 0 },
		{ "4 sizes, noise 2 %, own misfit 3 %", 4, 1, 1, 0, .03, .02, 0, 0 },
		{ "3 sizes, noise 3 %", 3, 1, 1, 0, 0, .03, 0, 0 },
		{ "8 sizes, noise 2 %, a boot 1.5 %", 8, 1, 1, .06, 0, .02, .015, 0 },
		{ "8 sizes, 3 boots of 2 %, noise 1 %", 8, 1, 1, .06, 0, .01, .02, 3 },
		{ "8 sizes, 3 boots, noise 2 %", 8, 1, 1, .06, 0, .02, 0, 3 },
		{ "8 sizes, 3 boots of 1 %, own misfit 3 %", 8, 1, 1, 0, .03, .01, .01, 3 },
		{ "6 sizes, 10 boots of 1 %, noise 1 %", 6, 1, 1, .03, 0, .01, .01, 10 },
		{ "3 sizes, 5 boots of 1 %, noise 1 %", 3, 1, 1, .03, 0, .01, .01, 5 },
	};

	for (size_t i = 0; i < sizeof(worlds) / sizeof(*worlds); i++) {
		struct rates r = simulate(&worlds[i], ROUNDS);

		ok(r.any <= AT_MOST, "nothing changed, %s: %.3f of sweeps claim anything at q .05", worlds[i].name, r.any);
		ok(r.fixed_in >= 1 - AT_MOST && r.per_unit_in >= 1 - AT_MOST, "the intervals hold the truth");
	}
}

static void something_changed(void)
{
	static const struct world story_like = { "per page x 2.5, misfit 6 %, noise 1 %", 8, 1, 2.5, .06, 0, .01, 0, 0 };
	static const struct world small = { "per page + 5 %, noise 1 %", 8, 1, 1.05, .06, 0, .01, 0, 0 };
	static const struct world fixed = { "fixed + 10 %, noise 1 %", 8, 1.1, 1, .06, 0, .01, 0, 0 };
	static const struct world boots = { "per page + 5 %, 5 boots of 1 %, noise 1 %", 8, 1, 1.05, .06, 0, .01, .01, 5 };
	struct rates r = simulate(&story_like, ROUNDS);

	ok(r.per_unit == 1 && r.fixed <= AT_MOST, "per page found; a large one is not taken for a fixed one as well");
	ok(r.fixed_in >= .95 && r.per_unit_in >= .95, "and both intervals hold the truth");
	r = simulate(&small, ROUNDS);
	ok(r.per_unit >= .9 && r.fixed <= AT_MOST, "+5 %% per page is found in single values of 1 %% noise");
	r = simulate(&fixed, ROUNDS);
	ok(r.fixed >= .95 && r.per_unit <= AT_MOST, "+10 %% of the fixed cost too");
	r = simulate(&boots, ROUNDS);
	ok(r.per_unit >= .95 && r.fixed <= AT_MOST, "+5 %% per page with 5 boots that each move all sizes by 1 %%");
}

/*
 * What boots say is told to be next to nothing, so that the error is that of the residuals alone; and sizes
 * are near each other, so that the two costs are hard to tell apart.
 */
static void errors_are_right(void)
{
	static const struct world w = { "noise 1 %, misfit 5 %", 8, 1.2, 1.5, .05, 0, .01, 0, 1 };
	double sum[2] = { 0 }, square[2] = { 0 }, told[2] = { 0 };
	int rounds = 4000;

	for (int i = 0; i < rounds; i++) {
		double u[SIZES_MAX], base[SIZES_MAX], head[SIZES_MAX], t[2][SIZES_MAX], common[SIZES_MAX];
		struct fitpair_in in = { .u = u, .base = base, .head = head, .n = w.n, .noise = 1e-12, .noise_df = 1e6 };
		struct fitpair f;

		for (size_t k = 0; k < w.n; k++) {
			u[k] = (double)k + 1;
			t[0][k] = 1776 + 400 * u[k];
			t[1][k] = 1776 * w.fixed + 400 * w.per_unit * u[k];
			common[k] = w.common * normal();
		}
		measure(&w, t[0], common, base);
		measure(&w, t[1], common, head);
		fitpair_test(&in, &f);
		for (int c = 0; c < 2; c++) {
			const struct fitpair_part *p = c ? &f.per_unit : &f.fixed;

			sum[c] += p->change;
			square[c] += p->change * p->change;
			told[c] += p->se * p->se;
		}
	}
	for (int c = 0; c < 2; c++) {
		double mean = sum[c] / rounds, sd = sqrt(square[c] / rounds - mean * mean);

		is_num(sqrt(told[c] / rounds), sd, .06, c ? "the standard error per unit is what it scatters by" :
		       "the standard error of the fixed part is what it scatters by");
		is_num(mean, log(c ? w.per_unit : w.fixed), .03, "around the truth");
	}
}

/* ---- what a verdict must not depend on ---- */

static bool same(const struct fitpair_part *x, const struct fitpair_part *y, double sign)
{
	return x->told == y->told && fabs(x->change - sign * y->change) < 1e-9 && fabs(x->se - y->se) < 1e-9 &&
	       fabs(x->p - y->p) < 1e-6 * x->p && fabs(x->lo - sign * (sign > 0 ? y->lo : y->hi)) < 1e-9;
}

static void properties(void)
{
	struct fitpair f = pair(story_u, story[0], story[1], STORY), g = pair(story_u, story[1], story[0], STORY);
	double u[STORY], base[STORY], head[STORY];

	ok(same(&f.fixed, &g.fixed, -1) && same(&f.per_unit, &g.per_unit, -1) && same(&f.all, &g.all, -1),
	   "base and head swapped: the same with the other sign");
	for (size_t i = 0; i < STORY; i++) {
		u[i] = story_u[i] * 4;
		base[i] = story[0][i] / 1e3;
		head[i] = story[1][i] / 1e3;
	}
	g = pair(u, base, head, STORY);
	ok(same(&f.fixed, &g.fixed, 1) && same(&f.per_unit, &g.per_unit, 1) && same(&f.all, &g.all, 1),
	   "us and KiB instead of ns and pages: the same");
	for (size_t i = 0; i < STORY; i++) {
		size_t at = i * 3 % STORY;

		u[i] = story_u[at];
		base[i] = story[0][at];
		head[i] = story[1][at];
	}
	g = pair(u, base, head, STORY);
	ok(same(&f.fixed, &g.fixed, 1) && same(&f.per_unit, &g.per_unit, 1) && same(&f.all, &g.all, 1),
	   "sizes in another order: the same");
}

static void known_noise(void)
{
	struct fitpair_in in = { .u = story_u, .base = story[0], .head = story[1], .n = STORY, .noise = NAN };
	struct fitpair f, quiet, loud, pooled;

	fitpair_test(&in, &f);
	in.noise = f.paired / 10;
	in.noise_df = 40;
	fitpair_test(&in, &quiet);
	ok(quiet.run_known && quiet.run == in.noise / 2 && !quiet.pooled, "boots far quieter than the misfit: it counts");
	ok(quiet.fixed.se < f.fixed.se, "and little more, since boots are known");
	in.noise = .05 * .05;
	fitpair_test(&in, &loud);
	is_num(loud.run, .0025 - f.paired, 1e-12, "boots far noisier than the residuals: they move whole runs");
	ok(loud.fixed.se > f.fixed.se && loud.per_unit.se >= .049, "which no number of sizes averages out");
	in.noise = f.paired * .9;
	fitpair_test(&in, &pooled);
	ok(pooled.pooled && pooled.paired_df == 46, "both alike: one noise, their degrees of freedom add up");
	is_num(pooled.paired, (6 * f.paired + 40 * in.noise) / 46, 1e-12, "weighed by them");
}

static void no_answer(void)
{
	const double u[4] = { 1, 2, 4, 8 }, flat[4] = { 100, 100, 100, 100 }, line[4] = { 10, 20, 40, 80 };
	const double bad[][4] = { { NAN, 2, 3, 4 }, { 0, 2, 3, 4 }, { -1, 2, 3, 4 }, { INFINITY, 2, 3, 4 },
				  { 5e-324, 1, 1, 1 } };
	struct fitpair f = pair(u, flat, flat, 4);

	ok(!f.per_unit.told && f.fixed.told && f.fixed.p == 1, "a cost that no size changes has no per-unit part to compare");
	f = pair(u, line, line, 4);
	ok(!f.fixed.told && f.per_unit.told && f.per_unit.p == 1, "a cost in proportion to size has no fixed part");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		f = pair(u, flat, bad[i], 4);
		ok(!f.fixed.told && !f.per_unit.told && !f.all.told && isnan(f.all.p), "bad values, case %zu: nothing told", i);
	}
	f = pair(u, flat, flat, 2);
	ok(!f.all.told, "two sizes are no line");
}

int main(void)
{
	the_story();
	nothing_changed();
	something_changed();
	errors_are_right();
	properties();
	known_noise();
	no_answer();
	return done();
}
