/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dimensions (machine, kernel, config, benchmark, metric, series) in memory: few,
 * small, only growing, so that a query is resolved to series ids without SQL and an
 * upload finds its ids without a round trip. One catalogue a process; entries never
 * move or go away, so pointers to them stay good; what may change in them (a
 * machine's facts, a kernel's dates) changes under the write lock.
 */
#ifndef SERVER_DB_CATALOG_H
#define SERVER_DB_CATALOG_H

#include "../ingest/submission.h"
#include "db.h"

struct cat_kernel {
	int64_t id;
	const char *name, *identity, *release, *base, *track;
	int rc;				/* 0 = none */
	int64_t distance;
	uint8_t key[KERNEL_KEY_MAX];	/* memcmp() order within the track */
	size_t key_len;
	bool is_variant;
	const char *variant;		/* JSON object, or NULL */
	int64_t variant_base_id;	/* kernel id, 0 for none */
	const char *commit;		/* or NULL */
	int64_t released_at;		/* or TM_NONE */
	const char *json;		/* all of it as answers show it, ready to copy: a trend has hundreds */
};

/* `json`: what answers say of an entry in each of thousands of rows, as members of a JSON object, ready to copy. */
struct cat_machine {
	int64_t id;
	const char *key;		/* what the first upload called it */
	const char *const *aliases;	/* other names that mean it, those of what is merged into it too; NULL-terminated, or NULL */
	const char *name, *isa, *uarch;	/* isa, uarch: the newest facts; "unknown" */
	const char *facts;		/* JSON object */
	const char *json;		/* "machine":...,"isa":...,"uarch":... */
};

struct cat_config {
	int64_t id;
	const char *thp;
	int base_page_kib;		/* 0 = unknown */
	const char *flavour;
	const char *json;		/* "thp":...,"base_page_kib":... */
};

struct cat_benchmark {
	int64_t id;
	const char *key;		/* as of a machine */
	const char *const *aliases;
	const char *name;
	const char *json;		/* "benchmark":... */
};

struct cat_metric {
	int64_t id;
	const char *name, *unit;
	enum better better;
	const char *json;		/* "metric":...,"unit":...,"better":... */
};

struct cat_param {
	const char *name;
	const char *text;		/* as text, for globs and columns */
	bool is_number;
	double number;
};

struct cat_series {
	int64_t id;
	const struct cat_benchmark *benchmark;
	const struct cat_metric *metric;
	const struct cat_machine *machine;
	const struct cat_config *config;
	const char *params;		/* JSON object, sorted, compact */
	const struct cat_param *param;	/* n_params, sorted by name */
	size_t n_params;
};

struct catalog;

struct catalog *db_catalog_new(void);
void db_catalog_free(struct catalog *c);

/* Brings in what others committed since the last call (any process). Cheap when nothing did. */
int db_catalog_refresh(struct catalog *c, struct db *db, struct err *err);
/* The same, without asking where the catalogue is of `version`, as db_runs_data_version() gave it a moment ago (or NULL). */
int db_catalog_refresh_for(struct catalog *c, struct db *db, const char *version, struct err *err);

/*
 * The version it is of, or NULL where that is likely not the database's any more: nobody has found it
 * unchanged yet.
 */
const char *db_catalog_version(struct catalog *c, struct arena *a);

/*
 * After a dump was restored into a new cluster: its rows bear transactions that this cluster has
 * yet to reach, and would all be read again at every refresh. Runs at each migration.
 */
int db_catalog_adopt(struct db *db, struct err *err);

/* Many readers at once; hold it while walking lists. Entries found stay valid after the unlock. */
void db_catalog_lock(struct catalog *c);
void db_catalog_unlock(struct catalog *c);

/*
 * Under the lock. Lists are in id order. NULL where there is none. Machines, benchmarks and series that are merged into
 * others stand in no list; asked by their ids and names, the other is found.
 */
const struct cat_kernel *const *db_catalog_kernels(const struct catalog *c, size_t *n);
const struct cat_machine *const *db_catalog_machines(const struct catalog *c, size_t *n);
const struct cat_config *const *db_catalog_configs(const struct catalog *c, size_t *n);
const struct cat_benchmark *const *db_catalog_benchmarks(const struct catalog *c, size_t *n);
const struct cat_metric *const *db_catalog_metrics(const struct catalog *c, size_t *n);
const struct cat_series *const *db_catalog_series(const struct catalog *c, size_t *n);
const struct cat_series *const *db_catalog_series_of(const struct catalog *c, int64_t benchmark_id, size_t *n);
const struct cat_kernel *db_catalog_kernel(const struct catalog *c, int64_t id);
const struct cat_kernel *db_catalog_kernel_of(const struct catalog *c, const char *identity);
const struct cat_machine *db_catalog_machine(const struct catalog *c, int64_t id);
const struct cat_machine *db_catalog_machine_of(const struct catalog *c, const char *name);
const struct cat_benchmark *db_catalog_benchmark(const struct catalog *c, int64_t id);
/* By any of its names, as db_catalog_machine_of(). */
const struct cat_benchmark *db_catalog_benchmark_of(const struct catalog *c, const char *name);
const struct cat_config *db_catalog_config(const struct catalog *c, int64_t id);
const struct cat_series *db_catalog_series_by_id(const struct catalog *c, int64_t id);

/* The ids a submission's rows need; what is new is inserted (its own short transaction, idempotent). */
struct sub_ids {
	int64_t machine_id, kernel_id, config_id;
	int64_t fact_id;		/* which version of the machine's facts; 0 where it says none */
	int64_t *series_ids;		/* one a result, in the submission's order */
	size_t series_new;
};
/* create = false (dry run): nothing is written, unknown ids are 0 and counted as new. Takes its own locks. */
int db_catalog_resolve(struct catalog *c, struct db *db, struct arena *a, const struct submission *sub,
		       bool create, struct sub_ids *ids, struct err *err);

/* Sets what is given (NULL / TM_NONE: leave) of a kernel, making it if it is new. */
int db_catalog_kernel_update(struct catalog *c, struct db *db, const struct kernel *k, const char *commit,
			     int64_t released_at, const char *log_json, bool *created, struct err *err);

/* What was uploaded as the log of these kernels, into logs[i]: a JSON array, or NULL. */
int db_catalog_kernel_logs(struct db *db, struct arena *a, const int64_t *ids, size_t n, const char **logs,
			   struct err *err);

#endif
