/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GET /api/v1/compare: two kernels, and what a third brings back. */
#include "api_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../chart/table.h"
#include "../lib/num.h"
#include "api_compare_values.h"
#include "api_shapes.h"
#include "api_sweep.h"
#include "calc_arranged.h"
#include "calc_facts.h"
#include "calc_shown.h"
#include "calc_words.h"

/* ---- JSON ---- */

static void json_interval(struct jsonw *j, double lo, double hi)
{
	if (!isfinite(lo) || !isfinite(hi)) {
		jsonw_null(j);
		return;
	}
	jsonw_array(j);
	jsonw_num(j, lo);
	jsonw_num(j, hi);
	jsonw_array_end(j);
}

/* why, values: NULL unless they are asked for. */
static void json_row(struct jsonw *j, const struct compare_row *r, const struct why *why, const struct compare_values *values)
{
	api_compare_row(j, r);
	if (why)
		api_shapes_why(j, why);
	if (values)
		api_compare_values_json(j, values);
	jsonw_object_end(j);
}

static void json_missing(struct jsonw *j, const struct compare_missing *m)
{
	jsonw_object(j);
	api_shapes_id(j, "series_id", m->series->id);
	jsonw_kstr(j, "benchmark", m->series->benchmark->name);
	jsonw_kstr(j, "metric", m->series->metric->name);
	jsonw_kraw(j, "params", m->series->params);
	jsonw_kstr(j, "machine", m->series->machine->name);
	jsonw_kstr(j, "thp", m->series->config->thp);
	jsonw_kstr(j, "side", calc_compare_side_word(m->side));
	jsonw_kstr(j, "reason", calc_compare_reason_word(m->reason));
	jsonw_kstr(j, "error", m->error);
	jsonw_object_end(j);
}

struct asked {			/* beside the comparison itself */
	bool explain, sweeps;
	int64_t only;		/* a series' id, or 0: all rows */
	const struct compare_values *values;	/* of that series; NULL: not asked for */
};

static void rows_asked(struct jsonw *j, struct arena *a, const struct compare *c, const struct asked *asked)
{
	struct why why;

	for (size_t i = 0; i < c->n_rows; i++) {
		if (asked->only && c->rows[i].series->id != asked->only)
			continue;
		if (asked->explain)
			calc_why_row(a, &c->rows[i], c->family, &why);
		json_row(j, &c->rows[i], asked->explain ? &why : NULL, asked->values);
	}
}

static void json_rows(struct jsonw *j, struct arena *a, const struct compare *c, const struct asked *asked)
{
	jsonw_key(j, "rows");
	jsonw_array(j);
	if (asked->explain || asked->only)
		rows_asked(j, a, c, asked);
	else
		api_compare_rows(j->out, c);
	jsonw_array_end(j);
}

/* Of the rows in this order the first n_rows, then the next, ... */
static void json_groups(struct jsonw *j, const struct compare *c)
{
	jsonw_key(j, "groups");
	jsonw_array(j);
	for (size_t i = 0; i < c->n_groups; i++) {
		const struct compare_group *g = &c->groups[i];

		jsonw_object(j);
		jsonw_kstr(j, "value", g->value);
		jsonw_ki64(j, "rows", (int64_t)g->n_rows);
		jsonw_ki64(j, "regressions", (int64_t)g->regressions);
		jsonw_ki64(j, "improvements", (int64_t)g->improvements);
		jsonw_ki64(j, "unchanged", (int64_t)g->unchanged);
		jsonw_knum(j, "geomean_percent", g->geomean_percent);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
}

/* What the rows say together, size by size: as the sweep would. */
static void json_sweeps(struct jsonw *j, struct arena *a, const struct compare *c, bool explain)
{
	const struct sweep *s = calc_sweep_of(a, calc_compare_whole(c));

	jsonw_key(j, "sweeps");
	jsonw_array(j);
	for (size_t i = 0; s && i < s->n_ratios; i++)
		if (s->ratios[i].has_pair)
			api_sweep_ratio(j, a, s, &s->ratios[i], explain);
	jsonw_array_end(j);
}

/* Of the summary: how sure its mean is, and what q is over. */
static void json_explained(struct jsonw *j, const struct compare *c)
{
	jsonw_key(j, "why");
	jsonw_object(j);
	jsonw_key(j, "geomean_ci");
	json_interval(j, c->geomean_lo, c->geomean_hi);
	jsonw_key(j, "signs_disagree");
	jsonw_bool(j, c->signs_disagree);
	jsonw_ki64(j, "family", (int64_t)c->family);
	jsonw_knum(j, "expected_false", AB_Q_WEAK * (double)(c->regressions + c->improvements));
	jsonw_object_end(j);
}

static void as_json(struct buf *out, struct arena *a, const struct compare *c, const struct asked *asked)
{
	struct jsonw j = jsonw_begin(out);

	jsonw_object(&j);
	jsonw_key(&j, "base");
	api_shapes_kernel(&j, c->base);
	jsonw_key(&j, "head");
	api_shapes_kernel(&j, c->head);
	jsonw_key(&j, "fix");
	api_shapes_kernel(&j, c->fix);
	jsonw_key(&j, "summary");
	jsonw_object(&j);
	jsonw_ki64(&j, "rows", (int64_t)calc_compare_whole(c)->n_rows);
	if (c->chosen_by)
		jsonw_ki64(&j, "shown", (int64_t)c->n_rows);
	jsonw_ki64(&j, "regressions", (int64_t)c->regressions);
	jsonw_ki64(&j, "improvements", (int64_t)c->improvements);
	jsonw_ki64(&j, "unchanged", (int64_t)c->unchanged);
	jsonw_ki64(&j, "inconclusive", (int64_t)c->inconclusive);
	jsonw_knum(&j, "geomean_percent", c->geomean_percent);
	jsonw_knum(&j, "restored_percent", c->restored_percent);
	if (asked->explain)
		json_explained(&j, c);
	jsonw_object_end(&j);
	json_rows(&j, a, c, asked);
	if (c->grouped_by)
		json_groups(&j, c);
	if (asked->sweeps)
		jsonw_kstr(&j, "sentence", calc_facts(a, calc_compare_whole(c)));
	if (asked->sweeps)
		json_sweeps(&j, a, c, asked->explain);
	jsonw_key(&j, "missing");
	jsonw_array(&j);
	for (size_t i = 0; i < c->n_missing; i++)
		json_missing(&j, &c->missing[i]);
	jsonw_array_end(&j);
	jsonw_object_end(&j);
}

void api_compare_json(struct buf *out, struct arena *a, const struct compare *c)
{
	as_json(out, a, c, &(struct asked){ 0 });
}

/* ---- CSV ---- */

static const struct table_col csv_head[] = {
	TABLE_STR("series_id"), TABLE_STR("benchmark"), TABLE_STR("metric"), TABLE_STR("unit"),
	TABLE_STR("better"), TABLE_STR("params"), TABLE_STR("machine"), TABLE_STR("isa"),
	TABLE_STR("uarch"), TABLE_STR("thp"), TABLE_STR("base_page_kib"), TABLE_STR("base"),
	TABLE_STR("base_runs"), TABLE_STR("base_boots"), TABLE_STR("base_n"),
	TABLE_STR("base_center"), TABLE_STR("base_stddev"), TABLE_STR("base_min"),
	TABLE_STR("base_max"), TABLE_STR("head"), TABLE_STR("head_runs"),
	TABLE_STR("head_boots"), TABLE_STR("head_n"), TABLE_STR("head_center"),
	TABLE_STR("head_stddev"), TABLE_STR("head_min"), TABLE_STR("head_max"),
	TABLE_STR("fix"), TABLE_STR("fix_runs"), TABLE_STR("fix_boots"), TABLE_STR("fix_n"),
	TABLE_STR("fix_center"), TABLE_STR("fix_stddev"), TABLE_STR("fix_min"),
	TABLE_STR("fix_max"), TABLE_STR("change_percent"), TABLE_STR("direction"),
	TABLE_STR("change_ci_lo"), TABLE_STR("change_ci_hi"), TABLE_STR("verdict"),
	TABLE_STR("confidence"), TABLE_STR("p"), TABLE_STR("q"), TABLE_STR("noise_percent"),
	TABLE_STR("detectable_percent"), TABLE_STR("restored_percent"),
	TABLE_STR("remaining_percent"),
};

static void csv_side(struct table *t, const struct cat_kernel *k, const struct stats_side *s)
{
	table_str(t, k ? k->name : NULL);
	if (!s->runs) {
		for (int i = 0; i < 7; i++)
			table_none(t);
		return;
	}
	table_i64(t, s->runs);
	table_i64(t, s->boots);
	table_i64(t, s->n);
	table_num(t, s->center, NULL);
	table_num(t, s->stddev, NULL);
	table_num(t, s->min, NULL);
	table_num(t, s->max, NULL);
}

static void csv_row(struct table *t, struct arena *a, const struct compare *c, const struct compare_row *r)
{
	const struct cat_series *s = r->series;

	table_row(t);
	table_i64(t, s->id);
	table_str(t, s->benchmark->name);
	table_str(t, s->metric->name);
	table_str(t, s->metric->unit);
	table_str(t, better_word(s->metric->better));
	table_str(t, s->params);
	table_str(t, s->machine->name);
	table_str(t, s->machine->isa);
	table_str(t, s->machine->uarch);
	table_str(t, s->config->thp);
	table_str(t, calc_words_base_page(a, s->config));
	csv_side(t, c->base, &r->base);
	csv_side(t, c->head, &r->head);
	csv_side(t, c->fix, &r->fix);
	table_num(t, r->change_percent, NULL);
	table_str(t, calc_compare_direction_word(r->direction));
	table_num(t, r->ci_lo, NULL);
	table_num(t, r->ci_hi, NULL);
	table_str(t, calc_compare_verdict_word(r->verdict));
	table_str(t, calc_compare_confidence_word(r->confidence));
	table_num(t, r->p, NULL);
	table_num(t, r->q, NULL);
	table_num(t, r->noise_percent, NULL);
	table_num(t, r->detectable_percent, NULL);
	table_num(t, r->restored_percent, NULL);
	table_num(t, r->remaining_percent, NULL);
}

static void as_csv(struct buf *out, struct arena *a, const struct compare *c)
{
	struct table *t = table_new(a, csv_head, sizeof(csv_head) / sizeof(*csv_head));

	for (size_t i = 0; i < c->n_rows; i++)
		csv_row(t, a, c, &c->rows[i]);
	table_csv(out, t);
}

static int asked_of(struct req *rq, struct asked *asked, struct err *err)
{
	const char *only = web_arg(rq, "only");

	*asked = (struct asked){ 0 };
	if (only && (num_parse_i64(only, strlen(only), &asked->only) || asked->only <= 0))
		return err_set(err, ERR_BAD_ARGUMENT, "only: the series_id of a row is needed");
	if (api_shapes_flag(rq, "sweeps", &asked->sweeps, err))
		return -1;
	return api_shapes_flag(rq, "explain", &asked->explain, err);
}

/* Which rows to show: no argument of these changes what is compared. */
static int shown_of(struct req *rq, struct shown *s, struct err *err)
{
	const char *size = web_arg(rq, "size");

	*s = (struct shown){ .verdict = web_arg(rq, "verdict"), .confidence = web_arg(rq, "confidence"),
			     .text = web_arg(rq, "text"), .on = web_arg(rq, "on"), .mode = web_arg(rq, "mode") };
	if (s->verdict && !calc_shown_is_verdict(s->verdict))
		return err_set(err, ERR_BAD_ARGUMENT,
			       "verdict: regression, improvement, unchanged, inconclusive, worse or better is needed");
	if (s->confidence && !calc_shown_is_confidence(s->confidence))
		return err_set(err, ERR_BAD_ARGUMENT, "confidence: any, weak (or more) or strong is needed");
	if (size && !calc_shown_size(s, size))
		return err_set(err, ERR_BAD_ARGUMENT, "size: FROM..TO is needed, numbers of which one may be left out");
	return 0;
}

/* In which order and groups; nor does this change what is compared. */
static int arranged_of(struct req *rq, struct arrange *how, struct err *err)
{
	*how = (struct arrange){ .sort = web_arg(rq, "sort"), .group = web_arg(rq, "group") };
	if (how->sort && !calc_arranged_is_sort(how->sort))
		return err_set(err, ERR_BAD_ARGUMENT, "sort: row, effect, change, noise, detectable, restored or remains is "
						      "needed; with a - before it the largest come first");
	if (how->group && !calc_arranged_is_group(how->group))
		return err_set(err, ERR_BAD_ARGUMENT,
			       "group: benchmark, metric, machine, uarch, isa, thp, page, sweep, param.NAME or none is needed");
	return 0;
}

int api_compare(struct req *rq, struct err *err)
{
	const struct cat_kernel *base, *head, *fix;
	struct selection sel;
	struct compare_runs runs;
	struct compare *c;
	struct asked asked;
	struct compare_values values;
	struct shown which;
	struct arrange how;
	const struct compare *shown;
	bool with_values;

	if (api_shapes_selection(rq, &sel, err) || api_shapes_kernels(rq, &sel, &base, &head, &fix, err) ||
	    asked_of(rq, &asked, err) || shown_of(rq, &which, err) || arranged_of(rq, &how, err) ||
	    api_shapes_flag(rq, "values", &with_values, err) ||
	    api_shapes_runs(rq, &runs, err))
		return -1;
	if (with_values && !asked.only)
		return err_set(err, ERR_BAD_ARGUMENT, "values: of one row; which one, only=SERIES_ID tells");
	if (calc_compare(rq->server->catalog, rq->db, rq->arena, &sel, base, head, fix, &runs, &c, err) ||
	    (with_values && api_compare_values(rq, c, &runs, asked.only, &values, err)))
		return -1;
	if (with_values)
		asked.values = &values;
	shown = calc_arranged(rq->arena, calc_shown(rq->arena, c, &which), &how);
	if (rq->rep == REP_CSV)
		as_csv(&rq->out, rq->arena, shown);
	else if (rq->rep == REP_TEXT)
		api_compare_text(&rq->out, rq->arena, shown);
	else if (rq->rep == REP_SVG)
		api_compare_svg(&rq->out, rq->arena, shown);
	else
		as_json(&rq->out, rq->arena, shown, &asked);
	return 0;
}
