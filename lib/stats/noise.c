/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "noise.h"

#include <math.h>

#include "summary.h"

#define MATHLIB_STANDALONE
#include <Rmath.h>

/* Less says too little: among so few differences a step could not be told from noise. */
#define DF_LEAST 2

/*
 * Squared differences beyond REJECT^2 times the scale of the median are steps and spikes.
 * What is left of a normal distribution has less variance, by REJECT_KEPT; and what the
 * estimate is worth is counted as DF_EACH (k - DF_LOST) degrees of freedom. Both are fitted to 200,000
 * simulated series of each of 4 to 64 kernels, so that t has the right tail at 5 % and at 0.08 %, which is
 * what Benjamini and Hochberg ask of the first of 64. The mean of all squared differences, von Neumann's (Ann.
 * Math. Statist. 12, 1941), would be worth 2/3 k; among 30 kernels one step of 5 sd blows it up by 1.43 and one
 * spike of 50 sd by 87, and this by 1.17 and by 1.01. (With a median of squares it would be 1.08 and 1.18, but
 * worth 1/3 k.)
 */
#define REJECT 3.5
#define REJECT_KEPT .98
#define DF_EACH .65
#define DF_LOST 2.
#define CHISQ1_MEDIAN .45493642311957283	/* qchisq(.5, 1) */

bool noise_point_of(const struct stats_side *side, int line, struct noise_point *p)
{
	*p = (struct noise_point){ .mean = side->log_mean, .sd = side->log_stddev, .boots = side->boots,
				   .n = side->n, .line = line };
	return side->runs && isfinite(p->mean);
}

/* Of k squared differences (sorted in place): their variance without steps and spikes. */
static double robust(double *q, size_t k)
{
	double limit, sum = 0;
	size_t kept = 0;

	summary_sort(q, k);
	limit = summary_quantile(q, k, .5) * REJECT * REJECT / CHISQ1_MEDIAN;
	while (kept < k && q[kept] <= limit)
		sum += q[kept++];
	return sum / (double)kept / REJECT_KEPT;
}

/* Squared differences of neighbours, each as an estimate of the variance of one boot's mean. */
static size_t differences(const struct noise_point *p, size_t n, double *q)
{
	size_t k = 0;

	for (size_t i = 1; i < n; i++) {
		double d = p[i].mean - p[i - 1].mean;

		if (p[i].line == p[i - 1].line)
			q[k++] = d * d / (1 / (double)p[i].boots + 1 / (double)p[i - 1].boots);
	}
	return k;
}

bool noise_of_history(const struct noise_point *p, size_t n, double *scratch, struct noise *out)
{
	double ss = 0, df = 0, ss_within = 0, df_within = 0, reps = 0, boots = 0, total, worth;
	size_t k = differences(p, n, scratch);

	*out = (struct noise){ .variance = NAN, .within = NAN };
	for (size_t i = 0; i < n; i++) {
		reps += (double)p[i].n;
		boots += (double)p[i].boots;
		if (!isfinite(p[i].sd))
			continue;
		if (p[i].boots > 1) {
			ss += (double)(p[i].boots - 1) * p[i].sd * p[i].sd;
			df += (double)(p[i].boots - 1);
		} else if (p[i].n > 1) {
			ss_within += (double)(p[i].n - 1) * p[i].sd * p[i].sd;
			df_within += (double)(p[i].n - 1);
		}
	}
	worth = fmax(0, DF_EACH * ((double)k - DF_LOST));
	total = df + worth;
	if (total < DF_LEAST)
		return false;
	*out = (struct noise){
		.source = NOISE_HISTORY, .df = total, .reps = reps / boots, .from = (int64_t)n,
		.variance = (ss + (worth > 0 ? worth * robust(scratch, k) : 0)) / total,
		.within = df_within > 0 ? ss_within / df_within : NAN,
	};
	return isfinite(out->variance);
}

double noise_at(const struct noise *noise, double reps)
{
	double share = noise->reps / reps, v;

	/* not known how much of it is repetitions: the larger of what it can be */
	if (!isfinite(noise->within))
		return noise->variance * fmax(1, share);
	v = noise->variance + noise->within * (1 / reps - 1 / noise->reps);
	return fmax(v, noise->variance * fmin(1, share));
}

/* ---- siblings ---- */

/*
 * How much siblings differ in their noise before they are looked at, as the variance of ln
 * variance; and how many siblings that guess is worth. trigamma(4 / 2): a factor of 2.2 in sd (one sigma).
 */
#define SPREAD_GUESS .645
#define SPREAD_WORTH 3.

/*
 * x with trigamma(x) = y: Newton on 1 / trigamma, which is convex (Smyth, Stat. Appl. Genet. Mol. Biol. 3,
 * 2004, appendix).
 */
static double trigamma_inverse(double y)
{
	double x = .5 + 1 / y;

	for (int i = 0; i < 50; i++) {
		double tri = trigamma(x), step = tri * (1 - tri / y) / psigamma(x, 2);

		x += step;
		if (-step / x < 1e-8)
			break;
	}
	return x;
}

static bool usable(const struct noise *s)
{
	return s->source && s->variance > 0 && s->df >= 1;
}

/*
 * The empirical Bayes of Smyth (there, section 6): variances of siblings are drawn from
 * s0^2 d0 / chi^2(d0), with ln s0^2 and d0 from the moments of their logarithms. Siblings of one
 * machine share its boots, so many of them are no more than one: d0 is never above theirs.
 */
bool noise_of_siblings(const struct noise *list, size_t n, struct noise *out)
{
	double sum = 0, sum_var = 0, sum_df = 0, mean, ss = 0, spread, df, within = 0, n_within = 0, reps = 0;
	size_t g = 0;

	*out = (struct noise){ .variance = NAN, .within = NAN };
	for (size_t i = 0; i < n; i++) {
		double half = list[i].df / 2;

		if (!usable(&list[i]))
			continue;
		sum += log(list[i].variance) - digamma(half) + log(half);
		sum_var += trigamma(half);
		sum_df += list[i].df;
		reps += list[i].reps;
		if (isfinite(list[i].within)) {
			within += list[i].within;
			n_within++;
		}
		g++;
	}
	if (!g)
		return false;
	mean = sum / (double)g;
	for (size_t i = 0; i < n; i++) {
		double half = list[i].df / 2, e;

		if (!usable(&list[i]))
			continue;
		e = log(list[i].variance) - digamma(half) + log(half);
		ss += (e - mean) * (e - mean);
	}
	spread = fmax(0, ss - (double)(g - 1) * sum_var / (double)g);
	spread = (spread + SPREAD_WORTH * SPREAD_GUESS) / ((double)(g - 1) + SPREAD_WORTH);
	spread += (spread + sum_var / (double)g) / (double)g;	/* the mean is not known exactly */
	df = fmin(2 * trigamma_inverse(spread), sum_df / (double)g);
	*out = (struct noise){
		.source = NOISE_SIBLINGS, .df = df, .reps = reps / (double)g, .from = (int64_t)g,
		.variance = exp(mean + digamma(df / 2) - log(df / 2)),
		.within = n_within > 0 ? within / n_within : NAN,
	};
	return isfinite(out->variance) && isfinite(out->df);
}

const char *noise_source_word(enum noise_source source)
{
	static const char *const words[] = { NULL, "boots", "history", "siblings", "repetitions" };

	return words[source];
}
