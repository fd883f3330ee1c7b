/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lmbench's summary: tables with a row a host, cut into columns by the dashes above.
 * A missing measurement is blank, so cells go to columns by where they stand; where all
 * are there, by their order. The kernel's name is cut ("Linux 5.15.0-"): kernel= has it.
 * What a table's columns are is what lmbench's own script prints there.
 */
#include "format_lmbench.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "../lib/num.h"
#include "format_sink.h"
#include "format_text.h"

#define COLUMNS_MAX 16
#define AGAIN ""		/* a column that repeats one of another table */

static const struct table {
	const char *title, *unit, *metric;
	enum better better;
	size_t skip;			/* columns of the machine's before the measured ones, behind host and OS */
	const char *columns[COLUMNS_MAX];
} tables[] = {
	{ "Processor, Processes", "us", "latency", BETTER_LOWER, 1, { "null call", "null I/O", "stat", "open clos", "slct TCP",
	  "sig inst", "sig hndl", "fork proc", "exec proc", "sh proc" } },
	{ "Basic integer operations", "ns", "latency", BETTER_LOWER, 0,
	  { "intgr bit", "intgr add", "intgr mul", "intgr div", "intgr mod" } },
	{ "Basic uint64 operations", "ns", "latency", BETTER_LOWER, 0,
	  { "int64 bit", "int64 add", "int64 mul", "int64 div", "int64 mod" } },
	{ "Basic float operations", "ns", "latency", BETTER_LOWER, 0,
	  { "float add", "float mul", "float div", "float bogo" } },
	{ "Basic double operations", "ns", "latency", BETTER_LOWER, 0,
	  { "double add", "double mul", "double div", "double bogo" } },
	{ "Context switching", "us", "latency", BETTER_LOWER, 0, { "2p/0K ctxsw", "2p/16K ctxsw", "2p/64K ctxsw", "8p/16K ctxsw",
	  "8p/64K ctxsw", "16p/16K ctxsw", "16p/64K ctxsw" } },
	{ "*Local* Communication latencies", "us", "latency", BETTER_LOWER, 0, { AGAIN, "Pipe", "AF UNIX", "UDP", "RPC/UDP", "TCP",
	  "RPC/TCP", "TCP conn" } },
	{ "*Remote* Communication latencies", "us", "latency", BETTER_LOWER, 0, { "remote UDP", "remote RPC/UDP", "remote TCP",
	  "remote RPC/TCP", "remote TCP conn" } },
	{ "File & VM system latencies", "us", "latency", BETTER_LOWER, 0, { "0K File Create", "0K File Delete", "10K File Create",
	  "10K File Delete", "Mmap Latency", "Prot Fault", "Page Fault", "100fd selct" } },
	{ "*Local* Communication bandwidths", "MB/s", "bandwidth", BETTER_HIGHER, 0, { "Pipe", "AF UNIX", "TCP", "File reread",
	  "Mmap reread", "Bcopy (libc)", "Bcopy (hand)", "Mem read", "Mem write" } },
	{ "*Remote* Communication bandwidths", "MB/s", "bandwidth", BETTER_HIGHER, 0, { "remote TCP" } },
	{ "Memory latencies", "ns", "latency", BETTER_LOWER, 1, { "L1 $", "L2 $", "Main mem", "Rand mem", NULL } },
};

struct span {
	size_t from, to;
};

struct reading {
	struct format_file *f;
	struct format_lines lines;
	const struct table *table;	/* NULL: of none that is measured */
	struct span columns[COLUMNS_MAX + 4];
	size_t n_columns;		/* 0: the dashes have not come */
	struct format_groups hosts;	/* "HOST OS" */
	struct format_sink *sinks;	/* hosts.n of them */
	bool looking;			/* the first pass, that counts hosts */
};

bool format_lmbench_summary_title(const char *line)
{
	return strstr(line, "L M B E N C H") != NULL;
}

static const struct table *table_of(const char *line)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (!strncmp(line, tables[i].title, strlen(tables[i].title)))
			return &tables[i];
	return NULL;
}

static size_t spans(const char *line, struct span *out, size_t max)
{
	size_t n = 0, i = 0;

	while (n < max) {
		while (line[i] == ' ')
			i++;
		if (!line[i])
			break;
		out[n].from = i;
		while (line[i] && line[i] != ' ')
			i++;
		out[n++].to = i;
	}
	return n;
}

static bool is_dashes(const char *line)
{
	return !strncmp(line, "---------", 9) && strchr(line, ' ') && line[strspn(line, "- ")] == 0;
}

/* "27.9K", "10.K", "95.", ".5": K is 1000 here. NaN: no number. */
static double cell(const char *s, size_t n)
{
	char text[40];
	double v, factor = 1;

	if (!n || n + 2 > sizeof(text))
		return NAN;
	memcpy(text, s, n);
	if (text[n - 1] == 'K' || text[n - 1] == 'M') {
		factor = text[n - 1] == 'K' ? 1e3 : 1e6;
		n--;
	}
	if (n && text[n - 1] == '.')
		n--;
	return n && isdigit((unsigned char)*text) && !num_parse(text, n, &v) ? v * factor : NAN;
}

static size_t overlap(const struct span *a, const struct span *b)
{
	size_t from = a->from > b->from ? a->from : b->from, to = a->to < b->to ? a->to : b->to;

	return to > from ? to - from : 0;
}

static void add(struct reading *rd, struct format_sink *k, size_t column, const char *text, const struct span *s)
{
	const struct table *t = rd->table;
	double v = cell(text + s->from, s->to - s->from);
	struct draft_result r = { .in = "line", .index = rd->lines.number, .metric = t->metric, .unit = t->unit,
				  .better = t->better };

	if (column < t->skip || column - t->skip >= COLUMNS_MAX || !t->columns[column - t->skip] ||
	    !*t->columns[column - t->skip])
		return;
	r.benchmark = arena_printf(rd->f->a, "lmbench/%s", t->columns[column - t->skip]);
	if (isnan(v))
		format_left_out_line(&k->d, rd->lines.number, "expected a number for %s, found \"%.*s\"", t->columns[column - t->skip],
				     (int)(s->to - s->from), text + s->from);
	else
		format_sink_add(k, &r, v);
}

/* Host and OS stand under the first two dashes; the rest are cells. */
static void take_row(struct reading *rd, const char *line)
{
	struct span cells[COLUMNS_MAX + 4];
	size_t n, os = rd->columns[1].to, length = strlen(line), i;
	bool first;
	char *who;

	if (!rd->table || rd->n_columns < 3 || length <= os || line[0] == ' ')
		return;
	who = arena_strndup(rd->f->a, line, os);
	i = format_group(&rd->hosts, who, &first);
	if (rd->looking)
		return;
	n = spans(line + os, cells, COLUMNS_MAX + 4);
	for (size_t c = 0; c < n; c++) {
		size_t best = 0, most = 0;

		cells[c].from += os;
		cells[c].to += os;
		for (size_t k = 2; k < rd->n_columns; k++)
			if (overlap(&cells[c], &rd->columns[k]) > most) {
				most = overlap(&cells[c], &rd->columns[k]);
				best = k - 2;
			}
		add(rd, &rd->sinks[i], n == rd->n_columns - 2 ? c : best, line, &cells[c]);
	}
}

static void read_lines(struct reading *rd)
{
	bool titled = false;
	char *line;

	rd->lines = (struct format_lines){ rd->f->text, rd->f->text + rd->f->len, 0 };
	rd->table = NULL;
	rd->n_columns = 0;
	while ((line = format_text_line(&rd->lines, rd->f->a))) {
		if (is_dashes(line)) {
			rd->n_columns = spans(line, rd->columns, COLUMNS_MAX + 4);
		} else if (!*line || strstr(line, " is better") || strstr(line, "Basic system parameters")) {
			rd->n_columns = 0;
			titled = *line != 0;
			rd->table = titled ? table_of(line) : NULL;
		} else if (rd->n_columns) {
			take_row(rd, line);
		}
	}
}

/* The host's part of "HOST      Linux 5.15.0-". */
static const char *host_of(struct arena *a, const char *who)
{
	return arena_strndup(a, who, strcspn(who, " "));
}

int format_lmbench_summary_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .f = f, .hosts.a = f->a, .looking = true };
	const char **kernels = NULL;
	size_t n;

	read_lines(&rd);
	n = rd.hosts.n;
	if (!n)
		return err_set(err, ERR_INVALID, "lmbench's summary: no table with a row below its dashes");
	if (n > 1 && !(kernels = format_kernels(f, n, "a host and an OS each", err)))
		return -1;
	rd.sinks = arena_array(f->a, struct format_sink, n);
	for (size_t i = 0; i < n; i++) {
		format_sink_init(&rd.sinks[i], f, "lmbench");
		format_left_out(&rd.sinks[i].d, "", "MHz, lines, pages and load are the machine's parameters, no measurements");
		if (kernels) {
			rd.sinks[i].d.kernel = kernels[i];
			rd.sinks[i].d.machine = host_of(f->a, rd.hosts.keys[i]);
		}
	}
	rd.looking = false;
	read_lines(&rd);
	for (size_t i = 0; i < n; i++)
		format_sink_end(&rd.sinks[i]);
	return 0;
}
