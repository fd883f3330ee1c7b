/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/stats/bh.h"
#include "calc_noise.h"
#include "calc_sides.h"

/* ---- what a step is worth ---- */

enum calc_worth detect_pairs_worth(const struct history_series *s, size_t i, bool siblings)
{
	struct calc_worth_point p[4];	/* all that is looked at */
	size_t from = i >= 2 ? i - 2 : 0, n = 0;

	for (size_t k = from; k < s->n && n < sizeof(p) / sizeof(*p); k++)
		p[n++] = (struct calc_worth_point){ s->point[k].side.log_mean, s->point[k].side.boots };
	return calc_worth_step(p, n, i - from, s->n >= DETECT_PAIRS_LONG, siblings, NULL);
}

/* ---- pairs ---- */

struct item {
	const struct cat_kernel *base, *head;
	const struct history_series *series;
	size_t from, to;		/* of both among its points */
};

static int by_pair(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int d = calc_select_kernel_order(&x->head, &y->head);

	if (!d)
		d = calc_select_kernel_order(&x->base, &y->base);
	return d ? d : (x->series->series->id > y->series->series->id) - (x->series->series->id < y->series->series->id);
}

static bool same_pair(const struct item *x, const struct item *y)
{
	return x->base == y->base && x->head == y->head;
}

static struct item *list_items(struct arena *a, const struct detect_history *h, size_t *n)
{
	struct item *list;
	size_t most = 0;

	*n = 0;
	for (size_t k = 0; k < h->n; k++)
		most += h->series[k].n < DETECT_PAIRS_LONG ? h->series[k].n : 2;
	list = arena_array(a, struct item, most);
	for (size_t k = 0; k < h->n; k++) {
		const struct history_series *s = &h->series[k];
		bool whole = s->n < DETECT_PAIRS_LONG;

		if (s->at == s->n)
			continue;
		for (size_t i = whole || !s->at ? 1 : s->at; i < s->n && (whole || i <= s->at + 1); i++)
			list[(*n)++] = (struct item){ s->point[i - 1].kernel, s->point[i].kernel, s, i - 1, i };
	}
	if (*n)
		qsort(list, *n, sizeof(*list), by_pair);
	return list;
}

/* What it takes is given back: there are many pairs, and each looks through all samples. */
static int read_noise(struct catalog *c, struct db *db, const struct detect_history *h, const struct sides *sides,
		      const struct cat_kernel *const kernels[2], struct noise *noise, struct err *err)
{
	struct arena *own = arena_new();
	int ret = calc_noise_given(c, db, own, sides, kernels, 2, h->samples, h->n_samples, noise, err);

	arena_free(own);
	return ret;
}

/* The rows of one pair of kernels; items: of all its series, by id. */
static int compare_pair(struct catalog *c, struct db *db, struct arena *a, const struct detect_history *h,
			const struct item *items, size_t n, struct compare **out, struct err *err)
{
	const struct cat_kernel *kernels[] = { items->base, items->head };
	struct selection *sel = arena_zalloc(a, sizeof(*sel));
	struct sides *sides = arena_zalloc(a, sizeof(*sides));
	struct stats_side *side = arena_array(a, struct stats_side, 2 * n);
	struct noise *noise = arena_array(a, struct noise, n);

	*sel = (struct selection){ .series = arena_array(a, const struct cat_series *, n), .n = n };
	for (size_t i = 0; i < n; i++) {
		sel->series[i] = items[i].series->series;
		side[2 * i] = items[i].series->point[items[i].from].side;
		side[2 * i + 1] = items[i].series->point[items[i].to].side;
	}
	*sides = (struct sides){ .sel = sel, .n_kernels = 2, .side = side, .noise = noise,
				 .gap = arena_array(a, struct side_gap, 2 * n) };
	if (read_noise(c, db, h, sides, kernels, noise, err))
		return -1;
	*out = calc_compare_rows(a, sides, COMPARE_BASE, COMPARE_HEAD, -1);
	(*out)->base = items->base;
	(*out)->head = items->head;
	return 0;
}

/* One family of all that the upload is compared with: the false discovery rate is that of the upload. */
static void judge_together(struct arena *a, struct detect_pair *pairs, size_t n, const struct cat_kernel *kernel)
{
	size_t all = 0, at = 0;
	double *p;

	for (size_t i = 0; i < n; i++)
		all += pairs[i].cmp->n_rows;
	p = arena_array(a, double, all);
	for (int pass = 0; pass < 2; pass++, at = 0) {
		for (size_t i = 0; i < n; i++) {
			struct compare *cmp = pairs[i].cmp;

			if (cmp->base != kernel && cmp->head != kernel)
				continue;
			for (size_t r = 0; r < cmp->n_rows; r++, at++) {
				if (!pass) {
					p[at] = cmp->rows[r].p;
					continue;
				}
				cmp->rows[r].q = p[at];
				calc_compare_judge(&cmp->rows[r], cmp->rows[r].series->metric->better);
			}
		}
		if (!pass)
			bh_q(p, at, arena_array(a, size_t, at), p);
	}
}

/* ---- evidence of each row ---- */

static int by_run(const void *a, const void *b)
{
	const struct cat_series *x = (*(const struct compare_row *const *)a)->series;
	const struct cat_series *y = (*(const struct compare_row *const *)b)->series;
	const int64_t k[] = { x->benchmark->id, x->metric->id, x->config->id };
	const int64_t l[] = { y->benchmark->id, y->metric->id, y->config->id };

	for (int i = 0; i < 3; i++)
		if (k[i] != l[i])
			return k[i] < l[i] ? -1 : 1;
	return 0;
}

/* Rows that at least half of their siblings agree with: a benchmark and metric over its params, on the one machine. */
static bool *find_agreeing(struct arena *a, const struct compare *cmp)
{
	const struct compare_row **row = arena_array(a, const struct compare_row *, cmp->n_rows);
	bool *agrees = arena_array(a, bool, cmp->n_rows);

	for (size_t i = 0; i < cmp->n_rows; i++)
		row[i] = &cmp->rows[i];
	if (cmp->n_rows)
		qsort(row, cmp->n_rows, sizeof(*row), by_run);
	for (size_t from = 0, to; from < cmp->n_rows; from = to) {
		size_t count[COMPARE_REGRESSION + 1] = { 0 };

		for (to = from; to < cmp->n_rows && !by_run(&row[from], &row[to]); to++)
			count[row[to]->verdict]++;
		for (size_t i = from; i < to; i++)
			agrees[row[i] - cmp->rows] = count[row[i]->verdict] >= 2 && 2 * count[row[i]->verdict] >= to - from;
	}
	return agrees;
}

static void find_evidence(struct arena *a, struct detect_pair *pair, const struct item *items, size_t n)
{
	const struct compare *cmp = pair->cmp;
	bool *agrees = find_agreeing(a, cmp);

	pair->evidence = arena_array(a, enum calc_worth, cmp->n_rows);
	for (size_t r = 0; r < cmp->n_rows; r++) {
		size_t lo = 0, hi = n;

		if (cmp->rows[r].verdict < COMPARE_IMPROVEMENT)
			continue;
		while (hi - lo > 1) {	/* items are by series id */
			size_t mid = lo + (hi - lo) / 2;

			*(items[mid].series->series->id <= cmp->rows[r].series->id ? &lo : &hi) = mid;
		}
		pair->evidence[r] = detect_pairs_worth(items[lo].series, items[lo].to, agrees[r]);
	}
}

int detect_pairs_read(struct catalog *c, struct db *db, struct arena *a, const struct detect_history *h,
		      const struct cat_kernel *kernel, struct detect_pair **out, size_t *n, struct err *err)
{
	size_t n_items, k = 0;
	struct item *items = list_items(a, h, &n_items);

	*n = 0;
	for (size_t i = 0; i < n_items; i++)
		*n += !i || !same_pair(&items[i - 1], &items[i]);
	*out = arena_array(a, struct detect_pair, *n);
	for (size_t from = 0, to; from < n_items; from = to, k++) {
		for (to = from; to < n_items && same_pair(&items[from], &items[to]);)
			to++;
		if (compare_pair(c, db, a, h, &items[from], to - from, &(*out)[k].cmp, err))
			return -1;
	}
	judge_together(a, *out, *n, kernel);
	k = 0;
	for (size_t from = 0, to; from < n_items; from = to, k++) {
		for (to = from; to < n_items && same_pair(&items[from], &items[to]);)
			to++;
		find_evidence(a, &(*out)[k], &items[from], to - from);
	}
	return 0;
}

int detect_pairs_baseline(struct catalog *c, struct db *db, struct arena *a, const struct detect_history *h,
			  const struct calc_rule *rule, const struct cat_kernel *kernel, struct compare **out,
			  struct err *err)
{
	struct item *items = arena_array(a, struct item, h->n);
	size_t n = 0;

	*out = NULL;
	for (size_t k = 0; k < h->n; k++) {
		const struct history_series *s = &h->series[k];
		size_t from = 0;

		while (from < s->n && s->point[from].kernel != rule->baseline)
			from++;
		if (from < s->at && s->at < s->n && calc_rules_selects(rule, s->series, kernel->track))
			items[n++] = (struct item){ rule->baseline, kernel, s, from, s->at };
	}
	return n ? compare_pair(c, db, a, h, items, n, out, err) : 0;
}
