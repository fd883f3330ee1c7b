/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Logs of kselftest (TAP 13, KTAP and what came before). Passes and failures are no
 * measurements: they are counted into the environment. Timings are what some tests
 * print in a form of their own (known below) and "# time=46ms" behind a result.
 */
#include "format_sink.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "../lib/jsonw.h"
#include "../lib/num.h"
#include "format_text.h"

struct reading {
	struct format_sink k;
	struct format_lines lines;
	const char *test;		/* "mm: run_vmtests", of "# selftests: mm: run_vmtests" */
	const char *part, *call;	/* mq_perf_tests: "Test #1", "Send msg" */
	size_t pass, fail, skip, others;
	bool ours;
};

static void add(struct reading *rd, const char *name, const char *metric, const char *unit, double v)
{
	struct draft_result r = { .in = "line", .index = rd->lines.number, .metric = metric, .unit = unit, .better = BETTER_LOWER };

	r.benchmark = rd->test && name ? arena_printf(rd->k.f->a, "%s: %s", rd->test, name) : name ? name : rd->test;
	if (!r.benchmark)
		r.benchmark = "selftests";
	format_sink_add(&rd->k, &r, v);
}

/* "GUP_FAST_BENCHMARK: Time: get:9331 put:238 us": mm/gup_test */
static bool take_gup(struct reading *rd, const char *line)
{
	const char *at = strstr(line, ": Time: ");
	char *words[8], *colon;
	size_t n;
	double v;

	if (!at || at == line || strchr(line, ' ') < at)
		return false;
	n = format_text_words(arena_strdup(rd->k.f->a, at + strlen(": Time: ")), words, 8);
	if (n < 2 || n == 8 || strchr(words[n - 1], ':'))
		return false;
	for (size_t i = 0; i + 1 < n; i++) {
		colon = strchr(words[i], ':');
		if (!colon || !format_text_number(colon + 1, &v))
			return false;
		*colon = 0;
		add(rd, arena_strndup(rd->k.f->a, line, (size_t)(at - line)), words[i], words[n - 1], v);
	}
	return true;
}

/* "average map latency(us):0.8 standard deviation:1.2": dma/dma_map_benchmark */
static bool take_dma(struct reading *rd, const char *line)
{
	char what[16];
	double v;

	if (sscanf(line, "average %15s latency(us):%lf", what, &v) != 2)
		return false;
	add(rd, NULL, arena_printf(rd->k.f->a, "%s latency", what), "us", v);
	return true;
}

/* "[702.32] Summary: NAME passed: 1 failed: 0 repeat: 1 loops: 1000000 avg: 27875396 usec": mm/test_vmalloc */
static bool take_vmalloc(struct reading *rd, const char *line)
{
	const char *at = strstr(line, "Summary: ");
	struct draft_result r = { .in = "line", .index = rd->lines.number, .metric = "time", .unit = "us", .better = BETTER_LOWER,
				  .status = RESULT_FAILED, .error = "the test failed" };
	double passed, failed, repeat, loops, v;
	char name[80];

	if (!at || sscanf(at, "Summary: %79s passed: %lf failed: %lf repeat: %lf loops: %lf avg: %lf usec", name, &passed, &failed,
			  &repeat, &loops, &v) != 6)
		return false;
	if (failed > 0) {
		r.benchmark = rd->test ? arena_printf(rd->k.f->a, "%s: %s", rd->test, name) : name;
		format_sink_result(&rd->k, &r);
	} else {
		add(rd, name, "time", "us", v);
	}
	return true;
}

/* "Test #1: Time send/recv message, queue empty", "Send msg: 55.1s total time", "5510 nsec/msg": mqueue/mq_perf_tests */
static bool take_mqueue(struct reading *rd, const char *line)
{
	const char *colon = strchr(line, ':');
	double v;
	int end = 0;

	if (!strncmp(line, "Test #", 6) && colon)
		rd->part = arena_strndup(rd->k.f->a, line, (size_t)(colon - line));
	else if (!strncmp(line, "Send msg:", 9) || !strncmp(line, "Recv msg:", 9))
		rd->call = line[0] == 'S' ? "send" : "receive";
	else if (rd->part && rd->call && sscanf(line, "%lf nsec/msg%n", &v, &end) == 1 && end && !line[end])
		add(rd, rd->part, rd->call, "ns/msg", v);
	else
		return false;
	return true;
}

/* "ok 3 - NAME # time=46ms": only where the result says so behind a comment sign. */
static void take_time(struct reading *rd, const char *line)
{
	const char *at = strstr(line, "# time="), *name;
	size_t n, m;
	double v;

	if (!at)
		return;
	name = line + strcspn(line, "0123456789");
	name += strspn(name, "0123456789");
	name += strspn(name, " -");
	for (m = (size_t)(at - name); at > name && m && name[m - 1] == ' '; m--)
		;
	at += strlen("# time=");
	n = strspn(at, "0123456789.");
	if (at > name && m && n && !num_parse(at, n, &v))
		add(rd, arena_strndup(rd->k.f->a, name, m), "time", arena_strndup(rd->k.f->a, at + n, strcspn(at + n, " ")), v);
}

/* "ok 1 selftests: mm: run_vmtests", "not ok 4 ...", "ok 2 # SKIP" */
static bool take_result(struct reading *rd, const char *line)
{
	bool ok = !strncmp(line, "ok ", 3), bad = !strncmp(line, "not ok ", 7);

	if ((!ok && !bad) || !isdigit((unsigned char)line[ok ? 3 : 7]))
		return false;
	if (strcasestr(line, "# SKIP"))
		rd->skip++;
	else if (bad)
		rd->fail++;
	else
		rd->pass++;
	take_time(rd, line);
	return true;
}

/* What make says of the folder it runs the tests in; before TAP, nothing else tells. */
static bool is_head(const char *line)
{
	return !strncmp(line, "TAP version ", 12) || !strncmp(line, "KTAP version ", 13) ||
		strstr(line, "/tools/testing/selftests/") || strstr(line, "test_vmalloc.sh");
}

static void take_line(struct reading *rd, char *line)
{
	static const char selftests[] = "selftests: ";

	while (*line == '#' || *line == ' ')
		line++;
	if (is_head(line)) {
		rd->ours = true;
	} else if (!strncmp(line, selftests, strlen(selftests))) {
		rd->ours = true;
		rd->test = arena_strdup(rd->k.f->a, line + strlen(selftests));
		rd->part = rd->call = NULL;
	} else if (take_result(rd, line)) {
		rd->ours |= strstr(line, selftests) != NULL;
	} else if (!take_gup(rd, line) && !take_dma(rd, line) && !take_vmalloc(rd, line) && !take_mqueue(rd, line)) {
		rd->others += *line != 0;
	}
}

static const char *counts(struct reading *rd)
{
	struct buf text;
	struct jsonw j;
	const char *copy;

	buf_init(&text);
	j = jsonw_begin(&text);
	jsonw_object(&j);
	jsonw_ki64(&j, "pass", (int64_t)rd->pass);
	jsonw_ki64(&j, "fail", (int64_t)rd->fail);
	jsonw_ki64(&j, "skip", (int64_t)rd->skip);
	jsonw_object_end(&j);
	copy = arena_strndup(rd->k.f->a, text.p, text.len);
	buf_fini(&text);
	return copy;
}

int format_tap_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .lines = { f->text, f->text + f->len, 0 } };
	char *line;

	format_sink_init(&rd.k, f, "kselftest");
	while ((line = format_text_line(&rd.lines, f->a)))
		take_line(&rd, line);
	if (!rd.ours && !rd.pass && !rd.fail && !rd.skip) {
		format_sink_fini(&rd.k);
		return err_set(err, ERR_INVALID, "a TAP log: expected \"TAP version 13\", or \"ok 1 selftests: ...\"");
	}
	rd.k.d.environment = counts(&rd);
	rd.k.d.empty = true;
	if (rd.k.set.groups.n && rd.others)
		format_left_out(&rd.k.d, "", arena_printf(f->a, "the other lines (%zu) are of functional tests: no measurements",
							  rd.others));
	format_sink_end(&rd.k);
	return 0;
}

static bool is_ours(const char *line)
{
	if (format_text_starts(line, "ok ") || format_text_starts(line, "not ok "))
		return strstr(line, " selftests: ") != NULL;
	return is_head(line) || format_text_starts(line, "# selftests: ");
}

int format_tap_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_ours) ? 70 : 0;
}
