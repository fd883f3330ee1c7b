/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A mail's numbers: the sweep where there is one, else two columns as the kernel test robot
 * writes them, and what other THP modes and micro-architectures make of the same two kernels.
 */
#include <math.h>
#include <string.h>

#include "../chart/table.h"
#include "calc_mail.h"
#include "calc_matrix_text.h"
#include "calc_sweep_text.h"
#include "calc_words.h"

#define ROWS_MOST 40		/* of two columns; the rest is counted and linked */
#define VALUE 10		/* columns of a value, of a change */
#define SPREAD 7		/* of " ± 0.8%" */
#define BASE (VALUE + SPREAD)
#define HEAD (2 * VALUE + SPREAD)
#define NAME (TABLE_COLUMNS - BASE - HEAD - 3)

/* Columns of UTF-8 text. */
static int columns(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static const char *number(struct arena *a, double v)
{
	if (fabs(v) >= 1e9 || (v != 0 && fabs(v) < 0.01))
		return arena_printf(a, "%.4g", v);
	return arena_printf(a, fabs(v) >= 1000 ? "%.0f" : "%.2f", v);
}

/* Of the mean, in percent; empty where nobody knows it. */
static const char *spread(struct arena *a, const struct stats_side *s)
{
	double percent = s->stddev / s->center * 100;

	if (!isfinite(percent) || fabs(percent) >= 999.5)
		return "       ";
	return arena_printf(a, " \u00b1%4.*f%%", fabs(percent) < 99.95, fabs(percent));
}

static void pair_line(struct buf *out, struct arena *a, const struct compare_row *row)
{
	const char *params = calc_words_params(a, row->series, NULL);
	const char *name = table_clean(a, arena_printf(a, "%s%s%s", row->series->metric->name, *params ? " " : "", params));
	const char *change = isfinite(row->change_percent) ? arena_printf(a, "%+.1f%%", row->change_percent) : "-";
	const char *line = arena_printf(a, "%*s%s %*s%*s%s", VALUE, number(a, row->base.center), spread(a, &row->base), VALUE,
					change, VALUE, number(a, row->head.center), spread(a, &row->head));

	if (columns(name) <= NAME) {
		buf_printf(out, "%s  %s\n", line, name);
		return;
	}
	table_para(out, 2, name);
	buf_printf(out, "%s\n", line);
}

/* The kernels' names over their columns, or letters for long ones. */
static void pair_head(struct buf *out, struct arena *a, const struct calc_mail *m)
{
	const char *base = table_clean(a, calc_words_kernel(a, m->alert->from));
	const char *head = table_clean(a, calc_words_kernel(a, m->alert->to));
	int shift;

	if (columns(base) > BASE || columns(head) > HEAD) {
		table_para(out, 6, arena_printf(a, "base  %s", base));
		table_para(out, 6, arena_printf(a, "head  %s", head));
		buf_putc(out, '\n');
		base = "base";
		head = "head";
	}
	shift = BASE - columns(base);
	buf_printf(out, "%*s%s %*s%s\n", shift, "", base, HEAD - columns(head), "", head);
	buf_puts(out, "----------------- ---------------------------\n"
		      "          %stddev    %change         %stddev\n"
		      "              \\         |                \\\n");
}

static bool same_place(const struct cat_series *s, const struct cat_series *t)
{
	return s->machine == t->machine && s->config == t->config && s->metric == t->metric;
}

static bool on_axis(const struct calc_mail *m, const struct cat_series *s)
{
	for (size_t i = 0; m->sweep && i < s->n_params; i++)
		if (s->param[i].is_number && !strcmp(s->param[i].name, m->axis))
			return true;
	return false;
}

static void pairs(struct buf *out, struct arena *a, const struct calc_mail *m)
{
	const struct cat_series *last = NULL;
	size_t shown = 0, left = 0;

	for (size_t i = 0; i < m->n_rows; i++) {
		const struct cat_series *s = m->rows[i]->series;

		if (on_axis(m, s))
			continue;
		if (shown == ROWS_MOST) {
			left++;
			continue;
		}
		if (!last)
			pair_head(out, a, m);
		if (!last || !same_place(last, s)) {
			if (last)
				buf_putc(out, '\n');
			table_para(out, 2, table_clean(a, arena_printf(a, "%s: %s", calc_words_where(a, s),
								       calc_words_metric(a, s))));
		}
		pair_line(out, a, m->rows[i]);
		last = s;
		shown++;
	}
	if (left)
		buf_printf(out, "and %zu more rows on the page of the alert\n", left);
	if (shown)
		buf_putc(out, '\n');
}

void calc_mail_tables(struct buf *out, struct arena *a, const struct calc_mail *m)
{
	if (m->sweep && m->sweep->n_lines) {
		calc_sweep_text(out, a, m->sweep);
		buf_putc(out, '\n');
	}
	if (m->groups_left) {
		table_para(out, 0, arena_printf(a, "%zu more machine%s or THP mode%s: on the page of the alert.", m->groups_left,
						m->groups_left == 1 ? "" : "s", m->groups_left == 1 ? "" : "s"));
		buf_putc(out, '\n');
	}
	pairs(out, a, m);
	if (m->places->n_cols > 1) {	/* modes differ: the trade-off is part of the report */
		calc_matrix_text(out, a, m->places, "uarch", "thp");
		buf_putc(out, '\n');
	}
}
