/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between what measures and what prints. */
#ifndef CLIENT_BENCH_IMPL_H
#define CLIENT_BENCH_IMPL_H

#include "../lib/buf.h"
#include "../lib/stats/student.h"
#include "../lib/tm.h"
#include "bench_time.h"
#include "options.h"

struct bench_cell {		/* a benchmark at a size */
	const struct bench_op *op;
	size_t size;
	double *values;		/* ns per call, n of them */
	size_t n;
	uint64_t calls, batches, disturbed;
	const char *pages;	/* what the region had, last; NULL: never measured */
	const char *error;	/* why there is no value, or NULL */
	bool done, skipped, imprecise, told;
};

struct bench_run {
	struct arena *a;
	const struct options *o;
	const char *mode, *root;
	struct bench_thp *thp;
	size_t page, pmd;
	int cpu;
	int64_t started_usec;
	struct bench_cell *cells;
	size_t n;
	struct student_memo memo;
};

/* Adds a submission; the machine's state is read now. */
void bench_print(struct bench_run *r, struct buf *out);

#endif
