/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which machines, benchmarks and series are read as one (somebody merged them), as the catalogue
 * saw it when this connection refreshed it last. Runs and what is packed of them keep the ids they came
 * with; db_*.c ask for all ids of a question, and answer with the one that stands for them.
 */
#ifndef SERVER_DB_UNITED_H
#define SERVER_DB_UNITED_H

#include "db.h"

enum united_kind { UNITED_MACHINE, UNITED_BENCHMARK, UNITED_SERIES, UNITED_KINDS };

/* These ids and all that are read as one of them; `ids` itself where that is no more. *n becomes how many. */
const int64_t *db_united_all(const struct db *db, enum united_kind kind, struct arena *a, const int64_t *ids, size_t *n);
/* The one that stands for it: itself, mostly. */
int64_t db_united_main(const struct db *db, enum united_kind kind, int64_t id);
void db_united_mains(const struct db *db, enum united_kind kind, int64_t *ids, size_t n);
/* The ones that stand for these, in order and each once; *n becomes how many. Left as they are where nothing is one. */
void db_united_each(const struct db *db, enum united_kind kind, int64_t *ids, size_t *n);
/* Whether nothing at all is. */
bool db_united_nothing(const struct db *db);

/* The catalogue's side. Shared and counted: each db that uses one holds it, whoever made it drops it. */
struct db_united;
struct db_united_pair {
	int64_t id, main;		/* never the same */
};
struct db_united *db_united_new(const struct db_united_pair *const lists[UNITED_KINDS], const size_t n[UNITED_KINDS]);
void db_united_drop(struct db_united *u);			/* accepts NULL */
void db_united_use(struct db *db, struct db_united *u);	/* NULL: nothing is one */

#endif
