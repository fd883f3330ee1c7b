/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Microseconds of CPU that change detection takes: "NAME MEDIAN" lines, for tests/detect/score.py. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../lib/stats/change.h"

#define ROUNDS 200

static uint64_t state = 1;

static double uniform(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double gauss(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A step or none, outliers, and half of the time runs that depend on the one before. */
static void fill(struct change *c, size_t n)
{
	double ar = 0, rho = uniform() < 0.5 ? 0 : 0.7, step = uniform() < 0.3 ? 0 : 0.2;

	change_clear(c);
	for (size_t i = 0; i < n; i++) {
		ar = rho * ar + gauss();
		change_add(c, &(struct change_run){
			1000 * (1 + 0.02 * ar + (i > n / 2 ? step : 0)) * (uniform() < 0.03 ? 1.5 : 1), NAN, 1, 1 });
	}
}

static void report(const char *name, double *us, size_t n)
{
	qsort(us, n, sizeof(*us), ascending);
	printf("%s %.1f\n", name, us[n / 2]);
}

int main(void)
{
	static const struct { const char *name; size_t least, most; } kinds[] = {
		{ "100-200", 100, 200 }, { "200-400", 200, 400 }, { "1000", 1000, 1000 },
	};
	struct arena *a = arena_new();
	struct change *c = change_new(a);
	double us[ROUNDS], from;

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		for (size_t i = 0; i < ROUNDS; i++) {
			fill(c, kinds[k].least + (size_t)(uniform() * (double)(kinds[k].most - kinds[k].least + 1)));
			from = now_us();
			change_find(c);
			us[i] = now_us() - from;
		}
		report(kinds[k].name, us, ROUNDS);
	}
	for (size_t i = 0; i < ROUNDS; i++) {
		fill(c, 400);
		change_find(c);
		from = now_us();
		change_add(c, &(struct change_run){ 1000 * (1 + 0.02 * gauss()), NAN, 1, 1 });
		change_find(c);
		us[i] = now_us() - from;
	}
	report("append-400", us, ROUNDS);
	arena_free(a);
	return 0;
}
