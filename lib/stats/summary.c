/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "summary.h"

#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

#define FEW 64		/* so many are sorted in a fifth of the time that qsort() takes, which calls for each comparison */

/* Equal values are alike, so whatever sorts them gives the same. */
void summary_sort(double *v, size_t n)
{
	if (n > FEW) {
		qsort(v, n, sizeof(*v), by_value);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		double x = v[i];
		size_t k = i;

		for (; k && v[k - 1] > x; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

double summary_quantile(const double *sorted, size_t n, double p)
{
	double at = p * (double)(n ? n - 1 : 0);
	size_t i = (size_t)at;

	if (!n)
		return NAN;
	if (i + 1 >= n)
		return sorted[n - 1];
	/* not a + w (b - a): their difference may be beyond a double */
	return (1 - (at - (double)i)) * sorted[i] + (at - (double)i) * sorted[i + 1];
}

/* Of n finite values, which it may reorder and change. */
static void sum_up(double *v, size_t n, struct student_memo *memo, struct summary *out)
{
	struct summary_moments m = { 0 };
	double reach;

	*out = (struct summary){ n, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	if (!n)
		return;
	summary_sort(v, n);
	for (size_t i = 0; i < n; i++)
		summary_add(&m, v[i]);
	/* equal values have exactly their value as mean, and exactly no spread */
	out->mean = v[0] == v[n - 1] ? v[0] : m.mean;
	out->sd = n > 1 && v[0] == v[n - 1] ? 0 : summary_sd(&m);
	out->min = v[0];
	out->max = v[n - 1];
	out->median = summary_quantile(v, n, .5);
	for (size_t i = 0; i < n; i++)
		v[i] = fabs(v[i] - out->median);
	summary_sort(v, n);
	out->mad = summary_quantile(v, n, .5);
	reach = student_t975(memo, (double)n - 1) * out->sd / sqrt((double)n);
	out->lo = out->mean - reach;
	out->hi = out->mean + reach;
}

void summary_of(const double *v, size_t n, double *scratch, struct student_memo *memo, struct summary *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(v[i]))
			scratch[kept++] = v[i];
	sum_up(scratch, kept, memo, out);
}

bool summary_of_logs(const double *v, size_t n, double *scratch, struct student_memo *memo, struct summary *out)
{
	bool good = true;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (!isfinite(v[i]))
			continue;
		good &= v[i] > 0;
		scratch[kept++] = log(v[i]);
	}
	sum_up(scratch, good ? kept : 0, memo, out);
	out->mean = exp(out->mean);
	out->min = exp(out->min);
	out->max = exp(out->max);
	out->median = exp(out->median);
	out->lo = exp(out->lo);
	out->hi = exp(out->hi);
	return out->n > 0;
}
