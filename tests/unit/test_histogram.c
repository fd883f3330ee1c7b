/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms: which bucket, sums, and many threads at once. */
#include "../../lib/histogram.h"
#include "tap.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/must.h"

static struct histogram shared;

static void *add_many(void *arg)
{
	for (int i = 0; i < 100000; i++)
		histogram_add(&shared, i % 2 ? 400 : 2000000);
	return arg;
}

int main(void)
{
	struct histogram h = { 0 };
	struct histogram_sums s;
	pthread_t threads[4];
	double last = 0;
	bool rises = true;

	for (int i = 0; i < HISTOGRAM_BUCKETS - 1; i++) {
		double bound = strtod(histogram_bound(i), NULL);

		histogram_add(&h, (int64_t)(bound * 1e6 + 0.5));	/* on the bound: it is in */
		histogram_read(&h, &s);
		rises = rises && bound > last && s.bucket[i] == (uint64_t)i + 1 && (!i || s.bucket[i - 1] == (uint64_t)i);
		last = bound;
	}
	ok(rises, "bounds rise, and a value is within its own");
	is_str(histogram_bound(HISTOGRAM_BUCKETS - 1), "+Inf", "the last one has no bound");
	histogram_add(&h, 3600 * INT64_C(1000000));
	histogram_add(&h, -5);		/* a clock that jumped */
	histogram_read(&h, &s);
	ok(s.bucket[HISTOGRAM_BUCKETS - 1] == HISTOGRAM_BUCKETS + 1 && s.bucket[0] == 2, "an hour is in the last, less than nothing in the first");
	ok(s.usec > 3600 * UINT64_C(1000000) && s.usec < 3650 * UINT64_C(1000000), "the sum is in microseconds");
	for (int i = 0; i < 4; i++)
		must(!pthread_create(&threads[i], NULL, add_many, NULL));
	for (int i = 0; i < 4; i++)
		must(!pthread_join(threads[i], NULL));
	histogram_read(&shared, &s);
	ok(s.bucket[0] == 200000 && s.bucket[HISTOGRAM_BUCKETS - 1] == 400000, "none is lost between threads");
	ok(s.usec == UINT64_C(200000) * 2000400, "nor of their sum");
	return done();
}
