/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "histogram.h"

/* From what the cache answers in to where a request is given up. */
static const struct {
	int64_t usec;
	const char *seconds;
} bounds[HISTOGRAM_BUCKETS] = {
	{ 500, "0.0005" }, { 1000, "0.001" }, { 2500, "0.0025" }, { 5000, "0.005" }, { 10000, "0.01" }, { 25000, "0.025" },
	{ 50000, "0.05" }, { 100000, "0.1" }, { 250000, "0.25" }, { 500000, "0.5" }, { 1000000, "1.0" }, { 2500000, "2.5" },
	{ 10000000, "10.0" }, { 30000000, "30.0" }, { INT64_MAX, "+Inf" },
};

void histogram_add(struct histogram *h, int64_t usec)
{
	int i = 0;

	if (usec < 0)
		usec = 0;
	while (usec > bounds[i].usec)
		i++;
	atomic_fetch_add_explicit(&h->bucket[i], 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&h->usec, (uint64_t)usec, memory_order_relaxed);
}

void histogram_read(struct histogram *h, struct histogram_sums *out)
{
	uint64_t sum = 0;

	for (int i = 0; i < HISTOGRAM_BUCKETS; i++)
		out->bucket[i] = sum += atomic_load_explicit(&h->bucket[i], memory_order_relaxed);
	out->usec = atomic_load_explicit(&h->usec, memory_order_relaxed);
}

const char *histogram_bound(int bucket)
{
	return bounds[bucket].seconds;
}
