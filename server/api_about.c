/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api_about.h"

#include <string.h>

#include "api_shapes.h"
#include "calc_select.h"

void api_about_time(struct jsonw *j, const char *key, int64_t at)
{
	char text[TM_TEXT];

	jsonw_kstr(j, key, at == TM_NONE ? NULL : tm_format(at, text));
}

const char *api_about_when(const struct req *rq, int64_t at, char out[TM_TEXT])
{
	tm_format(at, out);
	if (rq->rep == REP_TEXT)
		out[strlen("2026-02-13T15:08")] = 0;
	return out;
}

int api_about_alerts(struct req *rq, struct jsonw *j, const struct db_alert *list, size_t n, api_about_pick pick,
		     const void *arg, struct err *err)
{
	jsonw_key(j, "alerts");
	jsonw_array(j);
	for (size_t i = 0; i < n; i++) {
		struct calc_alert al;

		if (calc_alert_name(rq->server->catalog, rq->arena, &list[i], &al, err))
			return -1;
		if (!list[i].merged && (!pick || pick(&al, arg)))
			calc_alert_json(j, &al, NULL, false);
	}
	jsonw_array_end(j);
	return 0;
}

void api_about_aliases(struct jsonw *j, const char *const *aliases)
{
	jsonw_key(j, "aliases");
	jsonw_array(j);
	for (; aliases && *aliases; aliases++)
		jsonw_str(j, *aliases);
	jsonw_array_end(j);
}

bool api_about_run(struct req *rq, struct jsonw *j, const struct about_run *r)
{
	const struct cat_kernel *kernel;
	const struct cat_config *config;
	char id[UUID_TEXT];

	db_catalog_lock(rq->server->catalog);
	kernel = db_catalog_kernel(rq->server->catalog, r->kernel_id);
	config = db_catalog_config(rq->server->catalog, r->config_id);
	db_catalog_unlock(rq->server->catalog);
	if (!kernel || !config)
		return false;
	jsonw_object(j);
	jsonw_kstr(j, "run_id", uuid_format(&r->run_id, id));
	jsonw_key(j, "kernel");
	api_shapes_kernel(j, kernel);
	jsonw_kstr(j, "thp", config->thp);
	api_about_time(j, "started_at", r->started_at);
	api_about_time(j, "received_at", r->received_at);
	jsonw_ki64(j, "results", r->n_results);
	jsonw_kstr(j, "boot_id", r->boot_id);
	jsonw_kraw(j, "environment", r->environment ? r->environment : "{}");
	jsonw_kraw(j, "source", r->source ? r->source : "{}");
	jsonw_object_end(j);
	return true;
}

int api_about_missing(struct err *err)
{
	if (err->kind == ERR_UNKNOWN_VALUE || err->kind == ERR_BAD_ARGUMENT)
		err->kind = ERR_NOT_FOUND;
	return -1;
}

int api_about_unknown(struct req *rq, const char *what, struct err *err)
{
	const struct cat_benchmark *const *benchmarks;
	const struct cat_machine *const *machines;
	const char **names;
	size_t n_benchmarks, n_machines, n = 0;

	db_catalog_lock(rq->server->catalog);
	benchmarks = db_catalog_benchmarks(rq->server->catalog, &n_benchmarks);
	machines = db_catalog_machines(rq->server->catalog, &n_machines);
	names = arena_array(rq->arena, const char *, n_benchmarks + n_machines + 1);
	if (!strcmp(what, "machine"))
		for (; n < n_machines; n++)
			names[n] = machines[n]->name;
	else
		for (; n < n_benchmarks; n++)
			names[n] = benchmarks[n]->name;
	db_catalog_unlock(rq->server->catalog);
	calc_select_unknown(rq->arena, what, rq->id, names, n, err);
	return api_about_missing(err);
}
