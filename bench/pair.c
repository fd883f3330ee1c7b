/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "measure.h"

struct taken {
	float *ms;
	size_t n, cap;
	double seconds;
	uint64_t bytes;
};

/* Of all threads: a way may use some. */
static double cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void take(struct taken *t, const struct pair_way *way, size_t which)
{
	double from = cpu_now(), took;
	size_t bytes = way->once(which);

	took = cpu_now() - from;
	if (t->n == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 1024;
		t->ms = realloc(t->ms, t->cap * sizeof(*t->ms));
		if (!t->ms)
			measure_die("no memory");
	}
	t->ms[t->n++] = (float)(took * 1e3);
	t->seconds += took;
	t->bytes += bytes;
}

void pair_run(const struct pair_way way[2], size_t things, double seconds)
{
	struct taken taken[2] = { 0 };

	for (size_t i = 0; i < things; i++)
		for (int k = 0; k < 2; k++)
			way[k].once(i);
	for (size_t turn = 0; taken[0].seconds + taken[1].seconds < seconds; turn++)
		for (size_t k = 0; k < 2; k++)
			take(&taken[(turn + k) % 2], &way[(turn + k) % 2], turn % things);
	for (int k = 0; k < 2; k++) {
		printf("%s\"%s\": ", k ? ", " : "", way[k].name);
		measure_print(taken[k].ms, taken[k].n, taken[k].seconds, taken[k].bytes, 0, 0);
		free(taken[k].ms);
	}
}
