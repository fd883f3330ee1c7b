/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The comparison: a row a series, its change in percent as a mark with its 95 % interval,
 * around the line of no change. Half as much and twice as much stand equally far from it.
 */
#include "chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "svg.h"

#define WIDTH 960.0
#define EDGE 12.0
#define NAMES 220.0		/* for the rows' names */
#define NAMES_WHOLE 390.0	/* where they hold benchmark and machine, too */
#define TEXTS 230.0		/* for what they say, at the right */
#define ROW 20.0
#define AXIS 26.0		/* between heading and first row: names of the ticks */
#define TICKS_MAX 16
#define BEYOND 1.25		/* how far intervals may widen the axis */
#define LOG_FROM 3.0		/* largest by smallest ratio from which on the axis is logarithmic */

struct plan {
	struct svg_scale x;	/* of head / base */
	double top, bottom, left, right;
};

static double ratio(double percent)
{
	return 1 + percent / 100;
}

static void add(struct svg_range *r, double percent)
{
	if (isfinite(percent))
		svg_range_add(r, ratio(percent));
}

static bool new_group(const struct chart_compare *c, size_t i)
{
	const char *group = c->rows[i].group;

	return group && (!i || !c->rows[i - 1].group || strcmp(group, c->rows[i - 1].group));
}

static void plan(struct plan *p, const struct chart_compare *c, double top)
{
	struct svg_range r = { 1, 1 };
	double rows = 0, least, most;

	for (size_t i = 0; i < c->n_rows; i++) {
		add(&r, c->rows[i].percent);
		add(&r, c->rows[i].remains);
		rows += 1 + new_group(c, i) * 1.3;
	}
	/* the interval of one noisy row must not press all others to the line: it may leave the paper */
	least = r.lo / BEYOND;
	most = r.hi * BEYOND;
	for (size_t i = 0; i < c->n_rows; i++)
		if (isfinite(c->rows[i].lo) && isfinite(c->rows[i].hi)) {
			svg_range_add(&r, fmax(ratio(c->rows[i].lo), least));
			svg_range_add(&r, fmin(ratio(c->rows[i].hi), most));
		}
	if (r.hi - r.lo < 0.02)
		r = (struct svg_range){ r.lo - 0.01, r.hi + 0.01 };
	*p = (struct plan){ .top = top + AXIS, .bottom = top + AXIS + rows * ROW + 4, .left = EDGE + (c->arranged ? NAMES_WHOLE : NAMES),
			    .right = WIDTH - TEXTS };
	p->x = (struct svg_scale){ r.lo, r.hi, p->left, p->right, r.lo > 0 && r.hi > LOG_FROM * r.lo };
	svg_widen(&p->x, 0.04);
}

/* Ticks in percent, and the line of no change over all of them. */
static void axis(struct buf *out, const struct plan *p)
{
	double ticks[TICKS_MAX], free_from = -1e9, zero = svg_at(&p->x, 1);
	size_t n = svg_ticks(&p->x, ticks, TICKS_MAX);
	char text[SVG_TEXT];

	svg_rule(out, zero, p->top - 6, zero, p->bottom, "axis");
	svg_text(out, zero, p->top - 11, "muted", "middle", "0 %");
	for (size_t i = 0; i < n; i++) {
		double at = svg_at(&p->x, ticks[i]), half;

		svg_percent(text, (ticks[i] - 1) * 100);
		half = svg_width(text, 12) / 2 + 5;
		if (fabs(at - zero) < half + 16)
			continue;
		svg_rule(out, at, p->top - 6, at, p->bottom, "rule");
		if (at - half < free_from)
			continue;
		svg_text(out, at, p->top - 11, "muted", "middle", text);
		free_from = at + half;
	}
}

static double inside(const struct plan *p, double percent)
{
	double v = ratio(percent);

	if (p->x.log && v <= 0)
		return p->left;
	return fmin(fmax(svg_at(&p->x, v), p->left), p->right);
}

static void effect(struct buf *out, const struct plan *p, const struct chart_effect *e, double y)
{
	static const char *const words[] = { "neutral", "better", "worse" };
	const char *word = words[e->tone];

	if (isfinite(e->lo) && isfinite(e->hi)) {
		double from = inside(p, e->lo), to = inside(p, e->hi);

		buf_printf(out, "<path class=\"line s%s\" d=\"M%.1f %.1fH%.1fM%.1f %.1fv6M%.1f %.1fv6\"/>\n", word, from, y, to,
			   from, y - 3, to, y - 3);
	}
	if (isfinite(e->remains)) {
		double at = inside(p, e->remains);

		buf_printf(out, "<path class=\"mark sneutral hollow\" d=\"M%.1f %.1fl4.5 4.5l-4.5 4.5l-4.5-4.5z\"/>\n", at, y - 4.5);
	}
	if (!isfinite(e->percent))
		return;
	buf_printf(out, "<circle class=\"mark s%s\" style=\"fill:var(%s)\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", word,
		   !e->claimed ? "--bg" : e->tone == CHART_WORSE ? "--worse" : e->tone == CHART_BETTER ? "--better" : "--axis",
		   inside(p, e->percent), y);
}

static void rows(struct buf *out, const struct plan *p, const struct chart_compare *c)
{
	char text[SVG_TEXT];
	double y = p->top;

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct chart_effect *e = &c->rows[i];

		if (new_group(c, i)) {
			y += ROW * 0.3;
			svg_shorten(text, sizeof(text), e->group, 120);
			svg_text(out, EDGE, y + 13, "bold halo", "start", text);
			y += ROW;
		}
		svg_shorten(text, sizeof(text), e->label, c->arranged ? 58 : 32);
		svg_text(out, EDGE + 12, y + 14, "", "start", text);
		effect(out, p, e, y + ROW / 2);
		svg_shorten(text, sizeof(text), e->text, 36);
		svg_text(out, p->right + 14, y + 14, !e->claimed ? "muted" : e->tone == CHART_WORSE ? "worse" :
			 e->tone == CHART_BETTER ? "better" : "", "start", text);
		y += ROW;
	}
}

/* What the marks mean; where not all rows are drawn, how many are not. */
static void legend(struct buf *out, const struct plan *p, const struct chart_compare *c)
{
	char text[SVG_TEXT], name[64];
	double y = p->bottom + ROW;

	svg_text(out, EDGE, y, "muted", "start", "Filled: more than noise. Hollow: can't tell, or unchanged. Bars: 95 % interval, "
		 "where there is an estimate of noise.");
	if (c->fix) {
		svg_shorten(name, sizeof(name), c->fix, 40);
		snprintf(text, sizeof(text), "Diamond: what remains with %s.", name);
		svg_text(out, EDGE, y += ROW * 0.8, "muted", "start", text);
	}
	if (c->n_rows < c->n_all) {
		snprintf(text, sizeof(text), "%zu of %zu rows: the %s.", c->n_rows, c->n_all,
			 c->arranged ? "first" : "largest changes");
		svg_text(out, EDGE, y + ROW * 0.8, "muted", "start", text);
	}
}

static void describe(struct buf *desc, const struct chart_compare *c)
{
	buf_puts(desc, "Change in percent of the second kernel against the first, a row a series:");
	for (size_t i = 0; i < c->n_rows && i < 20; i++)
		buf_printf(desc, "%s %s: %s", i ? ";" : "", c->rows[i].label, c->rows[i].text);
	buf_puts(desc, c->n_rows > 20 ? "; and more." : ".");
}

void chart_compare_svg(struct buf *out, const struct chart_compare *c)
{
	struct buf body, desc;
	struct plan p;

	if (!c->n_rows) {
		svg_nothing(out, WIDTH, c->title, c->subtitle,
			    c->chosen ? "No row is like that." : "Nothing of this selection was measured on both kernels yet.");
		return;
	}
	buf_init(&body);
	buf_init(&desc);
	plan(&p, c, svg_heading(&body, EDGE, WIDTH - 2 * EDGE, c->title, c->subtitle));
	describe(&desc, c);
	axis(&body, &p);
	rows(&body, &p, c);
	legend(&body, &p, c);
	svg_begin(out, WIDTH, p.bottom + 4 * ROW, c->title, desc.p);
	buf_add(out, body.p, body.len);
	svg_end(out);
	buf_fini(&body);
	buf_fini(&desc);
}
