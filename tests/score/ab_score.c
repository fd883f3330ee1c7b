/* SPDX-License-Identifier: GPL-2.0-or-later */
/* make ab-score: what comparisons get right and wrong where the truth is known. FAMILIES [SEED]. */
#include <stdio.h>
#include <stdlib.h>

#include "ab_sim.h"

static int families = 20000, failed;
static uint64_t seed = 1;

static const struct ab_floors none = { 0, 0, 0 }, two = { 2, 2, AB_SD_FLOOR_PERCENT };

static struct ab_sim_result run(struct ab_sim s)
{
	s.reps = s.reps ? s.reps : 5;
	s.tau = s.sigma = .01;
	s.families = families / (s.siblings ? 10 : 1);
	s.seed = seed++;
	return ab_sim(&s);
}

/* A share against what is demanded of it, but for three standard errors of so many families; all is good: 0, 1. */
static void show(double share, double lo, double hi)
{
	double slack = 3 * sqrt(share * (1 - share) / families);
	bool good = share + slack >= lo && share - slack <= hi;

	printf(" %6.2f %%%s", share * 100, good ? "  " : " !");
	failed += !good;
}

static void title(const char *what, const char *columns)
{
	printf("\n%s\n%-44s%s\n", what, "", columns);
}

static void false_claims(const char *what, struct ab_sim s, const struct ab_floors *floors, double lo, double hi)
{
	static const int rows[] = { 1, 8, 64 };

	printf("%-44s", what);
	s.floors = *floors;
	for (int i = 0; i < 3; i++) {
		s.rows = rows[i];
		show(run(s).any_claim, lo, hi);
	}
	putchar('\n');
}

static void one_kind(const char *what, struct ab_sim s, double power_lo, double same_lo)
{
	struct ab_sim_result r;

	printf("%-44s", what);
	s.rows = 1;
	s.floors = two;
	r = run(s);
	show(r.covered, .93, .97);
	show(r.unchanged, same_lo, 1);
	s.percent = 4;
	show(run(s).unchanged, 0, .05);
	s.percent = 5;
	r = run(s);
	show(r.claimed, power_lo, 1);
	show(r.wrong_side, 0, .001);
	printf("  %5.1f\n", r.df);
}

static void shares(const char *what, struct ab_sim s)
{
	struct ab_sim_result r;

	printf("%-44s", what);
	s.rows = 1;
	s.floors = two;
	for (int i = 0; i < 4; i++) {
		s.percent = (double[]){ 0, 5, 10, 50 }[i];
		r = run(s);
		show(r.inconclusive, i < 2 ? .999 : 0, 1);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	static const int boots[] = { 2, 3, 5, 10 };
	const struct ab_sim history = { .boots = 1, .history = 30 };
	char what[60];

	if (argc > 1)
		families = atoi(argv[1]);
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 10);
	if (families < 10)
		return 2;
	printf("%d families each; boots differ by 1 %%, repetitions in a boot by 1 %%, 5 repetitions a boot\n"
	       "! = not as demanded, by more than chance\n", families);

	title("Families where nothing changed, with any regression or improvement (q <= .05)", "     m = 1     m = 8    m = 64");
	for (int i = 0; i < 4; i++) {
		snprintf(what, sizeof(what), "%d boots a side, floor 0", boots[i]);
		false_claims(what, (struct ab_sim){ .boots = boots[i] }, &none, .03, .06);
	}
	false_claims("1 boot, history of 30 kernels, floor 0", history, &none, .03, .06);
	for (int i = 0; i < 4; i++) {
		snprintf(what, sizeof(what), "%d boots a side, floors as by default", boots[i]);
		false_claims(what, (struct ab_sim){ .boots = boots[i] }, &ab_floors_default, 0, .06);
	}
	false_claims("1 boot, history of 30, floors as by default", history, &ab_floors_default, 0, .06);
	false_claims("1 boot, history of 30 with the pair, floor 0", (struct ab_sim){ .boots = 1, .history = 30, .pair_in_history = true }, &none, 0, .06);
	false_claims("1 boot, history of 10, floor 0", (struct ab_sim){ .boots = 1, .history = 10 }, &none, 0, .06);
	false_claims("1 boot, history of 5, floor 0", (struct ab_sim){ .boots = 1, .history = 5 }, &none, 0, .06);
	false_claims("2 boots and history of 30, floor 0", (struct ab_sim){ .boots = 2, .history = 30 }, &none, .03, .06);
	false_claims("3 boots and history of 30, floor 0", (struct ab_sim){ .boots = 3, .history = 30 }, &none, .03, .06);
	false_claims("1 boot, 7 siblings with history, floor 0", (struct ab_sim){ .boots = 1, .history = 30, .siblings = 7 }, &none, 0, .06);

	title("One row (m = 1), floor 2 %", "   covered  same @ 0  same @ 4 power @ 5 wrong way  df");
	for (int b = 2; b <= 10; b++) {
		snprintf(what, sizeof(what), "%d boots a side", b);
		one_kind(what, (struct ab_sim){ .boots = b }, b == 3 ? .95 : 0, b == 10 ? .85 : 0);
	}
	one_kind("1 boot, history of 30 kernels", history, .83, 0);
	one_kind("... with base and head in it", (struct ab_sim){ .boots = 1, .history = 30, .pair_in_history = true }, .80, 0);
	one_kind("... with a step of 5 % in it", (struct ab_sim){ .boots = 1, .history = 30, .history_step = 5 }, .75, 0);
	one_kind("... with a spike of 50 % in it", (struct ab_sim){ .boots = 1, .history = 30, .history_spike = 50 }, .80, 0);
	one_kind("1 boot of 1 value, history of 30", (struct ab_sim){ .boots = 1, .history = 30, .reps = 1 }, 0, 0);
	one_kind("1 boot, history of 10 kernels", (struct ab_sim){ .boots = 1, .history = 10 }, 0, 0);
	one_kind("2 boots a side and a history of 30", (struct ab_sim){ .boots = 2, .history = 30 }, .95, 0);
	one_kind("3 boots a side and a history of 30", (struct ab_sim){ .boots = 3, .history = 30 }, .97, 0);

	title("Without a second boot, history or siblings: rows that stay inconclusive", "     0 %      +5 %     +10 %     +50 %");
	shares("1 boot a side, 5 repetitions", (struct ab_sim){ .boots = 1 });
	shares("1 boot a side, 1 value", (struct ab_sim){ .boots = 1, .reps = 1 });
	printf("\n%d not as demanded\n", failed);
	return failed != 0;
}
