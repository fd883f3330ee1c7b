/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_audit.h"

void calc_audit_begin(struct audit *au, const char *who, const char *kind, const char *action, const char *object)
{
	au->event = (struct db_event){ .who = who, .kind = kind, .action = action, .object = object };
	buf_init(&au->buf);
	au->json = jsonw_begin(&au->buf);
}

int calc_audit_end(struct audit *au, struct db *db, struct arena *a, struct db_event *done, struct err *err)
{
	struct db_event *e = &au->event;
	int ret;

	e->who = arena_strdup(a, e->who);
	e->object = arena_strdup(a, e->object);
	e->from_state = arena_strdup(a, e->from_state);
	e->to_state = arena_strdup(a, e->to_state);
	e->details = au->buf.len ? arena_strdup(a, au->buf.p) : "{}";
	buf_fini(&au->buf);
	ret = db_events_add(db, e, err);
	if (!ret && done)
		*done = *e;
	return ret;
}

const char *calc_audit_number(struct arena *a, int64_t id)
{
	return arena_printf(a, "%lld", (long long)id);
}
