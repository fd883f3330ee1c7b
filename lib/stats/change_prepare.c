/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From values to what is tested: y, its weights, and x, which is y with lone outliers
 * clipped, so that one spike of 1000 % neither makes a level nor hides one.
 */
#include <math.h>
#include <string.h>

#include "change_own.h"

#define WEIGHT_LEAST 0.05	/* of a run, the median being 1: none is the whole truth, and none says nothing */
#define WEIGHT_MOST 10
#define LIMIT 1e12	/* of values by their typical size: squares must stay finite */

static void swap(double *a, double *b)
{
	double t = *a;

	*a = *b;
	*b = t;
}

/* The k-th smallest; v is reordered (Hoare, Commun. ACM 4, 1961, with the median of three as pivot). */
double change_kth(double *v, size_t n, size_t k)
{
	size_t lo = 0, hi = n - 1;

	while (hi > lo) {
		size_t mid = lo + (hi - lo) / 2, i = lo, j = hi;
		double pivot;

		if (v[mid] < v[lo])
			swap(&v[mid], &v[lo]);
		if (v[hi] < v[lo])
			swap(&v[hi], &v[lo]);
		if (v[hi] < v[mid])
			swap(&v[hi], &v[mid]);
		pivot = v[mid];
		while (i <= j) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i > j)
				break;
			swap(&v[i++], &v[j]);
			if (j)
				j--;
		}
		if (k <= j)
			hi = j;
		else if (k >= i)
			lo = i;
		else
			break;
	}
	return v[k];
}

static double median(double *v, size_t n)
{
	return change_kth(v, n, n / 2);
}

static void to_y(struct change *c)
{
	size_t n = c->n, m = 0;

	c->logs = c->n_positive == n;
	c->scale = 1;
	if (c->logs) {
		memcpy(c->y, c->ln, n * sizeof(double));
	} else {	/* no logarithm: relative to a typical size, so that units fall away all the same */
		for (size_t i = 0; i < n; i++)
			if (c->value[i] != 0)
				c->tmp[m++] = fabs(c->value[i]);
		c->scale = m ? median(c->tmp, m) : 1;
		for (size_t i = 0; i < n; i++)
			c->y[i] = fmin(fmax(c->value[i] / c->scale, -LIMIT), LIMIT);
	}
	memcpy(c->tmp, c->y, n * sizeof(double));
	c->centre = median(c->tmp, n);
	for (size_t i = 0; i < n; i++)
		c->y[i] -= c->centre;
}

static bool multiples(const struct change *c, double step)
{
	for (size_t i = 0; i < c->n; i++) {
		double q = c->value[i] / step;

		if (fabs(q - nearbyint(q)) > 1e-7 * fmax(fabs(q), 1))
			return false;
	}
	return true;
}

/*
 * Values that repeat were rounded: a value is then off by up to half a step, alike in all runs
 * of a level, with variance step^2 / 12 (uniform; GUM, JCGM 100:2008, 4.3.7), which no number
 * of runs averages out. The step is the largest power of ten that divides all, at most a
 * tenth of a typical value.
 */
static double rounded(const struct change *c)
{
	double typical = c->logs ? exp(c->centre) : c->scale, step;
	size_t equal = 0;

	for (size_t i = 1; i < c->n; i++)
		equal += c->value[i] == c->value[i - 1];
	if (3 * equal < c->n - 1 || !isnormal(typical))
		return 0;
	step = pow(10, floor(log10(typical)) - 1);
	for (int digits = 2; digits < 6; digits++, step /= 10)
		if (isnormal(step) && multiples(c, step))
			return step / typical * (step / typical) / 12;
	return 0;
}

static double median5(const double *p)
{
	double a = p[0], b = p[1], d = p[3], e = p[4], m = p[2], t;

	if (a > b) { t = a; a = b; b = t; }
	if (d > e) { t = d; d = e; e = t; }
	if (a > d) { t = a; a = d; d = t; t = b; b = e; e = t; }
	/* a is the least of four: out; the second least of b, d, e, m remains */
	if (m > b) { t = m; m = b; b = t; }
	/* m <= b, d <= e */
	return m > d ? fmin(m, e) : fmin(d, b);
}

/* Scale of one run, from first differences: 80 % of them are within 1.2816 sqrt(2) sd. */
static double spread(struct change *c)
{
	size_t m = 0;

	for (size_t i = 1; i < c->n; i++)
		c->tmp[m++] = fabs(c->y[i] - c->y[i - 1]);
	return change_kth(c->tmp, m, (size_t)(tune_clip_q * (double)(m - 1))) / tune_clip_div;
}

/*
 * A run or two that leave their neighbourhood and come back are outliers: clipped towards the
 * running median of five, which keeps steps sharp (Tukey, Exploratory Data Analysis, 1977, 7).
 * Those at the very end may be a new level: left to change_tail().
 */
static void clip(struct change *c, double s)
{
	size_t n = c->n;

	memcpy(c->x, c->y, n * sizeof(double));
	memset(c->clipped, 0, n);
	c->tail = n;
	if (n < 5)
		return;
	for (size_t i = 0; i < n; i++) {
		size_t from = i < 2 ? 0 : i + 2 >= n ? n - 5 : i - 2;
		double m = median5(&c->y[from]), r = c->y[i] - m;

		if (fabs(r) <= tune_clip_at * s)
			continue;
		c->x[i] = m + copysign(tune_clip_to * s, r);
		c->clipped[i] = 1;
	}
	while (c->tail && c->clipped[c->tail - 1])
		c->clipped[--c->tail] = 0;
	for (size_t i = c->tail; i < n && c->tail + 1 < n; i++)	/* one alone is no level: it stays clipped */
		c->x[i] = c->y[i];
}

/* Whether all runs are of as many boots and repetitions: then they weigh the same, whatever the variances. */
static bool alike(const struct change *c)
{
	for (size_t i = 1; i < c->n; i++)
		if (c->boots[i] != c->boots[0] || c->reps[i] != c->reps[0])
			return false;
	return true;
}

/*
 * Random effects: a run varies by tau^2 / boots between boots, and by s_w^2 / reps within.
 * s_w^2 pools (sd / value)^2 over runs with repetitions; tau^2 is what half the mean squared
 * first difference leaves (von Neumann et al., Ann. Math. Stat. 12, 1941).
 */
static void weigh(struct change *c, double s)
{
	double within = 0, df = 0, shares = 0, boots = 0, tau, middle;
	size_t n = c->n;

	if (alike(c)) {
		for (size_t i = 0; i < n; i++)
			c->w[i] = 1;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		double cv = c->sd[i] / fabs(c->logs ? c->value[i] : c->scale);

		boots += 1 / c->boots[i];
		if (c->reps[i] < 2 || !isfinite(cv))
			continue;
		within += (c->reps[i] - 1) * cv * cv;
		df += c->reps[i] - 1;
	}
	within = df > 0 ? within / df : 0;
	for (size_t i = 0; i < n; i++)
		shares += within / c->reps[i];
	tau = within > 0 ? fmax((s * s * (double)n - shares) / boots, 0.05 * within) : 1;
	for (size_t i = 0; i < n; i++)
		c->tmp[i] = c->w[i] = 1 / (tau / c->boots[i] + within / c->reps[i]);
	middle = median(c->tmp, n);
	for (size_t i = 0; i < n; i++)
		c->w[i] = fmin(fmax(c->w[i] / middle, WEIGHT_LEAST), WEIGHT_MOST);
}

void change_sums(struct change *c)
{
	double w = 0, wx = 0, wxx = 0;

	c->sw[0] = c->swx[0] = c->swxx[0] = 0;
	for (size_t i = 0; i < c->n; i++) {
		w += c->w[i];
		wx += c->w[i] * c->x[i];
		wxx += c->w[i] * c->x[i] * c->x[i];
		c->swxx[i + 1] = wxx;
		c->sw[i + 1] = w;
		c->swx[i + 1] = wx;
	}
}

void change_prepare(struct change *c)
{
	double s;

	to_y(c);
	c->rounding = rounded(c);
	s = spread(c);
	clip(c, s);
	weigh(c, s);
	change_sums(c);
}
