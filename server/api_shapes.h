/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON shapes, query arguments and words that several resources share. */
#ifndef SERVER_API_SHAPES_H
#define SERVER_API_SHAPES_H

#include "../lib/jsonw.h"
#include "calc_compare.h"
#include "web.h"

/* KERNEL of API.md; NULL becomes null. */
void api_shapes_kernel(struct jsonw *j, const struct cat_kernel *k);
/* The same shape from a parsed name: commit and released_at are null. */
void api_shapes_parsed_kernel(struct jsonw *j, const struct kernel *k);

/* "series_id": ids are strings. */
void api_shapes_id(struct jsonw *j, const char *key, int64_t id);

/* The selectors among the request's arguments, resolved. Refreshes the catalogue. */
int api_shapes_selection(struct req *rq, struct selection *sel, struct err *err);
/* run=ID arguments; ids that name no run are an error. */
int api_shapes_runs(struct req *rq, struct compare_runs *runs, struct err *err);
/* base= (may be `previous`), head= and fix= (NULL when not given). */
int api_shapes_kernels(struct req *rq, const struct selection *sel, const struct cat_kernel **base,
		       const struct cat_kernel **head, const struct cat_kernel **fix, struct err *err);

/* Words for texts and pictures. */
const char *api_shapes_base_page(struct arena *a, const struct cat_config *c);	/* "4"; NULL: unknown */
const char *api_shapes_where(struct arena *a, const struct cat_series *s);	/* "milan-01 (epyc-milan, x86_64), THP always" */
const char *api_shapes_metric(struct arena *a, const struct cat_series *s);	/* "mprotect/tw4m latency (ns/call, lower is better)" */
const char *api_shapes_params(struct arena *a, const struct cat_series *s, const char *without);	/* "size_kib=4 threads=2" */

/* A parameter as an axis: "KiB" of size_kib ("" where the name says none), "size", "40 KiB". */
const char *api_shapes_axis_unit(const char *name);
const char *api_shapes_axis_head(struct arena *a, const char *name);
const char *api_shapes_axis_value(struct arena *a, const char *name, const char *value);

#endif
