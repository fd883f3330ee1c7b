/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JMH's JSON (-rf json): a row a benchmark, its mode and parameters; rawData holds the
 * iterations of each fork. The direction follows the mode. What profilers and @Group
 * add (secondaryMetrics) are metrics of their own.
 */
#include "format_sink.h"

#include <math.h>
#include <string.h>

#include "format_json.h"

static void set_params(struct format_sink *k, const struct jnode *row, const char *mode)
{
	const struct jnode *params = jread_get(row, "params"), *threads = jread_get(row, "threads");

	k->n_params = 0;
	format_sink_text(k, "mode", mode);
	if (jread_type(threads) == JREAD_NUMBER && jread_num(threads) > 1)
		format_sink_number(k, "threads", jread_num(threads));
	for (const struct jmember *m = jread_first(params); m; m = jread_next(params, m))
		format_sink_word(k, jread_key(m), jread_str(jread_value(m)));
}

/* All iterations of all forks; 0 when there are none. */
static size_t take_raw(struct format_sink *k, const struct draft_result *r, const struct jnode *raw)
{
	size_t n = 0;

	for (size_t i = 0; jread_type(raw) == JREAD_ARRAY && i < jread_len(raw); i++) {
		const struct jnode *fork = jread_at(raw, i);

		for (size_t j = 0; jread_type(fork) == JREAD_ARRAY && j < jread_len(fork); j++, n++)
			format_sink_add(k, r, format_json_number(jread_at(fork, j)));
	}
	return n;
}

/* Mode "sample" has a histogram of single calls: [[[VALUE, COUNT], ...]] of each iteration of each fork. */
static int64_t histogram_count(const struct jnode *forks)
{
	int64_t n = 0, one;

	for (size_t f = 0; jread_type(forks) == JREAD_ARRAY && f < jread_len(forks); f++)
		for (size_t i = 0; jread_type(jread_at(forks, f)) == JREAD_ARRAY && i < jread_len(jread_at(forks, f)); i++) {
			const struct jnode *cells = jread_at(jread_at(forks, f), i);

			for (size_t c = 0; jread_type(cells) == JREAD_ARRAY && c < jread_len(cells); c++)
				if (jread_type(jread_at(cells, c)) == JREAD_ARRAY &&
				    jread_int(jread_at(jread_at(cells, c), 1), &one) && one > 0 && one < 1000000000 && n < 1000000000)
					n += one;
		}
	return n;
}

static void take_metric(struct format_sink *k, struct draft_result *r, const struct jnode *metric)
{
	r->unit = format_json_text(metric, "scoreUnit");
	if (!r->unit || !*r->unit)
		r->unit = "unstated";
	if (take_raw(k, r, jread_get(metric, "rawData")))
		return;
	r->has_summary = true;
	r->n = histogram_count(jread_get(metric, "rawDataHistogram"));
	r->n = r->n > 0 && r->n <= 1000000000 ? r->n : 1;
	r->mean = format_json_number(jread_get(metric, "score"));
	r->median = r->n > 1 ? format_json_number(format_json_at(metric, "scorePercentiles", "50.0", NULL)) : NAN;
	r->min = r->max = r->stddev = NAN;
	if (isnan(r->mean))	/* a profiler that did not run: "NaN" */
		submission_build_wrong(&k->d, r, NULL, "expected a number in score");
	else
		format_sink_result(k, r);
}

static void take_secondary(struct format_sink *k, struct draft_result r, const struct jnode *metrics)
{
	for (const struct jmember *m = jread_first(metrics); m; m = jread_next(metrics, m)) {
		const char *unit = format_json_text(jread_value(m), "scoreUnit");
		const char *name = jread_key(m);
		struct draft_result s = r;

		s.in = jread_pointer(k->f->a, arena_printf(k->f->a, "%s/secondaryMetrics", r.in), name);
		if (!strncmp(name, "\xc2\xb7", 2))	/* profilers' metrics begin with a middle dot */
			name += 2;
		s.metric = name;
		s.better = unit && strstr(unit, "B/op") ? BETTER_LOWER : BETTER_NEUTRAL;
		take_metric(k, &s, jread_value(m));
	}
}

static void take_row(struct format_sink *k, const struct jnode *row, size_t i)
{
	const char *mode = format_json_text(row, "mode"), *at = arena_printf(k->f->a, "/%zu", i);
	struct draft_result r = { .in = at, .index = DRAFT_RESULT_NO_INDEX, .benchmark = format_json_text(row, "benchmark") };
	const struct jnode *primary = jread_get(row, "primaryMetric");

	if (!r.benchmark || !mode || jread_type(primary) != JREAD_OBJECT) {
		format_left_out(&k->d, at, "expected {\"benchmark\": TEXT, \"mode\": TEXT, \"primaryMetric\": {...}}");
		return;
	}
	set_params(k, row, mode);
	r.better = !strcmp(mode, "thrpt") ? BETTER_HIGHER : BETTER_LOWER;
	r.metric = !strcmp(mode, "thrpt") ? "throughput" : "time";
	if (!i)
		format_source(k->f, &k->d, "JMH", format_json_text(row, "jmhVersion"), NULL);
	take_metric(k, &r, primary);
	take_secondary(k, r, jread_get(row, "secondaryMetrics"));
}

int format_jmh_read(struct format_file *f, struct err *err)
{
	struct format_sink k;
	struct jnode *root = format_json(f, JREAD_ARRAY, "[{\"jmhVersion\": ..., \"benchmark\": ...}]", NULL, err);

	if (!root)
		return -1;
	format_sink_init(&k, f, "JMH");
	for (size_t i = 0; i < jread_len(root); i++)
		take_row(&k, jread_at(root, i), i);
	format_sink_end(&k);
	jread_free(root);
	return 0;
}

int format_jmh_sniff(const char *text, size_t len)
{
	return *text == '[' && format_json_has(text, len, "primaryMetric") && format_json_has(text, len, "scoreUnit") ? 90 : 0;
}
