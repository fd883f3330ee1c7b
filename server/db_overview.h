/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the first page and the pages of one machine, kernel or benchmark ask for. Each statement finds its
 * rows by an index; what it costs grows with what is shown, not with what is stored (tests/http/test_overview.py).
 */
#ifndef SERVER_DB_OVERVIEW_H
#define SERVER_DB_OVERVIEW_H

#include "db.h"

/* Whether a kernel has runs. */
int db_overview_has_runs(struct db *db, int64_t kernel_id, bool *any, struct err *err);

/* How many runs of a kernel a machine has; runs that are wrong counted, too. By kernel, then machine. */
struct overview_count {
	int64_t kernel_id, machine_id, runs;
};
int db_overview_counts(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels,
		       struct overview_count **list, size_t *n, struct err *err);

/* When the runs of a kernel came, first and last. By kernel. */
struct overview_times {
	int64_t kernel_id, first_at, last_at;
};
int db_overview_times(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels,
		      struct overview_times **list, size_t *n, struct err *err);

/* Those of these kernels that have runs which wait for their check, in id order. */
int db_overview_unchecked(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels, int64_t **ids,
			  size_t *n, struct err *err);

/* What the rows of an alert say of one machine. */
struct overview_extent {
	struct uuid alert_id;
	int64_t machine_id, n_series;
	double least, greatest;		/* percent, as computed */
};
int db_overview_extents(struct db *db, struct arena *a, const struct uuid *alert_ids, size_t n_alerts,
			struct overview_extent **list, size_t *n, struct err *err);

/* When the newest run of a machine was started, by the machine's clock; TM_NONE: it has none. */
int db_overview_last_start(struct db *db, int64_t machine_id, int64_t *at, struct err *err);

#endif
