/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * will-it-scale's CSV: a row for a number of tasks, a column for each mode. Row 0 is a
 * marker, `linear` a computed line, idle times are no results; a mode that is 0 at an
 * idle of 0.00 was not run. The test's name is no part of the CSV: runtest.py's command
 * line tells it, or the file's name (TEST.csv), or benchmark=.
 */
#include "format_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "format_cells.h"

#define HEADER "tasks,processes"

enum column { TASKS, PROCESSES, PROCESSES_IDLE, THREADS, THREADS_IDLE, N_COLUMNS };

struct section {			/* what was measured on one kernel: under one heading */
	const char *heading;		/* NULL = none */
	size_t line;
	struct format_set set;
	struct problems *left_out;
};

struct reading {
	struct format_file *f;
	struct format_lines lines;
	const char *command;		/* runtest.py's */
	const char *test;		/* NULL = not known */
	const char *heading;		/* the last one, whose tables are yet to come */
	size_t heading_line;
	struct section *sections;
	size_t n_sections, cap_sections;
	size_t columns[N_COLUMNS];
	size_t n_columns, header_line;	/* 0 = no header yet */
};

static const char *const column_names[N_COLUMNS] = { "tasks", "processes", "processes_idle", "threads", "threads_idle" };

static bool is_header(const char *line)
{
	return format_text_starts(line, HEADER) && (!line[strlen(HEADER)] || line[strlen(HEADER)] == ',');
}

/* "page_fault1_run2.csv" is of page_fault1: a file's name says it only where it begins with a test's. */
static const char *test_of_file(struct arena *a, const char *path)
{
	static const char *const tests[] = {
		"brk", "context_switch", "dup", "eventfd", "fallocate", "fstat", "futex", "getppid", "getrandom",
		"lock", "lseek", "malloc", "mmap", "open", "page_fault", "pipe", "poll", "posix_semaphore", "pread",
		"pthread_mutex", "pwrite", "read", "readseek", "sched_yield", "signal", "tlb_flush", "unix", "unlink",
		"write", "writeseek",
	};
	const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;

	for (size_t i = 0; name && i < sizeof(tests) / sizeof(*tests); i++) {
		size_t n = strlen(tests[i]);

		if (strncmp(name, tests[i], n))
			continue;
		n += strspn(name + n, "0123456789");
		if (!isalnum((unsigned char)name[n]) && (name[n] != '_' || isdigit((unsigned char)name[n - 1])))
			return arena_strndup(a, name, n);
	}
	return NULL;
}

/* "python2 ./runtest.py mmap2 295 process 104" */
static bool take_command(struct reading *rd, const char *line)
{
	const char *at = strstr(line, "runtest.py ");
	size_t n;

	if (!at)
		return false;
	at += strlen("runtest.py ");
	at += strspn(at, " ");
	n = strcspn(at, " ");
	if (n) {
		rd->command = strstr(line, "runtest.py");
		rd->test = arena_strndup(rd->f->a, at, n);
	}
	return true;
}

static void take_header(struct reading *rd, char *line)
{
	size_t i = 0;

	for (size_t c = 0; c < N_COLUMNS; c++)
		rd->columns[c] = SIZE_MAX;
	for (char *name; (name = strsep(&line, ",")); i++)
		for (size_t c = 0; c < N_COLUMNS; c++)
			if (!strcmp(name, column_names[c]))
				rd->columns[c] = i;
	rd->n_columns = i;
	if (!rd->header_line)
		rd->header_line = rd->lines.number;
}

/* The section that the rows to come belong to; a heading makes it a new one. */
static struct section *section(struct reading *rd)
{
	struct section *s;

	if (rd->n_sections && !rd->heading)
		return &rd->sections[rd->n_sections - 1];
	if (rd->n_sections == rd->cap_sections) {
		size_t more = rd->cap_sections ? rd->cap_sections * 2 : 4;

		rd->sections = arena_grow(rd->f->a, rd->sections, rd->cap_sections * sizeof(*s), more * sizeof(*s));
		rd->cap_sections = more;
	}
	s = &rd->sections[rd->n_sections++];
	*s = (struct section){ .heading = rd->heading, .line = rd->heading_line, .set.groups.a = rd->f->a,
			       .left_out = problems_new(rd->f->a) };
	rd->heading = NULL;
	return s;
}

static void add(struct reading *rd, struct section *s, double tasks, const char *mode, double value)
{
	struct format_series *series;
	struct draft_param *p;
	bool first;

	series = format_set_get(&s->set, arena_printf(rd->f->a, "%.17g %s", tasks, mode), &first);
	if (first) {
		p = arena_array(rd->f->a, struct draft_param, 2);
		p[0] = (struct draft_param){ .name = "mode", .type = PARAM_TEXT, .text = mode };
		p[1] = (struct draft_param){ .name = "tasks", .type = PARAM_NUMBER, .number = tasks };
		series->r = (struct draft_result){ .in = "line", .index = rd->lines.number, .metric = "throughput",
						   .unit = "ops/s", .better = BETTER_HIGHER, .params = p, .n_params = 2 };
	}
	format_series_add(rd->f->a, series, value);
}

static void bad_row(struct reading *rd, struct section *s, const char *what)
{
	if (s->left_out->n == PROBLEMS_MAX)
		s->left_out->total++;
	else
		problems_add(s->left_out, arena_printf(rd->f->a, "line %zu", rd->lines.number), "%s", what);
}

/* True when the mode was run: 0 operations at an idle of 0.00 are none. */
static bool was_run(const struct reading *rd, const double *v, const bool *has, enum column mode)
{
	size_t at = rd->columns[mode], idle = rd->columns[mode + 1];

	if (at == SIZE_MAX || !has[at])
		return false;
	return v[at] > 0 || (idle != SIZE_MAX && has[idle] && v[idle] > 0);
}

#define CELLS_MAX 32

static void take_row(struct reading *rd, char *line)
{
	struct section *s = section(rd);
	const char *text = arena_strdup(rd->f->a, line);
	double v[CELLS_MAX] = { 0 };
	bool has[CELLS_MAX] = { false };
	size_t n = 0;

	for (char *cell; (cell = strsep(&line, ",")); n++)
		if (n < CELLS_MAX)
			has[n] = format_text_number(cell, &v[n]);
	for (size_t i = 0; i < n && i < CELLS_MAX; i++)
		if (!has[i])
			n = SIZE_MAX - 1;
	if (n != rd->n_columns || n > CELLS_MAX || !(v[rd->columns[TASKS]] >= 0)) {
		bad_row(rd, s, arena_printf(rd->f->a, "expected %zu numbers, the first how many tasks: \"%.80s\"",
					    rd->n_columns, text));
		return;
	}
	if (!(v[rd->columns[TASKS]] > 0))
		return;	/* the marker row */
	if (was_run(rd, v, has, PROCESSES))
		add(rd, s, v[rd->columns[TASKS]], "processes", v[rd->columns[PROCESSES]]);
	if (was_run(rd, v, has, THREADS))
		add(rd, s, v[rd->columns[TASKS]], "threads", v[rd->columns[THREADS]]);
}

/* "Before this commit (average ...):": whose tables come below. */
static bool is_heading(const char *line)
{
	size_t n = strlen(line);

	return n && (line[n - 1] == ':' || !strncasecmp(line, "before", 6) || !strncasecmp(line, "after", 5));
}

static void read_lines(struct reading *rd)
{
	char *line;

	while ((line = format_text_line(&rd->lines, rd->f->a))) {
		if (is_header(line)) {
			take_header(rd, line);
		} else if (rd->n_columns && isdigit((unsigned char)*line) && strchr(line, ',')) {
			take_row(rd, line);
		} else if (!take_command(rd, line) && is_heading(line)) {
			rd->heading = line;
			rd->heading_line = rd->lines.number;
		} else if (rd->n_columns && *line && !strstr(line, "runtest.py")) {
			bad_row(rd, section(rd), arena_printf(rd->f->a, "expected a row of numbers: \"%.80s\"", line));
		}
	}
}

/* A heading that is a kernel's name, or NULL. */
static const char *kernel_of(struct reading *rd, const struct section *s)
{
	struct kernel k;
	struct err err;
	char *name;

	if (!s->heading)
		return NULL;
	name = arena_strdup(rd->f->a, s->heading);
	name[strlen(name) - (name[strlen(name) - 1] == ':')] = 0;
	return *name && !kernel_parse(rd->f->a, name, &k, &err) ? name : NULL;
}

static void add_section(struct reading *rd, struct section *s, const char *kernel)
{
	const char *benchmark = rd->test ? format_benchmark(rd->f, arena_printf(rd->f->a, "will-it-scale/%s", rd->test)) :
		rd->f->ctx->benchmark;
	struct draft d;

	format_draft(rd->f, &d);
	format_source(rd->f, &d, "will-it-scale", NULL, rd->command);
	if (kernel)
		d.kernel = kernel;
	d.left_out = s->left_out;
	if (!benchmark)
		problems_add(d.problems, "benchmark", "the file does not say which test it was: benchmark=will-it-scale/TEST "
			     "is needed, or filename=TEST.csv");
	for (size_t i = 0; i < s->set.groups.n; i++)
		s->set.series[i].r.benchmark = benchmark ? benchmark : submission_build_said;
	if (s->set.groups.n)
		format_left_out_line(&d, rd->header_line, "idle times and the computed line (linear) are no results");
	if (benchmark)
		format_series_end(&d, s->set.series, s->set.groups.n);
	format_add(rd->f, &d);
	submission_build_fini(&d);
}

/* Each section with its kernel: from its heading, or kernel=; several that do not say it need as many names. */
static int add_sections(struct reading *rd, struct err *err)
{
	const char **names = arena_array(rd->f->a, const char *, rd->n_sections + 1);
	bool all = rd->n_sections > 1;

	for (size_t i = 0; i < rd->n_sections; i++) {
		names[i] = kernel_of(rd, &rd->sections[i]);
		all &= names[i] != NULL;
	}
	if (rd->n_sections == 1) {
		names[0] = rd->f->ctx->kernel ? rd->f->ctx->kernel : names[0];
	} else if (!all) {
		names = format_kernels(rd->f, rd->n_sections, "below headings of their own", err);
		if (!names)
			return -1;
	}
	for (size_t i = 0; i < rd->n_sections; i++)
		add_section(rd, &rd->sections[i], names[i]);
	return 0;
}

int format_wis_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_header) ? 90 : 0;
}

int format_wis_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .f = f, .lines = { f->text, f->text + f->len, 0 }, .test = test_of_file(f->a, f->ctx->filename) };

	read_lines(&rd);
	if (!rd.n_columns)
		return err_set(err, ERR_INVALID, "will-it-scale: expected a line \"tasks,processes,processes_idle,threads,"
			       "threads_idle,linear\"");
	if (!rd.n_sections)
		section(&rd);	/* a file without a row: "no result in this file" */
	return add_sections(&rd, err);
}
