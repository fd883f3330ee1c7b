/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_matrix_words.h"

#include <string.h>

#define NAMES_MOST 3		/* more rows are counted */

static size_t n_cells(const struct matrix *m)
{
	return m->n_rows * m->n_cols;
}

void calc_matrix_net(const struct matrix *m, struct matrix_net *net)
{
	*net = (struct matrix_net){ 0 };
	for (size_t i = 0; i < n_cells(m); i++) {
		const struct matrix_cell *c = &m->cells[i];

		if (!c->n_series)
			continue;
		net->better += c->verdict == COMPARE_IMPROVEMENT;
		net->worse += c->verdict == COMPARE_REGRESSION;
		net->unchanged += c->verdict == COMPARE_UNCHANGED;
		net->inconclusive += c->verdict == COMPARE_INCONCLUSIVE;
	}
	net->verdict = net->better && net->worse ? "trade-off" : net->better ? "better" : net->worse ? "worse" :
		       net->unchanged && !net->inconclusive ? "unchanged" : "inconclusive";
}

static bool tested(const struct matrix *m)
{
	for (size_t i = 0; i < n_cells(m); i++)
		if (m->cells[i].n_series && m->cells[i].tested)
			return true;
	return false;
}

/* by_number: nothing could be tested, so the direction stands for a verdict. */
static bool is(const struct matrix_cell *c, bool worse, bool by_number)
{
	if (!c->n_series)
		return false;
	if (by_number)
		return c->direction == (worse ? COMPARE_WORSE : COMPARE_BETTER);
	return c->verdict == (worse ? COMPARE_REGRESSION : COMPARE_IMPROVEMENT);
}

/* "THP always", "milan-01": which column */
static const char *column(struct arena *a, const struct matrix *m, const char *cols, size_t c)
{
	const char *name = strncmp(cols, "param.", 6) ? cols : cols + 6;

	if (!strcmp(cols, "thp"))
		name = "THP";
	else if (strncmp(cols, "param.", 6))
		return m->cols[c].text;
	return arena_printf(a, "%s %s", name, m->cols[c].text);
}

/* "epyc-rome and epyc-milanx", "all 5", "4 of 5"; NULL: no row of the column. */
static const char *places(struct arena *a, const struct matrix *m, size_t c, bool worse, bool by_number)
{
	const char *text = "";
	size_t n = 0, there = 0, told = 0;

	for (size_t r = 0; r < m->n_rows; r++) {
		there += m->cells[r * m->n_cols + c].n_series > 0;
		n += is(&m->cells[r * m->n_cols + c], worse, by_number);
	}
	if (!n)
		return NULL;
	if (n == there && n > 1)
		return arena_printf(a, "all %zu", n);
	if (n > NAMES_MOST)
		return arena_printf(a, "%zu of %zu", n, there);
	for (size_t r = 0; r < m->n_rows; r++)
		if (is(&m->cells[r * m->n_cols + c], worse, by_number)) {
			text = arena_printf(a, "%s%s%s", text, !told ? "" : told + 1 == n ? " and " : ", ", m->rows[r].text);
			told++;
		}
	return text;
}

/* "helps THP 2M on all 5 and THP 64K on epyc-rome"; "": nowhere. */
static const char *side(struct arena *a, const struct matrix *m, const char *cols, bool worse, bool by_number)
{
	const char *text = "";

	for (size_t c = 0; c < m->n_cols; c++) {
		const char *where = places(a, m, c, worse, by_number);

		if (where)
			text = arena_printf(a, "%s%s%s on %s", text, *text ? ", " : worse ? "hurts " : "helps ",
					    column(a, m, cols, c), where);
	}
	return text;
}

const char *calc_matrix_sentence(struct arena *a, const struct matrix *m, const char *cols)
{
	bool by_number = !tested(m);
	const char *good = side(a, m, cols, false, by_number), *bad = side(a, m, cols, true, by_number);
	struct matrix_net net;

	calc_matrix_net(m, &net);
	if (*good || *bad)
		return arena_printf(a, "%s%s%s%s.", good, *good && *bad ? "; " : "", bad,
				    by_number ? ", by number: unproven, there is no noise estimate" : "");
	if (!net.unchanged && !net.inconclusive)
		return "nothing was measured with both.";
	return net.inconclusive ? arena_printf(a, "no cell has a proven change: %zu unchanged, %zu inconclusive.", net.unchanged,
					       net.inconclusive) :
				  arena_printf(a, "all %zu cells are unchanged.", net.unchanged);
}
