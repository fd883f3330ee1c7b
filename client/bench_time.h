/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One repetition: a fresh region, a warm-up, batches of calls, and their median. So a batch in which the
 * machine did something else does not count, as long as most are undisturbed; a batch in which the
 * scheduler gave the CPU to another process counts by its CPU time.
 */
#ifndef CLIENT_BENCH_TIME_H
#define CLIENT_BENCH_TIME_H

#include "bench_ops.h"
#include "bench_pages.h"

struct bench_rep {
	double ns;			/* per call */
	uint64_t calls;			/* measured */
	unsigned batches, disturbed;	/* disturbed: among them */
	struct bench_pages pages;	/* when all had been touched */
};

/* slots of area are set here. 0, or -1 and err. */
int bench_time(const struct bench_op *op, struct bench_area *area, struct bench_rep *rep, struct err *err);

/* Bytes that a repetition needs at once. */
size_t bench_time_memory(const struct bench_op *op, size_t size);

#endif
