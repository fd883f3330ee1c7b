/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is told of each change: levels, step and its interval, suspects, how sure. */
#define MATHLIB_STANDALONE
#include <Rmath.h>
#include <float.h>
#include <math.h>

#include "change_own.h"

#define ROUNDED 1e-12	/* of what was added up, a sum below is rounding only */

/* Variance of a run of weight 1 around the levels lo..at and at..hi. */
static double residual(const struct change *c, size_t lo, size_t at, size_t hi)
{
	double ss = 0;

	for (int s = 0; s < 2; s++) {
		size_t from = s ? at : lo, to = s ? hi : at;
		double w = c->sw[to] - c->sw[from], wx = c->swx[to] - c->swx[from];

		ss += fmax(c->swxx[to] - c->swxx[from] - wx * wx / w, 0);
	}
	return hi - lo > 2 ? ss / (double)(hi - lo - 2) : 0;
}

/*
 * The places that explain the runs nearly as well: weighted squares within tune_range
 * variances of the least (the likelihood ratio as a confidence set of the place: Siegmund,
 * Ann. Statist. 16, 1988).
 */
static void suspects(const struct change *c, size_t lo, size_t at, size_t hi, double s2, struct change_found *f)
{
	double w = c->sw[hi] - c->sw[lo], sum = c->swx[hi] - c->swx[lo], best = 0;
	size_t first = at, last = at;

	for (int side = 0; side < 2; side++)
		for (size_t i = at; i > lo && i < hi; i = side ? i + 1 : i - 1) {
			double wa = c->sw[i] - c->sw[lo], d = (c->swx[i] - c->swx[lo]) * w - sum * wa;
			double gain = d * d / (wa * (w - wa) * w);

			if (i == at)
				best = gain;
			if (best - gain > tune_range * s2)
				break;
			if (side)
				last = i;
			else
				first = i;
		}
	f->lo = c->index[first];
	f->hi = c->index[last];
}

static double limited(double v)
{
	return fmin(fmax(v, -DBL_MAX), DBL_MAX);
}

/* The size of the level before, as a share of which differences are told: NaN where it is 0 but for rounding. */
static double base_size(const struct change *c, double before)
{
	double size = fabs(before + c->centre);

	return size > ROUNDED * fmax(fabs(before), fabs(c->centre)) ? size : NAN;
}

static double level(const struct change *c, double mean)
{
	if (c->logs)
		return limited(exp(mean + c->centre));
	return isnan(base_size(c, mean)) ? 0 : limited((mean + c->centre) * c->scale);
}

/* A difference of means as percent of the level before. NaN: of 0, or beyond a double. */
static double percent(const struct change *c, double before, double d)
{
	double p = (c->logs ? expm1(d) : d / base_size(c, before)) * 100;

	return isfinite(p) ? p : NAN;
}

static double noise_percent(const struct change *c, double before, double sd)
{
	double p = (c->logs ? sd : sd / base_size(c, before)) * 100;

	return isfinite(p) ? p : NAN;
}

/* Far enough beyond the threshold for people to be told: further where runs depend on those before them. */
static bool is_clear(const struct change *c, size_t at, size_t hi, double score)
{
	double growth = c->s2[c->n < 8 ? c->n : 8] / c->s2[1];

	if (hi == c->n && c->doubtful)
		return false;
	return at >= (size_t)tune_alert_at && c->n >= (size_t)tune_alert_n &&
	       score >= tune_alert + tune_alert_ar * log(fmax(growth, 1));
}

static void tell(const struct change *c, size_t lo, size_t at, size_t hi, struct change_found *f)
{
	double before = change_mean(c, lo, at), after = change_mean(c, at, hi), d = after - before;
	double s2 = residual(c, lo, at, hi), se = sqrt(change_variance(c, lo, at) + change_variance(c, at, hi));
	double df = hi - lo > 3 ? (double)(hi - lo - 2) : 1, half = qt(0.975, df, 1, 0) * se;

	*f = (struct change_found){
		.index = c->index[at], .before = level(c, before), .after = level(c, after),
		.percent = percent(c, before, d), .ci_lo = percent(c, before, d - half),
		.ci_hi = percent(c, before, d + half), .score = change_ratio(c, lo, at, hi),
		.noise_percent = noise_percent(c, before, sqrt(s2)),
		.runs_before = at - lo, .runs_after = hi - at,
	};
	f->clear = is_clear(c, at, hi, f->score);
	f->state = f->clear && hi - at >= CHANGE_SETTLED ? CHANGE_CERTAIN : CHANGE_LIKELY;
	f->large = fabs(d) >= (c->logs ? log1p(CHANGE_LARGE / 100.) : CHANGE_LARGE / 100. * fabs(before + c->centre));
	suspects(c, lo, at, hi, fmax(s2, c->s2[1]), f);
}

void change_report(struct change *c)
{
	struct change_list *l = &c->list;

	for (size_t i = 0; i < c->n_cut; i++)
		tell(c, i ? c->cut[i - 1] : 0, c->cut[i], i + 1 < c->n_cut ? c->cut[i + 1] : c->n, &c->found[l->n++]);
	if (l->suspect) {
		tell(c, c->n_cut ? c->cut[c->n_cut - 1] : 0, c->n - 1, c->n, &l->last);
		l->last.state = CHANGE_SUSPECT;
		l->last.clear = false;
	}
	for (size_t i = 0; i < c->n; i++)
		if (c->clipped[i])
			c->outliers[l->n_outliers++] = c->index[i];
}
