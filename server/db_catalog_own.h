/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of the catalogue, shared by db_catalog.c, _load.c and _resolve.c only. */
#ifndef SERVER_DB_CATALOG_OWN_H
#define SERVER_DB_CATALOG_OWN_H

#include <pthread.h>

#include "db_catalog.h"
#include "db_united.h"

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

/* What a row says of its names. Those that answers show take in what is merged into it. */
struct cat_names {
	const char *shown;
	const char *const *aliases;	/* NULL-terminated, or NULL */
	int64_t merged_into;		/* 0: nothing */
};

struct machine_entry {
	struct cat_machine m;		/* as answers show it */
	int64_t fact_id;		/* of its facts, 0 for none */
	int64_t facts_at;		/* or TM_NONE */
	struct cat_names own;
	const char *isa, *uarch, *facts;	/* the row's own */
	struct machine_entry *root;	/* whose history its is; itself, mostly */
	bool grouped;			/* with others, as one of them or as their root */
};

struct benchmark_entry {
	struct cat_benchmark b;		/* as answers show it */
	struct cat_list series;		/* of it, and of what is merged into it */
	struct cat_names own;
	struct benchmark_entry *root;
	bool grouped;
};

struct series_entry {
	struct cat_series s;		/* its machine and benchmark are their roots */
	const struct machine_entry *machine;	/* the row's own, */
	const struct benchmark_entry *benchmark;	/* which make its natural key */
	const struct series_entry *main;	/* that it is read as; itself, mostly */
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
	struct cat_list live[CAT_KINDS];	/* where anything is merged: machines, benchmarks and series without what others stand for */
	struct db_united *united;	/* changes under both locks; NULL: nothing is merged */

	pthread_mutex_t refresh_lock;	/* one refresh at a time; never taken with lock held */
	int64_t since;			/* under refresh_lock: every change before this transaction is in */
	bool still;			/* under refresh_lock: a later look found the same snapshot */
	char *snapshot;			/* under refresh_lock: the last look, all of which is in; PostgreSQL's words */
};

const void *db_catalog_own_by_id(const struct catalog *c, enum cat_kind kind, int64_t id);
/* Puts an entry in; its key must not be there yet. Under the write lock. */
void db_catalog_own_add(struct catalog *c, enum cat_kind kind, void *entry);

/* Among the series of its benchmark, too. */
void db_catalog_own_add_series(struct catalog *c, struct series_entry *s);
void db_catalog_own_list_add(struct cat_list *l, const void *entry);

/* Sets what answers show of it: facts of that entry, and these other names. Under the write lock. */
void db_catalog_own_show_machine(struct catalog *c, struct machine_entry *e, const struct machine_entry *facts,
				 const char *const *aliases);
void db_catalog_own_show_benchmark(struct catalog *c, struct benchmark_entry *e, const char *const *aliases);
/* After rows were loaded: finds what is read as one, and makes the lists anew. Under both locks. */
void db_catalog_own_unite(struct catalog *c);

/* By natural key, or another name that is its own; NULL where there is none. Whatever it is merged into. Under the lock. */
const struct machine_entry *db_catalog_own_machine(const struct catalog *c, const char *name);
const struct fact_entry *db_catalog_own_fact(const struct catalog *c, int64_t machine_id, const uint8_t sha256[32]);
const struct cat_kernel *db_catalog_own_kernel(const struct catalog *c, const char *identity);
const struct cat_config *db_catalog_own_config(const struct catalog *c, const char *thp, int base_page_kib,
					       const char *flavour);
const struct benchmark_entry *db_catalog_own_benchmark(const struct catalog *c, const char *name);
const struct cat_metric *db_catalog_own_metric(const struct catalog *c, const char *name, const char *unit,
					       enum better better);
/* Of each of these, at most CAT_SERIES_AT_ONCE, of which only the natural key is looked at. */
#define CAT_SERIES_AT_ONCE 64
void db_catalog_own_series(const struct catalog *c, const struct series_entry *keys, size_t n,
			   const struct series_entry **found);

#endif
