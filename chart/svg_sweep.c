/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sweep: cost against size on two log axes, a line a kernel; below it, on the same
 * x, the change in percent against the first, with 0 in sight and the onset marked.
 */
#include "chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/must.h"
#include "svg.h"

#define WIDTH 960.0
#define LEFT 76.0
#define MAIN_HEIGHT 300.0
#define RATIO_HEIGHT 140.0
#define ROW 15.0
#define TICKS_MAX 64

struct plan {
	struct svg_box main, ratio;
	struct svg_scale x, y, percent;
	double *at;		/* measured x, ascending, each once */
	size_t n_at;
	double onset_y;		/* first row of onset names */
	size_t onset_rows;
	double height;
};

static int by_value(const void *a, const void *b)
{
	double l = *(const double *)a, r = *(const double *)b;

	return (l > r) - (l < r);
}

static void add_measured(struct plan *p, const struct chart_line *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < lines[i].n; k++)
			if (isfinite(lines[i].x[k]) && isfinite(lines[i].y[k]))
				p->at[p->n_at++] = lines[i].x[k];
}

static void measured(struct plan *p, const struct chart_sweep *c)
{
	size_t room = 1, n = 0;

	for (size_t i = 0; i < c->n_lines; i++)
		room += c->lines[i].n;
	for (size_t i = 0; i < c->n_ratios; i++)
		room += c->ratios[i].n;
	p->at = calloc(room, sizeof(*p->at));
	must(p->at != NULL);
	add_measured(p, c->lines, c->n_lines);
	add_measured(p, c->ratios, c->n_ratios);
	qsort(p->at, p->n_at, sizeof(*p->at), by_value);
	for (size_t i = 0; i < p->n_at; i++)
		if (!n || p->at[i] != p->at[n - 1])
			p->at[n++] = p->at[i];
	p->n_at = n;
}

static bool has_onset(const struct chart_sweep *c, size_t i)
{
	return c->onsets && isfinite(c->onsets[i]);
}

static void scales(struct plan *p, const struct chart_sweep *c)
{
	struct svg_range y = { 1, -1 }, percent = { 0, 0 };
	double x0 = p->n_at ? p->at[0] : 1, x1 = p->n_at ? p->at[p->n_at - 1] : 1;

	p->x = (struct svg_scale){ x0, x1, p->main.x0, p->main.x1, x0 > 0 && (x1 >= 8 * x0 || x1 == x0) };
	svg_widen(&p->x, 0.03);
	svg_range_lines(&y, c->lines, c->n_lines, true);
	if (y.lo > y.hi)
		y = (struct svg_range){ 1, 10 };
	p->y = (struct svg_scale){ y.lo, y.hi, p->main.y1, p->main.y0, true };
	svg_widen(&p->y, 0.05);
	svg_range_lines(&percent, c->ratios, c->n_ratios, false);
	if (percent.hi - percent.lo < 4)
		percent = (struct svg_range){ percent.lo - 2, percent.hi + 2 };
	p->percent = (struct svg_scale){ percent.lo, percent.hi, p->ratio.y1, p->ratio.y0, false };
	svg_widen(&p->percent, 0.08);
}

static void plan(struct plan *p, const struct chart_sweep *c, double top)
{
	double room = svg_label_room(c->lines, c->n_lines), right;

	if (c->n_ratios)
		room = fmax(room, svg_label_room(c->ratios, c->n_ratios));
	right = WIDTH - room;
	p->main = (struct svg_box){ LEFT, top + ROW, right, top + ROW + MAIN_HEIGHT };
	p->height = p->main.y1;
	if (c->n_ratios) {
		p->onset_y = p->height + 2 * ROW + 8;
		for (size_t i = 0; i < c->n_ratios; i++)
			p->onset_rows += has_onset(c, i);
		p->height = p->onset_y + (double)p->onset_rows * ROW;
		p->ratio = (struct svg_box){ LEFT, p->height, right, p->height + RATIO_HEIGHT };
		p->height = p->ratio.y1;
	}
	p->height += 4 * ROW;
	measured(p, c);
	scales(p, c);
}

/* Rules and names of a panel's y axis. */
static void y_axis(struct buf *out, const struct svg_box *box, const struct svg_scale *y, const char *unit)
{
	double ticks[TICKS_MAX];
	size_t n = svg_ticks(y, ticks, TICKS_MAX);
	char text[SVG_TEXT];

	for (size_t i = 0; i < n; i++) {
		double at = svg_at(y, ticks[i]);

		svg_rule(out, box->x0, at, box->x1, at, ticks[i] == 0 ? "axis" : "rule");
		if (unit)
			svg_number(text, ticks[i], svg_unit_of(unit, ticks[i]));
		else
			svg_percent(text, ticks[i]);
		svg_text(out, box->x0 - 8, at + 4, "muted", "end", text);
	}
}

struct tick {
	char text[SVG_TEXT], about[SVG_TEXT];
	double at, half;
};

static void name_tick(struct tick *t, const struct plan *p, size_t i, const char *unit)
{
	t->at = svg_at(&p->x, p->at[i]);
	svg_size(t->text, p->at[i], unit);
	svg_size_about(t->about, p->at[i], unit);
	t->half = fmax(svg_width(t->text, 12), svg_width(t->about, 11)) / 2;
}

static bool fits(const struct tick *left, const struct tick *right)
{
	return left->at + left->half + 6 <= right->at - right->half;
}

static bool all_fit(const struct plan *p, const char *unit)
{
	struct tick before = { .at = -1e9 }, t;

	for (size_t i = 0; i < p->n_at; i++, before = t) {
		name_tick(&t, p, i, unit);
		if (!fits(&before, &t))
			return false;
	}
	return true;
}

/*
 * Names of the measured sizes under the lowest panel: the first, the last, and what has room
 * between. Where not all have, the unit moves to the axis' own name.
 */
static void x_axis(struct buf *out, const struct plan *p, const struct chart_sweep *c, const struct svg_box *box)
{
	const char *unit = c->x_unit && all_fit(p, c->x_unit) ? c->x_unit : "";
	struct tick last, before = { .at = -1e9 }, t;
	char text[SVG_TEXT];

	svg_rule(out, box->x0, box->y1, box->x1, box->y1, "axis");
	name_tick(&last, p, p->n_at - 1, unit);
	for (size_t i = 0; i < p->n_at; i++) {
		name_tick(&t, p, i, unit);
		if (!*unit)
			svg_size_about(t.about, p->at[i], c->x_unit ? c->x_unit : "");
		svg_rule(out, t.at, box->y1, t.at, box->y1 + 5, "axis");
		if (i + 1 < p->n_at && (!fits(&before, &t) || !fits(&t, &last)))
			continue;
		svg_text(out, t.at, box->y1 + 19, "", "middle", t.text);
		if (*t.about)
			svg_text(out, t.at, box->y1 + 33, "small", "middle", t.about);
		before = t;
	}
	snprintf(text, sizeof(text), "%.80s%s%.20s%s", c->x_name, c->x_unit && !*unit ? ", in " : "",
		 c->x_unit && !*unit ? c->x_unit : "", p->x.log ? ", log scale" : "");
	svg_text(out, box->x0, box->y1 + 50, "muted", "start", text);
}

static void columns(struct buf *out, const struct plan *p, const struct svg_box *box)
{
	for (size_t i = 0; i < p->n_at && p->n_at <= 40; i++) {
		double at = svg_at(&p->x, p->at[i]);

		svg_rule(out, at, box->y0, at, box->y1, "rule");
	}
}

static void main_panel(struct buf *out, const struct plan *p, const struct chart_sweep *c)
{
	char text[SVG_TEXT];

	snprintf(text, sizeof(text), "%.80s, log scale", c->y_unit);
	svg_text(out, 12, p->main.y0 - 8, "muted", "start", text);
	columns(out, p, &p->main);
	y_axis(out, &p->main, &p->y, c->y_unit);
	for (size_t i = 0; i < c->n_lines; i++)
		svg_band(out, &c->lines[i], &p->x, &p->y, i);
	for (size_t i = 0; i < c->n_lines; i++)
		svg_line(out, &c->lines[i], &p->x, &p->y, i);
	svg_end_labels(out, c->lines, c->n_lines, &p->x, &p->y, &p->main);
}

/* A ratio has the style of the line it is about: same label; the first line is what all are compared with. */
static size_t style_of(const struct chart_sweep *c, size_t ratio)
{
	for (size_t i = 0; i < c->n_lines; i++)
		if (!strcmp(c->lines[i].label, c->ratios[ratio].label))
			return i;
	return ratio + 1;
}

static void onsets(struct buf *out, const struct plan *p, const struct chart_sweep *c)
{
	char text[SVG_TEXT], size[SVG_TEXT], class[32];
	double y = p->onset_y;

	for (size_t i = 0; i < c->n_ratios; i++) {
		double at;

		if (!has_onset(c, i))
			continue;
		at = svg_at(&p->x, c->onsets[i]);
		snprintf(class, sizeof(class), "onset c%zu", style_of(c, i) % SVG_STYLES);
		svg_rule(out, at, y + 3, at, p->ratio.y1, class);
		svg_size(size, c->onsets[i], c->x_unit ? c->x_unit : "");
		snprintf(text, sizeof(text), "from %.60s on", size);
		snprintf(class, sizeof(class), "t%zu halo", style_of(c, i) % SVG_STYLES);
		svg_text(out, at - 4, y + 2, class, "start", text);
		y += ROW;
	}
}

static void ratio_panel(struct buf *out, const struct plan *p, const struct chart_sweep *c)
{
	svg_text(out, 12, p->main.y1 + 2 * ROW - 4, "muted", "start", c->ratio_title ? c->ratio_title : "change in percent");
	columns(out, p, &p->ratio);
	y_axis(out, &p->ratio, &p->percent, NULL);
	onsets(out, p, c);
	for (size_t i = 0; i < c->n_ratios; i++)
		svg_band(out, &c->ratios[i], &p->x, &p->percent, style_of(c, i));
	for (size_t i = 0; i < c->n_ratios; i++)
		svg_line(out, &c->ratios[i], &p->x, &p->percent, style_of(c, i));
}

/* What the last point of each ratio line says, in the room where names would stand. */
static void ratio_ends(struct buf *out, const struct plan *p, const struct chart_sweep *c)
{
	size_t n = c->n_lines > c->n_ratios ? c->n_lines : c->n_ratios + 1;
	struct chart_line *by_style = calloc(n, sizeof(*by_style));
	char (*texts)[SVG_TEXT] = calloc(n, SVG_TEXT);

	must(texts && by_style);
	for (size_t i = 0; i < n; i++)
		by_style[i].label = "";
	for (size_t i = 0; i < c->n_ratios; i++) {
		const struct chart_line *l = &c->ratios[i];
		size_t k = l->n, s = style_of(c, i);

		while (k && !isfinite(l->y[k - 1]))
			k--;
		if (!k || s >= n)
			continue;
		by_style[s] = *l;
		svg_percent(texts[s], l->y[k - 1]);
		by_style[s].label = texts[s];
	}
	svg_end_labels(out, by_style, n, &p->x, &p->percent, &p->ratio);
	free(texts);
	free(by_style);
}

static void describe(struct buf *desc, const struct chart_sweep *c)
{
	buf_printf(desc, "%s against %s, both axes logarithmic. Lines:", c->y_unit, c->x_name);
	for (size_t i = 0; i < c->n_lines; i++)
		buf_printf(desc, "%s %s (%zu points)", i ? "," : "", c->lines[i].label, c->lines[i].n);
	buf_putc(desc, '.');
}

void chart_sweep_svg(struct buf *out, const struct chart_sweep *c)
{
	struct svg_range any = { 1, -1 };
	struct plan p = { 0 };
	struct buf body, desc;

	svg_range_lines(&any, c->lines, c->n_lines, true);
	if (any.lo > any.hi) {
		svg_nothing(out, WIDTH, c->title, c->subtitle,
			    "No data for this selection: nothing of it was measured yet.");
		return;
	}
	buf_init(&body);
	buf_init(&desc);
	plan(&p, c, svg_heading(&body, 12, WIDTH - 24, c->title, c->subtitle));
	describe(&desc, c);
	main_panel(&body, &p, c);
	if (c->n_ratios) {
		ratio_panel(&body, &p, c);
		ratio_ends(&body, &p, c);
	}
	x_axis(&body, &p, c, c->n_ratios ? &p.ratio : &p.main);
	svg_begin(out, WIDTH, p.height, c->title, desc.p);
	buf_add(out, body.p, body.len);
	svg_end(out);
	buf_fini(&body);
	buf_fini(&desc);
	free(p.at);
}
