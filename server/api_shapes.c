/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api_shapes.h"

#include <stdlib.h>
#include <math.h>
#include <string.h>

#include "../ingest/kernel_json.h"
#include "../lib/ids.h"
#include "../lib/num.h"

#define RUNS_MAX 100	/* run= arguments: each is looked up */

/* ---- shapes ---- */

void api_shapes_id(struct jsonw *j, const char *key, int64_t id)
{
	char text[NUM_MAX];

	num_format_i64(text, id);
	jsonw_kstr(j, key, text);
}

static void rc_or_null(struct jsonw *j, int rc)
{
	jsonw_key(j, "rc");
	if (rc)
		jsonw_i64(j, rc);
	else
		jsonw_null(j);
}

void api_shapes_kernel(struct jsonw *j, const struct cat_kernel *k)
{
	jsonw_raw(j, k ? k->json : NULL);
}

void api_shapes_parsed_kernel(struct jsonw *j, const struct kernel *k)
{
	jsonw_object(j);
	jsonw_kstr(j, "name", k->name);
	jsonw_kstr(j, "release", k->release);
	jsonw_kstr(j, "base", k->base);
	rc_or_null(j, k->rc);
	jsonw_ki64(j, "distance", k->distance);
	jsonw_kstr(j, "track", k->track);
	jsonw_key(j, "variant");
	kernel_json_variant(j, k);
	jsonw_kstr(j, "commit", NULL);
	jsonw_kstr(j, "released_at", NULL);
	jsonw_object_end(j);
}

void api_shapes_interval(struct jsonw *j, const char *key, bool known, double lo, double hi)
{
	jsonw_key(j, key);
	if (!known) {
		jsonw_null(j);
		return;
	}
	jsonw_array(j);
	jsonw_num(j, lo);
	jsonw_num(j, hi);
	jsonw_array_end(j);
}

static void why_variances(struct jsonw *j, const struct why *why)
{
	jsonw_key(j, "variances");
	jsonw_array(j);
	for (size_t i = 0; i < why->n_variances; i++) {
		const struct why_variance *v = &why->variance[i];

		jsonw_object(j);
		jsonw_kstr(j, "name", v->name);
		jsonw_kstr(j, "about", v->about);
		jsonw_knum(j, "variance", v->variance);
		jsonw_knum(j, "df", v->df);
		jsonw_kbool(j, "assumed", isinf(v->df));
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
}

void api_shapes_why(struct jsonw *j, const struct why *why)
{
	jsonw_key(j, "why");
	jsonw_object(j);
	jsonw_kstr(j, "text", why->text);
	jsonw_kstr(j, "source", why->source);
	jsonw_key(j, "inputs");
	jsonw_object(j);
	for (size_t i = 0; i < why->n_inputs; i++)
		jsonw_knum(j, why->input[i].name, why->input[i].value);
	jsonw_object_end(j);
	jsonw_knum(j, "estimate", why->estimate);
	jsonw_knum(j, "se", why->se);
	why_variances(j, why);
	jsonw_key(j, "thresholds");
	jsonw_object(j);
	jsonw_knum(j, "q_weak", why->q_weak);
	jsonw_knum(j, "q_strong", why->q_strong);
	jsonw_knum(j, "claim_percent", why->claim_percent);
	jsonw_knum(j, "unchanged_percent", why->same_percent);
	jsonw_object_end(j);
	jsonw_key(j, "family");
	if (why->family) {
		jsonw_object(j);
		jsonw_kstr(j, "about", why->family);
		jsonw_ki64(j, "size", (int64_t)why->family_size);
		jsonw_object_end(j);
	} else {
		jsonw_null(j);
	}
	jsonw_object_end(j);
}

/* ---- arguments ---- */

int api_shapes_flag(struct req *rq, const char *name, bool *flag, struct err *err)
{
	const char *text = web_arg(rq, name);

	*flag = text && !strcmp(text, "1");
	if (text && !*flag && strcmp(text, "0"))
		return err_set(err, ERR_BAD_ARGUMENT, "%s: 0 or 1", name);
	return 0;
}

int api_shapes_selection(struct req *rq, struct selection *sel, struct err *err)
{
	struct select_arg *args = arena_array(rq->arena, struct select_arg, rq->n_args + 1);
	size_t n = 0;

	for (size_t i = 0; i < rq->n_args; i++)
		if (calc_select_is_selector(rq->args[i].name))
			args[n++] = (struct select_arg){ rq->args[i].name, rq->args[i].value };
	if (db_catalog_refresh_for(rq->server->catalog, rq->db, rq->version, err))
		return -1;
	return calc_select_series(rq->server->catalog, rq->arena, args, n, sel, err);
}

/* Which arguments there are: of anything but track=, of what a series measures, of its benchmark. */
static void kinds_of(const struct req *rq, bool *any, bool *what, bool *benchmark)
{
	*any = *what = *benchmark = false;
	for (size_t i = 0; i < rq->n_args; i++) {
		const char *name = rq->args[i].name;

		*any |= calc_select_is_selector(name) && strcmp(name, "track") != 0;
		*what |= !strcmp(name, "metric") || !strncmp(name, "param.", 6);
		*benchmark |= !strcmp(name, "benchmark");
	}
}

static const int64_t *distinct(int64_t *ids, size_t n, size_t *kept)
{
	*kept = ids_unique(ids, n);
	return ids;
}

bool api_shapes_seen(struct req *rq, const struct selection *sel, struct seen_filter *f)
{
	int64_t *machines = arena_array(rq->arena, int64_t, sel->n + 1), *configs, *benchmarks, *series;
	bool any, what, benchmark;

	*f = (struct seen_filter){ 0 };
	kinds_of(rq, &any, &what, &benchmark);
	if (!any)
		return false;
	configs = arena_array(rq->arena, int64_t, sel->n + 1);
	benchmarks = arena_array(rq->arena, int64_t, sel->n + 1);
	series = arena_array(rq->arena, int64_t, sel->n + 1);
	for (size_t i = 0; i < sel->n; i++) {
		machines[i] = sel->series[i]->machine->id;
		configs[i] = sel->series[i]->config->id;
		benchmarks[i] = sel->series[i]->benchmark->id;
		series[i] = sel->series[i]->id;
	}
	f->machine_ids = distinct(machines, sel->n, &f->n_machines);
	f->config_ids = distinct(configs, sel->n, &f->n_configs);
	if (what || benchmark)
		f->benchmark_ids = distinct(benchmarks, sel->n, &f->n_benchmarks);
	if (what)
		f->series_ids = distinct(series, sel->n, &f->n_series);
	return true;
}

const int64_t *api_shapes_track_kernels(struct req *rq, const struct selection *sel, size_t *n)
{
	const struct cat_kernel *const *all;
	int64_t *ids;
	size_t n_all;

	*n = 0;
	db_catalog_lock(rq->server->catalog);
	all = db_catalog_kernels(rq->server->catalog, &n_all);
	ids = arena_array(rq->arena, int64_t, n_all + 1);
	for (size_t i = 0; i < n_all; i++)
		if (calc_select_track(sel, all[i]->track))
			ids[(*n)++] = all[i]->id;
	db_catalog_unlock(rq->server->catalog);
	return ids;
}

int api_shapes_runs(struct req *rq, struct compare_runs *runs, struct err *err)
{
	size_t n;
	const char **values = web_args(rq, "run", &n);
	struct uuid *ids = arena_array(rq->arena, struct uuid, n + 1);
	int64_t *kernel_ids = arena_array(rq->arena, int64_t, n + 1);

	if (n > RUNS_MAX)
		return err_set(err, ERR_BAD_ARGUMENT, "run: at most %d at once", RUNS_MAX);
	for (size_t i = 0; i < n; i++) {
		struct run *run;

		if (uuid_parse(values[i], &ids[i]))
			return err_set(err, ERR_BAD_ARGUMENT, "run: \"%.60s\" is no run id (a UUID)", values[i]);
		if (db_runs_get(rq->db, rq->arena, &ids[i], &run, err))
			return -1;
		if (!run)
			return err_set(err, ERR_UNKNOWN_VALUE, "run: there is no run %s", values[i]);
		kernel_ids[i] = run->kernel_id;
	}
	*runs = (struct compare_runs){ .ids = ids, .kernel_ids = kernel_ids, .n = n };
	return 0;
}

static int one_kernel(struct req *rq, const char *arg, const struct selection *sel,
		      const struct cat_kernel **kernel, struct err *err)
{
	const char *value = web_arg(rq, arg);

	if (!value)
		return err_set(err, ERR_BAD_ARGUMENT, "%s: a kernel is needed", arg);
	return calc_select_kernel(rq->server->catalog, rq->db, rq->arena, arg, value, sel, kernel, err);
}

int api_shapes_kernels(struct req *rq, const struct selection *sel, const struct cat_kernel **base,
		       const struct cat_kernel **head, const struct cat_kernel **fix, struct err *err)
{
	const char *from = web_arg(rq, "base");

	*fix = NULL;
	if (one_kernel(rq, "head", sel, head, err))
		return -1;
	if (from && !strcmp(from, "previous")) {
		if (calc_select_previous(rq->server->catalog, rq->db, rq->arena, "base", sel, *head, base, err))
			return -1;
	} else if (one_kernel(rq, "base", sel, base, err)) {
		return -1;
	}
	return web_arg(rq, "fix") ? one_kernel(rq, "fix", sel, fix, err) : 0;
}
