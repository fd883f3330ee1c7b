/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api_list.h"

#include <string.h>

#include "../lib/num.h"

int api_list_limit(const struct req *rq, int *limit, struct err *err)
{
	return web_arg_int(rq, "limit", 1, API_LIST_MOST, API_LIST_STANDARD, limit, err);
}

int api_list_page(const struct req *rq, size_t n, struct api_list *page, struct err *err)
{
	const char *cursor = web_arg(rq, "cursor");
	int64_t from = 0;
	int limit;

	if (api_list_limit(rq, &limit, err))
		return -1;
	if (cursor && (num_parse_i64(cursor, strlen(cursor), &from) || from < 0))
		return err_set(err, ERR_BAD_ARGUMENT, "cursor: take it from \"next\" of the page before");
	page->from = (size_t)from < n ? (size_t)from : n;
	page->to = n - page->from > (size_t)limit ? page->from + (size_t)limit : n;
	page->next = page->to < n ? arena_printf(rq->arena, "%zu", page->to) : NULL;
	return 0;
}

void api_list_table(struct req *rq, const struct table *t)
{
	if (rq->rep == REP_CSV)
		table_csv(&rq->out, t);
	else
		table_txt(&rq->out, t);
}
