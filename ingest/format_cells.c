/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CSV's rows: quoted cells may hold the delimiter, doubled quotes and line breaks. */
#include "format_cells.h"

#include <string.h>

/* The rest of a quoted cell, from behind its opening quote; false when it never closes. */
static bool quoted_cell(struct format_cells *c)
{
	for (; c->at < c->end; c->at++) {
		if (*c->at == '"') {
			c->at++;
			if (c->at == c->end || *c->at != '"')
				return true;
		}
		c->line += *c->at == '\n';
		buf_putc(c->scratch, *c->at);
	}
	return false;
}

static const char *trimmed(struct arena *a, const char *s, size_t n)
{
	while (n && (*s == ' ' || *s == '\t')) {
		s++;
		n--;
	}
	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t' || s[n - 1] == '\r'))
		n--;
	return arena_strndup(a, s, n);
}

static bool row_ends(const struct format_cells *c)
{
	return c->at == c->end || *c->at == '\n';
}

/* One cell; `at` is then on the delimiter or the row's end. */
static const char *cell(struct format_cells *c)
{
	const char *from;

	while (c->at < c->end && *c->at == ' ')
		c->at++;
	buf_clear(c->scratch);
	if (c->at < c->end && *c->at == '"') {
		c->at++;
		if (!quoted_cell(c))
			return NULL;
	}
	from = c->at;
	while (!row_ends(c) && *c->at != c->delimiter)
		c->at++;
	buf_add(c->scratch, from, (size_t)(c->at - from));
	return trimmed(c->a, c->scratch->p, c->scratch->len);
}

int format_cells_row(struct format_cells *c)
{
	const char *s;

	do {
		if (c->at == c->end)
			return 0;
		c->row_line = c->line;
		c->n_cells = 0;
		for (;;) {
			s = cell(c);
			if (!s)
				return -1;
			if (c->n_cells < FORMAT_CELLS_MAX)
				c->cells[c->n_cells++] = s;
			if (row_ends(c))
				break;
			c->at++;
		}
		if (c->at < c->end) {
			c->at++;
			c->line++;
		}
	} while (c->n_cells == 1 && !*c->cells[0]);
	return 1;
}

static char delimiter_of(const char *text, size_t len)
{
	static const char delimiters[] = { ',', ';', '\t' };
	const char *nl = memchr(text, '\n', len);
	size_t n = nl ? (size_t)(nl - text) : len, most = 0;
	char best = ',';

	for (size_t k = 0; k < sizeof(delimiters); k++) {
		size_t count = 0;

		for (size_t i = 0; i < n; i++)
			count += text[i] == delimiters[k];
		if (count > most) {
			most = count;
			best = delimiters[k];
		}
	}
	return best;
}

void format_cells_init(struct format_cells *c, struct arena *a, struct buf *scratch, const char *text, size_t len)
{
	*c = (struct format_cells){ .a = a, .scratch = scratch, .at = text, .end = text + len, .line = 1,
				    .delimiter = delimiter_of(text, len) };
}
