/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct measure {
	const struct measure_work *work;
	double seconds;
	double pause;			/* from one to the next of a client, or 0 */
	unsigned clients;
	pthread_barrier_t ready;
	double begun;			/* set between two waits at the barrier */
};

static atomic_uint_fast64_t next;

uint64_t measure_next(void)
{
	return atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
}

void measure_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("bench: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}

void *measure_alloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		measure_die("no memory");
	return p;
}

static void *grow(void *p, size_t size)
{
	p = realloc(p, size);
	if (!p)
		measure_die("no memory");
	return p;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void wait_for(double when)
{
	double left = when - now();
	struct timespec t = { (time_t)left, (long)((left - (double)(time_t)left) * 1e9) };

	if (left > 0)
		nanosleep(&t, NULL);
}

static void *client(void *arg)
{
	struct client *c = arg;
	struct measure *m = c->measure;
	double from, to;

	c->own = m->work->open(c);
	m->work->work(c);
	c->bytes = c->hits = 0;
	if (pthread_barrier_wait(&m->ready) == PTHREAD_BARRIER_SERIAL_THREAD)
		m->begun = now();
	pthread_barrier_wait(&m->ready);
	for (from = now(); from < m->begun + m->seconds; from = to) {
		if (m->pause > 0) {
			wait_for(m->begun + m->pause * ((double)c->n + (double)c->index / m->clients));
			from = now();
		}
		m->work->work(c);
		to = now();
		if (c->n == c->cap) {
			c->cap = c->cap ? c->cap * 2 : 1024;
			c->ms = grow(c->ms, c->cap * sizeof(*c->ms));
		}
		c->ms[c->n++] = (float)((to - from) * 1e3);
	}
	m->work->close(c);
	return NULL;
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

void measure_print(float *ms, size_t n, double seconds, uint64_t bytes, uint64_t bad, uint64_t hits)
{
	if (!n)
		measure_die("nothing was done in %.1f s", seconds);
	qsort(ms, n, sizeof(*ms), by_value);
	printf("{\"n\": %zu, \"per_s\": %.2f, \"p50_ms\": %.4f, \"p99_ms\": %.4f, \"bytes\": %llu, \"bad\": %llu, \"hits\": %llu}",
	       n, (double)n / seconds, (double)ms[n / 2], (double)ms[n * 99 / 100], (unsigned long long)(bytes / n),
	       (unsigned long long)bad, (unsigned long long)hits);
}

static void report(const struct client *c, unsigned clients, double seconds)
{
	uint64_t bytes = 0, bad = 0, hits = 0;
	size_t n = 0, at = 0;
	float *ms;

	for (unsigned i = 0; i < clients; i++)
		n += c[i].n;
	ms = measure_alloc(n + 1, sizeof(*ms));
	for (unsigned i = 0; i < clients; i++) {
		memcpy(ms + at, c[i].ms, c[i].n * sizeof(*ms));
		at += c[i].n;
		bytes += c[i].bytes;
		bad += c[i].bad;
		hits += c[i].hits;
	}
	measure_print(ms, n, seconds, bytes, bad, hits);
	putchar('\n');
	free(ms);
}

void measure_run(const struct measure_work *work, unsigned clients, double seconds)
{
	struct client *c = measure_alloc(clients, sizeof(*c));
	pthread_t *threads = measure_alloc(clients, sizeof(*threads));
	struct measure m = { .work = work, .seconds = seconds, .clients = clients };
	const char *rate = getenv("BENCH_RATE");

	if (rate)
		m.pause = clients / measure_seconds(rate);
	if (pthread_barrier_init(&m.ready, NULL, clients))
		measure_die("no barrier");
	for (unsigned i = 0; i < clients; i++) {
		c[i].index = i;
		c[i].measure = &m;
		if (pthread_create(&threads[i], NULL, client, &c[i]))
			measure_die("no thread for client %u", i);
	}
	for (unsigned i = 0; i < clients; i++)
		pthread_join(threads[i], NULL);
	report(c, clients, now() - m.begun);
	for (unsigned i = 0; i < clients; i++)
		free(c[i].ms);
	pthread_barrier_destroy(&m.ready);
	free(threads);
	free(c);
}

struct measure_lines measure_read(const char *path)
{
	struct measure_lines l = { 0 };
	FILE *f = fopen(path, "r");
	size_t cap = 0, room = 0;
	char *line = NULL;
	ssize_t n;

	if (!f)
		measure_die("%s: %s", path, strerror(errno));
	for (; (n = getline(&line, &room, f)) > 0; line = NULL, room = 0) {
		if (line[n - 1] == '\n')
			line[--n] = '\0';
		if (l.n == cap) {
			cap = cap ? cap * 2 : 256;
			l.line = grow(l.line, cap * sizeof(*l.line));
			l.len = grow(l.len, cap * sizeof(*l.len));
		}
		l.line[l.n] = line;
		l.len[l.n++] = (size_t)n;
	}
	free(line);
	fclose(f);
	if (!l.n)
		measure_die("%s: no lines", path);
	return l;
}

unsigned measure_count(const char *text, const char *what)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || end == text || n < 1 || n > 1000000)
		measure_die("%s: a number from 1 to 1000000 is needed, not \"%s\"", what, text);
	return (unsigned)n;
}

double measure_seconds(const char *text)
{
	char *end;
	double s = strtod(text, &end);

	if (*end || end == text || !(s > 0 && s < 1e6))
		measure_die("a number above 0 is needed, not \"%s\"", text);
	return s;
}
