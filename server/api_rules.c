/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules: made, changed, taken away, and asked what they would have done. */
#include "api_rules.h"

#include <math.h>
#include <string.h>

#include "../lib/num.h"
#include "../lib/tm.h"
#include "api_handlers.h"
#include "api_list.h"
#include "api_selector.h"
#include "api_shapes.h"
#include "calc_audit.h"
#include "calc_rules_dry.h"
#include "calc_triage.h"

#define DEADLINE_MS 5000
#define LINE_MOST 200
#define NOTE_MOST 2000
#define VALUE_MOST 1e300

/* ---- JSON ---- */

static void read_limits(struct api_body *b, struct db_rule *r)
{
	const char *unit = api_body_line(b, "unit", false, LINE_MOST);

	r->above = api_body_num(b, "above", false, -VALUE_MOST, VALUE_MOST);
	r->below = api_body_num(b, "below", false, -VALUE_MOST, VALUE_MOST);
	if (isnan(r->above) && isnan(r->below))
		api_body_wrong(b, "above", "is needed of a limit, or below");
	if (r->above <= r->below)
		api_body_wrong(b, "above", "%g is not above %g, so everything would be outside", r->above, r->below);
	r->above = calc_rules_limit(b->a, r->above, unit, &r->unit);
	r->below = calc_rules_limit(b->a, r->below, unit, &r->unit);
}

void api_rules_read(struct api_body *b, struct db_rule *r)
{
	static const char *const directions[] = { "worse", "better", "both", NULL };
	static const char *const confidences[] = { "none", "weak", "strong", NULL };
	struct select_arg *args;
	const char *word;
	size_t n;

	*r = (struct db_rule){ .origin = "api", .above = NAN, .below = NAN, .percent = 5 };
	r->name = api_body_line(b, "name", true, LINE_MOST);
	word = api_body_word(b, "kind", false, db_rules_kinds);
	while (word && db_rules_kinds[r->kind] != word)
		r->kind++;
	api_selector_read(b, "selector", NULL, &args, &n);
	r->selector = api_selector_text(b, "selector");
	if (api_body_has(b, "percent"))
		r->percent = api_body_num(b, "percent", true, 1e-3, 1e6);
	word = api_body_word(b, "direction", false, directions);
	r->worse = !word || word != directions[1];
	r->better = word ? word != directions[0] : r->kind == RULE_STEP;
	word = api_body_word(b, "confidence", false, confidences);
	r->confidence = word ? word : "weak";
	if (r->kind == RULE_LIMIT)
		read_limits(b, r);
	if (r->kind == RULE_BASELINE)
		r->baseline = api_body_line(b, "baseline", true, LINE_MOST);
	r->tell = api_body_texts(b, "tell", false, &r->n_tell);
	r->note = api_body_text(b, "note", false, NOTE_MOST);
	r->enabled = api_body_bool(b, "enabled", true);
}

static void time_json(struct jsonw *j, const char *key, int64_t usec)
{
	char text[TM_TEXT];

	jsonw_kstr(j, key, usec == TM_NONE ? NULL : tm_format(usec, text));
}

static const char *direction_word(const struct db_rule *r)
{
	return r->worse && r->better ? "both" : r->worse ? "worse" : "better";
}

void api_rules_json(struct jsonw *j, const struct db_rule *r)
{
	jsonw_object(j);
	if (r->id) {
		api_shapes_id(j, "id", r->id);
	} else {	/* only tried */
		jsonw_key(j, "id");
		jsonw_null(j);
	}
	jsonw_kstr(j, "name", r->name);
	jsonw_kstr(j, "kind", db_rules_kinds[r->kind]);
	jsonw_kraw(j, "selector", r->selector);
	jsonw_knum(j, "percent", r->percent);
	jsonw_kstr(j, "direction", direction_word(r));
	jsonw_kstr(j, "confidence", r->confidence);
	jsonw_knum(j, "above", r->above);
	jsonw_knum(j, "below", r->below);
	jsonw_kstr(j, "unit", r->unit);
	jsonw_kstr(j, "baseline", r->baseline);
	jsonw_key(j, "tell");
	jsonw_array(j);
	for (size_t i = 0; i < r->n_tell; i++)
		jsonw_str(j, r->tell[i]);
	jsonw_array_end(j);
	jsonw_kstr(j, "note", r->note);
	jsonw_kbool(j, "enabled", r->enabled);
	jsonw_kstr(j, "origin", r->origin);
	time_json(j, "created_at", r->created_at);
	time_json(j, "changed_at", r->changed_at);
	time_json(j, "last_matched_at", r->last_matched_at);
	time_json(j, "last_fired_at", r->last_fired_at);
	jsonw_object_end(j);
}

/* ---- reading ---- */

static void list_table(struct req *rq, const struct db_rule *list, size_t n)
{
	static const struct table_col cols[] = {
		{ .name = "id", .right = true }, { .name = "name" }, { .name = "kind" }, { .name = "selector", .in = TABLE_CSV },
		{ .name = "percent", .right = true }, { .name = "direction" }, { .name = "confidence" },
		{ .name = "above", .right = true, .in = TABLE_CSV }, { .name = "below", .right = true, .in = TABLE_CSV },
		{ .name = "unit", .in = TABLE_CSV }, { .name = "baseline", .in = TABLE_CSV }, { .name = "enabled" },
		{ .name = "last_fired_at", .head = "fired" },
	};
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));
	char at[TM_TEXT];

	for (size_t i = 0; i < n; i++) {
		const struct db_rule *r = &list[i];

		table_row(t);
		table_i64(t, r->id);
		table_str(t, r->name);
		table_str(t, db_rules_kinds[r->kind]);
		table_str(t, r->selector);
		table_num(t, r->percent, NULL);
		table_str(t, direction_word(r));
		table_str(t, r->confidence);
		table_num(t, r->above, NULL);
		table_num(t, r->below, NULL);
		table_str(t, r->unit);
		table_str(t, r->baseline);
		table_str(t, r->enabled ? "yes" : "no");
		table_str(t, r->last_fired_at == TM_NONE ? NULL :
			  arena_printf(rq->arena, "%.*s", rq->rep == REP_CSV ? TM_TEXT : 10, tm_format(r->last_fired_at, at)));
	}
	api_list_table(rq, t);
}

int api_rules_list(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);
	struct api_list page;
	struct db_rule *list;
	size_t n;

	if (db_rules_list(rq->db, rq->arena, false, &list, &n, err) || api_list_page(rq, n, &page, err))
		return -1;
	if (rq->rep != REP_JSON) {
		list_table(rq, list + page.from, page.to - page.from);
		return 0;
	}
	jsonw_object(&j);
	jsonw_key(&j, "rules");
	jsonw_array(&j);
	for (size_t i = page.from; i < page.to; i++)
		api_rules_json(&j, &list[i]);
	jsonw_array_end(&j);
	jsonw_kstr(&j, "next", page.next);
	jsonw_object_end(&j);
	return 0;
}

static int find(struct req *rq, struct db *db, struct db_rule **rule, struct err *err)
{
	int64_t id;

	if (num_parse_i64(rq->id, strlen(rq->id), &id))
		return err_set(err, ERR_NOT_FOUND, "%.60s is no rule: a rule's id is a number", rq->id);
	if (db_rules_get(db, rq->arena, id, rule, err))
		return -1;
	return *rule ? 0 : err_set(err, ERR_NOT_FOUND, "there is no rule %s", rq->id);
}

int api_rules_get(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);
	struct db_rule *rule;

	if (find(rq, rq->db, &rule, err))
		return -1;
	api_rules_json(&j, rule);
	return 0;
}

/* ---- changing ---- */

enum change { MAKE, REPLACE, TAKE_AWAY };

struct changing {
	struct req *rq;
	enum change change;
	struct db_rule given;		/* what the body says */
	struct db_rule *rule;		/* as it is now */
	struct db_event event;
	bool repeated;			/* the same rule is there already */
};

static int put_event(struct changing *c, struct db *db, const struct db_rule *before, struct err *err)
{
	static const char *const words[] = { [MAKE] = "make", [REPLACE] = "change", [TAKE_AWAY] = "delete" };
	struct audit au;

	calc_audit_begin(&au, c->rq->token.name, "rule", words[c->change], calc_audit_number(c->rq->arena, c->rule->id));
	jsonw_object(&au.json);
	if (before) {
		jsonw_key(&au.json, "before");
		api_rules_json(&au.json, before);
	}
	if (c->change != TAKE_AWAY) {
		jsonw_key(&au.json, "after");
		api_rules_json(&au.json, c->rule);
	}
	jsonw_object_end(&au.json);
	return calc_audit_end(&au, db, c->rq->arena, &c->event, err);
}

static int change_tx(struct db *db, void *arg, struct err *err)
{
	struct changing *c = arg;
	struct db_rule *before = NULL, rule = c->given;

	if (c->change != MAKE && find(c->rq, db, &before, err))
		return -1;
	rule.id = before ? before->id : 0;
	if (c->change == TAKE_AWAY) {
		c->rule = before;
		return db_rules_delete(db, before->id, err) || put_event(c, db, before, err) ? -1 : 0;
	}
	if (db_rules_put(db, &rule, err) || db_rules_get(db, c->rq->arena, rule.id, &c->rule, err))
		return -1;
	return put_event(c, db, before, err);
}

/* What is no mistake, and hardly meant: a rule that looks at nothing, so far. */
static int hints(struct req *rq, struct api_body *b, const struct db_rule *given, struct calc_rule *rule, struct err *err)
{
	if (db_catalog_refresh(rq->server->catalog, rq->db, err) ||
	    calc_rules_resolve(rule, given, rq->server->catalog, rq->db, rq->arena, err))
		return -1;
	if (!rule->on.everything && !rule->on.sel.n)
		problems_add(b->warnings, "/selector", "it picks nothing of what was measured so far");
	if (given->kind == RULE_BASELINE && !rule->baseline)
		problems_add(b->warnings, "/baseline", "\"%.100s\" is no kernel that was measured so far", given->baseline);
	return 0;
}

static int change(struct req *rq, enum change what, struct err *err)
{
	struct changing c = { .rq = rq, .change = what };
	struct jsonw j = jsonw_begin(&rq->out);
	struct api_body b = { .warnings = problems_new(rq->arena) };

	if (what != TAKE_AWAY) {
		struct calc_rule rule;

		if (api_body_begin(&b, rq, err))
			return -1;
		api_rules_read(&b, &c.given);
		if (api_body_end(&b, err) || hints(rq, &b, &c.given, &rule, err))
			return -1;
	}
	if (db_tx(rq->db, change_tx, &c, DEADLINE_MS, err))
		return -1;
	if (what == MAKE) {
		rq->status = 201;
		rq->location = arena_printf(rq->arena, "/api/v1/rules/%lld", (long long)c.rule->id);
	}
	jsonw_object(&j);
	jsonw_key(&j, "rule");
	api_rules_json(&j, c.rule);
	jsonw_key(&j, "event");
	calc_triage_event_json(&j, &c.event);
	api_body_warnings(&j, &b);
	jsonw_object_end(&j);
	return 0;
}

int api_rules_post(struct req *rq, struct err *err)
{
	return change(rq, MAKE, err);
}

int api_rules_put(struct req *rq, struct err *err)
{
	return change(rq, REPLACE, err);
}

int api_rules_delete(struct req *rq, struct err *err)
{
	return change(rq, TAKE_AWAY, err);
}

/* ---- the dry run ---- */

static void firing_json(struct jsonw *j, const struct rules_firing *f)
{
	jsonw_object(j);
	jsonw_kstr(j, "benchmark", f->benchmark->name);
	jsonw_kstr(j, "kind", f->regression ? "regression" : "improvement");
	jsonw_kstr(j, "track", f->to->track);
	jsonw_kstr(j, "from", f->from->name);
	jsonw_kstr(j, "to", f->to->name);
	jsonw_ki64(j, "n_series", (int64_t)f->n_series);
	jsonw_knum(j, "worst_percent", f->worst_percent);
	jsonw_key(j, "machines");
	jsonw_array(j);
	for (size_t i = 0; i < f->n_machines; i++)
		jsonw_str(j, f->machines[i]->name);
	jsonw_array_end(j);
	jsonw_object_end(j);
}

int api_rules_dry_run(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);
	struct rules_dry dry;
	struct calc_rule rule;
	struct db_rule given;
	struct api_body b;

	if (api_body_begin(&b, rq, err))
		return -1;
	api_rules_read(&b, &given);
	given.created_at = tm_now_usec();
	given.changed_at = given.last_matched_at = given.last_fired_at = TM_NONE;
	if (api_body_end(&b, err) || hints(rq, &b, &given, &rule, err) ||
	    calc_rules_dry_run(rq->server->catalog, rq->db, rq->arena, &rule, &dry, err))
		return -1;
	jsonw_object(&j);
	jsonw_key(&j, "rule");
	api_rules_json(&j, &given);
	jsonw_ki64(&j, "series", (int64_t)dry.n_series);
	jsonw_ki64(&j, "fired", (int64_t)dry.n);
	jsonw_key(&j, "firings");
	jsonw_array(&j);
	for (size_t i = 0; i < dry.n; i++)
		firing_json(&j, &dry.list[i]);
	jsonw_array_end(&j);
	api_body_warnings(&j, &b);
	jsonw_object_end(&j);
	return 0;
}
