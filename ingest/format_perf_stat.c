/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf stat: text for people, CSV (-x SEP), JSON lines (-j). An event that was not
 * counted is listed. With -r the figures are means: where the number of runs is said
 * (in the text form), with their spread. What is derived (GHz, insn per cycle, "of all
 * branches") is no measurement of its own. Interval mode (-I) gives a value each time.
 */
#include "format_perf_stat.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/num.h"
#include "format_json.h"
#include "format_text.h"

/* Events that are a cost of the same work; of others nobody can say which way is better. */
static enum better better_of(const char *event)
{
	static const char *const costs[] = { "task-clock", "cpu-clock", "context-switches", "cpu-migrations", "page-faults",
					     "minor-faults", "major-faults", "faults", "cycles", "cpu-cycles", "instructions",
					     "ref-cycles", "bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend",
					     "cs", "migrations", "duration_time", "user_time", "system_time", "alignment-faults",
					     "emulation-faults" };
	const char *base = event, *slash = strchr(event, '/'), *end;
	size_t n;

	if (slash && slash[1])		/* cpu_core/cycles/ */
		base = slash + 1;
	n = strcspn(base, "/:");
	for (size_t i = 0; i < sizeof(costs) / sizeof(*costs); i++)
		if (n == strlen(costs[i]) && !strncmp(base, costs[i], n))
			return BETTER_LOWER;
	end = base + n;
	return n > 7 && !strncmp(end - 7, "-misses", 7) ? BETTER_LOWER : BETTER_NEUTRAL;
}

void format_perf_stat_add(struct format_perf_stat *p, const struct format_perf_stat_count *c)
{
	struct draft_result r = { .in = "line", .index = c->line, .benchmark = "perf-stat", .metric = c->event,
				  .unit = c->unit && *c->unit ? c->unit : "count", .better = c->interval ? BETTER_NEUTRAL : better_of(c->event) };
	double v;

	p->counts++;
	p->k.n_params = 0;
	format_sink_text(&p->k, "command", p->command);
	format_sink_text(&p->k, "cpus", c->group);
	if (num_parse(c->value, strlen(c->value), &v)) {
		submission_build_wrong(&p->k.d, &r, NULL, "%s is %s: missing, not 0", c->event, c->value);
		return;
	}
	if (p->runs < 2 || isnan(c->spread) || submission_build_bad_value(p->k.f->a, r.unit, v)) {
		format_sink_add(&p->k, &r, v);
		return;
	}
	r.has_summary = true;	/* perf prints the standard error of the mean, in percent of it */
	r.n = p->runs;
	r.mean = v;
	r.stddev = c->spread / 100 * fabs(v) * sqrt((double)p->runs);
	r.median = r.min = r.max = NAN;
	format_sink_result(&p->k, &r);
}

/* ---- text ---- */

struct reading {
	struct format_perf_stat p;
	struct format_lines lines;
	bool interval;			/* a column of times comes first */
	bool text;			/* the heading of a text form was seen */
};

/* "1,234,567" or "1.234.567" (a locale's): digits in threes behind the first. */
static const char *ungrouped(struct arena *a, const char *word)
{
	char *out = arena_strdup(a, word), *o = out;
	size_t dots = 0, last = 0, n = strlen(word);

	for (size_t i = 0; i < n; i++)
		if (word[i] == '.') {
			dots++;
			last = i;
		}
	for (size_t i = 0; i < n; i++)
		if (word[i] != ',' && !(word[i] == '.' && (dots > 1 && (i != last || n - i == 4))))
			*o++ = word[i];
	*o = 0;
	return out;
}

/* "( +-  5.46% )", or the "+- 0.000123" before "seconds time elapsed" that says the same. */
static double spread_of(const char *line)
{
	const char *at = strrchr(line, '('), *plus = at ? strstr(at, "+-") : NULL;
	char *end;
	double v;

	if (!plus)
		return NAN;
	v = strtod(plus + 2, &end);
	return end > plus + 2 && *end == '%' && v >= 0 && isfinite(v) ? v : NAN;
}

/* " Performance counter stats for 'sleep 1' (3 runs):" */
static bool take_heading(struct reading *rd, const char *line)
{
	const char *at = strstr(line, "erformance counter stats for "), *open, *close;
	struct arena *a = rd->p.k.f->a;
	int runs;

	if (!at)
		return false;
	rd->text = true;
	at += strlen("erformance counter stats for ");
	open = strchr(at, '\'');
	close = open ? strrchr(at, '\'') : NULL;
	rd->p.command = close && close > open ? arena_strndup(a, open + 1, (size_t)(close - open) - 1) : NULL;
	if (rd->p.command && strlen(rd->p.command) > SUBMISSION_NAME_MAX)
		rd->p.command = NULL;
	open = strrchr(line, '(');
	rd->p.runs = open && sscanf(open, "(%d runs)", &runs) == 1 && runs > 0 ? runs : 0;
	return true;
}

/* "   0.003202 +- 0.000123 seconds time elapsed  ( +-  3.84% )", "  0.001 seconds user" */
static bool take_seconds(struct reading *rd, const char *line)
{
	static const char *const names[] = { "time elapsed", "user", "sys" };
	struct format_perf_stat_count c = { .line = rd->lines.number, .unit = "s", .spread = spread_of(line) };
	const char *at = strstr(line, " seconds "), *p = line + strspn(line, " ");
	struct draft_result r = { .in = "line", .index = c.line, .benchmark = "perf-stat", .unit = "s", .better = BETTER_LOWER };
	double v;

	if (!at || !rd->text)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(at + 9, names[i], strlen(names[i])))
			c.event = r.metric = names[i];
	c.value = ungrouped(rd->p.k.f->a, arena_strndup(rd->p.k.f->a, p, strcspn(p, " ")));
	if (!c.event || num_parse(c.value, strlen(c.value), &v))
		return false;
	rd->p.counts++;
	rd->p.k.n_params = 0;
	format_sink_text(&rd->p.k, "command", rd->p.command);
	if (v > 0 && rd->p.runs > 1 && !isnan(c.spread)) {
		r.has_summary = true;
		r.n = rd->p.runs;
		r.mean = v;
		r.stddev = c.spread / 100 * v * sqrt((double)rd->p.runs);
		r.median = r.min = r.max = NAN;
		format_sink_result(&rd->p.k, &r);
	} else {
		format_sink_add(&rd->p.k, &r, v);
	}
	return true;
}

/* "S0", "S0-D0-C1", "CPU3", "N0": what a count is of, before it. */
static bool is_group(const char *word)
{
	size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	return n && isdigit((unsigned char)word[n]) && word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")] == 0;
}

/* "  0.49 msec task-clock   #  0.152 CPUs utilized", "  <not supported>  cycles", "S0  4  1,234  cycles" */
static bool take_count(struct reading *rd, const char *line)
{
	static const char *const units[] = { "msec", "ns", "Joules", "C", "MiB", "Bytes", "bytes", "MHz", "%" };
	struct format_perf_stat_count c = { .line = rd->lines.number, .spread = spread_of(line), .interval = rd->interval };
	struct arena *a = rd->p.k.f->a;
	char *copy = arena_strdup(a, line), *words[8], *hash = strstr(copy, " # ");
	size_t n, i = 0;

	if (hash)
		*hash = 0;
	else if (strrchr(copy, '(') && strstr(strrchr(copy, '('), "+-"))
		*strrchr(copy, '(') = 0;
	n = format_text_words(copy, words, 8);
	if (rd->interval && n > 2)
		i++;
	if (i + 2 < n && is_group(words[i])) {
		c.group = words[i++];
		if (i + 2 < n && format_text_number(words[i], &(double){ 0 }) && strcmp(words[i + 1], "msec") &&
		    (isdigit((unsigned char)*words[i + 1]) || *words[i + 1] == '<'))
			i++;		/* of so many CPUs */
	}
	if (i + 1 >= n)
		return false;
	if (*words[i] == '<' && i + 2 < n) {
		c.value = arena_printf(a, "%s %s", words[i], words[i + 1]);
		i += 2;
	} else {
		c.value = ungrouped(a, words[i++]);
	}
	if (*c.value != '<' && !format_text_number(c.value, &(double){ 0 }))
		return false;
	for (size_t u = 0; i + 1 < n && u < sizeof(units) / sizeof(*units); u++)
		if (!strcmp(words[i], units[u])) {
			c.unit = words[i++];
			break;
		}
	c.event = words[i];
	if (i + 1 < n && !strcmp(words[i + 1], "(msec)"))	/* perf before 4.19 */
		c.unit = "msec";
	if (!strpbrk(c.event, "abcdefghijklmnopqrstuvwxyz") || *c.event == '(')
		return false;
	format_perf_stat_add(&rd->p, &c);
	return true;
}

/* {"counter-value" : "3805.723968", "unit" : "msec", "event" : "cpu-clock", "variance" : 0.1, ...} */
static bool take_json(struct reading *rd, const char *line)
{
	static const char *const groups[] = { "socket", "die", "cluster", "cache", "core", "cpu", "node", "thread" };
	struct jread_slice slice = { line, strlen(line), rd->lines.number };
	struct format_perf_stat_count c = { .line = rd->lines.number, .spread = NAN };
	struct jnode *doc;
	struct err err;
	bool syntax;

	if (*line != '{')
		return false;
	if (jread_check_depth(&slice, SUBMISSION_DEPTH_MAX, &err) || !(doc = jread_parse(&slice, &syntax, &err))) {
		format_left_out_line(&rd->p.k.d, c.line, "%s", err_line_message(&err));
		return true;
	}
	c.value = format_json_text(doc, "counter-value");
	if (!c.value && jread_type(jread_get(doc, "counter-value")) == JREAD_NUMBER)
		c.value = arena_printf(rd->p.k.f->a, "%.17g", jread_num(jread_get(doc, "counter-value")));
	c.event = format_json_text(doc, "event");
	c.interval = jread_get(doc, "interval") != NULL;
	c.unit = format_json_text(doc, "unit");
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		if (format_json_text(doc, groups[i]))
			c.group = format_json_text(doc, groups[i]);
	if (c.value && c.event)
		format_perf_stat_add(&rd->p, &c);
	else if (!jread_get(doc, "metric-value"))	/* a metric alone is derived */
		format_left_out_line(&rd->p.k.d, c.line, "expected {\"counter-value\": NUMBER, \"event\": TEXT}");
	jread_free(doc);
	return true;
}

static void take_line(struct reading *rd, const char *line)
{
	struct format_perf_stat_count c;

	if (take_json(rd, line) || take_heading(rd, line))
		return;
	if (*line == '#') {
		rd->interval |= strstr(line, "time") && strstr(line, "counts");
		rd->text |= rd->interval;
		return;
	}
	if (!rd->text && format_perf_stat_csv(rd->p.k.f->a, line, &c)) {
		c.line = rd->lines.number;
		format_perf_stat_add(&rd->p, &c);
	} else if (rd->text && !take_seconds(rd, line)) {
		take_count(rd, line);
	}
}

int format_perf_stat_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .lines = { f->text, f->text + f->len, 0 } };
	char *line;

	format_sink_init(&rd.p.k, f, "perf stat");
	while ((line = format_text_line(&rd.lines, f->a)))
		if (*line)
			take_line(&rd, line + (*line == ' ' && !rd.text ? strspn(line, " ") : 0));
	if (!rd.p.counts) {
		format_sink_fini(&rd.p.k);
		return err_set(err, ERR_INVALID, "perf stat's output: expected \"Performance counter stats for ...\", lines of -x or -j");
	}
	format_sink_end(&rd.p.k);
	return 0;
}

static bool is_ours(const char *line)
{
	struct format_perf_stat_count c;
	size_t separators = 0;
	struct arena *a;
	bool ours;

	if (strstr(line, "Performance counter stats for ") || strstr(line, "\"counter-value\""))
		return true;
	for (const char *p = line; *p; p++)
		separators += *p == ',' || *p == ';' || *p == '|';
	if (separators < 4)	/* value, unit, event, runtime, percent: most lines need no closer look */
		return false;
	a = arena_new();
	ours = format_perf_stat_csv(a, line + strspn(line, " "), &c);
	arena_free(a);
	return ours;
}

int format_perf_stat_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_ours) ? 72 : 0;
}
