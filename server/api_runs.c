/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs back: the list, one whole, and the body as it came. */
#include "api_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../lib/jsonw.h"
#include "../lib/num.h"
#include "../lib/tm.h"
#include "api_handlers.h"
#include "api_list.h"
#include "api_shapes.h"
#include "calc_trend.h"
#include "db_alerts.h"
#include "db_invalid.h"

#define ID_LEAST 8		/* characters of an id given in part */

/* Names of what a run points to. */
struct names {
	const struct cat_machine *machine;
	const struct cat_kernel *kernel;
	const struct cat_config *config;
};

/* Under the catalogue's lock. The catalogue was refreshed after the run was committed, or the run was not seen. */
static struct names names_of(const struct catalog *c, const struct run *run)
{
	return (struct names){ db_catalog_machine(c, run->machine_id), db_catalog_kernel(c, run->kernel_id),
			       db_catalog_config(c, run->config_id) };
}

static bool complete(const struct names *n)
{
	return n->machine && n->kernel && n->config;
}

static void time_field(struct jsonw *j, const char *key, int64_t usec)
{
	char text[TM_TEXT];

	jsonw_kstr(j, key, usec == TM_NONE ? NULL : tm_format(usec, text));
}

static void invalid_json(struct jsonw *j, const struct db_invalid *v)
{
	if (!v) {
		jsonw_null(j);
		return;
	}
	jsonw_object(j);
	jsonw_kstr(j, "reason", v->reason);
	jsonw_kstr(j, "who", v->who);
	time_field(j, "at", v->at);
	jsonw_object_end(j);
}

/* Why a run is wrong, if it is. */
struct invalids {
	struct db_invalid *list;
	size_t n;
};

static int find_invalid(struct req *rq, const struct run *runs, size_t n, struct invalids *v, struct err *err)
{
	struct uuid *ids = arena_array(rq->arena, struct uuid, n + 1);

	for (size_t i = 0; i < n; i++)
		ids[i] = runs[i].run_id;
	return db_invalid_of(rq->db, rq->arena, ids, n, &v->list, &v->n, err);
}

static const struct db_invalid *invalid_of(const struct invalids *v, const struct run *run)
{
	for (size_t i = 0; i < v->n; i++)
		if (uuid_equal(&v->list[i].run_id, &run->run_id))
			return &v->list[i];
	return NULL;
}

/* The `run` object: an item of the list, and of /runs/{id}. */
static void run_json(struct jsonw *j, const struct run *run, const struct names *names, const struct db_invalid *invalid)
{
	char id[UUID_TEXT];

	jsonw_object(j);
	jsonw_kstr(j, "run_id", uuid_format(&run->run_id, id));
	jsonw_kstr(j, "machine", names->machine->name);
	jsonw_kstr(j, "isa", names->machine->isa);
	jsonw_kstr(j, "uarch", names->machine->uarch);
	jsonw_key(j, "kernel");
	api_shapes_kernel(j, names->kernel);
	jsonw_kstr(j, "thp", names->config->thp);
	jsonw_key(j, "base_page_kib");
	if (names->config->base_page_kib)
		jsonw_i64(j, names->config->base_page_kib);
	else
		jsonw_null(j);
	jsonw_kstr(j, "flavour", names->config->flavour);
	time_field(j, "started_at", run->started_at);
	time_field(j, "finished_at", run->finished_at);
	time_field(j, "received_at", run->received_at);
	jsonw_kstr(j, "boot_id", run->boot_id);
	jsonw_kstr(j, "format", run->format);
	jsonw_kraw(j, "source", run->source ? run->source : "{}");
	jsonw_kraw(j, "labels", run->labels ? run->labels : "{}");
	jsonw_kraw(j, "environment", run->environment ? run->environment : "{}");
	jsonw_key(j, "invalid");
	invalid_json(j, invalid);
	jsonw_object_end(j);
}

/* ---- the list ---- */

static void add_id(int64_t *ids, size_t *n, int64_t id)
{
	for (size_t i = 0; i < *n; i++)
		if (ids[i] == id)
			return;
	ids[(*n)++] = id;
}

/* Machines, configs and series by the selectors; *nothing: they pick none. */
static int filter_series(struct req *rq, struct run_filter *f, struct selection *sel, bool *nothing, struct err *err)
{
	struct seen_filter seen;

	if (api_shapes_selection(rq, sel, err))
		return -1;
	if (!api_shapes_seen(rq, sel, &seen))
		return 0;
	*f = (struct run_filter){
		.machine_ids = seen.machine_ids, .n_machines = seen.n_machines,
		.config_ids = seen.config_ids, .n_configs = seen.n_configs,
		.benchmark_ids = seen.benchmark_ids, .n_benchmarks = seen.n_benchmarks,
		.series_ids = seen.series_ids, .n_series = seen.n_series,
	};
	*nothing = !sel->n;
	return 0;
}

static int filter_kernels(struct req *rq, struct run_filter *f, const struct selection *sel, bool *nothing,
			  struct err *err)
{
	size_t n_names;
	const char **list = web_args(rq, "kernel", &n_names);
	int64_t *ids;

	if (!n_names && sel->n_tracks) {
		f->kernel_ids = api_shapes_track_kernels(rq, sel, &f->n_kernels);
		*nothing |= !f->n_kernels;
	}
	if (!n_names)
		return 0;
	ids = arena_array(rq->arena, int64_t, n_names);
	for (size_t i = 0; i < n_names; i++) {
		const struct cat_kernel *k;

		if (calc_select_kernel(rq->server->catalog, rq->db, rq->arena, "kernel", list[i], sel, &k, err))
			return -1;
		if (calc_select_track(sel, k->track))
			add_id(ids, &f->n_kernels, k->id);
	}
	f->kernel_ids = ids;
	*nothing |= !f->n_kernels;
	return 0;
}

/* A cursor is the place of the last run of the page before: "RECEIVED-UUID". */
static int read_cursor(const struct req *rq, struct run_cursor *c, struct err *err)
{
	const char *text = web_arg(rq, "cursor");
	const char *dash = text ? strchr(text, '-') : NULL;

	*c = (struct run_cursor){ .received_at = TM_NONE };
	if (!text)
		return 0;
	if (!dash || num_parse_i64(text, (size_t)(dash - text), &c->received_at) || c->received_at < 0 ||
	    c->received_at > API_LIST_TIME_MOST || uuid_parse(dash + 1, &c->run_id))
		return err_set(err, ERR_BAD_ARGUMENT, "cursor: take it from \"next\" of the page before");
	return 0;
}

static const char *next_cursor(struct arena *a, const struct run *last)
{
	char id[UUID_TEXT];

	return arena_printf(a, "%lld-%s", (long long)last->received_at, uuid_format(&last->run_id, id));
}

/* As many characters of the ids as tell these runs apart. */
static int shortest_id(const struct run *runs, size_t n)
{
	char one[UUID_TEXT], other[UUID_TEXT];
	size_t most = ID_LEAST;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			size_t same = 0;

			if (memcmp(runs[i].run_id.b, runs[k].run_id.b, ID_LEAST / 2))
				continue;
			uuid_format(&runs[i].run_id, one);
			uuid_format(&runs[k].run_id, other);
			while (one[same] && one[same] == other[same])
				same++;
			most = same >= most ? same + 1 : most;
		}
	return (int)most;
}

/* The text is for eyes: the start of the id, which addresses take as well, and the day. The CSV has them whole. */
static void list_table(struct req *rq, const struct run *runs, size_t n, const struct invalids *v)
{
	static const struct table_col cols[] = {
		{ .name = "run_id", .head = "run     ", .right = true },	{ .name = "machine" },	/* never broken */
		{ .name = "uarch", .in = TABLE_CSV },	{ .name = "kernel" },
		{ .name = "track", .in = TABLE_CSV },	{ .name = "thp", .head = "THP" },
		{ .name = "started_at", .head = "started", .right = true }, { .name = "received_at", .in = TABLE_CSV },
		{ .name = "boot_id", .in = TABLE_CSV }, { .name = "format", .in = TABLE_CSV },
		{ .name = "invalid", .in = TABLE_CSV },
	};
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));
	bool csv = rq->rep == REP_CSV;
	int shown = csv ? UUID_TEXT : shortest_id(runs, n);
	char id[UUID_TEXT], when[TM_TEXT];

	for (size_t i = 0; i < n; i++) {
		struct names names = names_of(rq->server->catalog, &runs[i]);

		if (!complete(&names))
			continue;
		table_row(t);
		table_str(t, arena_printf(rq->arena, "%.*s", shown, uuid_format(&runs[i].run_id, id)));
		table_str(t, names.machine->name);
		table_str(t, names.machine->uarch);
		table_str(t, names.kernel->name);
		table_str(t, names.kernel->track);
		table_str(t, names.config->thp);
		table_str(t, arena_printf(rq->arena, "%.*s", csv ? TM_TEXT : 10, tm_format(runs[i].started_at, when)));
		table_str(t, tm_format(runs[i].received_at, when));
		table_str(t, runs[i].boot_id);
		table_str(t, runs[i].format);
		table_str(t, invalid_of(v, &runs[i]) ? invalid_of(v, &runs[i])->reason : NULL);
	}
	api_list_table(rq, t);
}

static void list_json(struct req *rq, const struct run *runs, size_t n, const struct invalids *v, const char *next)
{
	struct jsonw j = jsonw_begin(&rq->out);

	jsonw_object(&j);
	jsonw_key(&j, "runs");
	jsonw_array(&j);
	for (size_t i = 0; i < n; i++) {
		struct names names = names_of(rq->server->catalog, &runs[i]);

		if (complete(&names))
			run_json(&j, &runs[i], &names, invalid_of(v, &runs[i]));
	}
	jsonw_array_end(&j);
	jsonw_kstr(&j, "next", next);
	jsonw_object_end(&j);
}

int api_runs_list(struct req *rq, struct err *err)
{
	struct run_filter f = { 0 };
	struct run_cursor before;
	struct invalids invalid;
	struct selection sel = { 0 };
	struct run *runs = NULL;
	const char *next = NULL;
	bool nothing = false;
	size_t n = 0;
	int limit;

	if (api_list_limit(rq, &limit, err) || read_cursor(rq, &before, err) ||
	    filter_series(rq, &f, &sel, &nothing, err) || filter_kernels(rq, &f, &sel, &nothing, err))
		return -1;
	/* one more than shown tells whether there is a next page */
	if (!nothing && db_runs_list(rq->db, rq->arena, &f, &before, limit + 1, &runs, &n, err))
		return -1;
	if (n > (size_t)limit) {
		n = (size_t)limit;
		next = next_cursor(rq->arena, &runs[n - 1]);
	}
	if (find_invalid(rq, runs, n, &invalid, err) ||
	    db_catalog_refresh(rq->server->catalog, rq->db, err))	/* runs newer than the last refresh */
		return -1;
	db_catalog_lock(rq->server->catalog);
	if (rq->rep == REP_JSON)
		list_json(rq, runs, n, &invalid, next);
	else
		list_table(rq, runs, n, &invalid);
	db_catalog_unlock(rq->server->catalog);
	return 0;
}

/* ---- one ---- */

/* The id in the address: whole, or its beginning (at least as much as lists show) where only one run has it. */
int api_runs_id_of(const struct req *rq, const char *given, struct uuid *id, struct err *err)
{
	struct uuid ends[2], found[2];
	size_t n = strlen(given);
	char text[UUID_TEXT];
	int ids;

	if (!uuid_parse(given, id))
		return 0;
	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "%s", i ? "ffffffff-ffff-ffff-ffff-ffffffffffff" : "00000000-0000-0000-0000-000000000000");
		if (n >= ID_LEAST && n < sizeof(text))
			memcpy(text, given, n);
		if (n < ID_LEAST || n >= sizeof(text) || uuid_parse(text, &ends[i]))
			return err_set(err, ERR_NOT_FOUND, "\"%.60s\" is no run id (a UUID, or its first %d characters or more)",
				       given, ID_LEAST);
	}
	ids = db_runs_between(rq->db, &ends[0], &ends[1], found, 2, err);
	if (ids < 0)
		return -1;
	if (ids != 1)
		return err_set(err, ERR_NOT_FOUND, ids ? "the ids of several runs begin with %s" : "there is no run %s", given);
	*id = found[0];
	return 0;
}

int api_runs_id(const struct req *rq, struct uuid *id, struct err *err)
{
	return api_runs_id_of(rq, rq->id, id, err);
}

int api_runs_find(struct req *rq, struct run **run, struct err *err)
{
	struct uuid id;

	if (api_runs_id(rq, &id, err) || db_runs_get(rq->db, rq->arena, &id, run, err))
		return -1;
	if (!*run)
		return err_set(err, ERR_NOT_FOUND, "there is no run %s", rq->id);
	return db_catalog_refresh(rq->server->catalog, rq->db, err);
}

static void values_json(struct jsonw *j, const struct run *run, size_t i)
{
	jsonw_key(j, "values");
	jsonw_array(j);
	for (size_t k = 0; run->values && run->values[i] && k < run->n_values[i]; k++)
		jsonw_num(j, run->values[i][k]);
	jsonw_array_end(j);
}

static void result_json(struct jsonw *j, const struct run *run, size_t i, const struct cat_series *s)
{
	jsonw_object(j);
	api_shapes_id(j, "series_id", s->id);
	jsonw_kstr(j, "benchmark", s->benchmark->name);
	jsonw_kraw(j, "params", s->params);
	jsonw_kstr(j, "metric", s->metric->name);
	jsonw_kstr(j, "unit", s->metric->unit);
	jsonw_kstr(j, "original_unit", run->original_units ? run->original_units[i] : NULL);
	jsonw_kstr(j, "better", better_word(s->metric->better));
	jsonw_kstr(j, "status", result_status_word((enum result_status)run->status[i]));
	jsonw_kstr(j, "error", run->errors ? run->errors[i] : NULL);
	jsonw_ki64(j, "n", run->n[i]);
	jsonw_knum(j, "center", run->mean[i]);
	jsonw_knum(j, "stddev", run->stddev[i]);
	jsonw_knum(j, "min", run->min[i]);
	jsonw_knum(j, "max", run->max[i]);
	values_json(j, run, i);
	jsonw_object_end(j);
}

/* What stands beside a run where that was asked for. */
struct beside {
	bool previous, verdict;		/* asked for */
	struct run *before;		/* of previous; NULL: none */
	struct run *against;		/* NULL: not asked for */
	struct buf judged;		/* the verdict as JSON */
};

static int find_against(struct req *rq, const char *given, struct run **against, struct err *err)
{
	struct uuid id;

	if (api_runs_id_of(rq, given, &id, err) || db_runs_get(rq->db, rq->arena, &id, against, err))
		return -1;
	return *against ? 0 : err_set(err, ERR_NOT_FOUND, "against: there is no run %.60s", given);
}

static int find_beside(struct req *rq, const struct run *run, struct beside *b, struct err *err)
{
	const char *against = web_arg(rq, "against");

	if (api_shapes_flag(rq, "previous", &b->previous, err) || api_shapes_flag(rq, "judged", &b->verdict, err) ||
	    (b->previous && api_runs_before(rq, run, &b->before, err)) ||
	    (against && find_against(rq, against, &b->against, err)) ||
	    (b->verdict && rq->rep == REP_JSON && api_runs_judged(rq, run, &b->judged, err)))
		return -1;
	/* they may have come just now */
	return b->before || b->against ? db_catalog_refresh(rq->server->catalog, rq->db, err) : 0;
}

static void before_json(struct req *rq, struct jsonw *j, const char *name, const struct run *run, const struct run *before)
{
	struct names names;
	char id[UUID_TEXT];

	names = before ? names_of(rq->server->catalog, before) : (struct names){ 0 };
	jsonw_key(j, name);
	if (!complete(&names)) {
		jsonw_null(j);
		return;
	}
	jsonw_object(j);
	jsonw_kstr(j, "run_id", uuid_format(&before->run_id, id));
	jsonw_kstr(j, "machine", names.machine->name);
	jsonw_key(j, "kernel");
	api_shapes_kernel(j, names.kernel);
	jsonw_kstr(j, "thp", names.config->thp);
	jsonw_key(j, "base_page_kib");
	if (names.config->base_page_kib)
		jsonw_i64(j, names.config->base_page_kib);
	else
		jsonw_null(j);
	time_field(j, "started_at", before->started_at);
	jsonw_key(j, "diff");
	api_runs_diff_json(rq, j, run, before);
	jsonw_object_end(j);
}

/* The same above the text's table. */
static void before_para(struct req *rq, const char *which, const struct run *run, const struct run *before)
{
	char id[UUID_TEXT], when[TM_TEXT];

	if (!before) {
		table_para(&rq->out, 2, "The first run of this machine.");
		return;
	}
	table_para(&rq->out, 2, arena_printf(rq->arena, "Against %s %s of %s:", which, uuid_format(&before->run_id, id),
					     tm_format(before->started_at, when)));
	if (!api_runs_diff_para(rq, run, before))
		table_para(&rq->out, 4, "nothing differs");
}

static void one_json(struct req *rq, const struct run *run, const struct names *names, const struct invalids *v,
		     const struct beside *beside)
{
	const struct catalog *c = rq->server->catalog;
	struct jsonw j = jsonw_begin(&rq->out);

	jsonw_object(&j);
	jsonw_key(&j, "run");
	run_json(&j, run, names, invalid_of(v, run));
	jsonw_key(&j, "results");
	jsonw_array(&j);
	for (size_t i = 0; i < run->n_results; i++) {
		const struct cat_series *s = db_catalog_series_by_id(c, run->series_ids[i]);

		if (s)
			result_json(&j, run, i, s);
	}
	jsonw_array_end(&j);
	jsonw_kraw(&j, "not_imported", run->not_imported ? run->not_imported : "[]");
	if (run->raw_dropped_at != TM_NONE)
		time_field(&j, "raw_dropped_at", run->raw_dropped_at);
	if (beside->previous)
		before_json(rq, &j, "previous", run, beside->before);
	if (beside->against)
		before_json(rq, &j, "against", run, beside->against);
	if (beside->verdict)
		jsonw_kraw(&j, "verdict", beside->judged.p);
	jsonw_object_end(&j);
}

static void one_table(struct req *rq, const struct run *run)
{
	static const struct table_col cols[] = {
		{ .name = "series_id", .in = TABLE_CSV }, { .name = "benchmark" },
		{ .name = "params" },			  { .name = "metric" },
		{ .name = "unit", .in = TABLE_CSV },	  { .name = "better", .in = TABLE_CSV },
		{ .name = "status" },			  { .name = "n", .right = true },
		{ .name = "center", .right = true },	  { .name = "stddev", .right = true },
		{ .name = "min", .right = true, .in = TABLE_CSV }, { .name = "max", .right = true, .in = TABLE_CSV },
		{ .name = "error", .in = TABLE_CSV },
	};
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));

	for (size_t i = 0; i < run->n_results; i++) {
		const struct cat_series *s = db_catalog_series_by_id(rq->server->catalog, run->series_ids[i]);

		if (!s)
			continue;
		table_row(t);
		table_i64(t, s->id);
		table_str(t, s->benchmark->name);
		table_str(t, s->params);
		table_str(t, s->metric->name);
		table_str(t, s->metric->unit);
		table_str(t, better_word(s->metric->better));
		table_str(t, result_status_word((enum result_status)run->status[i]));
		table_i64(t, run->n[i]);
		table_num(t, run->mean[i], table_value(rq->arena, run->mean[i], s->metric->unit));
		table_num(t, run->stddev[i], table_value(rq->arena, run->stddev[i], s->metric->unit));
		table_num(t, run->min[i], NULL);
		table_num(t, run->max[i], NULL);
		table_str(t, run->errors ? run->errors[i] : NULL);
	}
	api_list_table(rq, t);
}

/* What the text has above its table. */
static void one_head(struct req *rq, const struct run *run, const struct names *names, const struct db_invalid *v,
		     const struct beside *beside)
{
	char id[UUID_TEXT], when[TM_TEXT];

	table_para(&rq->out, 2, arena_printf(rq->arena, "run %s: %s (%s), kernel %s, THP %s, started %s",
		   uuid_format(&run->run_id, id), names->machine->name, names->machine->uarch, names->kernel->name,
		   names->config->thp, tm_format(run->started_at, when)));
	if (v)
		table_para(&rq->out, 2, arena_printf(rq->arena, "Invalid, says %s: %s", v->who, table_clean(rq->arena, v->reason)));
	if (run->raw_dropped_at != TM_NONE)
		table_para(&rq->out, 2, arena_printf(rq->arena, "Its body and repetitions were dropped on %.10s, as is the rule here; "
						     "their summaries are below.", tm_format(run->raw_dropped_at, when)));
	if (beside->previous)
		before_para(rq, "the run before it,", run, beside->before);
	if (beside->against)
		before_para(rq, "run", run, beside->against);
	buf_putc(&rq->out, '\n');
}

int api_runs_get(struct req *rq, struct err *err)
{
	struct run *run = NULL;
	struct beside beside = { 0 };
	struct invalids invalid;
	struct names names;
	int ret = 0;

	buf_init(&beside.judged);
	if (api_runs_find(rq, &run, err) || find_invalid(rq, run, 1, &invalid, err) || find_beside(rq, run, &beside, err)) {
		buf_fini(&beside.judged);
		return -1;
	}
	db_catalog_lock(rq->server->catalog);
	names = names_of(rq->server->catalog, run);
	if (!complete(&names)) {
		ret = err_set(err, ERR_BUG, "run %s names rows that are not there", rq->id);
	} else if (rq->rep == REP_JSON) {
		one_json(rq, run, &names, &invalid, &beside);
	} else {
		if (rq->rep == REP_TEXT)
			one_head(rq, run, &names, invalid_of(&invalid, run), &beside);
		one_table(rq, run);
	}
	db_catalog_unlock(rq->server->catalog);
	buf_fini(&beside.judged);
	return ret;
}

/* What somebody sent is shown as one of these or not at all: a browser must not run it as ours. */
static const char *safe_type(const char *type)
{
	static const char *const good[] = { "application/json", "text/csv", "text/plain" };
	size_t n = strcspn(type, "; ");

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (strlen(good[i]) == n && !strncmp(type, good[i], n))
			return good[i];
	/* saved under a name, never shown (X-Content-Type-Options); without its boundary it could not be read again */
	return strncasecmp(type, "multipart/form-data;", 20) ? "application/octet-stream" : type;
}

static int no_body(struct req *rq, const struct uuid *id, struct err *err)
{
	char when[TM_TEXT];
	struct run *run;

	if (db_runs_get(rq->db, rq->arena, id, &run, err))
		return -1;
	if (run && run->raw_dropped_at != TM_NONE)
		return err_set(err, ERR_NOT_FOUND, "the body of run %s was dropped on %.10s, as is the rule here; its summaries are at"
			       " /api/v1/runs/%s", rq->id, tm_format(run->raw_dropped_at, when), rq->id);
	return err_set(err, ERR_NOT_FOUND, run ? "there is no body of run %s" : "there is no run %s", rq->id);
}

int api_runs_raw(struct req *rq, struct err *err)
{
	const void *body = NULL;
	const char *type = NULL;
	struct uuid id;
	size_t len = 0;

	if (api_runs_id(rq, &id, err) || db_runs_raw(rq->db, rq->arena, &id, &body, &len, &type, err))
		return -1;
	if (!body)
		return no_body(rq, &id, err);
	rq->type = safe_type(type);
	rq->disposition = arena_printf(rq->arena, "%.40s.raw", rq->id);
	buf_add(&rq->out, body, len);
	return 0;
}
