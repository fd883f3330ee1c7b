/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Arm Fastpath prints: the tables of `fastpath result show` (Benchmark, Result Class,
 * then the statistics of one software profile, or a column a profile), and above them, if
 * they are there, what `fastpath result list --object swprofile` says of the profiles:
 * which kernel each is. As its user guide and the learning path at learn.arm.com show
 * them; also quoted in a mail. Each column is a submission.
 *
 * With --relative, statistics are percentages of the mean, and a column behind the first
 * holds only how much better it is than that: no value can be had from it.
 */
#include "format_columns.h"
#include "format_sink.h"
#include "format_text.h"

#include <math.h>
#include <string.h>

#include "../lib/jsonw.h"
#include "../lib/num.h"

#define CELLS_MAX (FORMAT_COLUMNS_MAX + 2)
#define PROFILES_MAX 64

enum statistic { MIN, MEAN, MAX, CV, STDDEV, COUNT, N_STATISTICS };
static const char *const statistics[N_STATISTICS] = { "min", "mean", "max", "cv", "stddev", "count" };

struct profile {
	const char *id, *kernel, *commit, *userspace, *cmdline, *sysctl;
};

struct reading {
	struct format_file *f;
	struct format_columns c;
	struct profile profiles[PROFILES_MAX];
	size_t n_profiles;
	const char *asked;		/* the one --swprofile of the last command, or NULL */

	/* the table at hand */
	char *head[CELLS_MAX], *cells[CELLS_MAX];
	size_t n_head, n_cells, head_line;
	bool is_statistics;
	size_t at[N_STATISTICS];	/* its cell; 0: none */
	size_t column_at[FORMAT_COLUMNS_MAX];	/* the cell of each draft */
	const char *benchmark;		/* of the rows; one that is blank goes on */
};

/* "| a | b |", also behind '>' of a mail: its cells, trimmed; 0 where it is none. */
static size_t split(struct arena *a, const char *line, size_t len, char *cells[CELLS_MAX])
{
	const char *p = line, *end = line + len, *bar;
	size_t n = 0;

	while (p < end && strchr("> \t", *p))
		p++;
	if (p == end || *p++ != '|')
		return 0;
	for (; n < CELLS_MAX && (bar = memchr(p, '|', (size_t)(end - p))); p = bar + 1) {
		const char *from = p, *to = bar;

		while (from < to && strchr(" \t", *from))
			from++;
		while (to > from && strchr(" \t", to[-1]))
			to--;
		cells[n++] = arena_strndup(a, from, (size_t)(to - from));
	}
	return n;
}

static bool is_head(char *const *cells, size_t n)
{
	return n >= 3 && !strcmp(cells[0], "Benchmark") && !strcmp(cells[1], "Result Class");
}

/* ---- profiles ---- */

static const char *said(const char *text)
{
	return *text && strcmp(text, "<none>") && strlen(text) <= SUBMISSION_TEXT_MAX ? text : NULL;
}

/* A line of "| Kernel Name | 6.18.1-lab+ |"; "ID" begins another profile. */
static void profile_line(struct reading *rd, const char *key, const char *value)
{
	struct profile *p = rd->n_profiles ? &rd->profiles[rd->n_profiles - 1] : NULL;

	if (!strcmp(key, "ID") && rd->n_profiles < PROFILES_MAX)
		rd->profiles[rd->n_profiles++] = (struct profile){ .id = value };
	else if (!p)
		return;
	else if (!strcmp(key, "Kernel Name"))
		p->kernel = said(value);
	else if (!strcmp(key, "Kernel Git SHA"))
		p->commit = said(value);
	else if (!strcmp(key, "Userspace"))
		p->userspace = said(value);
	else if (!strcmp(key, "cmdline"))
		p->cmdline = said(value);
	else if (!strcmp(key, "sysctl"))
		p->sysctl = said(value);
}

static const struct profile *find_profile(const struct reading *rd, const char *id)
{
	for (size_t i = 0; i < rd->n_profiles; i++)
		if (!strcmp(rd->profiles[i].id, id))
			return &rd->profiles[i];
	return NULL;
}

/* "fastpath result show results/ --swprofile NAME": whose statistics come, where it names one. */
static void command_line(struct reading *rd, const struct format_words *words)
{
	size_t shown = 0;

	for (size_t i = 0; i + 1 < words->n; i++)
		if (format_words_is(&words->w[i], "result") && format_words_is(&words->w[i + 1], "show"))
			shown = i + 1;
	if (!shown)
		return;
	rd->asked = NULL;
	for (size_t i = shown, n = 0; i + 1 < words->n; i++)
		if (format_words_is(&words->w[i], "--swprofile"))
			rd->asked = n++ ? NULL : format_words_text(rd->f->a, &words->w[i + 1]);
}

/* ---- columns ---- */

/* A profile's own kernel; or the profile is called by it, as "fp_6.18.1-lab". */
static const char *kernel_of(struct reading *rd, const char *id)
{
	const struct profile *p = find_profile(rd, id);
	const char *underscore = strchr(id, '_');
	struct kernel k;
	struct err ignored = { 0 };

	if (p && p->kernel)
		return p->kernel;
	if (!kernel_parse(rd->f->a, id, &k, &ignored))
		return id;
	return underscore && !kernel_parse(rd->f->a, underscore + 1, &k, &ignored) ? underscore + 1 : NULL;
}

static void put_said(struct jsonw *j, const char *key, const char *value)
{
	if (value)
		jsonw_kstr(j, key, value);
}

static void name_column(struct reading *rd, struct draft *d, const char *id)
{
	const struct profile *p = id ? find_profile(rd, id) : NULL;
	const char *kernel = id ? kernel_of(rd, id) : NULL;
	struct jsonw j = jsonw_begin(&d->scratch);

	if (kernel)
		format_said_kernel(d, kernel, rd->head_line);
	else if (id && !d->kernel)
		problems_add(d->problems, "kernel", "kernel=RELEASE is needed, or in the file what `fastpath result list "
			     "--object swprofile` prints: which kernel is \"%.60s\"?", id);
	if (id && !kernel && !d->kernel)
		d->kernel = submission_build_said;
	if (!id)
		return;
	if (p)
		format_said_commit(d, p->commit);
	buf_clear(&d->scratch);
	jsonw_object(&j);
	put_said(&j, "swprofile", said(id));
	put_said(&j, "userspace", p ? p->userspace : NULL);
	put_said(&j, "cmdline", p ? p->cmdline : NULL);
	put_said(&j, "sysctl", p ? p->sysctl : NULL);
	jsonw_object_end(&j);
	d->environment = arena_strndup(d->a, d->scratch.p, d->scratch.len);
}

static bool is_percent(const char *cell)
{
	size_t n = strlen(cell);

	return n && cell[n - 1] == '%';
}

/* The columns that hold values, as the first row shows; the others are told of. */
static int begin_columns(struct reading *rd, struct err *err)
{
	const char **kernels = NULL;
	size_t n = 0, relative = 0;

	for (size_t i = 2; i < rd->n_head && !rd->is_statistics; i++) {
		if (is_percent(rd->cells[i]))
			relative++;
		else
			rd->column_at[n++] = i;
	}
	if (rd->f->ctx->kernel && strchr(rd->f->ctx->kernel, '|') &&
	    !(kernels = format_kernels(rd->f, rd->is_statistics ? 1 : n, "the columns of a table", err)))
		return -1;
	format_columns_begin(&rd->c, rd->is_statistics ? 1 : n, "fastpath");
	for (size_t i = 0; i < rd->c.n; i++) {
		if (kernels)
			rd->c.drafts[i].kernel = kernels[i];
		name_column(rd, &rd->c.drafts[i], rd->is_statistics ? rd->asked : rd->head[rd->column_at[i]]);
	}
	if (relative && rd->c.n)
		format_columns_warn(&rd->c, arena_printf(rd->f->a, "line %zu: %zu columns are percentages of another one's values, "
				    "and not imported: leave --relative out, or show each profile by itself", rd->head_line, relative));
	return 0;
}

static void begin_table(struct reading *rd)
{
	rd->n_head = rd->n_cells;
	memcpy(rd->head, rd->cells, sizeof(rd->head));
	rd->head_line = rd->c.lines.number;
	rd->benchmark = NULL;
	memset(rd->at, 0, sizeof(rd->at));
	for (size_t i = 2; i < rd->n_head; i++)
		for (size_t s = 0; s < N_STATISTICS; s++)
			if (!strcmp(rd->head[i], statistics[s]))
				rd->at[s] = i;
	rd->is_statistics = rd->at[MEAN] && rd->at[COUNT];
}

static void end_table(struct reading *rd)
{
	format_columns_end(&rd->c);
	rd->n_head = 0;
}

/* ---- rows ---- */

/* A number, behind the mark of a verdict: "(I) 233.00". */
static bool number(const char *cell, double *v)
{
	if (cell[0] == '(' && cell[1] && cell[2] == ')')
		for (cell += 3; *cell == ' '; cell++)
			;
	return !num_parse(cell, strlen(cell), v) && isfinite(*v);
}

/* A statistic; one with '%' is of the mean: less or more than it (min, max), or a share of it (cv). NaN: none. */
static double statistic(const struct reading *rd, enum statistic s, double mean)
{
	char text[32];
	size_t n;
	double v;

	if (!rd->at[s])
		return NAN;
	n = strlen(rd->cells[rd->at[s]]);
	if (!n || n >= sizeof(text))
		return NAN;
	memcpy(text, rd->cells[rd->at[s]], n + 1);
	if (text[n - 1] != '%')
		return number(text, &v) ? v : NAN;
	text[n - 1] = 0;
	if (!number(text, &v))
		return NAN;
	return s == CV || s == STDDEV ? fabs(mean) * v / 100 : mean * (1 + v / 100);
}

/* "score (runs/min)": what is measured, and its unit. */
static void take_class(struct reading *rd, struct draft_result *r)
{
	char *text = rd->cells[1], *open = strrchr(text, '(');
	size_t n = strlen(text);

	r->unit = "unstated";
	if (open && open > text && text[n - 1] == ')' && open[1] != ')') {
		r->unit = arena_strndup(rd->f->a, open + 1, (size_t)(text + n - 1 - (open + 1)));
		while (open > text && open[-1] == ' ')
			open--;
		*open = 0;
	}
	r->metric = text;
	r->better = format_sink_better(rd->f->a, r->unit);
}

static void take_statistics(struct reading *rd, struct draft_result *r)
{
	double count;

	if (!number(rd->cells[rd->at[MEAN]], &r->mean) || !number(rd->cells[rd->at[COUNT]], &count) ||
	    !(count >= 1 && count <= 1e9)) {
		format_columns_left_out(&rd->c, "expected numbers in the columns mean and count");
		return;
	}
	r->n = (int64_t)count;
	r->has_summary = true;
	r->min = statistic(rd, MIN, r->mean);
	r->max = statistic(rd, MAX, r->mean);
	r->median = NAN;
	r->stddev = statistic(rd, STDDEV, r->mean);
	if (isnan(r->stddev))
		r->stddev = statistic(rd, CV, r->mean);
	if (r->n < 2 || !(r->stddev >= 0))
		r->stddev = NAN;
	submission_build_result(&rd->c.drafts[0], r);
}

static void take_values(struct reading *rd, struct draft_result *r)
{
	for (size_t i = 0; i < rd->c.n; i++) {
		const char *cell = rd->cells[rd->column_at[i]];
		double v;

		if (number(cell, &v)) {
			r->values = &v;
			r->n_values = 1;
			submission_build_result(&rd->c.drafts[i], r);
		} else {
			format_left_out_line(&rd->c.drafts[i], rd->c.lines.number, "%s: expected a number, this is \"%.40s\"",
					     rd->head[rd->column_at[i]], cell);
		}
	}
}

static int take_row(struct reading *rd, struct err *err)
{
	struct draft_result r = { .in = "line", .index = rd->c.lines.number };

	if (!rd->c.n && begin_columns(rd, err))
		return -1;
	if (rd->n_cells != rd->n_head) {
		format_columns_left_out(&rd->c, "expected as many cells as the table's head has");
		return 0;
	}
	if (*rd->cells[0])
		rd->benchmark = rd->cells[0];
	if (!rd->benchmark || !*rd->cells[1]) {
		format_columns_left_out(&rd->c, "expected a benchmark and a result class");
		return 0;
	}
	r.benchmark = format_benchmark(rd->f, rd->benchmark);
	take_class(rd, &r);
	if (rd->is_statistics)
		take_statistics(rd, &r);
	else
		take_values(rd, &r);
	return 0;
}

static int take_line(struct reading *rd, struct err *err)
{
	size_t len = strcspn(rd->c.line, "\r\n");

	rd->n_cells = split(rd->f->a, rd->c.line, len, rd->cells);
	if (!rd->n_cells) {
		bool border = rd->c.words.n && *rd->c.words.w[0].p == '+';

		if (rd->n_head && !border)
			end_table(rd);
		command_line(rd, &rd->c.words);
		return 0;
	}
	if (is_head(rd->cells, rd->n_cells)) {
		end_table(rd);
		begin_table(rd);
		return 0;
	}
	if (rd->n_head)
		return take_row(rd, err);
	if (rd->n_cells == 2)
		profile_line(rd, rd->cells[0], rd->cells[1]);
	return 0;
}

static size_t count_tables(const struct format_file *f)
{
	struct format_lines l = { f->text, f->text + f->len, 0 };
	char *cells[CELLS_MAX];
	const char *p;
	size_t n = 0, len;

	while (format_line(&l, &p, &len))
		n += is_head(cells, split(f->a, p, len, cells));
	return n;
}

int format_fastpath_read(struct format_file *f, struct err *err)
{
	struct reading *rd = arena_zalloc(f->a, sizeof(*rd));
	int ret = 0;

	rd->f = f;
	format_columns_init(&rd->c, f, count_tables(f));
	while (!ret && format_columns_next(&rd->c))
		ret = take_line(rd, err);
	end_table(rd);
	if (ret || f->n_items)
		return ret;
	return err_set(err, ERR_INVALID, "no table of `fastpath result show` with a row of values: expected "
		       "\"| Benchmark | Result Class | ... |\" and rows under it");
}

static bool is_head_line(const char *line)
{
	const char *bar;

	while (*line && strchr("> \t", *line))
		line++;
	if (*line++ != '|')
		return false;
	line += strspn(line, " \t");
	if (strncmp(line, "Benchmark", strlen("Benchmark")))
		return false;
	bar = strchr(line, '|');
	return bar && !strncmp(bar + 1 + strspn(bar + 1, " \t"), "Result Class", strlen("Result Class"));
}

int format_fastpath_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_head_line) ? 90 : 0;
}
