/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api_shapes.h"

#include <string.h>

#include "../ingest/kernel_json.h"
#include "../lib/num.h"

#define RUNS_MAX 100	/* run= arguments: each is looked up */

/* ---- shapes ---- */

void api_shapes_id(struct jsonw *j, const char *key, int64_t id)
{
	char text[NUM_MAX];

	num_format_i64(text, id);
	jsonw_kstr(j, key, text);
}

static void time_or_null(struct jsonw *j, const char *key, int64_t usec)
{
	char text[TM_TEXT];

	jsonw_kstr(j, key, usec == TM_NONE ? NULL : tm_format(usec, text));
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
	if (!k) {
		jsonw_null(j);
		return;
	}
	jsonw_object(j);
	jsonw_kstr(j, "name", k->name);
	jsonw_kstr(j, "release", k->release);
	jsonw_kstr(j, "base", k->base);
	rc_or_null(j, k->rc);
	jsonw_ki64(j, "distance", k->distance);
	jsonw_kstr(j, "track", k->track);
	jsonw_kraw(j, "variant", k->variant);
	jsonw_kstr(j, "commit", k->commit);
	time_or_null(j, "released_at", k->released_at);
	jsonw_object_end(j);
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

/* ---- arguments ---- */

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
