/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The matrix: a heat map with the number in each cell; strength of colour follows the effect, around none. */
#include "chart.h"

#include <math.h>
#include <stdio.h>

#include "svg.h"

#define WIDTH 960.0
#define EDGE 12.0
#define CELL_HEIGHT 40.0
#define CELL_LEAST 88.0
#define CELL_MOST 168.0
#define GAP 2.0
#define ROW 16.0

struct plan {
	double left, top, cell, names;	/* of the first cell; a cell's width; height of the columns' names */
	bool slanted;
};

static double longest(const char *const *names, size_t n, size_t most)
{
	char text[SVG_TEXT];
	double w = 0;

	for (size_t i = 0; i < n; i++) {
		svg_shorten(text, sizeof(text), names[i], most);
		w = fmax(w, svg_width(text, 12));
	}
	return w;
}

static void plan(struct plan *p, const struct chart_matrix *m, double top)
{
	double cols = longest(m->cols, m->n_cols, 30);

	p->left = EDGE + fmin(fmax(longest(m->rows, m->n_rows, 34), svg_width(m->row_name, 12)) + 14, 260);
	p->cell = fmin(fmax((WIDTH - EDGE - p->left) / (double)m->n_cols, CELL_LEAST), CELL_MOST);
	p->slanted = cols > p->cell - 8;
	p->names = p->slanted ? cols * 0.6 + 14 : ROW;	/* sin of the slant */
	p->top = top + 2 * ROW + p->names;
}

static double width_of(const struct plan *p, const struct chart_matrix *m)
{
	/* a slanted name leaves its column to the right */
	return fmax(WIDTH, p->left + (double)m->n_cols * p->cell + EDGE + (p->slanted ? p->names : 0));
}

static void names(struct buf *out, const struct plan *p, const struct chart_matrix *m)
{
	char text[SVG_TEXT];

	svg_text(out, p->left + GAP, p->top - p->names - ROW + 6, "muted", "start", m->col_name);
	svg_text(out, EDGE, p->top - 6, "muted", "start", m->row_name);
	for (size_t c = 0; c < m->n_cols; c++) {
		double x = p->left + (double)c * p->cell + p->cell / 2;

		svg_shorten(text, sizeof(text), m->cols[c], 30);
		if (p->slanted)
			buf_printf(out, "<g transform=\"translate(%.1f %.1f) rotate(-37)\">\n", x, p->top - 6);
		svg_text(out, p->slanted ? 0 : x, p->slanted ? 0 : p->top - 6, "bold", p->slanted ? "start" : "middle", text);
		if (p->slanted)
			buf_puts(out, "</g>\n");
	}
	for (size_t r = 0; r < m->n_rows; r++) {
		svg_shorten(text, sizeof(text), m->rows[r], 34);
		svg_text(out, EDGE, p->top + ((double)r + 0.5) * CELL_HEIGHT + 4, "bold", "start", text);
	}
}

static void cell(struct buf *out, const struct plan *p, const struct chart_cell *c, double x, double y)
{
	char text[SVG_TEXT];

	if (!c->text) {
		svg_text(out, x + p->cell / 2, y + CELL_HEIGHT / 2 + 4, "muted", "middle", "-");
		return;
	}
	buf_printf(out, "<rect class=\"cell");
	if (c->strength && c->tone != CHART_NEUTRAL)
		buf_printf(out, " %c%u", c->tone == CHART_WORSE ? 'w' : 'd', c->strength > 4 ? 4 : c->strength);
	buf_printf(out, "\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", x + GAP, y + GAP, p->cell - GAP,
		   CELL_HEIGHT - GAP);
	svg_shorten(text, sizeof(text), c->text, (size_t)(p->cell / 7.5));
	svg_text(out, x + p->cell - 8, y + (c->note ? 18 : CELL_HEIGHT / 2 + 5), "heat bold", "end", text);
	if (!c->note)
		return;
	svg_text(out, x + p->cell - 8, y + 33, "heat", "end",
		 svg_width(c->note, 12) < p->cell - 12 ? c->note : c->brief);
}

static void left_out(struct buf *out, const struct chart_matrix *m, double y)
{
	char text[SVG_TEXT];

	if (m->n_rows == m->n_all_rows && m->n_cols == m->n_all_cols)
		return;
	snprintf(text, sizeof(text), "%zu of %zu rows, %zu of %zu columns: the text and CSV forms have all.", m->n_rows,
		 m->n_all_rows, m->n_cols, m->n_all_cols);
	svg_text(out, EDGE, y, "muted", "start", text);
}

static void describe(struct buf *desc, const struct chart_matrix *m)
{
	size_t told = 0;

	buf_printf(desc, "Change in percent by %s and %s:", m->row_name, m->col_name);
	for (size_t i = 0; i < m->n_rows * m->n_cols && told < 20; i++)
		if (m->cells[i].text)
			buf_printf(desc, "%s %s, %s: %s", told++ ? ";" : "", m->rows[i / m->n_cols], m->cols[i % m->n_cols],
				   m->cells[i].text);
	buf_putc(desc, '.');
}

void chart_matrix_svg(struct buf *out, const struct chart_matrix *m)
{
	struct buf body, desc;
	double bottom;
	struct plan p;

	if (!m->n_rows || !m->n_cols) {
		svg_nothing(out, WIDTH, m->title, m->subtitle,
			    "Nothing of this selection was measured on both kernels yet.");
		return;
	}
	buf_init(&body);
	buf_init(&desc);
	plan(&p, m, svg_heading(&body, EDGE, WIDTH - 2 * EDGE, m->title, m->subtitle));
	describe(&desc, m);
	names(&body, &p, m);
	for (size_t i = 0; i < m->n_rows * m->n_cols; i++)
		cell(&body, &p, &m->cells[i], p.left + (double)(i % m->n_cols) * p.cell,
		     p.top + (double)(i / m->n_cols) * CELL_HEIGHT);
	bottom = p.top + (double)m->n_rows * CELL_HEIGHT;
	left_out(&body, m, bottom + ROW + 4);
	svg_begin(out, width_of(&p, m), bottom + 2 * ROW, m->title, desc.p);
	buf_add(out, body.p, body.len);
	svg_end(out);
	buf_fini(&body);
	buf_fini(&desc);
}
