/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the pictures share: text that is escaped and never too wide, scales and ticks,
 * lines with gaps, bands and markers, labels at line ends that do not cover each other.
 */
#ifndef CHART_SVG_H
#define CHART_SVG_H

#include "chart.h"

#define SVG_TEXT 160		/* bytes of a label that is made here */
#define SVG_STYLES 12		/* distinct colour + marker + dash; then they come again */

struct svg_scale {		/* v0 stands at pixel p0, v1 at p1 */
	double v0, v1, p0, p1;
	bool log;
};

struct svg_range {		/* of finite values; empty while lo > hi */
	double lo, hi;
};

struct svg_box {
	double x0, y0, x1, y1;
};

/* How numbers of an axis are written: v * factor with this suffix; digits behind the point. */
struct svg_unit {
	double factor;
	const char *suffix;	/* "us", "k", "" */
};

/* The document. */
void svg_begin(struct buf *out, double width, double height, const char *title, const char *desc);
void svg_end(struct buf *out);

/* Text. Classes are those of svg.c's style sheet; anchor "start", "middle", "end". */
void svg_escape(struct buf *out, const char *s, size_t n);
void svg_text(struct buf *out, double x, double y, const char *class, const char *anchor, const char *s);
double svg_width(const char *s, double font_px);	/* a careful guess: no font is known here */
/* s, or its start and end with an ellipsis between, at most `max` characters. */
void svg_shorten(char *out, size_t size, const char *s, size_t max);
/* Title (at most two lines) and subtitle at x; returns the y below them. */
double svg_heading(struct buf *out, double x, double width, const char *title, const char *subtitle);
/* The whole picture of a selection without data: its heading, and `text`, a sentence. */
void svg_nothing(struct buf *out, double width, const char *title, const char *subtitle, const char *text);

/* Numbers. */
struct svg_unit svg_unit_of(const char *unit, double around);	/* "ns/call", 17000 -> 0.001 "us" */
/* 3 significant digits with the unit: "1.71 us"; half a digit more where 3 would merge ticks. */
void svg_number(char out[SVG_TEXT], double v, struct svg_unit unit);
void svg_percent(char out[SVG_TEXT], double percent);		/* "+150 %", "-0.4 %", "0 %" */
void svg_size(char out[SVG_TEXT], double x, const char *unit);	/* exact: "40 KiB", "4000 KiB", "4 MiB" */
/* About how much an odd number of KiB is: "3.91 MiB"; "" where svg_size() says it all. */
void svg_size_about(char out[SVG_TEXT], double x, const char *unit);

/* Scales. */
void svg_range_add(struct svg_range *r, double v);
void svg_range_lines(struct svg_range *r, const struct chart_line *lines, size_t n, bool positive);
double svg_at(const struct svg_scale *s, double v);
/* Round values inside the scale, ascending; at most `max` of them. Returns how many. */
size_t svg_ticks(const struct svg_scale *s, double *ticks, size_t max);
void svg_widen(struct svg_scale *s, double share);	/* room at both ends, as a share of the length */

/* Marks. A line's style follows its index. x may be NULL: the index. */
void svg_band(struct buf *out, const struct chart_line *l, const struct svg_scale *x, const struct svg_scale *y,
	      size_t style);
void svg_line(struct buf *out, const struct chart_line *l, const struct svg_scale *x, const struct svg_scale *y,
	      size_t style);
void svg_marker(struct buf *out, double x, double y, size_t style, bool hollow);
/* Names of lines at their last points, moved apart within the box, which ends where they begin. */
void svg_end_labels(struct buf *out, const struct chart_line *lines, size_t n, const struct svg_scale *x,
		    const struct svg_scale *y, const struct svg_box *box);
double svg_label_room(const struct chart_line *lines, size_t n);	/* width the names want, capped */
void svg_rule(struct buf *out, double x0, double y0, double x1, double y1, const char *class);

#endif
