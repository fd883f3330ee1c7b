/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lmbench prints: "LABEL: VALUE UNIT" lines are measurements. Its tables (a title
 * behind a lone quote, then rows of a size and a value) are read where a file has
 * nothing else: the last row, as lmbench's own summary takes it, and listed otherwise.
 * "[RELEASE: ...]" is the kernel. A wrapper's "NAME.METRIC.UNIT: VALUE" is read too.
 */
#include "format_lmbench.h"

#include <ctype.h>
#include <string.h>

#include "../lib/num.h"
#include "format_sink.h"
#include "format_text.h"

static const struct unit {
	const char *word, *unit, *metric;
	enum better better;
} units[] = {
	{ "microseconds", "us", "latency", BETTER_LOWER },	{ "nanoseconds", "ns", "latency", BETTER_LOWER },
	{ "milliseconds", "ms", "latency", BETTER_LOWER },	{ "seconds", "s", "latency", BETTER_LOWER },
	{ "MB/sec", "MB/s", "bandwidth", BETTER_HIGHER },	{ "KB/sec", "KB/s", "bandwidth", BETTER_HIGHER },
	{ "us", "us", "latency", BETTER_LOWER },		{ "ns", "ns", "latency", BETTER_LOWER },
};

#define TITLE_MAX 180		/* bytes kept of a command's line */

struct reading {
	struct format_sink k;
	struct format_lines lines;
	bool curves;			/* rows of tables are what is read */
	const char *title;		/* of the table at hand, or NULL */
	size_t title_line, rows, known;
	double size, value;		/* of the table's last row */
	const struct unit *unit;	/* where the row says it, or NULL */
};

static const struct unit *unit_of(const char *word)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(word, units[i].word))
			return &units[i];
	return NULL;
}

static void add(struct reading *rd, const char *name, const struct unit *u, double v)
{
	struct draft_result r = { .in = "line", .index = rd->lines.number, .metric = u->metric, .unit = u->unit,
				  .better = u->better, .benchmark = arena_printf(rd->k.f->a, "lmbench/%s", name) };

	rd->known++;
	if (!rd->curves)
		format_sink_add(&rd->k, &r, v);
}

/* "Select on 10 fd's: 1.1642 microseconds": label, number and unit, and nothing else. */
static bool take_value(struct reading *rd, const char *line)
{
	const char *colon = NULL, *p = line;
	char *words[3], *name;
	const struct unit *u;
	size_t n;
	double v;

	while ((p = strstr(p, ": ")))
		colon = p++;
	if (!colon || colon == line)
		return false;
	n = format_text_words(arena_strdup(rd->k.f->a, colon + 1), words, 3);
	name = arena_strndup(rd->k.f->a, line + strspn(line, " "), (size_t)(colon - line) - strspn(line, " "));
	if (!n || !format_text_number(words[0], &v))
		return false;
	if (n == 2 && (u = unit_of(words[1]))) {
		add(rd, name, u, v);
		return true;
	}
	p = strrchr(name, '.');		/* "MMAP.read.latency.us: 6613.0" */
	u = n == 1 && p ? unit_of(p + 1) : NULL;
	if (!u)
		return false;
	name[p - name] = 0;
	p = strrchr(name, '.');
	if (p && !strcasecmp(p + 1, u->metric))
		name[p - name] = 0;
	add(rd, name, u, v);
	return true;
}

/* "[RELEASE: 5.15.0-7.oe2303.riscv64]" */
static bool take_head(struct reading *rd, const char *line)
{
	static const char release[] = "[RELEASE: ", version[] = "[LMBENCH VERSION: ";

	if (*line != '[')
		return false;
	if (!strncmp(line, release, strlen(release))) {
		line += strlen(release);
		format_said_kernel(&rd->k.d, arena_strndup(rd->k.f->a, line, strcspn(line, "]")), rd->lines.number);
	} else if (!strncmp(line, version, strlen(version))) {
		line += strlen(version);
		format_source(rd->k.f, &rd->k.d, "lmbench", arena_strndup(rd->k.f->a, line, strcspn(line, "]")), NULL);
	}
	return true;
}

/* What the numbers of a table are, by its title. */
static const struct unit *unit_of_title(const char *title)
{
	return unit_of(strcasestr(title, "bandwidth") || strcasestr(title, "bw_") || strcasestr(title, "bcopy") ||
		       strcasestr(title, "memory") ? "MB/sec" : strcasestr(title, "stride") ? "nanoseconds" : "microseconds");
}

static void end_table(struct reading *rd)
{
	const struct unit *u = rd->unit;
	struct draft_result r = { .in = "line", .index = rd->lines.number - 1 };

	if (rd->title && rd->rows && !rd->curves) {
		format_left_out_line(&rd->k.d, rd->title_line, "a table of %zu sizes (%s): not imported beside single values", rd->rows,
				     rd->title);
	} else if (rd->title && rd->rows) {
		if (!u)
			u = unit_of_title(rd->title);
		rd->k.n_params = 0;
		format_sink_number(&rd->k, "size_mb", rd->size);
		r.benchmark = arena_printf(rd->k.f->a, "lmbench/%s", rd->title);
		r.metric = u->metric;
		r.unit = u->unit;
		r.better = u->better;
		format_sink_add(&rd->k, &r, rd->value);
		if (rd->rows > 1)
			format_left_out_line(&rd->k.d, rd->title_line, "of a table of %zu sizes (%s) the last is imported", rd->rows,
					     rd->title);
	}
	rd->title = NULL;
	rd->rows = 0;
}

/* "268.435456 6417", "10.485760 444.37 MB/sec": sizes are in MB. */
static bool take_row(struct reading *rd, const char *line)
{
	char *words[4];
	size_t n = format_text_words(arena_strdup(rd->k.f->a, line), words, 4);

	rd->unit = n == 3 ? unit_of(words[2]) : NULL;
	if (n < 2 || n > 3 || !isdigit((unsigned char)*words[0]) || !format_text_number(words[0], &rd->size) ||
	    !format_text_number(words[1], &rd->value) || (n == 3 && !rd->unit))
		return false;
	rd->rows++;
	return true;
}

static bool take_title(struct reading *rd, const char *line)
{
	const char *command = strstr(line, "/bw_");	/* or the command behind the table of one row */

	if (*line == '"' && line[1] && !strchr(line + 1, '"')) {
		end_table(rd);
		rd->title = arena_strdup(rd->k.f->a, line + 1);
	} else if (command || (command = strstr(line, "/lat_"))) {
		if (strstr(line, ".c") || strstr(line, "gcc"))
			return false;
		end_table(rd);
		rd->title = arena_strndup(rd->k.f->a, command + 1, strnlen(command + 1, TITLE_MAX));
	} else {
		return false;
	}
	rd->title_line = rd->lines.number;
	return true;
}

static void read_lines(struct reading *rd)
{
	char *line;

	rd->lines = (struct format_lines){ rd->k.f->text, rd->k.f->text + rd->k.f->len, 0 };
	while ((line = format_text_line(&rd->lines, rd->k.f->a))) {
		if (take_head(rd, line) || take_title(rd, line) || take_row(rd, line))
			continue;
		if (rd->title && !*line)
			end_table(rd);
		take_value(rd, line);
	}
	end_table(rd);
}

static bool is_ours(const char *line)
{
	return format_text_starts(line, "[lmbench") || format_text_starts(line, "[LMBENCH_VER") || !strcmp(line, "\"mappings") ||
		format_text_starts(line, "Simple syscall: ") || strstr(line, "/bin/bw_mem") || strstr(line, "linux-gnu/bw_mem") ||
		strstr(line, "linux-gnu/lat_") || format_lmbench_summary_title(line);
}

/* Whether the file has single values; then its tables are extra. */
static bool has_values(struct format_file *f)
{
	struct reading rd = { .curves = true };
	struct format_file copy = *f;

	copy.n_items = 0;
	format_sink_init(&rd.k, &copy, "lmbench");
	read_lines(&rd);
	format_sink_fini(&rd.k);
	return rd.known > 0;
}

int format_lmbench_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .curves = false };

	if (format_text_any_line(f->text, f->len, format_lmbench_summary_title))
		return format_lmbench_summary_read(f, err);
	rd.curves = !has_values(f);
	format_sink_init(&rd.k, f, "lmbench");
	read_lines(&rd);
	if (!rd.known && !rd.k.set.groups.n && !rd.k.d.problems->total && !format_text_any_line(f->text, f->len, is_ours)) {
		format_sink_fini(&rd.k);
		return err_set(err, ERR_INVALID, "lmbench's results: expected lines \"Simple syscall: 0.1568 microseconds\"");
	}
	format_sink_end(&rd.k);
	return 0;
}

int format_lmbench_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_ours) ? 80 : 0;
}
