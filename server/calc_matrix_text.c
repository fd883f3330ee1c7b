/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_matrix_text.h"

#include "../chart/table.h"

static const char *cell_text(struct arena *a, const struct matrix_cell *c)
{
	static const char *const marks[] = { "?", "=", "", "" };	/* by verdict: a claim needs no mark */

	if (!c->n_series)
		return "-";
	return arena_printf(a, "%s%s%s", table_percent(a, c->percent), marks[c->verdict], c->signs_disagree ? "!" : "");
}

/* "THP", "param.size_kib": over the first column. */
void calc_matrix_text(struct buf *out, struct arena *a, const struct matrix *m, const char *rows, const char *cols)
{
	struct table_col *head = arena_array(a, struct table_col, m->n_cols + 1);
	struct table *t;
	bool empty = false, disagree = false;

	table_para(out, 2, table_clean(a, arena_printf(a, "%s against %s, change by %s (down) and %s (across)",
						       m->compare->head->name, m->compare->base->name, rows, cols)));
	buf_putc(out, '\n');
	if (!m->n_rows || !m->n_cols) {
		buf_puts(out, "Nothing of this was measured on both.\n");
		return;
	}
	head[0].name = table_clean(a, rows);
	for (size_t c = 0; c < m->n_cols; c++)
		head[c + 1] = (struct table_col){ .name = table_clean(a, m->cols[c].text), .right = true };
	t = table_new(a, head, m->n_cols + 1);
	for (size_t r = 0; r < m->n_rows; r++) {
		table_row(t);
		table_str(t, m->rows[r].text);
		for (size_t c = 0; c < m->n_cols; c++) {
			const struct matrix_cell *cell = &m->cells[r * m->n_cols + c];

			table_str(t, cell_text(a, cell));
			empty |= !cell->n_series;
			disagree |= cell->n_series && cell->signs_disagree;
		}
	}
	table_txt(out, t);
	buf_putc(out, '\n');
	table_para(out, 2, arena_printf(a, "Geometric means. ?: can't tell from noise (or there is no noise "
					"estimate); =: unchanged%s%s.", disagree ? "; !: signs of its rows disagree" : "",
					empty ? "; -: not run on both" : ""));
}
