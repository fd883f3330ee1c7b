/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/stats/bh.h"
#include "calc_mean.h"

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

/* How bad a change is: its log against what is better; by size where neither is. */
static double badness(const struct compare_row *r)
{
	double l = log1p(r->change_percent / 100) * (r->base.center < 0 ? -1 : 1);

	switch (r->series->metric->better) {
	case BETTER_LOWER: return l;
	case BETTER_HIGHER: return -l;
	case BETTER_NEUTRAL: break;
	}
	return fabs(l);
}

struct place {			/* a row in its cell */
	size_t cell;
	const struct compare_row *row;
};

static int place_order(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* The rows that stand in a cell, by cell and then in the order of the comparison. */
static struct place *find_places(struct arena *a, const struct matrix *m, const char *rows, const char *cols, size_t *n)
{
	const struct compare *c = m->compare;
	struct place *places = arena_array(a, struct place, c->n_rows);

	*n = 0;
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct matrix_label row = label_of(c, c->rows[i].series, rows);
		const struct matrix_label col = label_of(c, c->rows[i].series, cols);
		const struct matrix_label *at_row, *at_col;

		if (!row.text || !col.text || isnan(c->rows[i].change_percent))
			continue;
		at_row = bsearch(&row, m->rows, m->n_rows, sizeof(row), label_order);
		at_col = bsearch(&col, m->cols, m->n_cols, sizeof(col), label_order);
		places[(*n)++] = (struct place){ (size_t)(at_row - m->rows) * m->n_cols + (size_t)(at_col - m->cols),
						 &c->rows[i] };
	}
	qsort(places, *n, sizeof(*places), place_order);
	return places;
}

static void fill_cell(struct arena *a, struct matrix_cell *cell, const struct compare_row *const *rows, size_t n,
		      struct student_memo *memo, struct calc_mean *mean)
{
	calc_mean(a, rows, n, memo, mean);
	cell->n_series = n;
	cell->percent = mean->percent;
	cell->tested = mean->ab.source != NOISE_NONE;
	cell->ci_lo = mean->lo;
	cell->ci_hi = mean->hi;
	cell->signs_disagree = mean->signs_disagree;
	for (size_t i = 0; i < n; i++) {
		cell->regressions += rows[i]->verdict == COMPARE_REGRESSION;
		cell->improvements += rows[i]->verdict == COMPARE_IMPROVEMENT;
		if (!cell->worst || badness(rows[i]) > badness(cell->worst))
			cell->worst = rows[i];
	}
}

/* A family of its own: one test a cell. */
static void judge(struct arena *a, struct matrix *m, const struct calc_mean *means)
{
	size_t n = m->n_rows * m->n_cols;
	double *q = arena_array(a, double, n);

	for (size_t i = 0; i < n; i++)
		q[i] = m->cells[i].tested ? means[i].ab.p : NAN;
	bh_q(q, n, arena_array(a, size_t, n), q);
	for (size_t i = 0; i < n; i++) {
		struct matrix_cell *cell = &m->cells[i];
		struct compare_row r = { .ab = means[i].ab, .q = q[i] };
		/* where some rows are better up and others down, a mean has no good side */
		enum better better = cell->n_series ? means[i].better : BETTER_NEUTRAL;

		calc_compare_judge(&r, better);
		cell->direction = calc_compare_direction(cell->percent, better);
		cell->ab = means[i].ab;
		cell->q = q[i];
		m->family += cell->tested;
		cell->verdict = r.verdict;
		cell->confidence = r.confidence;
	}
}

struct matrix *calc_matrix_labels(struct arena *a, const struct compare *c, const char *rows, const char *cols)
{
	struct matrix *m = arena_zalloc(a, sizeof(*m));

	m->compare = c;
	m->rows = labels(a, c, rows, &m->n_rows);
	m->cols = labels(a, c, cols, &m->n_cols);
	return m;
}

void calc_matrix_fill(struct arena *a, struct matrix *m, const char *rows, const char *cols)
{
	const struct compare *c = m->compare;
	struct student_memo *memo = arena_zalloc(a, sizeof(*memo));
	const struct compare_row **in = arena_array(a, const struct compare_row *, c->n_rows);
	struct calc_mean *means;
	struct place *places;
	size_t n;

	m->cells = arena_array(a, struct matrix_cell, m->n_rows * m->n_cols);
	means = arena_array(a, struct calc_mean, m->n_rows * m->n_cols);
	for (size_t i = 0; i < m->n_rows * m->n_cols; i++)
		m->cells[i].percent = m->cells[i].ci_lo = m->cells[i].ci_hi = NAN;
	places = find_places(a, m, rows, cols, &n);
	for (size_t from = 0, to; from < n; from = to) {
		size_t cell = places[from].cell;

		for (to = from; to < n && places[to].cell == cell; to++)
			in[to - from] = places[to].row;
		fill_cell(a, &m->cells[cell], in, to - from, memo, &means[cell]);
	}
	judge(a, m, means);
}

struct matrix *calc_matrix(struct arena *a, const struct compare *c, const char *rows, const char *cols)
{
	struct matrix *m = calc_matrix_labels(a, c, rows, cols);

	calc_matrix_fill(a, m, rows, cols);
	return m;
}
