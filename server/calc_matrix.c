/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/stats/bh.h"
#include "../lib/stats/geomean.h"
#include "../lib/stats/ttest.h"

static const char *const dimensions[] = { "machine", "uarch", "isa", "thp", "benchmark", "track" };

bool calc_matrix_is_dimension(const char *name)
{
	for (size_t i = 0; i < sizeof(dimensions) / sizeof(*dimensions); i++)
		if (!strcmp(name, dimensions[i]))
			return true;
	return !strncmp(name, "param.", 6) && name[6];
}

/* Where a row stands along a dimension; text NULL: nowhere. */
static struct matrix_label label_of(const struct compare *c, const struct cat_series *s, const char *dimension)
{
	struct matrix_label l = { 0 };

	if (!strcmp(dimension, "machine"))
		l.text = s->machine->name;
	else if (!strcmp(dimension, "uarch"))
		l.text = s->machine->uarch;
	else if (!strcmp(dimension, "isa"))
		l.text = s->machine->isa;
	else if (!strcmp(dimension, "thp"))
		l.text = s->config->thp;
	else if (!strcmp(dimension, "benchmark"))
		l.text = s->benchmark->name;
	else if (!strcmp(dimension, "track"))
		l.text = c->head->track;
	for (size_t i = 0; i < s->n_params && !l.text; i++)
		if (!strcmp(s->param[i].name, dimension + strlen("param.")))
			l = (struct matrix_label){ s->param[i].text, s->param[i].is_number, s->param[i].number };
	return l;
}

static int label_order(const void *a, const void *b)
{
	const struct matrix_label *x = a, *y = b;

	if (x->is_number != y->is_number)
		return x->is_number ? -1 : 1;
	if (x->is_number)
		return (x->number > y->number) - (x->number < y->number);
	return strcmp(x->text, y->text);
}

/* The labels of all rows along a dimension, sorted, each once. */
static struct matrix_label *labels(struct arena *a, const struct compare *c, const char *dimension, size_t *n)
{
	struct matrix_label *list = arena_array(a, struct matrix_label, c->n_rows);
	size_t all = 0;

	for (size_t i = 0; i < c->n_rows; i++) {
		list[all] = label_of(c, c->rows[i].series, dimension);
		all += list[all].text != NULL;
	}
	qsort(list, all, sizeof(*list), label_order);
	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (!*n || label_order(&list[*n - 1], &list[i]))
			list[(*n)++] = list[i];
	return list;
}

/* What is being summed up of a cell. */
struct sum {
	struct geomean ratio;
	double se, df;			/* sum of standard errors; the least df */
	bool all_tested, one_boot, mixed;
	enum better better;
};

/* How bad a change is: its log against what is better; by size where neither is. */
static double badness(const struct compare_row *r)
{
	double l = log1p(r->change_percent / 100);

	switch (r->series->metric->better) {
	case BETTER_LOWER: return l;
	case BETTER_HIGHER: return -l;
	case BETTER_NEUTRAL: break;
	}
	return fabs(l);
}

static void add(struct matrix_cell *cell, struct sum *sum, const struct compare_row *r)
{
	enum better better = r->series->metric->better;

	if (!cell->n_series++)
		*sum = (struct sum){ .all_tested = true, .one_boot = true, .better = better, .df = INFINITY };
	geomean_add(&sum->ratio, r->head.center / r->base.center);
	sum->all_tested &= r->tested;
	sum->one_boot &= r->base.boots + r->head.boots <= 2;
	sum->mixed |= better != sum->better;
	sum->se += r->log_se;
	sum->df = fmin(sum->df, r->df);
	if (!cell->worst || badness(r) > badness(cell->worst))
		cell->worst = r;
}

/*
 * The test of a cell's mean. Its rows come from the same boots, so their errors may go
 * the same way: the standard error of the mean is taken as the mean of theirs, which is its
 * upper bound, and the degrees of freedom as the least.
 */
static double test(struct matrix_cell *cell, const struct sum *sum, struct ttest_memo *memo)
{
	double mean, se, reach;

	cell->percent = (geomean_value(&sum->ratio) - 1) * 100;
	cell->ci_lo = cell->ci_hi = NAN;
	cell->tested = sum->all_tested && sum->ratio.n == cell->n_series && sum->se > 0;
	if (!cell->tested)
		return NAN;
	mean = log(geomean_value(&sum->ratio));
	se = sum->se / (double)cell->n_series;
	reach = ttest_t975(memo, sum->df) * se;
	cell->ci_lo = expm1(mean - reach) * 100;
	cell->ci_hi = expm1(mean + reach) * 100;
	return ttest_p(mean / se, sum->df);
}

static void judge(struct arena *a, struct matrix *m, const struct sum *sums)
{
	size_t n = m->n_rows * m->n_cols;
	struct ttest_memo *memo = arena_zalloc(a, sizeof(*memo));
	double *q = arena_array(a, double, n);

	for (size_t i = 0; i < n; i++)
		q[i] = m->cells[i].n_series ? test(&m->cells[i], &sums[i], memo) : NAN;
	bh_q(q, n, arena_array(a, size_t, n), q);
	for (size_t i = 0; i < n; i++) {
		struct matrix_cell *cell = &m->cells[i];
		struct compare_row r = { .change_percent = cell->percent, .tested = cell->tested, .q = q[i],
					 .ci_lo = cell->ci_lo, .ci_hi = cell->ci_hi };

		/* where some rows are better up and others down, a mean has no good side */
		enum better better = sums[i].mixed || !cell->n_series ? BETTER_NEUTRAL : sums[i].better;

		calc_compare_judge(&r, better, sums[i].one_boot);
		cell->direction = calc_compare_direction(cell->percent, better);
		cell->verdict = r.verdict;
		cell->confidence = r.confidence;
	}
}

struct matrix *calc_matrix(struct arena *a, const struct compare *c, const char *rows, const char *cols)
{
	struct matrix *m = arena_zalloc(a, sizeof(*m));
	struct sum *sums;

	m->compare = c;
	m->rows = labels(a, c, rows, &m->n_rows);
	m->cols = labels(a, c, cols, &m->n_cols);
	m->cells = arena_array(a, struct matrix_cell, m->n_rows * m->n_cols);
	sums = arena_array(a, struct sum, m->n_rows * m->n_cols);
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct matrix_label row = label_of(c, c->rows[i].series, rows);
		const struct matrix_label col = label_of(c, c->rows[i].series, cols);
		const struct matrix_label *at_row, *at_col;
		size_t cell;

		if (!row.text || !col.text || isnan(c->rows[i].change_percent))
			continue;
		at_row = bsearch(&row, m->rows, m->n_rows, sizeof(row), label_order);
		at_col = bsearch(&col, m->cols, m->n_cols, sizeof(col), label_order);
		cell = (size_t)(at_row - m->rows) * m->n_cols + (size_t)(at_col - m->cols);
		add(&m->cells[cell], &sums[cell], &c->rows[i]);
	}
	judge(a, m, sums);
	return m;
}
