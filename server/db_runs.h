/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run: one immutable row with its arrays, the durable record of an upload; and reading runs back. */
#ifndef SERVER_DB_RUNS_H
#define SERVER_DB_RUNS_H

#include "db_catalog.h"

/* One sample as statistics see it: a run's summary of one series. */
struct sample {
	int64_t series_id, kernel_id;
	uint64_t run_key;		/* 64 bits made of the run's id */
	uint64_t boot_key;		/* same = same boot of one machine; of boot_id, or of run_id without one */
	int64_t started_at;
	int64_t n;
	double mean, stddev, min, max;	/* stddev NaN where n < 2 or unknown */
};

enum write_outcome { WRITE_FAILED, WRITE_STORED, WRITE_DUPLICATE, WRITE_CONFLICT };

struct run_write {
	const struct submission *sub;
	const void *raw;		/* the body as it came (of this submission) */
	size_t raw_len;
	const char *raw_type;		/* its media type */
	const char *token_name;		/* whose token it came with, or NULL */
	bool dry_run;
	int64_t received_at;		/* of an import; 0 or TM_NONE: now. Its month must be there, and the run must be new */
	/* out */
	enum write_outcome outcome;
	size_t series_new;
	struct err err;			/* of WRITE_FAILED */
};

/* Groups the writes of many workers into few commits (leader and followers). One a process. */
struct run_writer;
struct run_writer *db_runs_writer_new(struct catalog *c);
void db_runs_writer_free(struct run_writer *w);

/* Durable when it returns WRITE_STORED. Called by workers with their own db; sets w->outcome, never fails otherwise. */
void db_runs_write(struct run_writer *rw, struct db *db, struct arena *a, struct run_write *w);

/* Everything of one run. Arrays are in the submission's order. */
struct run {
	struct uuid run_id;
	int64_t machine_id, kernel_id, config_id;
	const char *boot_id, *format, *source, *labels, *environment;	/* boot_id may be NULL */
	int64_t started_at, finished_at, received_at;
	size_t n_results;
	int64_t *series_ids;
	int16_t *status;		/* enum result_status */
	int64_t *n;
	double *mean, *median, *stddev, *min, *max;
	const char *const *errors;	/* NULL, or one text or NULL a result */
	const char *const *original_units;	/* likewise */
	double **values;		/* only from db_runs_get(): raw repetitions, NULL without */
	size_t *n_values;
	const char *not_imported;	/* JSON array [{"at","message"}] or NULL */
	int64_t raw_dropped_at;		/* only from db_runs_get(): when retention dropped values and body; or TM_NONE */
};

/* 0 with *run NULL: no such run. */
int db_runs_get(struct db *db, struct arena *a, const struct uuid *run_id, struct run **run, struct err *err);
/*
 * The ids from lowest to highest, at most `most` of them: what an id that is given in part may mean.
 * Returns how many, or -1.
 */
int db_runs_between(struct db *db, const struct uuid *lowest, const struct uuid *highest, struct uuid *ids, int most,
		    struct err *err);
int db_runs_raw(struct db *db, struct arena *a, const struct uuid *run_id, const void **body, size_t *len,
		const char **type, struct err *err);

/*
 * The samples of these kernels (all machines, or those given; n_machines 0: all), under the series that stand for
 * theirs, one callback
 * a run, which lives in the arena; failed results are in it. In the order of started_at and id.
 * fn must not use db, and may have seen some where this fails. Without what describes a run: format, source, labels, environment, the other times, medians,
 * original units. For compare, sweep, matrix, detect.
 */
typedef int (*db_runs_each_fn)(const struct run *run, void *arg, struct err *err);
int db_runs_each_of_kernels(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels,
			    const int64_t *machine_ids, size_t n_machines, db_runs_each_fn fn, void *arg,
			    struct err *err);
/*
 * The same where they bring very many results: first those of half of the kernels, then the others'. See
 * db_query_each_two().
 */
int db_runs_each_of_halves(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels,
			   const int64_t *machine_ids, size_t n_machines, db_runs_each_fn fn, void *arg, struct err *err);
/*
 * The same of these runs, in the order of their ids, without those that were found wrong (as above), under their own
 * series. For packing.
 */
int db_runs_each_of_ids(struct db *db, struct arena *a, const struct uuid *run_ids, size_t n, db_runs_each_fn fn,
			void *arg, struct err *err);
uint64_t db_runs_run_key(const struct uuid *run_id);
uint64_t db_runs_boot_key(int64_t machine_id, const char *boot_id, const struct uuid *run_id);

/* Newest first; the page after `before` (a received_at and id), or from the top. Headers only (arrays NULL). */
struct run_cursor {
	int64_t received_at;		/* TM_NONE: from the top */
	struct uuid run_id;
};
struct run_filter {			/* 0 / NULL = any */
	const int64_t *machine_ids, *kernel_ids, *config_ids;
	const int64_t *benchmark_ids;	/* runs that have at least one of these */
	const int64_t *series_ids;	/* and of these, which are all of those benchmarks */
	size_t n_machines, n_kernels, n_configs, n_benchmarks, n_series;
};
int db_runs_list(struct db *db, struct arena *a, const struct run_filter *f, const struct run_cursor *before,
		 int limit, struct run **runs, size_t *n, struct err *err);

/*
 * The run that its machine started before this one, in one of these configurations (n_configs 0: in any). Runs that were
 * found wrong are passed over. Its header only, as above; *before NULL: none.
 */
int db_runs_before(struct db *db, struct arena *a, const struct run *run, const int64_t *config_ids, size_t n_configs,
		   struct run **before, struct err *err);

/* A text that changes whenever committed data may have changed: the version behind ETags and caches. */
int db_runs_data_version(struct db *db, struct arena *a, const char **version, struct err *err);
void db_runs_expect_version(struct db *db, const char *version);	/* as db_expect(), which see */

#endif
