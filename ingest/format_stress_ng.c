/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stress-ng's numbers as series: names in one spelling, units and directions from format_lkp_stat.c. */
#include "format_stress_ng.h"

#include <ctype.h>
#include <string.h>

#include "format_lkp.h"

struct format_stress_ng_stressor {
	enum result_status status;
	const char *why;
	size_t line;			/* where the status is told */
	bool has_values;
};

void format_stress_ng_begin(struct format_stress_ng *s, struct format_file *f)
{
	*s = (struct format_stress_ng){ .f = f, .set.groups.a = f->a, .names.a = f->a };
	format_draft(f, &s->d);
}

/* The index of a stressor, new at its first time. */
static size_t stressor_of(struct format_stress_ng *s, const char *name)
{
	bool first;
	size_t at = format_group(&s->names, name, &first);

	if (at == s->cap_stressors) {
		size_t more = at ? at * 2 : 16;

		s->stressors = arena_grow(s->f->a, s->stressors, at * sizeof(*s->stressors), more * sizeof(*s->stressors));
		s->cap_stressors = more;
	}
	if (first)
		s->stressors[at] = (struct format_stress_ng_stressor){ .status = RESULT_OK };
	return at;
}

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
static struct format_series *series_of(struct format_stress_ng *s, size_t line, size_t stressor, const char *metric)
{
	const char *of = s->names.keys[stressor], *name = arena_printf(s->f->a, "stress-ng.%s.%s", of, metric);
	struct format_lkp_stat stat;
	struct format_series *series;
	bool first;

	series = format_set_get(&s->set, name, &first);
	if (!first)
		return series;
	if (s->set.cap > s->cap_of_series) {
		s->of_series = arena_grow(s->f->a, s->of_series, s->cap_of_series * sizeof(size_t), s->set.cap * sizeof(size_t));
		s->cap_of_series = s->set.cap;
	}
	s->of_series[s->set.groups.n - 1] = stressor;
	format_lkp_stat(s->f->a, name, &stat);
	series->r = (struct draft_result){ .in = "line", .index = line, .metric = metric, .unit = stat.unit,
					   .better = stat.better,
					   .benchmark = format_benchmark(s->f, arena_printf(s->f->a, "stress-ng/%s", of)) };
	return series;
}

void format_stress_ng_add(struct format_stress_ng *s, size_t line, const char *stressor, const char *name, double value,
			  double bogo_ops)
{
	const char *metric = metric_of(s, name);
	size_t of = stressor_of(s, stressor);
	struct format_series *series;

	if (!*metric) {
		format_left_out_line(&s->d, line, "expected a name of the number");
		return;
	}
	series = series_of(s, line, of, metric);
	if (submission_build_bad_value(s->f->a, series->r.unit, value)) {
		format_left_out_line(&s->d, line, "expected a time above 0, %s is %.17g", metric, value);
		return;
	}
	if (bogo_ops > 0 && bogo_ops < 1e18)
		series->r.iterations = (int64_t)bogo_ops;
	format_series_add(s->f->a, series, value);
	s->stressors[of].has_values = true;
}

void format_stress_ng_status(struct format_stress_ng *s, size_t line, const char *stressor, enum result_status status,
			     const char *why)
{
	size_t of = stressor_of(s, stressor);

	if (s->stressors[of].status == RESULT_FAILED)	/* worse than skipped */
		return;
	s->stressors[of].status = status;
	s->stressors[of].why = why;
	s->stressors[of].line = line;
}

/* A stressor without any number has its status as the result of its rate. */
static void end_stressors(struct format_stress_ng *s)
{
	for (size_t i = 0; i < s->names.n; i++)
		if (s->stressors[i].status != RESULT_OK && !s->stressors[i].has_values)
			series_of(s, s->stressors[i].line, i, "ops_per_sec");
}

static void end_series(struct format_stress_ng *s, size_t i)
{
	struct format_series *series = &s->set.series[i];
	const struct format_stress_ng_stressor *of = &s->stressors[s->of_series[i]];

	if (of->status == RESULT_OK || (of->status == RESULT_SKIPPED && of->has_values)) {
		if (series->n_values)	/* else left out, and said */
			format_series_end(&s->d, series, 1);
		return;
	}
	if (series->n_values)
		format_left_out_line(&s->d, series->r.index, "%s: %s: its numbers are none of a stressor that works",
				     s->names.keys[s->of_series[i]], of->why);
	series->n_values = 0;
	series->r.status = of->status;
	series->r.error = of->why;
	format_series_end(&s->d, series, 1);
}

void format_stress_ng_end(struct format_stress_ng *s)
{
	end_stressors(s);
	for (size_t i = 0; i < s->set.groups.n; i++)
		end_series(s, i);
	format_add(s->f, &s->d);
}
