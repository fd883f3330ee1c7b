/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading submissions: bytes to a validated struct as the server does it, against jansson, which only makes its tree of
 * them.
 *   read SECONDS FILE	a line of FILE is a body
 * Prints {"read": {...}, "jansson": {...}, "memory": the most that reading takes beside the body, over the body: the
 * median of all bodies, "memory_jansson"}. Memory is what malloc hands out, in its sizes; the linker puts the
 * counting in between (--wrap).
 */
#include <jansson.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "../ingest/read.h"
#include "measure.h"
#include "pair.h"

#define NOW 1767225600000000	/* what a missing started_at would become */

static struct measure_lines bodies;
static struct arena *arena;
static atomic_size_t live, peak;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);

static void *count(void *p)
{
	size_t now = atomic_fetch_add(&live, malloc_usable_size(p)) + malloc_usable_size(p);

	if (now > peak)
		peak = now;
	return p;
}

void *__wrap_malloc(size_t size)
{
	return count(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return count(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t size)
{
	live -= malloc_usable_size(p);
	return count(__real_realloc(p, size));
}

void __wrap_free(void *p)
{
	live -= malloc_usable_size(p);
	__real_free(p);
}

static size_t read_one(size_t i)
{
	const struct read_context ctx = { .now = NOW };
	struct read_result out;
	struct err err = { 0 };

	arena_reset(arena);
	if (read_body(arena, bodies.line[i], bodies.len[i], &ctx, &out, &err))
		measure_die("body %zu: %s", i + 1, err.message);
	if (out.n != 1 || !out.items[0].sub)
		measure_die("body %zu: %s", i + 1, out.n == 1 ? out.items[0].err.message : "not one submission");
	return bodies.len[i];
}

static size_t jansson_one(size_t i)
{
	json_error_t e;
	json_t *root = json_loadb(bodies.line[i], bodies.len[i], 0, &e);

	if (!root)
		measure_die("body %zu: jansson: %s", i + 1, e.text);
	json_decref(root);
	return bodies.len[i];
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double memory(size_t (*once)(size_t))
{
	double *times = measure_alloc(bodies.n, sizeof(*times)), median;

	for (size_t i = 0; i < bodies.n; i++) {
		size_t before;

		arena_free(arena);	/* what it kept of the last is this one's, too */
		before = live;
		arena = arena_new();
		peak = live;
		once(i);
		times[i] = (double)(peak - before) / (double)bodies.len[i];
	}
	qsort(times, bodies.n, sizeof(*times), by_value);
	median = times[bodies.n / 2];
	free(times);
	return median;
}

int main(int argc, char **argv)
{
	const struct pair_way ways[2] = { { "read", read_one }, { "jansson", jansson_one } };

	if (argc != 3)
		measure_die("usage: read SECONDS FILE");
	json_set_alloc_funcs(__wrap_malloc, __wrap_free);
	bodies = measure_read(argv[2]);
	arena = arena_new();
	putchar('{');
	pair_run(ways, bodies.n, measure_seconds(argv[1]));
	printf(", \"memory\": %.3f, \"memory_jansson\": %.3f}\n", memory(read_one), memory(jansson_one));
	arena_free(arena);
	return 0;
}
