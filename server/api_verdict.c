/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What came of a run: the steps of alerts that end at its kernel, and what else the comparison
 * with the kernel before calls a regression of AB_SAME_PERCENT or more. An alert asks for more
 * than one boot of one series; who has just sent a run asks what it shows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/jsonw.h"
#include "../lib/tm.h"
#include "api_handlers.h"
#include "api_runs.h"
#include "api_shapes.h"
#include "calc_compare.h"
#include "calc_trend.h"
#include "calc_why.h"
#include "db_alerts.h"
#include "db_invalid.h"

#define POLL_MSEC 500		/* between two looks of a long poll */
#define WAIT_MOST_S 60

/* ---- one step ---- */

struct step {
	const struct cat_series *series;
	const struct cat_kernel *from;
	const struct uuid *alert_id;	/* NULL: of no alert */
	double from_center, to_center, percent;
	const char *confidence;
};

/* why: NULL unless it is told. */
static void step_json(struct jsonw *j, const struct step *t, const struct why *why)
{
	const struct cat_series *s = t->series;
	char id[UUID_TEXT];

	jsonw_object(j);
	jsonw_kstr(j, "alert_id", t->alert_id ? uuid_format(t->alert_id, id) : NULL);
	api_shapes_id(j, "series_id", s->id);
	jsonw_kstr(j, "benchmark", s->benchmark->name);
	jsonw_kraw(j, "params", s->params);
	jsonw_kstr(j, "metric", s->metric->name);
	jsonw_kstr(j, "unit", s->metric->unit);
	jsonw_kstr(j, "machine", s->machine->name);
	jsonw_kstr(j, "thp", s->config->thp);
	jsonw_kstr(j, "against", t->from->name);
	jsonw_knum(j, "base_center", t->from_center);
	jsonw_knum(j, "head_center", t->to_center);
	jsonw_knum(j, "change_percent", t->percent);
	jsonw_kstr(j, "confidence", t->confidence);
	if (why)
		api_shapes_why(j, why);
	jsonw_object_end(j);
}

/* ---- of alerts ---- */

static void member_json(struct jsonw *j, const struct catalog *c, const struct db_member *m, const struct why *why)
{
	const struct step t = { db_catalog_series_by_id(c, m->change.series_id), db_catalog_kernel(c, m->change.from_kernel_id),
				&m->alert_id, m->change.from_center, m->change.to_center, m->change.percent,
				m->change.confidence };

	if (t.series && t.from)
		step_json(j, &t, why);
}

/* The change of a trend that a row of an alert is; NULL: later runs made it none. */
static const struct trend_change *change_of(const struct trend *t, const struct db_member *m)
{
	for (size_t i = 0; i < t->n_series; i++)
		for (size_t k = 0; t->series[i].series->id == m->change.series_id && k < t->series[i].n_changes; k++) {
			const struct trend_change *c = &t->series[i].changes[k];

			if (c->has_alert && uuid_equal(&c->alert_id, &m->alert_id))
				return c;
		}
	return NULL;
}

/* Why each of the list, which is by series, is what it is: found again in the whole of its series. */
static int explain_part(struct req *rq, struct arena *a, const struct db_member *list, size_t n, struct why *why,
			struct err *err)
{
	struct selection sel = { .series = arena_array(a, const struct cat_series *, n) };
	struct trend *t;

	db_catalog_lock(rq->server->catalog);
	for (size_t i = 0; i < n; i++) {
		const struct cat_series *s = db_catalog_series_by_id(rq->server->catalog, list[i].change.series_id);

		if (s && (!sel.n || sel.series[sel.n - 1] != s))
			sel.series[sel.n++] = s;
	}
	db_catalog_unlock(rq->server->catalog);
	if (calc_trend(rq->server->catalog, rq->db, a, &sel, false, NULL, &t, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct trend_change *c = change_of(t, &list[i]);

		why[i] = (struct why){ .estimate = NAN, .se = NAN, .q_weak = NAN, .q_strong = NAN, .claim_percent = NAN,
				       .same_percent = NAN,
				       .text = "With what was measured since, this is no change of its series any more." };
		if (c)
			calc_why_change(rq->arena, t, c, &why[i]);
	}
	return 0;
}

/* In parts: an upload may have more series than a trend. */
static int explain_steps(struct req *rq, const struct db_member *list, size_t n, struct why *why, struct err *err)
{
	size_t at_once;
	int ret = 0;

	db_catalog_lock(rq->server->catalog);
	db_catalog_kernels(rq->server->catalog, &at_once);
	db_catalog_unlock(rq->server->catalog);
	at_once = calc_trend_at_once(at_once, TREND_SERIES_MAX);
	for (size_t from = 0; from < n && !ret; from += at_once) {
		struct arena *own = arena_new();

		ret = explain_part(rq, own, list + from, n - from < at_once ? n - from : at_once, why + from, err);
		arena_free(own);
	}
	return ret;
}

/* The steps of the run's series that end at its kernel, by series. */
static int read_members(struct req *rq, const struct run *run, struct db_member **list, size_t *n, struct err *err)
{
	size_t all;

	*n = 0;
	if (db_alerts_members_of_series(rq->db, rq->arena, run->series_ids, run->n_results, list, &all, err))
		return -1;
	for (size_t i = 0; i < all; i++)
		if ((*list)[i].regression && (*list)[i].change.to_kernel_id == run->kernel_id)
			(*list)[(*n)++] = (*list)[i];
	return 0;
}

/* ---- of the comparison with the kernel before ---- */

static int by_series(const void *a, const void *b)
{
	int64_t x = (*(const struct cat_series *const *)a)->id, y = (*(const struct cat_series *const *)b)->id;

	return (x > y) - (x < y);
}

/* The series that the run has values of, each once. */
static struct selection *selection_of(struct req *rq, const struct run *run)
{
	struct selection *sel = arena_zalloc(rq->arena, sizeof(*sel));
	size_t n = 0;

	sel->series = arena_array(rq->arena, const struct cat_series *, run->n_results);
	db_catalog_lock(rq->server->catalog);
	for (size_t i = 0; i < run->n_results; i++) {
		const struct cat_series *s = db_catalog_series_by_id(rq->server->catalog, run->series_ids[i]);

		if (s && (!run->status || run->status[i] == RESULT_OK))
			sel->series[n++] = s;
	}
	db_catalog_unlock(rq->server->catalog);
	if (n)
		qsort(sel->series, n, sizeof(*sel->series), by_series);
	for (size_t i = 0; i < n; i++)
		if (!sel->n || sel->series[sel->n - 1] != sel->series[i])
			sel->series[sel->n++] = sel->series[i];
	return sel;
}

/* *cmp NULL: there is nothing to compare with. A variant is compared with nothing, as in the trends. */
static int compare_run(struct req *rq, const struct run *run, struct compare **cmp, struct err *err)
{
	struct catalog *c = rq->server->catalog;
	struct selection *sel = selection_of(rq, run);
	const struct cat_kernel *head, *base;

	*cmp = NULL;
	db_catalog_lock(c);
	head = db_catalog_kernel(c, run->kernel_id);
	db_catalog_unlock(c);
	if (!head || head->is_variant || !sel->n)
		return 0;
	if (calc_select_previous(c, rq->db, rq->arena, "base", sel, head, &base, err)) {
		if (err->kind != ERR_UNKNOWN_VALUE)
			return -1;
		*err = (struct err){ 0 };
		return 0;
	}
	return calc_compare(c, rq->db, rq->arena, sel, base, head, NULL, NULL, cmp, err);
}

static bool is_member(const struct db_member *list, size_t n, int64_t series_id)
{
	for (size_t lo = 0, hi = n; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (list[mid].change.series_id == series_id)
			return true;
		if (list[mid].change.series_id < series_id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

static void rows_json(struct jsonw *j, struct req *rq, const struct compare *cmp, const struct db_member *list, size_t n,
		      bool explain)
{
	for (size_t i = 0; i < cmp->n_rows; i++) {
		const struct compare_row *r = &cmp->rows[i];
		const struct step t = { r->series, cmp->base, NULL, r->base.center, r->head.center, r->change_percent,
					calc_compare_confidence_word(r->confidence) };
		struct why why;

		if (r->verdict != COMPARE_REGRESSION || fabs(r->change_percent) < AB_SAME_PERCENT ||
		    is_member(list, n, r->series->id))
			continue;
		if (explain) {
			calc_why_row(rq->arena, r, cmp->family, &why);
			why.text = arena_printf(rq->arena, "Against %s, the kernel before. %s", cmp->base->name, why.text);
		}
		step_json(j, &t, explain ? &why : NULL);
	}
}

/* ---- the answer ---- */

/* No regressions may mean that there was nothing to find them by. cmp may be NULL. */
static void ground_json(struct jsonw *j, const struct compare *cmp, bool invalidated)
{
	int64_t judged = 0;

	for (size_t i = 0; cmp && i < cmp->n_rows; i++)
		judged += cmp->rows[i].tested;
	jsonw_ki64(j, "judged", judged);
	jsonw_key(j, "compared_with");
	if (cmp)
		jsonw_str(j, cmp->base->name);
	else
		jsonw_null(j);
	jsonw_kbool(j, "invalidated", invalidated);
}

static int verdict_json(struct req *rq, const struct run *run, bool pending, bool explain, struct buf *out, struct err *err)
{
	struct jsonw j = jsonw_begin(out);
	struct db_member *list = NULL;
	struct compare *cmp = NULL;
	struct db_invalid *invalid;
	struct why *why;
	size_t n = 0, n_invalid = 0;

	if (!pending && (db_invalid_of(rq->db, rq->arena, &run->run_id, 1, &invalid, &n_invalid, err) || read_members(rq, run, &list, &n, err) || db_catalog_refresh(rq->server->catalog, rq->db, err) ||
			 (!n_invalid && compare_run(rq, run, &cmp, err))))
		return -1;
	why = arena_array(rq->arena, struct why, explain ? n : 0);
	if (explain && n && explain_steps(rq, list, n, why, err))
		return -1;
	jsonw_object(&j);
	jsonw_kstr(&j, "state", pending ? "pending" : "done");
	jsonw_key(&j, "regressions");
	jsonw_array(&j);
	db_catalog_lock(rq->server->catalog);
	for (size_t i = 0; i < n; i++)
		member_json(&j, rq->server->catalog, &list[i], explain ? &why[i] : NULL);
	if (cmp)
		rows_json(&j, rq, cmp, list, n, explain);
	db_catalog_unlock(rq->server->catalog);
	jsonw_array_end(&j);
	if (!pending)
		ground_json(&j, cmp, n_invalid > 0);
	jsonw_object_end(&j);
	return 0;
}

int api_runs_judged(struct req *rq, const struct run *run, struct buf *out, struct err *err)
{
	bool pending;

	return db_alerts_pending(rq->db, &run->run_id, &pending, err) || verdict_json(rq, run, pending, false, out, err) ? -1 : 0;
}

int api_runs_verdict(struct req *rq, struct err *err)
{
	int64_t waited = (tm_monotonic_usec() - rq->since) / 1000;
	struct run *run = NULL;
	struct uuid id;
	bool pending, explain;
	int wait;

	/* first, and alone while it waits: a run is much to read twice a second for each who asks */
	if (web_arg_int(rq, "wait", 0, WAIT_MOST_S, 0, &wait, err) || api_shapes_flag(rq, "explain", &explain, err) ||
	    api_runs_id(rq, &id, err) ||
	    db_alerts_pending(rq->db, &id, &pending, err))
		return -1;
	if (pending && waited < wait * 1000LL && !rq->last_call) {
		rq->again_ms = POLL_MSEC;
		return 0;
	}
	return api_runs_find(rq, &run, err) ? -1 : verdict_json(rq, run, pending, explain, &rq->out, err);
}
