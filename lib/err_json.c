/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "err_json.h"

static void problem(struct jsonw *j, const char *at, const char *message)
{
	jsonw_object(j);
	jsonw_kstr(j, "at", at);
	jsonw_kstr(j, "message", message);
	jsonw_object_end(j);
}

void err_json_problems(struct jsonw *j, const struct err *err)
{
	const struct problems *p = err->problems;
	char at[ERR_AT];

	jsonw_key(j, "problems");
	jsonw_array(j);
	for (size_t i = 0; p && i < p->n; i++)
		problem(j, p->list[i].at, p->list[i].message);
	if (!p && err_line_at(err, at))
		problem(j, at, err_line_message(err));
	jsonw_array_end(j);
	if (p && p->total > p->n)
		jsonw_ki64(j, "problems_total", (int64_t)p->total);
}
