/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sweep in words, as tables for a mail, and as the data of its picture. */
#include "calc_sweep_text.h"

#include <math.h>
#include <string.h>

#include "../chart/chart.h"
#include "../chart/table.h"
#include "../lib/num.h"
#include "calc_sweep_sentence.h"
#include "calc_words.h"

#define HEAD_MAX 12		/* a kernel's name over a column */
#define LINES_DRAWN 24

/* "n = 1", "n = 3 .. 5" over the lines of a group (of all: group = SIZE_MAX). */
static const char *n_words(struct arena *a, const struct sweep *s, size_t group)
{
	int64_t least = INT64_MAX, most = 0;

	for (size_t i = 0; i < s->n_lines; i++)
		for (size_t k = 0; k < s->lines[i].n && (group == SIZE_MAX || s->lines[i].group == group); k++) {
			int64_t n = s->lines[i].values[k];

			least = n < least ? n : least;
			most = n > most ? n : most;
		}
	if (most == 1)
		return "n = 1: no noise estimate";
	if (least == most)
		return arena_printf(a, "n = %lld values a point", (long long)most);
	return arena_printf(a, "n = %lld .. %lld values a point", (long long)least, (long long)most);
}

/* ---- text ---- */

/* What stands over a kernel's columns: its name when short, of a variant what was done, else a letter. */
static const char *head_of(struct arena *a, const struct sweep *s, size_t from, size_t to, size_t i)
{
	const struct cat_kernel *k = s->lines[i].kernel;
	const char *plus = strchr(k->name, '+'), *dash = plus ? strchr(plus, '-') : NULL, *head;
	bool twice = false;

	if (k->is_variant && dash)
		head = arena_strndup(a, plus, (size_t)(dash - plus));
	else
		head = k->name;
	for (size_t o = from; o < to; o++)
		twice |= o != i && s->lines[o].kernel->is_variant && k->is_variant;
	if (strlen(head) > HEAD_MAX || twice)
		return arena_printf(a, "(%zu)", i - from + 1);
	return head;
}

static const struct sweep_ratio *ratio_of(const struct sweep *s, const struct sweep_line *l)
{
	for (size_t i = 0; i < s->n_ratios; i++)
		if (s->ratios[i].line == l)
			return &s->ratios[i];
	return NULL;
}

static const struct compare_row *row_at(const struct sweep_ratio *r, double x)
{
	for (size_t i = 0; r && i < r->n; i++)
		if (r->x[i] == x)
			return r->row[i];
	return NULL;
}

static void value_cell(struct table *t, struct arena *a, const struct sweep_line *l, double x)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->x[i] == x) {
			table_num(t, l->y[i], table_value(a, l->y[i], l->series->metric->unit));
			return;
		}
	table_none(t);
}

/* Share of the loss that a fix brings back, with the null rule of compare. */
static double restored(const struct compare_row *broken, const struct compare_row *fixed)
{
	if (!broken || !fixed || broken->head.center == broken->base.center ||
	    (broken->tested && broken->ci_lo <= 0 && broken->ci_hi >= 0))
		return NAN;
	return (broken->head.center - fixed->head.center) / (broken->head.center - broken->base.center) * 100;
}

/* x of all lines of a group, ascending, each once: a merge of ascending lists. */
static size_t all_x(struct arena *a, const struct sweep *s, size_t from, size_t to, double **x)
{
	size_t most = 0, n = 0;
	double last = -INFINITY;

	for (size_t i = from; i < to; i++)
		most += s->lines[i].n;
	*x = arena_array(a, double, most);
	for (;;) {
		double next = INFINITY;

		for (size_t i = from; i < to; i++)
			for (size_t k = 0; k < s->lines[i].n; k++)
				if (s->lines[i].x[k] > last && s->lines[i].x[k] < next)
					next = s->lines[i].x[k];
		if (next == INFINITY)
			return n;
		(*x)[n++] = last = next;
	}
}

/* Noise and verdict have room beside one other kernel, and sense where there is a noise estimate. */
static bool has_verdicts(const struct sweep *s, const struct sweep_ratio *r)
{
	for (size_t i = 0; r && i < r->n && !calc_sweep_fixes(s, r); i++)
		if (r->row[i]->tested)
			return true;
	return false;
}

static void verdict_cells(struct table *t, struct arena *a, const struct compare_row *row)
{
	const char *verdict = row ? calc_compare_verdict_word(row->verdict) : NULL;

	if (row && row->verdict == COMPARE_INCONCLUSIVE)
		verdict = "can't tell";
	else if (row && row->verdict != COMPARE_UNCHANGED)
		verdict = arena_printf(a, "%s (%s)", verdict, calc_compare_confidence_word(row->confidence));
	table_num(t, row ? row->noise_percent : NAN, row ? arena_printf(a, "%.2g %%", row->noise_percent) : NULL);
	table_str(t, verdict);
}

/* The base and at most two others side by side: what 72 columns hold. */
static void value_table(struct buf *out, struct arena *a, const struct sweep *s, size_t from, size_t to, size_t first)
{
	size_t last = first + 2 < to ? first + 2 : to, n_cols = 2, n;
	struct table_col cols[8] = { { .name = table_clean(a, calc_words_axis_head(a, s->axis)), .right = true },
				     { .name = head_of(a, s, from, to, from), .right = true } };
	bool verdicts = last - first == 1 && has_verdicts(s, ratio_of(s, &s->lines[first]));
	struct table *t;
	double *x;

	for (size_t i = first; i < last; i++) {
		const struct sweep_ratio *r = ratio_of(s, &s->lines[i]);
		bool fix = r && calc_sweep_fixes(s, r);

		cols[n_cols++] = (struct table_col){ .name = head_of(a, s, from, to, i), .right = true };
		cols[n_cols++] = (struct table_col){ .name = fix ? "remains" : "change", .right = true };
		if (fix)
			cols[n_cols++] = (struct table_col){ .name = "restored", .right = true };
	}
	if (verdicts) {
		cols[n_cols++] = (struct table_col)TABLE_NUM("noise");
		cols[n_cols++] = (struct table_col)TABLE_STR("verdict");
	}
	t = table_new(a, cols, n_cols);
	n = all_x(a, s, from, to, &x);
	for (size_t p = 0; p < n; p++) {
		table_row(t);
		table_str(t, calc_sweep_sentence_x(a, s, x[p]));
		value_cell(t, a, &s->lines[from], x[p]);
		for (size_t i = first; i < last; i++) {
			const struct sweep_ratio *r = ratio_of(s, &s->lines[i]);
			const struct sweep_ratio *broken = r ? calc_sweep_fixes(s, r) : NULL;
			const struct compare_row *row = row_at(r, x[p]);
			double back = broken ? restored(row_at(broken, x[p]), row) : NAN;

			value_cell(t, a, &s->lines[i], x[p]);
			table_num(t, row ? row->change_percent : NAN,
				  row ? table_percent(a, row->change_percent) : NULL);
			if (broken)
				table_num(t, back, arena_printf(a, "%.1f %%", back));
			if (verdicts)
				verdict_cells(t, a, row);
		}
	}
	table_txt(out, t);
	buf_putc(out, '\n');
}

static void fit_table(struct buf *out, struct arena *a, const struct sweep *s, size_t from, size_t to)
{
	const struct table_col cols[] = {
		TABLE_STR("fit"), TABLE_NUM("fixed"),
		{ .name = arena_printf(a, "per %s", s->lines[from].unit), .right = true }, TABLE_NUM("worst misfit"),
	};
	struct table *t = table_new(a, cols, sizeof(cols) / sizeof(*cols));

	for (size_t i = from; i < to; i++) {
		const struct sweep_line *l = &s->lines[i];
		const char *unit = l->series->metric->unit;

		if (!l->has_fit)
			continue;
		table_row(t);
		table_str(t, l->kernel->name);
		table_num(t, l->fit.fixed, table_value(a, l->fit.fixed, unit));
		table_num(t, l->fit.per_unit, table_value(a, l->fit.per_unit, unit));
		table_num(t, l->fit.max_residual_percent, arena_printf(a, "%.1f %%", l->fit.max_residual_percent));
	}
	if (!table_rows(t))
		return;
	table_txt(out, t);
	buf_putc(out, '\n');
}

static void one_group(struct buf *out, struct arena *a, const struct sweep *s, size_t from, size_t to)
{
	const struct sweep_line *l = &s->lines[from];

	table_para(out, 2, table_clean(a, calc_words_metric(a, l->series)));
	table_para(out, 2, table_clean(a, arena_printf(a, "%s%s%s", calc_words_where(a, l->series),
						       l->series->n_params > 1 ? ", " : "",
						       calc_words_params(a, l->series, s->axis))));
	for (size_t i = from; i < to; i++) {
		const char *head = head_of(a, s, from, to, i);

		if (strcmp(head, s->lines[i].kernel->name))
			table_para(out, 4, table_clean(a, arena_printf(a, "%s = %s", head, s->lines[i].kernel->name)));
	}
	buf_putc(out, '\n');
	for (size_t first = from + 1; first < to || first == from + 1; first += 2)
		value_table(out, a, s, from, to, first);
	fit_table(out, a, s, from, to);
	for (size_t i = 0; i < s->n_ratios; i++)
		if (s->ratios[i].line->group == l->group)
			table_para(out, 0, table_clean(a, calc_sweep_sentence(a, s, &s->ratios[i])));
	table_para(out, 0, n_words(a, s, l->group));
}

void calc_sweep_text(struct buf *out, struct arena *a, const struct sweep *s)
{
	if (!s->n_lines)
		buf_puts(out, "Nothing of this was measured.\n");
	for (size_t from = 0, to; from < s->n_lines; from = to) {
		for (to = from; to < s->n_lines && s->lines[to].group == s->lines[from].group;)
			to++;
		if (from)
			buf_puts(out, "\n\n");
		one_group(out, a, s, from, to);
	}
}

/* ---- picture ---- */

/* A line's name among all drawn: the kernel, and what else tells it from the others. */
static const char *label_of(struct arena *a, const struct sweep *s, const struct sweep_line *l)
{
	const struct sweep_line *f = &s->lines[0];
	bool machine = false, thp = false, params = false, metric = false;
	const char *text = l->kernel->name;

	for (size_t i = 0; i < s->n_lines; i++) {
		machine |= s->lines[i].series->machine != f->series->machine;
		thp |= s->lines[i].series->config != f->series->config;
		params |= strcmp(s->lines[i].params, f->params) != 0;
		metric |= s->lines[i].series->metric != f->series->metric ||
			  s->lines[i].series->benchmark != f->series->benchmark;
	}
	if (machine)
		text = arena_printf(a, "%s, %s", text, l->series->machine->name);
	if (thp)
		text = arena_printf(a, "%s, THP %s", text, l->series->config->thp);
	if (params)
		text = arena_printf(a, "%s, %s", text, calc_words_params(a, l->series, s->axis));
	if (metric)
		text = arena_printf(a, "%s, %s %s", text, l->series->benchmark->name, l->series->metric->name);
	return text;
}

static struct chart_line drawn(struct arena *a, const struct sweep *s, const struct sweep_line *l)
{
	return (struct chart_line){ .label = label_of(a, s, l), .n = l->n, .x = l->x, .y = l->y, .lo = l->lo,
				    .hi = l->hi, .hollow = l->kernel->is_variant };
}

static const char *subtitle(struct arena *a, const struct sweep *s, size_t n_drawn)
{
	const struct sweep_line *l = &s->lines[0];
	const char *text = calc_words_metric(a, l->series);

	if (s->lines[s->n_lines - 1].group == l->group)
		text = arena_printf(a, "%s; %s", text, calc_words_where(a, l->series));
	text = arena_printf(a, "%s; %s", text, n_words(a, s, SIZE_MAX));
	if (n_drawn < s->n_lines)
		text = arena_printf(a, "%s; %zu of %zu lines", text, n_drawn, s->n_lines);
	return text;
}

/* One group: its sentence. Several may disagree, so that none of them may speak for all: their range does. */
static const char *title_of(struct arena *a, const struct sweep *s)
{
	double least = INFINITY, most = -INFINITY;
	size_t n = 0;

	if (!s->n_ratios)
		return arena_printf(a, "%s on %s", s->lines[0].series->benchmark->name, s->lines[0].kernel->name);
	if (s->lines[s->n_lines - 1].group == s->lines[0].group)
		return calc_sweep_sentence_statement(a, s, &s->ratios[0]);
	for (size_t i = 0; i < s->n_ratios; i++)
		if (s->ratios[i].n) {
			double last = s->ratios[i].percent[s->ratios[i].n - 1];

			least = fmin(least, last);
			most = fmax(most, last);
			n++;
		}
	if (!n)
		return arena_printf(a, "%s", s->lines[0].series->benchmark->name);
	return arena_printf(a, "Against %s, at the largest %s: %s .. %s over %zu lines",
			    s->ratios[0].base->kernel->name, s->axis, calc_sweep_sentence_percent(a, least),
			    calc_sweep_sentence_percent(a, most), n);
}

void calc_sweep_svg(struct buf *out, struct arena *a, const struct sweep *s)
{
	struct chart_line *lines = arena_array(a, struct chart_line, LINES_DRAWN);
	struct chart_line *ratios = arena_array(a, struct chart_line, LINES_DRAWN);
	double *onsets = arena_array(a, double, LINES_DRAWN);
	struct chart_sweep c = { .x_name = s->axis, .x_unit = calc_words_axis_unit(s->axis), .lines = lines,
				 .ratios = ratios, .onsets = onsets, .y_unit = "", .subtitle = "",
				 .title = "Nothing of this was measured" };

	/* one axis of y: lines of another unit have no place on it */
	for (size_t i = 0; i < s->n_lines && c.n_lines < LINES_DRAWN; i++)
		if (!strcmp(s->lines[i].series->metric->unit, s->lines[0].series->metric->unit))
			lines[c.n_lines++] = drawn(a, s, &s->lines[i]);
	for (size_t i = 0; i < s->n_ratios && c.n_ratios < LINES_DRAWN; i++) {
		const struct sweep_ratio *r = &s->ratios[i];

		onsets[c.n_ratios] = r->onset;
		ratios[c.n_ratios++] = (struct chart_line){ .label = label_of(a, s, r->line), .n = r->n, .x = r->x,
							     .y = r->percent, .hollow = r->line->kernel->is_variant };
	}
	if (s->n_lines) {
		c.y_unit = s->lines[0].series->metric->unit;
		c.subtitle = subtitle(a, s, c.n_lines);
		c.title = title_of(a, s);
	}
	if (s->n_ratios)
		c.ratio_title = arena_printf(a, "change against %s", s->ratios[0].base->kernel->name);
	chart_sweep_svg(out, &c);
}
