/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What perf stat's three outputs (text, -x CSV, -j JSON lines) have in common: a count of an event. */
#ifndef INGEST_FORMAT_PERF_STAT_H
#define INGEST_FORMAT_PERF_STAT_H

#include "format_sink.h"

struct format_perf_stat {
	struct format_sink k;
	const char *command;		/* of the text form, or NULL */
	int64_t runs;			/* -r N, where it is said; else 0 */
	size_t counts;			/* events seen, counted or not */
};

struct format_perf_stat_count {		/* borrowed texts */
	size_t line;
	const char *group;		/* "S0", "CPU3": of --per-socket, -A, ...; or NULL */
	const char *value;		/* a number, or "<not counted>", "<not supported>" */
	const char *unit;		/* "msec"; "" or NULL: a count */
	const char *event;
	bool interval;			/* of a time, not of a command: less is not better */
	double spread;			/* +- percent of the mean over runs; NaN: not said */
};

/* Takes a count. One that was not taken is listed, never 0. */
void format_perf_stat_add(struct format_perf_stat *p, const struct format_perf_stat_count *c);

/* Whether a line is one of CSV; *c is made of it then (texts in the arena). */
bool format_perf_stat_csv(struct arena *a, const char *line, struct format_perf_stat_count *c);

#endif
