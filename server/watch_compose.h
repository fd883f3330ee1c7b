/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a delivery says: the alert's mail, its JSON, a message for a chat, or a digest of many. */
#ifndef SERVER_WATCH_COMPOSE_H
#define SERVER_WATCH_COMPOSE_H

#include "../lib/buf.h"
#include "calc_mail.h"
#include "db_outbox.h"

/*
 * Writes subject and body into the row, unless they are there: what is known now becomes what
 * all attempts say.
 */
int watch_compose(struct catalog *catalog, struct db *db, struct arena *a, struct outbox_item *item,
		  const struct calc_mail_look *look, struct err *err);

/*
 * A text as the message of a chat, JSON: fixed width, in which nothing is markup and nobody is
 * called. At most WATCH_COMPOSE_LINES lines of it; link: under it, or NULL.
 */
#define WATCH_COMPOSE_LINES 40
void watch_compose_chat(struct buf *out, enum outbox_kind kind, const char *subject, const char *text,
			const char *link);

#endif
