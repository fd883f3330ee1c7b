/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs of the benchmark share: N clients that work in a closed loop for some
 * seconds, each on a thread of its own, and what came of it as one line of JSON.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct measure;

struct client {
	unsigned index;			/* 0 .. clients - 1 */
	struct measure *measure;
	void *own;			/* whatever `open` returned */
	uint64_t bytes, bad, hits;	/* the work's to count: received, failed, answered from a cache */
	float *ms;			/* a latency each */
	size_t n, cap;
};

/* `open` connects, `work` does one thing and waits for its end, `close` ends. All end the program where they cannot. */
struct measure_work {
	void *(*open)(struct client *c);
	void (*work)(struct client *c);
	void (*close)(struct client *c);
};

/*
 * BENCH_RATE in the environment: all clients together do so many a second, evenly, and wait where they are early; without
 * it each goes on at once.
 *
 * All clients open, work once unmeasured, wait for one another, and then work until the time is
 * over. Prints {"n", "per_s", "p50_ms", "p99_ms", "bytes", "bad", "hits"}: bytes are the mean.
 */
void measure_run(const struct measure_work *work, unsigned clients, double seconds);

/* The same of latencies that were taken in another way: sorts ms, and prints the object alone. bytes are the sum. */
void measure_print(float *ms, size_t n, double seconds, uint64_t bytes, uint64_t bad, uint64_t hits);

/* A number that no other call of this program gets. */
uint64_t measure_next(void);

/* The lines of a file, without their ends; ends the program when there are none. They live as long as it. */
struct measure_lines {
	char **line;
	size_t *len;
	size_t n;
};
struct measure_lines measure_read(const char *path);

void measure_die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
void *measure_alloc(size_t n, size_t size);	/* zeroed; ends the program where there is no memory */

/* A whole number from an argument, at least 1. */
unsigned measure_count(const char *text, const char *what);
double measure_seconds(const char *text);

#endif
