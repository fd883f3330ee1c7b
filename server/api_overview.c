/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first page's data: JSON for the page, a text to read in a terminal, and the heat map as CSV. */
#include <string.h>

#include "../lib/tm.h"
#include "api_handlers.h"
#include "api_list.h"
#include "api_shapes.h"
#include "calc_expect.h"
#include "calc_overview.h"
#include "calc_words.h"

static void json_time(struct jsonw *j, const char *key, int64_t at)
{
	char text[TM_TEXT];

	jsonw_kstr(j, key, at == TM_NONE ? NULL : tm_format(at, text));
}

/* ---- JSON ---- */

static void track_json(struct jsonw *j, const struct overview_track *t)
{
	jsonw_object(j);
	jsonw_kstr(j, "track", t->track);
	jsonw_key(j, "kernel");
	api_shapes_kernel(j, t->kernel);
	jsonw_key(j, "against");
	t->against ? api_shapes_kernel(j, t->against) : jsonw_null(j);
	jsonw_ki64(j, "runs", t->runs);
	jsonw_ki64(j, "machines", t->machines);
	json_time(j, "first_at", t->first_at);
	json_time(j, "last_at", t->last_at);
	jsonw_kbool(j, "unchecked", t->unchecked);
	jsonw_ki64(j, "regressions", (int64_t)t->regressions);
	jsonw_ki64(j, "improvements", (int64_t)t->improvements);
	jsonw_ki64(j, "open_regressions", (int64_t)t->open_regressions);
	jsonw_key(j, "alerts");
	jsonw_array(j);
	for (size_t i = 0; i < t->n_alerts; i++)
		calc_alert_json(j, t->alerts[i], NULL, false);
	jsonw_array_end(j);
	jsonw_object_end(j);
}

static void side_json(struct jsonw *j, const char *key, const struct overview_side *s)
{
	char id[UUID_TEXT];

	jsonw_key(j, key);
	if (!s->alert) {
		jsonw_null(j);
		return;
	}
	jsonw_object(j);
	jsonw_kstr(j, "alert_id", uuid_format(&s->alert->alert->id, id));
	jsonw_kstr(j, "state", s->alert->alert->state);
	jsonw_kstr(j, "from", s->alert->from->name);
	jsonw_kstr(j, "to", s->alert->to->name);
	jsonw_knum(j, "percent", s->percent);
	jsonw_ki64(j, "n_series", s->n_series);
	jsonw_object_end(j);
}

static void older_json(struct jsonw *j, const struct calc_alert *al)
{
	char id[UUID_TEXT];

	jsonw_key(j, "open_before");
	if (!al) {
		jsonw_null(j);
		return;
	}
	jsonw_object(j);
	jsonw_kstr(j, "alert_id", uuid_format(&al->alert->id, id));
	jsonw_kstr(j, "to", al->to->name);
	jsonw_knum(j, "worst_percent", al->alert->worst_percent);
	jsonw_object_end(j);
}

static void cell_json(struct jsonw *j, const struct overview_cell *cell)
{
	if (!cell->measured) {
		jsonw_null(j);
		return;
	}
	jsonw_object(j);
	side_json(j, "worse", &cell->worse);
	side_json(j, "better", &cell->better);
	older_json(j, cell->older);
	jsonw_object_end(j);
}

static void heat_json(struct jsonw *j, const struct overview_heat *h)
{
	jsonw_object(j);
	jsonw_kstr(j, "track", h->track);
	jsonw_key(j, "benchmarks");
	jsonw_array(j);
	for (size_t i = 0; i < h->n_benchmarks; i++)
		jsonw_str(j, h->benchmarks[i]->name);
	jsonw_array_end(j);
	jsonw_key(j, "uarchs");
	jsonw_array(j);
	for (size_t i = 0; i < h->n_uarchs; i++)
		jsonw_str(j, h->uarchs[i]);
	jsonw_array_end(j);
	jsonw_ki64(j, "unchanged", (int64_t)h->n_still);
	jsonw_key(j, "cells");
	jsonw_array(j);
	for (size_t i = 0; i < h->n_benchmarks; i++) {
		jsonw_array(j);
		for (size_t k = 0; k < h->n_uarchs; k++)
			cell_json(j, &h->cells[i * h->n_uarchs + k]);
		jsonw_array_end(j);
	}
	jsonw_array_end(j);
	jsonw_object_end(j);
}

static void silent_json(struct jsonw *j, struct arena *a, const struct overview_silent *s)
{
	char id[UUID_TEXT];

	jsonw_object(j);
	jsonw_kstr(j, "machine", s->machine->name);
	jsonw_kstr(j, "uarch", s->machine->uarch);
	json_time(j, "last_started_at", s->last_at);
	jsonw_key(j, "expected");
	if (s->expected) {
		jsonw_object(j);
		jsonw_kstr(j, "benchmark", s->expected->benchmark);
		jsonw_kstr(j, "every", calc_expect_interval_text(a, s->expected->interval_s));
		jsonw_kstr(j, "alert_id", uuid_format(&s->expected->alert_id, id));
		jsonw_object_end(j);
	} else {
		jsonw_null(j);
	}
	jsonw_object_end(j);
}

static void upload_json(struct jsonw *j, const struct overview_upload *u)
{
	char id[UUID_TEXT];

	jsonw_object(j);
	jsonw_kstr(j, "run_id", uuid_format(&u->run_id, id));
	jsonw_key(j, "kernel");
	api_shapes_kernel(j, u->kernel);
	jsonw_kstr(j, "machine", u->machine->name);
	jsonw_kstr(j, "uarch", u->machine->uarch);
	jsonw_key(j, "thp");
	jsonw_array(j);
	for (size_t i = 0; i < u->n_configs; i++)
		jsonw_str(j, u->configs[i]->thp);
	jsonw_array_end(j);
	jsonw_ki64(j, "runs", u->runs);
	jsonw_ki64(j, "results", u->results);
	json_time(j, "received_at", u->received_at);
	jsonw_object_end(j);
}

static void counts_json(struct jsonw *j, const struct overview *o)
{
	jsonw_key(j, "counts");
	jsonw_object(j);
	jsonw_ki64(j, "machines", (int64_t)o->n_machines);
	jsonw_ki64(j, "benchmarks", (int64_t)o->n_benchmarks);
	jsonw_ki64(j, "kernels", (int64_t)o->n_kernels);
	jsonw_ki64(j, "series", (int64_t)o->n_series);
	jsonw_object_end(j);
}

static void tell_json(struct req *rq, const struct overview *o)
{
	struct jsonw j = jsonw_begin(&rq->out);

	jsonw_object(&j);
	jsonw_key(&j, "tracks");
	jsonw_array(&j);
	for (size_t i = 0; i < o->n_tracks; i++)
		track_json(&j, &o->tracks[i]);
	jsonw_array_end(&j);
	jsonw_key(&j, "heat");
	heat_json(&j, &o->heat);
	jsonw_key(&j, "alerts");
	jsonw_array(&j);
	for (size_t i = 0; i < o->n_open; i++)
		calc_alert_json(&j, &o->open[i], NULL, false);
	jsonw_array_end(&j);
	jsonw_ki64(&j, "open", o->open_count);
	jsonw_key(&j, "silent");
	jsonw_array(&j);
	for (size_t i = 0; i < o->n_silent; i++)
		silent_json(&j, rq->arena, &o->silent[i]);
	jsonw_array_end(&j);
	json_time(&j, "newest_started_at", o->newest_start);
	jsonw_key(&j, "uploads");
	jsonw_array(&j);
	for (size_t i = 0; i < o->n_uploads; i++)
		upload_json(&j, &o->uploads[i]);
	jsonw_array_end(&j);
	counts_json(&j, o);
	jsonw_object_end(&j);
}

/* ---- tables ---- */

static const char *verdict_of(struct arena *a, const struct overview_track *t)
{
	const char *later = t->unchecked ? " (not all checked yet)" : "";
	const struct calc_alert *first = t->n_alerts ? t->alerts[0] : NULL;

	if (!t->against)
		return "nothing before it to compare with";
	if (!first)
		return t->unchecked ? "not checked yet" : "no change found";
	return arena_printf(a, "%zu worse, %zu better; %s %s%s", t->regressions, t->improvements, first->benchmark->name,
			    table_percent(a, first->alert->worst_percent), later);
}

static void track_table(struct req *rq, const struct overview *o)
{
	static const struct table_col cols[] = {
		TABLE_STR("track"), TABLE_STR("kernel"), TABLE_STR("against"), TABLE_NUM("machines"), TABLE_STR("verdict"),
	};
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));

	for (size_t i = 0; i < o->n_tracks; i++) {
		table_row(t);
		table_str(t, o->tracks[i].track);
		table_str(t, o->tracks[i].kernel->name);
		table_str(t, o->tracks[i].against ? o->tracks[i].against->name : NULL);
		table_i64(t, o->tracks[i].machines);
		table_str(t, verdict_of(rq->arena, &o->tracks[i]));
	}
	table_txt(&rq->out, t);
}

static void open_table(struct req *rq, const struct overview *o)
{
	static const struct table_col cols[] = {
		TABLE_STR("since"), TABLE_STR("state"), TABLE_STR("benchmark"), TABLE_STR("to"), TABLE_NUM("worst"), TABLE_NUM("series"),
	};
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));
	char at[TM_TEXT];

	buf_printf(&rq->out, "\n%lld open alerts\n", (long long)o->open_count);
	for (size_t i = 0; i < o->n_open; i++) {
		const struct calc_alert *al = &o->open[i];

		tm_format(al->alert->created_at, at);
		at[strlen("2026-02-13")] = 0;
		table_row(t);
		table_str(t, at);
		table_str(t, al->alert->state);
		table_str(t, al->benchmark->name);
		table_str(t, al->to->name);
		table_num(t, al->alert->worst_percent, table_percent(rq->arena, al->alert->worst_percent));
		table_i64(t, al->alert->n_series);
	}
	if (o->n_open)
		table_txt(&rq->out, t);
}

static void silent_table(struct req *rq, const struct overview *o)
{
	static const struct table_col cols[] = { TABLE_STR("machine"), { .name = "last", .head = "last run" }, TABLE_STR("expected") };
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));
	char at[TM_TEXT];

	if (!o->n_silent)
		return;
	buf_puts(&rq->out, "\nSilent machines\n");
	for (size_t i = 0; i < o->n_silent; i++) {
		const struct overview_silent *s = &o->silent[i];

		table_row(t);
		table_str(t, s->machine->name);
		table_str(t, s->last_at == TM_NONE ? NULL : arena_strndup(rq->arena, tm_format(s->last_at, at), strlen("2026-02-13")));
		table_str(t, s->expected ? arena_printf(rq->arena, "%s every %s", s->expected->benchmark,
							calc_expect_interval_text(rq->arena, s->expected->interval_s)) : NULL);
	}
	table_txt(&rq->out, t);
}

static void upload_table(struct req *rq, const struct overview *o)
{
	static const struct table_col cols[] = {
		{ .name = "received_at", .head = "arrived" }, TABLE_STR("kernel"), TABLE_STR("machine"), TABLE_NUM("runs"), TABLE_NUM("results"),
	};
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));
	char at[TM_TEXT];

	if (!o->n_uploads)
		return;
	buf_puts(&rq->out, "\nArrived lately\n");
	for (size_t i = 0; i < o->n_uploads; i++) {
		const struct overview_upload *u = &o->uploads[i];

		tm_format(u->received_at, at);
		at[strlen("2026-02-13T15:08")] = 0;
		table_row(t);
		table_str(t, at);
		table_str(t, u->kernel->name);
		table_str(t, u->machine->name);
		table_i64(t, u->runs);
		table_i64(t, u->results);
	}
	table_txt(&rq->out, t);
}

static void tell_text(struct req *rq, const struct overview *o)
{
	const char *generated = NULL;

	if (!o->n_tracks) {
		buf_puts(&rq->out, "Nothing was measured yet.\n");
		return;
	}
	for (size_t i = 0; i < o->n_uploads && !generated; i++)
		generated = calc_words_generated(&o->uploads[i].machine->name, 1);
	track_table(rq, o);
	open_table(rq, o);
	silent_table(rq, o);
	upload_table(rq, o);
	if (generated)
		table_para(&rq->out, 0, generated);
}

static void side_row(struct table *t, const struct overview_heat *h, size_t cell, const struct overview_side *s)
{
	char id[UUID_TEXT];

	if (!s->alert)
		return;
	table_row(t);
	table_str(t, h->track);
	table_str(t, h->benchmarks[cell / h->n_uarchs]->name);
	table_str(t, h->uarchs[cell % h->n_uarchs]);
	table_str(t, s->alert->from->name);
	table_str(t, s->alert->to->name);
	table_str(t, db_alerts_kind(s->alert->alert));
	table_num(t, s->percent, NULL);
	table_i64(t, s->n_series);
	table_str(t, s->alert->alert->state);
	table_str(t, uuid_format(&s->alert->alert->id, id));
}

static void tell_csv(struct req *rq, const struct overview_heat *h)
{
	static const struct table_col cols[] = {
		TABLE_STR("track"), TABLE_STR("benchmark"), TABLE_STR("uarch"), TABLE_STR("from"), TABLE_STR("to"), TABLE_STR("kind"),
		TABLE_NUM("percent"), TABLE_NUM("n_series"), TABLE_STR("state"), TABLE_STR("alert_id"),
	};
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));

	for (size_t i = 0; i < h->n_benchmarks * h->n_uarchs; i++) {
		side_row(t, h, i, &h->cells[i].worse);
		side_row(t, h, i, &h->cells[i].better);
	}
	table_csv(&rq->out, t);
}

int api_overview(struct req *rq, struct err *err)
{
	struct overview o;

	if (db_catalog_refresh_for(rq->server->catalog, rq->db, rq->version, err) ||
	    calc_overview(rq->server->catalog, rq->db, rq->arena, web_arg(rq, "track"), &o, err))
		return -1;
	if (rq->rep == REP_JSON)
		tell_json(rq, &o);
	else if (rq->rep == REP_CSV)
		tell_csv(rq, &o.heat);
	else
		tell_text(rq, &o);
	return 0;
}
