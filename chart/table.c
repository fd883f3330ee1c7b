/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/must.h"
#include "../lib/num.h"

#define FIXED_MOST 1e6		/* past these a number has more digits than anybody reads */
#define FIXED_LEAST 1e-4
#define NARROWEST 10		/* a broken column of strings keeps this many */

struct cell {
	enum { NOTHING, STRING, NUMBER } kind;
	const char *s;		/* of a STRING; of a NUMBER that is written already */
	double v;
	const char *text;	/* as text; NULL: made when it is written as text */
};

struct table {
	struct arena *a;
	const struct table_col *cols;
	size_t n_cols;
	struct cell *cells;
	size_t n_cells, cap;
};

struct table *table_new(struct arena *a, const struct table_col *cols, size_t n_cols)
{
	struct table *t = arena_zalloc(a, sizeof(*t));

	must(n_cols > 0);
	t->a = a;
	t->cols = cols;
	t->n_cols = n_cols;
	return t;
}

size_t table_rows(const struct table *t)
{
	return t->n_cells / t->n_cols;
}

void table_row(struct table *t)
{
	must(t->n_cells % t->n_cols == 0);
	if (t->n_cells + t->n_cols <= t->cap)
		return;
	size_t cap = t->cap ? t->cap * 2 : t->n_cols * 16;

	t->cells = arena_grow(t->a, t->cells, t->cap * sizeof(*t->cells), cap * sizeof(*t->cells));
	t->cap = cap;
}

static void cell(struct table *t, struct cell c)
{
	must(t->n_cells < t->cap);
	t->cells[t->n_cells++] = c;
}

void table_none(struct table *t)
{
	cell(t, (struct cell){ .kind = NOTHING, .text = "-" });
}

void table_str(struct table *t, const char *s)
{
	if (!s)
		return table_none(t);
	cell(t, (struct cell){ .kind = STRING, .s = arena_strdup(t->a, s) });
}

void table_num(struct table *t, double v, const char *text)
{
	if (!isfinite(v))
		return table_none(t);
	cell(t, (struct cell){ .kind = NUMBER, .v = v, .text = text ? table_clean(t->a, text) : NULL });
}

void table_i64(struct table *t, int64_t v)
{
	const char *s = arena_printf(t->a, "%lld", (long long)v);

	cell(t, (struct cell){ .kind = NUMBER, .s = s, .text = s });
}

void table_bool(struct table *t, bool v)
{
	cell(t, (struct cell){ .kind = STRING, .s = v ? "true" : "false", .text = v ? "yes" : "no" });
}

/* ---- CSV ---- */

static void csv_string(struct buf *out, const char *s)
{
	/* what Excel, LibreOffice and Sheets take for the start of a formula (OWASP "CSV injection") */
	bool formula = s[0] && strchr("=+-@\t\r\n", s[0]);

	if (!formula && !strpbrk(s, ",\"\r\n")) {
		buf_puts(out, s);
		return;
	}
	buf_putc(out, '"');
	if (formula)
		buf_putc(out, '\'');
	for (; *s; s++) {
		if (*s == '"')
			buf_putc(out, '"');
		buf_putc(out, *s);
	}
	buf_putc(out, '"');
}

static void csv_cell(struct buf *out, const struct cell *c)
{
	char number[NUM_MAX];

	if (c->kind == STRING) {
		csv_string(out, c->s);
	} else if (c->kind == NUMBER && c->s) {
		buf_puts(out, c->s);
	} else if (c->kind == NUMBER) {
		num_format(number, c->v);
		buf_puts(out, number);
	}
}

void table_csv(struct buf *out, const struct table *t)
{
	for (size_t row = 0; row <= table_rows(t); row++) {
		bool first = true;

		for (size_t i = 0; i < t->n_cols; i++) {
			const struct cell head = { .kind = STRING, .s = t->cols[i].name };
			const struct cell *c = row ? &t->cells[(row - 1) * t->n_cols + i] : &head;

			if (t->cols[i].in == TABLE_TXT)
				continue;
			if (!first)
				buf_putc(out, ',');
			first = false;
			csv_cell(out, c);
		}
		buf_puts(out, "\r\n");
	}
}

/* ---- text ---- */

/* Bytes of the character at s. */
static size_t char_bytes(const char *s)
{
	size_t n = 1;

	while (((unsigned char)s[n] & 0xc0) == 0x80)
		n++;
	return n;
}

static size_t columns(const char *s)
{
	size_t n = 0;

	for (; *s; s += char_bytes(s))
		n++;
	return n;
}

/* C0, DEL, C1, line and paragraph separators, and marks that reorder text. */
static bool is_control(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;

	if (u[0] < 0x20 || u[0] == 0x7f)
		return true;
	if (u[0] == 0xc2)
		return u[1] < 0xa0;
	if (u[0] == 0xe2 && u[1] == 0x80)
		return u[2] == 0x8e || u[2] == 0x8f || (u[2] >= 0xa8 && u[2] <= 0xae);
	return u[0] == 0xe2 && u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9;
}

const char *table_clean(struct arena *a, const char *s)
{
	char *out = arena_alloc(a, strlen(s) + 1), *to = out;

	while (*s) {
		size_t n = char_bytes(s);

		if (is_control(s)) {
			*to++ = '?';
		} else {
			memcpy(to, s, n);
			to += n;
		}
		s += n;
	}
	*to = '\0';
	return out;
}

/* A blank where a line may end: not between a number and its percent sign. */
static bool is_gap(const char *p)
{
	return *p == ' ' && p[1] != '%';
}

/*
 * The next piece of *s that fits `width` columns: up to the end, else to the last blank
 * (which is eaten), else to the last character that names break well after, else hard.
 */
static size_t piece(const char **s, size_t width)
{
	const char *p = *s, *blank = NULL, *good = NULL, *end;
	size_t used = 0, n;

	while (*p && used < width) {
		if (is_gap(p))
			blank = p;
		n = char_bytes(p);
		if (strchr("/-+,;:_", *p))
			good = p + n;
		p += n;
		used++;
	}
	if (!*p || is_gap(p))
		end = p;
	else if (blank && blank > *s)
		end = blank;
	else if (good)
		end = good;
	else
		end = p;
	n = (size_t)(end - *s);
	*s = end + (*end == ' ');
	return n;
}

static void spaces(struct buf *out, size_t n)
{
	while (n--)
		buf_putc(out, ' ');
}

static void trim_line(struct buf *out)
{
	while (out->len && out->p[out->len - 1] == ' ')
		out->p[--out->len] = '\0';
	buf_putc(out, '\n');
}

void table_para(struct buf *out, int indent, const char *text)
{
	size_t in = 0;

	do {
		const char *at = text;
		size_t n = piece(&text, TABLE_COLUMNS - in);

		spaces(out, in);
		buf_add(out, at, n);
		trim_line(out);
		in = (size_t)indent;
	} while (*text);
}

static const char *head_of(const struct table_col *c)
{
	return c->head ? c->head : c->name;
}

/* Widths that fit, strings shrunk where need be. False: no such. */
static bool widths(const struct table *t, size_t *w)
{
	size_t total = 0, rows = table_rows(t);

	for (size_t i = 0; i < t->n_cols; i++) {
		if (t->cols[i].in == TABLE_CSV)
			continue;
		w[i] = columns(head_of(&t->cols[i]));
		for (size_t r = 0; r < rows; r++) {
			size_t have = columns(t->cells[r * t->n_cols + i].text);

			if (have > w[i])
				w[i] = have;
		}
		total += w[i] + (total ? 2 : 0);
	}
	while (total > TABLE_COLUMNS) {
		size_t widest = t->n_cols;

		for (size_t i = 0; i < t->n_cols; i++)
			if (t->cols[i].in != TABLE_CSV && !t->cols[i].right && w[i] > NARROWEST &&
			    w[i] > columns(head_of(&t->cols[i])) && (widest == t->n_cols || w[i] > w[widest]))
				widest = i;
		if (widest == t->n_cols)
			return false;
		w[widest]--;
		total--;
	}
	return true;
}

/* One row, over as many lines as its longest broken cell needs. */
static void text_row(struct buf *out, const struct table *t, const size_t *w, const char **rest)
{
	bool more = true;

	while (more) {
		bool first = true;

		more = false;
		for (size_t i = 0; i < t->n_cols; i++) {
			if (t->cols[i].in == TABLE_CSV)
				continue;
			const char *at = rest[i];
			size_t n = piece(&rest[i], w[i]), used = 0;

			for (const char *s = at; s < at + n; s += char_bytes(s))
				used++;
			if (!first)
				buf_puts(out, "  ");
			first = false;
			if (t->cols[i].right)
				spaces(out, w[i] - used);
			buf_add(out, at, n);
			if (!t->cols[i].right)
				spaces(out, w[i] - used);
			more |= *rest[i] != '\0';
		}
		trim_line(out);
	}
}

static void text_blocks(struct buf *out, const struct table *t)
{
	for (size_t r = 0; r < table_rows(t); r++) {
		if (r)
			buf_putc(out, '\n');
		for (size_t i = 0; i < t->n_cols; i++)
			if (t->cols[i].in != TABLE_CSV)
				table_para(out, 4, arena_printf(t->a, "%s: %s", head_of(&t->cols[i]),
								t->cells[r * t->n_cols + i].text));
	}
}

static void make_texts(const struct table *t)
{
	for (size_t i = 0; i < t->n_cells; i++) {
		struct cell *c = &t->cells[i];

		if (!c->text)
			c->text = c->kind == STRING ? table_clean(t->a, c->s) : table_sig3(t->a, c->v);
	}
}

void table_txt(struct buf *out, const struct table *t)
{
	size_t *w = arena_array(t->a, size_t, t->n_cols);
	const char **rest = arena_array(t->a, const char *, t->n_cols);

	make_texts(t);
	if (!widths(t, w))
		return text_blocks(out, t);
	for (size_t i = 0; i < t->n_cols; i++)
		rest[i] = head_of(&t->cols[i]);
	text_row(out, t, w, rest);
	for (size_t r = 0; r < table_rows(t); r++) {
		for (size_t i = 0; i < t->n_cols; i++)
			rest[i] = t->cells[r * t->n_cols + i].text;
		text_row(out, t, w, rest);
	}
}

/* ---- numbers for people ---- */

/* Decimals that make 3 significant digits of |v|, at most `most`. Rounding up to a power of 10 counts: 9.996 is 10.0. */
static int decimals(double v, int most)
{
	int digits = 2 - (int)floor(log10(fabs(v)));

	if (digits >= 0 && digits <= 300 && round(fabs(v) * pow(10, digits)) >= 1000)
		digits--;
	return digits < 0 ? 0 : digits > most ? most : digits;
}

const char *table_sig3(struct arena *a, double v)
{
	if (!isfinite(v))
		return "-";
	if (v == 0)
		return "0";
	if (fabs(v) >= 1e15 || fabs(v) < 1e-4)
		return arena_printf(a, "%.2e", v);
	if (v == round(v) && fabs(v) < 1e4)	/* counts stay as they are */
		return arena_printf(a, "%.0f", v);
	return arena_printf(a, "%.*f", decimals(v, 6), v);
}

const char *table_percent(struct arena *a, double v)
{
	int n;

	if (!isfinite(v))
		return "-";
	if (v == 0)
		return "0 %";
	if (fabs(v) >= FIXED_MOST)
		return arena_printf(a, "%+.2e %%", v);
	n = decimals(v, 2);
	return arena_printf(a, "%+.*f %%", n, v);
}

struct scale {
	double factor;
	const char *word;
};

static const struct scale times[] = { { 1, "ns" }, { 1e3, "us" }, { 1e6, "ms" }, { 1e9, "s" }, { 0, NULL } };
static const struct scale counts[] = {
	{ 1, "" }, { 1e3, "k" }, { 1e6, "M" }, { 1e9, "G" }, { 1e12, "T" }, { 0, NULL },
};

static const struct scale *scale_of(const struct scale *s, double v)
{
	/* 999.6 rounds to 1000: the next one, as 1.00 */
	while (s[1].word && fabs(v) / s->factor >= 999.5)
		s++;
	return s;
}

/* v at n decimals, halves away from 0: 1.775 is 1.78, though its double lies a hair below. */
static double half_up(double v, int n)
{
	double power = pow(10, n);

	return round(v * power) / power;
}

static const char *digits3(struct arena *a, double v)
{
	if (v == 0)
		return "0";
	if (fabs(v) >= FIXED_MOST || fabs(v) < FIXED_LEAST)
		return arena_printf(a, "%.2e", v);
	return arena_printf(a, "%.*f", decimals(v, 6), half_up(v, decimals(v, 6)));
}

const char *table_value(struct arena *a, double v, const char *unit)
{
	const struct scale *s;

	if (!isfinite(v))
		return "-";
	if (!strcmp(unit, "ns") || !strncmp(unit, "ns/", 3)) {
		s = scale_of(times, v);
		return arena_printf(a, "%s %s", digits3(a, v / s->factor), s->word);
	}
	s = scale_of(counts, v);
	if (v == round(v) && fabs(v) < 1e3)
		return arena_printf(a, "%.0f", v);
	if (fabs(v / s->factor) >= FIXED_MOST)	/* past all words for it */
		return digits3(a, v);
	return arena_printf(a, "%s%s", digits3(a, v / s->factor), s->word);
}
