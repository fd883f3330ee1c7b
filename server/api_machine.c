/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One machine: its facts over time, its runs with their environment, what is expected of it, its open alerts. */
#include <string.h>

#include "../lib/tm.h"
#include "api_about.h"
#include "api_handlers.h"
#include "api_list.h"
#include "calc_expect.h"
#include "calc_select.h"
#include "db_united.h"

#define RUNS_MOST 60
#define ALERTS_MOST 200

struct machine {
	const struct cat_machine *m;
	struct about_fact *facts;
	struct about_run *runs;
	struct db_expectation *expected;
	struct db_alert *open;
	size_t n_facts, n_runs, n_expected, n_open, n_series, n_benchmarks;
};

/* By any of its names. */
static int find(struct req *rq, struct machine *x, struct err *err)
{
	if (db_catalog_refresh_for(rq->server->catalog, rq->db, rq->version, err))
		return -1;
	db_catalog_lock(rq->server->catalog);
	x->m = db_catalog_machine_of(rq->server->catalog, rq->id);
	db_catalog_unlock(rq->server->catalog);
	return x->m ? 0 : api_about_unknown(rq, "machine", err);
}

static void count(struct req *rq, struct machine *x)
{
	const struct cat_benchmark *const *benchmarks;
	size_t n;

	db_catalog_lock(rq->server->catalog);
	benchmarks = db_catalog_benchmarks(rq->server->catalog, &n);
	for (size_t i = 0; i < n; i++) {
		size_t n_series, before = x->n_series;
		const struct cat_series *const *list = db_catalog_series_of(rq->server->catalog, benchmarks[i]->id, &n_series);

		for (size_t k = 0; k < n_series; k++)
			x->n_series += list[k]->machine == x->m;
		x->n_benchmarks += x->n_series > before;
	}
	db_catalog_unlock(rq->server->catalog);
}

static int load(struct req *rq, struct machine *x, struct err *err)
{
	*x = (struct machine){ 0 };
	if (find(rq, x, err) || db_about_facts(rq->db, rq->arena, x->m->id, &x->facts, &x->n_facts, err) ||
	    db_about_runs(rq->db, rq->arena, x->m->id, RUNS_MOST, &x->runs, &x->n_runs, err) ||
	    db_expectations_list(rq->db, rq->arena, &x->expected, &x->n_expected, err) ||
	    db_alerts_open(rq->db, rq->arena, ALERTS_MOST, &x->open, &x->n_open, err))
		return -1;
	count(rq, x);
	return 0;
}

static bool is_on(const struct calc_alert *al, const void *arg)
{
	const struct cat_machine *m = arg;

	for (size_t i = 0; i < al->alert->n_machines; i++)
		if (al->alert->machine_ids[i] == m->id)
			return true;
	return false;
}

static void facts_json(struct jsonw *j, const struct machine *x)
{
	jsonw_key(j, "facts");
	jsonw_array(j);
	for (size_t i = 0; i < x->n_facts; i++) {
		jsonw_object(j);
		api_about_time(j, "first_seen_at", x->facts[i].first_seen_at);
		jsonw_kstr(j, "isa", x->facts[i].isa);
		jsonw_kstr(j, "uarch", x->facts[i].uarch);
		jsonw_kraw(j, "facts", x->facts[i].facts);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
}

static void expected_json(struct req *rq, struct jsonw *j, const struct machine *x)
{
	char id[UUID_TEXT];

	jsonw_key(j, "expectations");
	jsonw_array(j);
	for (size_t i = 0; i < x->n_expected; i++) {
		const struct db_expectation *e = &x->expected[i];

		if (db_united_main(rq->db, UNITED_MACHINE, e->machine_id) != x->m->id)
			continue;
		jsonw_object(j);
		jsonw_kstr(j, "benchmark", e->benchmark);
		jsonw_kstr(j, "every", calc_expect_interval_text(rq->arena, e->interval_s));
		jsonw_kstr(j, "note", e->note);
		jsonw_kstr(j, "alert_id", e->silent ? uuid_format(&e->alert_id, id) : NULL);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
}

static int tell(struct req *rq, const struct machine *x, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);

	jsonw_object(&j);
	jsonw_kstr(&j, "name", x->m->name);
	jsonw_kstr(&j, "isa", x->m->isa);
	jsonw_kstr(&j, "uarch", x->m->uarch);
	api_about_aliases(&j, x->m->aliases);
	facts_json(&j, x);
	jsonw_key(&j, "runs");
	jsonw_array(&j);
	for (size_t i = 0; i < x->n_runs; i++)
		api_about_run(rq, &j, &x->runs[i]);
	jsonw_array_end(&j);
	expected_json(rq, &j, x);
	if (api_about_alerts(rq, &j, x->open, x->n_open, is_on, x->m, err))
		return -1;
	jsonw_ki64(&j, "series", (int64_t)x->n_series);
	jsonw_ki64(&j, "benchmarks", (int64_t)x->n_benchmarks);
	jsonw_object_end(&j);
	return 0;
}

static void table(struct req *rq, const struct machine *x)
{
	static const struct table_col cols[] = {
		{ .name = "run_id", .in = TABLE_CSV }, { .name = "started_at", .head = "started" }, TABLE_STR("kernel"), TABLE_STR("thp"),
		TABLE_NUM("results"), { .name = "environment", .in = TABLE_CSV },
	};
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));
	char id[UUID_TEXT], at[TM_TEXT];

	if (rq->rep == REP_TEXT)
		table_para(&rq->out, 0, table_clean(rq->arena, arena_printf(rq->arena, "%s: %s, %s; %zu series of %zu benchmarks", x->m->name,
									    x->m->uarch, x->m->isa, x->n_series, x->n_benchmarks)));
	db_catalog_lock(rq->server->catalog);
	for (size_t i = 0; i < x->n_runs; i++) {
		const struct cat_kernel *k = db_catalog_kernel(rq->server->catalog, x->runs[i].kernel_id);
		const struct cat_config *c = db_catalog_config(rq->server->catalog, x->runs[i].config_id);

		table_row(t);
		table_str(t, uuid_format(&x->runs[i].run_id, id));
		table_str(t, api_about_when(rq, x->runs[i].started_at, at));
		table_str(t, k ? k->name : NULL);
		table_str(t, c ? c->thp : NULL);
		table_i64(t, x->runs[i].n_results);
		table_str(t, x->runs[i].environment);
	}
	db_catalog_unlock(rq->server->catalog);
	api_list_table(rq, t);
}

int api_machine(struct req *rq, struct err *err)
{
	struct machine x;

	if (load(rq, &x, err))
		return -1;
	if (rq->rep == REP_JSON)
		return tell(rq, &x, err);
	table(rq, &x);
	return 0;
}
