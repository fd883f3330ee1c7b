/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs that are wrong, and why: no question is answered from them, and they stay. */
#ifndef SERVER_DB_INVALID_H
#define SERVER_DB_INVALID_H

#include "db_runs.h"

struct db_invalid {
	struct uuid run_id;
	const char *reason, *who;
	int64_t at;
};

/* Those among these runs. */
int db_invalid_of(struct db *db, struct arena *a, const struct uuid *ids, size_t n, struct db_invalid **list,
		  size_t *n_list, struct err *err);

/*
 * In a transaction: from its end on nothing is read from the run, packs included; and back again. *was: it was so
 * already. The run waits for its check then, so that alerts follow.
 */
int db_invalid_add(struct db *db, const struct run *run, struct db_invalid *invalid, bool *was, struct err *err);
int db_invalid_remove(struct db *db, const struct uuid *run_id, bool *was, struct err *err);

#endif
