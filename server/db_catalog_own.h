/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of the catalogue, shared by db_catalog.c, _load.c and _resolve.c only. */
#ifndef SERVER_DB_CATALOG_OWN_H
#define SERVER_DB_CATALOG_OWN_H

#include <pthread.h>

#include "db_catalog.h"

/* Entries by id; each begins with its int64_t id. */
struct cat_list {
	const void **v;
	size_t n, cap;
};

/* Entries by natural key: open addressing, compared with the kind's own function. */
struct cat_index {
	struct cat_slot {
		uint64_t hash;
		void *entry;		/* NULL: free */
	} *slots;
	size_t n, cap;			/* cap: a power of two, or 0 */
};

struct machine_entry {
	struct cat_machine m;
	int64_t fact_id;		/* of m's facts, 0 for none */
	int64_t facts_at;		/* or TM_NONE */
};

struct benchmark_entry {
	struct cat_benchmark b;
	struct cat_list series;		/* of it */
};

struct fact_entry {
	int64_t id, machine_id;
	uint8_t sha256[32];
};

enum cat_kind { CAT_MACHINE, CAT_FACT, CAT_KERNEL, CAT_CONFIG, CAT_BENCHMARK, CAT_METRIC, CAT_SERIES, CAT_KINDS };

struct catalog {
	pthread_rwlock_t lock;
	struct arena *arena;		/* under lock, as the next two */
	struct cat_list lists[CAT_KINDS];
	struct cat_index indexes[CAT_KINDS];

	pthread_mutex_t refresh_lock;	/* one refresh at a time; never taken with lock held */
	int64_t since;			/* under refresh_lock: every change before this transaction is in */
	bool still;			/* under refresh_lock: a later look found the same snapshot */
	char *snapshot;			/* under refresh_lock: the last look, all of which is in; PostgreSQL's words */
};

const void *db_catalog_own_by_id(const struct catalog *c, enum cat_kind kind, int64_t id);
/* Puts an entry in; its key must not be there yet. Under the write lock. */
void db_catalog_own_add(struct catalog *c, enum cat_kind kind, void *entry);

/* Among the series of its benchmark, too. */
void db_catalog_own_add_series(struct catalog *c, struct cat_series *s);

/* By natural key, NULL where there is none. Under the lock. */
const struct machine_entry *db_catalog_own_machine(const struct catalog *c, const char *name);
const struct fact_entry *db_catalog_own_fact(const struct catalog *c, int64_t machine_id, const uint8_t sha256[32]);
const struct cat_kernel *db_catalog_own_kernel(const struct catalog *c, const char *identity);
const struct cat_config *db_catalog_own_config(const struct catalog *c, const char *thp, int base_page_kib,
					       const char *flavour);
const struct cat_benchmark *db_catalog_own_benchmark(const struct catalog *c, const char *name);
const struct cat_metric *db_catalog_own_metric(const struct catalog *c, const char *name, const char *unit,
					       enum better better);
const struct cat_series *db_catalog_own_series(const struct catalog *c, const struct cat_benchmark *benchmark,
					       const struct cat_metric *metric, const struct cat_machine *machine,
					       const struct cat_config *config, const char *params);

#endif
