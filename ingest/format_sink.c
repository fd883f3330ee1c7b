/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the numbers of a file to series with repetitions. */
#include "format_sink.h"

#include <string.h>
#include <strings.h>

#include "../lib/num.h"
#include "unit.h"

void format_sink_init(struct format_sink *k, struct format_file *f, const char *tool)
{
	*k = (struct format_sink){ .f = f, .set.groups.a = f->a };
	buf_init(&k->key);
	format_draft(f, &k->d);
	format_source(f, &k->d, tool, NULL, NULL);
}

void format_sink_fini(struct format_sink *k)
{
	submission_build_fini(&k->d);
	buf_fini(&k->key);
}

void format_sink_end(struct format_sink *k)
{
	format_series_end(&k->d, k->set.series, k->set.groups.n);
	format_add(k->f, &k->d);
	format_sink_fini(k);
}

/* A name as it is stored: on one line, without blanks at its ends. */
static const char *one_line(struct arena *a, const char *s)
{
	char *out = arena_strdup(a, s + strspn(s, " \t\r\n"));
	size_t n = strlen(out);

	for (char *c = out; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = ' ';
	while (n && out[n - 1] == ' ')
		out[--n] = 0;
	return out;
}

static void put(struct format_sink *k, struct draft_param p)
{
	for (size_t i = 0; i < k->n_params; i++)
		if (!strcmp(k->params[i].name, p.name)) {
			k->params[i] = p;
			return;
		}
	if (k->n_params < FORMAT_SINK_PARAMS)
		k->params[k->n_params++] = p;
	else
		problems_add(k->d.warnings, "", "more than %d parameters: %s is not taken", FORMAT_SINK_PARAMS, p.name);
}

void format_sink_text(struct format_sink *k, const char *name, const char *text)
{
	text = text ? one_line(k->f->a, text) : "";
	if (*text)
		put(k, (struct draft_param){ .name = name, .type = PARAM_TEXT, .text = text });
}

void format_sink_number(struct format_sink *k, const char *name, double number)
{
	put(k, (struct draft_param){ .name = name, .type = PARAM_NUMBER, .number = number });
}

void format_sink_word(struct format_sink *k, const char *name, const char *word)
{
	double v;

	if (word && !num_parse(word, strlen(word), &v))
		format_sink_number(k, name, v);
	else
		format_sink_text(k, name, word);
}

static const char *copy(struct arena *a, const char *s)
{
	return s ? arena_strdup(a, s) : NULL;
}

#define CUT 160		/* bytes kept of a name that is too long: a prefix of the sender's has to fit before it */

/* A command line may be longer than a name can be: its beginning, and a hash of the whole that tells it from others. */
static const char *fitting(struct format_sink *k, const struct draft_result *r, const char *name)
{
	uint8_t digest[32];
	char *cut;
	size_t n = CUT;

	if (strlen(name) <= SUBMISSION_NAME_MAX)
		return name;
	while (n && ((unsigned char)name[n] & 0xc0) == 0x80)
		n--;		/* not in the middle of a character */
	sha256(name, strlen(name), digest);
	cut = arena_printf(k->f->a, "%.*s~%02x%02x%02x%02x", (int)n, name, digest[0], digest[1], digest[2], digest[3]);
	problems_add(k->d.warnings, r->index == DRAFT_RESULT_NO_INDEX ? r->in : arena_printf(k->f->a, "%s %zu", r->in, r->index),
		     "the benchmark's name is longer than %d bytes: stored as %s", SUBMISSION_NAME_MAX, cut);
	return cut;
}

/* The series of r with the parameters at hand; *first: it is new, and r copied into it. */
static struct format_series *series_of(struct format_sink *k, const struct draft_result *r, bool *first)
{
	struct arena *a = k->f->a;
	struct format_series *s;
	const char *unit;
	double factor;

	unit_canonical(a, r->unit, &unit, &factor);
	buf_clear(&k->key);
	buf_printf(&k->key, "%s\n%s\n%s", r->benchmark ? r->benchmark : "", r->metric, unit);
	for (size_t i = 0; i < k->n_params; i++)
		buf_printf(&k->key, "\n%s %s %.17g", k->params[i].name, k->params[i].text ? k->params[i].text : "",
			   k->params[i].number);
	s = format_set_get(&k->set, k->key.p, first);
	if (!*first)
		return s;
	s->r = *r;
	s->r.in = copy(a, r->in);
	s->r.benchmark = r->benchmark ? format_benchmark(k->f, fitting(k, r, one_line(a, r->benchmark))) : k->f->ctx->benchmark;
	s->r.metric = one_line(a, r->metric);
	s->r.unit = copy(a, r->unit);
	s->r.error = copy(a, r->error);
	s->r.params = arena_array(a, struct draft_param, k->n_params);
	s->r.n_params = k->n_params;
	for (size_t i = 0; i < k->n_params; i++) {
		s->r.params[i] = k->params[i];
		s->r.params[i].name = copy(a, k->params[i].name);
		s->r.params[i].text = copy(a, k->params[i].text);
	}
	return s;
}

/* A series keeps the unit it began with: 2.1 us is 2100 of one in ns. */
static double in_unit(struct arena *a, double v, const char *from, const char *to)
{
	const char *canonical;
	double x, y;

	if (!strcmp(from, to))
		return v;
	unit_canonical(a, from, &canonical, &x);
	unit_canonical(a, to, &canonical, &y);
	return v * x / y;
}

static bool has_benchmark(struct format_sink *k, const struct draft_result *r)
{
	if (r->benchmark || (k->f->ctx->benchmark && *k->f->ctx->benchmark))
		return true;
	if (!k->d.problems->total)
		problems_add(k->d.problems, "benchmark", "benchmark=NAME is needed: the file does not say what was measured");
	return false;
}

void format_sink_add(struct format_sink *k, const struct draft_result *r, double value)
{
	struct format_series *s;
	bool first;

	if (!has_benchmark(k, r))
		return;
	if (submission_build_bad_value(k->f->a, r->unit, value)) {
		submission_build_wrong(&k->d, r, NULL, "expected a %s, %s %s is %.17g %s",
				       value <= 0 ? "time above 0" : "finite number", r->benchmark ? r->benchmark : "",
				       r->metric, value, r->unit);
		return;
	}
	s = series_of(k, r, &first);
	if (first)
		s->r.n_values = 0;
	if (s->r.status != RESULT_OK) {		/* it failed once, and was measured at another time */
		s->r.status = RESULT_OK;
		s->r.error = NULL;
	}
	if (!s->r.has_summary)
		format_series_add(k->f->a, s, in_unit(k->f->a, value, r->unit, s->r.unit));
}

void format_sink_result(struct format_sink *k, const struct draft_result *r)
{
	bool first;

	if (!has_benchmark(k, r))
		return;
	series_of(k, r, &first);
	if (!first && r->status == RESULT_OK)
		submission_build_wrong(&k->d, r, NULL, "%s %s stands there twice", r->benchmark ? r->benchmark : "", r->metric);
	else if (!first)
		submission_build_wrong(&k->d, r, NULL, "%s", r->error ? r->error : "this one failed");
}

enum better format_sink_better(struct arena *a, const char *unit)
{
	static const char *const rates[] = { "/s", "/sec", "/second", "/min", " per second", " per sec", "ps" };
	const char *canonical;
	size_t n = strlen(unit);
	double factor;

	if (unit_canonical(a, unit, &canonical, &factor))
		return BETTER_LOWER;
	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		size_t m = strlen(rates[i]);

		if (n > m && !strcasecmp(unit + n - m, rates[i]))
			return BETTER_HIGHER;
	}
	return BETTER_NEUTRAL;
}
