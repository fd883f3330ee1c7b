/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GET /api/v1/rules:explain: why there is an alert of a series at a kernel, or why not. */
#include <string.h>

#include "../chart/table.h"
#include "../lib/num.h"
#include "../lib/tm.h"
#include "api_handlers.h"
#include "api_shapes.h"
#include "calc_explain.h"
#include "calc_words.h"

static void time_json(struct jsonw *j, const char *key, int64_t usec)
{
	char text[TM_TEXT];

	jsonw_kstr(j, key, usec == TM_NONE ? NULL : tm_format(usec, text));
}

static void step_json(struct jsonw *j, const struct explain *x)
{
	jsonw_key(j, "step");
	if (!x->from) {
		jsonw_null(j);
		return;
	}
	jsonw_object(j);
	jsonw_kstr(j, "from", x->from->name);
	jsonw_kstr(j, "to", x->to->name);
	jsonw_kbool(j, "level", x->level);
	jsonw_knum(j, "before_center", x->before);
	jsonw_knum(j, "after_center", x->after);
	jsonw_knum(j, "change_percent", x->percent);
	jsonw_kstr(j, "verdict", calc_compare_verdict_word(x->verdict));
	jsonw_kstr(j, "confidence", calc_compare_confidence_word(x->confidence));
	jsonw_knum(j, "q", x->q);
	jsonw_knum(j, "noise_percent", x->noise_percent);
	jsonw_ki64(j, "before_boots", x->from_boots);
	jsonw_ki64(j, "after_boots", x->to_boots);
	jsonw_object_end(j);
}

static void evidence_json(struct jsonw *j, const struct explain *x)
{
	static const char *const words[] = { [WORTH_NONE] = "none", [WORTH_SUSPECT] = "suspect", [WORTH_PROVEN] = "proven" };

	jsonw_key(j, "evidence");
	if (!*x->worth_text) {
		jsonw_null(j);
		return;
	}
	jsonw_object(j);
	jsonw_kstr(j, "worth", words[x->worth]);
	jsonw_kstr(j, "text", x->worth_text);
	jsonw_object_end(j);
}

static void rules_json(struct jsonw *j, const struct explain *x)
{
	jsonw_key(j, "rules");
	jsonw_array(j);
	for (size_t i = 0; i < x->n_rules; i++) {
		const struct explain_rule *r = &x->rules[i];

		jsonw_object(j);
		api_shapes_id(j, "id", r->rule->id);
		jsonw_kstr(j, "name", r->rule->name);
		jsonw_kstr(j, "kind", db_rules_kinds[r->rule->kind]);
		jsonw_knum(j, "percent", r->rule->percent);
		jsonw_kstr(j, "confidence", r->rule->confidence);
		jsonw_kbool(j, "enabled", r->rule->enabled);
		jsonw_kbool(j, "matches", r->selects);
		jsonw_kbool(j, "fires", r->fires);
		jsonw_kstr(j, "text", r->text);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
}

static void others_json(struct jsonw *j, struct arena *a, const struct explain *x)
{
	jsonw_key(j, "mutes");
	jsonw_array(j);
	for (size_t i = 0; i < x->n_mutes; i++) {
		jsonw_object(j);
		api_shapes_id(j, "id", x->mutes[i]->id);
		jsonw_kstr(j, "reason", x->mutes[i]->reason);
		jsonw_kstr(j, "author", x->mutes[i]->author);
		time_json(j, "until", x->mutes[i]->until);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
	jsonw_key(j, "expectations");
	jsonw_array(j);
	for (size_t i = 0; i < x->n_expects; i++) {
		const struct calc_expect *e = &x->expects[i];

		jsonw_object(j);
		api_shapes_id(j, "id", e->e->id);
		jsonw_kstr(j, "benchmark", e->e->benchmark);
		jsonw_kstr(j, "interval", calc_expect_interval_text(a, e->e->interval_s));
		time_json(j, "last_seen_at", e->last_at);
		jsonw_kbool(j, "late", tm_now_usec() > e->due_at);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
}

static void item_json(struct jsonw *j, struct arena *a, const struct explain *x)
{
	char id[UUID_TEXT];

	jsonw_object(j);
	api_shapes_id(j, "series_id", x->series->id);
	jsonw_kstr(j, "benchmark", x->series->benchmark->name);
	jsonw_kraw(j, "params", x->series->params);
	jsonw_kstr(j, "metric", x->series->metric->name);
	jsonw_kstr(j, "unit", x->series->metric->unit);
	jsonw_kstr(j, "machine", x->series->machine->name);
	jsonw_kstr(j, "thp", x->series->config->thp);
	jsonw_kstr(j, "outcome", calc_explain_word(x->outcome));
	jsonw_kstr(j, "sentence", x->sentence);
	jsonw_kstr(j, "next", x->next);
	step_json(j, x);
	evidence_json(j, x);
	rules_json(j, x);
	others_json(j, a, x);
	jsonw_key(j, "alert");
	if (x->alert) {
		jsonw_object(j);
		jsonw_kstr(j, "id", uuid_format(&x->alert->id, id));
		jsonw_kstr(j, "state", x->alert->state);
		jsonw_kstr(j, "url", arena_printf(a, "/alerts/%s", id));
		jsonw_object_end(j);
	} else {
		jsonw_null(j);
	}
	if (x->why.text) {
		api_shapes_why(j, &x->why);
	} else {
		jsonw_key(j, "why");
		jsonw_null(j);
	}
	jsonw_object_end(j);
}

static void item_text(struct buf *out, struct arena *a, const struct explain *x)
{
	char id[UUID_TEXT];

	const char *params = calc_words_params(a, x->series, NULL);

	table_para(out, 2, arena_printf(a, "%s%s%s, %s", x->series->benchmark->name, *params ? " " : "", params,
					calc_words_where(a, x->series)));
	table_para(out, 2, x->sentence);
	if (x->alert)
		table_para(out, 2, arena_printf(a, "alert: %s", uuid_format(&x->alert->id, id)));
	for (size_t i = 0; i < x->n_rules; i++)
		table_para(out, 4, arena_printf(a, "  - rule \"%s\"%s: %s", x->rules[i].rule->name,
						x->rules[i].fires ? " fires" : x->rules[i].selects ? "" : " does not match", x->rules[i].text));
	for (size_t i = 0; i < x->n_mutes; i++)
		table_para(out, 4, arena_printf(a, "  - muted by %s: %s", x->mutes[i]->author, x->mutes[i]->reason));
	for (size_t i = 0; i < x->n_expects; i++)
		table_para(out, 4, arena_printf(a, "  - expected every %s%s", calc_expect_interval_text(a, x->expects[i].e->interval_s),
						tm_now_usec() > x->expects[i].due_at ? ", and late" : ""));
	if (x->why.text)
		table_para(out, 4, arena_printf(a, "  - %s", x->why.text));
	buf_putc(out, '\n');
}

/* series_id=: of the selection, that one. */
static int narrow(struct req *rq, struct selection *sel, struct err *err)
{
	const char *text = web_arg(rq, "series_id");
	size_t kept = 0;
	int64_t id;

	if (!text)
		return 0;
	if (num_parse_i64(text, strlen(text), &id))
		return err_set(err, ERR_BAD_ARGUMENT, "series_id: \"%.40s\" is no series_id", text);
	db_catalog_lock(rq->server->catalog);
	for (size_t i = 0; i < sel->n; i++)
		if (sel->series[i] == db_catalog_series_by_id(rq->server->catalog, id))
			sel->series[kept++] = sel->series[i];
	db_catalog_unlock(rq->server->catalog);
	sel->n = kept;
	return kept ? 0 : err_set(err, ERR_UNKNOWN_VALUE, "series_id: the series %s is not there, or the other arguments leave it out", text);
}

int api_explain(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);
	const char *name = web_arg(rq, "kernel");
	const struct cat_kernel *kernel;
	struct selection sel;
	struct explain *list;

	if (!name)
		return err_set(err, ERR_BAD_ARGUMENT, "kernel: a kernel is needed");
	if (api_shapes_selection(rq, &sel, err) || narrow(rq, &sel, err))
		return -1;
	if (sel.n > CALC_EXPLAIN_MOST)
		return err_set(err, ERR_BAD_ARGUMENT, "%zu series are selected; at most %d are explained at once: name a benchmark, a "
			       "machine, param.NAME or series_id", sel.n, CALC_EXPLAIN_MOST);
	if (calc_select_kernel(rq->server->catalog, rq->db, rq->arena, "kernel", name, &sel, &kernel, err) ||
	    calc_explain(rq->server->catalog, rq->db, rq->arena, &sel, kernel, &list, err))
		return -1;
	for (size_t i = 0; i < sel.n; i++)
		rq->no_cache |= list[i].n_expects > 0 || list[i].n_mutes > 0;	/* which are late, or over, in a while */
	if (rq->rep == REP_TEXT) {
		for (size_t i = 0; i < sel.n; i++)
			item_text(&rq->out, rq->arena, &list[i]);
		return 0;
	}
	jsonw_object(&j);
	jsonw_key(&j, "kernel");
	api_shapes_kernel(&j, kernel);
	jsonw_key(&j, "items");
	jsonw_array(&j);
	for (size_t i = 0; i < sel.n; i++)
		item_json(&j, rq->arena, &list[i]);
	jsonw_array_end(&j);
	jsonw_object_end(&j);
	return 0;
}
