/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_shown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/buf.h"
#include "../lib/num.h"
#include "../lib/utf8.h"

/* ---- size ---- */

static bool end_of_span(const char *s, size_t n, double none, double *v)
{
	*v = none;
	return !n || (!num_parse(s, n, v) && isfinite(*v));
}

bool calc_shown_size(struct shown *s, const char *text)
{
	const char *dots = strstr(text, "..");

	if (!dots || !text[2])
		return false;
	s->sized = true;
	return end_of_span(text, (size_t)(dots - text), -INFINITY, &s->lo) &&
	       end_of_span(dots + 2, strlen(dots + 2), INFINITY, &s->hi);
}

struct name {
	const char *name;
	size_t order;
};

static int by_name(const void *a, const void *b)
{
	const struct name *n = a, *m = b;
	int c = strcmp(n->name, m->name);

	return c ? c : n->order < m->order ? -1 : n->order > m->order;
}

/* The numeric parameter that most rows have, of several the one that comes first; NULL: there is none. */
static const char *size_name(struct arena *a, const struct compare *c)
{
	size_t n = 0, most = 0, first = 0;
	const char *best = NULL;
	struct name *names;

	for (size_t i = 0; i < c->n_rows; i++)
		n += c->rows[i].series->n_params;
	names = arena_array(a, struct name, n + 1);
	n = 0;
	for (size_t i = 0; i < c->n_rows; i++)
		for (size_t k = 0; k < c->rows[i].series->n_params; k++)
			if (c->rows[i].series->param[k].is_number) {
				names[n] = (struct name){ c->rows[i].series->param[k].name, n };
				n++;
			}
	qsort(names, n, sizeof(*names), by_name);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from; to < n && !strcmp(names[from].name, names[to].name);)
			to++;
		if (to - from > most || (to - from == most && names[from].order < first)) {
			most = to - from;
			first = names[from].order;
			best = names[from].name;
		}
	}
	return best;
}

static bool has_size(const struct shown *s, const struct cat_series *of, const char *name)
{
	for (size_t i = 0; name && i < of->n_params; i++)
		if (!strcmp(of->param[i].name, name))
			return of->param[i].is_number && of->param[i].number >= s->lo && of->param[i].number <= s->hi;
	return false;
}

/* ---- text ---- */

/* "400000" as "400 000", as a page writes it. */
static void put_grouped(struct buf *out, const char *digits)
{
	size_t n = strlen(digits);
	bool whole = n >= 5 && strspn(digits, "0123456789") == n;

	for (size_t i = 0; i < n; i++) {
		if (whole && i && (n - i) % 3 == 0)
			buf_putc(out, ' ');
		buf_putc(out, digits[i]);
	}
}

/* "4 MiB", "4000 KiB": as the page names it. False: it has no unit that the page knows. */
static bool put_size(struct buf *out, struct arena *a, const struct cat_param *p)
{
	static const char *const units[] = { " KiB", " MiB", " GiB", " TiB" };
	size_t n = strlen(p->name), step = 0;
	bool kib = n >= 4 && !strcmp(p->name + n - 4, "_kib"), bytes = n >= 6 && !strcmp(p->name + n - 6, "_bytes");
	double v = p->number;

	if (!kib && !bytes)
		return false;
	for (; kib && p->is_number && step < 3 && v >= 1024 && fmod(v, 1024) == 0; step++)
		v /= 1024;
	put_grouped(out, step ? arena_printf(a, "%.15g", v) : p->text);
	buf_puts(out, kib ? units[step] : " B");
	return true;
}

/* All that text= is looked for in; `scratch` is used for it. */
static void describe(struct buf *row, struct buf *scratch, struct arena *a, const struct cat_series *s)
{
	struct buf *out = scratch;

	buf_clear(row);
	buf_clear(out);
	buf_printf(out, "%s %s ", s->benchmark->name, s->metric->name);
	for (size_t i = 0; i < s->n_params; i++)
		if (put_size(out, a, &s->param[i]))
			buf_putc(out, ' ');
	for (size_t i = 0; i < s->n_params; i++)
		buf_printf(out, "%s=%s ", s->param[i].name, s->param[i].text);
	buf_printf(out, "%s %s thp %s", s->machine->name, s->machine->uarch, s->config->thp);
	utf8_plain(row, out->p);
}

static const char **words_of(struct arena *a, const char *text, size_t *n)
{
	const char **words = arena_array(a, const char *, strlen(text) / 2 + 1);
	struct buf plain;
	char *save;

	buf_init(&plain);
	utf8_plain(&plain, text);
	*n = 0;
	for (char *w = strtok_r(arena_strdup(a, plain.p ? plain.p : ""), " ", &save); w; w = strtok_r(NULL, " ", &save))
		words[(*n)++] = w;
	buf_fini(&plain);
	return words;
}

static bool holds(const struct buf *row, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strstr(row->p, words[i]))
			return false;
	return true;
}

/* ---- all ---- */

bool calc_shown_is_verdict(const char *word)
{
	for (int v = COMPARE_INCONCLUSIVE; v <= COMPARE_REGRESSION; v++)
		if (!strcmp(word, calc_compare_verdict_word((enum compare_verdict)v)))
			return true;
	return !strcmp(word, "worse") || !strcmp(word, "better");
}

bool calc_shown_is_confidence(const char *word)
{
	return !strcmp(word, "any") || !strcmp(word, "weak") || !strcmp(word, "strong");
}

static bool is_judged_so(const struct shown *s, const struct compare_row *r)
{
	const char *direction = calc_compare_direction_word(r->direction);

	if (s->verdict && strcmp(s->verdict, calc_compare_verdict_word(r->verdict)) != 0 &&
	    (!direction || strcmp(s->verdict, direction) != 0))
		return false;
	if (!s->confidence || !strcmp(s->confidence, "any"))
		return true;
	return r->confidence >= (strcmp(s->confidence, "strong") ? COMPARE_WEAK : COMPARE_STRONG);
}

/* "verdict regression, text milan, size >= 400": as a reader of the rows is told. */
static const char *told(struct arena *a, const struct shown *s)
{
	const struct { const char *name, *value; } parts[] = {
		{ "verdict", s->verdict }, { "confidence", s->confidence }, { "text", s->text }, { "machine", s->on },
		{ "THP", s->mode },
	};
	const char *text = "";

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i].value)
			text = arena_printf(a, "%s%s%s %s", text, *text ? ", " : "", parts[i].name, parts[i].value);
	if (s->sized && isfinite(s->lo))
		text = arena_printf(a, "%s%ssize >= %.15g", text, *text ? ", " : "", s->lo);
	if (s->sized && isfinite(s->hi))
		text = arena_printf(a, "%s%ssize <= %.15g", text, *text ? ", " : "", s->hi);
	return text;
}

const struct compare *calc_shown(struct arena *a, const struct compare *c, const struct shown *s)
{
	const char *name = s->sized ? size_name(a, c) : NULL, **words = NULL;
	struct compare *out;
	size_t n_words = 0;
	struct buf row, scratch;

	if (!s->verdict && !s->confidence && !s->text && !s->on && !s->mode && !s->sized)
		return c;
	out = arena_zalloc(a, sizeof(*out));
	*out = *c;
	out->of = c;
	out->chosen_by = told(a, s);
	out->rows = arena_array(a, struct compare_row, c->n_rows + 1);
	out->n_rows = 0;
	if (s->text)
		words = words_of(a, s->text, &n_words);
	buf_init(&row);
	buf_init(&scratch);
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct compare_row *r = &c->rows[i];

		if (!is_judged_so(s, r) || (s->on && strcmp(s->on, r->series->machine->name) != 0) ||
		    (s->mode && strcmp(s->mode, r->series->config->thp) != 0) || (s->sized && !has_size(s, r->series, name)))
			continue;
		if (n_words)
			describe(&row, &scratch, a, r->series);
		if (!n_words || holds(&row, words, n_words))
			out->rows[out->n_rows++] = *r;
	}
	buf_fini(&row);
	buf_fini(&scratch);
	return out;
}
