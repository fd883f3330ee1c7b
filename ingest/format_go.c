/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Go benchmark format (golang.org/design/14313-benchmark-format), which others write
 * as well: "key: value" lines that hold from there on, "Unit" lines, and results
 * "BenchmarkName/size=4K-8  ITERATIONS  VALUE UNIT  VALUE UNIT ...". /key=value parts of
 * a name are parameters, -8 is GOMAXPROCS; the package is part of the name.
 */
#include "format_sink.h"

#include <ctype.h>
#include <string.h>

#include "../lib/num.h"
#include "format_text.h"

#define WORDS_MAX 64

struct reading {
	struct format_sink k;
	struct format_lines lines;
	const char *pkg;
	size_t results;
	struct { const char *unit; enum better better; } units[32];	/* of "Unit" lines */
	size_t n_units;
};

static bool is_config_key(const char *line, size_t n)
{
	if (!n || !islower((unsigned char)*line))
		return false;
	for (size_t i = 0; i < n; i++)
		if (isspace((unsigned char)line[i]) || isupper((unsigned char)line[i]))
			return false;
	return true;
}

/* "pkg: index/suffixarray" */
static bool take_config(struct reading *rd, char *line)
{
	size_t n = strcspn(line, ":");
	const char *value = line + n + 1;

	if (!line[n] || (line[n + 1] && line[n + 1] != ' ') || !is_config_key(line, n))
		return false;
	value += strspn(value, " ");
	if (n == 3 && !strncmp(line, "pkg", 3))
		rd->pkg = *value ? value : NULL;
	return true;
}

/* "Unit ns/op better=lower assume=nothing" */
static bool take_unit(struct reading *rd, const char *line)
{
	char *words[WORDS_MAX];
	size_t n;

	if (strncmp(line, "Unit ", 5))
		return false;
	n = format_text_words(arena_strdup(rd->k.f->a, line), words, WORDS_MAX);
	for (size_t i = 2; i < n && rd->n_units < sizeof(rd->units) / sizeof(*rd->units); i++) {
		if (strcmp(words[i], "better=lower") && strcmp(words[i], "better=higher"))
			continue;
		rd->units[rd->n_units].unit = words[1];
		rd->units[rd->n_units++].better = words[i][7] == 'l' ? BETTER_LOWER : BETTER_HIGHER;
	}
	return true;
}

static enum better better_of(const struct reading *rd, const char *unit)
{
	size_t n = strlen(unit);

	for (size_t i = rd->n_units; i-- > 0;)
		if (!strcmp(rd->units[i].unit, unit))
			return rd->units[i].better;
	if (n > 3 && !strcmp(unit + n - 3, "/op"))	/* ns/op, B/op, allocs/op */
		return BETTER_LOWER;
	return format_sink_better(rd->k.f->a, unit);
}

/* The testing package's own names for what it prints. */
static const char *metric_of(const char *unit)
{
	return !strcmp(unit, "ns/op") ? "time" : !strcmp(unit, "MB/s") ? "throughput" : !strcmp(unit, "B/op") ? "memory" :
		!strcmp(unit, "allocs/op") ? "allocations" : unit;
}

static bool is_key(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_' && s[i] != '.' && s[i] != '-')
			return false;
	return n > 0;
}

/* Takes parameters out of the name; the rest is the benchmark. */
static const char *set_params(struct reading *rd, char *name)
{
	struct arena *a = rd->k.f->a;
	char *dash = strrchr(name, '-'), *out = arena_alloc(a, strlen(name) + 1), *o = out;
	int64_t procs;

	rd->k.n_params = 0;
	if (dash && dash > name && !num_parse_i64(dash + 1, strlen(dash + 1), &procs) && procs > 0) {
		*dash = 0;
		format_sink_number(&rd->k, "gomaxprocs", (double)procs);
	}
	for (char *part = name, *next; part; part = next) {
		size_t n;

		next = strchr(part, '/');
		if (next)
			*next++ = 0;
		n = strcspn(part, "=");
		if (part != name && part[n] && part[n + 1] && is_key(part, n)) {
			part[n] = 0;
			format_sink_word(&rd->k, part, part + n + 1);
			continue;
		}
		if (o > out)
			*o++ = '/';
		o = stpcpy(o, part);
	}
	*o = 0;
	return rd->pkg ? arena_printf(a, "%s/%s", rd->pkg, out) : out;
}

static bool take_result(struct reading *rd, const char *line)
{
	char *words[WORDS_MAX];
	size_t n = format_text_words(arena_strdup(rd->k.f->a, line), words, WORDS_MAX);
	struct draft_result r = { .in = "line", .index = rd->lines.number };
	double v;

	if (strncmp(line, "Benchmark", 9) || n < 2)
		return false;
	if (n < 4 || num_parse_i64(words[1], strlen(words[1]), &r.iterations) || r.iterations < 0) {
		if (n > 1 && isdigit((unsigned char)*words[1]))
			format_left_out_line(&rd->k.d, rd->lines.number, "expected NAME ITERATIONS VALUE UNIT ...");
		return true;
	}
	if (n == WORDS_MAX)
		format_left_out_line(&rd->k.d, rd->lines.number, "more than %d values on one line: the rest is not read",
				     WORDS_MAX / 2 - 1);
	r.benchmark = set_params(rd, words[0]);
	for (size_t i = 2; i + 1 < n; i += 2) {
		r.unit = words[i + 1];
		r.metric = metric_of(r.unit);
		r.better = better_of(rd, r.unit);
		if (format_text_number(words[i], &v)) {
			rd->results++;
			format_sink_add(&rd->k, &r, v);
		} else {
			format_left_out_line(&rd->k.d, rd->lines.number, "expected a number before %s, found \"%.60s\"", r.unit, words[i]);
		}
	}
	return true;
}

int format_go_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .lines = { f->text, f->text + f->len, 0 } };
	size_t benchmarks = 0;
	char *line;

	(void)err;
	format_sink_init(&rd.k, f, "go test -bench");
	while ((line = format_text_line(&rd.lines, f->a))) {
		if (take_config(&rd, line) || take_unit(&rd, line))
			continue;
		if (take_result(&rd, line))
			benchmarks++;
		else if (!strncmp(line, "--- FAIL: Benchmark", 19) || !strncmp(line, "FAIL", 4))
			format_left_out_line(&rd.k.d, rd.lines.number, "a failure: %.200s", line);
	}
	if (!benchmarks)
		problems_add(rd.k.d.problems, "", "expected lines \"BenchmarkNAME ITERATIONS VALUE UNIT\"");
	format_sink_end(&rd.k);
	return 0;
}

static bool is_result(const char *line)
{
	char copy[512], *words[6];
	int64_t iterations;
	size_t n;
	double v;

	if (strncmp(line, "Benchmark", 9) || strlen(line) >= sizeof(copy))
		return false;
	strcpy(copy, line);
	n = format_text_words(copy, words, 6);
	return n >= 4 && !num_parse_i64(words[1], strlen(words[1]), &iterations) && format_text_number(words[2], &v);
}

int format_go_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_result) ? 75 : 0;
}
