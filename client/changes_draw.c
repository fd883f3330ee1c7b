/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "changes_draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../chart/table.h"
#include "../lib/utf8.h"

#define WIDTH 72
#define LABEL 20	/* columns */
#define STRIP 30
#define SHOWN 5		/* runs drawn at each end of a long level */

struct drawing {
	struct arena *a;
	struct buf *out;
	const struct changes_series *s;
	const struct change_list *l;
	double least, most;	/* of what is no outlier: the ends of the strip */
	size_t outlier;		/* the next one in l */
	double level;		/* NaN: not known */
};

/* At most `width` characters of s. */
static const char *cut(struct arena *a, const char *s, size_t width)
{
	size_t n = 0, used = 0, len = strlen(s);

	while (n < len && used < width) {
		size_t c = utf8_char(s + n, len - n);

		n += c ? c : 1;
		used++;
	}
	return arena_printf(a, "%.*s%*s", (int)n, s, (int)(width - used), "");
}

static bool is_outlier(const struct change_list *l, size_t i, size_t *at)
{
	while (*at < l->n_outliers && l->outliers[*at] < i)
		(*at)++;
	return *at < l->n_outliers && l->outliers[*at] == i;
}

static void find_range(struct drawing *d)
{
	size_t at = 0;

	d->least = INFINITY;
	d->most = -INFINITY;
	for (size_t i = 0; i < d->s->n; i++) {
		double v = d->s->runs[i].value;

		if (!isfinite(v) || is_outlier(d->l, i, &at))
			continue;
		d->least = fmin(d->least, v);
		d->most = fmax(d->most, v);
	}
}

/* The column of a value, -1 and STRIP beyond the ends. Halves, so that the widest range stays finite. */
static int column(const struct drawing *d, double v)
{
	double range = d->most / 2 - d->least / 2;

	if (v < d->least)
		return -1;
	if (v > d->most)
		return STRIP;
	return range > 0 ? (int)((v / 2 - d->least / 2) / range * (STRIP - 1) + 0.5) : STRIP / 2;
}

static void draw_run(struct drawing *d, size_t i)
{
	const struct change_run *run = &d->s->runs[i];
	const char *label = d->s->labels && d->s->labels[i] ? d->s->labels[i] : "";
	char strip[STRIP + 3];
	int at;

	buf_printf(d->out, "%6zu %s ", i, cut(d->a, table_clean(d->a, label), LABEL));
	if (!isfinite(run->value)) {
		buf_puts(d->out, "          -\n");
		return;
	}
	memset(strip, ' ', sizeof(strip));
	strip[STRIP + 2] = 0;
	at = isnan(d->level) ? -1 : column(d, d->level);
	if (at >= 0 && at < STRIP)
		strip[at + 1] = '|';
	at = column(d, run->value);
	strip[at + 1] = at < 0 ? '<' : at == STRIP ? '>' : is_outlier(d->l, i, &d->outlier) ? 'o' : '*';
	for (size_t n = STRIP + 2; n && strip[n - 1] == ' '; n--)
		strip[n - 1] = 0;
	buf_printf(d->out, "%11.6g %s\n", run->value, strip);
}

/* The runs of one level, the middle of a long one left out. */
static void draw_level(struct drawing *d, size_t from, size_t to)
{
	size_t at = d->outlier, outliers = 0;

	for (size_t i = from; i < to; i++) {
		if (to - from > 2 * SHOWN + 2 && i == from + SHOWN) {
			for (; i < to - SHOWN; i++)
				outliers += is_outlier(d->l, i, &at);
			buf_printf(d->out, "       ... %zu more", to - from - 2 * SHOWN);
			if (outliers)
				buf_printf(d->out, ", %zu of them outliers", outliers);
			buf_putc(d->out, '\n');
		}
		draw_run(d, i);
	}
}

static const char *spanned(struct drawing *d, const struct change_found *f)
{
	return f->lo == f->hi ? arena_printf(d->a, "%zu", f->index) :
				arena_printf(d->a, "%zu (%zu..%zu)", f->index, f->lo, f->hi);
}

const char *changes_draw_step(struct arena *a, const struct change_found *f)
{
	if (isfinite(f->percent) && isfinite(f->ci_lo) && isfinite(f->ci_hi))
		return arena_printf(a, "%s [%s, %s]", table_percent(a, f->percent), table_percent(a, f->ci_lo),
				    table_percent(a, f->ci_hi));
	return arena_printf(a, "%.6g to %.6g, in no percentage,", f->before, f->after);
}

static void draw_change(struct drawing *d, const struct change_found *f)
{
	const char *words = f->state == CHANGE_SUSPECT ? "suspect: run it again" :
			    arena_printf(d->a, "%s, %s", change_state_word(f->state), f->clear ? "strong" : "weak");
	size_t before = d->out->len, used;

	buf_printf(d->out, "--- %s from %s on, %s ", changes_draw_step(d->a, f), spanned(d, f), words);
	for (used = d->out->len - before; used < WIDTH; used++)
		buf_putc(d->out, '-');
	buf_putc(d->out, '\n');
}

static void head(struct drawing *d)
{
	size_t runs = 0;

	for (size_t i = 0; i < d->s->n; i++)
		runs += isfinite(d->s->runs[i].value);
	table_para(d->out, 2, table_clean(d->a, d->s->name));
	buf_printf(d->out, "%zu run%s, %zu change%s, %zu outlier%s%s\n", runs, runs == 1 ? "" : "s", d->l->n,
		   d->l->n == 1 ? "" : "s", d->l->n_outliers, d->l->n_outliers == 1 ? "" : "s",
		   d->l->suspect ? ", the last run is suspect" : "");
}

void changes_draw(struct arena *a, struct buf *out, const struct changes_series *s, const struct change_list *l)
{
	struct drawing d = { .a = a, .out = out, .s = s, .l = l };
	size_t from = 0;

	head(&d);
	find_range(&d);
	for (size_t i = 0; i <= l->n + l->suspect; i++) {
		const struct change_found *f = i < l->n ? &l->found[i] : i == l->n && l->suspect ? &l->last : NULL;
		const struct change_found *before = i ? &l->found[i - 1] : NULL;

		d.level = f && f->state != CHANGE_SUSPECT ? f->before : before && i <= l->n ? before->after : NAN;
		draw_level(&d, from, f ? f->index : s->n);
		if (f) {
			draw_change(&d, f);
			from = f->index;
		}
	}
	buf_putc(out, '\n');
}
