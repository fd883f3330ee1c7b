/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of a draft: names, parameters, units, summaries of the repetitions, and
 * no series twice. One pass, no quadratic step: 100,000 results are a normal day.
 */
#include "submission_build.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/jsonw.h"
#include "../lib/must.h"
#include "jread.h"
#include "unit.h"

#define PARAMS_MAX 64
#define SUMMARY_N_MAX 1000000000

struct series_slot {
	uint64_t hash;
	uint32_t result;	/* index in the draft + 1; 0 = empty */
	uint32_t index;		/* in the document; NO_SLOT_INDEX: known by its name only */
};

struct series_set {		/* open addressing, at most half full */
	struct series_slot *slots;
	size_t cap;
	uint64_t seed;		/* so that nobody can send names that collide */
	const char *benchmark, *metric, *unit;	/* of the result before, */
	uint64_t names;				/* and what they make of the seed */
};

#define NO_SLOT_INDEX ((uint32_t)DRAFT_RESULT_NO_INDEX)

static const char *place(struct draft *d, const char *in, size_t index, const char *field)
{
	if (index == DRAFT_RESULT_NO_INDEX)
		return field ? arena_printf(d->a, "%s/%s", in, field) : in;
	if (*in != '/')
		return arena_printf(d->a, "%s %zu", in, index);
	if (!field)
		return arena_printf(d->a, "%s/%zu", in, index);
	return arena_printf(d->a, "%s/%zu/%s", in, index, field);
}

int submission_build_wrong(struct draft *d, const struct draft_result *r, const char *field, const char *fmt, ...)
{
	struct problems *p = d->lenient ? d->left_out : d->problems;
	va_list ap;

	if (p->n == PROBLEMS_MAX) {	/* counted only: no memory for the rest of a hopeless file */
		p->total++;
		return -1;
	}
	va_start(ap, fmt);
	problems_add(p, place(d, r->in, r->index, field), "%s", arena_vprintf(d->a, fmt, ap));
	va_end(ap);
	return -1;
}

#define wrong submission_build_wrong

void submission_build_expect(struct draft *d, size_t n)
{
	if (n > SUBMISSION_RESULTS_MAX)
		n = SUBMISSION_RESULTS_MAX;
	if (n <= d->cap_results)
		return;
	d->results = arena_grow(d->a, d->results, d->cap_results * sizeof(*d->results), n * sizeof(*d->results));
	d->cap_results = n;
}

/* The copy of s; the one of the result before when it is the same. */
static const char *keep(struct draft *d, const char **last, const char *s)
{
	if (*last != s && (!*last || strcmp(*last, s)))
		*last = arena_strdup(d->a, s);
	return *last;
}

/* `last`: the one of the result before, which is good. */
static int check_name(struct draft *d, const struct draft_result *r, const char *field, const char *text, const char *last)
{
	const char *bad;

	if (text && text == last)
		return 0;
	if (text == submission_build_said)
		return -1;
	if (!text)
		return wrong(d, r, field, "%s is needed", field);
	bad = submission_build_bad_name(text, SUBMISSION_NAME_MAX);
	return bad ? wrong(d, r, field, "%s %s", field, bad) : 0;
}

static int by_name(const void *x, const void *y)
{
	const struct draft_param *a = x, *b = y;

	return strcmp(a->name, b->name);
}

/* What is wrong with a parameter, or NULL. */
static const char *bad_param(struct draft *d, const struct draft_param *p)
{
	const char *bad = submission_build_bad_name(p->name, SUBMISSION_NAME_MAX);

	if (bad)
		return arena_printf(d->a, "the parameter's name %s", bad);
	if (p->type == PARAM_NUMBER && !isfinite(p->number))
		return arena_printf(d->a, "parameter %s is no finite number", p->name);
	if (p->type != PARAM_TEXT || !*p->text)
		return NULL;
	bad = submission_build_bad_name(p->text, SUBMISSION_NAME_MAX);
	return bad ? arena_printf(d->a, "parameter %s %s", p->name, bad) : NULL;
}

/* The parameters as the text that tells series apart; NULL when one is wrong. */
static const char *params_text(struct draft *d, const struct draft_result *r)
{
	struct jsonw j = jsonw_begin(&d->scratch);
	const char *bad;

	if (r->params_text)
		return r->params_text;
	if (!r->n_params)
		return "{}";
	if (r->n_params > PARAMS_MAX) {
		wrong(d, r, "params", "%zu parameters: at most %d", r->n_params, PARAMS_MAX);
		return NULL;
	}
	qsort(r->params, r->n_params, sizeof(*r->params), by_name);
	buf_clear(&d->scratch);
	jsonw_object(&j);
	for (size_t i = 0; i < r->n_params; i++) {
		const struct draft_param *p = &r->params[i];

		bad = bad_param(d, p);
		if (!bad && i && !strcmp(p[-1].name, p->name))
			bad = arena_printf(d->a, "parameter %s stands there twice", p->name);
		if (bad) {
			wrong(d, r, jread_pointer(d->a, "params", p->name), "%s", bad);
			return NULL;
		}
		jsonw_key(&j, p->name);
		if (p->type == PARAM_NUMBER)
			jsonw_num(&j, p->number);
		else if (p->type == PARAM_BOOL)
			jsonw_bool(&j, p->yes);
		else
			jsonw_str(&j, p->text);
	}
	jsonw_object_end(&j);
	return arena_strndup(d->a, d->scratch.p, d->scratch.len);
}

/* Unit of r as the canonical one in *out; most results have the unit of the one before. */
static void set_unit(struct draft *d, const struct draft_result *r, struct result *out)
{
	const char *given = d->last.original_unit ? d->last.original_unit : d->last.unit;
	const char *canonical;

	if (!given || (given != r->unit && strcmp(given, r->unit))) {
		d->last_is_time = unit_canonical(d->a, r->unit, &canonical, &d->last_factor);
		d->last.unit = arena_strdup(d->a, canonical);
		d->last.original_unit = strcmp(canonical, r->unit) ? arena_strdup(d->a, r->unit) : NULL;
	}
	out->unit = d->last.unit;
	out->original_unit = d->last.original_unit;
}

/* In the unit of the result at hand. */
static bool good_value(const struct draft *d, double v)
{
	return isfinite(v) && isfinite(v * d->last_factor) && (!d->last_is_time || v * d->last_factor > 0);
}

/* What a value must be; a time of nothing or less is a measurement that went wrong. */
static int check_value(struct draft *d, const struct draft_result *r, const char *field, double v)
{
	if (good_value(d, v))
		return 0;
	if (isnan(v))	/* the reader has said why */
		return -1;
	if (!isfinite(v) || !isfinite(v * d->last_factor))
		return wrong(d, r, field, "a finite number is needed");
	return wrong(d, r, field, "a time above 0 is needed, this is %g %s", v, r->unit);
}

bool submission_build_bad_value(struct arena *a, const char *unit, double v)
{
	const char *canonical;
	double factor = 1;
	bool is_time = unit && unit_canonical(a, unit, &canonical, &factor);

	return !isfinite(v * factor) || (is_time && !(v * factor > 0));
}

static int by_size(const void *x, const void *y)
{
	const double *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

static double median_of(struct draft *d, const double *v, size_t n)
{
	double *sorted;

	if (n == 1)
		return v[0];
	buf_clear(&d->scratch);
	sorted = (double *)(void *)buf_reserve(&d->scratch, n * sizeof(*v));
	memcpy(sorted, v, n * sizeof(*v));
	qsort(sorted, n, sizeof(*v), by_size);
	/* halves first: the sum of two large values may be infinite */
	return n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
}

/* n, mean (in two passes: the rounding of the first is taken out by the second), stddev, ... */
static void summarise(struct draft *d, struct result *out)
{
	const double *v = out->values;
	size_t n = out->n_values;
	double mean = 0, rest = 0, squares = 0;

	out->n = (int64_t)n;
	out->min = out->max = v[0];
	for (size_t i = 0; i < n; i++) {
		mean += v[i] / (double)n;
		out->min = fmin(out->min, v[i]);
		out->max = fmax(out->max, v[i]);
	}
	for (size_t i = 0; i < n; i++)
		rest += (v[i] - mean) / (double)n;
	out->mean = mean + rest;
	for (size_t i = 0; i < n; i++)
		squares += (v[i] - out->mean) * (v[i] - out->mean);
	out->stddev = n < 2 || !isfinite(squares) ? NAN : sqrt(squares / (double)(n - 1));
	out->median = median_of(d, v, n);
}

static int take_values(struct draft *d, const struct draft_result *r, struct result *out)
{
	double *v = arena_alloc(d->a, r->n_values * sizeof(*v));
	int bad = 0;
	char field[40];

	for (size_t i = 0; i < r->n_values; i++) {
		v[i] = r->values[i] * d->last_factor;
		if (good_value(d, r->values[i]))
			continue;
		snprintf(field, sizeof(field), "values/%zu", i);
		bad |= check_value(d, r, field, r->values[i]);
	}
	if (bad)
		return -1;
	out->values = v;
	out->n_values = r->n_values;
	summarise(d, out);
	return 0;
}

static int check_spread(struct draft *d, const struct draft_result *r)
{
	if (!isnan(r->stddev) && !(r->stddev >= 0))
		return wrong(d, r, "summary/stddev", "a standard deviation is 0 or more");
	if (r->stddev > 0 && r->n < 2)
		return wrong(d, r, "summary/stddev", "a standard deviation needs n of 2 or more");
	if (!isnan(r->min) && !(r->min <= r->mean))
		return wrong(d, r, "summary/min", "the minimum is above the mean");
	if (!isnan(r->max) && !(r->max >= r->mean))
		return wrong(d, r, "summary/max", "the maximum is below the mean");
	if (!isnan(r->median) && !(!(r->median < r->min) && !(r->median > r->max)))
		return wrong(d, r, "summary/median", "the median is outside minimum and maximum");
	return 0;
}

static int take_summary(struct draft *d, const struct draft_result *r, struct result *out)
{
	int bad = 0;

	if (r->n < 1 || r->n > SUMMARY_N_MAX)
		bad |= wrong(d, r, "summary/n", "a count from 1 to %d is needed", SUMMARY_N_MAX);
	if (isnan(r->mean))
		bad |= wrong(d, r, "summary/mean", "mean is needed");
	else
		bad |= check_value(d, r, "summary/mean", r->mean);
	if (!isnan(r->min))
		bad |= check_value(d, r, "summary/min", r->min);
	if (!isnan(r->max))
		bad |= check_value(d, r, "summary/max", r->max);
	if (!isnan(r->median))
		bad |= check_value(d, r, "summary/median", r->median);
	if (!isnan(r->stddev) && !isfinite(r->stddev * d->last_factor))
		bad |= wrong(d, r, "summary/stddev", "a finite number is needed");
	if (bad || check_spread(d, r))
		return -1;
	out->n = r->n;
	out->mean = r->mean * d->last_factor;
	out->median = r->median * d->last_factor;
	out->stddev = r->n < 2 ? NAN : r->stddev * d->last_factor;	/* some tools print 0 for n = 1 */
	out->min = r->min * d->last_factor;
	out->max = r->max * d->last_factor;
	return 0;
}

/* The numbers of a result, or that there are none. */
static int take_numbers(struct draft *d, const struct draft_result *r, struct result *out)
{
	bool given = r->values || r->has_summary;

	out->mean = out->median = out->stddev = out->min = out->max = NAN;
	if (r->status != RESULT_OK) {
		if (given)
			return wrong(d, r, r->values ? "values" : "summary",
				     "a result that %s has no numbers", result_status_word(r->status));
		return 0;
	}
	if (r->values && r->has_summary)
		return wrong(d, r, "summary", "either values or a summary, not both");
	if (!given)
		return wrong(d, r, NULL, "values, a summary or \"status\": \"failed\" is needed");
	if (r->values && !r->n_values)
		return wrong(d, r, "values", "no value in it");
	return r->values ? take_values(d, r, out) : take_summary(d, r, out);
}

static uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Eight bytes at a time, both halves of a product: as wyhash does. The length keeps texts apart. */
static uint64_t mix(uint64_t h, const char *s)
{
	size_t n = strlen(s);
	uint64_t w;

	h ^= n;
	for (; n >= sizeof(w); s += sizeof(w), n -= sizeof(w)) {
		memcpy(&w, s, sizeof(w));
		h = fold(h ^ w, UINT64_C(0x9e3779b97f4a7c15));
	}
	w = 0;
	memcpy(&w, s, n);
	return fold(h ^ w, UINT64_C(0xd6e8feb86659fd93));
}

/* Mostly the names are those of the result before, and the draft keeps them once. */
static uint64_t series_hash(struct series_set *set, const struct result *r)
{
	if (set->benchmark != r->benchmark || set->metric != r->metric || set->unit != r->unit) {
		set->names = mix(mix(mix(set->seed, r->benchmark), r->metric), r->unit);
		set->benchmark = r->benchmark;
		set->metric = r->metric;
		set->unit = r->unit;
	}
	return mix(set->names, r->params);
}

static bool same_series(const struct result *a, const struct result *b)
{
	return !strcmp(a->params, b->params) && !strcmp(a->benchmark, b->benchmark) &&
	       !strcmp(a->metric, b->metric) && !strcmp(a->unit, b->unit);
}

static void set_grow(struct draft *d, struct series_set *set)
{
	size_t cap = set->cap ? set->cap * 2 : 64;
	struct series_slot *slots = arena_array(d->a, struct series_slot, cap);

	for (size_t i = 0; i < set->cap; i++) {
		size_t at = set->slots[i].hash & (cap - 1);

		if (!set->slots[i].result)
			continue;
		while (slots[at].result)
			at = (at + 1) & (cap - 1);
		slots[at] = set->slots[i];
	}
	set->slots = slots;
	set->cap = cap;
}

/* Remembers the series of `out`, about to be the next result: -1 when it is there already. */
static int series_once(struct draft *d, const struct draft_result *r, const struct result *out)
{
	struct series_set *set = d->series;
	uint64_t hash;
	size_t at;

	if (!set) {
		set = d->series = arena_zalloc(d->a, sizeof(*set));
		random_bytes(&set->seed, sizeof(set->seed));
	}
	if (d->n_results * 2 >= set->cap)
		set_grow(d, set);
	hash = series_hash(set, out);
	for (at = hash & (set->cap - 1); set->slots[at].result; at = (at + 1) & (set->cap - 1)) {
		const struct series_slot *slot = &set->slots[at];

		if (slot->hash == hash && same_series(&d->results[slot->result - 1], out))
			return wrong(d, r, NULL, "the same series (%s %s %s) stands in %s: "
				     "repetitions belong into one result's values", out->benchmark, out->params,
				     out->metric, slot->index == NO_SLOT_INDEX ? "another place" :
				     place(d, r->in, slot->index, NULL));
	}
	set->slots[at] = (struct series_slot){ hash, (uint32_t)d->n_results + 1, (uint32_t)r->index };
	return 0;
}

static const char *error_text(struct draft *d, const struct draft_result *r)
{
	size_t n;

	if (r->status == RESULT_OK || !r->error || !*r->error)
		return NULL;
	n = strlen(r->error);
	if (n > SUBMISSION_TEXT_MAX) {
		for (n = SUBMISSION_TEXT_MAX; n && ((unsigned char)r->error[n] & 0xc0) == 0x80; n--)
			;	/* not in the middle of a character */
		problems_add(d->warnings, place(d, r->in, r->index, "error"), "cut to its first %zu bytes", n);
	}
	return arena_strndup(d->a, r->error, n);
}

/* Everything wrong with one result is said at once; true when it can go in. */
static bool take(struct draft *d, const struct draft_result *r, struct result *out)
{
	int bad = r->broken ? -1 : 0, bad_unit;

	bad |= check_name(d, r, "benchmark", r->benchmark, d->last.benchmark);
	bad |= check_name(d, r, "metric", r->metric, d->last.metric);
	bad_unit = check_name(d, r, "unit", r->unit, d->last.original_unit ? d->last.original_unit : d->last.unit);
	out->params = params_text(d, r);
	if (r->iterations < 0)
		bad |= wrong(d, r, "iterations", "a count of 0 or more is needed");
	if (!bad_unit) {
		set_unit(d, r, out);
		if (!r->numbers_said)
			bad |= take_numbers(d, r, out);
	}
	return !bad && !bad_unit && out->params && !r->numbers_said;
}

static void append(struct draft *d, const struct draft_result *r, const struct result *out)
{
	if (series_once(d, r, out))
		return;
	if (d->n_results == d->cap_results)
		submission_build_expect(d, d->cap_results ? d->cap_results * 2 : 16);
	d->results[d->n_results++] = *out;
	d->n_failed += out->status != RESULT_OK;
}

void submission_build_take(struct draft *d, const struct result *r, const char *at)
{
	struct draft_result from = { .in = at, .index = DRAFT_RESULT_NO_INDEX };

	if (d->n_results == SUBMISSION_RESULTS_MAX)
		wrong(d, &from, NULL, "more than %d results", SUBMISSION_RESULTS_MAX);
	else
		append(d, &from, r);
}

void submission_build_result(struct draft *d, const struct draft_result *r)
{
	struct result out = { .better = r->better, .status = r->status, .iterations = r->iterations };

	if (d->n_results == SUBMISSION_RESULTS_MAX) {
		wrong(d, r, NULL, "more than %d results", SUBMISSION_RESULTS_MAX);
		return;
	}
	if (!take(d, r, &out))
		return;
	out.benchmark = keep(d, &d->last.benchmark, r->benchmark);
	out.metric = keep(d, &d->last.metric, r->metric);
	out.error = error_text(d, r);
	append(d, r, &out);
}
