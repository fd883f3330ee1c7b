/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers of tables with a kernel a column share. */
#include "format_columns.h"

void format_columns_init(struct format_columns *c, struct format_file *f, size_t tables)
{
	c->f = f;
	c->lines = (struct format_lines){ f->text, f->text + f->len, 0 };
	c->line = c->from = f->text;
	c->tables = tables;
	c->n = 0;
}

bool format_columns_next(struct format_columns *c)
{
	size_t len;

	if (!format_line(&c->lines, &c->line, &len)) {
		c->line = c->f->text + c->f->len;
		return false;
	}
	format_words(c->line, len, &c->words);
	return true;
}

void format_columns_begin(struct format_columns *c, size_t n, const char *tool)
{
	for (c->n = 0; c->n < n && c->n < FORMAT_COLUMNS_MAX; c->n++) {
		format_draft(c->f, &c->drafts[c->n]);
		format_source(c->f, &c->drafts[c->n], tool, NULL, NULL);
	}
}

void format_columns_end(struct format_columns *c)
{
	if (!c->n)
		return;
	if (c->tables > 1) {
		c->f->part = c->from;
		c->f->part_len = (size_t)(c->line - c->from);
	}
	for (size_t i = 0; i < c->n; i++) {
		format_add(c->f, &c->drafts[i]);
		submission_build_fini(&c->drafts[i]);
	}
	c->from = c->line;
	c->n = 0;
}

void format_columns_result(struct format_columns *c, struct draft_result *r, const double *values)
{
	r->in = "line";
	r->index = c->lines.number;
	r->n_values = 1;
	for (size_t i = 0; i < c->n; i++) {
		r->values = &values[i];
		submission_build_result(&c->drafts[i], r);
	}
}

void format_columns_left_out(struct format_columns *c, const char *what)
{
	const char *at = arena_printf(c->f->a, "line %zu", c->lines.number);

	for (size_t i = 0; i < c->n; i++)
		format_left_out(&c->drafts[i], at, what);
}

void format_columns_warn(struct format_columns *c, const char *what)
{
	for (size_t i = 0; i < c->n; i++)
		problems_add(c->drafts[i].warnings, "", "%s", what);
}
