/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports that name several kernels in one file, a submission each: the totals before
 * and after a commit (with `uname -r` and the THP files as a shell showed them), and
 * the release table of the shared-dirty toggle (a row a kernel, its runs behind it).
 */
#include "format_reproducer_reports.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "../lib/num.h"

#define WORDS_MAX 1024

/* Arguments speak for one kernel; where the file names several, theirs are the better ones. */
static void name_kernel(struct format_file *f, struct draft *d, const char *kernel, size_t line)
{
	const char *at = arena_printf(f->a, "line %zu", line);

	if (f->ctx->kernel && !format_same_name(f->ctx->kernel, kernel))
		problems_add(d->warnings, at, "the file says %s here; kernel= is for files that do not say", kernel);
	d->kernel = kernel;
	d->kernel_at = at;
}

/* One submission of one series; NULL when that is wrong, as said. */
static void add_one(struct format_file *f, struct draft *d, struct format_series *s)
{
	format_series_end(d, s, s != NULL);
	format_add(f, d);
	submission_build_fini(d);
}

static bool starts(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with));
}

struct totals {
	const char *kernels[2];
	size_t kernel_lines[2];
	double totals[2];		/* 0 = none yet */
	size_t total_lines[2];
	const char *command;		/* the one whose answer comes next, or NULL */
	struct thp_file thp[32];
	const char *thp_at[32];
	size_t n_kernels, n_thp;
};

/* The answer to "$ uname -r" or "$ cat FILE". */
static bool take_answer(struct format_file *f, struct totals *t, const char *line, size_t number)
{
	static const char dir[] = "transparent_hugepage/";
	const char *path = t->command ? strstr(t->command, dir) : NULL;

	if (!t->command)
		return false;
	if (starts(t->command, "uname") && t->n_kernels < 2) {
		t->kernel_lines[t->n_kernels] = number;
		t->kernels[t->n_kernels++] = line;
	} else if (path && t->n_thp < 32) {
		t->thp_at[t->n_thp] = arena_printf(f->a, "line %zu", number);
		t->thp[t->n_thp++] = (struct thp_file){ path + sizeof(dir) - 1, line };
	}
	t->command = NULL;
	return true;
}

static bool take_total(struct totals *t, const char *line, size_t number)
{
	size_t side = starts(line, "After") ? 1 : 0;
	const char *eq = strstr(line, "Total =");
	double v;

	if (!eq || (!side && !starts(line, "Before")))
		return false;
	eq += strlen("Total =");
	eq += strspn(eq, " \t");
	if (!num_parse(eq, strlen(eq), &v) && v > 0) {
		t->totals[side] = v;
		t->total_lines[side] = number;
	}
	return true;
}

static void scan_totals(struct format_file *f, struct totals *t)
{
	struct format_lines l = { f->text, f->text + f->len, 0 };
	const char *p;
	size_t n;

	while (format_line(&l, &p, &n)) {
		char *line = arena_strndup(f->a, p, n);

		while (n && isspace((unsigned char)line[n - 1]))
			line[--n] = 0;
		if (*line == '$')
			t->command = line + 1 + strspn(line + 1, " ");
		else if (n && *line != '#' && !take_total(t, line, l.number))
			take_answer(f, t, line, l.number);
	}
}

int format_reproducer_reports_totals(struct format_file *f, struct err *err)
{
	struct totals t = { .n_thp = 0 };

	scan_totals(f, &t);
	if (t.n_kernels < 2)
		return err_set(err, ERR_INVALID, "expected two times \"$ uname -r\" and its answer: the kernel before, "
			       "and the one after");
	for (size_t side = 0; side < 2; side++) {
		struct draft_result r = { .in = "line", .index = t.total_lines[side], .metric = "total",
					  .unit = "unstated", .better = BETTER_LOWER,
					  .benchmark = format_benchmark(f, "mprotect/thp-total") };
		struct format_series s = { .r = r };
		struct draft d;

		if (!(t.totals[side] > 0))
			return err_set(err, ERR_INVALID, "expected \"%s commit: Total = N\"", side ? "After" : "Before");
		format_draft(f, &d);
		name_kernel(f, &d, t.kernels[side], t.kernel_lines[side]);
		if (!d.thp) {
			d.thp_files = t.thp;
			d.thp_at = t.thp_at;
			d.n_thp_files = t.n_thp;
		}
		format_series_add(f->a, &s, t.totals[side]);
		add_one(f, &d, &s);
	}
	return 0;
}

static size_t words_of(char *line, char *words[WORDS_MAX])
{
	size_t n = 0;
	char *rest = NULL;

	for (char *w = strtok_r(line, " \t\r", &rest); w && n < WORDS_MAX; w = strtok_r(NULL, " \t\r", &rest))
		words[n++] = w;
	return n;
}

/* KERNEL N MEAN CV VALUE... : nanoseconds per page. */
static void release_row(struct format_file *f, char *line, size_t number)
{
	struct draft_result r = { .in = "line", .index = number, .metric = "latency", .unit = "ns/page",
				  .better = BETTER_LOWER, .benchmark = format_benchmark(f, "mprotect/shared-dirty") };
	struct format_series s = { .r = r };
	char *words[WORDS_MAX];
	size_t n = words_of(line, words);
	struct draft d;
	int64_t count;
	double v;

	if (!n)
		return;
	format_draft(f, &d);
	name_kernel(f, &d, words[0], number);
	if (n < 5 || num_parse_i64(words[1], strlen(words[1]), &count) || count != (int64_t)(n - 4))
		submission_build_wrong(&d, &r, NULL, "expected kernel, n, mean, cv and n values");
	for (size_t i = 4; i < n; i++) {
		if (num_parse(words[i], strlen(words[i]), &v) || !(v > 0))
			submission_build_wrong(&d, &r, NULL, "expected numbers above 0, this is \"%.40s\"", words[i]);
		else
			format_series_add(f->a, &s, v);
	}
	add_one(f, &d, d.left_out->n ? NULL : &s);
}

int format_reproducer_reports_releases(struct format_file *f, struct err *err)
{
	struct format_lines l = { f->text, f->text + f->len, 0 };
	const char *p;
	size_t n;
	bool begun = false;

	while (format_line(&l, &p, &n)) {
		char *line = arena_strndup(f->a, p, n);

		if (begun)
			release_row(f, line, l.number);
		else
			begun = format_reproducer_reports_is_releases(line);
	}
	return f->n_items ? 0 : err_set(err, ERR_INVALID, "expected a row a kernel under the heading");
}

bool format_reproducer_reports_is_releases(const char *line)
{
	char copy[256], *words[WORDS_MAX];
	size_t n;

	snprintf(copy, sizeof(copy), "%s", line);
	n = words_of(copy, words);
	return n == 5 && !strcmp(words[0], "kernel") && !strcmp(words[1], "n") && !strcmp(words[2], "iteration_mean") &&
	       !strcmp(words[4], "values");
}
