/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The raw repetitions behind one row of a comparison. */
#ifndef SERVER_API_COMPARE_VALUES_H
#define SERVER_API_COMPARE_VALUES_H

#include "../lib/jsonw.h"
#include "calc_compare.h"
#include "web.h"

#define COMPARE_VALUES_RUNS 100		/* of a row at most: the oldest */

struct compare_values {
	const struct compare *compare;
	int64_t series_id;
	const struct run **runs;	/* with their values, in the order of their start */
	size_t n;
};

/* Reads them: of the row with series_id, or none where there is no such row. In rq->arena. */
int api_compare_values(struct req *rq, const struct compare *c, const struct compare_runs *narrowed, int64_t series_id,
		       struct compare_values *out, struct err *err);

/* The member repetitions: {"base": [{run_id, boot_id, started_at, values}], "head": ..., "fix": ...}. */
void api_compare_values_json(struct jsonw *j, const struct compare_values *v);

#endif
