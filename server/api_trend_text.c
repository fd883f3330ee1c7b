/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trend as tables for a mail, and as the data of its picture. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../chart/chart.h"
#include "../chart/table.h"
#include "api_trend.h"
#include "calc_words.h"

#define LINES_DRAWN 24

/* ---- text ---- */

static const struct table_col head[] = {
	TABLE_STR("kernel"), TABLE_NUM("value"), TABLE_NUM("+-"), TABLE_NUM("n"), TABLE_NUM("step"),
	TABLE_STR("verdict"),
};

/* Half the 95 % interval in percent of the value. */
static double half_width(const struct trend_series *s, size_t i)
{
	return (s->hi[i] - s->lo[i]) / 2 / s->y[i] * 100;
}

static void text_point(struct table *t, struct arena *a, const struct trend *tr, const struct trend_series *s,
		       size_t i, double before, const struct trend_change *c)
{
	double step = isnan(before) ? NAN : (s->y[i] / before - 1) * 100, half = half_width(s, i);

	table_row(t);
	table_str(t, tr->kernels[i]->name);
	table_num(t, s->y[i], table_value(a, s->y[i], s->series->metric->unit));
	table_num(t, half, arena_printf(a, "%.2g %%", half));
	table_i64(t, s->n[i]);
	table_num(t, step, table_percent(a, step));
	table_str(t, c ? arena_printf(a, "%s (%s)", calc_compare_verdict_word(c->verdict),
				      calc_compare_confidence_word(c->confidence)) : "");
}

/* "From 6.17-rc1 on +14.2 % (+13.1 % to +15.3 %): regression (strong)." */
static void text_level(struct buf *out, struct arena *a, const struct trend *t, const struct trend_change *c)
{
	const char *step = isnan(c->percent) || isnan(c->ci_lo) || isnan(c->ci_hi) ?
			   arena_printf(a, "from %.4g to %.4g, a step of no percentage", c->before_center, c->after_center) :
			   arena_printf(a, "%s (%s to %s)", table_percent(a, c->percent), table_percent(a, c->ci_lo),
					table_percent(a, c->ci_hi));
	const char *text = arena_printf(a, "From %s on %s: %s (%s).", t->kernels[c->at]->name, step, calc_compare_verdict_word(c->verdict),
					calc_compare_confidence_word(c->confidence));

	if (c->first != c->last)
		text = arena_printf(a, "%s The first with it is one of %s .. %s.", text, t->kernels[c->first]->name,
				    t->kernels[c->last]->name);
	table_para(out, 2, table_clean(a, text));
}

static void text_series(struct buf *out, struct arena *a, const struct trend *tr, const struct trend_series *s)
{
	struct table *t = table_new(a, head, sizeof(head) / sizeof(*head));
	const char *params = calc_words_params(a, s->series, NULL);
	double before = NAN;
	bool single = true;
	size_t change = 0;

	for (size_t i = 0; i < tr->n_kernels; i++) {
		const struct trend_change *c = NULL;

		if (isnan(s->y[i]))
			continue;
		if (change < s->n_changes && s->changes[change].at == i)
			c = &s->changes[change++];
		text_point(t, a, tr, s, i, before, c);
		/* what is no step of the line: a variant is shown against its neighbour, and not stepped from */
		before = tr->kernels[i]->is_variant ? before : s->y[i];
		single &= s->n[i] == 1;
	}
	table_para(out, 2, table_clean(a, calc_words_metric(a, s->series)));
	table_para(out, 2, table_clean(a, arena_printf(a, "%s%s%s, track %s", calc_words_where(a, s->series),
						       *params ? ", " : "", params, s->track)));
	buf_putc(out, '\n');
	table_txt(out, t);
	for (size_t i = 0; i < s->n_changes; i++)
		if (s->changes[i].level)
			text_level(out, a, tr, &s->changes[i]);
	if (s->suspect)
		table_para(out, 2, table_clean(a, arena_printf(a, "%s alone deviates by %s: run it again.",
							       tr->kernels[s->last.at]->name,
							       table_percent(a, s->last.percent))));
	if (single && !s->levels)
		buf_puts(out, "n = 1: no noise estimate, so no verdict.\n");
}

void api_trend_text(struct buf *out, struct arena *a, const struct trend *t)
{
	if (!t->n_series)
		buf_puts(out, "Nothing of this was measured.\n");
	for (size_t i = 0; i < t->n_series; i++) {
		if (i)
			buf_putc(out, '\n');
		text_series(out, a, t, &t->series[i]);
	}
}

/* ---- picture ---- */

/* What tells a line from the others drawn. */
static const char *label_of(struct arena *a, const struct trend *t, const struct trend_series *s)
{
	const struct trend_series *f = &t->series[0];
	bool machine = false, thp = false, params = false, metric = false, track = false;
	const char *text = "", *gap = "";

	for (size_t i = 0; i < t->n_series; i++) {
		const struct cat_series *o = t->series[i].series;

		machine |= o->machine != f->series->machine;
		thp |= o->config != f->series->config;
		params |= strcmp(o->params, f->series->params) != 0;
		metric |= o->metric != f->series->metric || o->benchmark != f->series->benchmark;
		track |= strcmp(t->series[i].track, f->track) != 0;
	}
	if (metric)
		text = arena_printf(a, "%s %s", s->series->benchmark->name, s->series->metric->name);
	gap = *text ? ", " : "";
	if (params && s->series->n_params)
		text = arena_printf(a, "%s%s%s", text, gap, calc_words_params(a, s->series, NULL));
	gap = *text ? ", " : "";
	if (machine)
		text = arena_printf(a, "%s%s%s", text, gap, s->series->machine->name);
	gap = *text ? ", " : "";
	if (thp)
		text = arena_printf(a, "%s%sTHP %s", text, gap, s->series->config->thp);
	gap = *text ? ", " : "";
	if (track)
		text = arena_printf(a, "%s%s%s", text, gap, s->track);
	return *text ? text : s->series->machine->name;
}

/* One axis of y: lines of another unit than the first have no place on it. */
static bool is_drawn(const struct trend *t, const struct trend_series *s)
{
	return !strcmp(s->series->metric->unit, t->series[0].series->metric->unit);
}

/* The largest step drawn, or that there is none. */
static const char *title(struct arena *a, const struct trend *t, size_t n_kernels)
{
	const struct trend_change *most = NULL;
	const struct trend_series *of = NULL;
	bool noise = false;

	for (size_t i = 0; i < t->n_series; i++)
		for (size_t k = 0; k < t->n_kernels && is_drawn(t, &t->series[i]); k++)
			noise |= t->series[i].levels || !isnan(t->series[i].lo[k]);
	for (size_t i = 0; i < t->n_series; i++)
		for (size_t k = 0; k < t->series[i].n_changes && is_drawn(t, &t->series[i]); k++)
			if (!most || fabs(t->series[i].changes[k].percent) > fabs(most->percent)) {
				most = &t->series[i].changes[k];
				of = &t->series[i];
			}
	if (!t->n_series)
		return "Nothing of this was measured";
	if (!most)
		return arena_printf(a, "%s %s over %zu kernel%s: %s", t->series[0].series->benchmark->name,
				    t->series[0].series->metric->name, n_kernels, n_kernels == 1 ? "" : "s",
				    noise ? "no step beyond noise" : "no noise estimate");
	return arena_printf(a, "%s %s on %s: %s between %s and %s", of->series->benchmark->name,
			    of->series->metric->name, of->series->machine->name, table_percent(a, most->percent),
			    t->kernels[most->after]->name, t->kernels[most->at]->name);
}

/* Where the kernels of the trend stand in the picture: those of a line by themselves, a variant at what it is made from. */
struct places {
	const char **names;		/* of the kernels that are no variants */
	size_t n, homeless;		/* variants whose kernel is not there */
	size_t *at;			/* of each kernel of the trend; SIZE_MAX: none */
};

static void find_places(struct arena *a, const struct trend *t, struct places *p)
{
	*p = (struct places){ .names = arena_array(a, const char *, t->n_kernels + 1),
			      .at = arena_array(a, size_t, t->n_kernels + 1) };
	for (size_t i = 0; i < t->n_kernels; i++) {
		p->at[i] = SIZE_MAX;
		if (t->kernels[i]->is_variant)
			continue;
		p->at[i] = p->n;
		p->names[p->n++] = t->kernels[i]->name;
	}
	for (size_t i = 0; i < t->n_kernels; i++) {
		const struct cat_kernel *v = t->kernels[i];

		for (size_t k = 0; v->is_variant && k < t->n_kernels; k++)
			if (!t->kernels[k]->is_variant && t->kernels[k]->id == v->variant_base_id)
				p->at[i] = p->at[k];
		p->homeless += v->is_variant && p->at[i] == SIZE_MAX;
	}
}

/* The line of a series: its points without those of variants. */
static struct chart_line line_of(struct arena *a, const struct trend *t, const struct trend_series *s,
				 const struct places *p)
{
	double *y = arena_array(a, double, 3 * p->n + 1), *lo = y + p->n, *hi = lo + p->n;

	for (size_t i = 0; i < t->n_kernels; i++)
		if (!t->kernels[i]->is_variant) {
			y[p->at[i]] = s->y[i];
			lo[p->at[i]] = s->lo[i];
			hi[p->at[i]] = s->hi[i];
		}
	return (struct chart_line){ .label = label_of(a, t, s), .n = p->n, .y = y, .lo = lo, .hi = hi };
}

/* What the line of a series in the picture bears: its steps, and the variants beside it. Both have room. */
static void add_marks(struct chart_change *changes, struct chart_variant *variants, struct chart_trend *c,
		      const struct trend *t, const struct trend_series *s, const struct places *p)
{
	for (size_t k = 0; k < s->n_changes; k++)
		changes[c->n_changes++] = (struct chart_change){
			.line = c->n_lines, .at = p->at[s->changes[k].at], .percent = s->changes[k].percent,
			.worse = s->changes[k].verdict == COMPARE_REGRESSION };
	for (size_t i = 0; i < t->n_kernels; i++)
		if (t->kernels[i]->is_variant && p->at[i] != SIZE_MAX && !isnan(s->y[i]))
			variants[c->n_variants++] = (struct chart_variant){
				.line = c->n_lines, .at = p->at[i], .y = s->y[i], .name = t->kernels[i]->name };
}

static const char *subtitle(struct arena *a, const struct trend *t, size_t n_lines, size_t homeless)
{
	const char *text = arena_printf(a, "%s; %s", calc_words_metric(a, t->series[0].series),
					t->n_series == 1 ? calc_words_where(a, t->series[0].series) :
					arena_printf(a, "%zu of %zu lines", n_lines, t->n_series));

	if (homeless)
		text = arena_printf(a, "%s; not drawn: %zu variant%s of kernels without a value here", text, homeless,
				    homeless == 1 ? "" : "s");
	return text;
}

void api_trend_svg(struct buf *out, struct arena *a, const struct trend *t)
{
	struct chart_line *lines = arena_array(a, struct chart_line, LINES_DRAWN);
	struct chart_trend c = { .subtitle = "", .y_unit = "", .lines = lines };
	struct chart_change *changes;
	struct chart_variant *variants;
	struct places places;
	size_t most = 0;

	find_places(a, t, &places);
	c.title = title(a, t, places.n);
	c.kernels = places.names;
	c.n_kernels = places.n;
	for (size_t i = 0; i < t->n_series; i++)
		most += t->series[i].n_changes;
	c.changes = changes = arena_array(a, struct chart_change, most);
	c.variants = variants = arena_array(a, struct chart_variant, LINES_DRAWN * (t->n_kernels - places.n) + 1);
	for (size_t i = 0; i < t->n_series && c.n_lines < LINES_DRAWN; i++) {
		if (!is_drawn(t, &t->series[i]))
			continue;
		add_marks(changes, variants, &c, t, &t->series[i], &places);
		lines[c.n_lines++] = line_of(a, t, &t->series[i], &places);
	}
	if (t->n_series) {
		c.y_unit = t->series[0].series->metric->unit;
		c.subtitle = subtitle(a, t, c.n_lines, places.homeless);
	}
	chart_trend_svg(out, &c);
}
