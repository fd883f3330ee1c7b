/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Series packs: the samples again, ordered by series, for trends. Derived from runs in the
 * background, rebuildable, never the truth. Readers see packs plus the runs not packed yet.
 */
#ifndef SERVER_DB_PACKS_H
#define SERVER_DB_PACKS_H

#include "db_runs.h"

/* All samples up to the horizon of db, of these series and of what is read as one with them, packed or not, each run once, in no particular order. */
int db_packs_read(struct db *db, struct arena *a, const int64_t *series_ids, size_t n_series,
		  struct sample **samples, size_t *n, struct err *err);

/*
 * The same, of each series and kernel at most `most`, those that were started last: of a machine with
 * thousands of boots of a kernel the rest is not even fetched.
 */
int db_packs_read_newest(struct db *db, struct arena *a, const int64_t *series_ids, size_t n_series, size_t most,
			 struct sample **samples, size_t *n, struct err *err);

/*
 * Packs up to max_runs waiting runs in one transaction, fewer where they hold more samples than memory
 * is for. One packer works at a time; *packed = 0 when another does or none wait.
 */
int db_packs_work(struct db *db, struct arena *a, int max_runs, size_t *packed, struct err *err);
int db_packs_waiting(struct db *db, int64_t *runs, struct err *err);

/* In a transaction: no packer works until its end. */
int db_packs_lock(struct db *db, struct err *err);
/* Under that lock: what the packs have of this run goes. */
int db_packs_drop(struct db *db, const struct run *run, struct err *err);

/*
 * Makes the packs of these series anew from the runs: for whoever came upon a damaged chunk. In a transaction or not;
 * waits for whoever packs. Logs that it did.
 */
int db_packs_mend(struct db *db, const int64_t *series_ids, size_t n, struct err *err);

/* Makes all packs anew from runs where they differ from what they should be; tells how many did. */
struct rebuild_report {
	size_t runs, series, samples, series_changed;
};
int db_packs_rebuild(struct db *db, struct rebuild_report *report, struct err *err);

#endif
