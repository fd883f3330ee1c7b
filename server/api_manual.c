/* SPDX-License-Identifier: GPL-2.0-or-later */
/* POST /api/v1/alerts: a person saw something that no rule did. */
#include "api_body.h"
#include "api_handlers.h"
#include "api_selector.h"
#include "calc_manual.h"
#include "calc_triage.h"

#define TEXT_MOST 20000
#define LINE_MOST 200

static int benchmark_of(struct catalog *c, const char *name, const struct cat_benchmark **benchmark, struct err *err)
{
	db_catalog_lock(c);
	*benchmark = db_catalog_benchmark_of(c, name);
	db_catalog_unlock(c);
	return *benchmark ? 0 : err_set(err, ERR_INVALID, "benchmark: \"%s\" is not known", name);
}

/* What the body says. */
struct asked {
	struct manual m;
	const char *benchmark, *from, *to;
	struct select_arg *args;
	size_t n_args;
};

static void read_fields(struct api_body *b, struct asked *q)
{
	static const char *const directions[] = { "regression", "improvement", NULL };
	const char *direction = api_body_word(b, "direction", false, directions);

	q->benchmark = api_body_line(b, "benchmark", true, LINE_MOST);
	q->from = api_body_line(b, "from", true, LINE_MOST);
	q->to = api_body_line(b, "to", true, LINE_MOST);
	q->m.text = api_body_text(b, "text", false, TEXT_MOST);
	q->m.regression = !direction || direction == directions[0];
	q->m.has_key = api_body_uuid(b, "event_id", false, &q->m.key);
	api_selector_read(b, "selector", q->benchmark, &q->args, &q->n_args);
}

int api_manual_post(struct req *rq, struct err *err)
{
	struct asked q = { .m = { .who = rq->token.name } };
	struct catalog *c = rq->server->catalog;
	struct jsonw j = jsonw_begin(&rq->out);
	struct selection sel;
	struct api_body b;
	char id[UUID_TEXT];

	if (api_body_begin(&b, rq, err))
		return -1;
	read_fields(&b, &q);
	if (api_body_end(&b, err) || db_catalog_refresh(c, rq->db, err) || benchmark_of(c, q.benchmark, &q.m.benchmark, err) ||
	    api_selector_kernel(rq, "from", q.from, &q.m.from, err) || api_selector_kernel(rq, "to", q.to, &q.m.to, err) ||
	    api_selector_series(rq, q.args, q.n_args, &sel, err))
		return -1;
	q.m.sel = &sel;
	if (calc_manual_open(c, rq->db, rq->arena, &q.m, err))
		return -1;
	uuid_format(&q.m.alert->id, id);
	rq->status = q.m.repeated ? 200 : 201;
	rq->location = arena_printf(rq->arena, "/api/v1/alerts/%s", id);
	jsonw_object(&j);
	jsonw_kstr(&j, "status", q.m.repeated ? "duplicate" : "done");
	jsonw_key(&j, "event");
	calc_triage_event_json(&j, q.m.event);
	jsonw_kstr(&j, "alert", id);
	api_body_warnings(&j, &b);
	jsonw_object_end(&j);
	return 0;
}
