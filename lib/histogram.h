/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long things took, counted by upper bounds: any thread adds without a lock, and who reads sees counts that only grow. */
#ifndef LIB_HISTOGRAM_H
#define LIB_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

#define HISTOGRAM_BUCKETS 15	/* the last one has no bound */

struct histogram {		/* all zero: empty */
	_Atomic uint64_t bucket[HISTOGRAM_BUCKETS], usec;
};

/* What was read of one: `bucket` is cumulative, as OpenMetrics wants it, so the last one is all there were. */
struct histogram_sums {
	uint64_t bucket[HISTOGRAM_BUCKETS], usec;
};

void histogram_add(struct histogram *h, int64_t usec);
void histogram_read(struct histogram *h, struct histogram_sums *out);
const char *histogram_bound(int bucket);	/* in seconds, as the label `le` has it: "0.001", "1.0", "+Inf" */

#endif
