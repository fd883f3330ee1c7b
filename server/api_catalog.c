/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The catalogue as lists: series, and of the series that the selectors pick, the benchmarks,
 * machines and configs they belong to. All in id order, so that cursors stay good.
 */
#include <stdlib.h>
#include <string.h>

#include "../lib/jsonw.h"
#include "../lib/tm.h"
#include "api_handlers.h"
#include "api_list.h"
#include "api_shapes.h"

/* One kind of list. */
struct kind {
	const char *name;			/* of the JSON array */
	const struct table_col *cols;
	size_t n_cols;
	int64_t (*id)(const struct cat_series *s);
	void (*json)(struct jsonw *j, const struct cat_series *s);	/* fields of an item, by any series of it */
	void (*cells)(struct table *t, const struct cat_series *s);
};

static int64_t benchmark_id(const struct cat_series *s)
{
	return s->benchmark->id;
}

/* Other names that mean it: its key, once it is shown under another, among them. */
static void aliases_json(struct jsonw *j, const char *name, const char *key, const char *const *aliases)
{
	jsonw_key(j, "aliases");
	jsonw_array(j);
	if (strcmp(name, key))
		jsonw_str(j, key);
	for (; aliases && *aliases; aliases++)
		jsonw_str(j, *aliases);
	jsonw_array_end(j);
}

static void benchmark_json(struct jsonw *j, const struct cat_series *s)
{
	jsonw_kstr(j, "name", s->benchmark->name);
	aliases_json(j, s->benchmark->name, s->benchmark->key, s->benchmark->aliases);
}

static void benchmark_cells(struct table *t, const struct cat_series *s)
{
	table_str(t, s->benchmark->name);
}

static int64_t machine_id(const struct cat_series *s)
{
	return s->machine->id;
}

static void machine_json(struct jsonw *j, const struct cat_series *s)
{
	jsonw_kstr(j, "name", s->machine->name);
	aliases_json(j, s->machine->name, s->machine->key, s->machine->aliases);
	jsonw_kstr(j, "isa", s->machine->isa);
	jsonw_kstr(j, "uarch", s->machine->uarch);
	jsonw_kraw(j, "facts", s->machine->facts);
}

static void machine_cells(struct table *t, const struct cat_series *s)
{
	table_str(t, s->machine->name);
	table_str(t, s->machine->isa);
	table_str(t, s->machine->uarch);
}

static int64_t config_id(const struct cat_series *s)
{
	return s->config->id;
}

static void page_kib(struct jsonw *j, const struct cat_config *c)
{
	jsonw_key(j, "base_page_kib");
	if (c->base_page_kib)
		jsonw_i64(j, c->base_page_kib);
	else
		jsonw_null(j);
}

static void config_json(struct jsonw *j, const struct cat_series *s)
{
	jsonw_kstr(j, "thp", s->config->thp);
	page_kib(j, s->config);
	jsonw_kstr(j, "flavour", s->config->flavour);
}

static void config_cells(struct table *t, const struct cat_series *s)
{
	table_str(t, s->config->thp);
	if (s->config->base_page_kib)
		table_i64(t, s->config->base_page_kib);
	else
		table_none(t);
	table_str(t, s->config->flavour);
}

static int64_t series_id(const struct cat_series *s)
{
	return s->id;
}

static void series_json(struct jsonw *j, const struct cat_series *s)
{
	api_shapes_id(j, "series_id", s->id);
	jsonw_kstr(j, "benchmark", s->benchmark->name);
	jsonw_kraw(j, "params", s->params);
	jsonw_kstr(j, "metric", s->metric->name);
	jsonw_kstr(j, "unit", s->metric->unit);
	jsonw_kstr(j, "better", better_word(s->metric->better));
	jsonw_kstr(j, "machine", s->machine->name);
	jsonw_kstr(j, "isa", s->machine->isa);
	jsonw_kstr(j, "uarch", s->machine->uarch);
	config_json(j, s);
}

static void series_cells(struct table *t, const struct cat_series *s)
{
	table_i64(t, s->id);
	table_str(t, s->benchmark->name);
	table_str(t, s->params);
	table_str(t, s->metric->name);
	table_str(t, s->metric->unit);
	table_str(t, better_word(s->metric->better));
	table_str(t, s->machine->name);
	table_str(t, s->machine->uarch);
	config_cells(t, s);
}

static const struct table_col benchmark_cols[] = { { .name = "name", .head = "benchmark" } };
static const struct table_col machine_cols[] = { { .name = "name", .head = "machine" },
						 { .name = "isa" },
						 { .name = "uarch" } };
static const struct table_col config_cols[] = { { .name = "thp" },
						{ .name = "base_page_kib", .head = "base page KiB", .right = true },
						{ .name = "flavour" } };
static const struct table_col series_cols[] = {
	{ .name = "series_id", .head = "id", .right = true },
	{ .name = "benchmark" },
	{ .name = "params" },
	{ .name = "metric" },
	{ .name = "unit" },
	{ .name = "better", .in = TABLE_CSV },
	{ .name = "machine" },
	{ .name = "uarch", .in = TABLE_CSV },
	{ .name = "thp" },
	{ .name = "base_page_kib", .in = TABLE_CSV },
	{ .name = "flavour", .in = TABLE_CSV },
};
#define COLS(c) .cols = c, .n_cols = sizeof(c) / sizeof((c)[0])

static const struct kind benchmarks = { .name = "benchmarks", COLS(benchmark_cols), .id = benchmark_id,
					.json = benchmark_json, .cells = benchmark_cells };
static const struct kind machines = { .name = "machines", COLS(machine_cols), .id = machine_id,
				      .json = machine_json, .cells = machine_cells };
static const struct kind configs = { .name = "configs", COLS(config_cols), .id = config_id,
				     .json = config_json, .cells = config_cells };
static const struct kind series = { .name = "series", COLS(series_cols), .id = series_id,
				    .json = series_json, .cells = series_cells };

/* Leaves the series that were measured on the tracks asked for. exact: not only others of their benchmark there. */
static int on_tracks(struct req *rq, struct selection *sel, bool exact, struct err *err)
{
	size_t n_kernels, n = 0, kept = 0;
	const int64_t *kernels = api_shapes_track_kernels(rq, sel, &n_kernels);
	struct seen_place *places = NULL;
	int64_t *ids = NULL;

	if (exact ? db_seen_series(rq->db, rq->arena, kernels, n_kernels, &ids, &n, err) :
		    db_seen_places(rq->db, rq->arena, kernels, n_kernels, &places, &n, err))
		return -1;
	for (size_t i = 0, k = 0; i < sel->n; i++) {
		const struct cat_series *s = sel->series[i];
		struct seen_place place = { s->benchmark->id, s->machine->id, s->config->id };

		while (exact && k < n && ids[k] < s->id)	/* both in id order */
			k++;
		if (exact ? k < n && ids[k] == s->id : db_seen_has(places, n, &place))
			sel->series[kept++] = s;
	}
	sel->n = kept;
	return 0;
}

/* An item of the list, known by one of its series. */
struct item {
	int64_t id;
	const struct cat_series *series;
};

static int by_id(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return x->id != y->id ? (x->id > y->id) - (x->id < y->id) :
				(x->series->id > y->series->id) - (x->series->id < y->series->id);
}

static struct item *items_of(struct arena *a, const struct kind *kind, const struct selection *sel, size_t *n)
{
	struct item *items = arena_array(a, struct item, sel->n + 1);

	for (size_t i = 0; i < sel->n; i++)
		items[i] = (struct item){ kind->id(sel->series[i]), sel->series[i] };
	qsort(items, sel->n, sizeof(*items), by_id);
	*n = 0;
	for (size_t i = 0; i < sel->n; i++)
		if (!*n || items[*n - 1].id != items[i].id)
			items[(*n)++] = items[i];
	return items;
}

static void tell(struct req *rq, const struct kind *kind, const struct item *items, const struct api_list *page)
{
	struct jsonw j = jsonw_begin(&rq->out);

	jsonw_object(&j);
	jsonw_key(&j, kind->name);
	jsonw_array(&j);
	for (size_t i = page->from; i < page->to; i++) {
		jsonw_object(&j);
		kind->json(&j, items[i].series);
		jsonw_object_end(&j);
	}
	jsonw_array_end(&j);
	jsonw_kstr(&j, "next", page->next);
	jsonw_object_end(&j);
}

static int list(struct req *rq, const struct kind *kind, struct err *err)
{
	struct selection sel;
	struct api_list page;
	struct seen_filter seen;
	struct item *items;
	struct table *t;
	size_t n;

	if (api_shapes_selection(rq, &sel, err))
		return -1;
	if (sel.n_tracks && on_tracks(rq, &sel, kind->id == series_id || (api_shapes_seen(rq, &sel, &seen) && seen.series_ids), err))
		return -1;
	items = items_of(rq->arena, kind, &sel, &n);
	if (api_list_page(rq, n, &page, err))
		return -1;
	db_catalog_lock(rq->server->catalog);	/* a machine's facts may change meanwhile */
	if (rq->rep == REP_JSON) {
		tell(rq, kind, items, &page);
	} else {
		t = table_new(rq->arena, kind->cols, kind->n_cols);
		for (size_t i = page.from; i < page.to; i++) {
			table_row(t);
			kind->cells(t, items[i].series);
		}
		api_list_table(rq, t);
	}
	db_catalog_unlock(rq->server->catalog);
	return 0;
}

int api_catalog_benchmarks(struct req *rq, struct err *err)
{
	return list(rq, &benchmarks, err);
}

int api_catalog_machines(struct req *rq, struct err *err)
{
	return list(rq, &machines, err);
}

int api_catalog_configs(struct req *rq, struct err *err)
{
	return list(rq, &configs, err);
}

int api_catalog_series(struct req *rq, struct err *err)
{
	return list(rq, &series, err);
}
