/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expectations with names: when the last run came, when the next is due. */
#ifndef SERVER_CALC_EXPECT_H
#define SERVER_CALC_EXPECT_H

#include "db_expectations.h"

struct calc_expect {
	const struct db_expectation *e;
	const struct cat_machine *machine;
	const struct cat_kernel *kernel;	/* of the last run; NULL: there is none */
	const struct cat_benchmark *benchmark;	/* likewise */
	int64_t last_at, due_at;		/* last_at TM_NONE: no run yet */
};

/* Refreshes nothing: the catalogue must be as new as the expectation. */
int calc_expect_look(struct catalog *c, struct db *db, struct arena *a, const struct db_expectation *e,
		     struct calc_expect *out, struct err *err);
/* "no run of mprotect/tw4m from milan-01 since 2026-02-13T15:08:00Z; one is expected every 24 h" */
const char *calc_expect_sentence(struct arena *a, const struct calc_expect *x);
/* "90m", "24h", "7d", "2w" <-> seconds; -1: it is none. */
int64_t calc_expect_interval(const char *text);
const char *calc_expect_interval_text(struct arena *a, int64_t seconds);

#endif
