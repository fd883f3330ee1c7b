/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What list resources share: limit and cursor, tables. */
#ifndef SERVER_API_LIST_H
#define SERVER_API_LIST_H

#include "../chart/table.h"
#include "web.h"

#define API_LIST_STANDARD 100
#define API_LIST_MOST 1000
#define API_LIST_TIME_MOST INT64_C(253402300799999999)	/* of a cursor: the end of the year 9999 */

struct api_list {
	size_t from, to;	/* this page's items */
	const char *next;	/* the cursor behind it, or NULL */
};

/*
 * The page of a list of n that limit= and cursor= ask for. The cursor is a place, which is
 * exact for lists that only grow at their end (all in id order are).
 */
int api_list_page(const struct req *rq, size_t n, struct api_list *page, struct err *err);
int api_list_limit(const struct req *rq, int *limit, struct err *err);

/* The table as the representation asked for: CSV or text. */
void api_list_table(struct req *rq, const struct table *t);

#endif
