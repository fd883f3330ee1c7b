/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare.svg: the rows as a picture. */
#include <math.h>
#include <stdlib.h>

#include "../chart/chart.h"
#include "../chart/table.h"
#include "api_compare.h"
#include "calc_arranged.h"
#include "calc_words.h"

#define ROWS_DRAWN 60	/* more are no picture: the largest changes, in their order; of an order asked for the first */

static enum chart_tone tone_of(enum compare_direction d)
{
	return d == COMPARE_WORSE ? CHART_WORSE : d == COMPARE_BETTER ? CHART_BETTER : CHART_NEUTRAL;
}

static double size_of(const struct compare_row *r)
{
	double ratio = 1 + r->change_percent / 100;

	return ratio > 0 ? fabs(log(ratio)) : isfinite(ratio) ? INFINITY : -1;
}

/* Claims before what noise may have made, then by size; rows are pointers into one array. */
static int by_weight(const void *a, const void *b)
{
	const struct compare_row *r = *(const struct compare_row *const *)a, *q = *(const struct compare_row *const *)b;
	bool rc = r->verdict >= COMPARE_IMPROVEMENT, qc = q->verdict >= COMPARE_IMPROVEMENT;
	double x = size_of(r), y = size_of(q);

	if (rc != qc)
		return qc - rc;
	return x > y ? -1 : x < y ? 1 : (r > q) - (r < q);
}

static int by_address(const void *a, const void *b)
{
	const struct compare_row *r = *(const struct compare_row *const *)a, *q = *(const struct compare_row *const *)b;

	return (r > q) - (r < q);
}

static const struct compare_row **pick(struct arena *a, const struct compare *c, size_t *n)
{
	const struct compare_row **rows = arena_array(a, const struct compare_row *, c->n_rows);

	for (size_t i = 0; i < c->n_rows; i++)
		rows[i] = &c->rows[i];
	*n = c->n_rows;
	if (*n > ROWS_DRAWN) {
		*n = ROWS_DRAWN;
		if (!c->arranged_by) {
			qsort(rows, c->n_rows, sizeof(*rows), by_weight);
			qsort(rows, *n, sizeof(*rows), by_address);
		}
	}
	return rows;
}

static const char *said(struct arena *a, const struct compare_row *r)
{
	const char *percent = table_percent(a, r->change_percent);

	if (r->verdict == COMPARE_INCONCLUSIVE)
		return arena_printf(a, "%s, %s", percent, r->tested ? "can't tell" : "no estimate of noise");
	if (r->verdict == COMPARE_UNCHANGED)
		return arena_printf(a, "%s, unchanged", percent);
	return arena_printf(a, "%s, %s (%s)", percent, calc_compare_verdict_word(r->verdict),
			    calc_compare_confidence_word(r->confidence));
}

/* "size_kib" of each series as "40 KiB"; several parameters as they are written elsewhere. */
static const char *label_of(struct arena *a, const struct cat_series *s)
{
	if (s->n_params == 1)
		return calc_words_axis_value(a, s->param[0].name, s->param[0].text);
	return s->n_params ? calc_words_params(a, s, NULL) : s->metric->name;
}

static const char *title_of(struct arena *a, const struct compare *c)
{
	size_t n = calc_compare_whole(c)->n_rows;

	if (!n)
		return arena_printf(a, "%s against %s", c->head->name, c->base->name);
	return arena_printf(a, "%s against %s: %zu of %zu row%s slower or worse, %zu better", c->head->name, c->base->name,
			    c->regressions, n, n == 1 ? "" : "s", c->improvements);
}

static const char *subtitle_of(struct arena *a, const struct compare *c)
{
	const char *text = arena_printf(a, "%zu unchanged, %zu can't tell", c->unchanged, c->inconclusive);

	if (c->arranged_by)
		text = arena_printf(a, "%s; %s", text, c->arranged_by);
	if (c->chosen_by)	/* first: else the picture would be taken for all */
		text = arena_printf(a, "%zu of %zu rows shown: %s; of all %s", c->n_rows, c->of->n_rows, c->chosen_by, text);
	if (isfinite(c->geomean_percent))
		text = arena_printf(a, "%s; geometric mean %s", text, table_percent(a, c->geomean_percent));
	if (isfinite(c->restored_percent))
		text = arena_printf(a, "%s; %s restores %.1f %% of it", text, c->fix->name, c->restored_percent);
	if (c->n_missing)
		text = arena_printf(a, "%s; %zu without a value", text, c->n_missing);
	return text;
}

/* The heading over row i: its group where they are asked for, else what its series has in common with those around it. */
static const char *heading_of(struct arena *a, const struct compare *c, size_t i, const struct cat_series *s)
{
	const struct compare_group *g = c->groups;

	if (!c->arranged_by)
		return arena_printf(a, "%s; %s", calc_words_metric(a, s), calc_words_where(a, s));
	if (!c->grouped_by)
		return NULL;
	for (; i >= g->n_rows; g++)
		i -= g->n_rows;
	return arena_printf(a, "%s: %zu row%s%s%s", g->value, g->n_rows, g->n_rows == 1 ? "" : "s",
			    isfinite(g->geomean_percent) ? ", geometric mean " : "",
			    isfinite(g->geomean_percent) ? table_percent(a, g->geomean_percent) : "");
}

void api_compare_svg(struct buf *out, struct arena *a, const struct compare *c)
{
	size_t n;
	const struct compare_row **rows = pick(a, c, &n);
	struct chart_effect *drawn = arena_array(a, struct chart_effect, n);

	for (size_t i = 0; i < n; i++) {
		const struct compare_row *r = rows[i];

		drawn[i] = (struct chart_effect){
			.group = heading_of(a, c, i, r->series),
			.label = c->arranged_by ? calc_arranged_row_name(a, r->series, c->grouped_by) : label_of(a, r->series),
			.text = said(a, r),
			.percent = r->change_percent,
			.lo = r->tested ? r->ci_lo : NAN,
			.hi = r->tested ? r->ci_hi : NAN,
			.remains = r->fix.runs ? r->remaining_percent : NAN,
			.tone = tone_of(r->direction),
			.claimed = r->verdict >= COMPARE_IMPROVEMENT,
		};
	}
	chart_compare_svg(out, &(struct chart_compare){
		.title = title_of(a, c), .subtitle = subtitle_of(a, c), .fix = c->fix ? c->fix->name : NULL,
		.rows = drawn, .n_rows = n, .n_all = c->n_rows, .chosen = c->chosen_by != NULL,
		.arranged = c->arranged_by != NULL,
	});
}
