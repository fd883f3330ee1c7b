/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trend: cost by kernel, evenly spaced in kernel order, with bands, steps and their percent. */
#include "chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "svg.h"

#define WIDTH 960.0
#define LEFT 76.0
#define HEIGHT 340.0
#define TICKS_MAX 64
#define OFF 9.0		/* px from its kernel to a variant */
#define MARKS_NAMED 200	/* names stand beside so many; of more each mark tells its own */
#define LOG_FROM 20.0		/* a wider range than this is read on a log axis */

struct plan {
	struct svg_box box;
	struct svg_scale x, y;
	size_t every;		/* kernels from name to name */
	double names;		/* height of the names of kernels */
	bool slanted;		/* they are too long to stand beside each other */
};

static void name_of(char *out, size_t size, const struct chart_trend *c, size_t i)
{
	svg_shorten(out, size, c->kernels[i], 28);
}

static void range_of(struct svg_range *r, const struct chart_trend *c)
{
	svg_range_lines(r, c->lines, c->n_lines, false);
	for (size_t i = 0; i < c->n_variants; i++)
		if (c->variants[i].line < c->n_lines)
			svg_range_add(r, c->variants[i].y);
}

static void plan(struct plan *p, const struct chart_trend *c, double top)
{
	double right = WIDTH - svg_label_room(c->lines, c->n_lines), longest = 0, step;
	struct svg_range y = { 1, -1 };
	char name[SVG_TEXT];

	p->box = (struct svg_box){ LEFT, top + 15, right, top + 15 + HEIGHT };
	p->x = (struct svg_scale){ 0, c->n_kernels > 1 ? (double)(c->n_kernels - 1) : 0, p->box.x0, p->box.x1, false };
	svg_widen(&p->x, 0.03);
	range_of(&y, c);
	p->y = (struct svg_scale){ y.lo, y.hi, p->box.y1, p->box.y0, y.lo > 0 && y.hi > LOG_FROM * y.lo };
	if (!p->y.log && y.lo > 0 && y.hi > 2 * y.lo)
		p->y.v0 = 0;	/* the range is near 0 anyway: show it */
	svg_widen(&p->y, 0.08);
	if (p->y.v0 < 0 && y.lo >= 0)
		p->y.v0 = 0;
	for (size_t i = 0; i < c->n_kernels; i++) {
		name_of(name, sizeof(name), c, i);
		longest = fmax(longest, svg_width(name, 12));
	}
	step = svg_at(&p->x, 1) - svg_at(&p->x, 0);
	p->slanted = c->n_kernels > 1 && longest + 10 > step;
	p->names = p->slanted ? longest * 0.6 + 16 : 20;	/* sin of the slant */
	p->every = p->slanted && step > 0 ? (size_t)ceil(19 / step) : 1;
}

static void y_axis(struct buf *out, const struct plan *p, const struct chart_trend *c)
{
	double ticks[TICKS_MAX];
	size_t n = svg_ticks(&p->y, ticks, TICKS_MAX);
	struct svg_unit unit = svg_unit_of(c->y_unit, p->y.v1);
	char text[SVG_TEXT];

	snprintf(text, sizeof(text), "%.80s%s", c->y_unit,
		 p->y.log ? ", log scale" : p->y.v0 > 0 ? ", the axis does not start at 0" : "");
	svg_text(out, 12, p->box.y0 - 8, "muted", "start", text);
	for (size_t i = 0; i < n; i++) {
		double at = svg_at(&p->y, ticks[i]);

		svg_rule(out, p->box.x0, at, p->box.x1, at, ticks[i] == 0 ? "axis" : "rule");
		svg_number(text, ticks[i], p->y.log ? svg_unit_of(c->y_unit, ticks[i]) : unit);
		svg_text(out, p->box.x0 - 8, at + 4, "muted", "end", text);
	}
}

static void x_axis(struct buf *out, const struct plan *p, const struct chart_trend *c)
{
	char name[SVG_TEXT];

	svg_rule(out, p->box.x0, p->box.y1, p->box.x1, p->box.y1, "axis");
	for (size_t i = 0; i < c->n_kernels; i++) {
		double at = svg_at(&p->x, (double)i);

		svg_rule(out, at, p->box.y1, at, p->box.y1 + 5, "axis");
		if (i % p->every)
			continue;
		name_of(name, sizeof(name), c, i);
		if (!p->slanted) {
			svg_text(out, at, p->box.y1 + 19, "", "middle", name);
			continue;
		}
		buf_printf(out, "<text text-anchor=\"end\" transform=\"translate(%.1f %.1f) rotate(-36)\">", at + 4,
			   p->box.y1 + 17);
		svg_escape(out, name, strlen(name));
		buf_puts(out, "</text>\n");
	}
}

/* A step: from the old level to the new one at its first kernel, and by how much. */
static void change(struct buf *out, const struct plan *p, const struct chart_trend *c, const struct chart_change *ch)
{
	const struct chart_line *l;
	char text[SVG_TEXT], class[32];
	double x, y;
	bool up = ch->percent > 0;

	if (ch->line >= c->n_lines || ch->at >= c->lines[ch->line].n)
		return;
	l = &c->lines[ch->line];
	if (!isfinite(l->y[ch->at]) || (p->y.log && !(l->y[ch->at] > 0)))
		return;
	x = svg_at(&p->x, (double)ch->at);
	y = svg_at(&p->y, l->y[ch->at]);
	svg_percent(text, ch->percent);
	snprintf(class, sizeof(class), "%s halo", ch->worse ? "worse" : "better");
	buf_printf(out, "<path class=\"%s\" d=\"M%.1f %.1fl-5 %dh10z\"/>\n", ch->worse ? "worse" : "better", x,
		   up ? y - 8 : y + 8, up ? -8 : 8);
	svg_text(out, x, up ? y - 21 : y + 29, class, "middle", text);
}

static bool is_drawn(const struct plan *p, const struct chart_trend *c, const struct chart_variant *v)
{
	return v->line < c->n_lines && v->at < c->n_kernels && isfinite(v->y) && (!p->y.log || v->y > 0);
}

/* The name without what it shares with its kernel: "+revert-cac1db8c3aad". */
static void name_beside(struct buf *out, const struct plan *p, const struct chart_trend *c, const struct chart_variant *v)
{
	size_t base = strlen(c->kernels[v->at]);
	double x = svg_at(&p->x, (double)v->at) + OFF, y = svg_at(&p->y, v->y);
	char text[SVG_TEXT], class[32];
	bool left;

	svg_shorten(text, sizeof(text), v->name + (strncmp(v->name, c->kernels[v->at], base) ? 0 : base), 28);
	snprintf(class, sizeof(class), "t%zu halo", v->line % SVG_STYLES);
	left = x + 8 + svg_width(text, 12) > p->box.x1;	/* behind a step that it takes back there is room on the right */
	svg_text(out, left ? x - 8 : x + 8, y + 4, class, left ? "end" : "start", text);
}

/* Its name stands once, at the highest of its marks, unless one that is named already is as high. */
static bool is_named(const struct plan *p, const struct chart_trend *c, const struct chart_variant *v)
{
	for (size_t i = 0; i < c->n_variants; i++) {
		const struct chart_variant *o = &c->variants[i];
		bool same = !strcmp(o->name, v->name), higher = o->y > v->y || (o->y == v->y && o < v);

		if (o == v || o->at != v->at || !is_drawn(p, c, o))
			continue;
		if (higher && (same || svg_at(&p->y, v->y) - svg_at(&p->y, o->y) < 13))
			return false;
	}
	return true;
}

/* Hollow, beside the kernel it is made from, and tied to that kernel's point of the same line. */
static void variant(struct buf *out, const struct plan *p, const struct chart_trend *c, const struct chart_variant *v)
{
	const struct chart_line *l = &c->lines[v->line];
	double x = svg_at(&p->x, (double)v->at), y = svg_at(&p->y, v->y);
	char value[SVG_TEXT];

	if (isfinite(l->y[v->at]) && (!p->y.log || l->y[v->at] > 0))
		buf_printf(out, "<path class=\"gap c%zu\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", v->line % SVG_STYLES, x,
			   svg_at(&p->y, l->y[v->at]), x + OFF, y);
	buf_puts(out, "<g class=\"variant\"><title>");
	svg_escape(out, v->name, strlen(v->name));
	svg_number(value, v->y, svg_unit_of(c->y_unit, v->y));
	buf_puts(out, ": ");
	svg_escape(out, value, strlen(value));
	buf_puts(out, "</title>");
	svg_marker(out, x + OFF, y, v->line, true);
	buf_puts(out, "</g>\n");
}

static void variants(struct buf *out, const struct plan *p, const struct chart_trend *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_variants; i++)
		if (is_drawn(p, c, &c->variants[i])) {
			variant(out, p, c, &c->variants[i]);
			n++;
		}
	if (!n)
		return;
	for (size_t i = 0; i < c->n_variants && n <= MARKS_NAMED; i++)
		if (is_drawn(p, c, &c->variants[i]) && is_named(p, c, &c->variants[i]))
			name_beside(out, p, c, &c->variants[i]);
	svg_text(out, p->box.x1, p->box.y0 - 8, "muted", "end",
		 "hollow: reverts and patches, beside the kernel they are made from");
}

static void describe(struct buf *desc, const struct chart_trend *c)
{
	buf_printf(desc, "%s by kernel, %s to %s. Lines:", c->y_unit, c->kernels[0], c->kernels[c->n_kernels - 1]);
	for (size_t i = 0; i < c->n_lines; i++)
		buf_printf(desc, "%s %s", i ? "," : "", c->lines[i].label);
	buf_printf(desc, ". %zu steps are marked.", c->n_changes);
	if (c->n_variants)
		buf_printf(desc, " %zu values of reverts and patches stand off the lines, as hollow marks.", c->n_variants);
}

void chart_trend_svg(struct buf *out, const struct chart_trend *c)
{
	struct svg_range any = { 1, -1 };
	struct buf body, desc;
	struct plan p;

	range_of(&any, c);
	if (any.lo > any.hi || !c->n_kernels) {
		svg_nothing(out, WIDTH, c->title, c->subtitle,
			    "No data for this selection: nothing of it was measured yet.");
		return;
	}
	buf_init(&body);
	buf_init(&desc);
	plan(&p, c, svg_heading(&body, 12, WIDTH - 24, c->title, c->subtitle));
	describe(&desc, c);
	y_axis(&body, &p, c);
	x_axis(&body, &p, c);
	for (size_t i = 0; i < c->n_lines; i++)
		svg_band(&body, &c->lines[i], &p.x, &p.y, i);
	for (size_t i = 0; i < c->n_lines; i++)
		svg_line(&body, &c->lines[i], &p.x, &p.y, i);
	variants(&body, &p, c);
	for (size_t i = 0; i < c->n_changes; i++)
		change(&body, &p, c, &c->changes[i]);
	svg_end_labels(&body, c->lines, c->n_lines, &p.x, &p.y, &p.box);
	svg_begin(out, WIDTH, p.box.y1 + p.names + 12, c->title, desc.p);
	buf_add(out, body.p, body.len);
	svg_end(out);
	buf_fini(&body);
	buf_fini(&desc);
}
