/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mutes: made, listed, ended. */
#include <math.h>
#include <string.h>

#include "../lib/num.h"
#include "../lib/tm.h"
#include "api_handlers.h"
#include "api_list.h"
#include "api_selector.h"
#include "api_shapes.h"
#include "calc_audit.h"
#include "calc_selector.h"
#include "calc_triage.h"
#include "db_mutes.h"

#define DEADLINE_MS 5000
#define REASON_MOST 2000

static void time_json(struct jsonw *j, const char *key, int64_t usec)
{
	char text[TM_TEXT];

	jsonw_kstr(j, key, usec == TM_NONE ? NULL : tm_format(usec, text));
}

static bool is_active(const struct db_mute *m)
{
	return m->ended_at == TM_NONE && (m->until == TM_NONE || m->until > tm_now_usec());
}

static void mute_json(struct jsonw *j, const struct db_mute *m)
{
	char id[UUID_TEXT];

	jsonw_object(j);
	api_shapes_id(j, "id", m->id);
	jsonw_kraw(j, "selector", m->selector);
	jsonw_kstr(j, "alert", m->of_alert ? uuid_format(&m->alert_id, id) : NULL);
	jsonw_kstr(j, "reason", m->reason);
	jsonw_kstr(j, "author", m->author);
	time_json(j, "created_at", m->created_at);
	time_json(j, "until", m->until);
	time_json(j, "ended_at", m->ended_at);
	jsonw_kbool(j, "active", is_active(m));
	jsonw_ki64(j, "alerts", m->n_alerts);
	jsonw_object_end(j);
}

static void list_table(struct req *rq, const struct db_mute *list, size_t n)
{
	static const struct table_col cols[] = {
		{ .name = "id", .right = true }, { .name = "selector" }, { .name = "alert", .in = TABLE_CSV },
		{ .name = "reason" }, { .name = "author" }, { .name = "created_at", .in = TABLE_CSV }, { .name = "until" },
		{ .name = "ended_at", .in = TABLE_CSV }, { .name = "active" }, { .name = "alerts", .right = true },
	};
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));
	char id[UUID_TEXT], at[TM_TEXT];

	for (size_t i = 0; i < n; i++) {
		const struct db_mute *m = &list[i];

		table_row(t);
		table_i64(t, m->id);
		table_str(t, m->selector);
		table_str(t, m->of_alert ? uuid_format(&m->alert_id, id) : NULL);
		table_str(t, m->reason);
		table_str(t, m->author);
		table_str(t, tm_format(m->created_at, at));
		table_str(t, m->until == TM_NONE ? NULL : tm_format(m->until, at));
		table_str(t, m->ended_at == TM_NONE ? NULL : tm_format(m->ended_at, at));
		table_str(t, is_active(m) ? "yes" : "no");
		table_i64(t, m->n_alerts);
	}
	api_list_table(rq, t);
}

int api_mutes_list(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);
	struct api_list page;
	struct db_mute *list;
	size_t n;

	if (db_mutes_list(rq->db, rq->arena, false, &list, &n, err) || api_list_page(rq, n, &page, err))
		return -1;
	if (rq->rep != REP_JSON) {
		list_table(rq, list + page.from, page.to - page.from);
		return 0;
	}
	jsonw_object(&j);
	jsonw_key(&j, "mutes");
	jsonw_array(&j);
	for (size_t i = page.from; i < page.to; i++)
		mute_json(&j, &list[i]);
	jsonw_array_end(&j);
	jsonw_kstr(&j, "next", page.next);
	jsonw_object_end(&j);
	return 0;
}

static int find(struct req *rq, struct db *db, struct db_mute **mute, struct err *err)
{
	int64_t id;

	if (num_parse_i64(rq->id, strlen(rq->id), &id))
		return err_set(err, ERR_NOT_FOUND, "%.60s is no mute: a mute's id is a number", rq->id);
	if (db_mutes_get(db, rq->arena, id, mute, err))
		return -1;
	return *mute ? 0 : err_set(err, ERR_NOT_FOUND, "there is no mute %s", rq->id);
}

int api_mutes_get(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);
	struct db_mute *mute;

	if (find(rq, rq->db, &mute, err))
		return -1;
	mute_json(&j, mute);
	return 0;
}

/* ---- changing ---- */

struct changing {
	struct req *rq;
	struct db_mute given;
	struct db_mute *mute;		/* as it is then */
	struct db_event event;
};

static int put_event(struct changing *c, struct db *db, const char *action, struct err *err)
{
	struct audit au;

	calc_audit_begin(&au, c->rq->token.name, "mute", action, calc_audit_number(c->rq->arena, c->mute->id));
	mute_json(&au.json, c->mute);
	return calc_audit_end(&au, db, c->rq->arena, &c->event, err);
}

static int triage_all(struct changing *c, struct db *db, enum lifecycle_action action, const struct uuid *ids, size_t n,
		      struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		struct triage t = { .action = action, .who = c->rq->token.name, .text = c->mute->reason, .due_at = TM_NONE,
				    .until = c->mute->until, .mute_id = c->mute->id, .restored_percent = NAN };

		if (action == LIFECYCLE_REOPEN)
			t.text = "The mute was ended.";
		if (calc_triage_in_tx(c->rq->server->catalog, db, c->rq->arena, &ids[i], &t, err))
			return -1;
	}
	return 0;
}

/* Alerts that are open and all of whose rows it silences. */
static int within(struct changing *c, struct db *db, struct uuid **ids, size_t *n, struct err *err)
{
	struct calc_selector on;
	int64_t *series;

	if (calc_selector_resolve(&on, c->mute->selector, c->rq->server->catalog, c->rq->arena, err))
		return -1;
	series = arena_array(c->rq->arena, int64_t, on.sel.n + 1);
	for (size_t i = 0; i < on.sel.n; i++)
		series[i] = on.sel.series[i]->id;
	return db_mutes_alerts_within(db, c->rq->arena, series, on.sel.n, ids, n, err);
}

static int make_tx(struct db *db, void *arg, struct err *err)
{
	struct changing *c = arg;
	struct uuid *ids = &c->given.alert_id;
	struct db_alert *al;
	char id[UUID_TEXT];
	size_t n = 1;

	if (db_alerts_lock_wait(db, err) ||
	    (c->given.of_alert && db_alerts_get(db, c->rq->arena, &c->given.alert_id, &al, err)))
		return -1;
	if (c->given.of_alert && !al)
		return err_set(err, ERR_INVALID, "alert: there is no alert %s", uuid_format(&c->given.alert_id, id));
	if (db_mutes_add(db, &c->given, err) ||
	    db_mutes_get(db, c->rq->arena, c->given.id, &c->mute, err) ||
	    (!c->given.of_alert && within(c, db, &ids, &n, err)) || triage_all(c, db, LIFECYCLE_MUTE, ids, n, err) ||
	    db_mutes_get(db, c->rq->arena, c->given.id, &c->mute, err))
		return -1;
	return put_event(c, db, "make", err);
}

static int end_tx(struct db *db, void *arg, struct err *err)
{
	struct changing *c = arg;
	struct uuid *ids;
	size_t n;

	if (db_alerts_lock_wait(db, err) || find(c->rq, db, &c->mute, err))
		return -1;
	if (!is_active(c->mute))
		return err_set(err, ERR_CONFLICT, "the mute %s is over already", c->rq->id);
	if (db_mutes_alerts_of(db, c->rq->arena, c->mute->id, &ids, &n, err) || db_mutes_end(db, c->mute->id, err) ||
	    triage_all(c, db, LIFECYCLE_REOPEN, ids, n, err) || find(c->rq, db, &c->mute, err))
		return -1;
	return put_event(c, db, "end", err);
}

static void tell(struct req *rq, const struct changing *c, const struct api_body *b)
{
	struct jsonw j = jsonw_begin(&rq->out);

	jsonw_object(&j);
	jsonw_key(&j, "mute");
	mute_json(&j, c->mute);
	jsonw_key(&j, "event");
	calc_triage_event_json(&j, &c->event);
	api_body_warnings(&j, b);
	jsonw_object_end(&j);
}

static void read_mute(struct api_body *b, struct db_mute *m)
{
	struct select_arg *args;
	size_t n;

	m->reason = api_body_text(b, "reason", true, REASON_MOST);
	m->until = api_body_time(b, "until", false);
	if (m->until != TM_NONE && m->until <= tm_now_usec())
		api_body_wrong(b, "until", "is over");
	m->of_alert = api_body_uuid(b, "alert", false, &m->alert_id);
	api_selector_read(b, "selector", NULL, &args, &n);
	m->selector = api_selector_text(b, "selector");
	if (!n && !m->of_alert && !b->problems->total)
		api_body_wrong(b, "selector", "is needed, or alert: {\"machine\": \"*\"} is everything");
	if (n && m->of_alert)
		api_body_wrong(b, "alert", "and a selector: one of both is needed");
	if (!api_body_has(b, "until"))	/* else a misspelt one would be a mute without end */
		api_body_wrong(b, "until", "is needed: a time, or null for \"until somebody ends it\"");
}

int api_mutes_post(struct req *rq, struct err *err)
{
	struct changing c = { .rq = rq, .given = { .author = rq->token.name } };
	struct api_body b;

	if (api_body_begin(&b, rq, err))
		return -1;
	read_mute(&b, &c.given);
	if (api_body_end(&b, err) || db_catalog_refresh(rq->server->catalog, rq->db, err) ||
	    db_tx(rq->db, make_tx, &c, DEADLINE_MS, err))
		return -1;
	rq->status = 201;
	rq->location = arena_printf(rq->arena, "/api/v1/mutes/%lld", (long long)c.mute->id);
	tell(rq, &c, &b);
	return 0;
}

int api_mutes_delete(struct req *rq, struct err *err)
{
	struct changing c = { .rq = rq };
	struct api_body b = { .warnings = problems_new(rq->arena) };

	if (db_catalog_refresh(rq->server->catalog, rq->db, err) || db_tx(rq->db, end_tx, &c, DEADLINE_MS, err))
		return -1;
	tell(rq, &c, &b);
	return 0;
}
