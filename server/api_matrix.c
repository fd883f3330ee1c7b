/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GET /api/v1/matrix: two kernels over machines, THP modes, ... */
#include "api_matrix.h"

#include <math.h>
#include <string.h>

#include "../chart/chart.h"
#include "../chart/table.h"
#include "api_shapes.h"
#include "calc_matrix.h"
#include "calc_matrix_text.h"
#include "calc_matrix_words.h"
#include "calc_words.h"

/* ---- JSON ---- */

static void json_labels(struct jsonw *j, const char *key, const struct matrix_label *l, size_t n)
{
	jsonw_key(j, key);
	jsonw_array(j);
	for (size_t i = 0; i < n; i++) {
		if (l[i].is_number)
			jsonw_num(j, l[i].number);
		else
			jsonw_str(j, l[i].text);
	}
	jsonw_array_end(j);
}

static void json_cell(struct jsonw *j, struct arena *a, const struct matrix *m, const struct matrix_cell *c, bool explain)
{
	if (!c->n_series) {
		jsonw_null(j);
		return;
	}
	jsonw_object(j);
	jsonw_knum(j, "percent", c->percent);
	api_shapes_interval(j, "ci", c->tested, c->ci_lo, c->ci_hi);
	jsonw_kstr(j, "direction", calc_compare_direction_word(c->direction));
	jsonw_kstr(j, "verdict", calc_compare_verdict_word(c->verdict));
	jsonw_kstr(j, "confidence", calc_compare_confidence_word(c->confidence));
	jsonw_kbool(j, "signs_disagree", c->signs_disagree);
	jsonw_ki64(j, "n_series", (int64_t)c->n_series);
	jsonw_ki64(j, "regressions", (int64_t)c->regressions);
	jsonw_ki64(j, "improvements", (int64_t)c->improvements);
	jsonw_key(j, "worst");
	jsonw_object(j);
	api_shapes_id(j, "series_id", c->worst->series->id);
	jsonw_knum(j, "change_percent", c->worst->change_percent);
	jsonw_object_end(j);
	if (explain) {
		struct why why;

		calc_why_cell(a, m, c, &why);
		api_shapes_why(j, &why);
	}
	jsonw_object_end(j);
}

static void json_net(struct jsonw *j, const struct matrix *m)
{
	struct matrix_net net;

	calc_matrix_net(m, &net);
	jsonw_key(j, "net");
	jsonw_object(j);
	jsonw_kstr(j, "verdict", net.verdict);
	jsonw_ki64(j, "better", (int64_t)net.better);
	jsonw_ki64(j, "worse", (int64_t)net.worse);
	jsonw_ki64(j, "unchanged", (int64_t)net.unchanged);
	jsonw_ki64(j, "inconclusive", (int64_t)net.inconclusive);
	jsonw_object_end(j);
}

static void as_json(struct buf *out, struct arena *a, const struct matrix *m, const char *cols, bool explain)
{
	struct jsonw j = jsonw_begin(out);

	jsonw_object(&j);
	jsonw_key(&j, "base");
	api_shapes_kernel(&j, m->compare->base);
	jsonw_key(&j, "head");
	api_shapes_kernel(&j, m->compare->head);
	jsonw_kstr(&j, "sentence", calc_matrix_sentence(a, m, cols));
	json_net(&j, m);
	json_labels(&j, "rows", m->rows, m->n_rows);
	json_labels(&j, "cols", m->cols, m->n_cols);
	jsonw_key(&j, "cells");
	jsonw_array(&j);
	for (size_t r = 0; r < m->n_rows; r++) {
		jsonw_array(&j);
		for (size_t c = 0; c < m->n_cols; c++)
			json_cell(&j, a, m, &m->cells[r * m->n_cols + c], explain);
		jsonw_array_end(&j);
	}
	jsonw_array_end(&j);
	jsonw_object_end(&j);
}

/* ---- CSV ---- */

static void as_csv(struct buf *out, struct arena *a, const struct matrix *m, const char *rows, const char *cols)
{
	/* the dimensions may be the same one: they are named by their place, too */
	const struct table_col head[] = {
		{ .name = arena_printf(a, "row:%s", rows) }, { .name = arena_printf(a, "col:%s", cols) },
		TABLE_STR("base"), TABLE_STR("head"), TABLE_NUM("percent"), TABLE_NUM("ci_lo"), TABLE_NUM("ci_hi"),
		TABLE_STR("verdict"), TABLE_STR("confidence"), TABLE_NUM("n_series"), TABLE_NUM("worst_series_id"),
		TABLE_NUM("worst_change_percent"),
	};
	struct table *t = table_new(a, head, sizeof(head) / sizeof(*head));

	for (size_t i = 0; i < m->n_rows * m->n_cols; i++) {
		const struct matrix_cell *c = &m->cells[i];

		if (!c->n_series)
			continue;
		table_row(t);
		table_str(t, m->rows[i / m->n_cols].text);
		table_str(t, m->cols[i % m->n_cols].text);
		table_str(t, m->compare->base->name);
		table_str(t, m->compare->head->name);
		table_num(t, c->percent, NULL);
		table_num(t, c->ci_lo, NULL);
		table_num(t, c->ci_hi, NULL);
		table_str(t, calc_compare_verdict_word(c->verdict));
		table_str(t, calc_compare_confidence_word(c->confidence));
		table_i64(t, (int64_t)c->n_series);
		table_i64(t, c->worst->series->id);
		table_num(t, c->worst->change_percent, NULL);
	}
	table_csv(out, t);
}

static void as_text(struct buf *out, struct arena *a, const struct matrix *m, const char *rows, const char *cols)
{
	if (m->n_rows && m->n_cols) {
		table_para(out, 2, table_clean(a, arena_printf(a, "%s against %s: %s", calc_words_kernel(a, m->compare->head),
							       calc_words_kernel(a, m->compare->base),
							       calc_matrix_sentence(a, m, cols))));
		buf_putc(out, '\n');
	}
	calc_matrix_text(out, a, m, rows, cols);
}

/* ---- picture ---- */

#define ROWS_DRAWN 60
#define COLS_DRAWN 16		/* of a readable width, on the paper's */

/*
 * 0 .. 4. Colour follows effect against noise; without a noise estimate it stays faint, whatever the
 * number. static/page_matrix.js has the same steps.
 */
static unsigned strength(const struct matrix_cell *c)
{
	double half, z;

	if (!isfinite(c->percent) || fabs(c->percent) < 0.05 || c->verdict == COMPARE_UNCHANGED)
		return 0;
	if (!c->tested)
		return fabs(c->percent) < 5 ? 1 : 2;
	half = (log1p(c->ci_hi / 100) - log1p(fmax(-99.99, c->ci_lo) / 100)) / 2;
	z = fabs(log1p(c->percent / 100)) / fmax(1e-9, half);
	return z < 1 ? 1 : z < 3 ? 2 : z < 10 ? 3 : 4;
}

/* Below the mean: what it says, or of a mean that tells nothing which of its rows do. */
static const char *note_of(struct arena *a, const struct matrix_cell *c, const char *word)
{
	if (c->signs_disagree)
		word = "signs disagree";
	else if (c->verdict == COMPARE_INCONCLUSIVE && c->n_series > 1 && c->regressions + c->improvements)
		return arena_printf(a, "%zu of %zu rows %s", c->regressions ? c->regressions : c->improvements, c->n_series,
				    c->regressions ? "worse" : "better");
	return arena_printf(a, "%s, %zu row%s", word, c->n_series, c->n_series == 1 ? "" : "s");
}

static struct chart_cell drawn(struct arena *a, const struct matrix_cell *c)
{
	const char *word = c->verdict != COMPARE_INCONCLUSIVE ? calc_compare_verdict_word(c->verdict) :
			   c->tested ? "inconclusive" : "unproven";

	if (!c->n_series)
		return (struct chart_cell){ 0 };
	return (struct chart_cell){
		.text = table_percent(a, c->percent),
		.note = note_of(a, c, word), .brief = word,
		.strength = strength(c),
		.tone = c->direction == COMPARE_WORSE ? CHART_WORSE : c->direction == COMPARE_BETTER ? CHART_BETTER :
			CHART_NEUTRAL,
	};
}

static const char **label_texts(struct arena *a, const struct matrix_label *l, size_t n)
{
	const char **texts = arena_array(a, const char *, n);

	for (size_t i = 0; i < n; i++)
		texts[i] = l[i].text;
	return texts;
}

static void as_svg(struct buf *out, struct arena *a, const struct matrix *m, const char *rows, const char *cols)
{
	struct chart_matrix c = {
		.title = arena_printf(a, "%s against %s by %s and %s", m->compare->head->name, m->compare->base->name, rows,
				      cols),
		.subtitle = "Change in percent, geometric mean over a cell's rows; colour by effect against noise",
		.row_name = rows, .col_name = cols,
		.rows = label_texts(a, m->rows, m->n_rows), .cols = label_texts(a, m->cols, m->n_cols),
		.n_rows = m->n_rows < ROWS_DRAWN ? m->n_rows : ROWS_DRAWN,
		.n_cols = m->n_cols < COLS_DRAWN ? m->n_cols : COLS_DRAWN,
		.n_all_rows = m->n_rows, .n_all_cols = m->n_cols,
	};
	struct chart_cell *cells = arena_array(a, struct chart_cell, c.n_rows * c.n_cols);

	for (size_t i = 0; i < c.n_rows * c.n_cols; i++)
		cells[i] = drawn(a, &m->cells[i / c.n_cols * m->n_cols + i % c.n_cols]);
	c.cells = cells;
	chart_matrix_svg(out, &c);
}

static int dimension(struct req *rq, const char *arg, const char *standard, const char **name, struct err *err)
{
	*name = web_arg(rq, arg) ? web_arg(rq, arg) : standard;
	if (calc_matrix_is_dimension(*name))
		return 0;
	return err_set(err, ERR_BAD_ARGUMENT, "%s: one of machine, uarch, isa, thp, benchmark, track, param.NAME is "
		       "needed", arg);
}

/* A parameter that nothing selected has is a misspelt one; of nothing, anything is right. */
static int check_param(struct req *rq, const char *arg, const char *name, const struct selection *sel,
		       struct err *err)
{
	const char **names;
	size_t n = 0, most = 0;

	if (strncmp(name, "param.", 6) || !sel->n)
		return 0;
	for (size_t i = 0; i < sel->n; i++)
		most += sel->series[i]->n_params;
	names = arena_array(rq->arena, const char *, most);
	for (size_t i = 0; i < sel->n; i++) {
		const struct cat_series *s = sel->series[i];

		for (size_t p = 0; p < s->n_params; p++) {
			if (!strcmp(s->param[p].name, name + 6))
				return 0;
			names[n++] = s->param[p].name;	/* again and again: told once all the same */
		}
	}
	return calc_select_unknown(rq->arena, arg, name + 6, names, n, err);
}

int api_matrix(struct req *rq, struct err *err)
{
	const struct cat_kernel *base, *head, *fix;
	struct selection sel;
	struct compare_runs runs;
	struct compare *c;
	struct matrix *m;
	const char *rows, *cols;
	bool explain;

	if (dimension(rq, "rows", "uarch", &rows, err) || dimension(rq, "cols", "thp", &cols, err) ||
	    api_shapes_selection(rq, &sel, err) || check_param(rq, "rows", rows, &sel, err) ||
	    check_param(rq, "cols", cols, &sel, err) || api_shapes_kernels(rq, &sel, &base, &head, &fix, err) ||
	    api_shapes_flag(rq, "explain", &explain, err) || api_shapes_runs(rq, &runs, err) ||
	    calc_compare(rq->server->catalog, rq->db, rq->arena, &sel, base, head, NULL, &runs, &c, err))
		return -1;
	m = calc_matrix_labels(rq->arena, c, rows, cols);
	if (m->n_rows * m->n_cols > MATRIX_CELLS_MAX)
		return err_set(err, ERR_BAD_ARGUMENT, "%zu rows times %zu columns are too much for one answer: at most %d cells; "
			       "select fewer, by benchmark, machine, thp, ...", m->n_rows, m->n_cols, MATRIX_CELLS_MAX);
	calc_matrix_fill(rq->arena, m, rows, cols);
	if (rq->rep == REP_CSV)
		as_csv(&rq->out, rq->arena, m, rows, cols);
	else if (rq->rep == REP_TEXT)
		as_text(&rq->out, rq->arena, m, rows, cols);
	else if (rq->rep == REP_SVG)
		as_svg(&rq->out, rq->arena, m, rows, cols);
	else
		as_json(&rq->out, rq->arena, m, cols, explain);
	return 0;
}
