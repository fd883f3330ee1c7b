/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Learning the noise of series, for comparisons of many. */
#ifndef SERVER_CALC_NOISE_LEARN_H
#define SERVER_CALC_NOISE_LEARN_H

#include "db_catalog.h"
#include "db_runs.h"

/*
 * In a transaction: from all samples of these series. Adds to *changed how many were written, which are those
 * that say something else than before.
 */
int calc_noise_learn(struct catalog *c, struct db *db, struct arena *a, const int64_t *series_ids, size_t n,
		     size_t *changed, struct err *err);
/* The same from samples that are read already; ids in order. */
int calc_noise_learn_given(struct catalog *c, struct db *db, struct arena *a, const int64_t *ids, size_t n,
			   const struct sample *samples, size_t n_samples, size_t *changed, struct err *err);
/* The same for all series there are. */
int calc_noise_learn_all(struct db *db, size_t *changed, struct err *err);

#endif
