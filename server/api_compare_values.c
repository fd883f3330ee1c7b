/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api_compare_values.h"

#include <string.h>

#include "../lib/tm.h"
#include "api_shapes.h"
#include "db_united.h"

struct wanted {
	const struct compare_runs *narrowed;
	int64_t series_id;
	struct uuid ids[COMPARE_VALUES_RUNS];
	size_t n;
};

/* run= names some of a kernel's runs: then only those count. */
static bool counts(const struct compare_runs *narrowed, const struct run *r)
{
	bool of_kernel = false;

	for (size_t i = 0; i < narrowed->n; i++) {
		if (!memcmp(&narrowed->ids[i], &r->run_id, sizeof(r->run_id)))
			return true;
		of_kernel |= narrowed->kernel_ids[i] == r->kernel_id;
	}
	return !of_kernel;
}

/* The index of the series' good result in a run, or n_results. */
static size_t find(const struct run *r, int64_t series_id)
{
	for (size_t i = 0; i < r->n_results; i++)
		if (r->series_ids[i] == series_id && r->status[i] == RESULT_OK)
			return i;
	return r->n_results;
}

static int note(const struct run *r, void *arg, struct err *err)
{
	struct wanted *w = arg;

	(void)err;
	if (w->n < COMPARE_VALUES_RUNS && find(r, w->series_id) < r->n_results && counts(w->narrowed, r))
		w->ids[w->n++] = r->run_id;
	return 0;
}

static const struct cat_series *series_of(const struct compare *c, int64_t id)
{
	for (size_t i = 0; i < c->n_rows; i++)
		if (c->rows[i].series->id == id)
			return c->rows[i].series;
	return NULL;
}

int api_compare_values(struct req *rq, const struct compare *c, const struct compare_runs *narrowed, int64_t series_id,
		       struct compare_values *out, struct err *err)
{
	const struct cat_series *s = series_of(c, series_id);
	const int64_t kernels[] = { c->base->id, c->head->id, c->fix ? c->fix->id : c->head->id };
	struct wanted *w = arena_zalloc(rq->arena, sizeof(*w));

	*out = (struct compare_values){ .compare = c, .series_id = series_id };
	if (!s)
		return 0;
	w->narrowed = narrowed;
	w->series_id = series_id;
	if (db_runs_each_of_kernels(rq->db, rq->arena, kernels, 3, &s->machine->id, 1, note, w, err))
		return -1;
	out->runs = arena_array(rq->arena, const struct run *, w->n);
	for (size_t i = 0; i < w->n; i++) {
		struct run *r;

		if (db_runs_get(rq->db, rq->arena, &w->ids[i], &r, err))
			return -1;
		if (!r)
			continue;
		db_united_mains(rq->db, UNITED_SERIES, r->series_ids, r->n_results);
		out->runs[out->n++] = r;
	}
	return 0;
}

static void json_run(struct jsonw *j, const struct run *r, int64_t series_id)
{
	size_t at = find(r, series_id);
	char id[UUID_TEXT], when[TM_TEXT];

	jsonw_object(j);
	jsonw_kstr(j, "run_id", uuid_format(&r->run_id, id));
	jsonw_kstr(j, "boot_id", r->boot_id);
	jsonw_kstr(j, "started_at", tm_format(r->started_at, when));
	jsonw_key(j, "values");
	jsonw_array(j);
	for (size_t i = 0; at < r->n_results && i < r->n_values[at]; i++)
		jsonw_num(j, r->values[at][i]);
	jsonw_array_end(j);
	jsonw_object_end(j);
}

static void json_side(struct jsonw *j, const char *key, const struct compare_values *v, const struct cat_kernel *k)
{
	jsonw_key(j, key);
	jsonw_array(j);
	for (size_t i = 0; k && i < v->n; i++)
		if (v->runs[i]->kernel_id == k->id)
			json_run(j, v->runs[i], v->series_id);
	jsonw_array_end(j);
}

void api_compare_values_json(struct jsonw *j, const struct compare_values *v)
{
	jsonw_key(j, "repetitions");
	jsonw_object(j);
	json_side(j, "base", v, v->compare->base);
	json_side(j, "head", v, v->compare->head);
	json_side(j, "fix", v, v->compare->fix);
	jsonw_object_end(j);
}
