/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One kernel: where it was run, its neighbours and variants, what changed with it. */
#include <stdlib.h>
#include <string.h>

#include "../lib/tm.h"
#include "api_about.h"
#include "api_handlers.h"
#include "api_list.h"
#include "api_shapes.h"
#include "calc_select.h"
#include "db_overview.h"

#define LOOKS 32	/* neighbours that are asked whether they have runs */

struct kernel_about {
	const struct cat_kernel *k, *previous, *next;	/* neighbours of the track with runs, or NULL */
	const struct cat_kernel **variants;		/* of it, by name */
	struct about_place *places;
	const struct cat_benchmark **benchmarks;
	struct db_alert *alerts;
	const char *log;
	size_t n_variants, n_places, n_benchmarks, n_alerts;
};

/* Kernels of its track that are no variants, in order, and its variants; *at: its place, or that of its base. */
static const struct cat_kernel **neighbours(struct req *rq, struct kernel_about *x, size_t *n, size_t *at)
{
	const struct cat_kernel *const *all, **list;
	int64_t line = x->k->is_variant ? x->k->variant_base_id : x->k->id;
	size_t n_all;

	*n = 0;
	db_catalog_lock(rq->server->catalog);
	all = db_catalog_kernels(rq->server->catalog, &n_all);
	list = arena_array(rq->arena, const struct cat_kernel *, n_all + 1);
	x->variants = arena_array(rq->arena, const struct cat_kernel *, n_all + 1);
	for (size_t i = 0; i < n_all; i++) {
		if (!all[i]->is_variant && !strcmp(all[i]->track, x->k->track))
			list[(*n)++] = all[i];
		if (all[i]->is_variant && all[i] != x->k && all[i]->variant_base_id == line)
			x->variants[x->n_variants++] = all[i];
	}
	db_catalog_unlock(rq->server->catalog);
	qsort(list, *n, sizeof(*list), calc_select_kernel_order);
	qsort(x->variants, x->n_variants, sizeof(*x->variants), calc_select_kernel_order);
	for (*at = 0; *at < *n && list[*at]->id != line; ++*at)
		;
	return list;
}

static int look(struct req *rq, const struct cat_kernel **list, size_t n, size_t at, int step, const struct cat_kernel **found,
		struct err *err)
{
	for (size_t i = at + (size_t)step, looks = 0; i < n && looks < LOOKS && !*found; i += (size_t)step, looks++) {
		bool any;

		if (db_overview_has_runs(rq->db, list[i]->id, &any, err))
			return -1;
		if (any)
			*found = list[i];
	}
	return 0;
}

static int find_benchmarks(struct req *rq, struct kernel_about *x, struct err *err)
{
	const struct cat_benchmark *const *all;
	int64_t *ids, *tested;
	size_t n, n_tested;

	db_catalog_lock(rq->server->catalog);
	all = db_catalog_benchmarks(rq->server->catalog, &n);
	ids = arena_array(rq->arena, int64_t, n + 1);
	x->benchmarks = arena_array(rq->arena, const struct cat_benchmark *, n + 1);
	for (size_t i = 0; i < n; i++) {
		ids[i] = all[i]->id;
		x->benchmarks[i] = all[i];
	}
	db_catalog_unlock(rq->server->catalog);
	if (db_about_benchmarks(rq->db, rq->arena, x->k->id, ids, n, &tested, &n_tested, err))
		return -1;
	for (size_t i = 0, k = 0; i < n && k < n_tested; i++)	/* both are in id order */
		if (ids[i] == tested[k]) {
			x->benchmarks[x->n_benchmarks++] = x->benchmarks[i];
			k++;
		}
	return 0;
}

static int load(struct req *rq, struct kernel_about *x, struct err *err)
{
	struct selection all = { 0 };
	const struct cat_kernel **list;
	size_t n, at;

	*x = (struct kernel_about){ 0 };
	if (db_catalog_refresh_for(rq->server->catalog, rq->db, rq->version, err))
		return -1;
	if (calc_select_kernel(rq->server->catalog, rq->db, rq->arena, "kernel", rq->id, &all, &x->k, err))
		return api_about_missing(err);
	list = neighbours(rq, x, &n, &at);
	x->previous = x->k->is_variant && at < n ? list[at] : NULL;	/* of a variant: its base */
	return (!x->previous && at < n && look(rq, list, n, at, -1, &x->previous, err)) ||
	       (at < n && look(rq, list, n, at, 1, &x->next, err)) ||
	       db_about_places(rq->db, rq->arena, x->k->id, &x->places, &x->n_places, err) || find_benchmarks(rq, x, err) ||
	       db_alerts_to(rq->db, rq->arena, &x->k->id, 1, &x->alerts, &x->n_alerts, err) ||
	       db_about_log(rq->db, rq->arena, x->k->id, &x->log, err) ? -1 : 0;
}

static void places_json(struct req *rq, struct jsonw *j, const struct kernel_about *x)
{
	jsonw_key(j, "tested");
	jsonw_array(j);
	db_catalog_lock(rq->server->catalog);
	for (size_t i = 0; i < x->n_places; i++) {
		const struct cat_machine *m = db_catalog_machine(rq->server->catalog, x->places[i].machine_id);
		const struct cat_config *c = db_catalog_config(rq->server->catalog, x->places[i].config_id);

		if (!m || !c)
			continue;
		jsonw_object(j);
		jsonw_kstr(j, "machine", m->name);
		jsonw_kstr(j, "uarch", m->uarch);
		jsonw_kstr(j, "thp", c->thp);
		jsonw_ki64(j, "runs", x->places[i].runs);
		api_about_time(j, "last_started_at", x->places[i].last_at);
		jsonw_object_end(j);
	}
	db_catalog_unlock(rq->server->catalog);
	jsonw_array_end(j);
}

static void kernel_key(struct jsonw *j, const char *key, const struct cat_kernel *k)
{
	jsonw_key(j, key);
	k ? api_shapes_kernel(j, k) : jsonw_null(j);
}

static int tell(struct req *rq, const struct kernel_about *x, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);

	jsonw_object(&j);
	kernel_key(&j, "kernel", x->k);
	kernel_key(&j, "previous", x->previous);
	kernel_key(&j, "next", x->next);
	jsonw_key(&j, "variants");
	jsonw_array(&j);
	for (size_t i = 0; i < x->n_variants; i++)
		api_shapes_kernel(&j, x->variants[i]);
	jsonw_array_end(&j);
	places_json(rq, &j, x);
	jsonw_key(&j, "benchmarks");
	jsonw_array(&j);
	for (size_t i = 0; i < x->n_benchmarks; i++)
		jsonw_str(&j, x->benchmarks[i]->name);
	jsonw_array_end(&j);
	if (api_about_alerts(rq, &j, x->alerts, x->n_alerts, NULL, NULL, err))
		return -1;
	jsonw_kraw(&j, "log", x->log ? x->log : "[]");
	jsonw_object_end(&j);
	return 0;
}

static void table(struct req *rq, const struct kernel_about *x)
{
	static const struct table_col cols[] = { TABLE_STR("machine"), TABLE_STR("uarch"), TABLE_STR("thp"), TABLE_NUM("runs"),
						 { .name = "last_started_at", .head = "last run" } };
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));
	char at[TM_TEXT];

	if (rq->rep == REP_TEXT)
		table_para(&rq->out, 0, table_clean(rq->arena, arena_printf(rq->arena, "%s, %s; before it %s; %zu benchmarks, %zu alerts",
			   x->k->name, x->k->track, x->previous ? x->previous->name : "nothing", x->n_benchmarks, x->n_alerts)));
	db_catalog_lock(rq->server->catalog);
	for (size_t i = 0; i < x->n_places; i++) {
		const struct cat_machine *m = db_catalog_machine(rq->server->catalog, x->places[i].machine_id);
		const struct cat_config *c = db_catalog_config(rq->server->catalog, x->places[i].config_id);

		table_row(t);
		table_str(t, m ? m->name : NULL);
		table_str(t, m ? m->uarch : NULL);
		table_str(t, c ? c->thp : NULL);
		table_i64(t, x->places[i].runs);
		table_str(t, api_about_when(rq, x->places[i].last_at, at));
	}
	db_catalog_unlock(rq->server->catalog);
	api_list_table(rq, t);
}

int api_kernel(struct req *rq, struct err *err)
{
	struct kernel_about x;

	if (load(rq, &x, err))
		return -1;
	if (rq->rep == REP_JSON)
		return tell(rq, &x, err);
	table(rq, &x);
	return 0;
}
