/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an export reads beside the runs themselves (db_runs_get()), and what an import writes beside them: names, dates of
 * kernels, and what people decided, each as a JSON object {"record": KIND, ...} in which others are named, not numbered.
 */
#ifndef SERVER_DB_EXPORT_H
#define SERVER_DB_EXPORT_H

#include "db_runs.h"

/* fn in one snapshot of the database. No second attempt. */
int db_export_snapshot(struct db *db, db_tx_fn fn, void *arg, struct err *err);

/* Ids in the order in which they came, at most `most`, behind *at, which is moved. */
int db_export_ids(struct db *db, struct run_cursor *at, struct uuid *ids, int most, size_t *n, struct err *err);

/* What a run's row refers to, by name. Text in the arena; NULL: not known. */
struct export_head {
	const char *machine, *isa, *uarch, *facts;
	const char *release, *variant, *commit;		/* variant: the kernel is one, and this is it */
	const char *thp, *token;
	int base_page_kib;
	const void *content_sha256;			/* 32 bytes */
};
int db_export_head(struct db *db, struct arena *a, const struct uuid *run_id, struct export_head *h, struct err *err);

struct export_series {
	int64_t id;
	const char *benchmark, *metric, *unit, *params;
	enum better better;
};
/* Those that were asked for stay known; owner: the caller, db_export_names_free(). */
struct export_names;
struct export_names *db_export_names_new(void);
void db_export_names_free(struct export_names *names);
int db_export_names_need(struct export_names *names, struct db *db, const int64_t *ids, size_t n, struct err *err);
const struct export_series *db_export_names_of(const struct export_names *names, int64_t id);	/* of one that was needed */

/* All records, each a line of JSON, in an order in which they can be put back: those that go before the runs, or the rest. */
typedef int (*db_export_fn)(const char *kind, const char *json, void *arg, struct err *err);
int db_export_records(struct db *db, bool first, db_export_fn fn, void *arg, struct err *err);

/*
 * In one transaction, after the runs: puts one back. *done false: it is of a kind that this database had some of before
 * db_export_begin() was called in it, and is left out.
 */
struct export_import {
	bool has[16];				/* by kind, before */
};
int db_export_begin(struct db *db, struct export_import *into, struct err *err);
int db_export_put(struct db *db, const struct export_import *into, const char *kind, const char *json, bool *done,
		  struct err *err);
int db_export_end(struct db *db, struct err *err);

/* The partition of run_raw for what came then. */
int db_export_month(struct db *db, int64_t received_at, struct err *err);

#endif
