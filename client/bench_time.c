/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench_time.h"

#include "../lib/stats/summary.h"
#include "../lib/tm.h"

/* So long a batch: short beside a time slice of the scheduler, long beside the reading of clocks (0.1 %). */
#define BATCH_NS 200000.
#define CALLS_MAX (1u << 20)

/* Batches of a repetition: as many as make it long enough, but not fewer than give a median, unless they are slow. */
#define BATCHES_MAX 64
#define BATCHES_LEAST 5
#define ENOUGH_US 40000
#define SLOW_US 500000 /* 3 batches do */
#define VERY_SLOW_US 2000000 /* one does */

/* Regions that are used up: so many at once that a batch is worth its clocks, in little memory. */
#define SLOTS_MAX 256
#define SLOTS_BYTES ((size_t)4 << 20)

static size_t slots_of(const struct bench_op *op, size_t size)
{
	size_t n = SLOTS_BYTES / size;

	if (!op->uses_up || !n)
		return 1;
	return n > SLOTS_MAX ? SLOTS_MAX : n;
}

size_t bench_time_memory(const struct bench_op *op, size_t size)
{
	return size * slots_of(op, size);
}

/* Pairs, and enough of them that a batch has its length. */
static uint64_t calls_of(const struct bench_batch *b)
{
	double each = (double)b->cpu_ns / (double)b->calls, calls = BATCH_NS / (each > 1 ? each : 1);

	return calls > CALLS_MAX ? CALLS_MAX : calls < 2 ? 2 : (uint64_t)calls & ~1ull;
}

static bool enough(size_t n, int64_t spent_us)
{
	if (n >= BATCHES_MAX || (n >= BATCHES_LEAST && spent_us >= ENOUGH_US))
		return true;
	return spent_us >= VERY_SLOW_US || (n >= 3 && spent_us >= SLOW_US);
}

static int measure(const struct bench_op *op, struct bench_area *area, struct bench_rep *rep, struct err *err)
{
	struct bench_batch first = { 0 }, b;
	double each[BATCHES_MAX];
	uint64_t calls = 2;
	int64_t began;
	size_t n = 0;

	for (int warm = 0; warm < 2; warm++) { /* the second is the length of a batch already */
		first = (struct bench_batch){ 0 };
		if (op->batch(area, calls, &first, err))
			return -1;
		if (first.wall_ns > SLOW_US * 1000LL)
			break;
		calls = calls_of(&first);
	}
	began = tm_monotonic_usec();
	do {
		b = (struct bench_batch){ 0 };
		if (op->batch(area, calls, &b, err))
			return -1;
		each[n++] = (double)(b.disturbed ? b.cpu_ns : b.wall_ns) / (double)b.calls;
		rep->calls += b.calls;
		rep->disturbed += b.disturbed;
	} while (!enough(n, tm_monotonic_usec() - began));
	summary_sort(each, n);
	rep->ns = summary_quantile(each, n, .5);
	rep->batches = (unsigned)n;
	return 0;
}

int bench_time(const struct bench_op *op, struct bench_area *area, struct bench_rep *rep, struct err *err)
{
	int ret;

	*rep = (struct bench_rep){ 0 };
	area->slots = slots_of(op, area->size);
	ret = bench_ops_begin(area, err);
	if (!ret && bench_pages_of(area->base, area->size, &rep->pages))
		ret = err_set(err, ERR_SETUP, "/proc/self/smaps does not have the region");
	if (!ret)
		ret = measure(op, area, rep, err);
	bench_ops_end(area);
	return ret;
}
