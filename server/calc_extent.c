/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_extent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc_sweep_sentence.h"

/* ---- onset ---- */

struct point {
	double x, log;		/* ln of the ratio */
};

static int by_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

/* One point an x: the mean of the lines that have it. */
static size_t merge(struct point *p, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(p, n, sizeof(*p), by_x);
	for (size_t from = 0, to; from < n; from = to) {
		double sum = 0;

		for (to = from; to < n && p[to].x == p[from].x; to++)
			sum += p[to].log;
		p[kept++] = (struct point){ p[from].x, sum / (double)(to - from) };
	}
	return kept;
}

static bool moves(double log, double like)
{
	return fabs(expm1(log)) * 100 >= SWEEP_ONSET_PERCENT && (log > 0) == (like > 0);
}

/* NaN: it has no such parameter. */
static double x_of(const struct cat_series *s, const char *axis)
{
	for (size_t i = 0; i < s->n_params; i++)
		if (s->param[i].is_number && !strcmp(s->param[i].name, axis))
			return s->param[i].number;
	return NAN;
}

void calc_extent_of(struct arena *a, const struct sweep *s, const struct cat_kernel *head,
		    const struct compare_row *const *rows, size_t n_rows, struct calc_extent *out)
{
	struct point *p;
	double most = 0;
	size_t n = 0, from;

	*out = (struct calc_extent){ NAN, NAN };
	for (size_t i = 0; i < s->n_ratios; i++)
		n += s->ratios[i].line->kernel == head ? s->ratios[i].n : 0;
	p = arena_array(a, struct point, n);
	n = 0;
	for (size_t i = 0; i < s->n_ratios; i++)
		for (size_t k = 0; k < s->ratios[i].n && s->ratios[i].line->kernel == head; k++)
			if (s->ratios[i].percent[k] > -100)
				p[n++] = (struct point){ s->ratios[i].x[k], log1p(s->ratios[i].percent[k] / 100) };
	n = merge(p, n);
	from = n;
	while (from && moves(p[from - 1].log, p[n - 1].log))
		from--;
	if (from == n)
		return;
	for (size_t i = 0; i < n_rows; i++) {
		double percent = rows[i]->change_percent;

		if (x_of(rows[i]->series, s->axis) >= p[from].x && (percent > 0) == (p[n - 1].log > 0) &&
		    fabs(percent) > fabs(most))
			most = percent;
	}
	if (most != 0)
		*out = (struct calc_extent){ p[from].x, most };
}

/* Two digits: "+150 %", "+14 %", "+7.3 %". */
static const char *rough(struct arena *a, double percent)
{
	double step = fabs(percent) >= 10 ? pow(10, floor(log10(fabs(percent))) - 1) : 0.1;

	return arena_printf(a, "%+.*f %%", step < 1 ? 1 : 0, round(percent / step) * step);
}

const char *calc_extent_text(struct arena *a, const struct sweep *s, const struct calc_extent *e)
{
	if (isnan(e->onset))
		return NULL;
	return arena_printf(a, "from %s, up to %s", calc_sweep_sentence_x(a, s, e->onset), rough(a, e->most));
}

/* ---- what a variant restores ---- */

/* Half of the interval of ln(ratio). */
static double half(const struct sweep_part *p)
{
	return (p->test->hi - p->test->lo) / 2;
}

static void add(struct calc_extent_fix *f, double *lost, double *left, double *lost_half, double *left_half,
		const struct sweep_ratio *broken, const struct sweep_ratio *fixed)
{
	const struct sweep_part *b = &broken->part[SWEEP_PER_UNIT], *v = &fixed->part[SWEEP_PER_UNIT];

	f->unit = fixed->line->unit;
	*lost += b->test->change;
	*left += v->test->change;
	*lost_half = hypot(*lost_half, half(b));
	*left_half = hypot(*left_half, half(v));
	f->n++;
}

/*
 * restored = (h - v) / (h - 1) of the ratios h and v to the same base. By the delta method, with a covariance of the
 * two logarithms of half of their variances, for the base is in both.
 */
void calc_extent_fix_of(const struct sweep *s, const struct cat_kernel *head, const struct cat_kernel *variant,
			struct calc_extent_fix *f)
{
	double lost = 0, left = 0, lost_half = 0, left_half = 0, h, v, dh, dv;

	*f = (struct calc_extent_fix){ 0 };
	for (size_t i = 0; i < s->n_ratios; i++) {
		const struct sweep_ratio *r = &s->ratios[i], *broken = calc_sweep_fixes(s, r);

		if (r->line->kernel == variant && broken && broken->line->kernel == head && r->has_pair &&
		    broken->has_pair && !isnan(r->part[SWEEP_PER_UNIT].restored_percent))
			add(f, &lost, &left, &lost_half, &left_half, broken, r);
	}
	if (!f->n)
		return;
	h = exp(lost / (double)f->n);
	v = exp(left / (double)f->n);
	lost_half /= (double)f->n;
	left_half /= (double)f->n;
	dh = h * (v - 1) / (h - 1) / (h - 1) * lost_half;
	dv = -v / (h - 1) * left_half;
	f->restored = (h - v) / (h - 1) * 100;
	f->restored_half = sqrt(fmax(dh * dh + dv * dv + dh * dv, 0)) * 100;
	f->left = (v - 1) * 100;
	f->left_half = v * left_half * 100;
	if (!isfinite(f->restored) || !isfinite(f->restored_half) || !isfinite(f->left_half))
		f->n = 0;
}

const char *calc_extent_fix_text(struct arena *a, const struct calc_extent_fix *f)
{
	return arena_printf(a, "per %s: restores %.0f %% (\u00b1%.0f), %s (\u00b1%.0f) remains", f->unit, f->restored,
			    ceil(f->restored_half), calc_sweep_sentence_percent(a, f->left), ceil(f->left_half));
}
