/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bisection: a strip a kernel, in the order in which they were judged, with a dot a boot, over the
 * levels of the good and the bad kernel.
 */
#include "chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "svg.h"

#define WIDTH 960.0
#define EDGE 12.0
#define NAMES 230.0 /* for the rows' names */
#define TEXTS 250.0 /* for what they say, at the right */
#define ROW 26.0
#define AXIS 44.0 /* between heading and first row: names of the levels, and of the ticks */
#define TICKS_MAX 9
#define RADIUS 3.6

struct plan {
	struct svg_scale x; /* percent */
	double top, bottom;
};

static void plan(struct plan *p, const struct chart_strip *c, double top)
{
	struct svg_range r = { 0, 0 };
	double noise = isfinite(c->noise_percent) ? c->noise_percent : 0;

	svg_range_add(&r, c->bad_percent);
	svg_range_add(&r, -noise);
	svg_range_add(&r, c->bad_percent + noise);
	for (size_t i = 0; i < c->n_rows; i++)
		for (size_t k = 0; k < c->rows[i].n; k++)
			svg_range_add(&r, c->rows[i].percent[k]);
	p->top = top + AXIS;
	p->bottom = p->top + ROW * (double)c->n_rows;
	p->x = (struct svg_scale){ .v0 = r.lo, .v1 = r.hi, .p0 = EDGE + NAMES, .p1 = WIDTH - EDGE - TEXTS };
	svg_widen(&p->x, .04);
}

static void draw_level(struct buf *out, const struct plan *p, const struct chart_strip *c, double at,
		       const char *name, const char *tone)
{
	double x = svg_at(&p->x, at), half = isfinite(c->noise_percent) ? c->noise_percent : 0;
	double x0 = svg_at(&p->x, at - half), x1 = svg_at(&p->x, at + half);
	char class[32];

	buf_printf(out, "<rect class=\"band b%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
		   *tone == 'w' ? 1 : 2, x0, p->top, x1 - x0, p->bottom - p->top);
	snprintf(class, sizeof(class), "s%s", tone);
	svg_rule(out, x, p->top - 4, x, p->bottom, class);
	snprintf(class, sizeof(class), "%s bold", tone);
	svg_text(out, x, p->top - 24, class, "middle", name);
}

static void draw_axis(struct buf *out, const struct plan *p, const struct chart_strip *c)
{
	double ticks[TICKS_MAX];
	size_t n = svg_ticks(&p->x, ticks, TICKS_MAX);
	char text[SVG_TEXT];

	for (size_t i = 0; i < n; i++) {
		double x = svg_at(&p->x, ticks[i]);

		svg_rule(out, x, p->top - 4, x, p->bottom, "rule");
		svg_percent(text, ticks[i]);
		svg_text(out, x, p->top - 9, "small", "middle", text);
	}
	draw_level(out, p, c, 0, "good", "better");
	draw_level(out, p, c, c->bad_percent, "bad", "worse");
}

static void draw_row(struct buf *out, const struct plan *p, const struct chart_strip_row *r, double y)
{
	static const char *const marks[] = { "hollow c0", "f2", "f1" }, *const texts[] = { "muted", "better",
											   "worse" };
	char label[SVG_TEXT];

	svg_rule(out, EDGE, y + ROW / 2, WIDTH - EDGE, y + ROW / 2, "rule");
	svg_shorten(label, sizeof(label), r->label, 34);
	svg_text(out, EDGE + NAMES - 12, y + 4, "", "end", label);
	for (size_t i = 0; i < r->n; i++)
		buf_printf(out, "<circle class=\"mark %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n",
			   marks[r->tone], svg_at(&p->x, r->percent[i]),
			   y + (r->n > 1 ? (i & 1 ? 3.5 : -3.5) : 0), RADIUS);
	svg_shorten(label, sizeof(label), r->text, 38);
	svg_text(out, WIDTH - EDGE - TEXTS + 12, y + 4, texts[r->tone], "start", label);
}

void chart_strip_svg(struct buf *out, const struct chart_strip *c)
{
	struct buf body;
	struct plan p;

	buf_init(&body);
	plan(&p, c, svg_heading(&body, EDGE, WIDTH - 2 * EDGE, c->title, c->subtitle));
	draw_axis(&body, &p, c);
	for (size_t i = 0; i < c->n_rows; i++)
		draw_row(&body, &p, &c->rows[i], p.top + ROW * ((double)i + .5));
	svg_begin(out, WIDTH, p.bottom + EDGE, c->title, c->subtitle);
	buf_add(out, body.p, body.len);
	svg_end(out);
	buf_fini(&body);
}
