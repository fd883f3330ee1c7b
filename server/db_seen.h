/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was measured together: which kernels, machines, configs and benchmarks share a run,
 * failed results counted. Asked of runs' headers and of run_seen with benchmark_set (derived, as packs are), so
 * that lists need not read the arrays of all runs.
 */
#ifndef SERVER_DB_SEEN_H
#define SERVER_DB_SEEN_H

#include "db.h"

/* In the transaction that packs these runs, or packed them before: from then on they are found here. */
int db_seen_add(struct db *db, const struct uuid *run_ids, size_t n, struct err *err);

/* What runs must have; a NULL list: any. */
struct seen_filter {
	const int64_t *machine_ids, *config_ids;
	const int64_t *benchmark_ids;	/* one of these; needed where series_ids is given */
	const int64_t *series_ids;	/* and one of these, which are all of those benchmarks */
	size_t n_machines, n_configs, n_benchmarks, n_series;
};
/* The kernels of such runs, each once, by id. */
int db_seen_kernels(struct db *db, struct arena *a, const struct seen_filter *f, int64_t **ids, size_t *n,
		    struct err *err);

/* What runs of these kernels have, each once, sorted. */
struct seen_place {
	int64_t benchmark_id, machine_id, config_id;
};
int db_seen_places(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels,
		   struct seen_place **list, size_t *n, struct err *err);
/* Whether a run of them still waits for its check. */
int db_seen_unchecked(struct db *db, int64_t machine_id, int64_t kernel_id, bool *waits, struct err *err);
bool db_seen_has(const struct seen_place *list, size_t n, const struct seen_place *place);
int db_seen_series(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels, int64_t **ids,
		   size_t *n, struct err *err);

#endif
