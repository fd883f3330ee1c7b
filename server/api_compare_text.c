/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare.txt: what a mail to a kernel list would say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../chart/table.h"
#include "api_compare.h"
#include "calc_arranged.h"
#include "calc_facts.h"
#include "calc_sweep_sentence.h"
#include "calc_words.h"

#define MISSING_SHOWN 20

/* Rows of one table stand together: row order, but metric before params. */
static int by_table(const void *x, const void *y)
{
	const struct compare_row *r = *(const struct compare_row *const *)x;
	const struct compare_row *q = *(const struct compare_row *const *)y;
	const struct cat_series *s = r->series, *t = q->series;
	int d = strcmp(s->benchmark->name, t->benchmark->name);

	if (!d)
		d = strcmp(s->machine->name, t->machine->name);
	if (!d)
		d = strcmp(s->config->thp, t->config->thp);
	if (!d && s->metric != t->metric)
		d = strcmp(s->metric->name, t->metric->name);
	if (!d && s->metric != t->metric)
		d = s->metric->id < t->metric->id ? -1 : 1;
	if (!d && s->config != t->config)
		d = s->config->id < t->config->id ? -1 : 1;
	return d ? d : (r > q) - (r < q);
}

static bool same_table(const struct cat_series *s, const struct cat_series *t)
{
	return s->benchmark == t->benchmark && s->metric == t->metric && s->machine == t->machine &&
	       s->config == t->config;
}

/* The one parameter that all rows of a table have, and no other: then it names the first column. */
static const char *only_param(const struct compare_row *const *rows, size_t n)
{
	const char *name = rows[0]->series->n_params == 1 ? rows[0]->series->param[0].name : NULL;

	for (size_t i = 1; i < n && name; i++)
		if (rows[i]->series->n_params != 1 || strcmp(rows[i]->series->param[0].name, name))
			name = NULL;
	return name;
}

static const char *row_name(struct arena *a, const struct cat_series *s, const char *param)
{
	if (param)
		return calc_words_axis_value(a, param, s->param[0].text);
	return s->n_params ? calc_words_params(a, s, NULL) : "-";
}

static const char *verdict_text(struct arena *a, const struct compare_row *r)
{
	if (r->verdict == COMPARE_INCONCLUSIVE)
		return "can't tell";
	if (r->verdict == COMPARE_UNCHANGED)
		return "unchanged";
	return arena_printf(a, "%s (%s)", calc_compare_verdict_word(r->verdict),
			    calc_compare_confidence_word(r->confidence));
}

static void row_cells(struct table *t, struct arena *a, const struct compare_row *r, const char *param, bool fix)
{
	const char *unit = r->series->metric->unit;

	table_row(t);
	table_str(t, row_name(a, r->series, param));
	table_num(t, r->base.center, table_value(a, r->base.center, unit));
	table_num(t, r->head.center, table_value(a, r->head.center, unit));
	table_num(t, r->change_percent, table_percent(a, r->change_percent));
	if (fix) {
		double center = r->fix.runs ? r->fix.center : NAN;

		table_num(t, center, table_value(a, center, unit));
		table_num(t, r->remaining_percent, table_percent(a, r->remaining_percent));
		table_num(t, r->restored_percent, arena_printf(a, "%.1f %%", r->restored_percent));
	} else {
		table_num(t, r->noise_percent, arena_printf(a, "%.2g %%", r->noise_percent));
		table_str(t, verdict_text(a, r));
	}
}

/* Under a table with a fix, which has no room for it: which rows have which verdict. */
static void verdict_lines(struct buf *out, struct arena *a, const struct compare_row *const *rows, size_t n,
			  const char *param)
{
	size_t tested = 0;

	for (size_t i = 0; i < n; i++)
		tested += rows[i]->tested;
	for (size_t i = 0; i < n && tested; i++) {
		const char *verdict = verdict_text(a, rows[i]), *line;
		bool told = false;
		size_t same = 0;

		for (size_t k = 0; k < i && !told; k++)
			told = !strcmp(verdict, verdict_text(a, rows[k]));
		if (told)
			continue;
		line = arena_printf(a, "%s:", verdict);
		for (size_t k = i; k < n; k++)
			if (!strcmp(verdict, verdict_text(a, rows[k])))
				line = arena_printf(a, "%s%s %s", line, same++ ? "," : "",
						    row_name(a, rows[k]->series, param));
		table_para(out, 2, same == n ? arena_printf(a, "%s: all", verdict) : table_clean(a, line));
	}
}

/* Noise is the spread of logarithms. */
static bool has_ratio(const struct compare_row *row)
{
	return row->base.min > 0 && row->head.min > 0;
}

/* How many values stand behind the numbers, and what that allows to say. */
static void noise_line(struct buf *out, struct arena *a, const struct compare_row *const *rows, size_t n)
{
	size_t single = 0, untested = 0, no_ratio = 0;
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < n; i++) {
		single += !rows[i]->tested && rows[i]->base.n == 1 && rows[i]->head.n == 1;
		no_ratio += !rows[i]->tested && !has_ratio(rows[i]);
		untested += !rows[i]->tested && has_ratio(rows[i]);
		if (rows[i]->tested) {
			least = fmin(least, rows[i]->detectable_percent);
			most = fmax(most, rows[i]->detectable_percent);
		}
	}
	if (no_ratio)
		table_para(out, 2, arena_printf(a, "%zu of %zu rows have a value of 0 or less: noise is told, and a verdict "
						"given, of values above 0 only.", no_ratio, n));
	if (single == n && !no_ratio)
		table_para(out, 2, "n = 1 on each side, no history: no noise estimate, so no row has a verdict.");
	else if (untested)
		table_para(out, 2, arena_printf(a, "%zu of %zu rows have no noise estimate (n = 1, or no spread "
						"told, and no history): no verdict there.", untested, n));
	if (untested + no_ratio < n)
		table_para(out, 2, arena_printf(a, "Seen with 80 %% power at these repetitions: %s",
						most - least < .05 * most ?
						arena_printf(a, "%.2g %%.", most) :
						arena_printf(a, "%.2g %% .. %.2g %%.", least, most)));
}

static const struct table_col with_fix[] = {
	TABLE_STR("size"), TABLE_NUM("base"), TABLE_NUM("head"), TABLE_NUM("change"),
	TABLE_NUM("fix"), TABLE_NUM("remains"), TABLE_NUM("restored"),
};
static const struct table_col without_fix[] = {
	TABLE_STR("size"), TABLE_NUM("base"), TABLE_NUM("head"), TABLE_NUM("change"),
	TABLE_NUM("noise"), TABLE_STR("verdict"),
};

/* What the rows of a table say together, where they are sizes of one thing. */
static void sweep_lines(struct buf *out, struct arena *a, const struct sweep *s, const struct cat_series *first)
{
	for (size_t i = 0; s && i < s->n_ratios; i++) {
		const struct sweep_ratio *r = &s->ratios[i];

		if (r->has_pair && same_table(r->line->series, first))
			table_para(out, 2, table_clean(a, calc_sweep_sentence(a, s, r)));
	}
}

static void one_table(struct buf *out, struct arena *a, const struct compare_row *const *rows, size_t n, bool fix,
		      const struct sweep *sweep)
{
	const char *param = only_param(rows, n);
	size_t n_cols = fix ? sizeof(with_fix) / sizeof(*with_fix) : sizeof(without_fix) / sizeof(*without_fix);
	struct table_col *cols = arena_array(a, struct table_col, n_cols);
	struct table *t;

	memcpy(cols, fix ? with_fix : without_fix, n_cols * sizeof(*cols));
	cols[0].head = table_clean(a, param ? calc_words_axis_head(a, param) : "parameters");
	cols[0].right = param != NULL;
	t = table_new(a, cols, n_cols);
	for (size_t i = 0; i < n; i++)
		row_cells(t, a, rows[i], param, fix);
	table_para(out, 2, table_clean(a, calc_words_metric(a, rows[0]->series)));
	table_para(out, 2, table_clean(a, calc_words_where(a, rows[0]->series)));
	buf_putc(out, '\n');
	table_txt(out, t);
	buf_putc(out, '\n');
	if (fix)
		verdict_lines(out, a, rows, n, param);
	noise_line(out, a, rows, n);
	if (param)
		sweep_lines(out, a, sweep, rows[0]->series);
	buf_putc(out, '\n');
}

static void kernel_line(struct buf *out, struct arena *a, const char *side, const struct cat_kernel *k)
{
	table_para(out, 6, arena_printf(a, "%s  %s (%s)", side, table_clean(a, k->name), k->track));
}

static void summary(struct buf *out, struct arena *a, const struct compare *c)
{
	const char *text = arena_printf(a, "%zu row%s: %zu regression%s, %zu improvement%s, %zu unchanged, "
					"%zu can't tell.", c->n_rows, c->n_rows == 1 ? "" : "s", c->regressions,
					c->regressions == 1 ? "" : "s", c->improvements,
					c->improvements == 1 ? "" : "s", c->unchanged, c->inconclusive);
	size_t claims = c->regressions + c->improvements;
	bool mixed = false;

	for (size_t i = 1; i < c->n_rows; i++)
		mixed |= c->rows[i].series->metric->better != c->rows[0].series->metric->better;
	if (isfinite(c->geomean_percent))
		text = arena_printf(a, "%s Geomean %s%s.", text, table_percent(a, c->geomean_percent),
				    mixed ? ", over rows where less and rows where more is better" : "");
	if (isfinite(c->geomean_lo) && c->n_rows > 1)
		text = arena_printf(a, "%s (95 %% CI %s .. %s.)", text, table_percent(a, c->geomean_lo),
				    table_percent(a, c->geomean_hi));
	if (c->signs_disagree)
		text = arena_printf(a, "%s Signs disagree: some rows are surely above and some surely below nothing.", text);
	if (c->family > 1 && claims)
		text = arena_printf(a, "%s Of %zu claims over %zu tests at most %.2g are false, on average.", text, claims,
				    c->family, AB_Q_WEAK * (double)claims);
	if (isfinite(c->restored_percent))
		text = arena_printf(a, "%s The fix restores %.1f %% of it.", text, c->restored_percent);
	table_para(out, 0, text);
}

static void missing(struct buf *out, struct arena *a, const struct compare *c)
{
	if (!c->n_missing)
		return;
	buf_printf(out, "\nWithout a value (%zu):\n", c->n_missing);
	for (size_t i = 0; i < c->n_missing && i < MISSING_SHOWN; i++) {
		const struct compare_missing *m = &c->missing[i];
		const char *params = calc_words_params(a, m->series, NULL);

		table_para(out, 4, table_clean(a, arena_printf(
			a, "- %s%s%s on %s, THP %s: %s %s%s%s", m->series->benchmark->name, *params ? " " : "", params,
			m->series->machine->name, m->series->config->thp, calc_compare_side_word(m->side),
			m->reason == COMPARE_NOT_RUN ? "not run" : calc_compare_reason_word(m->reason),
			m->error ? ": " : "", m->error ? m->error : "")));
	}
	if (c->n_missing > MISSING_SHOWN)
		buf_printf(out, "- and %zu more\n", c->n_missing - MISSING_SHOWN);
}

static void generated(struct buf *out, struct arena *a, const struct compare *c)
{
	const char **machines = arena_array(a, const char *, c->n_rows), *text;

	for (size_t i = 0; i < c->n_rows; i++)
		machines[i] = c->rows[i].series->machine->name;
	text = calc_words_generated(machines, c->n_rows);
	if (text)
		table_para(out, 0, text);
}

/* Rows of one table, in their order. */
struct part {
	const struct compare_row **rows;
	size_t n;
};

static int by_first_row(const void *x, const void *y)
{
	const struct part *p = x, *q = y;

	return (p->rows[0] > q->rows[0]) - (p->rows[0] < q->rows[0]);
}

/* Some rows, a table after the other: as they are named, or (arranged) as the first row of each stands. */
static void tables(struct buf *out, struct arena *a, const struct compare *c, const struct compare_row *first, size_t n,
		   const struct sweep *sweep)
{
	const struct compare_row **rows = arena_array(a, const struct compare_row *, n + 1);
	struct part *parts = arena_array(a, struct part, n + 1);
	size_t n_parts = 0;

	for (size_t i = 0; i < n; i++)
		rows[i] = &first[i];
	qsort(rows, n, sizeof(*rows), by_table);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from; to < n && same_table(rows[from]->series, rows[to]->series);)
			to++;
		parts[n_parts++] = (struct part){ rows + from, to - from };
	}
	if (c->arranged_by)
		qsort(parts, n_parts, sizeof(*parts), by_first_row);
	for (size_t i = 0; i < n_parts; i++)
		one_table(out, a, parts[i].rows, parts[i].n, c->fix != NULL, sweep);
}

static void all_tables(struct buf *out, struct arena *a, const struct compare *c, const struct sweep *sweep)
{
	const struct compare_row *at = c->rows;

	if (!c->grouped_by)
		tables(out, a, c, at, c->n_rows, sweep);
	for (size_t i = 0; i < c->n_groups; i++) {
		const struct compare_group *g = &c->groups[i];
		const char *mean = isfinite(g->geomean_percent) ?
				   arena_printf(a, ", geomean %s", table_percent(a, g->geomean_percent)) : "";

		table_para(out, 3, table_clean(a, arena_printf(
			a, "== %s: %zu row%s%s; %zu regression%s, %zu improvement%s, %zu unchanged", g->value, g->n_rows,
			g->n_rows == 1 ? "" : "s", mean, g->regressions, g->regressions == 1 ? "" : "s", g->improvements,
			g->improvements == 1 ? "" : "s", g->unchanged)));
		buf_putc(out, '\n');
		tables(out, a, c, at, g->n_rows, sweep);
		at += g->n_rows;
	}
}

/* Which rows are shown and how they stand, where that is not all of them as ever. */
static void arrangement(struct buf *out, struct arena *a, const struct compare *c)
{
	const char *text = "";

	if (c->chosen_by)
		text = arena_printf(a, "%zu of %zu rows shown: %s. Counts, means and sentences are of all.", c->n_rows,
				    calc_compare_whole(c)->n_rows, c->chosen_by);
	if (c->arranged_by)
		text = arena_printf(a, "%s%sThe rows are %s.", text, *text ? " " : "", c->arranged_by);
	if (*text) {
		buf_putc(out, '\n');
		table_para(out, 0, table_clean(a, text));
	}
}

void api_compare_text(struct buf *out, struct arena *a, const struct compare *c)
{
	const struct compare *whole = calc_compare_whole(c);
	const struct sweep *sweep = calc_sweep_of(a, whole);

	kernel_line(out, a, "base", c->base);
	kernel_line(out, a, "head", c->head);
	if (c->fix)
		kernel_line(out, a, "fix ", c->fix);
	generated(out, a, whole);
	if (whole->n_rows) {
		buf_putc(out, '\n');
		table_para(out, 0, table_clean(a, arena_printf(a, "%s against %s: %s", calc_words_kernel(a, c->head),
							       calc_words_kernel(a, c->base), calc_facts(a, whole))));
	}
	arrangement(out, a, c);
	buf_putc(out, '\n');
	all_tables(out, a, c, sweep);
	summary(out, a, whole);
	missing(out, a, c);
}
