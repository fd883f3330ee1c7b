/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_order.h"

#include <stdlib.h>
#include <string.h>

#include "calc_ids.h"

static int params_order(const struct cat_series *x, const struct cat_series *y, bool numbers)
{
	size_t i = 0, j = 0;

	for (;;) {
		while (i < x->n_params && x->param[i].is_number != numbers)
			i++;
		while (j < y->n_params && y->param[j].is_number != numbers)
			j++;
		if (i == x->n_params || j == y->n_params)
			return (i < x->n_params) - (j < y->n_params);
		const struct cat_param *p = &x->param[i++], *q = &y->param[j++];
		int d = strcmp(p->name, q->name);

		if (!d && numbers)
			d = (p->number > q->number) - (p->number < q->number);
		else if (!d)
			d = strcmp(p->text, q->text);
		if (d)
			return d;
	}
}

int calc_order_series(const struct cat_series *x, const struct cat_series *y)
{
	int d = 0;

	if (x->benchmark != y->benchmark)
		d = strcmp(x->benchmark->name, y->benchmark->name);
	if (!d && x->machine != y->machine)
		d = strcmp(x->machine->name, y->machine->name);
	if (!d && x->config != y->config)
		d = strcmp(x->config->thp, y->config->thp);
	if (!d)
		d = params_order(x, y, true);
	if (!d)
		d = params_order(x, y, false);
	if (!d && x->metric != y->metric)
		d = strcmp(x->metric->name, y->metric->name);
	if (!d)
		d = x->config->base_page_kib - y->config->base_page_kib;
	if (!d)
		d = strcmp(x->config->flavour, y->config->flavour);
	return d ? d : (x->id > y->id) - (x->id < y->id);
}

/* ---- many ---- */

/* What series have in common: first of all they are in the order of these names. */
struct part {
	int64_t id;
	const char *name;
	size_t rank;
};

enum dim { BY_THP, BY_MACHINE, BY_BENCHMARK, DIMS };	/* the least important first */

static struct part part_of(const struct cat_series *s, enum dim dim)
{
	switch (dim) {
	case BY_THP:
		return (struct part){ .id = s->config->id, .name = s->config->thp };
	case BY_MACHINE:
		return (struct part){ .id = s->machine->id, .name = s->machine->name };
	default:
		return (struct part){ .id = s->benchmark->id, .name = s->benchmark->name };
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct part *const *)a)->name, (*(struct part *const *)b)->name);
}

/* Equal names (configs may have the same thp) have one rank. Returns how many ranks there are. */
static size_t rank(struct arena *a, struct part *parts, size_t n)
{
	struct part **order = arena_array(a, struct part *, n);
	size_t ranks = 0;

	for (size_t i = 0; i < n; i++)
		order[i] = &parts[i];
	qsort(order, n, sizeof(*order), by_name);
	for (size_t i = 0; i < n; i++)
		order[i]->rank = i && !by_name(&order[i - 1], &order[i]) ? ranks - 1 : ranks++;
	return ranks;
}

/* Which part each place has, and the parts, each once; how many. */
static size_t find_parts(struct arena *a, const struct cat_series *const *series, const size_t *index, size_t n,
			 enum dim dim, struct part *parts, uint32_t *part)
{
	struct calc_ids ids = calc_ids_new(a, n);
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		struct part p = part_of(series[index[i]], dim);
		uint32_t *at;

		if (i && p.id == parts[part[i - 1]].id) {	/* series come in heaps */
			part[i] = part[i - 1];
			continue;
		}
		at = calc_ids_at(&ids, p.id);
		if (!*at) {
			parts[found++] = p;
			*at = (uint32_t)found;
		}
		part[i] = *at - 1;
	}
	return found;
}

/* A counting sort: what is equal stays in the order it was in. */
static void sort_by(struct arena *a, const struct cat_series *const *series, size_t *index, size_t n, enum dim dim)
{
	struct part *parts = arena_alloc(a, n * sizeof(*parts));
	uint32_t *part = arena_alloc(a, n * sizeof(*part));
	size_t *to, *from = arena_alloc(a, n * sizeof(*from));
	size_t ranks = rank(a, parts, find_parts(a, series, index, n, dim, parts, part));

	to = arena_array(a, size_t, ranks + 1);
	memcpy(from, index, n * sizeof(*from));
	for (size_t i = 0; i < n; i++)
		to[parts[part[i]].rank + 1]++;
	for (size_t i = 0; i < ranks; i++)
		to[i + 1] += to[i];
	for (size_t i = 0; i < n; i++)
		index[to[parts[part[i]].rank]++] = from[i];
}

static int by_series(const void *a, const void *b, void *arg)
{
	const struct cat_series *const *series = arg;

	return calc_order_series(series[*(const size_t *)a], series[*(const size_t *)b]);
}

static bool same_parts(const struct cat_series *x, const struct cat_series *y)
{
	return x->benchmark == y->benchmark && x->machine == y->machine &&
	       (x->config == y->config || !strcmp(x->config->thp, y->config->thp));
}

void calc_order_sort(struct arena *a, const struct cat_series *const *series, size_t *index, size_t n)
{
	for (int dim = 0; n && dim < DIMS; dim++)
		sort_by(a, series, index, n, (enum dim)dim);
	for (size_t from = 0, to; from < n; from = to) {
		bool ordered = true;

		for (to = from + 1; to < n && same_parts(series[index[from]], series[index[to]]); to++)
			ordered = ordered && calc_order_series(series[index[to - 1]], series[index[to]]) < 0;
		if (!ordered)
			qsort_r(index + from, to - from, sizeof(*index), by_series, (void *)(uintptr_t)series);
	}
}
