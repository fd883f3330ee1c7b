/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept by its inputs: found again, bounded, and by many threads at once. */
#include "tap.h"

#include <pthread.h>

#include "../../lib/must.h"
#include "../../server/calc_memo.h"

static struct calc_memo memo = CALC_MEMO_INIT;

static struct calc_memo_key key_of(uint64_t i)
{
	return calc_memo_key(&i, sizeof(i));
}

static void put(uint64_t i, size_t n)
{
	struct calc_memo_key key = key_of(i);
	char *value = malloc(n);

	memset(value, (int)(i & 127), n);
	calc_memo_put(&memo, &key, value, n);
	free(value);
}

/* 1: there, and right; 0: not there; -1: wrong */
static int look(struct arena *a, uint64_t i, size_t n)
{
	struct calc_memo_key key = key_of(i);
	const char *value = calc_memo_get(&memo, &key, a);

	for (size_t k = 0; value && k < n; k++)
		if (value[k] != (char)(i & 127))
			return -1;
	return value != NULL;
}

#define THREADS 4
#define SERIES 3000

/* All threads want the same series, as workers do. */
static void *use(void *arg)
{
	struct arena *a = arena_new();
	int *wrong = arg;

	for (uint64_t i = 0; i < 10 * SERIES; i++) {
		uint64_t series = i * 7 % SERIES;
		int found = look(a, series, 100 + series % 50);

		*wrong += found < 0;
		if (!found)
			put(series, 100 + series % 50);
		if (i % 100 == 0)
			arena_reset(a);
	}
	arena_free(a);
	return NULL;
}

static void threads(void)
{
	pthread_t t[THREADS];
	int wrong[THREADS] = { 0 }, all = 0;

	for (int i = 0; i < THREADS; i++)
		must(!pthread_create(&t[i], NULL, use, &wrong[i]));
	for (int i = 0; i < THREADS; i++) {
		must(!pthread_join(t[i], NULL));
		all += wrong[i];
	}
	ok(!all, "many threads at once find what belongs to their inputs");
}

int main(void)
{
	struct arena *a = arena_new();
	int found = 0;

	ok(!look(a, 1, 1), "nothing at first");
	put(1, 300);
	ok(look(a, 1, 300) == 1 && !look(a, 2, 1), "what was put in, and nothing else");
	put(1, 300);
	ok(calc_memo_size(&memo) < 2 * 300, "the same twice is kept once");
	put(2, CALC_MEMO_BUCKET);
	ok(!look(a, 2, 1), "what is larger than a bucket is not kept");
	for (uint64_t i = 0; i < 200000; i++) {
		put(i, 200);
		found += i && look(a, i - 1, 200) == 1;
		arena_reset(a);
	}
	ok(found >= 199990, "what was used last is there: %d of 199999", found);
	ok(calc_memo_size(&memo) <= (size_t)CALC_MEMO_BUCKETS * CALC_MEMO_BUCKET &&
	   calc_memo_size(&memo) > (size_t)CALC_MEMO_BUCKETS * CALC_MEMO_BUCKET / 2, "it is bounded: %zu bytes",
	   calc_memo_size(&memo));
	threads();
	arena_free(a);
	return done();
}
