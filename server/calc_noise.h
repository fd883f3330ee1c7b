/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How noisy series are known to be: from their history (kernels other than those compared),
 * else from their siblings (the same benchmark, metric, machine and config with other params).
 * A comparison of few series reads their samples, so that it knows what was uploaded a
 * moment ago; one of many reads what was learned from them when runs were checked.
 */
#ifndef SERVER_CALC_NOISE_H
#define SERVER_CALC_NOISE_H

#include "calc_sides.h"

/* Up to this many series are looked up by their samples (fewer where there are more than 500 kernels). */
#define CALC_NOISE_DIRECT 1000
/* Newest kernels of a track that make the history. */
#define CALC_NOISE_KERNELS 64

/* One a series of the selection, in its order. kernels: of the sides, which are no history of themselves. */
int calc_noise_read(struct catalog *c, struct db *db, struct arena *a, const struct sides *sides,
		    const struct cat_kernel *const *kernels, size_t n_kernels, struct noise *out, struct err *err);

/* The same where all samples of the series are read already. */
int calc_noise_given(struct catalog *c, struct db *db, struct arena *a, const struct sides *sides,
		     const struct cat_kernel *const *kernels, size_t n_kernels, const struct sample *samples, size_t n,
		     struct noise *out, struct err *err);

/* One a series, as its samples tell, without the kernels of `except`; source NOISE_NONE where they don't. */
int calc_noise_of_samples(struct catalog *c, struct db *db, struct arena *a, const int64_t *series_ids, size_t n,
			  const struct cat_kernel *const *except, size_t n_except, struct noise *out,
			  struct err *err);

/* Of samples that are read already. */
void calc_noise_of_given(struct catalog *c, struct arena *a, const int64_t *series_ids, size_t n,
			 const struct sample *samples, size_t n_samples, const struct cat_kernel *const *except,
			 size_t n_except, struct noise *out);

#endif
