/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was learned of the noise of series: derived from their samples, rebuildable, never the truth. */
#ifndef SERVER_DB_NOISE_H
#define SERVER_DB_NOISE_H

#include "db.h"

struct db_noise {		/* see schema/0006_noise.sql */
	int64_t series_id;
	double variance, df, within, reps;	/* within NaN: not known */
	int64_t kernels;
};

/* Of these series, in order of id; those that have none are left out. */
int db_noise_read(struct db *db, struct arena *a, const int64_t *series_ids, size_t n_series, struct db_noise **list,
		  size_t *n, struct err *err);
/* Of all series from `first` to `last`: for thousands. */
int db_noise_read_range(struct db *db, struct arena *a, int64_t first, int64_t last, struct db_noise **list, size_t *n,
			struct err *err);
/* A number that every write adds to: the same number, the same noise. */
int db_noise_version(struct db *db, int64_t *version, struct err *err);
/* Each series at most once. */
int db_noise_write(struct db *db, struct arena *a, const struct db_noise *list, size_t n, struct err *err);
int db_noise_delete(struct db *db, const int64_t *series_ids, size_t n, struct err *err);

#endif
