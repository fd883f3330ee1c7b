/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers for simulations: the same everywhere from the same seed, which is set in score_state. */
#ifndef TESTS_SCORE_RANDOM_H
#define TESTS_SCORE_RANDOM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static uint64_t score_state;

static double score_uniform(void)
{
	/* xorshift64* (Vigna, ACM Trans. Math. Softw. 42, 2016) */
	score_state ^= score_state >> 12;
	score_state ^= score_state << 25;
	score_state ^= score_state >> 27;
	return (double)((score_state * 0x2545f4914f6cdd1dULL >> 11) + 1) / 9007199254740994.;
}

static double score_normal(void)
{
	static double kept;
	static bool has;
	double x, y, s;

	has = !has;
	if (!has)
		return kept;
	do {	/* Marsaglia's polar method */
		x = 2 * score_uniform() - 1;
		y = 2 * score_uniform() - 1;
		s = x * x + y * y;
	} while (s >= 1 || s == 0);
	s = sqrt(-2 * log(s) / s);
	kept = y * s;
	return x * s;
}

#endif
