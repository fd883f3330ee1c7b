/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make bisect-score: bisections whose truth is known, judged by the code of `nsecwatch bisect judge`. SEEDS [FIRST].
 * Kernels stand in a row, one of them brings the step; boots differ by 1 %. Beside ours runs
 * Wald's test, which is told the true levels and the true noise.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../lib/stats/ab.h"
#include "../../lib/stats/seq.h"
#include "random.h"

#define KERNELS 12
#define MOST 30
#define NOISE .01
#define ERROR .01

enum { RIGHT, WRONG, CANT_TELL };

struct tally {
	long bisections, ended[3];
	long steps, boots, wald_boots, most;
	long wald_right;
};

struct sim {
	struct summary_moments side[2]; /* good, bad */
	double level[2];
};

static void add_boot(struct summary_moments *s, double level)
{
	summary_add(s, level + NOISE * score_normal());
}

/* Ours: SEQ_MORE when the boots are used up. */
static enum seq_state ours(struct sim *s, int truth, struct tally *t)
{
	struct summary_moments here = { 0 };
	enum seq_state state = SEQ_MORE;
	long n = 0;

	while (state == SEQ_MORE && n < MOST) {
		add_boot(&here, s->level[truth]);
		n++;
		state = seq_state_of(
			seq_ratio(&s->side[0], &s->side[1], &here, NULL, AB_SD_FLOOR_PERCENT / 100), ERROR);
	}
	if (state != SEQ_MORE) /* what was judged joins its side, as in bisect_boots_side() */
		summary_merge(&s->side[state == SEQ_BAD], &here);
	t->boots += n;
	t->most = n > t->most ? n : t->most;
	t->steps++;
	return state;
}

/* Wald's, levels and noise known, without a limit. */
static bool wald(const struct sim *s, int truth, struct tally *t)
{
	double step = (s->level[1] - s->level[0]) / NOISE, ratio = 0;

	do {
		double z = (s->level[truth] - (s->level[0] + s->level[1]) / 2) / NOISE + score_normal();

		ratio += step * z;
		t->wald_boots++;
	} while (seq_state_of(ratio, ERROR) == SEQ_MORE);
	return (ratio > 0) == (truth == 1);
}

/* Kernel 0 is good and the last is bad; `first` is the first bad one. */
static int bisect(struct sim *s, int first, struct tally *t)
{
	int good = 0, bad = KERNELS - 1;
	bool wald_right = true;

	while (bad - good > 1) {
		int middle = (good + bad) / 2, truth = middle >= first;
		enum seq_state state = ours(s, truth, t);

		wald_right &= wald(s, truth, t);
		if (state == SEQ_MORE)
			return CANT_TELL;
		if (state == SEQ_BAD)
			bad = middle;
		else
			good = middle;
	}
	t->wald_right += wald_right;
	return bad == first ? RIGHT : WRONG;
}

static struct tally run(double percent, int baseline, long seeds, uint64_t seed)
{
	struct tally t = { 0 };

	for (long i = 0; i < seeds; i++) {
		struct sim s = { .level = { 0, log1p(percent / 100) } };
		int first;

		score_state = (seed + (uint64_t)i) * 0x9e3779b97f4a7c15u + 1;
		for (int side = 0; side < 2; side++)
			for (int b = 0; b < baseline; b++)
				add_boot(&s.side[side], s.level[side]);
		first = 1 + (int)(score_uniform() * (KERNELS - 1));
		/* start refuses baselines that are the wrong way round */
		t.ended[s.side[1].mean > s.side[0].mean ? bisect(&s, first, &t) : CANT_TELL]++;
		t.bisections++;
	}
	return t;
}

static int failed;

static void demand(const char *what, bool met)
{
	printf("  %-66s %s\n", what, met ? "yes" : "NO");
	failed += !met;
}

static double share(long part, long whole)
{
	return 100. * (double)part / (double)whole;
}

static struct tally show(double percent, int baseline, long seeds, uint64_t seed)
{
	struct tally t = run(percent, baseline, seeds, seed);
	double ours_mean = (double)t.boots / (double)t.steps,
	       wald_mean = (double)t.wald_boots / (double)t.steps;

	printf("%5.1f %% %9d %8ld %8ld %8ld %8ld %8.2f %8.2f %8.2f %6ld\n", percent, baseline, seeds,
	       t.ended[RIGHT], t.ended[WRONG], t.ended[CANT_TELL], ours_mean, wald_mean,
	       ours_mean / wald_mean, t.most);
	return t;
}

int main(int argc, char **argv)
{
	static const double steps[] = { .5, 1, 2, 3, 5 };
	static const int baselines[] = { 2, 3, 5, 10, 20 };
	long seeds = argc > 1 ? atol(argv[1]) : 200;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct tally three, half;

	if (seeds < 1)
		return 2;
	printf("Bisections over %d kernels; boots differ by 1 %%; error rate of a step 1 %%; at most %d "
	       "boots a step\n"
	       "Wald: the same steps by a test that knows levels and noise, without a limit\n\n"
	       "   step baselines    seeds    right    wrong can't tell boots/step    Wald    ratio   most\n",
	       KERNELS, MOST);
	three = show(3, 5, seeds, seed);
	half = show(.5, 5, seeds, seed);
	puts("");
	for (size_t s = 0; s < sizeof(steps) / sizeof(*steps); s++)
		for (size_t b = 0; b < sizeof(baselines) / sizeof(*baselines); b++)
			show(steps[s], baselines[b], 2000, 1000000 + seed);
	printf("\nWald's bisections of the first row: %ld of %ld right\n", three.wald_right,
	       three.bisections);
	demand("3 %, baselines of 5: right in at least 98 % of seeds",
	       share(three.ended[RIGHT], seeds) >= 98);
	demand("3 %: boots a step at most twice Wald's", three.boots <= 2 * three.wald_boots);
	demand("3 %, 0.5 %: at most 30 boots a step", three.most <= MOST && half.most <= MOST);
	demand("0.5 %: wrong in at most 1 % of seeds", share(half.ended[WRONG], seeds) <= 1);
	return failed != 0;
}
