/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GET /api/v1/sweep: a numeric parameter as axis, one line a kernel. */
#include "api_sweep.h"

#include <math.h>
#include <string.h>

#include "../chart/table.h"
#include "../lib/num.h"
#include "api_compare.h"
#include "api_shapes.h"
#include "calc_sweep_judge.h"
#include "calc_sweep_text.h"
#include "calc_words.h"

/* ---- JSON ---- */

static void json_common(struct jsonw *j, const struct sweep_line *l)
{
	const struct cat_series *s = l->series;

	jsonw_key(j, "kernel");
	api_shapes_kernel(j, l->kernel);
	jsonw_kstr(j, "benchmark", s->benchmark->name);
	jsonw_kstr(j, "metric", s->metric->name);
	jsonw_kstr(j, "unit", s->metric->unit);
	jsonw_kstr(j, "better", better_word(s->metric->better));
	jsonw_kstr(j, "machine", s->machine->name);
	jsonw_kstr(j, "uarch", s->machine->uarch);
	jsonw_kstr(j, "thp", s->config->thp);
	jsonw_key(j, "base_page_kib");
	if (s->config->base_page_kib)
		jsonw_i64(j, s->config->base_page_kib);
	else
		jsonw_null(j);
	jsonw_kraw(j, "params", l->params);
}

static void json_line(struct jsonw *j, const struct sweep_line *l)
{
	jsonw_object(j);
	json_common(j, l);
	jsonw_key(j, "points");
	jsonw_array(j);
	for (size_t i = 0; i < l->n; i++) {
		jsonw_object(j);
		jsonw_knum(j, "x", l->x[i]);
		jsonw_knum(j, "y", l->y[i]);
		jsonw_knum(j, "lo", l->lo[i]);
		jsonw_knum(j, "hi", l->hi[i]);
		jsonw_ki64(j, "n", l->values[i]);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
	jsonw_key(j, "fit");
	if (l->has_fit) {
		jsonw_object(j);
		jsonw_knum(j, "fixed", l->fit.fixed);
		jsonw_knum(j, "per_unit", l->fit.per_unit);
		jsonw_knum(j, "unit_step", l->unit_step);
		jsonw_kstr(j, "unit", l->unit);
		jsonw_knum(j, "max_residual_percent", l->fit.max_residual_percent);
		jsonw_object_end(j);
	} else {
		jsonw_null(j);
	}
	jsonw_object_end(j);
}

static void json_part(struct jsonw *j, struct arena *a, const struct sweep *s, const struct sweep_ratio *r,
		      enum sweep_cost c, bool explain)
{
	const struct sweep_part *p = &r->part[c];

	jsonw_key(j, calc_sweep_judge_cost_word(c));
	if (!r->has_pair) {
		jsonw_null(j);
		return;
	}
	jsonw_object(j);
	jsonw_knum(j, "percent", p->percent);
	api_shapes_interval(j, "ci", p->test->told, p->ci_lo, p->ci_hi);
	jsonw_kstr(j, "verdict", calc_compare_verdict_word(p->verdict));
	jsonw_kstr(j, "confidence", calc_compare_confidence_word(p->confidence));
	jsonw_knum(j, "p", p->p);
	jsonw_knum(j, "q", p->q);
	jsonw_knum(j, "restored_percent", p->restored_percent);
	if (explain) {
		struct why why;

		calc_why_part(a, s, r, c, &why);
		api_shapes_why(j, &why);
	}
	jsonw_object_end(j);
}

void api_sweep_ratio(struct jsonw *j, struct arena *a, const struct sweep *s, const struct sweep_ratio *r, bool explain)
{
	jsonw_object(j);
	json_common(j, r->line);
	jsonw_key(j, "points");
	jsonw_array(j);
	for (size_t i = 0; i < r->n; i++) {
		jsonw_object(j);
		jsonw_knum(j, "x", r->x[i]);
		jsonw_knum(j, "percent", r->percent[i]);
		jsonw_kstr(j, "verdict", calc_compare_verdict_word(r->row[i]->verdict));
		if (explain) {
			struct why why;

			calc_why_row(a, r->row[i], r->row_family, &why);
			api_shapes_why(j, &why);
		}
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
	jsonw_knum(j, "onset", r->onset);
	jsonw_kstr(j, "per", r->line->unit);
	for (int c = 0; c < SWEEP_COSTS; c++)
		json_part(j, a, s, r, (enum sweep_cost)c, explain);
	jsonw_kstr(j, "statement", calc_sweep_sentence_statement(a, s, r));
	jsonw_kstr(j, "cost", calc_sweep_sentence_cost(a, s, r));
	jsonw_kstr(j, "sentence", calc_sweep_sentence(a, s, r));
	jsonw_object_end(j);
}

/* rows: the comparison of the first kernels; NULL: not asked for. */
static void as_json(struct buf *out, struct arena *a, const struct sweep *s, const struct compare *rows, bool explain)
{
	struct jsonw j = jsonw_begin(out);

	jsonw_object(&j);
	jsonw_key(&j, "axis");
	jsonw_object(&j);
	jsonw_kstr(&j, "name", s->axis);
	jsonw_kstr(&j, "unit", calc_words_axis_unit(s->axis));
	jsonw_kbool(&j, "log", s->log);
	jsonw_object_end(&j);
	jsonw_kstr(&j, "sentence", calc_sweep_sentences(a, s));
	jsonw_key(&j, "lines");
	jsonw_array(&j);
	for (size_t i = 0; i < s->n_lines; i++)
		json_line(&j, &s->lines[i]);
	jsonw_array_end(&j);
	jsonw_key(&j, "ratios");
	jsonw_array(&j);
	for (size_t i = 0; i < s->n_ratios; i++)
		api_sweep_ratio(&j, a, s, &s->ratios[i], explain);
	jsonw_array_end(&j);
	if (rows) {
		struct buf text;

		buf_init(&text);
		api_compare_json(&text, a, rows);
		jsonw_kraw(&j, "compare", text.p);
		buf_fini(&text);
	}
	jsonw_object_end(&j);
}

/* ---- CSV ---- */

static const struct table_col csv_head[] = {
	TABLE_STR("benchmark"), TABLE_STR("metric"), TABLE_STR("unit"), TABLE_STR("machine"), TABLE_STR("uarch"),
	TABLE_STR("thp"), TABLE_STR("base_page_kib"), TABLE_STR("params"), TABLE_STR("kernel"), TABLE_STR("axis"),
	TABLE_NUM("x"), TABLE_NUM("y"), TABLE_NUM("lo"), TABLE_NUM("hi"), TABLE_NUM("n"), TABLE_STR("base"),
	TABLE_NUM("percent"), TABLE_STR("verdict"), TABLE_NUM("onset"), TABLE_NUM("fit_fixed"),
	TABLE_NUM("fit_per_unit"), TABLE_NUM("fixed_percent"), TABLE_STR("fixed_verdict"), TABLE_STR("fixed_confidence"),
	TABLE_NUM("per_unit_percent"), TABLE_STR("per_unit_verdict"), TABLE_STR("per_unit_confidence"),
};

static const struct sweep_ratio *ratio_of(const struct sweep *s, const struct sweep_line *l)
{
	for (size_t i = 0; i < s->n_ratios; i++)
		if (s->ratios[i].line == l)
			return &s->ratios[i];
	return NULL;
}

static void csv_ratio(struct table *t, const struct sweep_ratio *r, double x)
{
	for (size_t i = 0; r && i < r->n; i++) {
		if (r->x[i] != x)
			continue;
		table_str(t, r->base->kernel->name);
		table_num(t, r->percent[i], NULL);
		table_str(t, calc_compare_verdict_word(r->row[i]->verdict));
		table_num(t, r->onset, NULL);
		return;
	}
	for (int i = 0; i < 4; i++)
		table_none(t);
}

static void csv_part(struct table *t, const struct sweep_ratio *r, enum sweep_cost c)
{
	const struct sweep_part *p = r && r->has_pair ? &r->part[c] : NULL;

	table_num(t, p ? p->percent : NAN, NULL);
	table_str(t, p ? calc_compare_verdict_word(p->verdict) : NULL);
	table_str(t, p ? calc_compare_confidence_word(p->confidence) : NULL);
}

static void csv_line(struct table *t, struct arena *a, const struct sweep *s, const struct sweep_line *l)
{
	const struct sweep_ratio *r = ratio_of(s, l);

	for (size_t i = 0; i < l->n; i++) {
		table_row(t);
		table_str(t, l->series->benchmark->name);
		table_str(t, l->series->metric->name);
		table_str(t, l->series->metric->unit);
		table_str(t, l->series->machine->name);
		table_str(t, l->series->machine->uarch);
		table_str(t, l->series->config->thp);
		table_str(t, calc_words_base_page(a, l->series->config));
		table_str(t, l->params);
		table_str(t, l->kernel->name);
		table_str(t, s->axis);
		table_num(t, l->x[i], NULL);
		table_num(t, l->y[i], NULL);
		table_num(t, l->lo[i], NULL);
		table_num(t, l->hi[i], NULL);
		table_i64(t, l->values[i]);
		csv_ratio(t, r, l->x[i]);
		table_num(t, l->has_fit ? l->fit.fixed : NAN, NULL);
		table_num(t, l->has_fit ? l->fit.per_unit : NAN, NULL);
		csv_part(t, r, SWEEP_FIXED);
		csv_part(t, r, SWEEP_PER_UNIT);
	}
}

static void as_csv(struct buf *out, struct arena *a, const struct sweep *s)
{
	struct table *t = table_new(a, csv_head, sizeof(csv_head) / sizeof(*csv_head));

	for (size_t i = 0; i < s->n_lines; i++)
		csv_line(t, a, s, &s->lines[i]);
	table_csv(out, t);
}

/* ---- the query ---- */

#define AXES_NAMED 20

/* axis=, or the only numeric parameter there is. */
static int axis_of(struct req *rq, const struct selection *sel, const char **axis, struct err *err)
{
	size_t n;
	const char **names = calc_sweep_axes(rq->arena, sel, &n);
	const char *list = "";

	*axis = web_arg(rq, "axis");
	if (!*axis && n == 1)
		*axis = names[0];
	for (size_t i = 0; i < n; i++) {
		if (*axis && !strcmp(names[i], *axis))
			return 0;
		if (i <= AXES_NAMED)
			list = arena_printf(rq->arena, "%s%s%s", list, i ? ", " : "", i < AXES_NAMED ? names[i] : "...");
	}
	if (!*axis)
		return err_set(err, ERR_BAD_ARGUMENT, "axis: a numeric parameter is needed%s%s", n ? ": " : "", list);
	/* nothing selected: an empty answer; else nobody measures along it */
	return sel->n ? calc_select_unknown(rq->arena, "axis", *axis, names, n, err) : 0;
}

/* kernel= arguments in order, each once; `previous` is before the first of the others. */
static int kernels_of(struct req *rq, const struct selection *sel, const struct cat_kernel ***kernels, size_t *n,
		      struct err *err)
{
	size_t n_values, n_named = 0;
	const char **values = web_args(rq, "kernel", &n_values);
	const struct cat_kernel **all = arena_array(rq->arena, const struct cat_kernel *, n_values + 1), *head = NULL;

	if (!n_values || n_values > SWEEP_KERNELS_MAX)
		return err_set(err, ERR_BAD_ARGUMENT, "kernel: 1 to %d kernels are needed", SWEEP_KERNELS_MAX);
	for (size_t i = 0; i < n_values; i++) {
		if (!strcmp(values[i], "previous"))
			continue;
		if (calc_select_kernel(rq->server->catalog, rq->db, rq->arena, "kernel", values[i], sel, &all[i],
				       err))
			return -1;
		if (!head)
			head = all[i];
		n_named++;
	}
	if (!n_named)
		return err_set(err, ERR_BAD_ARGUMENT, "kernel: previous to what? Name another kernel with it");
	*n = 0;
	for (size_t i = 0; i < n_values; i++) {
		size_t k = 0;

		if (!all[i] && calc_select_previous(rq->server->catalog, rq->db, rq->arena, "kernel", sel, head,
						    &all[i], err))
			return -1;
		while (k < *n && all[k] != all[i])
			k++;
		if (k == *n)
			all[(*n)++] = all[i];
	}
	*kernels = all;
	return 0;
}

static int onset_of(struct req *rq, double *percent, struct err *err)
{
	const char *text = web_arg(rq, "onset_percent");

	*percent = SWEEP_ONSET_PERCENT;
	if (text && (num_parse(text, strlen(text), percent) || !(*percent >= 0)))
		return err_set(err, ERR_BAD_ARGUMENT, "onset_percent: a number from 0 up is needed");
	return 0;
}

/* Where compare=1: the second kernel against the first, and the third as the fix. NULL with fewer than two. */
static int compare_of(struct req *rq, const struct selection *sel, const struct cat_kernel *const *kernels, size_t n,
		      const struct compare_runs *runs, struct compare **out, struct err *err)
{
	bool asked;

	*out = NULL;
	if (api_shapes_flag(rq, "compare", &asked, err))
		return -1;
	if (!asked || n < 2)
		return 0;
	return calc_compare(rq->server->catalog, rq->db, rq->arena, sel, kernels[0], kernels[1], n > 2 ? kernels[2] : NULL,
			    runs, out, err);
}

int api_sweep(struct req *rq, struct err *err)
{
	const struct cat_kernel **kernels = NULL;
	struct selection sel;
	struct compare_runs runs;
	struct compare *rows;
	struct sweep *s;
	const char *axis;
	double onset_percent;
	bool explain;
	size_t n = 0;

	if (api_shapes_selection(rq, &sel, err) || axis_of(rq, &sel, &axis, err) ||
	    kernels_of(rq, &sel, &kernels, &n, err) || onset_of(rq, &onset_percent, err) ||
	    api_shapes_flag(rq, "explain", &explain, err) || api_shapes_runs(rq, &runs, err) ||
	    calc_sweep(rq->server->catalog, rq->db, rq->arena, &sel, axis, kernels, n, &runs, onset_percent, &s, err) ||
	    compare_of(rq, &sel, kernels, n, &runs, &rows, err))
		return -1;
	if (rq->rep == REP_CSV)
		as_csv(&rq->out, rq->arena, s);
	else if (rq->rep == REP_TEXT)
		calc_sweep_text(&rq->out, rq->arena, s);
	else if (rq->rep == REP_SVG)
		calc_sweep_svg(&rq->out, rq->arena, s);
	else
		as_json(&rq->out, rq->arena, s, rows, explain);
	return 0;
}
