/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stress-ng's numbers as series: names in one spelling, units and directions from format_lkp_stat.c. */
#include "format_stress_ng.h"

#include <ctype.h>
#include <string.h>

#include "format_lkp.h"

/* YAML's keys are all lower case; the log and LKP write these units as they are written. */
static const char *const unit_words[][2] = {
	{ "mb", "MB" }, { "gb", "GB" }, { "kb", "KB" }, { "mflop", "Mflop" }, { "gflop", "Gflop" }, { "mbits", "Mbits" },
};

static void put_word(struct buf *b, const char *word, size_t n)
{
	for (size_t i = 0; i < sizeof(unit_words) / sizeof(*unit_words); i++) {
		if (n != strlen(unit_words[i][0]) || memcmp(unit_words[i][0], word, n))
			continue;
		buf_puts(b, unit_words[i][1]);
		return;
	}
	buf_add(b, word, n);
}

/* "memory rate (MB per sec)" and "memory-rate-mb-per-sec" are both memory_rate_MB_per_sec. */
static const char *metric_of(struct format_stress_ng *s, const char *name)
{
	struct buf *b = &s->d.scratch;

	buf_clear(b);
	while (*name) {
		size_t n = strcspn(name, " -_()");

		if (n) {
			if (b->len)
				buf_putc(b, '_');
			put_word(b, name, n);
		}
		name += n + (name[n] != 0);
	}
	if (!strcmp(b->p, "bogo_ops_per_second_real_time"))
		return "ops_per_sec";
	return arena_strndup(s->f->a, b->p, b->len);
}

/* The series of a stressor's number, new at its first time. */
static struct format_series *series_of(struct format_stress_ng *s, size_t line, const char *stressor, const char *metric)
{
	const char *name = arena_printf(s->f->a, "stress-ng.%s.%s", stressor, metric);
	struct format_lkp_stat stat;
	struct format_series *series;
	bool first;

	series = format_set_get(&s->set, name, &first);
	if (!first)
		return series;
	format_lkp_stat(s->f->a, name, &stat);
	series->r = (struct draft_result){ .in = "line", .index = line, .metric = metric, .unit = stat.unit,
					   .better = stat.better,
					   .benchmark = format_benchmark(s->f, arena_printf(s->f->a, "stress-ng/%s", stressor)) };
	return series;
}

void format_stress_ng_add(struct format_stress_ng *s, size_t line, const char *stressor, const char *name, double value,
			  double bogo_ops)
{
	const char *metric = metric_of(s, name);
	struct format_series *series;

	if (!*metric) {
		format_left_out_line(&s->d, line, "expected a name of the number");
		return;
	}
	series = series_of(s, line, stressor, metric);
	if (submission_build_bad_value(s->f->a, series->r.unit, value)) {
		format_left_out_line(&s->d, line, "expected a time above 0, %s is %.17g", metric, value);
		return;
	}
	if (bogo_ops > 0 && bogo_ops < 1e18)
		series->r.iterations = (int64_t)bogo_ops;
	format_series_add(s->f->a, series, value);
}

void format_stress_ng_status(struct format_stress_ng *s, size_t line, const char *stressor, enum result_status status,
			     const char *why)
{
	const char *prefix = arena_printf(s->f->a, "stress-ng.%s.", stressor);
	bool any = false;

	for (size_t i = 0; i < s->set.groups.n; i++) {
		struct format_series *series = &s->set.series[i];

		if (strncmp(s->set.groups.keys[i], prefix, strlen(prefix)))
			continue;
		any = true;
		if (status != RESULT_FAILED || !series->n_values)
			continue;
		format_left_out_line(&s->d, series->r.index, "%s: %s: its numbers are none of a stressor that works", stressor, why);
		series->n_values = 0;
		series->r.status = status;
		series->r.error = why;
	}
	if (any)
		return;
	series_of(s, line, stressor, "ops_per_sec")->r.status = status;
	s->set.series[s->set.groups.n - 1].r.error = why;
}

void format_stress_ng_end(struct format_stress_ng *s)
{
	for (size_t i = 0; i < s->set.groups.n; i++) {
		struct format_series *series = &s->set.series[i];

		if (series->n_values || series->r.status != RESULT_OK)	/* else left out, and said */
			format_series_end(&s->d, series, 1);
	}
	format_add(s->f, &s->d);
}
