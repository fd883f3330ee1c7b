/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other names of machines and benchmarks. The rows' own names never change: labs go on sending them. */
#ifndef SERVER_DB_NAMES_H
#define SERVER_DB_NAMES_H

#include "db.h"

enum names_of { NAMES_MACHINE, NAMES_BENCHMARK };

struct db_names {
	int64_t id;
	const char *key;		/* the row's own */
	const char *shown;		/* or NULL: the own */
	const char *const *aliases;
	size_t n_aliases;
	int64_t merged_into;		/* 0: nothing */
};

/* In a transaction, locked. By its own name, what is shown, or an alias; *names NULL: none. */
int db_names_find(struct db *db, struct arena *a, enum names_of of, const char *name, struct db_names **names,
		  struct err *err);
/* What it is merged into, in the end: *names becomes that row, locked. */
int db_names_root(struct db *db, struct arena *a, enum names_of of, struct db_names **names, struct err *err);
int db_names_write(struct db *db, enum names_of of, const struct db_names *names, struct err *err);

#endif
