/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is drawn for a line: band, whiskers, path with gaps, markers, and its name at the end. */
#include "svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/must.h"

#define LABEL_PX 15.0		/* distance of two names */
#define LABEL_CHARS 34

static const char *const dashes[SVG_STYLES] = {
	"", "", "7 3", "2 3", "9 3 2 3", "4 2", "1 3", "12 4", "6 2 1 2", "3 1", "14 3 3 3", "1 5"
};

void svg_rule(struct buf *out, double x0, double y0, double x1, double y1, const char *class)
{
	buf_printf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class, x0, y0, x1, y1);
}

static double x_of(const struct chart_line *l, size_t i)
{
	return l->x ? l->x[i] : (double)i;
}

static bool shown(const struct chart_line *l, size_t i, const struct svg_scale *x, const struct svg_scale *y)
{
	return isfinite(l->y[i]) && isfinite(x_of(l, i)) && (!y->log || l->y[i] > 0) && (!x->log || x_of(l, i) > 0);
}

static bool has_band(const struct chart_line *l, size_t i, const struct svg_scale *y)
{
	return l->lo && l->hi && isfinite(l->lo[i]) && isfinite(l->hi[i]) && (!y->log || (l->lo[i] > 0 && l->hi[i] > 0));
}

/* One filled stretch of the band, points from..to (both in). */
static void band_part(struct buf *out, const struct chart_line *l, const struct svg_scale *x,
		      const struct svg_scale *y, size_t from, size_t to, size_t style)
{
	buf_printf(out, "<path class=\"band b%zu\" d=\"", style % SVG_STYLES);
	for (size_t i = from; i <= to; i++)
		buf_printf(out, "%c%.1f %.1f", i == from ? 'M' : 'L', svg_at(x, x_of(l, i)), svg_at(y, l->hi[i]));
	for (size_t i = to + 1; i-- > from;)
		buf_printf(out, "L%.1f %.1f", svg_at(x, x_of(l, i)), svg_at(y, l->lo[i]));
	buf_puts(out, "Z\"/>\n");
}

static void whisker(struct buf *out, double x, double y0, double y1, size_t style)
{
	buf_printf(out, "<path class=\"c%zu\" d=\"M%.1f %.1fV%.1fM%.1f %.1fh6M%.1f %.1fh6\"/>\n", style % SVG_STYLES, x, y0,
		   y1, x - 3, y0, x - 3, y1);
}

void svg_band(struct buf *out, const struct chart_line *l, const struct svg_scale *x, const struct svg_scale *y,
	      size_t style)
{
	size_t from = 0;

	for (size_t i = 0; i <= l->n; i++) {
		if (i < l->n && shown(l, i, x, y) && has_band(l, i, y)) {
			whisker(out, svg_at(x, x_of(l, i)), svg_at(y, l->lo[i]), svg_at(y, l->hi[i]), style);
			continue;
		}
		if (i > from + 1)
			band_part(out, l, x, y, from, i - 1, style);
		from = i + 1;
	}
}

/* A thin dotted bridge says "same line", not "measured here". */
static void gap(struct buf *out, double x0, double y0, double x1, double y1, size_t style)
{
	buf_printf(out, "<path class=\"gap c%zu\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", style % SVG_STYLES, x0, y0, x1, y1);
}

void svg_line(struct buf *out, const struct chart_line *l, const struct svg_scale *x, const struct svg_scale *y,
	      size_t style)
{
	double last_x = 0, last_y = 0;
	bool open = false, any = false;

	for (size_t i = 0; i < l->n; i++) {
		double px, py;

		if (!shown(l, i, x, y)) {
			if (open)
				buf_puts(out, "\"/>\n");
			open = false;
			continue;
		}
		px = svg_at(x, x_of(l, i));
		py = svg_at(y, l->y[i]);
		if (!open && any)
			gap(out, last_x, last_y, px, py, style);
		if (!open)
			buf_printf(out, "<path class=\"line c%zu\" stroke-dasharray=\"%s\" d=\"M%.1f %.1f",
				   style % SVG_STYLES, *dashes[style % SVG_STYLES] ? dashes[style % SVG_STYLES] : "none",
				   px, py);
		else
			buf_printf(out, "L%.1f %.1f", px, py);
		open = any = true;
		last_x = px;
		last_y = py;
	}
	if (open)
		buf_puts(out, "\"/>\n");
	/* with hundreds of points markers hide the line */
	for (size_t i = 0; i < l->n; i++)
		if (shown(l, i, x, y) && (l->n <= 80 || !(i && shown(l, i - 1, x, y)) || i + 1 == l->n))
			svg_marker(out, svg_at(x, x_of(l, i)), svg_at(y, l->y[i]), style, l->hollow);
}

void svg_marker(struct buf *out, double x, double y, size_t style, bool hollow)
{
	static const char *const shapes[SVG_STYLES] = {
		"", "m-4-4h8v8h-8z", "m0-5.2l5 8.8h-10z", "m0-5.4l5.4 5.4l-5.4 5.4l-5.4-5.4z", "m0 5.2l5-8.8h-10z",
		"m-1.6-4.8h3.2v3.2h3.2v3.2h-3.2v3.2h-3.2v-3.2h-3.2v-3.2h3.2z", "m-5-3h10v6h-10z", "m-3-5h6v10h-6z",
		"m-5.2 0l8.8-5v10z", "m5.2 0l-8.8-5v10z", "m-2.4-4.4h4.8l2.6 4.4l-2.6 4.4h-4.8l-2.6-4.4z",
		"m-4.8-4.8l4.8 3l4.8-3l-3 4.8l3 4.8l-4.8-3l-4.8 3l3-4.8z",
	};
	size_t s = style % SVG_STYLES;

	if (s == 0)
		buf_printf(out, "<circle class=\"mark %s%zu%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", hollow ? "c" : "f", s,
			   hollow ? " hollow" : "", x, y);
	else
		buf_printf(out, "<path class=\"mark %s%zu%s\" d=\"M%.1f %.1f%s\"/>\n", hollow ? "c" : "f", s,
			   hollow ? " hollow" : "", x, y, shapes[s]);
}

struct label {
	size_t line;
	double x, y, at;	/* the point; where the name goes */
};

static int by_place(const void *a, const void *b)
{
	const struct label *l = a, *r = b;

	return l->y < r->y ? -1 : l->y > r->y ? 1 : l->line < r->line ? -1 : l->line > r->line;
}

/* Pushes names apart downwards, then back up from the lower edge: order kept, nothing covered. */
static void spread(struct label *labels, size_t n, double top, double bottom)
{
	double floor_y = top, ceiling = bottom;

	for (size_t i = 0; i < n; i++) {
		labels[i].at = fmax(labels[i].y, floor_y);
		floor_y = labels[i].at + LABEL_PX;
	}
	for (size_t i = n; i-- > 0;) {
		labels[i].at = fmin(labels[i].at, ceiling);
		ceiling = labels[i].at - LABEL_PX;
	}
}

double svg_label_room(const struct chart_line *lines, size_t n)
{
	char name[SVG_TEXT];
	double room = 84;	/* "and 21 more" */

	for (size_t i = 0; i < n; i++) {
		svg_shorten(name, sizeof(name), lines[i].label, LABEL_CHARS);
		room = fmax(room, svg_width(name, 12) + 30);
	}
	return fmin(room, 270);
}

void svg_end_labels(struct buf *out, const struct chart_line *lines, size_t n, const struct svg_scale *x,
		    const struct svg_scale *y, const struct svg_box *box)
{
	size_t room = (size_t)((box->y1 - box->y0) / LABEL_PX), n_labels = 0, left_out;
	struct label *labels = calloc(n ? n : 1, sizeof(*labels));
	char name[SVG_TEXT], class[32];

	must(labels != NULL);
	for (size_t i = 0; i < n; i++)
		for (size_t k = lines[i].n; k-- > 0;)
			if (shown(&lines[i], k, x, y)) {
				labels[n_labels++] = (struct label){ .line = i, .x = svg_at(x, x_of(&lines[i], k)),
								     .y = svg_at(y, lines[i].y[k]) };
				break;
			}
	left_out = n_labels > room ? n_labels - (room - 1) : 0;
	n_labels -= left_out;
	qsort(labels, n_labels, sizeof(*labels), by_place);
	spread(labels, n_labels, box->y0 + 6, box->y1 - 6 - (left_out ? LABEL_PX : 0));
	for (size_t i = 0; i < n_labels; i++) {
		const struct label *l = &labels[i];

		svg_shorten(name, sizeof(name), lines[l->line].label, LABEL_CHARS);
		snprintf(class, sizeof(class), "t%zu", l->line % SVG_STYLES);
		svg_rule(out, l->x + 7, l->y, box->x1 + 8, l->at, "lead");
		svg_text(out, box->x1 + 12, l->at + 4, class, "start", name);
	}
	if (left_out) {
		snprintf(name, sizeof(name), "and %zu more", left_out);
		svg_text(out, box->x1 + 12, box->y1 - 2, "muted", "start", name);
	}
	free(labels);
}
