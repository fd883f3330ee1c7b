/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench_ops.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE 14
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* ---- the clocks ---- */

struct clocks {
	int64_t wall, cpu;
	long taken; /* times that the CPU was taken away */
};

static int64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long times_taken(void)
{
	struct rusage u;

	return getrusage(RUSAGE_THREAD, &u) ? 0 : u.ru_nivcsw;
}

/* The wall clock is read last and stopped first: it is the cheap one. */
static inline struct clocks start(void)
{
	struct clocks c = { .taken = times_taken() };

	c.cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	c.wall = clock_ns(CLOCK_MONOTONIC);
	return c;
}

static inline void stop(const struct clocks *c, uint64_t calls, struct bench_batch *b)
{
	int64_t wall = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	b->wall_ns += wall - c->wall;
	b->cpu_ns += cpu - c->cpu;
	b->disturbed |= times_taken() != c->taken;
	b->calls += calls;
}

/* ---- memory ---- */

static void touch(const struct bench_area *area, char *p)
{
	for (size_t i = 0; i < area->size; i += area->page)
		((volatile char *)p)[i] = 1;
}

static char *slot(const struct bench_area *area, size_t i)
{
	return area->base + i * area->stride;
}

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static int map_one(const struct bench_area *area, char *at, struct err *err)
{
	char *p = mmap(at, area->size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (p == MAP_FAILED)
		return err_set(err, ERR_SETUP, "mmap: %s", strerror(errno));
	if (p != at) { /* kernels before 4.17 take the address as a hint */
		munmap(p, area->size);
		return err_set(err, ERR_SETUP, "mmap: the address is in use");
	}
	if (area->advises && madvise(p, area->size, MADV_HUGEPAGE) && errno != EINVAL)
		return err_set(err, ERR_SETUP, "madvise(MADV_HUGEPAGE): %s", strerror(errno));
	return 0;
}

/* Another protection for one small page of each huge one, and back: the kernel splits its entry, not the page. */
static int split(const struct bench_area *area, char *p, struct err *err)
{
	for (size_t i = 0; i + area->pmd <= area->size; i += area->pmd)
		if (mprotect(p + i + area->page, area->page, PROT_READ) ||
		    mprotect(p + i + area->page, area->page, PROT_READ | PROT_WRITE))
			return err_set(err, ERR_SETUP, "mprotect: %s", strerror(errno));
	return 0;
}

static int fill(const struct bench_area *area, char *p, struct err *err)
{
	touch(area, p);
	return area->by_ptes ? split(area, p, err) : 0;
}

/* Addresses that are free, found by a reservation that is given back: only this thread maps anything. */
static int reserve(struct bench_area *area, struct err *err)
{
	size_t align = area->pmd;
	char *p;

	area->stride = area->size < area->pmd ? 2 * area->page : round_up(area->size, align) + align;
	while (area->size < area->pmd && area->stride < 2 * area->size)
		area->stride *= 2;
	area->reserved_size = (area->slots + 1) * area->stride + 2 * align;
	p = mmap(NULL, area->reserved_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return err_set(err, ERR_SETUP, "%zu KiB of addresses: %s", area->reserved_size / 1024,
			       strerror(errno));
	area->reserved = p;
	area->base = p + (align - (uintptr_t)p % align) % align;
	area->other = slot(area, area->slots);
	munmap(p, area->reserved_size);
	return 0;
}

int bench_ops_begin(struct bench_area *area, struct err *err)
{
	if (reserve(area, err))
		return -1;
	for (size_t i = 0; i < area->slots; i++)
		if (map_one(area, slot(area, i), err) || fill(area, slot(area, i), err))
			return -1;
	return 0;
}

void bench_ops_end(struct bench_area *area)
{
	if (area->reserved)
		munmap(area->reserved, area->reserved_size); /* with all that was mapped there since */
	area->reserved = NULL;
}

/* ---- what is measured ---- */

static int failed(struct err *err, const char *what)
{
	return err_set(err, ERR_SETUP, "%s: %s", what, strerror(errno));
}

/* No access and access again, in turns: the number of calls is even. */
static int do_mprotect(struct bench_area *area, uint64_t calls, struct bench_batch *b, struct err *err)
{
	struct clocks c = start();
	int bad = 0;

	for (uint64_t i = 0; i < calls; i++)
		bad |= mprotect(area->base, area->size, i & 1 ? PROT_READ | PROT_WRITE : PROT_NONE);
	stop(&c, calls, b);
	return bad ? failed(err, "mprotect") : 0;
}

/* There and back. */
static int do_mremap(struct bench_area *area, uint64_t calls, struct bench_batch *b, struct err *err)
{
	char *at = area->base, *to = area->other, *was;
	struct clocks c = start();

	for (uint64_t i = 0; i < calls; i++) {
		if (mremap(at, area->size, area->size, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED)
			return failed(err, "mremap");
		was = at;
		at = to;
		to = was;
	}
	stop(&c, calls, b);
	return 0;
}

static int do_munmap(struct bench_area *area, uint64_t calls, struct bench_batch *b, struct err *err)
{
	struct clocks c = start();
	int bad = 0;

	(void)calls;
	for (size_t i = 0; i < area->slots; i++)
		bad |= munmap(slot(area, i), area->size);
	stop(&c, area->slots, b);
	if (bad)
		return failed(err, "munmap");
	for (size_t i = 0; i < area->slots; i++)
		if (map_one(area, slot(area, i), err) || fill(area, slot(area, i), err))
			return -1;
	return 0;
}

static int do_madvise(struct bench_area *area, uint64_t calls, struct bench_batch *b, struct err *err)
{
	struct clocks c = start();
	int bad = 0;

	(void)calls;
	for (size_t i = 0; i < area->slots; i++)
		bad |= madvise(slot(area, i), area->size, MADV_DONTNEED);
	stop(&c, area->slots, b);
	if (bad)
		return failed(err, "madvise");
	for (size_t i = 0; i < area->slots; i++)
		if (fill(area, slot(area, i), err))
			return -1;
	return 0;
}

static int do_fault(struct bench_area *area, uint64_t calls, struct bench_batch *b, struct err *err)
{
	struct clocks c;

	(void)calls;
	for (size_t i = 0; i < area->slots; i++)
		if (madvise(slot(area, i), area->size, MADV_DONTNEED))
			return failed(err, "madvise");
	c = start();
	for (size_t i = 0; i < area->slots; i++)
		touch(area, slot(area, i));
	stop(&c, area->slots, b);
	return 0;
}

static int do_fork(struct bench_area *area, uint64_t calls, struct bench_batch *b, struct err *err)
{
	(void)area;
	for (uint64_t i = 0; i < calls; i++) {
		struct clocks c = start();
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid < 0)
			return failed(err, "fork");
		stop(&c, 1, b);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		touch(area,
		      area->base); /* the child's copy is gone; what is write-protected still is opened again */
	}
	return 0;
}

const struct bench_op bench_ops[] = {
	{ "mprotect", "changes the protection of the region, no access and access in turns", false, false,
	  do_mprotect },
	{ "mremap", "moves the region to another address", false, false, do_mremap },
	{ "munmap", "unmaps the region, all pages of which are present", true, false, do_munmap },
	{ "fork", "fork() of a process with the region, all pages of which are present", false, false,
	  do_fork },
	{ "fault", "the first write to each page of the region", true, true, do_fault },
	{ "madvise", "gives the region's pages back with MADV_DONTNEED", true, false, do_madvise },
	{ NULL, NULL, false, false, NULL },
};

const struct bench_op *bench_ops_of(const char *name)
{
	for (const struct bench_op *op = bench_ops; op->name; op++)
		if (!strcmp(op->name, name))
			return op;
	return NULL;
}
