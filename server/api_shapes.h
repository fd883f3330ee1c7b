/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON shapes, query arguments and words that several resources share. */
#ifndef SERVER_API_SHAPES_H
#define SERVER_API_SHAPES_H

#include "../lib/jsonw.h"
#include "calc_compare.h"
#include "calc_why.h"
#include "db_seen.h"
#include "web.h"

/* KERNEL of API.md; NULL becomes null. */
void api_shapes_kernel(struct jsonw *j, const struct cat_kernel *k);
/* The same shape from a parsed name: commit and released_at are null. */
void api_shapes_parsed_kernel(struct jsonw *j, const struct kernel *k);

/* "why": the shape Why of the API. */
void api_shapes_why(struct jsonw *j, const struct why *why);
/* An argument that is 0 or 1; 0 without. */
int api_shapes_flag(struct req *rq, const char *name, bool *flag, struct err *err);
/* [lo, hi], or null where it is not known. */
void api_shapes_interval(struct jsonw *j, const char *key, bool known, double lo, double hi);

/* "series_id": ids are strings. */
void api_shapes_id(struct jsonw *j, const char *key, int64_t id);

/* The selectors among the request's arguments, resolved. Refreshes the catalogue. */
int api_shapes_selection(struct req *rq, struct selection *sel, struct err *err);
/*
 * What runs must have for the selection: machines and configs, benchmarks where one is asked for, and series
 * where a metric or a parameter is. False: no selector but track= is given, so every run will do.
 */
bool api_shapes_seen(struct req *rq, const struct selection *sel, struct seen_filter *f);
/* The kernels whose tracks the selection lets in. */
const int64_t *api_shapes_track_kernels(struct req *rq, const struct selection *sel, size_t *n);
/* run=ID arguments; ids that name no run are an error. */
int api_shapes_runs(struct req *rq, struct compare_runs *runs, struct err *err);
/* base= (may be `previous`), head= and fix= (NULL when not given). */
int api_shapes_kernels(struct req *rq, const struct selection *sel, const struct cat_kernel **base,
		       const struct cat_kernel **head, const struct cat_kernel **fix, struct err *err);

#endif
