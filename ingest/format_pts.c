/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log of a Phoronix Test Suite run: a test's title, "pts/NAME-VERSION [options]", a
 * list of the trials' results, "Average: 7.46 Seconds". The trials are the repetitions;
 * the average is used where a log has none of them. No direction is printed: a time is
 * better lower, a rate or a score higher, and what is neither is neutral.
 */
#include "format_sink.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "format_text.h"

#define TRIALS_MAX 1000

struct reading {
	struct format_sink k;
	struct format_lines lines;
	const char *test, *options;	/* "pts/intel-mlc-1.1.0", "Test: Peak Injection Bandwidth" */
	const char *part;		/* the heading of the list at hand, where it is not "Test Results" */
	double trials[TRIALS_MAX];
	size_t n_trials;
	bool in_list;
	size_t known;
};

/* "    pts/intel-mlc-1.1.0 [Test: Peak Injection Bandwidth]" */
static bool take_test(struct reading *rd, const char *line)
{
	const char *slash = strchr(line, '/'), *dash;
	size_t n = strcspn(line, " [");

	if (!slash || slash == line || !n || slash >= line + n)
		return false;
	for (const char *c = line; c < slash; c++)
		if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '-')
			return false;
	dash = memrchr(slash, '-', (size_t)(line + n - slash));
	if (!dash || !isdigit((unsigned char)dash[1]))
		return false;
	rd->test = arena_strndup(rd->k.f->a, line, (size_t)(dash - line));
	line += n + strspn(line + n, " ");
	rd->options = *line == '[' ? arena_strndup(rd->k.f->a, line + 1, strcspn(line + 1, "]")) : NULL;
	rd->part = NULL;
	rd->n_trials = 0;
	rd->in_list = false;
	return true;
}

/* "    Test Results:", "    Test: Peak Injection Bandwidth - All Reads:": a list begins. */
static bool take_heading(struct reading *rd, const char *line)
{
	size_t n = strlen(line);

	if (!rd->test || n < 2 || line[n - 1] != ':' || strstr(line, "Estimated"))
		return false;
	rd->part = strcmp(line, "Test Results:") ? arena_strndup(rd->k.f->a, line, n - 1) : NULL;
	rd->n_trials = 0;
	rd->in_list = true;
	return true;
}

static enum better better_of(struct arena *a, const char *unit)
{
	static const char *const higher[] = { "score", "frames per second", "fps", "mips", "mflops", "gflop", "points", "marks" };
	static const char *const lower[] = { "watts", "joules", "celsius" };
	enum better better = format_sink_better(a, unit);

	for (size_t i = 0; i < sizeof(higher) / sizeof(*higher); i++)
		if (strcasestr(unit, higher[i]))
			return BETTER_HIGHER;
	for (size_t i = 0; i < sizeof(lower) / sizeof(*lower); i++)
		if (!strcasecmp(unit, lower[i]))
			return BETTER_LOWER;
	return better == BETTER_NEUTRAL && (strcasestr(unit, " per ") || strstr(unit, "/")) ? BETTER_HIGHER : better;
}

/* "Test: Peak Injection Bandwidth" and "Test: Peak Injection Bandwidth - All Reads": the longer says it all. */
static void set_params(struct reading *rd)
{
	const char *options = rd->part ? rd->part : rd->options;
	char *rest = options ? arena_strdup(rd->k.f->a, options) : NULL;

	rd->k.n_params = 0;
	while (rest && *rest) {
		char *next = strstr(rest, " - "), *colon;

		if (next && !strstr(next, ": "))
			next = NULL;		/* " - All Reads" belongs to the value before it */
		if (next)
			*next = 0;
		colon = strstr(rest, ": ");
		if (colon && colon > rest) {
			*colon = 0;
			format_sink_word(&rd->k, rest, colon + 2);
		} else {
			format_sink_text(&rd->k, "test", rest);
		}
		rest = next ? next + 3 : NULL;
	}
}

static bool take_average(struct reading *rd, const char *line)
{
	struct draft_result r = { .in = "line", .index = rd->lines.number, .metric = "result" };
	char *words[2];
	double v;

	if (strncmp(line, "Average:", 8) || !rd->test)
		return false;
	if (format_text_words(arena_strdup(rd->k.f->a, line + 8), words, 2) != 2 || !format_text_number(words[0], &v)) {
		format_left_out_line(&rd->k.d, rd->lines.number, "expected \"Average: NUMBER UNIT\"");
		return true;
	}
	rd->known++;
	r.benchmark = rd->test;
	r.unit = words[1];
	r.better = better_of(rd->k.f->a, r.unit);
	set_params(rd);
	for (size_t i = 0; i < rd->n_trials; i++)
		format_sink_add(&rd->k, &r, rd->trials[i]);
	if (!rd->n_trials)
		format_sink_add(&rd->k, &r, v);
	rd->in_list = false;
	rd->n_trials = 0;
	return true;
}

/* "    Kernel:           6.8.0 (x86_64) 20240318", of the system's table */
static bool take_kernel(struct reading *rd, const char *line)
{
	const char *name = line + strlen("Kernel:");

	if (strncmp(line, "Kernel:", strlen("Kernel:")))
		return false;
	name += strspn(name, " ");
	if (isdigit((unsigned char)*name))
		format_said_kernel(&rd->k.d, arena_strndup(rd->k.f->a, name, strcspn(name, " ")), rd->lines.number);
	return true;
}

static void take_line(struct reading *rd, const char *line)
{
	double v;

	if (take_kernel(rd, line) || take_test(rd, line) || take_average(rd, line) || take_heading(rd, line))
		return;
	if (rd->in_list && format_text_number(line, &v)) {
		if (rd->n_trials < TRIALS_MAX)
			rd->trials[rd->n_trials++] = v;
	} else if (strstr(line, ".seconds: ") || strstr(line, "failed to run") || strstr(line, "did not produce")) {
		format_left_out_line(&rd->k.d, rd->lines.number, "no result of a test: \"%.100s\"", line);
	}
}

static bool is_ours(const char *line)
{
	return strstr(line, "phoronix-test-suite ") || strstr(line, "Estimated Trial Run Count:") ||
		strstr(line, "Phoronix Test Suite v");
}

int format_pts_read(struct format_file *f, struct err *err)
{
	struct reading *rd = arena_zalloc(f->a, sizeof(*rd));
	char *line;

	rd->lines = (struct format_lines){ f->text, f->text + f->len, 0 };
	format_sink_init(&rd->k, f, "phoronix-test-suite");
	while ((line = format_text_line(&rd->lines, f->a)))
		take_line(rd, line + strspn(line, " "));
	if (!rd->known && !format_text_any_line(f->text, f->len, is_ours)) {
		format_sink_fini(&rd->k);
		return err_set(err, ERR_INVALID, "a Phoronix log: expected \"pts/TEST-VERSION\" and \"Average: NUMBER UNIT\"");
	}
	format_sink_end(&rd->k);
	return 0;
}

int format_pts_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_ours) ? 75 : 0;
}
