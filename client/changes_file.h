/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of series, for `nsecwatch detect`: JSON or CSV, a value a run in the order of the kernels. */
#ifndef CLIENT_CHANGES_FILE_H
#define CLIENT_CHANGES_FILE_H

#include <stddef.h>

#include "../lib/arena.h"
#include "../lib/err.h"
#include "../lib/stats/change.h"

struct changes_series {
	const char *name;
	struct change_run *runs;
	const char **labels;		/* one a run, or NULL */
	size_t n;
};

struct changes_file {
	struct changes_series *series;	/* in the order of the file */
	size_t n;
};

/*
 * JSON: {"series": {NAME: S}} or {NAME: S}, with S = {"values": [...], "sd": [...], "reps":
 * [...], "labels": [...]} (all but values may be missing) or just the values; a value
 * is a number, null (not run) or the array of its repetitions. CSV: a column value (or y, mean,
 * or the only one there is), and if wanted name (or series, series_id), stddev (or sd), n (or
 * reps) and label (or kernel). 0, or -1 and err.
 */
int changes_file_read(struct arena *a, const char *path, struct changes_file *file, struct err *err);

#endif
