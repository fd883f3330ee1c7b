/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "points.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "summary.h"

size_t stats_side_scratch(size_t n)
{
	return n * (sizeof(double) + sizeof(int64_t));
}

static int by_boot(const void *a, const void *b, void *arg)
{
	const struct stats_sample *s = arg;
	uint64_t x = s[*(const int64_t *)a].boot_key, y = s[*(const int64_t *)b].boot_key;

	return x < y ? -1 : x > y;
}

/* Means of boots, each over its runs weighted by n; how many. `order` is n int64. */
static size_t boot_means(const struct stats_sample *s, size_t n, int64_t *order, double *boot)
{
	size_t boots = 0;

	for (size_t i = 0; i < n; i++)
		order[i] = (int64_t)i;
	qsort_r(order, n, sizeof(*order), by_boot, (void *)(uintptr_t)s);
	for (size_t i = 0; i < n;) {
		uint64_t key = s[order[i]].boot_key;
		double sum = 0, weight = 0;
		size_t from = i;

		for (; i < n && s[order[i]].boot_key == key; i++) {
			sum += s[order[i]].mean * (double)s[order[i]].n;
			weight += (double)s[order[i]].n;
		}
		/* one run: its mean as it is, not through a product and a quotient */
		boot[boots++] = i - from == 1 ? s[order[from]].mean : sum / weight;
	}
	return boots;
}

static double stddev_of(const double *v, size_t n)
{
	struct summary_moments m = { 0 };

	for (size_t i = 0; i < n; i++)
		summary_add(&m, v[i]);
	return summary_sd(&m);
}

/* Of all repetitions of one boot, from the summaries of its runs. */
static double stddev_within(const struct stats_sample *s, size_t n)
{
	struct summary_moments all = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct summary_moments run = { (double)s[i].n, s[i].mean, 0 };

		if (s[i].n > 1)		/* an unknown stddev makes the whole unknown */
			run.m2 = (double)(s[i].n - 1) * s[i].stddev * s[i].stddev;
		summary_merge(&all, &run);
	}
	return summary_sd(&all);
}

/* centre and spread over at least two boots */
static void over_boots(struct stats_side *side, double *boot, size_t boots)
{
	double sum = 0, least = boot[0], most = boot[0];

	for (size_t i = 0; i < boots; i++) {
		sum += boot[i];
		least = fmin(least, boot[i]);
		most = fmax(most, boot[i]);
	}
	side->stddev = stddev_of(boot, boots);
	side->log_mean = side->log_stddev = NAN;
	side->center = sum / (double)boots;
	if (!(least > 0))
		return;
	sum = 0;
	for (size_t i = 0; i < boots; i++)
		sum += boot[i] = log(boot[i]);
	side->log_mean = sum / (double)boots;
	side->log_stddev = stddev_of(boot, boots);
	/* equal boots have exactly their value as centre: "same" means exactly 0 % */
	side->center = least == most ? least : exp(side->log_mean);
}

/* log1p(), mostly of 0.01^2 and less: there four terms of its series are as exact as a double is. */
static double log1p_small(double x)
{
	return x < 1e-4 ? x * (1 - x * (1. / 2 - x * (1. / 3 - x / 4))) : log1p(x);
}

static void over_repetitions(struct stats_side *side, double stddev, double mean)
{
	side->center = mean;
	side->stddev = stddev;
	side->log_mean = side->log_stddev = NAN;
	if (!(mean > 0))
		return;
	side->log_mean = log(mean);
	/* sd of ln x from mean and sd of x where x is lognormal: sqrt(ln(1 + cv^2)) */
	side->log_stddev = sqrt(log1p_small(side->stddev / mean * (side->stddev / mean)));
}

/* The usual one: a kernel was measured once. */
static void of_one(const struct stats_sample *s, struct stats_side *side)
{
	bool open = isnan(s->min) || isnan(s->max);

	*side = (struct stats_side){ .runs = 1, .boots = 1, .n = s->n, .min = open ? NAN : s->min, .max = open ? NAN : s->max };
	over_repetitions(side, s->n > 1 ? s->stddev : NAN, s->mean);
}

void stats_side_of(const struct stats_sample *samples, size_t n, void *scratch, struct stats_side *side)
{
	double *boot = scratch;
	void *order = boot + n;
	bool open = false;
	size_t boots;

	if (n == 1) {
		of_one(samples, side);
		return;
	}
	boots = boot_means(samples, n, order, boot);

	*side = (struct stats_side){ .runs = (int64_t)n, .boots = (int64_t)boots,
				     .min = samples[0].min, .max = samples[0].max };
	for (size_t i = 0; i < n; i++) {
		side->n += samples[i].n;
		open |= isnan(samples[i].min) || isnan(samples[i].max);
		side->min = fmin(side->min, samples[i].min);
		side->max = fmax(side->max, samples[i].max);
	}
	if (open)			/* what one run leaves open stays open */
		side->min = side->max = NAN;
	if (boots > 1)
		over_boots(side, boot, boots);
	else
		over_repetitions(side, stddev_within(samples, n), boot[0]);
}
