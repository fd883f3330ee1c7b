/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_sweep.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/must.h"
#include "calc_sides.h"
#include "calc_sweep_judge.h"

struct member {			/* a series on the axis */
	const struct cat_series *series;
	const char *others;	/* params without the axis */
	double x;
	size_t index;		/* in the selection of such series, which is in id order */
};

struct work {
	struct arena *a;
	const char *axis;
	const struct cat_kernel *const *kernels;
	size_t n_kernels;
	struct member *member;
	size_t n;
	const struct sides *sides;
	struct student_memo memo;
	size_t *family;		/* of each kernel's rows */
	double onset_percent;
	struct sweep *out;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void not_owned(void *name)
{
	(void)name;
}

const char **calc_sweep_axes(struct arena *a, const struct selection *sel, size_t *n)
{
	const char **names = NULL;
	size_t cap = 0;
	void *seen = NULL;	/* a tree: each series may have a name of its own */

	*n = 0;
	for (size_t i = 0; i < sel->n; i++) {
		const struct cat_series *s = sel->series[i];

		for (size_t p = 0; p < s->n_params; p++) {
			if (!s->param[p].is_number || tfind(s->param[p].name, &seen, by_name))
				continue;
			must(tsearch(s->param[p].name, &seen, by_name));
			if (*n == cap) {
				size_t more = cap ? 2 * cap : 8;

				names = arena_grow(a, names, cap * sizeof(*names), more * sizeof(*names));
				cap = more;
			}
			names[(*n)++] = s->param[p].name;
		}
	}
	tdestroy(seen, not_owned);
	return names;
}

/* The end of a JSON member (its comma or closing brace): values are scalars, so only strings hide one. */
static const char *member_end(const char *p)
{
	bool string = false;

	for (; *p && (string || (*p != ',' && *p != '}')); p++) {
		if (*p == '\\' && p[1])
			p++;
		else if (*p == '"')
			string = !string;
	}
	return p;
}

/* params without its which-th member: both are sorted by name. */
static const char *params_without(struct arena *a, const struct cat_series *s, size_t which)
{
	char *out = arena_strdup(a, "{");
	const char *p = s->params + 1;

	for (size_t i = 0; i < s->n_params; i++) {
		const char *end = member_end(p);

		if (i != which)
			out = arena_printf(a, "%s%s%.*s", out, out[1] ? "," : "", (int)(end - p), p);
		p = end + 1;
	}
	return arena_printf(a, "%s}", out);
}

/* ---- groups ---- */

static int group_order(const struct member *m, const struct member *o)
{
	const struct cat_series *s = m->series, *t = o->series;
	int d = strcmp(s->benchmark->name, t->benchmark->name);

	if (!d)
		d = strcmp(s->machine->name, t->machine->name);
	if (!d)
		d = strcmp(s->config->thp, t->config->thp);
	if (!d)
		d = strcmp(m->others, o->others);
	if (!d && s->metric != t->metric)
		d = strcmp(s->metric->name, t->metric->name);
	if (!d && s->metric != t->metric)
		d = s->metric->id < t->metric->id ? -1 : 1;
	if (!d && s->config != t->config)
		d = s->config->id < t->config->id ? -1 : 1;
	return d;
}

static int by_group(const void *a, const void *b)
{
	const struct member *m = a, *o = b;
	int d = group_order(m, o);

	return d ? d : (m->x > o->x) - (m->x < o->x);
}

/* The series that have the axis, as members; and as a selection of their own, unless sub is NULL. */
static void find_members(struct work *w, const struct selection *sel, struct selection *sub)
{
	if (sub) {
		*sub = *sel;
		sub->n = 0;
		sub->series = arena_array(w->a, const struct cat_series *, sel->n);
	}
	w->member = arena_array(w->a, struct member, sel->n);
	for (size_t i = 0; i < sel->n; i++) {
		const struct cat_series *s = sel->series[i];

		for (size_t p = 0; p < s->n_params; p++) {
			if (!s->param[p].is_number || strcmp(s->param[p].name, w->axis))
				continue;
			w->member[w->n++] = (struct member){ .series = s, .others = params_without(w->a, s, p),
							     .x = s->param[p].number, .index = sub ? sub->n : i };
			if (sub)
				sub->series[sub->n++] = s;
			w->out->log &= s->param[p].number > 0;
		}
	}
	qsort(w->member, w->n, sizeof(*w->member), by_group);
}

/* ---- lines ---- */

static void fit_line(struct work *w, struct sweep_line *l)
{
	double *u = arena_array(w->a, double, l->n);

	l->unit_step = 1;
	l->unit = w->axis;
	if (!strcmp(w->axis, "size_kib")) {
		l->unit_step = l->series->config->base_page_kib ? l->series->config->base_page_kib : 4;
		l->unit = "page";
	}
	for (size_t i = 0; i < l->n; i++)
		u[i] = l->x[i] / l->unit_step;
	l->has_fit = fit_sweep(u, l->y, l->n, &l->fit);
}

/* The line of one kernel over members from..to; n = 0: not measured. */
static void make_line(struct work *w, size_t from, size_t to, size_t kernel, struct sweep_line *l)
{
	size_t most = to - from;

	*l = (struct sweep_line){
		.kernel = w->kernels[kernel], .series = w->member[from].series, .params = w->member[from].others,
		.x = arena_array(w->a, double, most), .y = arena_array(w->a, double, most),
		.lo = arena_array(w->a, double, most), .hi = arena_array(w->a, double, most),
		.values = arena_array(w->a, int64_t, most),
	};
	for (size_t i = from; i < to; i++) {
		const struct stats_side *side = calc_sides_at(w->sides, w->member[i].index, kernel);
		struct ab_row row = { 0 };	/* each series has its own noise */

		if (!side->runs)
			continue;
		l->x[l->n] = w->member[i].x;
		l->y[l->n] = side->center;
		l->values[l->n] = side->n;
		ab_interval(side, &w->sides->noise[w->member[i].index], &w->memo, &row, &l->lo[l->n], &l->hi[l->n]);
		l->n++;
	}
	fit_line(w, l);
}

/* ---- ratios ---- */

/* Rows of a comparison by the series' index in the selection; NULL: no row. */
static const struct compare_row **row_index(struct work *w, const struct compare *c)
{
	const struct compare_row **by_index = arena_array(w->a, const struct compare_row *, w->sides->sel->n);
	const struct selection *sel = w->sides->sel;

	for (size_t r = 0; r < c->n_rows; r++) {
		size_t lo = 0, hi = sel->n;

		while (hi - lo > 1) {
			size_t mid = (lo + hi) / 2;

			if (sel->series[mid]->id <= c->rows[r].series->id)
				lo = mid;
			else
				hi = mid;
		}
		by_index[lo] = &c->rows[r];
	}
	return by_index;
}

static struct sweep_ratio *make_ratio(struct work *w, size_t from, size_t to, const struct compare_row **rows,
				      const struct sweep_line *line, const struct sweep_line *base)
{
	struct sweep_ratio *r = &w->out->ratios[w->out->n_ratios++];
	size_t most = to - from;
	bool *unchanged = arena_array(w->a, bool, most);

	*r = (struct sweep_ratio){
		.line = line, .base = base, .x = arena_array(w->a, double, most),
		.percent = arena_array(w->a, double, most),
		.row = arena_array(w->a, const struct compare_row *, most),
	};
	for (size_t i = from; i < to; i++) {
		const struct compare_row *row = rows[w->member[i].index];

		if (!row)
			continue;
		r->sizes++;
		if (!(row->base.center > 0) || isnan(row->change_percent))
			continue;
		r->x[r->n] = w->member[i].x;
		r->percent[r->n] = row->change_percent;
		r->row[r->n] = row;
		unchanged[r->n++] = row->verdict == COMPARE_UNCHANGED;
	}
	r->onset = fit_onset(r->x, r->percent, unchanged, r->n, w->onset_percent);
	return r;
}

/* All lines and ratios of the members from..to, which differ only in x. */
static void make_group(struct work *w, size_t from, size_t to, size_t group, const struct compare_row ***rows)
{
	const struct sweep_line *base = NULL;

	for (size_t k = 0; k < w->n_kernels; k++) {
		struct sweep_line *l = &w->out->lines[w->out->n_lines];

		make_line(w, from, to, k, l);
		if (!l->n)
			continue;
		l->group = group;
		w->out->n_lines++;
		if (k == 0)
			base = l;
		else if (base)
			make_ratio(w, from, to, rows[k], l, base)->row_family = w->family[k];
	}
}

const struct sweep_ratio *calc_sweep_fixes(const struct sweep *s, const struct sweep_ratio *r)
{
	for (size_t i = 0; i < s->n_ratios; i++)
		if (s->ratios[i].line->group == r->line->group && r->line->kernel->is_variant &&
		    s->ratios[i].line->kernel->id == r->line->kernel->variant_base_id)
			return &s->ratios[i];
	return NULL;
}

static struct work *work_new(struct arena *a, const char *axis, const struct cat_kernel *const *kernels,
			     size_t n_kernels, double onset_percent)
{
	struct work *w = arena_zalloc(a, sizeof(*w));

	*w = (struct work){ .a = a, .axis = axis, .kernels = kernels, .n_kernels = n_kernels,
			    .onset_percent = onset_percent, .out = arena_zalloc(a, sizeof(*w->out)) };
	w->out->axis = axis;
	w->out->log = true;
	return w;
}

/* Lines and ratios of the members, out of sides that are read. head: the comparison of kernel 1, or NULL. */
static void build(struct work *w, const struct sides *sides, const struct compare *head)
{
	const struct compare_row ***rows = arena_array(w->a, const struct compare_row **, w->n_kernels);
	size_t groups = 0;

	w->sides = sides;
	w->family = arena_array(w->a, size_t, w->n_kernels);
	for (size_t k = 1; k < w->n_kernels; k++) {
		const struct compare *c = k == 1 && head ? head : calc_compare_rows(w->a, sides, 0, k, -1);

		rows[k] = row_index(w, c);
		w->family[k] = c->family;
	}
	for (size_t i = 0; i < w->n; i++)
		groups += i == 0 || group_order(&w->member[i - 1], &w->member[i]);
	/* never grown: ratios point into lines */
	w->out->lines = arena_array(w->a, struct sweep_line, groups * w->n_kernels + 1);
	w->out->ratios = arena_array(w->a, struct sweep_ratio, groups * w->n_kernels + 1);
	for (size_t from = 0, to, group = 0; from < w->n; from = to, group++) {
		for (to = from; to < w->n && !group_order(&w->member[from], &w->member[to]);)
			to++;
		make_group(w, from, to, group, rows);
	}
	calc_sweep_judge(w->a, w->out);
}

int calc_sweep(struct catalog *c, struct db *db, struct arena *a, const struct selection *sel, const char *axis,
	       const struct cat_kernel *const *kernels, size_t n_kernels, const struct compare_runs *runs,
	       double onset_percent, struct sweep **out, struct err *err)
{
	struct work *w = work_new(a, axis, kernels, n_kernels, onset_percent);
	struct selection *sub = arena_zalloc(a, sizeof(*sub));
	struct sides *sides;

	*out = w->out;
	find_members(w, sel, sub);
	if (sub->n * n_kernels > SWEEP_POINTS_MAX)
		return err_set(err, ERR_BAD_ARGUMENT, "%zu series over %zu kernels are too much for one answer: "
			       "select fewer, by benchmark, machine, thp, ...", sub->n, n_kernels);
	if (calc_sides_read(c, db, a, sub, kernels, n_kernels, runs, &sides, err))
		return -1;
	build(w, sides, NULL);
	return 0;
}

/* The numeric parameter that most rows have; the first of several. */
static const char *common_axis(struct arena *a, const struct compare *c)
{
	size_t n, most = 0;
	const char **names = calc_sweep_axes(a, c->sides->sel, &n), *axis = NULL;

	for (size_t k = 0; k < n; k++) {
		size_t have = 0;

		for (size_t i = 0; i < c->n_rows; i++)
			for (size_t p = 0; p < c->rows[i].series->n_params; p++)
				have += c->rows[i].series->param[p].is_number &&
					!strcmp(c->rows[i].series->param[p].name, names[k]);
		if (have > most) {
			most = have;
			axis = names[k];
		}
	}
	return axis;
}

struct sweep *calc_sweep_of(struct arena *a, const struct compare *c)
{
	const char *axis = c->n_rows <= SWEEP_ROWS_MAX ? common_axis(a, c) : NULL;
	const struct cat_kernel **kernels = arena_array(a, const struct cat_kernel *, 3);
	struct work *w;

	if (!axis)
		return NULL;
	w = work_new(a, axis, kernels, c->fix ? 3 : 2, SWEEP_ONSET_PERCENT);
	kernels[0] = c->base;
	kernels[1] = c->head;
	kernels[2] = c->fix;
	find_members(w, c->sides->sel, NULL);
	build(w, c->sides, c);
	return w->out;
}
