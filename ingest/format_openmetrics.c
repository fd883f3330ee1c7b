/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OpenMetrics 1.0 and Prometheus' text format: gauges and counters, each sample a value
 * of its family, labels as parameters; all neutral. OpenMetrics is strict, and so is its
 * reading: what breaks its rules is refused as a whole. In Prometheus' format a broken
 * line is listed. NaN is no value.
 */
#include "format_openmetrics_family.h"

#include <math.h>
#include <string.h>

#include "format_sink.h"
#include "format_text.h"

struct reading {
	struct format_sink k;
	struct format_lines lines;
	bool strict, ended;
	struct format_openmetrics_family fam;
	struct format_groups names;	/* of families and of all their samples: none may clash */
	const char *wrong;
};

/* A new family: none of its names may have been another's. */
static bool begin_family(struct reading *rd, const char *name)
{
	bool first;

	rd->wrong = rd->strict ? format_openmetrics_end(&rd->fam) : NULL;
	if (rd->wrong)
		return false;
	format_group(&rd->names, name, &first);
	if (!first && rd->strict) {
		rd->wrong = "a metric family of that name was there before";
		return false;
	}
	rd->fam = (struct format_openmetrics_family){ .a = rd->k.f->a, .name = name, .groups.a = rd->k.f->a, .seen.a = rd->k.f->a };
	return true;
}

/* The names a family's samples may have are taken, too. */
static bool claim_names(struct reading *rd)
{
	static const char *const suffixes[] = { "_total", "_created", "_count", "_sum", "_bucket", "_gcount", "_gsum", "_info" };
	bool first;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		const char *name = arena_printf(rd->k.f->a, "%s%s", rd->fam.name, suffixes[i]);

		if (!format_openmetrics_suffix(&rd->fam, name))
			continue;
		format_group(&rd->names, name, &first);
		if (!first && rd->strict) {
			rd->wrong = "a name of the family's samples was there before";
			return false;
		}
	}
	return true;
}

static const char *bad_unit(const struct reading *rd, const char *unit)
{
	size_t n = strlen(rd->fam.name), m = strlen(unit);

	if (!m)
		return NULL;
	if (rd->fam.has_type && (rd->fam.type == OPENMETRICS_INFO || rd->fam.type == OPENMETRICS_STATESET))
		return "an info and a stateset have no unit";
	return n > m + 1 && rd->fam.name[n - m - 1] == '_' && !strcmp(rd->fam.name + n - m, unit) ? NULL :
		"the family's name has to end with its unit";
}

/* "# TYPE name counter", "# UNIT name seconds", "# HELP name text" */
static bool take_metadata(struct reading *rd, const char *line)
{
	const char *word = line + 2, *name, *rest;
	struct format_openmetrics_family *fam = &rd->fam;
	size_t n = strcspn(word, " "), m;

	name = word + n + (word[n] == ' ');
	if (!rd->strict)
		name += strspn(name, " ");
	m = strcspn(name, " ");
	if (!format_exposition_is_name(name, m, true)) {
		rd->wrong = "expected TYPE, UNIT or HELP and a metric's name";
		return false;
	}
	rest = name + m + (name[m] == ' ');
	if (rd->strict && name[m] != ' ') {
		rd->wrong = "expected a blank behind the name, and what is said of it";
		return false;
	}
	name = arena_strndup(rd->k.f->a, name, m);
	if (!fam->name || strcmp(fam->name, name)) {
		if (!begin_family(rd, name))
			return false;
	} else if (fam->has_samples && rd->strict) {
		rd->wrong = "what is said of a family has to stand before its samples";
		return false;
	}
	if (n == 4 && !strncmp(word, "TYPE", 4)) {
		rd->wrong = fam->has_type && rd->strict ? "TYPE stands there twice" : NULL;
		if (!rd->wrong && !format_openmetrics_type(rest, rd->strict, &fam->type))
			rd->wrong = "no type of metric";
		fam->has_type = true;
		if (!rd->wrong && fam->unit)
			rd->wrong = rd->strict ? bad_unit(rd, fam->unit) : NULL;
		return !rd->wrong && claim_names(rd);
	}
	if (n == 4 && !strncmp(word, "UNIT", 4)) {
		rd->wrong = fam->has_unit && rd->strict ? "UNIT stands there twice" : rd->strict ? bad_unit(rd, rest) : NULL;
		fam->has_unit = true;
		fam->unit = arena_strdup(rd->k.f->a, rest);
		return !rd->wrong;
	}
	rd->wrong = fam->has_help && rd->strict ? "HELP stands there twice" : NULL;
	fam->has_help = true;
	return !rd->wrong;
}

/* By the family's unit, or the name's end as Prometheus' manual wants it. A total is no duration: nothing of it is 0 ns. */
static const char *unit_of(const struct reading *rd, const char *suffix)
{
	static const char *const units[] = { "seconds", "bytes", "ratio", "celsius", "volts", "amperes", "joules", "grams",
					     "meters" };
	const char *unit = rd->fam.unit && *rd->fam.unit ? rd->fam.unit : NULL, *name = rd->fam.name;
	bool total = !strcmp(suffix, "_total") || !strcmp(suffix, "_sum") || !strcmp(suffix, "_gsum");
	size_t n = strlen(name);

	if (!strcmp(suffix, "_count") || !strcmp(suffix, "_gcount") || !strcmp(suffix, "_bucket"))
		return "count";
	if (!strcmp(suffix, "_created"))
		return "unix time";
	if (n > 6 && !strcmp(name + n - 6, "_total")) {	/* a counter of Prometheus' format */
		total = true;
		n -= 6;
	}
	for (size_t i = 0; !unit && i < sizeof(units) / sizeof(*units); i++) {
		size_t m = strlen(units[i]);

		if (n > m && name[n - m - 1] == '_' && !strncmp(name + n - m, units[i], m))
			unit = units[i];
	}
	if (!unit)
		return "unstated";
	return total ? arena_printf(rd->k.f->a, "%s total", unit) : unit;
}

static void add(struct reading *rd, const struct format_exposition *s, const char *suffix)
{
	struct draft_result r = { .in = "line", .index = rd->lines.number, .benchmark = rd->fam.name,
				  .metric = *suffix ? suffix + 1 : "value", .unit = unit_of(rd, suffix) };

	rd->k.n_params = 0;
	for (size_t i = 0; i < s->n_labels; i++)
		format_sink_text(&rd->k, s->labels[i].name, s->labels[i].value);
	if (isnan(s->value) || isinf(s->value))
		submission_build_wrong(&rd->k.d, &r, NULL, "%s is %s: no value", s->name, isnan(s->value) ? "NaN" : "infinite");
	else
		format_sink_add(&rd->k, &r, s->value);
}

static bool take_sample(struct reading *rd, const char *line)
{
	struct format_exposition s;
	const char *suffix;

	rd->wrong = format_exposition(rd->k.f->a, line, rd->strict, &s);
	if (rd->wrong)
		return false;
	suffix = format_openmetrics_suffix(&rd->fam, s.name);
	if (!suffix && !rd->strict && rd->fam.name && !strcmp(rd->fam.name, s.name))
		suffix = "";		/* Prometheus: a counter's sample has the family's name */
	if (!suffix && !begin_family(rd, s.name))
		return false;
	if (!suffix)
		suffix = "";
	rd->fam.has_samples = true;
	if (rd->strict && (rd->wrong = format_openmetrics_check(&rd->fam, &s, suffix)))
		return false;
	add(rd, &s, suffix);
	return true;
}

static bool take_line(struct reading *rd, const char *line)
{
	if (rd->ended) {
		rd->wrong = "something behind # EOF";
		return false;
	}
	if (rd->strict && !strcmp(line, "# EOF")) {
		rd->wrong = format_openmetrics_end(&rd->fam);
		rd->ended = !rd->wrong;
		return !rd->wrong;
	}
	if (!*line) {
		rd->wrong = "a blank line";
		return !rd->strict;
	}
	if (*line != '#')
		return take_sample(rd, line);
	if (!strncmp(line, "# TYPE ", 7) || !strncmp(line, "# HELP ", 7) || (rd->strict && !strncmp(line, "# UNIT ", 7)))
		return take_metadata(rd, line);
	rd->wrong = "expected # TYPE, # UNIT, # HELP or # EOF";
	return !rd->strict;		/* a comment of Prometheus' format */
}

static int read_lines(struct reading *rd, struct err *err)
{
	const char *line;
	size_t n;

	while (format_line(&rd->lines, &line, &n)) {
		const char *text = arena_strndup(rd->k.f->a, line, n);

		if (!rd->strict)
			text += strspn(text, " \t");
		if (take_line(rd, text))
			continue;
		if (rd->strict)
			return err_line(err, ERR_INVALID, rd->lines.number, "%s: \"%.80s\"", rd->wrong, text);
		format_left_out_line(&rd->k.d, rd->lines.number, "%s: \"%.80s\"", rd->wrong, text);
	}
	if (rd->strict && !rd->ended)
		return err_line(err, ERR_INVALID, rd->lines.number, "expected # EOF as the last line");
	return 0;
}

static int read_as(struct format_file *f, bool strict, struct err *err)
{
	struct reading *rd = arena_zalloc(f->a, sizeof(*rd));

	rd->lines = (struct format_lines){ f->text, f->text + f->len, 0 };
	rd->strict = strict;
	rd->fam.a = rd->names.a = f->a;
	format_sink_init(&rd->k, f, strict ? "openmetrics" : "prometheus");
	if (read_lines(rd, err)) {
		format_sink_fini(&rd->k);
		return -1;
	}
	format_sink_end(&rd->k);
	return 0;
}

int format_openmetrics_read(struct format_file *f, struct err *err)
{
	return read_as(f, true, err);
}

int format_prometheus_read(struct format_file *f, struct err *err)
{
	return read_as(f, false, err);
}

/* "# EOF" is the last line of one, and of nothing else. */
int format_openmetrics_sniff(const char *text, size_t len)
{
	while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		len--;
	return len >= 5 && !memcmp(text + len - 5, "# EOF", 5) && (len == 5 || text[len - 6] == '\n') ? 90 : 0;
}

static bool is_metadata(const char *line)
{
	enum format_openmetrics_type type;
	const char *last = strrchr(line, ' ');

	return format_text_starts(line, "# TYPE ") && last && format_openmetrics_type(last + 1, false, &type);
}

int format_prometheus_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_metadata) ? 75 : 0;
}
