/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UnixBench 5's report: a table of results, with a section for each number of copies,
 * then one of index values that repeats them, then a score. The kernel stands behind
 * "OS: GNU/Linux -- ".
 */
#include "format_sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format_text.h"

#define WORDS_MAX 32

struct reading {
	struct format_sink k;
	struct format_lines lines;
	bool ours;
};

static void add(struct reading *rd, const char *name, const char *metric, const char *unit, enum better better, double v)
{
	struct draft_result r = { .in = "line", .index = rd->lines.number, .metric = metric, .unit = unit, .better = better,
				  .benchmark = arena_printf(rd->k.f->a, "unixbench/%s", name) };

	format_sink_add(&rd->k, &r, v);
}

/* A copy of line[0..n) without blanks at its ends. */
static char *trimmed(struct arena *a, const char *line, size_t n)
{
	while (n && *line == ' ') {
		line++;
		n--;
	}
	while (n && line[n - 1] == ' ')
		n--;
	return arena_strndup(a, line, n);
}

/* "Pipe Throughput        1469462.6 lps   (10.0 s, 7 samples)" */
static bool take_result(struct reading *rd, const char *line)
{
	const char *open = strrchr(line, '(');
	char *words[WORDS_MAX], *copy;
	double v, seconds;
	int samples;
	size_t n;

	if (!open || sscanf(open, "(%lf s, %d samples)", &seconds, &samples) != 2)
		return false;
	copy = trimmed(rd->k.f->a, line, (size_t)(open - line));
	n = format_text_words(copy, words, WORDS_MAX);
	if (n < 3 || n == WORDS_MAX || !format_text_number(words[n - 2], &v))
		return false;
	line += strspn(line, " ");
	add(rd, trimmed(rd->k.f->a, line, (size_t)(words[n - 2] - copy)), "throughput", words[n - 1], BETTER_HIGHER, v);
	return true;
}

/* "System Benchmarks Index Score (Partial Only)      4231.4" */
static bool take_score(struct reading *rd, const char *line)
{
	const char *at = strstr(line, " Index Score"), *last = strrchr(line, ' ');
	double v;

	if (!at || !format_text_number(last + 1, &v))
		return false;
	add(rd, trimmed(rd->k.f->a, line, (size_t)(last - line)), "score", "index", BETTER_HIGHER, v);
	return true;
}

static bool take_head(struct reading *rd, const char *line)
{
	const char *at;
	double copies;

	if (strstr(line, "BYTE UNIX Benchmarks")) {
		at = strstr(line, "(Version ");
		format_source(rd->k.f, &rd->k.d, "UnixBench", at ? trimmed(rd->k.f->a, at + 9, strcspn(at + 9, ")")) : NULL, NULL);
		rd->ours = true;
	} else if ((at = strstr(line, "OS: GNU/Linux -- "))) {
		at += strlen("OS: GNU/Linux -- ");
		format_said_kernel(&rd->k.d, trimmed(rd->k.f->a, at, strcspn(at, " ")), rd->lines.number);
	} else if ((at = strstr(line, "system; running ")) || (at = strstr(line, "system: running "))) {
		rd->ours = true;
		copies = strtod(at + strlen("system; running "), NULL);
		rd->k.n_params = 0;
		if (copies > 0)
			format_sink_number(&rd->k, "copies", copies);
	} else {
		return false;
	}
	return true;
}

int format_unixbench_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .lines = { f->text, f->text + f->len, 0 } };
	char *line;

	format_sink_init(&rd.k, f, "UnixBench");
	while ((line = format_text_line(&rd.lines, f->a))) {
		if (take_head(&rd, line) || take_score(&rd, line) || take_result(&rd, line))
			continue;
		if (strstr(line, "no measured results") || strstr(line, "aborting"))
			format_left_out_line(&rd.k.d, rd.lines.number, "UnixBench: %.200s", line);
	}
	if (!rd.ours) {
		format_sink_fini(&rd.k);
		return err_set(err, ERR_INVALID, "UnixBench's report: expected \"BYTE UNIX Benchmarks (Version 5.1.3)\" in it");
	}
	format_sink_end(&rd.k);
	return 0;
}

static bool is_ours(const char *line)
{
	return strstr(line, "BYTE UNIX Benchmarks") || strstr(line, "System Benchmarks Index Score") ||
		(strstr(line, "CPUs in system; running ") && strstr(line, " parallel cop"));
}

int format_unixbench_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_ours) ? 85 : 0;
}
