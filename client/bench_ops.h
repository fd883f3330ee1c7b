/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The benchmarks: what is measured, and what has to be done before each call without being
 * measured. A call is always about a whole region of `size` bytes of private anonymous memory,
 * aligned as a huge page is.
 */
#ifndef CLIENT_BENCH_OPS_H
#define CLIENT_BENCH_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lib/err.h"

struct bench_area {		/* memory of one repetition */
	size_t size, page, pmd;	/* bytes */
	size_t slots;		/* regions; a batch has a call for each where calls use them up */
	size_t stride;		/* between them */
	char *base, *other;	/* where they are; mremap: the other place, of one region */
	char *reserved;
	size_t reserved_size;
	bool advises, by_ptes;	/* MADV_HUGEPAGE; huge pages are to be mapped by small entries */
};

struct bench_batch {		/* what was measured */
	uint64_t calls;
	int64_t wall_ns, cpu_ns;
	bool disturbed;		/* the CPU was taken away meanwhile */
};

struct bench_op {
	const char *name, *help;
	bool uses_up;		/* a call needs a fresh region */
	bool untouched;		/* it measures the first touch itself */
	int (*batch)(struct bench_area *area, uint64_t calls, struct bench_batch *b, struct err *err);
};

extern const struct bench_op bench_ops[];			/* ends with a NULL name */
const struct bench_op *bench_ops_of(const char *name);		/* NULL: none */

/* Makes the regions and touches all pages. What is set before: size, page, pmd, slots, advises, by_ptes. 0 or -1. */
int bench_ops_begin(struct bench_area *area, struct err *err);
void bench_ops_end(struct bench_area *area);

#endif
