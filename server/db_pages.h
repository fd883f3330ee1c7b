/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages that were kept: written once, by their content, never changed. */
#ifndef SERVER_DB_PAGES_H
#define SERVER_DB_PAGES_H

#include "db.h"

struct db_page {
	struct uuid id;
	int64_t made_at;		/* when it was first kept */
	const char *made_by, *address, *html;
};

/* Keeps it unless one of its id is there, which then says the same; *is_new: whether there was none. */
int db_pages_keep(struct db *db, const struct db_page *p, bool *is_new, struct err *err);
/* *html NULL: there is none. In `a`. */
int db_pages_html(struct db *db, struct arena *a, const struct uuid *id, const char **html, struct err *err);

#endif
