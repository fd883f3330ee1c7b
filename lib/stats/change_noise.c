/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much does a mean of k runs vary where nothing changed? Measured, from the differences
 * of adjacent blocks of k runs inside the present levels (the idea of Allan's variance:
 * Proc. IEEE 54, 1966). White noise gives s2[k] alike for all k; autocorrelation, drift and
 * modes make it grow with k. Few blocks are left at large k, so the growth from k to 2k
 * is shrunk to a prior: the mean, by how well each fits the growth seen, over models of AR(1)
 * plus white noise.
 */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "../must.h"
#include "change_own.h"

/*
 * Blocks of k of an AR(1) of variance 1: the sum's variance is
 * k (1 + r) / (1 - r) - 2 r (1 - r^k) / (1 - r)^2, the covariance of adjacent sums
 * r (1 - r^k)^2 / (1 - r)^2 (Box, Jenkins & Reinsel, Time Series Analysis, 3rd ed., 2.1
 * and 3.2). Half the variance of the difference of two means, times k.
 */
static double ar_level(double r, double k)
{
	double rk = pow(r, k), q = r * (1 - rk) / ((1 - r) * (1 - r));

	return (k * (1 + r) / (1 - r) - q * (2 + 1 - rk)) / k;
}

static struct model {
	double growth[CHANGE_LEVELS], prior;
} models[CHANGE_RHOS * CHANGE_WHITES];		/* constant once made */

static void make_models(void)
{
	static const double rhos[CHANGE_RHOS] = { 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95 };
	static const double whites[CHANGE_WHITES] = { 0, 0.25, 0.5, 0.75 };

	for (size_t m = 0; m < CHANGE_RHOS * CHANGE_WHITES; m++) {
		double r = rhos[m / CHANGE_WHITES], white = whites[m % CHANGE_WHITES], last = 0;

		for (size_t j = 0; j <= CHANGE_LEVELS; j++) {
			double level = log(white + (1 - white) * ar_level(r, (double)((size_t)1 << j)));

			if (j)
				models[m].growth[j - 1] = level - last;
			last = level;
		}
		models[m].prior = r > 0 ? log(tune_ar_prior / ((CHANGE_RHOS - 1) * CHANGE_WHITES)) :
					  log((1 - tune_ar_prior) / CHANGE_WHITES);
	}
}

void change_models(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	must(!pthread_once(&once, make_models));
}

/* Mean of squares with those beyond tune_trim times the mean cut down to it, to a fixed point. */
static double robust_mean(const double *v, size_t n)
{
	double mean = 0;

	for (size_t i = 0; i < n; i++)
		mean += v[i];
	mean /= (double)n;
	for (int pass = 0; pass < 4; pass++) {
		double cap = tune_trim * mean, sum = 0, last = mean;

		for (size_t i = 0; i < n; i++)
			sum += v[i] < cap ? v[i] : cap;
		mean = sum / (double)n;
		if (last - mean < 0.001 * mean)
			break;
	}
	return mean;
}

/* Squared differences of adjacent k-blocks inside levels, by their weight; how many, in tmp. Not across c->tail. */
static size_t differences(struct change *c, size_t k)
{
	size_t step = k > 2 ? k / 2 : 1, m = 0;

	for (size_t s = 0; s <= c->n_cut; s++) {
		size_t lo = s ? c->cut[s - 1] : 0, hi = s < c->n_cut ? c->cut[s] : c->n;

		if (lo < c->tail && c->tail < hi)
			hi = c->tail;
		for (size_t i = lo; i + 2 * k <= hi; i += step) {
			double wa = change_weight(c, i, i + k), wb = change_weight(c, i + k, i + 2 * k);
			double d = change_mean(c, i + k, i + 2 * k) - change_mean(c, i, i + k);

			c->tmp[m++] = d * d * wa * wb / (wa + wb);
		}
	}
	return m;
}

static double typical(double *v, size_t n, bool first)
{
	if (!n)
		return 0;
	if (first) {
		double low = change_kth(v, n, (size_t)(tune_first * (double)(n - 1)));

		if (low > 0)
			return low / tune_first_div;
	}
	return robust_mean(v, n);
}

struct seen {
	double growth[CHANGE_LEVELS], blocks[CHANGE_LEVELS];	/* ln of s2[2k] / s2[k]; 0 blocks: none */
	size_t n;
};

static void look(struct change *c, bool first, struct seen *seen)
{
	double last = 0;

	seen->n = 0;
	for (size_t k = 1, j = 0; 2 * k <= c->n && j < CHANGE_LEVELS; k *= 2, j++) {
		size_t m = differences(c, k), step = k > 2 ? k / 2 : 1;
		double level = typical(c->tmp, m, first);

		if (k == 1) {
			c->s2[1] = fmax(level, CHANGE_SD_FLOOR * CHANGE_SD_FLOOR);
		} else {
			seen->blocks[j - 1] = m > 1 && level > 0 && last > 0 ? (double)(m * step) / (2 * (double)k) : 0;
			seen->growth[j - 1] = seen->blocks[j - 1] > 0 ? log(level / last) : 0;
			seen->n = j;
		}
		last = level;
	}
}

/* Expected growth of each level, over the models. */
static void expect(const struct seen *seen, double *growth)
{
	double weight[CHANGE_RHOS * CHANGE_WHITES], best = -INFINITY, sum = 0;

	for (size_t m = 0; m < CHANGE_RHOS * CHANGE_WHITES; m++) {
		weight[m] = models[m].prior;
		for (size_t j = 0; j < seen->n && j < (size_t)tune_fit_levels; j++) {
			double d = seen->growth[j] - models[m].growth[j];

			weight[m] -= 0.5 * d * d * seen->blocks[j] / tune_fit_v;
		}
		best = fmax(best, weight[m]);
	}
	memset(growth, 0, CHANGE_LEVELS * sizeof(*growth));
	for (size_t m = 0; m < CHANGE_RHOS * CHANGE_WHITES; m++) {
		weight[m] = exp(weight[m] - best);
		sum += weight[m];
		for (size_t j = 0; j < CHANGE_LEVELS; j++)
			growth[j] += weight[m] * models[m].growth[j];
	}
	for (size_t j = 0; j < CHANGE_LEVELS; j++)
		growth[j] = growth[j] / sum + log(tune_prior_growth);
}

void change_noise(struct change *c, bool first)
{
	struct seen seen;
	double growth[CHANGE_LEVELS], level;
	size_t from = 1;

	look(c, first, &seen);
	expect(&seen, growth);
	level = c->s2[1];
	for (size_t j = 0; j < CHANGE_LEVELS && from < c->n; j++) {
		double blocks = j < seen.n ? seen.blocks[j] : 0, g = growth[j] * tune_prior_n;
		size_t to = 2 * from;

		if (first)
			blocks *= tune_first_b;
		if (blocks > 0)
			g += blocks * seen.growth[j];
		level *= exp(fmin(fmax(g / (tune_prior_n + blocks), log(tune_least)), log(4)));
		for (size_t i = from + 1; i <= to && i <= c->n; i++)
			c->s2[i] = c->s2[from] + (level - c->s2[from]) * (double)(i - from) / (double)from;
		from = to;
		if (from <= c->n)
			c->s2[from] = level;
	}
	for (size_t i = from + 1; i <= c->n; i++)	/* longer than all levels: it is known no better */
		c->s2[i] = level;
}
