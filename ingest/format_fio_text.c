/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio's normal output: "JOB: (groupid=0, jobs=1): err= 0: ..." begins a job, then
 * "  read: IOPS=8597, BW=33.6MiB/s (35.2MB/s)(...)" and "     lat (usec): min=, max=,
 * avg=, stdev=" of each direction. "15.2k" is 15200; bandwidth is in powers of 1024,
 * its exact bytes are not printed. fio 2 says "read : io=..., bw=8.2MB/s, iops=2104".
 */
#include "format_sink.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/num.h"
#include "format_text.h"

struct reading {
	struct format_sink k;
	struct format_lines lines;
	const char *job, *direction;
	struct options {		/* of each job, from the lines before the results */
		const char *rw, *bs, *engine, *depth;
	} *options;
	struct format_groups names;
	struct options now;		/* the job's at hand */
	bool failed;
	size_t jobs;
};

/* The text behind KEY up to one of `until`; NULL where it is not in the line. */
static const char *behind(struct arena *a, const char *line, const char *key, const char *until)
{
	const char *at = strstr(line, key);

	if (!at)
		return NULL;
	at += strlen(key);
	at += strspn(at, " ");
	return arena_strndup(a, at, strcspn(at, until));
}

/* "15.2k", "1.2M": NaN where it is no number. */
static double scaled(const char *s)
{
	static const char letters[] = "kMGT";
	size_t n = s ? strlen(s) : 0;
	const char *letter = n ? strchr(letters, s[n - 1]) : NULL;
	double v, factor = 1;

	for (const char *l = letters; letter && l <= letter; l++)
		factor *= 1000;
	return s && !num_parse(s, n - (letter != NULL), &v) ? v * factor : NAN;
}

/* "33.6MiB/s" as bytes a second; fio 2's "8.2MB/s" and "840KB/s" are powers of 1024 too. */
static double bytes(const char *s)
{
	static const struct {
		const char *unit;
		double bytes;
	} units[] = { { "B/s", 1 }, { "KiB/s", 1024 }, { "MiB/s", 1048576 }, { "GiB/s", 1073741824 }, { "TiB/s", 1099511627776 },
		      { "KB/s", 1024 }, { "MB/s", 1048576 }, { "GB/s", 1073741824 } };
	size_t n = s ? strspn(s, "0123456789.") : 0;
	double v;

	for (size_t i = 0; n && i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(s + n, units[i].unit) && !num_parse(s, n, &v))
			return v * units[i].bytes;
	return NAN;
}

/* "n: (g=0): rw=randread, bs=(R) 4096B-4096B, ..., ioengine=psync, iodepth=1" */
static bool take_options(struct reading *rd, const char *line)
{
	const char *colon = strstr(line, ": (g=");
	struct arena *a = rd->k.f->a;
	bool first;
	size_t i;

	if (!colon || !strstr(line, "rw="))
		return false;
	i = format_group(&rd->names, arena_strndup(a, line, (size_t)(colon - line)), &first);
	if (first)
		rd->options = arena_grow(a, rd->options, i * sizeof(*rd->options), (i + 1) * sizeof(*rd->options));
	rd->options[i] = (struct options){ behind(a, line, "rw=", ","), behind(a, line, "bs=", ","),
					   behind(a, line, "ioengine=", ","), behind(a, line, "iodepth=", ",") };
	return true;
}

/* "n: (groupid=0, jobs=1): err= 0: pid=12384: Mon Nov 30 09:33:39 2026" */
static bool take_job(struct reading *rd, const char *line)
{
	const char *at = strstr(line, ": (groupid="), *error;
	struct draft_result r = { .in = "line", .index = rd->lines.number, .metric = "iops", .unit = "IO/s",
				  .better = BETTER_HIGHER, .status = RESULT_FAILED };
	const char *name;
	size_t i;

	if (!at)
		return false;
	rd->jobs++;
	name = arena_strndup(rd->k.f->a, line, (size_t)(at - line));
	rd->job = arena_printf(rd->k.f->a, "fio/%s", name);
	rd->now = format_group_find(&rd->names, name, &i) ? rd->options[i] : (struct options){ .rw = NULL };
	rd->direction = NULL;
	error = behind(rd->k.f->a, line, "err=", ":(");
	rd->failed = error && strtol(error, NULL, 10) != 0;
	if (!rd->failed)
		return true;
	r.benchmark = rd->job;
	r.error = strstr(line, "err=");
	rd->k.n_params = 0;
	format_sink_result(&rd->k, &r);
	return true;
}

static void set_params(struct reading *rd)
{
	struct format_sink *k = &rd->k;
	const char *bs = rd->now.bs;

	k->n_params = 0;
	format_sink_text(k, "direction", rd->direction);
	format_sink_text(k, "rw", rd->now.rw);
	if (bs && !strncmp(bs, "(R) ", 4))
		bs += 4;
	format_sink_text(k, "bs", bs);
	format_sink_text(k, "ioengine", rd->now.engine);
	format_sink_word(k, "iodepth", rd->now.depth);
}

static void add(struct reading *rd, const char *metric, const char *unit, enum better better, double v)
{
	struct draft_result r = { .in = "line", .index = rd->lines.number, .benchmark = rd->job, .metric = metric, .unit = unit,
				  .better = better };

	if (isnan(v)) {
		format_left_out_line(&rd->k.d, rd->lines.number, "expected a number for %s", metric);
		return;
	}
	set_params(rd);
	format_sink_add(&rd->k, &r, v);
}

/* "  read: IOPS=8597, BW=33.6MiB/s (35.2MB/s)(67.2MiB/2001msec)" */
static bool take_direction(struct reading *rd, const char *line)
{
	static const char *const directions[] = { "read", "write", "trim", "mixed" };
	const char *p = line + strspn(line, " "), *iops, *bw;
	struct arena *a = rd->k.f->a;

	for (size_t i = 0; i < sizeof(directions) / sizeof(*directions); i++) {
		size_t n = strlen(directions[i]);

		if (strncmp(p, directions[i], n) || p[n + strspn(p + n, " ")] != ':')
			continue;
		iops = behind(a, p, "IOPS=", ", ");
		bw = behind(a, p, "BW=", ", (");
		if (!iops) {	/* fio 2 */
			iops = behind(a, p, "iops=", ", ");
			bw = behind(a, p, "bw=", ", ");
		}
		if (!iops || !bw)
			return false;
		rd->direction = directions[i];
		add(rd, "iops", "IO/s", BETTER_HIGHER, scaled(iops));
		add(rd, "bandwidth", "B/s", BETTER_HIGHER, bytes(bw));
		return true;
	}
	return false;
}

/* "  lat (usec): min=24, max=20317, avg=114.61, stdev=237.00"; the histograms ("  lat (usec)   : 50=7.85%") have no avg. */
static bool take_latency(struct reading *rd, const char *line)
{
	const char *p = line + strspn(line, " "), *avg = strstr(p, "avg=");

	if (strncmp(p, "lat (", 5) || !avg || !rd->direction)
		return false;
	add(rd, "latency", behind(rd->k.f->a, p, "(", ")"), BETTER_LOWER, scaled(behind(rd->k.f->a, p, "avg=", ", ")));
	return true;
}

int format_fio_text_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .lines = { f->text, f->text + f->len, 0 } };
	size_t histograms = 0;
	char *line;

	rd.names.a = f->a;
	format_sink_init(&rd.k, f, "fio");
	while ((line = format_text_line(&rd.lines, f->a))) {
		if (take_options(&rd, line) || take_job(&rd, line))
			continue;
		if (!strncmp(line, "fio-", 4))
			format_source(f, &rd.k.d, "fio", line, NULL);
		else if (rd.job && !rd.failed && !take_direction(&rd, line) && !take_latency(&rd, line))
			histograms += strstr(line, "percentiles (") != NULL;
	}
	if (!rd.jobs) {
		format_sink_fini(&rd.k);
		return err_set(err, ERR_INVALID, "fio's output: expected \"JOB: (groupid=0, jobs=1): err= 0: ...\"");
	}
	if (histograms)
		format_left_out(&rd.k.d, "", "percentiles and histograms of latency are not imported: means are");
	format_sink_end(&rd.k);
	return 0;
}

static bool is_job(const char *line)
{
	return strstr(line, ": (groupid=") && strstr(line, "err=");
}

int format_fio_text_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_job) ? 80 : 0;
}
