/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The story's reproducer, mprot_tw4m_regsize: its summary.csv, its pipe-separated
 * table (under a title line that names the kernel; several tables are several runs),
 * and its regsize_*.log files. Its kin, reports with several kernels in one file, are
 * in format_reproducer_reports.c.
 */
#include "format_reproducer_reports.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/num.h"

#define BENCHMARK "mprotect/tw4m"
#define COLUMNS_MAX 16
#define KERNELS_MAX 32

struct cell {
	const char *p;
	size_t n;
};

struct columns {
	char delimiter;
	int size, nsec;			/* -1: no header yet */
	int kernel;			/* -1: none; else the rows of each kernel are a run */
};

struct reading {
	struct format_file *f;
	struct draft draft;
	bool open;			/* the draft is begun */
	struct format_lines lines;
	struct format_groups sizes;
	struct format_series *series;
	size_t cap_series;

	/* table and summary.csv */
	size_t tables;			/* headers in the file */
	struct cell title;		/* the last line that was no row, and where */
	size_t title_line;
	struct columns columns;
	struct cell kernel;		/* whose rows are read, where a column names kernels; n = 0: all */
	bool kernel_named;		/* the draft has it */
	bool again;			/* not the first pass over the file: its bad lines have been told */

	/* log */
	size_t started_line;		/* of "Created ...", 0 = none open */
	double size_kib;
	int64_t regions, iterations;
	const char *complaint;
};

static struct cell trim(const char *p, size_t n)
{
	while (n && isspace((unsigned char)*p)) {
		p++;
		n--;
	}
	while (n && isspace((unsigned char)p[n - 1]))
		n--;
	return (struct cell){ p, n };
}

static bool is(struct cell c, const char *word)
{
	return c.n == strlen(word) && !memcmp(c.p, word, c.n);
}

static size_t split(struct cell line, char delimiter, struct cell cells[COLUMNS_MAX])
{
	size_t n = 0;
	const char *p = line.p, *end = line.p + line.n, *comma;

	do {
		comma = memchr(p, delimiter, (size_t)(end - p));
		if (!comma)
			comma = end;
		cells[n++] = trim(p, (size_t)(comma - p));
		p = comma + 1;
	} while (comma < end && n < COLUMNS_MAX);
	return n;
}

/* Where a line has both column names; the delimiter is what stands between them. */
static bool header_of(struct cell line, struct columns *columns)
{
	static const char delimiters[] = { '|', ',', ';', '\t' };
	struct cell cells[COLUMNS_MAX];

	for (size_t k = 0; k < sizeof(delimiters); k++) {
		size_t n = split(line, delimiters[k], cells);
		struct columns c = { delimiters[k], -1, -1, -1 };

		for (size_t i = 0; i < n; i++) {
			if (is(cells[i], "size_kib"))
				c.size = (int)i;
			if (is(cells[i], "nsec_per_call"))
				c.nsec = (int)i;
			if (is(cells[i], "kernel"))
				c.kernel = (int)i;
		}
		if (c.size < 0 || c.nsec < 0)
			continue;
		*columns = c;
		return true;
	}
	return false;
}

static void begin(struct reading *rd)
{
	if (rd->open)
		return;
	format_draft(rd->f, &rd->draft);
	format_source(rd->f, &rd->draft, "mprot_tw4m_regsize", NULL, NULL);
	rd->open = true;
	rd->kernel_named = false;
	rd->sizes = (struct format_groups){ .a = rd->f->a };
	rd->series = NULL;
	rd->cap_series = 0;
}

static void end(struct reading *rd)
{
	if (!rd->open)
		return;
	format_series_end(&rd->draft, rd->series, rd->sizes.n);
	format_add(rd->f, &rd->draft);
	submission_build_fini(&rd->draft);
	rd->open = false;
}

static void left_out(struct reading *rd, size_t line, const char *what)
{
	begin(rd);
	problems_add(rd->draft.left_out, arena_printf(rd->f->a, "line %zu", line), "%s", what);
}

static void set_param(struct reading *rd, struct format_series *s)
{
	struct draft_param *p = arena_array(rd->f->a, struct draft_param, 2);

	p[0] = (struct draft_param){ .name = "size_kib", .type = PARAM_NUMBER, .number = rd->size_kib };
	p[1] = (struct draft_param){ .name = "regions", .type = PARAM_NUMBER, .number = (double)rd->regions };
	s->r.params = p;
	s->r.n_params = rd->regions > 1 ? 2 : 1;
}

/* The series of the size (and regions) at hand; new at its first row. */
static struct format_series *series_at(struct reading *rd, size_t line)
{
	char key[64];
	bool first;
	size_t i;

	begin(rd);
	snprintf(key, sizeof(key), "%.17g %lld", rd->size_kib, (long long)rd->regions);
	i = format_group(&rd->sizes, key, &first);
	if (i == rd->cap_series) {
		size_t more = i ? i * 2 : 16;

		rd->series = arena_grow(rd->f->a, rd->series, i * sizeof(*rd->series), more * sizeof(*rd->series));
		rd->cap_series = more;
	}
	if (first) {
		rd->series[i] = (struct format_series){ .r = {
			.in = "line", .index = line, .benchmark = format_benchmark(rd->f, BENCHMARK),
			.metric = "latency", .unit = "ns/call", .better = BETTER_LOWER, .iterations = rd->iterations } };
		set_param(rd, &rd->series[i]);
	}
	return &rd->series[i];
}

static void take(struct reading *rd, size_t line, struct cell nsec)
{
	double v;

	if (num_parse(nsec.p, nsec.n, &v) || !(v > 0)) {
		left_out(rd, line, "expected nanoseconds per call, a number above 0");
		return;
	}
	format_series_add(rd->f->a, series_at(rd, line), v);
}

/* A kernel that the table's title names; kernel= goes before it, unless there are several. */
static void take_title(struct reading *rd)
{
	const char *given = rd->f->ctx->kernel, *at;
	struct draft *d = &rd->draft;
	char *title;

	if (!rd->title.n || rd->kernel.n)
		return;
	title = arena_strndup(rd->f->a, rd->title.p, rd->title.n);
	at = arena_printf(rd->f->a, "line %zu", rd->title_line);
	rd->title.n = 0;
	if (given && !format_same_name(given, title))
		problems_add(d->warnings, at, "the title says \"%s\"; %s", title, rd->tables > 1 ?
			     "kernel= is not for several tables" : "kernel= goes before it");
	if (given && rd->tables == 1)
		return;
	d->kernel = title;
	d->kernel_at = at;
}

static void no_row(struct reading *rd, size_t line, const char *what)
{
	if (!rd->again)
		left_out(rd, line, what);
}

/* The kernel of a row's own column: the file knows better than kernel=, which stands for all of it. */
static void name_kernel(struct reading *rd, struct cell kernel)
{
	struct draft *d = &rd->draft;
	char *name = arena_strndup(rd->f->a, kernel.p, kernel.n);

	rd->kernel_named = true;
	d->kernel_at = arena_printf(rd->f->a, "line %zu", rd->lines.number);
	d->kernel = name;
	if (rd->f->ctx->kernel && !format_same_name(rd->f->ctx->kernel, name))
		problems_add(d->warnings, d->kernel_at, "the file says %s here; kernel= is for files that do not say",
			     name);
}

/* The cell of the column that names kernels; n = 0: there is none in this line. */
static struct cell kernel_cell(const struct columns *c, struct cell line)
{
	struct cell cells[COLUMNS_MAX];
	size_t n = split(line, c->delimiter, cells);

	return c->kernel >= 0 && n > (size_t)c->kernel && n > (size_t)c->size ? cells[c->kernel] : (struct cell){ 0 };
}

static bool same(struct cell a, struct cell b)
{
	return a.n == b.n && (!a.n || !memcmp(a.p, b.p, a.n));
}

static void table_row(struct reading *rd, struct cell line)
{
	const struct columns *c = &rd->columns;
	struct cell cells[COLUMNS_MAX];
	size_t n = split(line, c->delimiter, cells);
	size_t need = (size_t)(c->size > c->nsec ? c->size : c->nsec) + 1;

	if (n == 1 && c->delimiter == '|') {	/* the title of the next table */
		rd->title = line;
		rd->title_line = rd->lines.number;
		rd->columns.size = -1;
		return;
	}
	if (n < need || num_parse(cells[c->size].p, cells[c->size].n, &rd->size_kib) || !(rd->size_kib > 0)) {
		no_row(rd, rd->lines.number, "expected a row: size in KiB and nanoseconds per call");
		return;
	}
	if (rd->kernel.n && c->kernel >= 0) {
		struct cell kernel = kernel_cell(c, line);

		if (!kernel.n)
			no_row(rd, rd->lines.number, "expected a kernel in column kernel");
		if (!same(kernel, rd->kernel))
			return;
		begin(rd);
		if (!rd->kernel_named)
			name_kernel(rd, kernel);
	}
	take(rd, rd->lines.number, cells[c->nsec]);
}

static void read_table(struct reading *rd)
{
	const char *p;
	size_t n;

	rd->columns.size = -1;
	while (format_line(&rd->lines, &p, &n)) {
		struct cell line = trim(p, n);

		if (!line.n)
			continue;
		if (header_of(line, &rd->columns)) {
			if (rd->open && rd->sizes.n)
				end(rd);
			begin(rd);
			take_title(rd);
		} else if (rd->columns.size >= 0) {
			table_row(rd, line);
		} else {
			if (rd->title.n)
				no_row(rd, rd->title_line, "expected a table under this title: size_kib | nsec_per_call");
			rd->title = line;
			rd->title_line = rd->lines.number;
		}
	}
	if (rd->title.n)
		no_row(rd, rd->title_line, "expected a table under this title: size_kib | nsec_per_call");
	end(rd);
}

/*
 * The kernels that the rows' own column names, each once, in the order of the file. The file
 * is read once for each, which a table of a few kernels bears and needs no second way to read.
 */
static size_t kernels_of(struct format_file *f, struct cell kernels[KERNELS_MAX + 1])
{
	struct format_lines l = { f->text, f->text + f->len, 0 };
	struct columns columns = { .kernel = -1 };
	size_t count = 0, n, i;
	const char *p;

	while (count <= KERNELS_MAX && format_line(&l, &p, &n)) {
		struct cell line = trim(p, n), kernel;

		if (!line.n || header_of(line, &columns))
			continue;
		kernel = kernel_cell(&columns, line);
		for (i = 0; i < count && !same(kernel, kernels[i]); i++)
			;
		if (kernel.n && i == count)
			kernels[count++] = kernel;
	}
	return count;
}

/* One run, or one for each kernel of the column. */
static int read_tables(struct reading *rd, struct err *err)
{
	struct cell kernels[KERNELS_MAX + 1];
	struct format_lines start = rd->lines;
	size_t n = kernels_of(rd->f, kernels);

	if (n > KERNELS_MAX)
		return err_set(err, ERR_INVALID, "expected at most %d kernels in column kernel", KERNELS_MAX);
	if (!n)
		read_table(rd);
	for (size_t i = 0; i < n; i++) {
		rd->kernel = kernels[i];
		rd->again = i;
		rd->lines = start;
		read_table(rd);
	}
	return 0;
}

/* A log that began a size and never said how long it took. */
static void close_log(struct reading *rd)
{
	struct format_series *s;

	if (!rd->started_line)
		return;
	s = series_at(rd, rd->started_line);
	if (s->n_values) {
		left_out(rd, rd->started_line, "a repetition without its \"Runtime:\" line");
	} else {
		s->r.status = RESULT_FAILED;
		s->r.error = rd->complaint ? rd->complaint : "no \"Runtime:\" line: it did not end";
	}
	rd->started_line = 0;
}

static bool log_created(struct reading *rd, const char *line)
{
	long regions, kib, ops;

	if (sscanf(line, "Created %ld regions of %ldKiB each. Starting %ld mprotect operations", &regions, &kib,
		   &ops) != 3 || regions < 1 || kib < 1 || ops < 0)
		return false;
	close_log(rd);
	rd->started_line = rd->lines.number;
	rd->regions = regions;
	rd->size_kib = (double)kib;
	rd->iterations = ops;
	rd->complaint = NULL;
	return true;
}

/* "Runtime: 0.042800 seconds.  Avg: 8560.041 nsec/call"; the "Avg:" in K-cycles is another line's. */
static bool log_runtime(struct reading *rd, const char *line)
{
	const char *avg, *unit;

	if (strncmp(line, "Runtime:", strlen("Runtime:")))
		return false;
	avg = strstr(line, "Avg:");
	unit = avg ? strstr(avg, "nsec/call") : NULL;
	if (!unit || !rd->started_line) {
		left_out(rd, rd->lines.number, unit ? "expected \"Created N regions of NKiB each.\" before it" :
			 "expected \"Avg: N nsec/call\"");
		return true;
	}
	avg += strlen("Avg:");
	take(rd, rd->lines.number, trim(avg, (size_t)(unit - avg)));
	rd->started_line = 0;
	return true;
}

static int read_log(struct reading *rd, struct err *err)
{
	const char *p;
	size_t n;

	while (format_line(&rd->lines, &p, &n)) {
		struct cell c = trim(p, n);
		char *line = arena_strndup(rd->f->a, c.p, c.n);

		if (!c.n || log_created(rd, line) || log_runtime(rd, line))
			continue;
		if (!strncmp(line, "TSC for ", strlen("TSC for ")))
			continue;	/* cycles: an attribute, no time */
		if (rd->started_line)
			rd->complaint = line;
		else
			left_out(rd, rd->lines.number, "no line of the reproducer's log");
	}
	close_log(rd);
	end(rd);
	return rd->f->n_items ? 0 : err_set(err, ERR_INVALID, "a log of the mprotect reproducer in which no region was measured: "
					    "expected \"Created N regions of NKiB each.\" and \"Runtime: ... Avg: N nsec/call\"");
}

enum shape { NONE, TABLE, LOG, TOTALS, RELEASES };

static enum shape shape_of_line(const char *p, size_t n)
{
	struct cell c = trim(p, n);
	struct columns columns;
	char line[256];

	if (header_of(c, &columns))
		return TABLE;
	snprintf(line, sizeof(line), "%.*s", (int)(c.n < sizeof(line) ? c.n : sizeof(line) - 1), c.p);
	if (strstr(line, "mprotect operations per region") || (strstr(line, "Runtime:") && strstr(line, "nsec/call")))
		return LOG;
	if (strstr(line, "commit: Total ="))
		return TOTALS;
	return format_reproducer_reports_is_releases(line) ? RELEASES : NONE;
}

/* What the first line that tells says it is; *tables: how many tables are in it. */
static enum shape shape_of(const char *text, size_t len, size_t *tables)
{
	struct format_lines l = { text, text + len, 0 };
	enum shape shape = NONE, here;
	const char *p;
	size_t n;

	*tables = 0;
	while ((shape == NONE || shape == TABLE) && format_line(&l, &p, &n)) {
		here = shape_of_line(p, n);
		if (shape == NONE)
			shape = here;
		*tables += here == TABLE;
	}
	return shape;
}

int format_reproducer_sniff(const char *text, size_t len)
{
	size_t tables;

	return shape_of(text, len < 4096 ? len : 4096, &tables) == NONE ? 0 : 90;
}

int format_reproducer_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .f = f, .lines = { f->text, f->text + f->len, 0 }, .regions = 1 };

	switch (shape_of(f->text, f->len, &rd.tables)) {
	case TABLE:
		return read_tables(&rd, err);
	case LOG:
		return read_log(&rd, err);
	case TOTALS:
		return format_reproducer_reports_totals(f, err);
	case RELEASES:
		return format_reproducer_reports_releases(f, err);
	case NONE:
		break;
	}
	return err_set(err, ERR_INVALID, "no output of the mprotect reproducer: expected a line with the columns "
		       "size_kib and nsec_per_call, or its log with \"Runtime: ... Avg: N nsec/call\"");
}
