/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdicts between two kernels: the arithmetic by hand, properties that must hold, odd input, and the simulation in short. */
#include "tap.h"

#include <float.h>
#include <stdbool.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "../score/ab_sim.h"

#define N(a) (sizeof(a) / sizeof(*(a)))

static struct student_memo memo;

static struct stats_side side_of_samples(const struct stats_sample *s, size_t n)
{
	struct stats_side side;
	void *scratch = malloc(stats_side_scratch(n));

	stats_side_of(s, n, scratch, &side);
	free(scratch);
	return side;
}

static struct stats_sample sample_of(const double *v, int n, uint64_t boot)
{
	struct stats_sample s = { .boot_key = boot, .n = n, .min = INFINITY, .max = -INFINITY, .stddev = NAN };
	double ss = 0;

	for (int i = 0; i < n; i++) {
		s.mean += v[i] / n;
		s.min = fmin(s.min, v[i]);
		s.max = fmax(s.max, v[i]);
	}
	for (int i = 0; i < n; i++)
		ss += (v[i] - s.mean) * (v[i] - s.mean);
	if (n > 1)
		s.stddev = sqrt(ss / (n - 1));
	return s;
}

/* One value a boot. */
static struct stats_side side_of(const double *v, int n)
{
	struct stats_sample s[64];

	for (int i = 0; i < n; i++)
		s[i] = sample_of(v + i, 1, (uint64_t)i);
	return side_of_samples(s, (size_t)n);
}

/* One boot with n repetitions. */
static struct stats_side boot_of(const double *v, int n)
{
	struct stats_sample s = sample_of(v, n, 1);

	return side_of_samples(&s, 1);
}

static bool test(const struct stats_side *a, const struct stats_side *b, const struct noise *prior, struct ab *t)
{
	return ab_test(a, b, prior, &ab_floors_default, &memo, t);
}

static enum ab_verdict judge(const struct ab *t)
{
	enum ab_confidence confidence;

	return ab_judge(t, t->p, &ab_floors_default, &confidence);
}

/* ---- by hand ---- */

static void by_hand(void)
{
	const double a[] = { 101, 104, 99, 102 }, b[] = { 112, 116, 109 };
	struct stats_side sa = side_of(a, 4), sb = side_of(b, 3);
	double s2 = 0, ma = 0, mb = 0, se;
	struct ab t;

	for (int i = 0; i < 4; i++)
		ma += log(a[i]) / 4;
	for (int i = 0; i < 3; i++)
		mb += log(b[i]) / 3;
	for (int i = 0; i < 4; i++)
		s2 += pow(log(a[i]) - ma, 2);
	for (int i = 0; i < 3; i++)
		s2 += pow(log(b[i]) - mb, 2);
	s2 /= 5;
	ok(test(&sa, &sb, NULL, &t) && t.source == NOISE_BOOTS && t.df == 5 && !t.one_boot, "boots: df = 4 + 3 - 2");
	se = sqrt(s2 * (1. / 4 + 1. / 3) + (1 / sa.center / sa.center + 1 / sb.center / sb.center) / 12);
	is_num(t.diff, mb - ma, 1e-12, "the difference of logs");
	is_num(t.se, se, 1e-12, "pooled variance, and steps of 1");
	is_num((t.hi - t.diff) / t.se, 2.570581835636, 1e-9, "95 % interval: t.975 of 5 df");
	is_num(t.detectable / t.se, 2.570581835636 + .9195437802, 1e-8, "80 % power");
	is_num(student_p(2.570581835636, 5), .05, 1e-9, "p is two-sided");
	is_num(t.noise, sqrt(s2), 1e-12, "noise of one boot");
	ok(student_t975(&memo, 12.7) <= student_t975(&memo, 12.6) && student_t975(&memo, 4.99) >= student_t975(&memo, 5) &&
	   fabs(student_t975(&memo, 1e5) - 1.96) < 1e-3 && isnan(student_t975(&memo, 0)), "quantiles at any df");
}

/* The expansion for many df, and where it begins. */
static void quantiles(void)
{
	double off = 0;

	for (double df = 790; df < 1e7; df *= 1.1) {
		double whole = df < 800 ? floor(df) : df;

		off = fmax(off, fabs(student_t975(&memo, df) / qt(.975, whole, 1, 0) - 1));
		off = fmax(off, fabs(student_t80(&memo, df) / qt(.80, whole, 1, 0) - 1));
	}
	ok(off < 1e-14, "quantiles of many df, off by %.1e", off);
}

static void steps(void)
{
	ok(ab_step(25, 26) == 1 && fabs(ab_step(25, 25.5) - .1) < 1e-12 && ab_step(1. / 3, 1) == 0 &&
	   ab_step(NAN, 1) == 0 && fabs(ab_step(3449.8, 3453.1) - .1) < 1e-12, "steps of rounding");
}

static const struct noise history = { NOISE_HISTORY, 1.2e-4, 18, 1e-4, 5, 30 };

static void sources(void)
{
	const double a[] = { 100.1, 101.3, 99.2, 100.7, 100.3 }, b[] = { 106.1, 107.2, 104.9, 105.8, 106.6 };
	const double wild[] = { 80.1, 120.2, 95.3, 110.4 }, single[] = { 103.3 };
	struct stats_side one = boot_of(a, 5), other = boot_of(b, 5), value = boot_of(single, 1), boots = side_of(a, 5);
	struct stats_side wild_boots = side_of(wild, 4);
	struct ab t;

	ok(test(&one, &other, &history, &t) && t.source == NOISE_HISTORY && t.df == 18 && t.from == 30, "one boot a side: history");
	is_num(t.var_head, 1.2e-4, 1e-12, "... as noisy as boots of as many repetitions were");
	ok(test(&one, &value, &history, &t) && t.var_head > t.var_base, "... a boot of one value is noisier");
	is_num(t.var_head, 1.2e-4 + 1e-4 * .8, 1e-12, "... by what repetitions differ");
	ok(test(&one, &other, NULL, &t) && t.source == NOISE_REPETITIONS && judge(&t) == AB_INCONCLUSIVE,
	   "one boot a side, no history, +6 %%: can't tell (p = %.2f)", t.p);
	ok(!test(&one, &value, NULL, &t) && isnan(t.p) && isnan(t.lo) && isfinite(t.diff), "a single value: no estimate, no p");
	ok(!test(&boots, &value, NULL, &t), "... however many boots it is held against");
	ok(test(&boots, &other, NULL, &t) && t.df == 4, "one boot with repetitions takes the other side's spread");
	ok(test(&boots, &other, &history, &t) && t.prior_df == 18 && t.df == 22 && !t.disagrees, "boots and history are pooled");
	is_num(t.var_base, (4 * t.own + 18 * 2e-4) / 22, 1e-9, "... by their degrees of freedom, at as many repetitions");
	is_num(t.var_head, t.var_base * 1.2 / 2, 1e-9, "... on each side");
	ok(test(&wild_boots, &other, &history, &t) && t.disagrees && t.df == 3 && t.prior_df == 0,
	   "boots that are wilder than history ever was: history does not count");
}

static void equal_values(void)
{
	const double constant[] = { 25, 25, 25 }, more[] = { 26, 26, 26 }, third[] = { 1. / 3, 1. / 3, 1. / 3 };
	struct stats_side a = boot_of(constant, 3), b = boot_of(more, 3), c = side_of(constant, 3), d = side_of(more, 3);
	struct stats_side e = side_of(third, 3);
	struct ab t;

	ok(test(&a, &b, NULL, &t) && judge(&t) == AB_INCONCLUSIVE, "25 25 25 against 26 26 26 in one boot: can't tell");
	ok(test(&c, &d, NULL, &t) && judge(&t) == AB_INCONCLUSIVE, "... in three boots: can't tell, steps are 4 %%");
	ok(test(&c, &c, NULL, &t) && judge(&t) == AB_INCONCLUSIVE && t.hi > .02, "25 on six boots: not known to be equal within 2 %%");
	ok(!test(&e, &e, NULL, &t), "equal values of unknown step are no estimate");
	ok(test(&e, &e, &history, &t), "... but history is");
}

/* ---- the third kernel ---- */

static void restored(void)
{
	const double base[] = { 100.1, 99.9, 100.2 }, head[] = { 150.2, 149.8, 150.3 }, fix[] = { 110.1, 109.7, 110.2 };
	struct stats_side b = side_of(base, 3), h = side_of(head, 3), f = side_of(fix, 3);
	double lo, hi, p;
	struct ab t;

	test(&b, &h, NULL, &t);
	p = ab_restored(&b, &h, &f, &t, &memo, &lo, &hi);
	is_num(p, 80.2, 2e-3, "a fix that brings back 80 %");
	ok(lo < p && p < hi && lo > 79 && hi < 81.5, "... with an interval: %.2f .. %.2f", lo, hi);
	is_num(ab_restored(&b, &h, &b, &t, &memo, &lo, &hi), 100, 1e-9, "all of it");
	is_num(ab_restored(&b, &h, &h, &t, &memo, &lo, &hi), 0, 1e-9, "none of it");
	test(&b, &b, NULL, &t);
	ok(isnan(ab_restored(&b, &b, &f, &t, &memo, &lo, &hi)) && isnan(lo), "nothing was lost: nothing is restored");
	test(&b, &h, NULL, &t);
	t.lo = -1;
	ok(isnan(ab_restored(&b, &h, &f, &t, &memo, &lo, &hi)), "head within noise of base: null");
	t.source = NOISE_NONE;
	ok(ab_restored(&b, &h, &f, &t, &memo, &lo, &hi) > 80 && isnan(lo), "no estimate of noise: a number without interval");
}

/* Fieller's interval holds the truth as often as it says. */
static void restored_covers(void)
{
	struct ab_sim s = { .reps = 5, .tau = .01, .sigma = .01 };
	int covered = 0, tries = 2000;

	score_state = 77;
	for (int i = 0; i < tries; i++) {
		struct stats_side b = ab_sim_side(&s, 100, 4), h = ab_sim_side(&s, 130, 4), f = ab_sim_side(&s, 110, 4);
		double lo, hi;
		struct ab t;

		test(&b, &h, NULL, &t);
		ab_restored(&b, &h, &f, &t, &memo, &lo, &hi);
		covered += lo <= 66.67 && 66.66 <= hi;
	}
	ok(covered > .93 * tries && covered < .97 * tries, "restored: the interval holds the truth in %.1f %%", 100. * covered / tries);
}

static void advice(void)
{
	const double a[] = { 100, 101, 102 };
	struct stats_side one = boot_of(a, 1), boots = side_of(a, 3);
	char text[AB_ADVICE];
	struct ab t;

	test(&one, &one, NULL, &t);
	ab_advice(&one, &one, &t, &memo, text);
	is_str(text, "1 boot each, no history: 2 more boots would show >= 3 % if boots differ by 1 %", "what is missing");
	test(&boots, &boots, NULL, &t);
	ab_advice(&boots, &boots, &t, &memo, text);
	ok(strstr(text, "3 boots each find >= ") && strstr(text, "more would find >= 2 %"), "what more would show: %s", text);
	ok(ab_boots_needed(.01, 3.1, &memo) == 3 && ab_boots_needed(.01, 1, &memo) > 10 && ab_boots_needed(9, 1, &memo) == 0,
	   "boots needed");
}

/* ---- properties ---- */

/* Equal in all that is shown but rounding. */
static bool alike(const struct ab *s, const struct ab *t, double tolerance)
{
	const double x[] = { s->diff, s->se, s->df, s->p, s->lo, s->hi, s->noise, s->detectable };
	const double y[] = { t->diff, t->se, t->df, t->p, t->lo, t->hi, t->noise, t->detectable };

	for (size_t i = 0; i < N(x); i++)
		if (isnan(x[i]) != isnan(y[i]) || fabs(x[i] - y[i]) > tolerance * fmax(1e-9, fabs(x[i])))
			return false;
	return s->source == t->source && judge(s) == judge(t);
}

struct draw {
	struct stats_sample base[8], head[8];
	int boots;
};

static struct draw draw(int round, double unit)
{
	struct ab_sim s = { .reps = 1 + round % 5, .tau = .01, .sigma = .01 };
	struct draw d = { .boots = 1 + round % 4 };

	score_state = (uint64_t)round * 7919 + 11;
	for (int i = 0; i < d.boots; i++)
		d.base[i] = ab_sim_boot(&s, 1000, (uint64_t)i);
	for (int i = 0; i < d.boots; i++)
		d.head[i] = ab_sim_boot(&s, 1000 * (1 + round % 7 * .02), (uint64_t)i);
	for (int i = 0; i < d.boots; i++) {
		struct stats_sample *both[] = { &d.base[i], &d.head[i] };

		for (int k = 0; k < 2; k++) {
			both[k]->mean *= unit;
			both[k]->stddev *= unit;
			both[k]->min *= unit;
			both[k]->max *= unit;
		}
	}
	return d;
}

static void test_draw(const struct draw *d, struct ab *t)
{
	struct stats_side base = side_of_samples(d->base, (size_t)d->boots);
	struct stats_side head = side_of_samples(d->head, (size_t)d->boots);

	test(&base, &head, d->boots % 2 ? &history : NULL, t);
}

static void properties(void)
{
	bool units = true, order = true, reversed = true, split = true;

	for (int round = 0; round < 200; round++) {
		struct draw d = draw(round, 1), us = draw(round, 1. / 1024), shuffled = d, parts = d;
		struct stats_sample more[16];
		struct stats_side base, head;
		struct ab t, u;

		test_draw(&d, &t);
		test_draw(&us, &u);
		units &= alike(&t, &u, 1e-9);
		for (int i = 0; i < d.boots; i++)
			shuffled.base[i] = d.base[d.boots - 1 - i];
		test_draw(&shuffled, &u);
		order &= alike(&t, &u, 1e-9);
		base = side_of_samples(d.base, (size_t)d.boots);
		head = side_of_samples(d.head, (size_t)d.boots);
		test(&head, &base, d.boots % 2 ? &history : NULL, &u);
		reversed &= fabs(u.diff + t.diff) < 1e-12 && (isnan(t.p) ? isnan(u.p) : fabs(u.p - t.p) < 1e-9) &&
			    (judge(&t) < AB_LOWER ? judge(&u) == judge(&t) : judge(&u) == AB_LOWER + AB_HIGHER - judge(&t));
		/* two runs of one boot, each with half of its repetitions: here, twice the same summary */
		for (int i = 0; i < d.boots; i++) {
			more[2 * i] = more[2 * i + 1] = parts.base[i];
			parts.base[i].n *= 2;
			if (parts.base[i].n > 2)
				parts.base[i].stddev *= sqrt((double)(parts.base[i].n - 2) / (double)(parts.base[i].n - 1));
			else
				parts.base[i].stddev = 0;
		}
		base = side_of_samples(more, 2 * (size_t)d.boots);
		test(&base, &head, d.boots % 2 ? &history : NULL, &u);
		test_draw(&parts, &t);
		split &= alike(&t, &u, 1e-9);
	}
	ok(units, "the unit does not matter");
	ok(order, "the order of upload does not matter");
	ok(reversed, "base and head exchanged: the same p, the opposite verdict");
	ok(split, "repetitions of one boot in one run or in two: the same");
}

/* ---- odd input ---- */

static bool finite_or_none(const struct ab *t)
{
	const double v[] = { t->var_base, t->var_head, t->se, t->df, t->p, t->lo, t->hi, t->noise, t->detectable };

	for (size_t i = 0; i < N(v); i++)
		if (t->source ? !isfinite(v[i]) : i > 1 && !isnan(v[i]))
			return false;
	return true;
}

static void odd_input(void)
{
	const double odd[] = { 0, -1, NAN, INFINITY, -INFINITY, DBL_TRUE_MIN, DBL_MIN, DBL_MAX, 1e-300, 1e300, 25, 1 };
	const struct noise odd_noise[] = { { 0 }, history, { NOISE_HISTORY, 0, 3, NAN, 1, 5 }, { NOISE_HISTORY, NAN, 3, 0, 1, 5 },
					   { NOISE_SIBLINGS, 1e300, .1, 1e300, 1, 1 }, { NOISE_HISTORY, 1e-300, 1e9, 0, 5, 9 } };
	bool good = true, intervals = true, alike = true;
	struct ab_row row[N(odd_noise)] = { 0 };

	for (size_t i = 0; i < N(odd); i++)
		for (size_t k = 0; k < N(odd); k++)
			for (size_t n = 0; n < N(odd_noise); n++)
				for (int shape = 0; shape < 8; shape++) {
					const double v[] = { odd[i], odd[k], odd[i] }, w[] = { odd[k], odd[i], odd[k] };
					struct stats_side a = shape & 1 ? side_of(v, 1 + (shape >> 1) % 3) : boot_of(v, 1 + (shape >> 1) % 3);
					struct stats_side b = shape & 2 ? side_of(w, 2) : boot_of(w, 3);
					double lo, hi, lo2, hi2;
					struct ab t;

					test(&a, &b, &odd_noise[n], &t);
					good &= finite_or_none(&t);
					judge(&t);
					intervals &= ab_interval(&a, &odd_noise[n], &memo, &row[n], &lo, &hi) ? lo <= hi : isnan(lo) && isnan(hi);
					ab_interval(&a, &odd_noise[n], &memo, &(struct ab_row){ 0 }, &lo2, &hi2);
					alike &= (lo == lo2 && hi == hi2) || (isnan(lo) && isnan(lo2) && isnan(hi) && isnan(hi2));
					ab_restored(&a, &b, &a, &t, &memo, &lo, &hi);
				}
	ok(good, "whatever comes in: all numbers finite, or none");
	ok(intervals, "intervals of one side likewise");
	ok(alike, "and in a row of sides they are what they are alone");
}

static void many_values(void)
{
	enum { MANY = 100000 };
	struct stats_sample *s = malloc(MANY * sizeof(*s));
	struct stats_side a, b;
	struct ab t;

	score_state = 5;
	for (int i = 0; i < MANY; i++)
		s[i] = (struct stats_sample){ (uint64_t)i, 1, 1e18 * exp(.01 * score_normal()), NAN, 1e18, 1e18 };
	a = side_of_samples(s, MANY / 2);
	b = side_of_samples(s + MANY / 2, MANY / 2);
	ok(test(&a, &b, NULL, &t) && t.df == MANY - 2 && judge(&t) == AB_UNCHANGED, "100,000 boots around 1e18: unchanged");
	is_num(t.noise, .01, .02, "... with their noise");
	free(s);
}

/* ---- noise ---- */

static void histories(void)
{
	struct noise_point p[40];
	double scratch[80];
	struct noise n, step, list[3];

	score_state = 9;
	for (int i = 0; i < 40; i++)
		p[i] = (struct noise_point){ 7 + .01 * score_normal(), .02, 1, 5, 0 };
	ok(noise_of_history(p, 40, scratch, &n) && n.source == NOISE_HISTORY && n.from == 40 && n.reps == 5, "a history of 40 kernels");
	is_num(sqrt(n.variance), .01, .25, "noise from differences of neighbours");
	is_num(n.within, 4e-4, 1e-9, "noise within boots, from repetitions");
	for (int i = 20; i < 40; i++)
		p[i].mean += 1;
	p[7].mean += 3;
	ok(noise_of_history(p, 40, scratch, &step) && step.variance < 1.3 * n.variance, "a step of e and a spike of e^3 hardly count");
	for (int i = 0; i < 40; i++)
		p[i].line = i / 3;
	ok(!noise_of_history(p, 6, scratch, &n) && !n.source && isnan(n.variance), "six kernels are no history");
	ok(!noise_of_history(p, 0, scratch, &n), "none are none");
	ok(noise_of_history(p, 40, scratch, &n) && n.variance < 1, "differences are taken within a line only");
	p[0] = (struct noise_point){ 7, .015, 5, 25, 0 };
	ok(noise_of_history(p, 1, scratch, &n) && n.df == 4, "one kernel of five boots is");
	is_num(n.variance, .015 * .015, 1e-12, "... with the spread of its boots");

	list[0] = list[1] = list[2] = history;
	ok(noise_of_siblings(list, 3, &n) && n.source == NOISE_SIBLINGS && n.df < 18 && n.from == 3, "siblings are worth less than a history");
	is_num(n.variance, 1.2e-4, .25, "... and as noisy as they are");
	list[1].variance = 100 * 1.2e-4;
	ok(noise_of_siblings(list, 3, &step) && step.df < n.df, "siblings that differ are worth less");
	list[0].source = list[1].source = list[2].source = NOISE_NONE;
	ok(!noise_of_siblings(list, 3, &n) && !noise_of_siblings(list, 0, &n), "no siblings that know, no noise");
	is_num(noise_at(&(struct noise){ NOISE_HISTORY, 2e-4, 9, NAN, 4, 9 }, 1), 8e-4, 1e-12, "fewer repetitions, spread not known: the worst");
	is_num(noise_at(&(struct noise){ NOISE_HISTORY, 2e-4, 9, 8e-4, 4, 9 }, 1e9), 0, 1e-6, "all of it within boots: repetitions average it out");
}

/* ---- the simulation, in short; make ab-score is the long one ---- */

static void simulation(void)
{
	const struct ab_floors none = { 0, 0, 0 }, two = { 2, 2, AB_SD_FLOOR_PERCENT };
	struct ab_sim s = { .reps = 5, .tau = .01, .sigma = .01, .families = 2500, .seed = 4 };
	struct ab_sim_result r;

	for (int i = 0; i < 3; i++) {
		s.rows = (int[]){ 1, 8, 8 }[i];
		s.boots = (int[]){ 3, 2, 1 }[i];
		s.history = i == 2 ? 30 : 0;
		s.floors = none;
		r = ab_sim(&s);
		ok(r.any_claim > .035 && r.any_claim < .065 && r.covered > .935 && r.covered < .965,
		   "%d rows, %d boots: false in %.1f %%, covered in %.1f %%", s.rows, s.boots, 100 * r.any_claim, 100 * r.covered);
	}
	s.rows = 1;
	s.floors = two;
	s.percent = 5;
	r = ab_sim(&s);
	ok(r.claimed > .82 && r.wrong_side == 0, "one boot, history, +5 %%: found in %.1f %%", 100 * r.claimed);
	s.boots = 3;
	s.history = 0;
	r = ab_sim(&s);
	ok(r.claimed > .96, "three boots, +5 %%: found in %.1f %%", 100 * r.claimed);
	s.boots = 1;
	r = ab_sim(&s);
	ok(r.inconclusive > .999, "one boot, no history, +5 %%: inconclusive in %.1f %%", 100 * r.inconclusive);
	s.boots = 10;
	s.percent = 0;
	r = ab_sim(&s);
	ok(r.unchanged > .9, "ten boots, no change: unchanged in %.1f %%", 100 * r.unchanged);
	s.percent = 4;
	r = ab_sim(&s);
	ok(r.unchanged < .01, "ten boots, +4 %%: unchanged in %.2f %%", 100 * r.unchanged);
}

int main(void)
{
	by_hand();
	quantiles();
	steps();
	sources();
	equal_values();
	restored();
	restored_covers();
	advice();
	properties();
	odd_input();
	many_values();
	histories();
	simulation();
	return done();
}
