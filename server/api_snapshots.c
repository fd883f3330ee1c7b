/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a mail about an alert said when it was written. */
#include "../lib/jsonw.h"
#include "../lib/tm.h"
#include "api_handlers.h"
#include "db_snapshots.h"

static void as_json(struct buf *out, const struct db_snapshot *s)
{
	struct jsonw j = jsonw_begin(out);
	char id[UUID_TEXT], at[TM_TEXT];

	jsonw_object(&j);
	jsonw_kstr(&j, "id", uuid_format(&s->id, id));
	jsonw_kstr(&j, "alert_id", uuid_format(&s->alert_id, id));
	jsonw_kstr(&j, "made_at", tm_format(s->made_at, at));
	jsonw_kstr(&j, "subject", s->subject);
	jsonw_kstr(&j, "text", s->body);
	jsonw_object_end(&j);
}

int api_snapshots_get(struct req *rq, struct err *err)
{
	struct db_snapshot *s;
	struct uuid id;
	char at[TM_TEXT];

	if (uuid_parse(rq->id, &id))
		return err_set(err, ERR_NOT_FOUND, "%.100s is no snapshot: a snapshot's id is a UUID", rq->id);
	if (db_snapshots_get(rq->db, rq->arena, &id, &s, err))
		return -1;
	if (!s)
		return err_set(err, ERR_NOT_FOUND, "there is no snapshot %s", rq->id);
	if (rq->rep == REP_CSV)
		buf_puts(&rq->out, s->csv);
	else if (rq->rep == REP_TEXT)
		buf_printf(&rq->out, "%s\nAs of %s\n\n%s", s->subject, tm_format(s->made_at, at), s->body);
	else
		as_json(&rq->out, s);
	return 0;
}
