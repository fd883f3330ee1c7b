/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netperf: the classic tables ("TCP STREAM TEST from ...", headings, a row of numbers;
 * UDP streams have a second row, what the receiver got; request/response tests a second
 * row of its socket), and omni's KEY=VALUE (-k). Tests of the same shape, also those
 * run side by side, are repetitions.
 */
#include "format_sink.h"

#include <math.h>
#include <string.h>

#include "../lib/num.h"
#include "format_text.h"

#define WORDS_MAX 24

struct reading {
	struct format_sink k;
	struct format_lines lines;
	const char *test;		/* "TCP STREAM"; NULL: not in a test */
	enum { STREAM, UDP_STREAM, RR } kind;
	const char *unit;		/* of the headings */
	size_t row;			/* rows of numbers seen */
	size_t tests;
	/* -k */
	double throughput, latency;
	const char *omni_unit, *protocol, *direction;
};

static void add(struct reading *rd, const char *metric, const char *unit, enum better better, double v)
{
	struct draft_result r = { .in = "line", .index = rd->lines.number, .metric = metric, .unit = unit, .better = better,
				  .benchmark = arena_printf(rd->k.f->a, "netperf/%s", rd->test) };

	format_sink_add(&rd->k, &r, v);
}

/* "MIGRATED TCP STREAM TEST from 0.0.0.0 ..." */
static bool take_test(struct reading *rd, const char *line)
{
	const char *end = strstr(line, " TEST from ");

	if (!end)
		return false;
	if (format_text_starts(line, "MIGRATED "))
		line += strlen("MIGRATED ");
	if (end <= line)
		return false;
	rd->test = arena_strndup(rd->k.f->a, line, (size_t)(end - line));
	rd->kind = strstr(rd->test, "REQUEST/RESPONSE") || strcasestr(rd->test, "Connect/") || strstr(rd->test, "CRR") ? RR :
		strstr(rd->test, "UDP") || strstr(rd->test, "UNIDIRECTIONAL SEND") || strstr(rd->test, "DGRAM") ? UDP_STREAM : STREAM;
	rd->unit = NULL;
	rd->row = 0;
	rd->tests++;
	rd->k.n_params = 0;
	return true;
}

/* The headings' last line has the unit: "10^6bits/sec", "KBytes/sec", "MBytes  /sec"; "per sec" of transactions. */
static bool take_headings(struct reading *rd, const char *line)
{
	static const char *const units[] = { "10^6bits/s", "10^3bits/s", "10^9bits/s", "bits/s", "KBytes", "MBytes", "GBytes" };

	if (!rd->test || rd->row)
		return false;
	if (rd->kind == RR && strstr(line, "per sec"))
		rd->unit = "transactions/s";
	for (size_t i = 0; i < sizeof(units) / sizeof(*units) && !rd->unit; i++)
		if (strstr(line, units[i]))
			rd->unit = strchr(units[i], '/') ? units[i] : arena_printf(rd->k.f->a, "%s/s", units[i]);
	return strpbrk(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != NULL;
}

static bool numbers(const char *line, struct arena *a, double *v, size_t *n)
{
	char *words[WORDS_MAX];

	*n = format_text_words(arena_strdup(a, line), words, WORDS_MAX);
	for (size_t i = 0; i < *n; i++)
		if (!format_text_number(words[i], &v[i]))
			return false;
	return *n > 0;
}

static void set_sizes(struct reading *rd, const double *v)
{
	struct format_sink *k = &rd->k;

	k->n_params = 0;
	if (rd->kind == RR) {
		format_sink_number(k, "request_bytes", v[2]);
		format_sink_number(k, "response_bytes", v[3]);
	} else {
		format_sink_number(k, "message_bytes", rd->kind == UDP_STREAM ? v[1] : v[2]);
	}
}

static bool take_row(struct reading *rd, const char *line)
{
	double v[WORDS_MAX];
	size_t n, at = rd->kind == STREAM ? 4 : 5;

	if (!rd->test || !numbers(line, rd->k.f->a, v, &n))
		return false;
	rd->row++;
	if (rd->row == 1 && n > at && rd->unit) {
		set_sizes(rd, v);
		add(rd, rd->kind == RR ? "transactions" : "throughput", rd->unit, BETTER_HIGHER, v[at]);
	} else if (rd->row == 2 && rd->kind == UDP_STREAM && n >= 4 && rd->unit) {
		add(rd, "receive_throughput", rd->unit, BETTER_HIGHER, v[3]);
	} else if (rd->row == 1) {
		format_left_out_line(&rd->k.d, rd->lines.number, "expected %zu numbers and more, with a unit in the headings above",
				     at + 1);
	}
	return true;
}

/* Omni's -k: THROUGHPUT=9416.44, THROUGHPUT_UNITS=10^6bits/s, MEAN_LATENCY=26.80, PROTOCOL=TCP, DIRECTION=Send */
static bool take_key(struct reading *rd, const char *line)
{
	const char *eq = strchr(line, '=');
	size_t n = eq ? (size_t)(eq - line) : 0;

	if (!n || strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != n)
		return false;
	if (!strncmp(line, "THROUGHPUT=", 11)) {
		rd->tests++;
		if (!format_text_number(eq + 1, &rd->throughput))
			format_left_out_line(&rd->k.d, rd->lines.number, "expected a number behind THROUGHPUT=");
	} else if (!strncmp(line, "THROUGHPUT_UNITS=", 17)) {
		rd->omni_unit = arena_strdup(rd->k.f->a, eq + 1);
	} else if (!strncmp(line, "MEAN_LATENCY=", 13)) {
		if (!format_text_number(eq + 1, &rd->latency))
			rd->latency = NAN;
	} else if (!strncmp(line, "PROTOCOL=", 9)) {
		rd->protocol = arena_strdup(rd->k.f->a, eq + 1);
	} else if (!strncmp(line, "DIRECTION=", 10)) {
		rd->direction = arena_strdup(rd->k.f->a, eq + 1);
	}
	return true;
}

static void end_omni(struct reading *rd)
{
	if (isnan(rd->throughput))
		return;
	rd->k.n_params = 0;
	rd->test = arena_printf(rd->k.f->a, "OMNI%s%s", rd->protocol ? " " : "", rd->protocol ? rd->protocol : "");
	format_sink_text(&rd->k, "direction", rd->direction);
	add(rd, rd->omni_unit && strstr(rd->omni_unit, "rans") ? "transactions" : "throughput",
	    rd->omni_unit ? rd->omni_unit : "unstated", BETTER_HIGHER, rd->throughput);
	if (rd->latency > 0)
		add(rd, "latency", "us", BETTER_LOWER, rd->latency);
}

static bool is_ours(const char *line)
{
	return (strstr(line, " TEST from ") && strstr(line, " port ")) || format_text_starts(line, "THROUGHPUT=");
}

int format_netperf_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .lines = { f->text, f->text + f->len, 0 }, .throughput = NAN, .latency = NAN };
	char *line;

	format_sink_init(&rd.k, f, "netperf");
	while ((line = format_text_line(&rd.lines, f->a))) {
		if (!*line || take_test(&rd, line) || take_key(&rd, line) || take_row(&rd, line) || take_headings(&rd, line))
			continue;
		if (rd.test && strstr(line, "!!! WARNING"))
			problems_add(rd.k.d.warnings, arena_printf(f->a, "line %zu", rd.lines.number), "netperf warns: \"%.200s\"", line);
	}
	if (!rd.tests) {
		format_sink_fini(&rd.k);
		return err_set(err, ERR_INVALID, "netperf's output: expected \"TCP STREAM TEST from ...\", or THROUGHPUT= (omni's -k)");
	}
	end_omni(&rd);
	format_sink_end(&rd.k);
	return 0;
}

int format_netperf_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_ours) ? 80 : 0;
}
