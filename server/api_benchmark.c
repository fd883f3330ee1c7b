/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One benchmark: what it measures, with what it was run last, how noisy it is on each machine, its open alerts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tm.h"
#include "api_about.h"
#include "api_handlers.h"
#include "api_list.h"
#include "calc_select.h"
#include "db_noise.h"

#define ALERTS_MOST 200
#define VALUES_MOST 64	/* of a parameter */

/* Its series on one machine, and their noise: the deviation of a boot's mean, in percent. */
struct place {
	const struct cat_machine *machine;
	size_t n_series, n_noise;
	double *noise;		/* ascending */
	int64_t kernels;	/* that the best known of them was learned from */
};

struct param {
	const char *name;
	const struct cat_param **values;	/* each once, in order */
	size_t n;
};

struct benchmark {
	const struct cat_benchmark *b;
	const struct cat_series **series;
	const struct cat_metric **metrics;
	const char **thp;
	struct place *places;
	struct param *params;
	struct about_run *newest;
	struct db_alert *open;
	size_t n_series, n_metrics, n_thp, n_places, n_params, n_open;
};

static int find(struct req *rq, struct benchmark *x, struct err *err)
{
	const struct cat_series *const *list;

	if (db_catalog_refresh_for(rq->server->catalog, rq->db, rq->version, err))
		return -1;
	db_catalog_lock(rq->server->catalog);
	x->b = db_catalog_benchmark_of(rq->server->catalog, rq->id);
	if (x->b) {
		list = db_catalog_series_of(rq->server->catalog, x->b->id, &x->n_series);
		x->series = arena_array(rq->arena, const struct cat_series *, x->n_series + 1);
		for (size_t i = 0; i < x->n_series; i++)
			x->series[i] = list[i];
	}
	db_catalog_unlock(rq->server->catalog);
	return x->b ? 0 : api_about_unknown(rq, "benchmark", err);
}

/* Adds p to a list of pointers unless it is there. */
static void add_once(const void **list, size_t *n, const void *p)
{
	for (size_t i = 0; i < *n; i++)
		if (list[i] == p)
			return;
	list[(*n)++] = p;
}

static void add_param(struct arena *a, struct benchmark *x, const struct cat_param *p)
{
	size_t i = 0, k = 0;

	while (i < x->n_params && strcmp(x->params[i].name, p->name))
		i++;
	if (i == x->n_params)
		x->params[x->n_params++] = (struct param){ p->name, arena_array(a, const struct cat_param *, VALUES_MOST), 0 };
	while (k < x->params[i].n && strcmp(x->params[i].values[k]->text, p->text))
		k++;
	if (k == x->params[i].n && k < VALUES_MOST)
		x->params[i].values[x->params[i].n++] = p;
}

static int by_value(const void *a, const void *b)
{
	const struct cat_param *p = *(const struct cat_param *const *)a, *q = *(const struct cat_param *const *)b;

	if (p->is_number && q->is_number)
		return (p->number > q->number) - (p->number < q->number);
	return strcmp(p->text, q->text);
}

static int by_machine(const void *a, const void *b)
{
	return strcmp(((const struct place *)a)->machine->name, ((const struct place *)b)->machine->name);
}

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct place *place_of(struct benchmark *x, const struct cat_machine *m)
{
	for (size_t i = 0; i < x->n_places; i++)
		if (x->places[i].machine == m)
			return &x->places[i];
	x->places[x->n_places] = (struct place){ .machine = m };
	return &x->places[x->n_places++];
}

static void describe(struct arena *a, struct benchmark *x)
{
	size_t most = 0;

	for (size_t i = 0; i < x->n_series; i++)
		most += x->series[i]->n_params;
	x->metrics = arena_array(a, const struct cat_metric *, x->n_series + 1);
	x->thp = arena_array(a, const char *, x->n_series + 1);
	x->places = arena_array(a, struct place, x->n_series + 1);
	x->params = arena_array(a, struct param, most + 1);
	for (size_t i = 0; i < x->n_series; i++) {
		const struct cat_series *s = x->series[i];
		size_t k = 0;

		add_once((const void **)x->metrics, &x->n_metrics, s->metric);
		while (k < x->n_thp && strcmp(x->thp[k], s->config->thp))
			k++;
		if (k == x->n_thp)
			x->thp[x->n_thp++] = s->config->thp;
		place_of(x, s->machine)->n_series++;
		for (size_t p = 0; p < s->n_params; p++)
			add_param(a, x, &s->param[p]);
	}
	for (size_t i = 0; i < x->n_params; i++)
		qsort(x->params[i].values, x->params[i].n, sizeof(*x->params[i].values), by_value);
}

static int find_noise(struct req *rq, struct benchmark *x, struct err *err)
{
	int64_t *ids = arena_array(rq->arena, int64_t, x->n_series + 1);
	struct db_noise *noise;
	size_t n;

	for (size_t i = 0; i < x->n_series; i++)
		ids[i] = x->series[i]->id;
	if (db_noise_read(rq->db, rq->arena, ids, x->n_series, &noise, &n, err))
		return -1;
	for (size_t i = 0; i < x->n_places; i++)
		x->places[i].noise = arena_array(rq->arena, double, x->places[i].n_series + 1);
	for (size_t i = 0, k = 0; i < x->n_series && k < n; i++) {	/* both are in id order */
		struct place *p = place_of(x, x->series[i]->machine);

		if (noise[k].series_id != x->series[i]->id)
			continue;
		p->noise[p->n_noise++] = expm1(sqrt(noise[k].variance)) * 100;
		if (noise[k].kernels > p->kernels)
			p->kernels = noise[k].kernels;
		k++;
	}
	for (size_t i = 0; i < x->n_places; i++)
		qsort(x->places[i].noise, x->places[i].n_noise, sizeof(double), by_number);
	qsort(x->places, x->n_places, sizeof(*x->places), by_machine);
	return 0;
}

static int load(struct req *rq, struct benchmark *x, struct err *err)
{
	*x = (struct benchmark){ 0 };
	if (find(rq, x, err))
		return -1;
	describe(rq->arena, x);
	return find_noise(rq, x, err) || db_about_newest(rq->db, rq->arena, x->b->id, &x->newest, err) ||
	       db_alerts_open(rq->db, rq->arena, ALERTS_MOST, &x->open, &x->n_open, err) ? -1 : 0;
}

/* The least, middle and greatest of them. */
static double noise_at(const struct place *p, double share)
{
	return p->n_noise ? p->noise[(size_t)(share * (double)(p->n_noise - 1))] : NAN;
}

static void places_json(struct jsonw *j, const struct benchmark *x)
{
	jsonw_key(j, "machines");
	jsonw_array(j);
	for (size_t i = 0; i < x->n_places; i++) {
		const struct place *p = &x->places[i];

		jsonw_object(j);
		jsonw_kstr(j, "machine", p->machine->name);
		jsonw_kstr(j, "uarch", p->machine->uarch);
		jsonw_ki64(j, "series", (int64_t)p->n_series);
		jsonw_knum(j, "noise_percent", noise_at(p, .5));
		jsonw_knum(j, "noise_least_percent", noise_at(p, 0));
		jsonw_knum(j, "noise_greatest_percent", noise_at(p, 1));
		jsonw_ki64(j, "noise_kernels", p->kernels);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
}

static void params_json(struct jsonw *j, const struct benchmark *x)
{
	jsonw_key(j, "params");
	jsonw_array(j);
	for (size_t i = 0; i < x->n_params; i++) {
		jsonw_object(j);
		jsonw_kstr(j, "name", x->params[i].name);
		jsonw_key(j, "values");
		jsonw_array(j);
		for (size_t k = 0; k < x->params[i].n; k++)
			jsonw_str(j, x->params[i].values[k]->text);
		jsonw_array_end(j);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
}

static void metrics_json(struct jsonw *j, const struct benchmark *x)
{
	jsonw_key(j, "metrics");
	jsonw_array(j);
	for (size_t i = 0; i < x->n_metrics; i++) {
		jsonw_object(j);
		jsonw_kstr(j, "name", x->metrics[i]->name);
		jsonw_kstr(j, "unit", x->metrics[i]->unit);
		jsonw_kstr(j, "better", better_word(x->metrics[i]->better));
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
}

static bool is_of(const struct calc_alert *al, const void *arg)
{
	return al->benchmark == arg;
}

static int tell(struct req *rq, const struct benchmark *x, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);

	jsonw_object(&j);
	jsonw_kstr(&j, "name", x->b->name);
	api_about_aliases(&j, x->b->aliases);
	metrics_json(&j, x);
	params_json(&j, x);
	jsonw_key(&j, "thp");
	jsonw_array(&j);
	for (size_t i = 0; i < x->n_thp; i++)
		jsonw_str(&j, x->thp[i]);
	jsonw_array_end(&j);
	jsonw_ki64(&j, "series", (int64_t)x->n_series);
	places_json(&j, x);
	jsonw_key(&j, "newest_run");
	if (!x->newest || !api_about_run(rq, &j, x->newest))
		jsonw_null(&j);
	if (api_about_alerts(rq, &j, x->open, x->n_open, is_of, x->b, err))
		return -1;
	jsonw_object_end(&j);
	return 0;
}

static void table(struct req *rq, const struct benchmark *x)
{
	static const struct table_col cols[] = {
		TABLE_STR("machine"), TABLE_STR("uarch"), TABLE_NUM("series"), { .name = "noise_percent", .head = "noise", .right = true },
		{ .name = "noise_least_percent", .head = "least", .right = true },
		{ .name = "noise_greatest_percent", .head = "greatest", .right = true },
	};
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));

	if (rq->rep == REP_TEXT)
		table_para(&rq->out, 0, table_clean(rq->arena, arena_printf(rq->arena,
			   "%s: %zu series. Noise: standard deviation of the mean of one boot, the middle of the machine's series.", x->b->name,
			   x->n_series)));
	for (size_t i = 0; i < x->n_places; i++) {
		table_row(t);
		table_str(t, x->places[i].machine->name);
		table_str(t, x->places[i].machine->uarch);
		table_i64(t, (int64_t)x->places[i].n_series);
		for (int k = 0; k < 3; k++) {
			double v = noise_at(&x->places[i], (double[]){ .5, 0, 1 }[k]);

			table_num(t, v, isnan(v) ? NULL : arena_printf(rq->arena, "%s %%", table_sig3(rq->arena, v)));
		}
	}
	api_list_table(rq, t);
}

int api_benchmark(struct req *rq, struct err *err)
{
	struct benchmark x;

	if (load(rq, &x, err))
		return -1;
	if (rq->rep == REP_JSON)
		return tell(rq, &x, err);
	table(rq, &x);
	return 0;
}
