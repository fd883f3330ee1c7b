/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fitpair.h"

#include <math.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#define POOL_LEVEL .25		/* of Bancroft's preliminary test */
#define STANDS_OUT (1 / 3.)	/* a parameter with a larger relative standard error has no usable logarithm */
#define LEAST_VAR 1e-6		/* 0.1 % squared: of a value, however well a line fits */

/* A fit with what its parameters' sensitivities need. */
struct line {
	struct fit fit;
	const double *u, *y;
	size_t n;
	double sw, mean_u, suu;
};

static bool line_of(const double *u, const double *y, size_t n, struct line *l)
{
	*l = (struct line){ .u = u, .y = y, .n = n };
	if (!fit_sweep(u, y, n, &l->fit))
		return false;
	for (size_t i = 0; i < n; i++) {
		double w = 1 / (y[i] * y[i]);

		l->sw += w;
		l->mean_u += w * u[i];
	}
	l->mean_u /= l->sw;
	for (size_t i = 0; i < n; i++)
		l->suu += (u[i] - l->mean_u) * (u[i] - l->mean_u) / (y[i] * y[i]);
	return true;
}

static double residual(const struct line *l, size_t i)
{
	return (l->y[i] - l->fit.fixed - l->fit.per_unit * l->u[i]) / l->y[i];
}

/*
 * y_i moves in the sum of squares' weight too: with z = (1, u) / y and theta = (Z'Z)^-1 Z'1,
 * d theta / d ln y_i = (Z'Z)^-1 z_i (1 - 2 r_i).
 */
static void sensitivity(const struct line *l, size_t i, double *fixed, double *per_unit)
{
	double part = (1 - 2 * residual(l, i)) / l->y[i];
	double slope = part * (l->u[i] - l->mean_u) / l->suu;

	*per_unit = slope / l->fit.per_unit;
	*fixed = (part / l->sw - l->mean_u * slope) / l->fit.fixed;
}

static const struct fitpair_part untold = {
	.change = NAN, .se = NAN, .p = NAN, .lo = NAN, .hi = NAN, .own = NAN, .common = NAN, .run = NAN, .follows = NAN,
	.fit_df = NAN, .run_df = NAN,
};

/* Sums over sizes of squares of one parameter's sensitivities. */
struct sums {
	double base, head, between;	/* g_b^2, g_h^2, (g_h - g_b)^2 */
};

static void add(struct sums *s, double base, double head)
{
	s->base += base * base;
	s->head += head * head;
	s->between += (head - base) * (head - base);
}

static bool stands_out(double value, double sum, const struct fitpair *f)
{
	return value > 0 && sum * fmax(LEAST_VAR, f->paired / 2 + f->common) <= STANDS_OUT * STANDS_OUT;
}

/* Each variance with the quantile of its own degrees of freedom: |change| at which p is reached. */
static double reach(const struct fitpair_part *t, double p)
{
	double fit = t->own + t->common + t->follows, q_fit = fit > 0 ? qt(p / 2, t->fit_df, 0, 0) : 0;

	return (fit * q_fit + (t->run - t->follows) * qt(p / 2, t->run_df, 0, 0)) / t->se;
}

/* Where reach(p) = |change|: it falls with p. Bisection of ln p. */
static double p_of(const struct fitpair_part *t)
{
	double lo = log(1e-300), hi = 0;

	if (t->change == 0)
		return 1;
	for (int i = 0; i < 45; i++) {
		double middle = (lo + hi) / 2;

		if (reach(t, exp(middle)) > fabs(t->change))
			lo = middle;
		else
			hi = middle;
	}
	return exp(hi);
}

static void test(const struct fitpair *f, const struct sums *s, double change, struct fitpair_part *p)
{
	*p = (struct fitpair_part){ .told = true, .change = change, .own = f->paired * (s->base + s->head) / 2,
				    .common = f->common * s->between, .run = f->run, .follows = f->follows, .fit_df = f->paired_df,
				    .run_df = f->run_df };
	p->se = sqrt(p->own + p->common + p->run);
	p->p = p_of(p);
	p->lo = change - reach(p, .05);
	p->hi = change + reach(p, .05);
	if (!isfinite(p->lo) || !isfinite(p->hi) || !isfinite(p->p))
		*p = untold;
}

/* v_D, v_C, v_R from the residuals and what is known of boots. */
static void variances(const struct fitpair_in *in, const struct line *b, const struct line *h, struct fitpair *f)
{
	double n_2 = (double)in->n - 2, dd = 0, mm = 0;

	for (size_t i = 0; i < in->n; i++) {
		double x = residual(b, i), y = residual(h, i);

		dd += (y - x) * (y - x);
		mm += (y + x) * (y + x) / 4;
	}
	f->paired = dd / n_2;
	f->paired_df = n_2;
	f->common = fmax(0, mm / n_2 - f->paired / 4);
	f->run_known = isfinite(in->noise) && in->noise_df > 0;
	f->run_df = f->run_known ? in->noise_df : INFINITY;
	if (!f->run_known) {
		f->run = fmax(2 * FITPAIR_BOOT_SD * FITPAIR_BOOT_SD, f->paired);
		f->follows = f->run - 2 * FITPAIR_BOOT_SD * FITPAIR_BOOT_SD;
		return;
	}
	f->run = fmax(in->noise / 2, in->noise - f->paired);
	f->pooled = f->paired > in->noise && pf(f->paired / in->noise, n_2, in->noise_df, 0, 0) > POOL_LEVEL;
	if (f->pooled) {
		f->paired = (n_2 * f->paired + in->noise_df * in->noise) / (n_2 + in->noise_df);
		f->paired_df = n_2 + in->noise_df;
	}
}

bool fitpair_test(const struct fitpair_in *in, struct fitpair *f)
{
	struct sums fixed = { 0 }, per_unit = { 0 }, all = { 0 };
	double mean = 0;
	struct line b, h;

	*f = (struct fitpair){ .n = in->n, .fixed = untold, .per_unit = untold, .all = untold };
	if (!line_of(in->u, in->base, in->n, &b) || !line_of(in->u, in->head, in->n, &h))
		return false;
	f->base = b.fit;
	f->head = h.fit;
	variances(in, &b, &h, f);
	for (size_t i = 0; i < in->n; i++) {
		double bf, bp, hf, hp, share = 1 / (double)in->n;

		sensitivity(&b, i, &bf, &bp);
		sensitivity(&h, i, &hf, &hp);
		add(&fixed, bf, hf);
		add(&per_unit, bp, hp);
		add(&all, share, share);
		mean += log(in->head[i] / in->base[i]) * share;
	}
	if (stands_out(b.fit.fixed, fixed.base, f) && stands_out(h.fit.fixed, fixed.head, f))
		test(f, &fixed, log(h.fit.fixed / b.fit.fixed), &f->fixed);
	if (stands_out(b.fit.per_unit, per_unit.base, f) && stands_out(h.fit.per_unit, per_unit.head, f))
		test(f, &per_unit, log(h.fit.per_unit / b.fit.per_unit), &f->per_unit);
	test(f, &all, mean, &f->all);
	return true;
}
