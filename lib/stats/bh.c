/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bh.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* A power of two: so much of p as says where most of a big family belong, for p is spread over 0 .. 1 where nothing changed. */
#define BUCKETS 4096
#define MANY 1000		/* from which on buckets pay */
#define FEW 16

static int by_p(const void *a, const void *b, void *arg)
{
	const double *p = arg;
	double x = p[*(const size_t *)a], y = p[*(const size_t *)b];

	return x < y ? -1 : x > y;
}

static void sort_few(const double *p, size_t *order, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		size_t it = order[i], k = i;

		for (; k > 0 && p[order[k - 1]] > p[it]; k--)
			order[k] = order[k - 1];
		order[k] = it;
	}
}

static void sort_many(const double *p, size_t *order, size_t n)
{
	if (n <= FEW)
		sort_few(p, order, n);
	else
		qsort_r(order, n, sizeof(*order), by_p, (void *)(uintptr_t)p);
}

static size_t bucket_of(double p)
{
	return p < 1 ? (p > 0 ? (size_t)(p * BUCKETS) : 0) : BUCKETS;
}

/* Thrown into buckets, each of which is then sorted. */
static size_t sort_buckets(const double *p, size_t n, size_t *order)
{
	size_t end[BUCKETS + 2] = { 0 };

	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			end[bucket_of(p[i]) + 1]++;
	for (size_t b = 0; b <= BUCKETS; b++)
		end[b + 1] += end[b];
	/* end[bucket] is where it begins, and after this loop where it ends */
	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			order[end[bucket_of(p[i])]++] = i;
	for (size_t b = 0, from = 0; b <= BUCKETS; from = end[b++])
		sort_many(p, order + from, end[b] - from);
	return end[BUCKETS];
}

/* Those that are numbers, upwards; how many. */
static size_t sort_up(const double *p, size_t n, size_t *order)
{
	size_t m = 0;

	if (n >= MANY)
		return sort_buckets(p, n, order);
	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			order[m++] = i;
	sort_many(p, order, m);
	return m;
}

void bh_q(const double *p, size_t n, size_t *scratch, double *q)
{
	size_t m = sort_up(p, n, scratch);
	double least = 1;

	for (size_t i = 0; i < n; i++)
		if (isnan(p[i]))
			q[i] = NAN;
	for (size_t rank = m; rank > 0; rank--) {
		size_t i = scratch[rank - 1];

		least = fmin(least, p[i] * (double)m / (double)rank);
		q[i] = least;
	}
}
