/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs that are found wrong, and the way back. */
#include <string.h>

#include "api_body.h"
#include "api_handlers.h"
#include "api_runs.h"
#include "calc_audit.h"
#include "calc_triage.h"
#include "db_invalid.h"

#define DEADLINE_MS 30000
#define REASON_MOST 2000

struct correcting {
	struct req *rq;
	const struct run *run;
	const char *reason;		/* NULL where it is restored */
	bool restores, was;
	struct db_event event;
};

static int put_event(struct correcting *c, struct db *db, struct err *err)
{
	char id[UUID_TEXT];
	struct audit au;

	calc_audit_begin(&au, c->rq->token.name, "run", c->restores ? "restore" : "invalidate", uuid_format(&c->run->run_id, id));
	au.event.from_state = c->restores ? "invalid" : "valid";
	au.event.to_state = c->restores ? "valid" : "invalid";
	jsonw_object(&au.json);
	if (c->reason)
		jsonw_kstr(&au.json, "reason", c->reason);
	jsonw_object_end(&au.json);
	return calc_audit_end(&au, db, c->rq->arena, &c->event, err);
}

static int correct_tx(struct db *db, void *arg, struct err *err)
{
	struct correcting *c = arg;
	struct db_invalid v = { .reason = c->reason, .who = c->rq->token.name };
	char id[UUID_TEXT];

	if (c->restores ? db_invalid_remove(db, &c->run->run_id, &c->was, err) : db_invalid_add(db, c->run, &v, &c->was, err))
		return -1;
	if (c->restores != c->was)
		return err_set(err, ERR_CONFLICT, "the run %s is %s", uuid_format(&c->run->run_id, id),
			       c->restores ? "not invalid" : "invalid already");
	return put_event(c, db, err);
}

static int correct(struct req *rq, bool restores, struct err *err)
{
	struct correcting c = { .rq = rq, .restores = restores };
	struct jsonw j = jsonw_begin(&rq->out);
	struct api_body b;
	struct run *run;

	if (api_runs_find(rq, &run, err) || api_body_begin(&b, rq, err))
		return -1;
	c.reason = api_body_text(&b, "reason", !restores, REASON_MOST);
	c.run = run;
	if (api_body_end(&b, err) || db_tx(rq->db, correct_tx, &c, DEADLINE_MS, err))
		return -1;
	jsonw_object(&j);
	jsonw_kstr(&j, "status", restores ? "restored" : "invalid");
	jsonw_key(&j, "event");
	calc_triage_event_json(&j, &c.event);
	api_body_warnings(&j, &b);
	jsonw_object_end(&j);
	return 0;
}

int api_corrections_invalidate(struct req *rq, struct err *err)
{
	return correct(rq, false, err);
}

int api_corrections_restore(struct req *rq, struct err *err)
{
	return correct(rq, true, err);
}
