/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bencher Metric Format: {"BENCHMARK": {"MEASURE": {"value": 1, "lower_value": 0}}}.
 * It has no units and no directions: those of Bencher's own measures are documented,
 * all others are unstated and neutral. The two bounds are no measurements.
 */
#include "format.h"

#include <string.h>
#include <strings.h>

#include "format_json.h"

struct reading {
	struct format_file *f;
	struct draft d;
	size_t bounded;			/* values with bounds */
};

/* Bencher's measures by name or slug, and those that its adapters make (Iai, DHAT). */
static const struct measure {
	const char *name, *unit;
	enum better better;
} measures[] = {
	{ "latency", "ns", BETTER_LOWER },
	{ "throughput", "ops/s", BETTER_HIGHER },
	{ "build-time", "s", BETTER_LOWER },
	{ "file-size", "B", BETTER_LOWER },
	{ "instructions", "count", BETTER_LOWER },
	{ "l1-accesses", "count", BETTER_LOWER },
	{ "l2-accesses", "count", BETTER_LOWER },
	{ "ram-accesses", "count", BETTER_LOWER },
	{ "estimated-cycles", "count", BETTER_LOWER },
	{ "total-blocks", "count", BETTER_LOWER },
	{ "total-bytes", "count", BETTER_LOWER },
	{ "max-blocks", "count", BETTER_LOWER },
	{ "max-bytes", "count", BETTER_LOWER },
	{ "final-blocks", "count", BETTER_LOWER },
	{ "final-bytes", "count", BETTER_LOWER },
};

/* "Total Bytes" has the slug total-bytes. */
static bool has_slug(const char *name, const char *slug)
{
	for (; *name && *slug; name++, slug++)
		if (*slug == '-' ? *name != '-' && *name != ' ' && *name != '_' : strncasecmp(name, slug, 1) != 0)
			return false;
	return !*name && !*slug;
}

static struct measure measure_of(const char *name)
{
	for (size_t i = 0; i < sizeof(measures) / sizeof(*measures); i++)
		if (has_slug(name, measures[i].name))
			return measures[i];
	return (struct measure){ name, "unstated", BETTER_NEUTRAL };
}

static void take_metric(struct reading *rd, const char *at, const char *benchmark, const char *name,
			const struct jnode *metric)
{
	struct measure m = measure_of(name);
	struct format_series s = { .r = {
		.in = at, .index = DRAFT_RESULT_NO_INDEX, .benchmark = benchmark, .metric = name, .unit = m.unit,
		.better = m.better } };
	const struct jnode *value = jread_get(metric, "value");

	if (jread_type(value) != JREAD_NUMBER) {
		format_left_out(&rd->d, at, "expected {\"value\": NUMBER}");
		return;
	}
	rd->bounded += jread_get(metric, "lower_value") || jread_get(metric, "upper_value");
	format_series_add(rd->f->a, &s, jread_num(value));
	format_series_end(&rd->d, &s, 1);
}

static void take_benchmark(struct reading *rd, const char *name, const struct jnode *measured)
{
	const char *at = jread_pointer(rd->f->a, "", name), *benchmark = format_benchmark(rd->f, name);

	if (strlen(name) > SUBMISSION_NAME_MAX) {	/* said once, not with each of its measures */
		format_left_out(&rd->d, at, "the benchmark's name is longer than 200 bytes");
		return;
	}
	if (jread_type(measured) != JREAD_OBJECT || !jread_len(measured)) {
		format_left_out(&rd->d, at, "expected an object of measures");
		return;
	}
	for (const struct jmember *m = jread_first(measured); m; m = jread_next(measured, m)) {
		const char *measure = arena_strdup(rd->f->a, jread_key(m));

		take_metric(rd, jread_pointer(rd->f->a, at, measure), benchmark, measure, jread_value(m));
	}
}

int format_bmf_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .f = f };
	struct jnode *root = format_json(f, JREAD_OBJECT, "{\"BENCHMARK\": {\"MEASURE\": {\"value\": 1}}}", NULL, err);

	if (!root)
		return -1;
	format_draft(f, &rd.d);
	format_source(f, &rd.d, "bencher", NULL, NULL);
	for (const struct jmember *m = jread_first(root); m; m = jread_next(root, m))
		take_benchmark(&rd, arena_strdup(f->a, jread_key(m)), jread_value(m));
	if (rd.bounded)
		problems_add(rd.d.warnings, "", "lower_value and upper_value of %zu values are bounds, no measurements",
			     rd.bounded);
	format_add(f, &rd.d);
	submission_build_fini(&rd.d);
	jread_free(root);
	return 0;
}

static const char *blanks(const char *p, const char *end)
{
	while (p < end && *p && strchr(" \t\r\n", *p))
		p++;
	return p;
}

/* Behind `c`, blanks before it passed over; NULL where something else stands. */
static const char *past(const char *p, const char *end, char c)
{
	p = p ? blanks(p, end) : end;
	return p < end && *p == c ? p + 1 : NULL;
}

/* Behind a string; its inside in *text. */
static const char *past_text(const char *p, const char *end, const char **text, size_t *n)
{
	p = past(p, end, '"');
	if (!p)
		return NULL;
	for (*text = p; p < end && *p != '"'; p++)
		if (*p == '\\' && ++p == end)
			return NULL;
	if (p >= end)
		return NULL;
	*n = (size_t)(p - *text);
	return p + 1;
}

/* The first value is two names deep, and is a value or a bound of one. */
int format_bmf_sniff(const char *text, size_t len)
{
	static const char *const keys[] = { "value", "lower_value", "upper_value" };
	const char *end = text + len, *p = past(text, end, '{'), *key = NULL;
	size_t n = 0;

	for (int depth = 0; depth < 2; depth++) {
		p = past_text(p, end, &key, &n);
		p = past(past(p, end, ':'), end, '{');
	}
	p = past_text(p, end, &key, &n);
	p = past(p, end, ':');
	for (size_t i = 0; p && i < sizeof(keys) / sizeof(*keys); i++)
		if (n == strlen(keys[i]) && !memcmp(key, keys[i], n))
			return 70;
	return 0;
}
