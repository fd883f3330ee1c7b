/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one way to write into the audit trail: begin, the details as one JSON object (or nothing) into .json, end; in the
 * transaction that does what it tells of.
 */
#ifndef SERVER_CALC_AUDIT_H
#define SERVER_CALC_AUDIT_H

#include "../lib/buf.h"
#include "../lib/jsonw.h"
#include "db_events.h"

struct audit {
	struct db_event event;	/* from_state, to_state and key may be set before the end */
	struct buf buf;
	struct jsonw json;
};

/* The texts are borrowed until the end. */
void calc_audit_begin(struct audit *au, const char *who, const char *kind, const char *action, const char *object);
/* Writes it. *done (may be NULL) is what stands there then, with its texts in `a`. */
int calc_audit_end(struct audit *au, struct db *db, struct arena *a, struct db_event *done, struct err *err);

/* For objects that have a number. */
const char *calc_audit_number(struct arena *a, int64_t id);

#endif
