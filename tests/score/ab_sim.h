/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparisons of kernels whose truth is known, judged by the code that the server and the
 * client use: from samples (one a boot) to sides, test, q over the family, verdict. Included by the
 * score program and by the unit test.
 */
#ifndef TESTS_SCORE_AB_SIM_H
#define TESTS_SCORE_AB_SIM_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../../lib/stats/ab.h"
#include "../../lib/stats/bh.h"
#include "random.h"

#define AB_SIM_ROWS 64		/* most rows of a family */
#define AB_SIM_KERNELS 64
#define AB_SIM_BOOTS 16

struct ab_sim {
	int rows, boots, reps;		/* boots a side */
	double percent;			/* the true change of each row */
	double tau, sigma;		/* standard deviations between and within boots */
	int history;			/* other kernels of each series, one boot each; 0: none */
	bool pair_in_history;		/* base and head stand at its end */
	double history_step;		/* percent; half of the history is that much slower */
	double history_spike;		/* percent; one of its kernels is */
	int siblings;			/* series with a history beside each row, which has none itself; 0: none */
	struct ab_floors floors;
	int families;
	uint64_t seed;
};

struct ab_sim_result {			/* shares of families, or of rows */
	double any_claim;		/* families with a regression or an improvement */
	double claimed, unchanged, inconclusive;	/* rows */
	double covered;			/* rows with an interval that has the truth */
	double wrong_side;		/* rows claimed against the true direction */
	double tested;
	double df;			/* mean */
};

/* One boot as the server keeps it: the summary of its repetitions. */
static struct stats_sample ab_sim_boot(const struct ab_sim *s, double center, uint64_t key)
{
	double boot = center * exp(s->tau * score_normal()), sum = 0, ss = 0;
	struct stats_sample out = { .boot_key = key, .n = s->reps, .min = INFINITY, .max = 0 };
	double v[64] = { 0 };

	for (int i = 0; i < s->reps; i++) {
		v[i] = boot * exp(s->sigma * score_normal());
		sum += v[i];
		out.min = fmin(out.min, v[i]);
		out.max = fmax(out.max, v[i]);
	}
	out.mean = sum / s->reps;
	for (int i = 0; i < s->reps; i++)
		ss += (v[i] - out.mean) * (v[i] - out.mean);
	out.stddev = s->reps > 1 ? sqrt(ss / (s->reps - 1)) : NAN;
	return out;
}

static struct stats_side ab_sim_side(const struct ab_sim *s, double center, int boots)
{
	struct stats_sample sample[AB_SIM_BOOTS];
	char scratch[AB_SIM_BOOTS * 2 * sizeof(double)];
	struct stats_side side;

	for (int i = 0; i < boots; i++)
		sample[i] = ab_sim_boot(s, center, (uint64_t)i);
	stats_side_of(sample, (size_t)boots, scratch, &side);
	return side;
}

static struct noise ab_sim_history(const struct ab_sim *s, const struct stats_side *base, const struct stats_side *head)
{
	struct noise_point p[AB_SIM_KERNELS + 2];
	double scratch[2 * (AB_SIM_KERNELS + 2)];
	struct noise noise = { 0 };
	size_t n = 0;

	for (int i = 0; i < s->history; i++) {
		double center = 1000 * (i >= s->history / 2 ? 1 + s->history_step / 100 : 1) *
				(i == s->history / 3 ? 1 + s->history_spike / 100 : 1);
		struct stats_side side = ab_sim_side(s, center, 1);

		n += noise_point_of(&side, 0, &p[n]);
	}
	if (s->pair_in_history) {
		n += noise_point_of(base, 0, &p[n]);
		n += noise_point_of(head, 0, &p[n]);
	}
	if (n)
		noise_of_history(p, n, scratch, &noise);
	return noise;
}

static struct noise ab_sim_prior(const struct ab_sim *s, const struct stats_side *base, const struct stats_side *head)
{
	struct noise list[AB_SIM_ROWS], out = { 0 };

	if (!s->siblings)
		return ab_sim_history(s, base, head);
	for (int i = 0; i < s->siblings; i++)
		list[i] = ab_sim_history(s, base, head);
	noise_of_siblings(list, (size_t)s->siblings, &out);
	return out;
}

static struct ab_sim_result ab_sim(const struct ab_sim *s)
{
	static struct student_memo memo;
	struct ab_sim_result out = { 0 };
	double truth = log1p(s->percent / 100), rows = (double)s->rows * s->families, known = 0;

	score_state = s->seed * 0x9e3779b97f4a7c15ULL + 1;
	for (int f = 0; f < s->families; f++) {
		struct ab t[AB_SIM_ROWS];
		double p[AB_SIM_ROWS], q[AB_SIM_ROWS];
		size_t scratch[AB_SIM_ROWS];
		bool any = false;

		for (int i = 0; i < s->rows; i++) {
			struct stats_side base = ab_sim_side(s, 1000, s->boots);
			struct stats_side head = ab_sim_side(s, 1000 * exp(truth), s->boots);
			struct noise prior = ab_sim_prior(s, &base, &head);

			ab_test(&base, &head, &prior, &s->floors, &memo, &t[i]);
			p[i] = t[i].p;
		}
		bh_q(p, (size_t)s->rows, scratch, q);
		for (int i = 0; i < s->rows; i++) {
			enum ab_confidence confidence;
			enum ab_verdict v = ab_judge(&t[i], q[i], &s->floors, &confidence);

			any |= v >= AB_LOWER;
			out.claimed += v >= AB_LOWER;
			out.unchanged += v == AB_UNCHANGED;
			out.inconclusive += v == AB_INCONCLUSIVE;
			out.wrong_side += v >= AB_LOWER && (v == AB_HIGHER) != (truth > 0);
			if (!t[i].source)
				continue;
			known++;
			out.df += t[i].df;
			out.covered += t[i].lo <= truth && truth <= t[i].hi;
		}
		out.any_claim += any;
	}
	out.any_claim /= s->families;
	out.claimed /= rows;
	out.unchanged /= rows;
	out.inconclusive /= rows;
	out.wrong_side /= rows;
	out.tested = known / rows;
	out.covered /= known;
	out.df /= known;
	return out;
}

#endif
