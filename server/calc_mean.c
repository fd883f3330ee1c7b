/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_mean.h"

#include <math.h>

#include "../lib/stats/geomean.h"
#include "calc_ids.h"

struct machine {
	double se, df;		/* sum of standard errors, least degrees of freedom */
};

/* Sums up the rows' errors by machine; returns the number of machines. */
static size_t by_machine(struct arena *a, const struct compare_row *const *rows, size_t n, struct machine *list)
{
	struct calc_ids ids = calc_ids_new(a, n);
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t *at = calc_ids_at(&ids, rows[i]->series->machine->id);

		if (!*at) {
			list[found++] = (struct machine){ .df = INFINITY };
			*at = (uint32_t)found;
		}
		list[*at - 1].se += rows[i]->ab.se;
		list[*at - 1].df = fmin(list[*at - 1].df, rows[i]->ab.df);
	}
	return found;
}

static void interval(struct arena *a, const struct compare_row *const *rows, size_t n, struct student_memo *memo,
		     struct calc_mean *out)
{
	struct machine *list = arena_array(a, struct machine, n);
	size_t machines = by_machine(a, rows, n, list);
	double v = 0, v2 = 0;

	for (size_t i = 0; i < machines; i++) {
		double one = list[i].se * list[i].se / ((double)n * (double)n);

		v += one;
		v2 += one * one / list[i].df;
	}
	ab_of_estimate(out->ab.diff, sqrt(v), v * v / v2, memo, &out->ab);
	out->lo = expm1(out->ab.lo) * 100;
	out->hi = expm1(out->ab.hi) * 100;
}

void calc_mean(struct arena *a, const struct compare_row *const *rows, size_t n, struct student_memo *memo,
	       struct calc_mean *out)
{
	struct geomean g = { 0 };
	bool tested = n > 0, up = false, down = false, one_boot = true;

	*out = (struct calc_mean){ .lo = NAN, .hi = NAN, .better = n ? rows[0]->series->metric->better : BETTER_NEUTRAL };
	for (size_t i = 0; i < n; i++) {
		const struct compare_row *r = rows[i];

		geomean_add_pair(&g, r->head.center, r->base.center);
		tested &= r->tested;
		one_boot &= r->ab.one_boot;
		/* by q: of many rows some intervals lie on either side by chance */
		up |= r->tested && r->q <= AB_Q_WEAK && r->ci_lo > 0;
		down |= r->tested && r->q <= AB_Q_WEAK && r->ci_hi < 0;
		if (r->series->metric->better != out->better)
			out->better = BETTER_NEUTRAL;
	}
	out->n = g.n;
	out->percent = (geomean_value(&g) - 1) * 100;
	out->signs_disagree = up && down;
	out->ab = (struct ab){ .diff = log(geomean_value(&g)), .one_boot = one_boot };
	if (tested && g.n == n)
		interval(a, rows, n, memo, out);
}
