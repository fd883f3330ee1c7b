/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio --output-format=json, of all versions since 2: for each job and direction that did
 * any I/O its IOPS, bandwidth and mean total latency. A direction whose total_ios is 0
 * was not run. --status-interval prints the totals so far again and again: the last of
 * them is the result. Documents of other runs are repetitions.
 */
#include "format_sink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format_json.h"

#define DIFFS_MAX 8		/* job options that become parameters */

struct reading {
	struct format_sink k;
	struct jnode *doc;		/* waits: the next may show that it was an interim report */
	size_t line, n_docs, interim, idle;
	const char *at;			/* of the document at hand: "" or "line 123: " */
};

/* Seconds since 1970 at which the run began, by the end and what had elapsed; 0: not said. */
static double began(const struct jnode *doc)
{
	const struct jnode *job = jread_at(jread_get(doc, "jobs"), 0);
	double start = format_json_number(jread_get(job, "job_start"));
	double now = format_json_number(jread_get(doc, "timestamp")), elapsed = format_json_number(jread_get(job, "elapsed"));

	if (start > 0)
		return start / 1000;
	return now > 0 && elapsed > 0 ? now - elapsed : 0;
}

static double number_at(const struct jnode *job, const char *direction, const char *key)
{
	return format_json_number(format_json_at(job, direction, key, NULL));
}

/* Whether `next` reports on the same run as `doc`, later: same jobs, same beginning, no less done. */
static bool continues(const struct jnode *doc, const struct jnode *next)
{
	static const char *const directions[] = { "read", "write", "trim", "mixed" };
	const struct jnode *a = jread_get(doc, "jobs"), *b = jread_get(next, "jobs");

	if (!began(doc) || !began(next) || fabs(began(doc) - began(next)) > 1.5 || jread_len(a) != jread_len(b))
		return false;
	for (size_t i = 0; i < jread_len(a); i++) {
		const char *x = format_json_text(jread_at(a, i), "jobname"), *y = format_json_text(jread_at(b, i), "jobname");

		if (!x || !y || strcmp(x, y))
			return false;
		for (size_t d = 0; d < sizeof(directions) / sizeof(*directions); d++)
			if (number_at(jread_at(a, i), directions[d], "total_ios") > number_at(jread_at(b, i), directions[d], "total_ios"))
				return false;
	}
	return true;
}

/* What makes jobs of one name different measurements. */
static void set_params(struct format_sink *k, const struct jnode *doc, const struct jnode *job, const char *direction)
{
	static const char *const options[DIFFS_MAX] = { "rw", "bs", "ioengine", "iodepth", "numjobs", "direct", "size",
							"rwmixread" };

	k->n_params = 0;
	format_sink_text(k, "direction", direction);
	for (size_t i = 0; i < DIFFS_MAX; i++) {
		const char *v = format_json_text(jread_get(job, "job options"), options[i]);

		if (!v)
			v = format_json_text(jread_get(doc, "global options"), options[i]);
		format_sink_word(k, options[i], v);
	}
}

static void take_latency(struct format_sink *k, struct draft_result *r, const struct jnode *dir)
{
	/* nanoseconds since fio 3, microseconds before; without total latency (disable_lat), that of completion */
	static const struct {
		const char *key, *unit, *metric;
	} forms[] = { { "lat_ns", "ns", "latency" }, { "lat", "us", "latency" }, { "clat_ns", "ns", "completion_latency" },
		      { "clat", "us", "completion_latency" } };

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		double v = format_json_number(format_json_at(dir, forms[i].key, "mean", NULL));

		if (!(v > 0))
			continue;
		r->metric = forms[i].metric;
		r->unit = forms[i].unit;
		r->better = BETTER_LOWER;
		format_sink_add(k, r, v);
		return;
	}
}

/* Whether it did anything: without total_ios (old fio), by its bytes. */
static bool did_io(const struct jnode *dir)
{
	const struct jnode *ios = jread_get(dir, "total_ios");

	if (!ios)
		ios = jread_get(dir, "io_bytes");
	return format_json_number(ios) > 0;
}

static void take_direction(struct reading *rd, const struct jnode *job, const char *direction, const char *at)
{
	const struct jnode *dir = jread_get(job, direction);
	struct draft_result r = { .in = jread_pointer(rd->k.f->a, at, direction), .index = DRAFT_RESULT_NO_INDEX,
				  .benchmark = arena_printf(rd->k.f->a, "fio/%s", format_json_text(job, "jobname")),
				  .metric = "iops", .unit = "IO/s", .better = BETTER_HIGHER };
	double bytes = format_json_number(jread_get(dir, "bw_bytes")), kib = format_json_number(jread_get(dir, "bw"));

	set_params(&rd->k, rd->doc, job, direction);
	format_sink_add(&rd->k, &r, format_json_number(jread_get(dir, "iops")));
	r.metric = "bandwidth";
	r.unit = "B/s";
	if (isnan(bytes))
		bytes = kib * 1024;
	if (!isnan(bytes))
		format_sink_add(&rd->k, &r, bytes);
	take_latency(&rd->k, &r, dir);
}

static void take_failure(struct reading *rd, const struct jnode *job, const char *at, double error)
{
	struct draft_result r = { .in = at, .index = DRAFT_RESULT_NO_INDEX, .metric = "iops", .unit = "IO/s",
				  .better = BETTER_HIGHER, .benchmark = arena_printf(rd->k.f->a, "fio/%s", format_json_text(job, "jobname")),
				  .status = RESULT_FAILED,
				  .error = arena_printf(rd->k.f->a, "fio: error %.0f (%s)", error, strerror((int)error)) };

	rd->k.n_params = 0;
	format_sink_result(&rd->k, &r);
}

static void take_job(struct reading *rd, const struct jnode *job, const char *at)
{
	static const char *const directions[] = { "read", "write", "trim", "mixed" };
	double error = format_json_number(jread_get(job, "error"));
	size_t ran = 0;

	if (!format_json_text(job, "jobname")) {
		format_left_out(&rd->k.d, at, "expected {\"jobname\": TEXT, \"read\": {...}, ...}");
		return;
	}
	if (error > 0 && error < 4096) {
		take_failure(rd, job, at, error);
		return;
	}
	for (size_t i = 0; i < sizeof(directions) / sizeof(*directions); i++) {
		if (!did_io(jread_get(job, directions[i])))
			continue;
		ran++;
		take_direction(rd, job, directions[i], at);
	}
	if (ran)
		return;
	rd->idle++;
	format_left_out(&rd->k.d, at, "the job did no I/O (total_ios is 0 in all directions): it failed, or was not run");
}

/* The document that waits is a result. */
static void flush(struct reading *rd)
{
	const struct jnode *jobs = jread_get(rd->doc, "jobs");
	struct draft *d = &rd->k.d;
	double ms = format_json_number(jread_get(rd->doc, "timestamp_ms"));

	if (!rd->doc)
		return;
	format_source(rd->k.f, d, "fio", format_json_text(rd->doc, "fio version"), NULL);
	if (d->started_at == TM_NONE && began(rd->doc) > 0 && ms > 0 && ms < 1e15)
		d->started_at = (int64_t)(began(rd->doc) * 1e6);
	for (size_t i = 0; jread_type(jobs) == JREAD_ARRAY && i < jread_len(jobs); i++)
		take_job(rd, jread_at(jobs, i), format_json_place(d->a, arena_printf(d->a, "%s/jobs", rd->at), i));
	jread_free(rd->doc);
	rd->doc = NULL;
}

static void take_document(struct reading *rd, struct jnode *doc, size_t line)
{
	if (jread_type(jread_get(doc, "jobs")) != JREAD_ARRAY) {
		format_left_out_line(&rd->k.d, line, "expected {\"fio version\": TEXT, \"jobs\": [...]}");
		jread_free(doc);
		return;
	}
	if (rd->doc && continues(rd->doc, doc)) {
		rd->interim++;
		jread_free(rd->doc);
		rd->doc = NULL;
	}
	flush(rd);
	rd->at = rd->n_docs++ ? arena_printf(rd->k.f->a, "line %zu: ", line) : "";
	rd->doc = doc;
}

int format_fio_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .doc = NULL };
	struct format_json_stream s;
	struct jnode *doc;
	struct err first = { .kind = ERR_NONE };

	format_sink_init(&rd.k, f, "fio");
	format_json_stream(&s, f);
	while ((doc = format_json_next(&s, err)) || err->kind) {
		if (doc) {
			take_document(&rd, doc, s.doc_line);
			continue;
		}
		if (!first.kind)
			first = *err;
		format_left_out_line(&rd.k.d, s.doc_line, "%s", err_line_message(err));
	}
	if (!rd.n_docs) {
		format_sink_fini(&rd.k);
		if (first.kind)
			*err = first;
		return first.kind ? -1 : err_set(err, ERR_INVALID, "expected {\"fio version\": TEXT, \"jobs\": [...]}");
	}
	flush(&rd);
	if (rd.interim)
		problems_add(rd.k.d.warnings, "", "reports before the last (%zu, of --status-interval) are no results of their own",
			     rd.interim);
	format_sink_end(&rd.k);
	return 0;
}

int format_fio_sniff(const char *text, size_t len)
{
	return format_json_has(text, len, "fio version") && format_json_has(text, len, "jobs") ? 90 : 0;
}
