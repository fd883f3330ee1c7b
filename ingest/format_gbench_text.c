/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * google-benchmark's output for people (the console's table, colours and all) and its
 * CSV; before either, what it says of the machine. The console's table is also what
 * people paste into mails, one row for each of two kernels: see split_parts().
 */
#include "format_gbench.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/num.h"
#include "format_cells.h"
#include "format_text.h"

#define CSV_HEADER "name,iterations,real_time,cpu_time,time_unit"

struct preamble {
	const char *command;
	const char *date;
	size_t date_line;
};

struct reading {
	struct format_file *f;
	struct draft d;			/* collects warnings and what is left out while rows are read */
	struct format_lines lines;
	struct preamble before;
	struct format_gbench_rows rows;
	size_t tables;			/* headers seen */
	const char *counter;		/* the header's column behind Iterations, or NULL */
};

/* "2026-11-30T09:32:57+00:00", "Running ./map_test", "***WARNING*** ...": what comes before a table. */
static bool take_preamble(struct reading *rd, const char *line, size_t number)
{
	int64_t when;

	if (!tm_parse(line, &when)) {
		if (!rd->before.date) {
			rd->before.date = line;
			rd->before.date_line = number;
		}
		return true;
	}
	if (format_text_starts(line, "Running ")) {
		rd->before.command = line + strlen("Running ");
		return true;
	}
	if (!format_text_starts(line, "***WARNING***"))
		return false;
	problems_add(rd->d.warnings, arena_printf(rd->f->a, "line %zu", number), "%s", line);
	return true;
}

static void set_context(struct reading *rd, struct draft *d)
{
	format_source(rd->f, d, "google-benchmark", NULL, rd->before.command);
	if (d->started_at == TM_NONE && rd->before.date && tm_parse(rd->before.date, &d->started_at))
		d->started_at = TM_NONE;
}

/* ---- the console ---- */

static bool is_console_header(const char *line)
{
	static const char *const columns[] = { "Benchmark", "Time", "CPU", "Iterations" };

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		if (!format_text_starts(line, columns[i]))
			return false;
		line += strlen(columns[i]);
		if (*line && *line != ' ')
			return false;
		line += strspn(line, " ");
	}
	return true;
}

struct word {
	const char *p;
	size_t n;
};

static size_t words_of(const char *line, struct word *words, size_t max)
{
	size_t n = 0;

	for (line += strspn(line, " "); *line && n < max; line += strspn(line, " ")) {
		words[n].p = line;
		words[n].n = strcspn(line, " ");
		line += words[n++].n;
	}
	return n;
}

/* Where "TIME UNIT CPU UNIT" begins in the words; 0 = nowhere (a name stands before it, maybe of several words). */
static size_t time_at(const struct word *w, size_t n)
{
	double time, cpu;

	for (size_t i = 1; i + 3 < n; i++)
		if (w[i + 1].n == w[i + 3].n && !memcmp(w[i + 1].p, w[i + 3].p, w[i + 1].n) &&
		    !num_parse(w[i].p, w[i].n, &time) && !num_parse(w[i + 2].p, w[i + 2].n, &cpu))
			return i;
	return 0;
}

/* "NAME  ERROR OCCURRED: 'no memory'" and "NAME  SKIPPED: 'why'". */
static bool console_error(struct reading *rd, char *line, struct format_gbench_row *row)
{
	static const char error[] = " ERROR OCCURRED: ", skipped[] = " SKIPPED: ";
	char *at = strstr(line, error), *end;

	row->failed = at != NULL;
	if (!at)
		at = strstr(line, skipped);
	if (!at || at == line)
		return false;
	row->skipped = !row->failed;
	row->why = arena_strdup(rd->f->a, at + strlen(row->failed ? error : skipped));
	if (row->why[0] == '\'' && row->why[1] && row->why[strlen(row->why) - 1] == '\'')
		row->why = arena_strndup(rd->f->a, row->why + 1, strlen(row->why) - 2);
	for (end = at; end > line && end[-1] == ' '; end--)
		;
	row->name = arena_strndup(rd->f->a, line, (size_t)(end - line));
	return true;
}

/* What stands behind the iterations: "items_per_second=9.7M/s", a column of its own, or the user's label. */
static const char *console_counter(const struct reading *rd, const struct word *rest, size_t n)
{
	double v;

	for (size_t i = 0; i < n; i++) {
		const char *equals = memchr(rest[i].p, '=', rest[i].n);

		if (equals && equals > rest[i].p)
			return arena_strndup(rd->f->a, rest[i].p, (size_t)(equals - rest[i].p));
	}
	return n && rd->counter && !num_parse(rest->p, rest->n, &v) ? rd->counter : NULL;
}

#define ROW_WORDS 64

static bool console_row(struct reading *rd, char *line)
{
	struct format_gbench_row row = { .in = "line", .index = rd->lines.number };
	struct word w[ROW_WORDS];
	size_t n = words_of(line, w, ROW_WORDS), at = time_at(w, n);

	if (console_error(rd, line, &row)) {
		format_gbench_add(&rd->rows, &row);
		return true;
	}
	if (!at)
		return false;
	row.name = arena_strndup(rd->f->a, w[0].p, (size_t)(w[at - 1].p + w[at - 1].n - w[0].p));
	row.has_time = !num_parse(w[at].p, w[at].n, &row.real_time);
	row.unit = arena_strndup(rd->f->a, w[at + 1].p, w[at + 1].n);
	row.has_iterations = at + 4 < n && !num_parse_i64(w[at + 4].p, w[at + 4].n, &row.iterations);
	row.repetitions = row.has_iterations ? row.iterations : 0;	/* where it is an aggregate */
	if (row.has_iterations && !format_gbench_aggregate(row.name))
		row.counter = console_counter(rd, w + at + 5, n - at - 5);
	format_gbench_add(&rd->rows, &row);
	return true;
}

static void console_header(struct reading *rd, const char *line)
{
	struct word w[ROW_WORDS];
	size_t n = words_of(line, w, ROW_WORDS);

	rd->tables++;
	rd->counter = n > 4 && strncmp(w[4].p, "UserCounters", strlen("UserCounters")) ?
		arena_strndup(rd->f->a, w[4].p, w[4].n) : NULL;
}

static void read_console(struct reading *rd)
{
	bool in_table = false;
	char *line;

	while ((line = format_text_line(&rd->lines, rd->f->a))) {
		if (is_console_header(line)) {
			console_header(rd, line);
			in_table = true;
		} else if (take_preamble(rd, line, rd->lines.number)) {
			in_table = false;	/* of the next program */
		} else if (in_table && *line && line[strspn(line, "-")] && !console_row(rd, line)) {
			format_left_out_line(&rd->d, rd->lines.number, "expected a name, time, CPU time and iterations: \"%.80s\"",
					line);
		}
	}
}

/*
 * A table pasted together from two runs ("before" above "after") has each name as often
 * as there were runs, and their iterations differ: repetitions of one run have the same
 * number of them, and aggregates below. Gives each row its run; returns how many.
 */
static size_t split_parts(struct reading *rd, size_t *part)
{
	struct format_groups names = { .a = rd->f->a };
	size_t *seen = arena_array(rd->f->a, size_t, rd->rows.n + 1), parts = 1;
	int64_t *iterations = arena_array(rd->f->a, int64_t, rd->rows.n + 1);
	bool differ = false, first;

	for (size_t i = 0; i < rd->rows.n; i++) {
		const struct format_gbench_row *row = &rd->rows.rows[i];
		size_t g;

		if (!row->has_iterations || format_gbench_aggregate(row->name))
			return 1;
		g = format_group(&names, row->name, &first);
		if (first)
			iterations[g] = row->iterations;
		differ |= iterations[g] != row->iterations;
		part[i] = seen[g]++;
		if (seen[g] > parts)
			parts = seen[g];
	}
	for (size_t g = 0; g < names.n; g++)
		if (seen[g] != parts)
			return 1;
	return differ && rd->tables == 1 ? parts : 1;
}

static int add_parts(struct reading *rd, size_t n, const size_t *part, struct err *err)
{
	const char **kernels = format_kernels(rd->f, n, "the same names again, with other iterations, are another run", err);

	for (size_t p = 0; kernels && p < n; p++) {
		struct format_gbench_rows rows = { .a = rd->f->a };
		struct draft d;

		for (size_t i = 0; i < rd->rows.n; i++)
			if (part[i] == p)
				format_gbench_add(&rows, &rd->rows.rows[i]);
		format_draft(rd->f, &d);
		set_context(rd, &d);
		d.kernel = kernels[p];
		format_gbench_results(rd->f, &d, &rows);
		format_add(rd->f, &d);
		submission_build_fini(&d);
	}
	return kernels ? 0 : -1;
}

static int add_one(struct reading *rd)
{
	set_context(rd, &rd->d);
	format_gbench_results(rd->f, &rd->d, &rd->rows);
	format_add(rd->f, &rd->d);
	return 0;
}

int format_gbench_console_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_console_header) ? 90 : 0;
}

int format_gbench_console_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .f = f, .lines = { f->text, f->text + f->len, 0 }, .rows = { .a = f->a } };
	size_t *part, parts;
	int ret;

	format_draft(f, &rd.d);
	read_console(&rd);
	part = arena_array(f->a, size_t, rd.rows.n + 1);
	parts = split_parts(&rd, part);
	if (!rd.tables)
		ret = err_set(err, ERR_INVALID, "google-benchmark's table: expected a line \"Benchmark Time CPU Iterations\"");
	else
		ret = parts > 1 ? add_parts(&rd, parts, part, err) : add_one(&rd);
	submission_build_fini(&rd.d);
	return ret;
}

/* ---- CSV ---- */

enum column { NAME, ITERATIONS, REAL_TIME, CPU_TIME, TIME_UNIT, LABEL, ERROR_OCCURRED, ERROR_MESSAGE, N_COLUMNS };

struct columns {
	size_t at[N_COLUMNS];		/* SIZE_MAX: not there */
	const char *names[FORMAT_CELLS_MAX];
	size_t n;
};

static bool is_csv_header(const char *line)
{
	return format_text_starts(line, CSV_HEADER);
}

static void csv_header(const struct format_cells *c, struct columns *cols)
{
	static const char *const names[N_COLUMNS] = { "name", "iterations", "real_time", "cpu_time", "time_unit", "label",
						      "error_occurred", "error_message" };

	cols->n = c->n_cells;
	for (size_t k = 0; k < N_COLUMNS; k++)
		cols->at[k] = SIZE_MAX;
	for (size_t i = 0; i < c->n_cells; i++) {
		cols->names[i] = c->cells[i];
		for (size_t k = 0; k < N_COLUMNS; k++)
			if (!strcmp(names[k], c->cells[i]))
				cols->at[k] = i;
	}
}

static const char *csv_cell(const struct format_cells *c, const struct columns *cols, enum column k)
{
	return cols->at[k] < c->n_cells ? c->cells[cols->at[k]] : "";
}

/* The first column that has a number in this row and is none of the format's own. */
static const char *csv_counter(const struct format_cells *c, const struct columns *cols)
{
	double v;

	for (size_t i = 0; i < c->n_cells && i < cols->n; i++) {
		bool own = false;

		for (size_t k = 0; k < N_COLUMNS; k++)
			own |= cols->at[k] == i;
		if (!own && format_text_number(c->cells[i], &v))
			return cols->names[i];
	}
	return NULL;
}

static void csv_row(struct reading *rd, const struct format_cells *c, const struct columns *cols)
{
	struct format_gbench_row row = { .in = "line", .index = c->row_line, .name = csv_cell(c, cols, NAME),
					 .unit = csv_cell(c, cols, TIME_UNIT), .counter = csv_counter(c, cols) };
	const char *iterations = csv_cell(c, cols, ITERATIONS);

	if (c->n_cells < TIME_UNIT + 1 || c->n_cells > cols->n) {
		format_left_out_line(&rd->d, c->row_line, "expected %zu cells, these are %zu", cols->n, c->n_cells);
		return;
	}
	row.failed = !strcmp(csv_cell(c, cols, ERROR_OCCURRED), "true");
	row.why = csv_cell(c, cols, ERROR_MESSAGE);
	row.has_time = format_text_number(csv_cell(c, cols, REAL_TIME), &row.real_time);
	row.has_iterations = !num_parse_i64(iterations, strlen(iterations), &row.iterations);
	row.repetitions = row.has_iterations ? row.iterations : 0;
	format_gbench_add(&rd->rows, &row);
}

static void read_csv(struct reading *rd)
{
	struct columns cols;
	struct format_cells c;
	int more;

	format_cells_init(&c, rd->f->a, &rd->d.scratch, rd->lines.next, (size_t)(rd->lines.end - rd->lines.next));
	c.line = rd->lines.number + 1;
	format_cells_row(&c);
	csv_header(&c, &cols);
	while ((more = format_cells_row(&c)) > 0)
		if (strcmp(c.cells[0], "name"))	/* the header of a second run */
			csv_row(rd, &c, &cols);
	if (more < 0)
		format_left_out_line(&rd->d, c.row_line, "expected the end of a quoted cell");
}

int format_gbench_csv_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_csv_header) ? 95 : 0;
}

int format_gbench_csv_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .f = f, .lines = { f->text, f->text + f->len, 0 }, .rows = { .a = f->a } };
	struct format_lines here;
	const char *line;
	int ret = 0;

	format_draft(f, &rd.d);
	while (here = rd.lines, (line = format_text_line(&rd.lines, f->a)) && !is_csv_header(line))
		take_preamble(&rd, line, rd.lines.number);
	if (line) {
		rd.lines = here;
		read_csv(&rd);
		add_one(&rd);
	} else {
		ret = err_set(err, ERR_INVALID, "google-benchmark's CSV: expected a line \"%s,...\"", CSV_HEADER);
	}
	submission_build_fini(&rd.d);
	return ret;
}
