/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the pages of one machine, kernel or benchmark ask for, each found by an index. */
#ifndef SERVER_DB_ABOUT_H
#define SERVER_DB_ABOUT_H

#include "db.h"

/* Facts of a machine as runs told them, the oldest first. */
struct about_fact {
	int64_t first_seen_at;
	const char *isa, *uarch, *facts;	/* facts: JSON object */
};
int db_about_facts(struct db *db, struct arena *a, int64_t machine_id, struct about_fact **list, size_t *n, struct err *err);

/* Runs of a machine, the newest start first; wrong ones left out. */
struct about_run {
	struct uuid run_id;
	int64_t kernel_id, config_id, started_at, received_at, n_results;
	const char *boot_id, *environment, *source;	/* or NULL; the last two JSON objects */
};
int db_about_runs(struct db *db, struct arena *a, int64_t machine_id, int most, struct about_run **list, size_t *n,
		  struct err *err);

/* Where a kernel was run, and how often; by machine and config. */
struct about_place {
	int64_t machine_id, config_id, runs, last_at;	/* last_at: when the newest was started */
};
int db_about_places(struct db *db, struct arena *a, int64_t kernel_id, struct about_place **list, size_t *n, struct err *err);
/* Which of these benchmarks it was run with, packed runs only; in id order. */
int db_about_benchmarks(struct db *db, struct arena *a, int64_t kernel_id, const int64_t *benchmark_ids, size_t n_benchmarks,
			int64_t **ids, size_t *n, struct err *err);
/* The commits that somebody told of it (POST /api/v1/kernels), a JSON array; NULL: none. */
int db_about_log(struct db *db, struct arena *a, int64_t kernel_id, const char **log, struct err *err);

/* The newest packed run of a benchmark. *run NULL: there is none. */
int db_about_newest(struct db *db, struct arena *a, int64_t benchmark_id, struct about_run **run, struct err *err);

#endif
