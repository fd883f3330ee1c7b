/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The comparison as a resource, as text for a mail and as a picture. */
#ifndef SERVER_API_COMPARE_H
#define SERVER_API_COMPARE_H

#include "../lib/jsonw.h"
#include "calc_compare.h"
#include "web.h"

int api_compare(struct req *rq, struct err *err);

/* What it answers without any argument but the kernels and selectors, as one object. */
void api_compare_json(struct buf *out, struct arena *a, const struct compare *c);

/* All rows as elements of an array. */
void api_compare_rows(struct buf *out, const struct compare *c);
/* One of them, its object left open for more members. */
void api_compare_row(struct jsonw *j, const struct compare_row *r);

/* At most 72 columns; a table per benchmark, metric, machine and THP mode. */
void api_compare_text(struct buf *out, struct arena *a, const struct compare *c);
void api_compare_svg(struct buf *out, struct arena *a, const struct compare *c);

#endif
