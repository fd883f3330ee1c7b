/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of OpenMetrics 1.0 for metric families, as far as a reader can see them broken. */
#include "format_openmetrics_family.h"

#include <math.h>
#include <string.h>

static const struct type {
	const char *word;
	enum format_openmetrics_type type;
	const char *suffixes[6];
} types[] = {
	{ "unknown", OPENMETRICS_UNKNOWN, { "", NULL } },
	{ "gauge", OPENMETRICS_GAUGE, { "", NULL } },
	{ "counter", OPENMETRICS_COUNTER, { "_total", "_created", NULL } },
	{ "summary", OPENMETRICS_SUMMARY, { "", "_count", "_sum", "_created", NULL } },
	{ "histogram", OPENMETRICS_HISTOGRAM, { "_bucket", "_count", "_sum", "_created", NULL } },
	{ "gaugehistogram", OPENMETRICS_GAUGEHISTOGRAM, { "_bucket", "_gcount", "_gsum", NULL } },
	{ "info", OPENMETRICS_INFO, { "_info", NULL } },
	{ "stateset", OPENMETRICS_STATESET, { "", NULL } },
};

bool format_openmetrics_type(const char *word, bool strict, enum format_openmetrics_type *type)
{
	if (!strict && !strcmp(word, "untyped"))
		word = "unknown";
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(word, types[i].word)) {
			*type = types[i].type;
			return true;
		}
	return false;
}

const char *format_openmetrics_suffix(const struct format_openmetrics_family *fam, const char *name)
{
	size_t n = fam->name ? strlen(fam->name) : 0;

	if (!fam->name || strncmp(name, fam->name, n))
		return NULL;
	for (const char *const *s = types[fam->type].suffixes; *s; s++)
		if (!strcmp(name + n, *s))
			return *s;
	return NULL;
}

static bool is_count(double v)
{
	return v >= 0 && isfinite(v) && v == floor(v);
}

static bool is_suffix(const char *suffix, const char *what)
{
	return !strcmp(suffix, what);
}

static const char *check_value(const struct format_openmetrics_family *fam, const struct format_exposition *s,
				const char *suffix)
{
	double v = s->value;

	if (is_suffix(suffix, "_total") && !(v >= 0 && !isinf(v)))
		return "a counter's total is 0 or more";
	if ((is_suffix(suffix, "_bucket") || is_suffix(suffix, "_count") || is_suffix(suffix, "_gcount")) && !is_count(v))
		return "a count is a whole number of 0 or more";
	if (is_suffix(suffix, "_sum") && isnan(v))
		return "a sum is a number";
	if (is_suffix(suffix, "_sum") && fam->type == OPENMETRICS_SUMMARY && v < 0)
		return "a summary's sum is 0 or more";
	if (fam->type == OPENMETRICS_INFO && v != 1)
		return "an info's value is 1";
	if (fam->type == OPENMETRICS_STATESET && v != 0 && v != 1)
		return "a state is 0 or 1";
	if (fam->type == OPENMETRICS_SUMMARY && is_suffix(suffix, "") && v < 0)
		return "a quantile's value is 0 or more";
	return NULL;
}

/* The label that a bucket, a quantile and a state need, and nothing else may have. */
static const char *check_labels(const struct format_openmetrics_family *fam, const struct format_exposition *s,
				const char *suffix)
{
	const char *le = format_exposition_label(s, "le"), *quantile = format_exposition_label(s, "quantile");
	double v;

	if (is_suffix(suffix, "_bucket") && (!le || !format_exposition_number(le, strlen(le), &v) || isnan(v) ||
					     (isinf(v) && v > 0 && strcmp(le, "+Inf"))))
		return "a bucket needs a label le with a number";
	if (fam->type == OPENMETRICS_SUMMARY && is_suffix(suffix, "") &&
	    (!quantile || !format_exposition_number(quantile, strlen(quantile), &v) || !(v >= 0 && v <= 1)))
		return "a quantile needs a label quantile from 0 to 1";
	if (fam->type == OPENMETRICS_STATESET && !format_exposition_label(s, fam->name))
		return "a state needs a label with its family's name";
	return NULL;
}

static bool may_have_exemplar(const struct format_openmetrics_family *fam, const char *suffix)
{
	return (fam->type == OPENMETRICS_COUNTER && is_suffix(suffix, "_total")) || is_suffix(suffix, "_bucket");
}

/* Name and labels as a key, sorted by a label's name; without le, quantile and the state where they only tell parts. */
static const char *key_of(const struct format_openmetrics_family *fam, const struct format_exposition *s,
			  const char *suffix, bool whole)
{
	const char *last = "", *key;
	struct buf text;

	buf_init(&text);
	buf_printf(&text, "%s", whole ? s->name : "");

	for (size_t done = 0; done < s->n_labels; done++) {
		size_t next = SIZE_MAX;

		for (size_t i = 0; i < s->n_labels; i++)
			if (strcmp(s->labels[i].name, last) > 0 &&
			    (next == SIZE_MAX || strcmp(s->labels[i].name, s->labels[next].name) < 0))
				next = i;
		last = s->labels[next].name;
		if (!whole && ((is_suffix(suffix, "_bucket") && !strcmp(last, "le")) ||
			       (fam->type == OPENMETRICS_SUMMARY && is_suffix(suffix, "") && !strcmp(last, "quantile")) ||
			       (fam->type == OPENMETRICS_STATESET && !strcmp(last, fam->name))))
			continue;
		buf_printf(&text, "\n%s=%s", last, s->labels[next].value);
	}
	key = arena_strndup(fam->a, text.p, text.len);
	buf_fini(&text);
	return key;
}

static void begin_group(struct format_openmetrics_family *fam)
{
	fam->le = fam->bucket = fam->count = fam->sum = NAN;
	fam->has_inf = fam->has_count = fam->has_sum = fam->has_negative_bucket = fam->group_has_time = false;
}

/* Bounds grow, and so do the counts below them. */
static const char *take_bucket(struct format_openmetrics_family *fam, const struct format_exposition *s)
{
	const char *text = format_exposition_label(s, "le");
	double le;

	format_exposition_number(text, strlen(text), &le);
	if (!isnan(fam->le) && !(le > fam->le))
		return "buckets have to stand in the order of their bounds";
	if (!isnan(fam->bucket) && s->value < fam->bucket)
		return "a bucket counts less than the one below it";
	fam->le = le;
	fam->bucket = s->value;
	fam->has_inf |= isinf(le) && le > 0;
	fam->has_negative_bucket |= le < 0;
	return NULL;
}

static bool is_histogram(const struct format_openmetrics_family *fam)
{
	return fam->type == OPENMETRICS_HISTOGRAM || fam->type == OPENMETRICS_GAUGEHISTOGRAM;
}

const char *format_openmetrics_end(struct format_openmetrics_family *fam)
{
	if (!fam->group || !is_histogram(fam))
		return NULL;
	if (!fam->has_inf)
		return "a histogram needs a bucket with le=\"+Inf\"";
	if (fam->has_count && fam->count != fam->bucket)
		return "the count is not that of the bucket with le=\"+Inf\"";
	if (fam->has_sum != fam->has_count)
		return "count and sum have to stand there both, or none";
	if (fam->sum < 0 && !fam->has_negative_bucket)
		return "a sum below 0, where no bucket has a negative bound";
	if (fam->has_sum && fam->has_negative_bucket && fam->type == OPENMETRICS_HISTOGRAM)
		return "no sum where a bucket has a negative bound";
	return NULL;
}

/* Samples of one set of labels stand together, in the order of their times. */
static const char *take_group(struct format_openmetrics_family *fam, const struct format_exposition *s,
				const char *suffix)
{
	const char *key = key_of(fam, s, suffix, false), *bad;
	bool first;

	if (!fam->group || strcmp(fam->group, key)) {
		bad = format_openmetrics_end(fam);
		if (bad)
			return bad;
		format_group(&fam->groups, key, &first);
		if (!first)
			return "samples with the same labels have to stand together";
		fam->group = key;
		begin_group(fam);
	} else if (s->has_time != fam->group_has_time) {
		return "some samples of a metric have a time, others none";
	} else if (s->has_time && s->time < fam->group_time) {
		return "times have to grow";
	}
	if (s->has_time && fam->group_has_time && s->time > fam->group_time) {	/* a point of its own */
		bad = format_openmetrics_end(fam);
		if (bad)
			return bad;
		begin_group(fam);
		fam->seen = (struct format_groups){ .a = fam->a };
	}
	fam->group_has_time = s->has_time;
	fam->group_time = s->time;
	return NULL;
}

const char *format_openmetrics_check(struct format_openmetrics_family *fam, const struct format_exposition *s,
				const char *suffix)
{
	const char *bad = check_value(fam, s, suffix);
	bool first;

	if (!bad)
		bad = check_labels(fam, s, suffix);
	if (!bad && s->has_exemplar && !may_have_exemplar(fam, suffix))
		bad = "only a counter's total and a bucket may have an exemplar";
	if (!bad)
		bad = take_group(fam, s, suffix);
	if (bad)
		return bad;
	format_group(&fam->seen, key_of(fam, s, suffix, true), &first);
	if (!first && !s->has_time)
		return "the same sample stands there twice";
	if (is_suffix(suffix, "_bucket"))
		return take_bucket(fam, s);
	if (is_suffix(suffix, "_count") || is_suffix(suffix, "_gcount")) {
		fam->has_count = true;
		fam->count = s->value;
	}
	if (is_suffix(suffix, "_sum") || is_suffix(suffix, "_gsum")) {
		fam->has_sum = true;
		fam->sum = s->value;
	}
	return NULL;
}
