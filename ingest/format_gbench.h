/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What google-benchmark's three outputs (JSON, CSV, the console's table) have in
 * common: rows, most of them repetitions, some aggregates of these, some fits.
 */
#ifndef INGEST_FORMAT_GBENCH_H
#define INGEST_FORMAT_GBENCH_H

#include "format.h"

struct format_gbench_row {		/* borrowed texts, as long as the rows live */
	const char *in;			/* its place, as a draft_result's: "/benchmarks" or "line" */
	size_t index;
	const char *name;		/* as printed, an aggregate's with its suffix */
	const char *run_name;		/* NULL: not said */
	const char *aggregate;		/* "mean", ...: the row says that it is one */
	bool measured;			/* the row says that it is none */
	bool failed, skipped;
	const char *why;
	bool has_time;
	double real_time;
	const char *unit;
	bool has_iterations;
	int64_t iterations;
	int64_t repetitions;		/* of an aggregate: how many it is made of; 0 = not said */
	const char *counter;		/* name of a number that we do not import, or NULL */
};

struct format_gbench_rows {
	struct arena *a;
	struct format_gbench_row *rows;
	size_t n, cap;
};

void format_gbench_add(struct format_gbench_rows *rows, const struct format_gbench_row *row);

/* "mean" where the name of a row ends in "_mean" and so on, or NULL. */
const char *format_gbench_aggregate(const char *name);

/* Gives the series that the rows make to the draft, and tells what is left out. */
void format_gbench_results(struct format_file *f, struct draft *d, const struct format_gbench_rows *rows);

#endif
