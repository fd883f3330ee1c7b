/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sequential test of a bisection's step. */
#include "tap.h"

#include <math.h>

#include "../../lib/stats/seq.h"
#include "../score/random.h"

static struct summary_moments of(const double *v, size_t n)
{
	struct summary_moments m = { 0 };

	for (size_t i = 0; i < n; i++)
		summary_add(&m, v[i]);
	return m;
}

#define OF(...) of((const double[]){ __VA_ARGS__ }, sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))

/* The same by its definition: sums of squares of all values around their groups' means. */
static double by_hand(const double *good, const double *bad, double here)
{
	double g3[3] = { good[0], good[1], here }, b3[3] = { bad[0], bad[1], here };
	struct summary_moments g = of(good, 2), b = of(bad, 2), gh = of(g3, 3), bh = of(b3, 3);

	return -.5 * log(3. * 2) + .5 * log(2. * 3) - (5 - 2) / 2. * (log(g.m2 + bh.m2) - log(gh.m2 + b.m2));
}

static void ratios(void)
{
	const double g[] = { 0, .01 }, b[] = { .03, .042 };
	struct summary_moments good = of(g, 2), bad = of(b, 2), none = { 0 }, x = OF(.035), y = OF(.005),
			       middle;

	is_num(seq_ratio(&good, &bad, &x, NULL, 0), by_hand(g, b, .035), 1e-12, "as its definition has it");
	ok(seq_ratio(&good, &bad, &x, NULL, 0) > 0 && seq_ratio(&good, &bad, &y, NULL, 0) < 0,
	   "it points to the nearer side");
	is_num(seq_ratio(&good, &bad, &none, NULL, 0), 0, 1e-12, "no boot says nothing");
	is_num(seq_ratio(&good, &bad, &x, NULL, 0), -seq_ratio(&bad, &good, &x, NULL, 0), 1e-12,
	       "sides exchanged, the sign is");
	good = OF(0, .01, -.01);
	bad = OF(.03, .04, .02);
	middle = OF(.015);
	ok(fabs(seq_ratio(&good, &bad, &middle, NULL, 0)) < 1e-9, "half way between equal groups it is even");
	ok(isnan(seq_ratio(&none, &bad, &x, NULL, 0)), "without a baseline it is not known");
	good = OF(0);
	bad = OF(.03);
	ok(isnan(seq_ratio(&good, &bad, &none, NULL, 0)), "nor by two boots in all");
	ok(!isnan(seq_ratio(&good, &bad, &x, &(struct seq_prior){ .01, SEQ_KNOWN }, 0)),
	   "but where the noise is known");
	good = OF(0, 0, 0);
	bad = OF(.03, .03, .03);
	x = OF(.03);
	ok(isfinite(seq_ratio(&good, &bad, &x, NULL, .001)), "equal values are no infinite certainty");
}

/* With many boots behind the baselines it is Wald's test. */
static void wald(void)
{
	struct summary_moments good = { 1e6, 0, 1e6 * 1e-4 }, bad = { 1e6, .03, 1e6 * 1e-4 },
			       here = OF(.02, .035, .018);
	double exact = 0;

	for (size_t i = 0; i < 3; i++)
		exact += .03 / 1e-4 * ((const double[]){ .02, .035, .018 }[i] - .015);
	ok(fabs(seq_ratio(&good, &bad, &here, NULL, 0) - exact) < 1e-3 * exact,
	   "known levels and noise: Wald's ratio");
}

static void states(void)
{
	ok(seq_state_of(log(99) + 1e-9, .01) == SEQ_BAD && seq_state_of(-log(99) - 1e-9, .01) == SEQ_GOOD,
	   "an error of 1 in 100 is at 99 to 1");
	ok(seq_state_of(log(98), .01) == SEQ_MORE && seq_state_of(NAN, .01) == SEQ_MORE,
	   "before, more is wanted");
	is_num(seq_probability(log(99)), .99, 1e-12, "99 to 1 is 99 in 100");
	is_num(seq_error_of_step(.01, 4), .0025, 1e-12, "a whole bisection's rate, shared");
	is_num(seq_error_of_step(.01, 0), .01, 1e-12, "of no step");
}

static void expectations(void)
{
	struct summary_moments good = OF(0, .01, -.01, .005, -.005), bad = OF(.1, .11, .09, .105, .095),
			       none = { 0 };
	struct summary_moments near = OF(.004, .014, -.006);

	is_num(seq_expected(&good, &bad, &none, NULL, .001, .01), 1, 1e-12, "what is far apart takes a boot");
	ok(seq_expected(&good, &near, &none, NULL, .001, .01) >= 30,
	   "what is near takes more than anybody has");
}

/* Whatever the levels: a step that is told is wrong in at most as many cases as was wished. */
static void error_rate(void)
{
	int wrong = 0, told = 0;

	score_state = 4711;
	for (int i = 0; i < 4000; i++) {
		struct summary_moments good = { 0 }, bad = { 0 }, here = { 0 };
		enum seq_state s = SEQ_MORE;

		for (int k = 0; k < 4; k++) {
			summary_add(&good, score_normal());
			summary_add(&bad, 2 + score_normal());
		}
		for (int k = 0; k < 30 && s == SEQ_MORE; k++) {
			summary_add(&here, (i & 1 ? 2 : 0) + score_normal());
			s = seq_state_of(seq_ratio(&good, &bad, &here, NULL, 0), .05);
		}
		told += s != SEQ_MORE;
		wrong += s == (i & 1 ? SEQ_GOOD : SEQ_BAD);
	}
	ok(wrong <= .05 * 4000, "at 5 %%, not more than 5 %% are wrong (%d of 4000)", wrong);
	ok(told > 3200, "and most are told (%d)", told);
}

int main(void)
{
	ratios();
	wald();
	states();
	expectations();
	error_rate();
	return done();
}
