/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expectations: which machine is to send what, how often. */
#include <string.h>

#include "../lib/num.h"
#include "../lib/tm.h"
#include "api_body.h"
#include "api_handlers.h"
#include "api_list.h"
#include "api_shapes.h"
#include "calc_audit.h"
#include "calc_expect.h"
#include "calc_triage.h"

#define DEADLINE_MS 5000
#define LINE_MOST 200
#define NOTE_MOST 2000

static void time_json(struct jsonw *j, const char *key, int64_t usec)
{
	char text[TM_TEXT];

	jsonw_kstr(j, key, usec == TM_NONE ? NULL : tm_format(usec, text));
}

static void expectation_json(struct jsonw *j, struct arena *a, const struct calc_expect *x)
{
	char id[UUID_TEXT];

	jsonw_object(j);
	api_shapes_id(j, "id", x->e->id);
	jsonw_kstr(j, "machine", x->machine->name);
	jsonw_kstr(j, "benchmark", x->e->benchmark);
	jsonw_kstr(j, "interval", calc_expect_interval_text(a, x->e->interval_s));
	jsonw_kstr(j, "note", x->e->note);
	jsonw_kstr(j, "author", x->e->author);
	time_json(j, "created_at", x->e->created_at);
	time_json(j, "last_seen_at", x->last_at);
	time_json(j, "due_at", x->due_at);
	jsonw_kbool(j, "late", tm_now_usec() > x->due_at);
	jsonw_kstr(j, "alert", x->e->silent ? uuid_format(&x->e->alert_id, id) : NULL);
	jsonw_object_end(j);
}

static void list_table(struct req *rq, const struct calc_expect *list, size_t n)
{
	static const struct table_col cols[] = {
		{ .name = "id", .right = true }, { .name = "machine" }, { .name = "benchmark" }, { .name = "interval" },
		{ .name = "note", .in = TABLE_CSV }, { .name = "author", .in = TABLE_CSV },
		{ .name = "last_seen_at", .head = "last seen" }, { .name = "due_at", .in = TABLE_CSV }, { .name = "late" },
		{ .name = "alert", .in = TABLE_CSV },
	};
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));
	char id[UUID_TEXT], at[TM_TEXT];

	for (size_t i = 0; i < n; i++) {
		const struct calc_expect *x = &list[i];

		table_row(t);
		table_i64(t, x->e->id);
		table_str(t, x->machine->name);
		table_str(t, x->e->benchmark);
		table_str(t, calc_expect_interval_text(rq->arena, x->e->interval_s));
		table_str(t, x->e->note);
		table_str(t, x->e->author);
		table_str(t, x->last_at == TM_NONE ? NULL : tm_format(x->last_at, at));
		table_str(t, tm_format(x->due_at, at));
		table_str(t, tm_now_usec() > x->due_at ? "yes" : "no");
		table_str(t, x->e->silent ? uuid_format(&x->e->alert_id, id) : NULL);
	}
	api_list_table(rq, t);
}

int api_expectations_list(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);
	struct db_expectation *list;
	struct calc_expect *looks;
	struct api_list page;
	size_t n;

	if (db_expectations_list(rq->db, rq->arena, &list, &n, err) || api_list_page(rq, n, &page, err) ||
	    db_catalog_refresh(rq->server->catalog, rq->db, err))
		return -1;
	looks = arena_array(rq->arena, struct calc_expect, n + 1);
	for (size_t i = page.from; i < page.to; i++)
		if (calc_expect_look(rq->server->catalog, rq->db, rq->arena, &list[i], &looks[i], err))
			return -1;
	if (rq->rep != REP_JSON) {
		list_table(rq, looks + page.from, page.to - page.from);
		return 0;
	}
	jsonw_object(&j);
	jsonw_key(&j, "expectations");
	jsonw_array(&j);
	for (size_t i = page.from; i < page.to; i++)
		expectation_json(&j, rq->arena, &looks[i]);
	jsonw_array_end(&j);
	jsonw_kstr(&j, "next", page.next);
	jsonw_object_end(&j);
	return 0;
}

struct changing {
	struct req *rq;
	struct db_expectation e;
	struct calc_expect look;
	struct db_event event;
};

static int put_event(struct changing *c, struct db *db, const char *action, struct err *err)
{
	struct audit au;

	calc_audit_begin(&au, c->rq->token.name, "expectation", action, calc_audit_number(c->rq->arena, c->e.id));
	expectation_json(&au.json, c->rq->arena, &c->look);
	return calc_audit_end(&au, db, c->rq->arena, &c->event, err);
}

static int make_tx(struct db *db, void *arg, struct err *err)
{
	struct changing *c = arg;

	return db_expectations_add(db, &c->e, err) ||
	       calc_expect_look(c->rq->server->catalog, db, c->rq->arena, &c->e, &c->look, err) ||
	       put_event(c, db, "make", err) ? -1 : 0;
}

/* With its alert, if there is one: nobody waits any longer. */
static int end_tx(struct db *db, void *arg, struct err *err)
{
	struct changing *c = arg;
	struct triage t = { .action = LIFECYCLE_ACCEPT, .who = c->rq->token.name, .text = "It is no longer expected.",
			    .due_at = TM_NONE, .until = TM_NONE };
	struct db_expectation *list;
	struct db_alert *al = NULL;
	size_t n, i = 0;

	if (db_alerts_lock_wait(db, err) || db_expectations_list(db, c->rq->arena, &list, &n, err))
		return -1;
	while (i < n && list[i].id != c->e.id)
		i++;
	if (i == n)
		return err_set(err, ERR_NOT_FOUND, "there is no expectation %s", c->rq->id);
	c->e = list[i];
	if (calc_expect_look(c->rq->server->catalog, db, c->rq->arena, &c->e, &c->look, err) ||
	    db_expectations_delete(db, c->e.id, err) ||
	    (c->e.silent && db_alerts_get(db, c->rq->arena, &c->e.alert_id, &al, err)))
		return -1;
	if (al && calc_lifecycle_is_open(al->state) &&
	    calc_triage_in_tx(c->rq->server->catalog, db, c->rq->arena, &c->e.alert_id, &t, err))
		return -1;
	return put_event(c, db, "delete", err);
}

static void tell(struct req *rq, const struct changing *c, const struct api_body *b)
{
	struct jsonw j = jsonw_begin(&rq->out);

	jsonw_object(&j);
	jsonw_key(&j, "expectation");
	expectation_json(&j, rq->arena, &c->look);
	jsonw_key(&j, "event");
	calc_triage_event_json(&j, &c->event);
	api_body_warnings(&j, b);
	jsonw_object_end(&j);
}

static int machine_of(struct req *rq, const char *name, int64_t *id, struct err *err)
{
	struct catalog *c = rq->server->catalog;
	const struct cat_machine *m;

	if (db_catalog_refresh(c, rq->db, err))
		return -1;
	db_catalog_lock(c);
	m = db_catalog_machine_of(c, name);
	db_catalog_unlock(c);
	*id = m ? m->id : 0;
	return m ? 0 : err_set(err, ERR_INVALID, "machine: \"%s\" is not known; it has to have sent something once", name);
}

int api_expectations_post(struct req *rq, struct err *err)
{
	struct changing c = { .rq = rq, .e = { .author = rq->token.name } };
	const char *machine, *benchmark, *interval;
	struct api_body b;

	if (api_body_begin(&b, rq, err))
		return -1;
	machine = api_body_line(&b, "machine", true, LINE_MOST);
	benchmark = api_body_line(&b, "benchmark", false, LINE_MOST);
	interval = api_body_line(&b, "interval", true, LINE_MOST);
	c.e.benchmark = benchmark ? benchmark : "*";
	c.e.interval_s = interval ? calc_expect_interval(interval) : 0;
	if (c.e.interval_s < 0)
		api_body_wrong(&b, "interval", "\"%s\" is none like 90m, 24h, 7d or 2w", interval);
	c.e.note = api_body_text(&b, "note", false, NOTE_MOST);
	if (api_body_end(&b, err) || machine_of(rq, machine, &c.e.machine_id, err) || db_tx(rq->db, make_tx, &c, DEADLINE_MS, err))
		return -1;
	rq->status = 201;
	rq->location = "/api/v1/expectations";
	tell(rq, &c, &b);
	return 0;
}

int api_expectations_delete(struct req *rq, struct err *err)
{
	struct changing c = { .rq = rq };
	struct api_body b = { .warnings = problems_new(rq->arena) };

	if (num_parse_i64(rq->id, strlen(rq->id), &c.e.id))
		return err_set(err, ERR_NOT_FOUND, "%.60s is no expectation: an expectation's id is a number", rq->id);
	if (db_catalog_refresh(rq->server->catalog, rq->db, err) || db_tx(rq->db, end_tx, &c, DEADLINE_MS, err))
		return -1;
	tell(rq, &c, &b);
	return 0;
}
