/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"

#include <stdbool.h>

#include "../../lib/stats/bh.h"
#include "../../lib/stats/fit.h"
#include "../../lib/stats/geomean.h"
#include "../../lib/stats/points.h"
#include "../../lib/stats/summary.h"

#define N(a) (sizeof(a) / sizeof(*(a)))

static struct stats_side side_of(const struct stats_sample *s, size_t n)
{
	struct stats_side side;
	void *scratch = malloc(stats_side_scratch(n));

	stats_side_of(s, n, scratch, &side);
	free(scratch);
	return side;
}

static void points(void)
{
	const struct stats_sample one[] = { { 7, 3, 10, 1, 9, 11 } };
	const struct stats_sample boots[] = {
		{ 2, 1, 40, NAN, 40, 40 }, { 1, 1, 8, NAN, 8, 8 }, { 1, 3, 12, 0, 12, 12 },
	};
	const struct stats_sample twice[] = { { 5, 2, 10, 0, 10, 10 }, { 5, 2, 20, 0, 20, 20 } };
	const struct stats_sample unknown[] = { { 5, 4, 10, NAN, NAN, NAN }, { 5, 2, 20, 0, 20, 20 } };
	const struct stats_sample zero[] = { { 1, 1, 0, NAN, 0, 0 }, { 2, 1, 4, NAN, 4, 4 } };
	const struct stats_sample equal[] = { { 1, 1, 1.7, NAN, 1.7, 1.7 }, { 2, 1, 1.7, NAN, 1.7, 1.7 },
					      { 3, 1, 1.7, NAN, 1.7, 1.7 } };
	struct stats_side s = side_of(one, 1);

	ok(s.runs == 1 && s.boots == 1 && s.n == 3 && s.center == 10, "one run: its mean is the centre, exactly");
	is_num(s.stddev, 1, 0, "one boot: spread over its repetitions");
	is_num(s.log_stddev, sqrt(log(1.01)), 1e-12, "spread of logs of a lognormal with cv 10 %");

	s = side_of(boots, 3);
	ok(s.runs == 3 && s.boots == 2 && s.n == 5, "runs of one boot are pooled");
	/* boot 1: (8 + 3 * 12) / 4 = 11; centre sqrt(11 * 40) */
	is_num(s.center, sqrt(440), 1e-12, "boot means weighted by n, centre over logs");
	is_num(s.stddev, 29 / sqrt(2), 1e-12, "stddev over boot values, n - 1");
	ok(s.min == 8 && s.max == 40, "extremes over repetitions");

	s = side_of(twice, 2);
	/* 10 10 20 20: mean 15, ss 100, / 3 */
	is_num(s.stddev, sqrt(100. / 3), 1e-12, "repetitions of two runs in one boot, as if they were one list");
	s = side_of(unknown, 2);
	ok(isnan(s.stddev) && isnan(s.min) && isnan(s.max), "what one run leaves unknown stays unknown");
	s = side_of(zero, 2);
	ok(s.center == 2 && isnan(s.log_stddev), "arithmetic mean where a value is not above 0");
	s = side_of(equal, 3);
	ok(s.center == 1.7, "equal boots: the centre is their value, exactly");
	s = side_of((const struct stats_sample[]){ { 1, 1, 5, NAN, 5, 5 } }, 1);
	ok(isnan(s.stddev) && isnan(s.log_stddev), "one value has no spread, not a spread of 0");
}

/* As the definition says it: of those with this p or a greater one, the least p * m / rank. */
static double q_of(const double *p, int n, double of, int m)
{
	double least = isnan(of) ? NAN : 1;

	for (int i = 0; i < n; i++) {
		int rank = 0;

		if (!(p[i] >= of))
			continue;
		for (int k = 0; k < n; k++)
			rank += p[k] <= p[i];
		least = fmin(least, p[i] * m / rank);
	}
	return least;
}

static void many_qvalues(void)
{
	enum { N = 3000 };
	static double p[N], q[N];
	static size_t scratch[N];
	unsigned seed = 1;
	int m = 0, wrong = 0;

	for (int i = 0; i < N; i++) {
		double r = rand_r(&seed) / (RAND_MAX + 1.);

		p[i] = i % 10 == 0 ? NAN : i % 7 == 0 ? 1 : i % 5 == 0 ? 0 : i % 3 == 0 ? r * 1e-4 : floor(r * 1e4) / 1e4;
		m += !isnan(p[i]);
	}
	bh_q(p, N, scratch, q);
	for (int i = 0; i < N; i += 13) {
		double want = q_of(p, N, p[i], m);

		wrong += isnan(want) != isnan(q[i]) || fabs(q[i] - want) > 1e-12;
	}
	ok(!wrong, "of a big family, too");
}

static void qvalues(void)
{
	/* .02 * 5 / 2, .03 * 5 / 3 and .01 * 5 are all .05, as .04 * 5 / 4 is */
	const double p[] = { .9, .01, NAN, .03, .02, .04 };
	const double want[] = { .9, .05, NAN, .05, .05, .05 };
	double q[6];
	size_t scratch[6];
	bool good = true;

	bh_q(p, 6, scratch, q);
	for (int i = 0; i < 6; i++)
		good &= (isnan(q[i]) && isnan(want[i])) || fabs(q[i] - want[i]) < 1e-12;
	ok(good, "q-values step up from the largest p, NaN is not in the family");
	bh_q(p, 1, scratch, q);
	ok(q[0] == .9, "of one test, q = p");
	many_qvalues();
}

/* The sweep of the seed: 6.16, 6.17-rc1, 6.17-rc1 with cac1db8c3aad reverted. */
static const double size_kib[] = { 4, 40, 400, 4000, 40000, 400000, 4000000, 40000000 };
static const double milan[3][8] = {
	{ 1713, 2071, 3453, 18804, 172613, 1699301, 17021882, 169677478 },
	{ 1775, 2362, 5993, 44116, 427731, 4252714, 42512805, 424995500 },
	{ 1750, 2126, 3800, 22227, 205446, 2011634, 20144468, 200764472 },
};

static void story(void)
{
	const double fixed[] = { 1776, 1803, 1806 }, per_page[] = { 17.02, 42.51, 20.22 };
	const double percent[2][8] = { { 3.62, 14.05, 73.56, 134.61, 147.80, 150.26, 149.75, 150.47 },
				       { 2.16, 2.66, 10.05, 18.20, 19.02, 18.38, 18.34, 18.32 } };
	const double restored[] = { 40.3, 81.1, 86.3, 86.5, 87.1, 87.8, 87.8, 87.8 };
	const double onset[] = { 40, 400 };
	double u[8], change[8];
	bool good;

	for (int i = 0; i < 8; i++)
		u[i] = size_kib[i] / 4;
	for (int k = 0; k < 3; k++) {
		struct fit f;

		ok(fit_sweep(u, milan[k], 8, &f), "a fit of 8 sizes");
		is_num(f.fixed, fixed[k], .005, "fixed cost of the story");
		is_num(f.per_unit, per_page[k], .005, "cost per page of the story");
		ok(f.max_residual_percent <= 6.15, "residuals as DETECTION.md says: %.2f %%", f.max_residual_percent);
	}
	for (int k = 0; k < 2; k++) {
		good = true;
		for (int i = 0; i < 8; i++) {
			change[i] = (milan[k + 1][i] / milan[0][i] - 1) * 100;
			good &= fabs(change[i] - percent[k][i]) <= .01;
		}
		ok(good, "percent of each size");
		ok(fit_onset(size_kib, change, NULL, 8, 5) == onset[k], "onset at %g KiB", onset[k]);
	}
	good = true;
	for (int i = 0; i < 8; i++)
		good &= fabs((milan[1][i] - milan[2][i]) / (milan[1][i] - milan[0][i]) * 100 - restored[i]) <= .1;
	ok(good, "restored percent of each size");
}

static void sweeps(void)
{
	const double u[] = { 1, 10, 100 }, line[] = { 102, 120, 300 }, flat[] = { 5, 5, 5 };
	const double x[] = { 1, 2, 3, 4 }, both[] = { 8, -9, 7, 6 }, small[] = { 8, 9, 7, 4.9 };
	const bool unchanged[] = { false, false, true, false };
	struct fit f;

	ok(fit_sweep(u, line, 3, &f), "three points make a fit");
	is_num(f.fixed, 100, 1e-9, "exact data: the fixed cost comes back");
	is_num(f.per_unit, 2, 1e-9, "exact data: the slope comes back");
	ok(!fit_sweep(u, line, 2, &f), "two points make none");
	ok(!fit_sweep(flat, line, 3, &f), "all at one x make none");
	ok(!fit_sweep(u, (const double[]){ 1, 0, 2 }, 3, &f), "a value of 0 makes none");
	ok(fit_onset(x, both, NULL, 4, 5) == 3, "onset: from where all move the same way");
	ok(isnan(fit_onset(x, small, NULL, 4, 5)), "onset: none when the last point moves too little");
	ok(fit_onset(x, small, NULL, 4, 4.5) == 1, "onset: the threshold is the caller's");
	ok(fit_onset(x, (const double[]){ 9, 9, 9, 9 }, unchanged, 4, 5) == 4, "onset: an unchanged point ends it");
	ok(isnan(fit_onset(x, x, NULL, 0, 5)), "onset of nothing");
}

static void geomeans(void)
{
	struct geomean g = { 0 };

	ok(isnan(geomean_value(&g)), "geomean of nothing is no number");
	geomean_add(&g, 2);
	geomean_add(&g, 8);
	geomean_add(&g, 0);
	geomean_add(&g, -1);
	geomean_add(&g, NAN);
	geomean_add(&g, INFINITY);
	is_num(geomean_value(&g), 4, 1e-12, "geomean of 2 and 8; what has no logarithm stays out");
}

static void summaries(void)
{
	static struct student_memo memo;
	const double v[] = { 4, 1, 3, 2, NAN, INFINITY, 10 }, same[] = { 1.7, 1.7, 1.7 }, zero[] = { 1, 0 };
	double scratch[7];
	struct summary s;

	summary_of(v, 7, scratch, &memo, &s);
	ok(s.n == 5 && s.mean == 4 && s.median == 3 && s.min == 1 && s.max == 10 && s.mad == 1, "mean, median, MAD; what is no number stays out");
	is_num(s.sd, sqrt(50. / 4), 1e-12, "stddev with n - 1");
	is_num(s.hi - s.mean, 2.7764451051977987 * sqrt(50. / 4 / 5), 1e-9, "95 % interval of the mean: t.975 of 4 df");
	is_num(summary_quantile((const double[]){ 1, 2, 3, 4, 10 }, 5, .9), 7.6, 1e-12, "quantiles of type 7");
	ok(summary_quantile(v, 1, .5) == 4 && isnan(summary_quantile(v, 0, .5)), "of one value, of none");
	summary_of(same, 3, scratch, &memo, &s);
	ok(s.mean == 1.7 && s.sd == 0 && s.lo == 1.7, "equal values: exactly their value, exactly no spread");
	summary_of(same, 1, scratch, &memo, &s);
	ok(s.mean == 1.7 && isnan(s.sd) && isnan(s.lo), "one value has no spread");
	summary_of(v + 4, 1, scratch, &memo, &s);
	ok(s.n == 0 && isnan(s.mean) && isnan(s.median), "of nothing nothing is known");
	ok(summary_of_logs((const double[]){ 2, 8 }, 2, scratch, &memo, &s) && fabs(s.mean - 4) < 1e-12 && fabs(s.median - 4) < 1e-12,
	   "over logarithms: the geometric mean");
	is_num(s.sd, log(4) / sqrt(2), 1e-12, "... and the spread of logarithms");
	ok(!summary_of_logs(zero, 2, scratch, &memo, &s) && isnan(s.mean) && isnan(s.sd), "0 has no logarithm");
}

/* 1e-3 to 1e18, with a spread in the last digits. */
static void digits(void)
{
	static struct student_memo memo;
	enum { MANY = 100000 };
	double *v = malloc(MANY * sizeof(*v)), *scratch = malloc(MANY * sizeof(*v));
	bool good = true, parts = true;

	for (int power = -3; power <= 18; power += 3) {
		double scale = pow(10, power);
		struct summary_moments a = { 0 }, b = { 0 };
		struct summary s;

		for (int i = 0; i < MANY; i++) {
			v[i] = scale * (1 + (i % 2 ? 1 : -1) * 0x1p-30);
			summary_add(i < MANY / 3 ? &a : &b, v[i]);
		}
		summary_merge(&a, &b);
		summary_of(v, MANY, scratch, &memo, &s);
		good &= fabs(s.mean / scale - 1) < 1e-13 && fabs(s.sd / scale / 0x1p-30 - 1) < 1e-4;
		parts &= fabs(a.mean / s.mean - 1) < 1e-13 && fabs(summary_sd(&a) / s.sd - 1) < 1e-4;
	}
	ok(good, "100,000 values that differ by 1e-9 of themselves, from 1e-3 to 1e18");
	ok(parts, "... in two parts put together");
	free(v);
	free(scratch);
}

int main(void)
{
	summaries();
	digits();
	points();
	qvalues();
	story();
	sweeps();
	geomeans();
	return done();
}
