/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `nsecwatch bisect log`: what was judged, as text, JSON, a picture or a page. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../chart/chart.h"
#include "../chart/svg.h"
#include "../chart/table.h"
#include "bisect.h"
#include "bisect_impl.h"
#include "say.h"

/* "0123456789ab" of a commit, else the kernel. */
static const char *name_of(struct arena *a, const struct bisect_step *s)
{
	return s->commit ? arena_printf(a, "%.12s", s->commit) : s->kernel;
}

static const char *state_text(const char *state)
{
	return !strcmp(state, "skip") ? "can't tell" : !strcmp(state, "more") ? "unsure" : state;
}

/* How sure, of what was decided. NaN: nothing was. */
static double sure(const struct bisect_step *s)
{
	double p = seq_probability(s->ratio);

	return !strcmp(s->state, "bad") ? p * 100 : !strcmp(s->state, "good") ? (1 - p) * 100 : NAN;
}

static double good_level(const struct bisect *b)
{
	struct summary_moments m = bisect_boots_moments(b, &b->side[BISECT_GOOD].boots);

	return m.mean;
}

/* The standard deviation of a boot over all that are there, in percent. */
static double noise(const struct bisect *b)
{
	struct summary_moments good = bisect_boots_side(b, BISECT_GOOD, NULL),
			       bad = bisect_boots_side(b, BISECT_BAD, NULL);

	return good.n + bad.n > 2 ? sqrt((good.m2 + bad.m2) / (good.n + bad.n - 2)) * 100 : NAN;
}

static const char *title(const struct bisect *b)
{
	struct summary_moments bad = bisect_boots_moments(b, &b->side[BISECT_BAD].boots);

	return arena_printf(b->a, "Bisection from %s to %s, %+.3g %%", b->side[BISECT_GOOD].kernel,
			    b->side[BISECT_BAD].kernel, expm1(bad.mean - good_level(b)) * 100);
}

static const char *subtitle(const struct bisect *b)
{
	const char *series =
		b->n_series > 1 ? arena_printf(b->a, "%s and %zu more", b->series[0].key, b->n_series - 1)
				: b->series[0].key;

	return arena_printf(b->a, "%s; boots differ by %.2g %%; error rate of a step %g %%", series, noise(b),
			    b->error * 100);
}

/* ---- the picture ---- */

static struct chart_strip_row row_of(const struct bisect *b, const char *label, const char *text,
				     const struct bisect_boots *boots, enum chart_tone tone)
{
	double *percent = arena_array(b->a, double, boots->n + 1), good = good_level(b);

	for (size_t i = 0; i < boots->n; i++)
		percent[i] = expm1(bisect_boots_value(b, &boots->list[i]) - good) * 100;
	return (struct chart_strip_row){ label, text, percent, boots->n, tone };
}

static enum chart_tone tone_of(const char *state)
{
	return !strcmp(state, "good") ? CHART_BETTER : !strcmp(state, "bad") ? CHART_WORSE : CHART_NEUTRAL;
}

static void draw(const struct bisect *b, struct buf *out)
{
	struct summary_moments bad = bisect_boots_moments(b, &b->side[BISECT_BAD].boots);
	struct chart_strip_row *rows = arena_array(b->a, struct chart_strip_row, b->n_steps + BISECT_SIDES);
	size_t n = 0;

	for (int s = 0; s < BISECT_SIDES; s++, n++)
		rows[n] = row_of(b, b->side[s].kernel,
				 arena_printf(b->a, "baseline %s, %zu boots",
					      s == BISECT_GOOD ? "good" : "bad", b->side[s].boots.n),
				 &b->side[s].boots, s == BISECT_GOOD ? CHART_BETTER : CHART_WORSE);
	for (size_t i = 0; i < b->n_steps; i++, n++) {
		const struct bisect_step *s = &b->steps[i];
		const char *how = isnan(sure(s)) ? "" : arena_printf(b->a, ", %s sure", bisect_sure(b->a, sure(s)));

		rows[n] = row_of(b, name_of(b->a, s),
				 arena_printf(b->a, "%s%s, %zu boot%s", state_text(s->state), how, s->boots.n,
					      s->boots.n == 1 ? "" : "s"),
				 &s->boots, tone_of(s->state));
	}
	chart_strip_svg(out,
			&(struct chart_strip){ title(b), subtitle(b), expm1(bad.mean - good_level(b)) * 100,
					       noise(b), rows, n });
}

/* ---- text ---- */

static void add_row(const struct bisect *b, struct table *t, const char *name, const char *kernel,
		    const struct bisect_boots *boots, const char *state, double sure_percent)
{
	struct summary_moments m = bisect_boots_moments(b, boots);
	double level = m.n > 0 ? expm1(m.mean - good_level(b)) * 100 : NAN;

	table_row(t);
	table_str(t, name);
	table_str(t, kernel);
	table_i64(t, (int64_t)boots->n);
	table_num(t, level, table_percent(b->a, level));
	table_str(t, state);
	table_num(t, sure_percent, isnan(sure_percent) ? "-" : bisect_sure(b->a, sure_percent));
}

static struct table *steps_table(const struct bisect *b)
{
	static const struct table_col columns[] = {
		TABLE_STR("step"),   TABLE_STR("kernel"),
		TABLE_NUM("boots"),  { .name = "level", .right = true },
		TABLE_STR("judged"), TABLE_NUM("sure"),
	};
	struct table *t = table_new(b->a, columns, sizeof(columns) / sizeof(*columns));

	add_row(b, t, "good", b->side[BISECT_GOOD].kernel, &b->side[BISECT_GOOD].boots, "baseline", NAN);
	add_row(b, t, "bad", b->side[BISECT_BAD].kernel, &b->side[BISECT_BAD].boots, "baseline", NAN);
	for (size_t i = 0; i < b->n_steps; i++) {
		const struct bisect_step *s = &b->steps[i];

		add_row(b, t, s->commit ? name_of(b->a, s) : arena_printf(b->a, "%zu", i + 1), s->kernel,
			&s->boots, state_text(s->state), sure(s));
	}
	return t;
}

static void text(const struct bisect *b, struct buf *out)
{
	table_para(out, 0, table_clean(b->a, title(b)));
	table_para(out, 0, table_clean(b->a, subtitle(b)));
	buf_putc(out, '\n');
	table_txt(out, steps_table(b));
	buf_putc(out, '\n');
	for (size_t i = 0; i < b->n_log; i++) {
		const struct bisect_entry *e = &b->log[i];

		table_para(out, 2,
			   table_clean(b->a, arena_printf(b->a, "%s %s: %s", e->at,
							  e->commit ? arena_strndup(b->a, e->commit, 12)
								    : e->kernel,
							  e->message)));
	}
}

static void escaped(struct buf *out, const char *s)
{
	svg_escape(out, s, strlen(s));
}

/* A page that stands alone: the picture, and the same as text. */
static void page(const struct bisect *b, struct buf *out)
{
	struct buf words;

	buf_init(&words);
	text(b, &words);
	buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	escaped(out, title(b));
	buf_puts(out,
		 "</title>\n<style>:root{color-scheme:light dark}body{font:16px "
		 "system-ui,sans-serif;max-width:61rem;margin:1rem auto;"
		 "padding:0 "
		 "1rem}svg{max-width:100%;height:auto}pre{overflow-x:auto}</style>\n</head>\n<body>\n<h1>");
	escaped(out, title(b));
	buf_puts(out, "</h1>\n");
	draw(b, out);
	buf_puts(out, "<pre>");
	for (const char *line = words.p; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		svg_escape(out, line, strcspn(line, "\n")); /* a line end itself has no place in a picture */
		buf_putc(out, '\n');
	}
	buf_puts(out, "</pre>\n</body>\n</html>\n");
	buf_fini(&words);
}

int bisect_log(struct arena *a, const struct options *o)
{
	struct err err = { 0 };
	struct bisect b;
	struct buf out;

	if (bisect_load(a, bisect_path(a, o), &b, &err))
		return say("%s", err.message);
	buf_init(&out);
	if (o->json)
		bisect_write(&b, &out);
	else if (o->svg)
		draw(&b, &out);
	else if (o->html)
		page(&b, &out);
	else
		text(&b, &out);
	fwrite(out.p, 1, out.len, stdout);
	buf_fini(&out);
	return 0;
}
