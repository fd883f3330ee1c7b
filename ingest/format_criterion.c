/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Benchmarks of Rust: libtest's and criterion's --output-format bencher ("test NAME ...
 * bench: 1,329 ns/iter (+/- 4)"), criterion's own lines ("NAME  time: [LOW ESTIMATE
 * HIGH]", the name maybe on the line before), and cargo-criterion's messages, a JSON
 * object a line, whose measured_values are repetitions. "+/-" is a spread, "change:" a
 * comparison with some run before.
 */
#include "format_sink.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "../lib/num.h"
#include "format_json.h"
#include "format_text.h"

struct reading {
	struct format_sink k;
	struct format_lines lines;
	const char *name;		/* of the line before, where it may be one */
	size_t known;
};

static void add(struct reading *rd, const char *name, const char *metric, const char *unit, double v)
{
	struct draft_result r = { .in = "line", .index = rd->lines.number, .benchmark = name, .metric = metric, .unit = unit };

	rd->known++;
	r.better = !strcmp(metric, "time") ? BETTER_LOWER : format_sink_better(rd->k.f->a, unit);
	format_sink_add(&rd->k, &r, v);
}

/* "12,314.5" */
static bool grouped(const char *word, double *v)
{
	char text[64];
	size_t n = 0;

	for (; *word && n < sizeof(text); word++)
		if (*word != ',')
			text[n++] = *word;
	return !*word && n && !num_parse(text, n, v);
}

/* "test NAME ... bench:      12,314 ns/iter (+/- 123)", maybe " = 123 MB/s" behind. */
static bool take_bencher(struct reading *rd, const char *line)
{
	const char *mark = strstr(line, " ... bench:");
	char *words[4], *name;
	size_t n;
	double v;

	if (strncmp(line, "test ", 5) || !mark || mark == line + 4)
		return false;
	n = format_text_words(arena_strdup(rd->k.f->a, mark + strlen(" ... bench:")), words, 4);
	name = arena_strndup(rd->k.f->a, line + 5, (size_t)(mark - line) - 5);
	if (n < 2 || !grouped(words[0], &v)) {
		format_left_out_line(&rd->k.d, rd->lines.number, "expected \"bench: NUMBER UNIT (+/- SPREAD)\"");
		return true;
	}
	add(rd, name, strstr(words[1], "/iter") ? "time" : "value", words[1], v);
	return true;
}

/* "[26.029 us 26.251 us 26.505 us]": the middle one is the estimate. */
static bool take_interval(struct reading *rd, const char *name, const char *metric, const char *text)
{
	char *words[7];
	size_t n;
	double v;

	if (*text != '[')
		return false;
	n = format_text_words(arena_strndup(rd->k.f->a, text + 1, strcspn(text + 1, "]")), words, 7);
	if (n != 6 || !grouped(words[2], &v))
		return false;
	add(rd, name, metric, !strcmp(metric, "time") ? arena_printf(rd->k.f->a, "%s/iter", words[3]) : words[3], v);
	return true;
}

/* "fib 20      time:   [...]", "            thrpt:  [...]" */
static bool take_console(struct reading *rd, const char *line)
{
	const char *mark = strstr(line, "time:"), *value;
	size_t n;

	if (!mark)
		mark = strstr(line, "thrpt:");
	if (!mark)
		return false;
	value = strchr(mark, ':') + 1;
	value += strspn(value, " ");
	for (n = (size_t)(mark - line); n && line[n - 1] == ' '; n--)
		;
	if (n && *mark == 't' && mark[1] == 'i')
		rd->name = arena_strndup(rd->k.f->a, line, n);
	if (!rd->name)
		return false;
	return take_interval(rd, rd->name, mark[1] == 'i' ? "time" : "throughput", value);
}

/*
 * {"reason": "benchmark-complete", "id": "...", "iteration_count": [], "measured_values": [], "unit": "ns"}: each value
 * is the total of so many iterations.
 */
static bool take_message(struct reading *rd, const char *line)
{
	struct jread_slice slice = { line, strlen(line), rd->lines.number };
	const struct jnode *counts, *values;
	const char *id, *unit;
	struct jnode *doc;
	struct err err;
	bool syntax;

	if (*line != '{' || !strstr(line, "\"reason\""))
		return false;
	if (jread_check_depth(&slice, SUBMISSION_DEPTH_MAX, &err) || !(doc = jread_parse(&slice, &syntax, &err))) {
		format_left_out_line(&rd->k.d, rd->lines.number, "%s", err_line_message(&err));
		return true;
	}
	id = format_json_text(doc, "id");
	unit = format_json_text(doc, "unit");
	counts = jread_get(doc, "iteration_count");
	values = jread_get(doc, "measured_values");
	for (size_t i = 0; id && unit && i < jread_len(values); i++) {
		double iterations = format_json_number(jread_at(counts, i));

		if (iterations > 0)
			add(rd, id, "time", arena_printf(rd->k.f->a, "%s/iter", unit),
			    format_json_number(jread_at(values, i)) / iterations);
	}
	rd->known += id != NULL;
	jread_free(doc);
	return true;
}

int format_criterion_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .lines = { f->text, f->text + f->len, 0 } };
	char *line;

	format_sink_init(&rd.k, f, "criterion");
	while ((line = format_text_line(&rd.lines, f->a))) {
		if (take_bencher(&rd, line) || take_message(&rd, line) || take_console(&rd, line))
			continue;
		if (*line && *line != ' ' && !strstr(line, ": "))
			rd.name = line;		/* a long name has a line of its own */
	}
	if (!rd.known && !rd.k.d.left_out->total) {
		format_sink_fini(&rd.k);
		return err_set(err, ERR_INVALID, "expected lines \"test NAME ... bench: 329 ns/iter (+/- 4)\", or criterion's "
			       "\"NAME time: [LOW ESTIMATE HIGH]\"");
	}
	format_sink_end(&rd.k);
	return 0;
}

static bool is_ours(const char *line)
{
	const char *time = strstr(line, "time:"), *open = time ? strchr(time, '[') : NULL;

	return (format_text_starts(line, "test ") && strstr(line, " ... bench:")) ||
		strstr(line, "\"reason\":\"benchmark-complete\"") ||
		(open && strchr(open, ']') && open == time + 5 + strspn(time + 5, " "));
}

int format_criterion_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_ours) ? 80 : 0;
}
