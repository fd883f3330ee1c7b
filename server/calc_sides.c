/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_sides.h"

#include <math.h>
#include <string.h>

#include "../lib/must.h"
#include "../lib/parallel.h"
#include "calc_ids.h"
#include "calc_noise.h"
#include "calc_order.h"

#define SAMPLES_LEAST 10000	/* in a part: a millisecond's work */
#define SERIES_MANY 4000	/* from which on two connections read runs: another millisecond's */

/* ---- from runs to samples ---- */

struct found {
	size_t cell;			/* series * n_kernels + kernel */
	struct stats_sample s;
};

struct collect {
	struct arena *a;
	const struct selection *sel;
	const struct cat_kernel *const *kernels;
	size_t n_kernels;
	const struct compare_runs *runs;
	const bool *narrowed;		/* a kernel: run= names some of its runs */
	struct calc_ids index;		/* of series in the selection */
	size_t *order;			/* of the selection's series */
	struct found *found;
	size_t n, cap;
	struct side_gap *gap;
};

static void add_value(struct collect *c, size_t cell, const struct run *run, size_t i, uint64_t boot_key)
{
	if (c->n == c->cap) {
		size_t cap = c->cap ? c->cap * 2 : 1024;

		c->found = arena_grow(c->a, c->found, c->cap * sizeof(*c->found), cap * sizeof(*c->found));
		c->cap = cap;
	}
	c->found[c->n++] = (struct found){ cell, {
		.boot_key = boot_key, .n = run->n[i], .mean = run->mean[i], .stddev = run->stddev[i],
		.min = run->min[i], .max = run->max[i] } };
}

/* A failure says more than a result left out on purpose. */
static void add_gap(struct collect *c, size_t cell, const struct run *run, size_t i)
{
	struct side_gap *gap = &c->gap[cell];
	enum compare_reason reason = run->status[i] == RESULT_FAILED ? COMPARE_FAILED : COMPARE_SKIPPED;

	if (gap->seen && gap->reason == COMPARE_FAILED)
		return;
	gap->seen = true;
	gap->reason = reason;
	gap->error = run->errors ? arena_strdup(c->a, run->errors[i]) : NULL;
}

static bool wanted(const struct collect *c, size_t kernel, const struct uuid *run_id)
{
	if (!c->narrowed[kernel])
		return true;
	for (size_t i = 0; i < c->runs->n; i++)
		if (uuid_equal(&c->runs->ids[i], run_id))
			return true;
	return false;
}

static int each_run(const struct run *run, void *arg, struct err *err)
{
	struct collect *c = arg;
	uint64_t boot_key = db_runs_boot_key(run->machine_id, run->boot_id, &run->run_id);

	(void)err;
	for (size_t k = 0; k < c->n_kernels; k++) {
		if (c->kernels[k]->id != run->kernel_id || !wanted(c, k, &run->run_id))
			continue;
		for (size_t i = 0; i < run->n_results; i++) {
			size_t index;

			if (!calc_ids_find(&c->index, run->series_ids[i], &index))
				continue;
			if (run->status[i] == RESULT_OK && run->n[i] > 0)
				add_value(c, index * c->n_kernels + k, run, i, boot_key);
			else
				add_gap(c, index * c->n_kernels + k, run, i);
		}
	}
	return 0;
}

/* What is to be known of the selection when the runs come. */
static void prepare(void *arg)
{
	struct collect *c = arg;
	const struct selection *sel = c->sel;

	c->index = calc_ids_new(c->a, sel->n);
	c->order = arena_alloc(c->a, (sel->n + 1) * sizeof(*c->order));
	for (size_t i = 0; i < sel->n; i++) {
		*calc_ids_at(&c->index, sel->series[i]->id) = (uint32_t)i + 1;
		c->order[i] = i;
	}
	calc_order_sort(c->a, sel->series, c->order, sel->n);
}

/* ---- from samples to sides ---- */

/* Sides are made in as many parts as pay. */
struct make {
	const struct stats_sample *sorted;
	const size_t *end;		/* of a cell's samples */
	size_t cells, scratch_size;
	unsigned parts;
	char *scratch;			/* for each part */
	struct stats_side *side;
};

static void make_part(void *arg, unsigned part)
{
	const struct make *m = arg;
	size_t first = parallel_from(m->cells, part, m->parts), last = parallel_from(m->cells, part + 1, m->parts);
	void *scratch = m->scratch + part * m->scratch_size;

	for (size_t i = first, from = first ? m->end[first - 1] : 0; i < last; from = m->end[i++])
		if (m->end[i] > from)
			stats_side_of(m->sorted + from, m->end[i] - from, scratch, &m->side[i]);
		else
			m->side[i] = (struct stats_side){ 0 };
}

/* Sorted by cell in one pass each way (counting sort), then a side a cell. */
static struct stats_side *make_sides(const struct collect *c)
{
	size_t cells = c->sel->n * c->n_kernels, most = 0;
	size_t *end = arena_array(c->a, size_t, cells + 1);
	struct stats_sample *sorted = arena_alloc(c->a, c->n * sizeof(*sorted));
	struct make m = { .sorted = sorted, .end = end, .cells = cells, .parts = parallel_parts(c->n, SAMPLES_LEAST),
			  .side = arena_alloc(c->a, cells * sizeof(*m.side)) };

	for (size_t i = 0; i < c->n; i++)
		end[c->found[i].cell + 1]++;
	for (size_t i = 0; i < cells; i++) {
		if (end[i + 1] > most)
			most = end[i + 1];
		end[i + 1] += end[i];
	}
	/* end[cell] is where the cell begins, and after this loop where it ends */
	for (size_t i = 0; i < c->n; i++)
		sorted[end[c->found[i].cell]++] = c->found[i].s;
	m.scratch_size = (stats_side_scratch(most) + 63) / 64 * 64;
	m.scratch = arena_alloc(c->a, m.scratch_size * m.parts);
	parallel_run(m.parts, make_part, &m);
	return m.side;
}

/* The ids to read: of kernels that the selection's tracks let in, each once. */
static int64_t *kernel_ids(struct arena *a, const struct selection *sel, const struct cat_kernel *const *kernels,
			   size_t n_kernels, size_t *n)
{
	int64_t *ids = arena_array(a, int64_t, n_kernels + 1);

	*n = 0;
	for (size_t k = 0; k < n_kernels; k++) {
		bool twice = false;

		for (size_t i = 0; i < *n; i++)
			twice |= ids[i] == kernels[k]->id;
		if (!twice && calc_select_track(sel, kernels[k]->track))
			ids[(*n)++] = kernels[k]->id;
	}
	return ids;
}

static const bool *narrowed(struct arena *a, const struct cat_kernel *const *kernels, size_t n_kernels,
			    const struct compare_runs *runs)
{
	bool *list = arena_array(a, bool, n_kernels + 1);

	for (size_t k = 0; k < n_kernels; k++)
		for (size_t i = 0; runs && i < runs->n; i++)
			list[k] |= runs->kernel_ids[i] == kernels[k]->id;
	return list;
}

/* The machines to read, or none for all of them: then the database need not look. */
static const int64_t *machine_ids(struct catalog *c, struct arena *a, const struct selection *sel, size_t *n)
{
	const int64_t *ids = calc_select_machines(a, sel, n);
	size_t all;

	db_catalog_lock(c);
	db_catalog_machines(c, &all);
	db_catalog_unlock(c);
	if (*n < all)
		return ids;
	*n = 0;
	return NULL;
}

int calc_sides_read(struct catalog *c, struct db *db, struct arena *a, const struct selection *sel,
		    const struct cat_kernel *const *kernels, size_t n_kernels, const struct compare_runs *runs,
		    struct sides **out, struct err *err)
{
	struct collect col = { .a = a, .sel = sel, .kernels = kernels, .n_kernels = n_kernels, .runs = runs,
			       .narrowed = narrowed(a, kernels, n_kernels, runs),
			       .gap = arena_array(a, struct side_gap, sel->n * n_kernels) };
	struct noise *noise = arena_alloc(a, sel->n * sizeof(*noise));
	size_t n_ids, n_machines;
	const int64_t *ids = kernel_ids(a, sel, kernels, n_kernels, &n_ids);
	const int64_t *machines = machine_ids(c, a, sel, &n_machines);

	must(sel->n < UINT32_MAX);
	if (sel->n && n_ids) {
		db_meanwhile(db, prepare, &col);
		if ((sel->n < SERIES_MANY ? db_runs_each_of_kernels : db_runs_each_of_halves)(
			    db, a, ids, n_ids, machines, n_machines, each_run, &col, err))
			return -1;
	}
	*out = arena_zalloc(a, sizeof(**out));
	**out = (struct sides){ .sel = sel, .n_kernels = n_kernels, .side = make_sides(&col), .gap = col.gap,
				.noise = noise, .order = col.order };
	return calc_noise_read(c, db, a, *out, kernels, n_kernels, noise, err);
}
