/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures as SVG that stand alone: no script, no outside fonts, readable in light and
 * dark (prefers-color-scheme), titled and described for screen readers. Plain data in.
 */
#ifndef CHART_CHART_H
#define CHART_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "../lib/buf.h"

struct chart_line {
	const char *label;		/* named at the line's end */
	size_t n;
	const double *x;		/* sweep only, ascending; NULL in a trend (x = index of the kernel) */
	const double *y, *lo, *hi;	/* NaN: not run / no noise estimate; lo, hi may be NULL */
	bool hollow;			/* a variant: off the line of releases */
};

struct chart_sweep {
	const char *title;		/* a statement */
	const char *subtitle;		/* benchmark, machine, THP; "n = 1" */
	const char *x_name, *x_unit;	/* "size_kib", "KiB": ticks stand at the measured x, as 4 KiB, 40 KiB, ... */
	const char *y_unit;		/* "ns/call" */
	const struct chart_line *lines;
	size_t n_lines;
	const char *ratio_title;	/* "change against v6.16" */
	const struct chart_line *ratios;	/* y in percent; may be none */
	const double *onsets;		/* per ratio line, NaN: none */
	size_t n_ratios;
};

struct chart_change {
	size_t line, at;		/* index of the first kernel of the new level */
	double percent;
	bool worse;
};

/* A revert or a patch: off the line, at the kernel that it is made from. */
struct chart_variant {
	size_t line, at;		/* index of that kernel */
	double y;
	const char *name;
};

struct chart_trend {
	const char *title, *subtitle, *y_unit;
	const char *const *kernels;	/* in order */
	size_t n_kernels;
	const struct chart_line *lines;	/* n = n_kernels */
	size_t n_lines;
	const struct chart_change *changes;
	size_t n_changes;
	const struct chart_variant *variants;
	size_t n_variants;
};

/* What a change means to people; told by colour and by word. */
enum chart_tone { CHART_NEUTRAL, CHART_BETTER, CHART_WORSE };

/* A change in percent with its uncertainty. */
struct chart_effect {
	const char *group;		/* what rows in sequence have in common; NULL, or the same text: no new heading */
	const char *label;
	const char *text;		/* "+74 %, regression (strong)" */
	double percent, lo, hi;		/* NaN: none; lo, hi: 95 % CI */
	double remains;			/* with the fix, against the base; NaN: none */
	enum chart_tone tone;
	bool claimed;			/* more than noise: filled */
};

struct chart_compare {
	const char *title, *subtitle;
	const char *fix;		/* name of the kernel that `remains` is about, or NULL */
	const struct chart_effect *rows;
	size_t n_rows, n_all;		/* drawn, there are */
	bool chosen;			/* from rows that there are: none is no lack of data */
	bool arranged;			/* in an order asked for: labels are whole names, and those not drawn come after */
};

struct chart_cell {
	const char *text;		/* NULL: empty */
	const char *note, *brief;	/* a second line, and what of it fits the smallest cell; or NULL */
	unsigned strength;		/* 1 .. 4; 0: no colour */
	enum chart_tone tone;
};

struct chart_matrix {
	const char *title, *subtitle;
	const char *row_name, *col_name;
	const char *const *rows, *const *cols;	/* labels */
	size_t n_rows, n_cols;		/* drawn */
	size_t n_all_rows, n_all_cols;	/* there are */
	const struct chart_cell *cells;	/* [row * n_cols + col] */
};

/* Boots of one kernel, in a strip of their own. */
struct chart_strip_row {
	const char *label, *text;	/* "good: 6.16"; "bad, 99.8 % sure, 2 boots" */
	const double *percent;		/* a boot each: change against the good level */
	size_t n;
	enum chart_tone tone;		/* worse: bad, better: good, neutral: not known */
};

struct chart_strip {
	const char *title, *subtitle;
	double bad_percent;		/* the level of the bad kernel; that of the good one is 0 */
	double noise_percent;		/* one standard deviation of a boot: the width of both bands; NaN: not known */
	const struct chart_strip_row *rows;
	size_t n_rows;
};

void chart_strip_svg(struct buf *out, const struct chart_strip *c);
void chart_compare_svg(struct buf *out, const struct chart_compare *c);
void chart_matrix_svg(struct buf *out, const struct chart_matrix *m);
void chart_sweep_svg(struct buf *out, const struct chart_sweep *c);
void chart_trend_svg(struct buf *out, const struct chart_trend *c);

#endif
