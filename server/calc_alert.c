/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_alert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calc_group.h"
#include "calc_triage.h"

static int by_text(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* Sorts and leaves one of each. */
static size_t sort_unique(const char **list, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(list, n, sizeof(*list), by_text);
	for (size_t i = 0; i < n; i++)
		if (!kept || strcmp(list[kept - 1], list[i]))
			list[kept++] = list[i];
	return kept;
}

/* Under the catalogue's lock. */
static bool name_all(struct catalog *c, struct arena *a, const struct db_alert *al, struct calc_alert *out)
{
	*out = (struct calc_alert){
		.alert = al,
		.from = db_catalog_kernel(c, al->from_kernel_id),
		.to = db_catalog_kernel(c, al->to_kernel_id),
		.benchmark = db_catalog_benchmark(c, al->benchmark_id),
		.fixed_in = db_catalog_kernel(c, al->fixed_in_kernel_id),
		.machines = arena_array(a, const char *, al->n_machines),
		.thp = arena_array(a, const char *, al->n_configs),
	};
	if (!out->from || !out->to || !out->benchmark || (al->fixed_in_kernel_id && !out->fixed_in))
		return false;
	for (size_t i = 0; i < al->n_machines; i++) {
		const struct cat_machine *m = db_catalog_machine(c, al->machine_ids[i]);

		if (!m)
			return false;
		out->machines[i] = m->name;
	}
	for (size_t i = 0; i < al->n_configs; i++) {
		const struct cat_config *cf = db_catalog_config(c, al->config_ids[i]);

		if (!cf)
			return false;
		out->thp[i] = cf->thp;
	}
	out->n_machines = sort_unique(out->machines, al->n_machines);
	out->n_thp = sort_unique(out->thp, al->n_configs);
	return true;
}

static int stale(struct err *err)
{
	return err_set(err, ERR_UNAVAILABLE, "an alert names what the catalogue does not have yet");
}

int calc_alert_name(struct catalog *c, struct arena *a, const struct db_alert *alert, struct calc_alert *out,
		    struct err *err)
{
	bool known;

	db_catalog_lock(c);
	known = name_all(c, a, alert, out);
	db_catalog_unlock(c);
	return known ? 0 : stale(err);
}

static int by_params(const struct cat_series *x, const struct cat_series *y)
{
	for (size_t i = 0; i < x->n_params && i < y->n_params; i++) {
		const struct cat_param *p = &x->param[i], *q = &y->param[i];
		int c = strcmp(p->name, q->name);

		if (!c && p->is_number && q->is_number)
			c = (p->number > q->number) - (p->number < q->number);
		else if (!c)
			c = strcmp(p->text, q->text);
		if (c)
			return c;
	}
	return (x->n_params > y->n_params) - (x->n_params < y->n_params);
}

static int by_place(const void *x, const void *y)
{
	const struct cat_series *s = ((const struct calc_alert_row *)x)->series;
	const struct cat_series *t = ((const struct calc_alert_row *)y)->series;
	int c = strcmp(s->machine->name, t->machine->name);

	if (!c)
		c = strcmp(s->config->thp, t->config->thp);
	if (!c)
		c = (s->config->id > t->config->id) - (s->config->id < t->config->id);
	if (!c)
		c = strcmp(s->metric->name, t->metric->name);
	if (!c)
		c = (s->metric->id > t->metric->id) - (s->metric->id < t->metric->id);
	if (!c)
		c = by_params(s, t);
	return c ? c : (s->id > t->id) - (s->id < t->id);
}

static bool name_rows(struct catalog *c, struct arena *a, const struct db_member *members, size_t n,
		      struct calc_alert *out)
{
	out->rows = arena_array(a, struct calc_alert_row, n);
	out->n_rows = n;
	for (size_t i = 0; i < n; i++) {
		struct calc_alert_row *row = &out->rows[i];

		row->change = &members[i].change;
		row->series = db_catalog_series_by_id(c, row->change->series_id);
		row->from = db_catalog_kernel(c, row->change->from_kernel_id);
		row->to = db_catalog_kernel(c, row->change->to_kernel_id);
		if (!row->series || !row->from || !row->to)
			return false;
	}
	if (n)
		qsort(out->rows, n, sizeof(*out->rows), by_place);
	return true;
}

static int load_events(struct db *db, struct arena *a, const struct uuid *id, struct db_event **list, size_t *n,
		       struct err *err)
{
	char text[UUID_TEXT];
	struct db_event_filter f = { .kind = "alert", .object = uuid_format(id, text), .oldest_first = true };

	return db_events_list(db, a, &f, CALC_ALERT_EVENTS, list, n, err);
}

int calc_alert_load(struct catalog *c, struct db *db, struct arena *a, const struct uuid *id,
		    struct calc_alert **out, struct err *err)
{
	struct outbox_state *deliveries;
	struct db_member *members;
	struct calc_alert *al;
	struct db_alert *row;
	struct db_event *events;
	size_t n, n_deliveries, n_events;
	bool known;

	*out = NULL;
	if (db_alerts_get(db, a, id, &row, err) || (row && db_alerts_members(db, a, id, &members, &n, err)))
		return -1;
	if (!row)
		return 0;
	if (load_events(db, a, id, &events, &n_events, err))
		return -1;
	if (db_outbox_of_alert(db, a, id, &deliveries, &n_deliveries, err) || db_catalog_refresh(c, db, err))
		return -1;
	al = arena_zalloc(a, sizeof(*al));
	db_catalog_lock(c);
	known = name_all(c, a, row, al) && name_rows(c, a, members, n, al);
	db_catalog_unlock(c);
	if (!known)
		return stale(err);
	al->deliveries = deliveries;
	al->n_deliveries = n_deliveries;
	al->events = events;
	al->n_events = n_events;
	*out = al;
	return calc_group_read(c, db, a, al, &al->group, err);
}

void calc_alert_range(const struct calc_alert *al, double *least, double *greatest)
{
	*least = *greatest = NAN;
	for (size_t i = 0; i < al->n_rows; i++) {
		*least = fmin(*least, al->rows[i].change->percent);
		*greatest = fmax(*greatest, al->rows[i].change->percent);
	}
}

int calc_alert_url_length(const char *public_url)
{
	size_t n = public_url ? strlen(public_url) : 0;

	while (n && public_url[n - 1] == '/')
		n--;
	return (int)n;
}

static void json_id(struct jsonw *j, const char *key, int64_t id)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)id);
	jsonw_kstr(j, key, text);
}

static void json_time(struct jsonw *j, const char *key, int64_t usec)
{
	char text[TM_TEXT];

	jsonw_kstr(j, key, usec == TM_NONE ? NULL : tm_format(usec, text));
}

static void json_texts(struct jsonw *j, const char *key, const char *const *list, size_t n)
{
	jsonw_key(j, key);
	jsonw_array(j);
	for (size_t i = 0; i < n; i++)
		jsonw_str(j, list[i]);
	jsonw_array_end(j);
}

static void json_row(struct jsonw *j, const struct calc_alert_row *row)
{
	const struct cat_series *s = row->series;
	const struct db_change *ch = row->change;

	jsonw_object(j);
	json_id(j, "series_id", s->id);
	jsonw_kstr(j, "benchmark", s->benchmark->name);
	jsonw_kstr(j, "metric", s->metric->name);
	jsonw_kstr(j, "unit", s->metric->unit);
	jsonw_kstr(j, "better", better_word(s->metric->better));
	jsonw_kraw(j, "params", s->params);
	jsonw_kstr(j, "machine", s->machine->name);
	jsonw_kstr(j, "isa", s->machine->isa);
	jsonw_kstr(j, "uarch", s->machine->uarch);
	jsonw_kstr(j, "thp", s->config->thp);
	jsonw_key(j, "base_page_kib");
	s->config->base_page_kib ? jsonw_i64(j, s->config->base_page_kib) : jsonw_null(j);
	jsonw_kstr(j, "from", row->from->name);
	jsonw_kstr(j, "to", row->to->name);
	jsonw_knum(j, "before_center", ch->from_center);
	jsonw_knum(j, "after_center", ch->to_center);
	jsonw_ki64(j, "before_boots", ch->from_boots);
	jsonw_ki64(j, "after_boots", ch->to_boots);
	jsonw_knum(j, "change_percent", ch->percent);
	jsonw_kstr(j, "verdict", ch->verdict);
	jsonw_kstr(j, "confidence", ch->confidence);
	jsonw_knum(j, "q", ch->q);
	jsonw_object_end(j);
}

static void json_details(struct jsonw *j, const struct calc_alert *al)
{
	jsonw_key(j, "rows");
	jsonw_array(j);
	for (size_t i = 0; i < al->n_rows; i++)
		json_row(j, &al->rows[i]);
	jsonw_array_end(j);
	jsonw_key(j, "deliveries");
	jsonw_array(j);
	for (size_t i = 0; i < al->n_deliveries; i++) {
		const struct outbox_state *o = &al->deliveries[i];

		jsonw_object(j);
		jsonw_kstr(j, "kind", db_outbox_kind_word(o->kind));
		jsonw_kstr(j, "state", o->state);
		jsonw_ki64(j, "attempts", o->attempts);
		json_time(j, "sent_at", o->sent_at);
		json_time(j, "next_try", strcmp(o->state, "waiting") ? TM_NONE : o->next_try);
		jsonw_kstr(j, "last_error", o->last_error);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
}

void calc_alert_json(struct jsonw *j, const struct calc_alert *al, const char *public_url, bool details)
{
	char id[UUID_TEXT];
	struct buf url;

	buf_init(&url);
	uuid_format(&al->alert->id, id);
	buf_printf(&url, "%.*s/alerts/%s", calc_alert_url_length(public_url), public_url ? public_url : "", id);
	jsonw_object(j);
	jsonw_kstr(j, "id", id);
	jsonw_kstr(j, "state", al->alert->state);
	jsonw_kstr(j, "kind", db_alerts_kind(al->alert));
	jsonw_kstr(j, "benchmark", al->benchmark->name);
	jsonw_kstr(j, "track", al->alert->track);
	jsonw_kstr(j, "from", al->from->name);
	jsonw_kstr(j, "to", al->to->name);
	jsonw_knum(j, "worst_percent", al->alert->worst_percent);
	jsonw_ki64(j, "n_series", al->alert->n_series);
	json_texts(j, "machines", al->machines, al->n_machines);
	json_texts(j, "thp", al->thp, al->n_thp);
	json_time(j, "created_at", al->alert->created_at);
	jsonw_kstr(j, "url", url.p);
	jsonw_kstr(j, "about", al->alert->about);
	calc_triage_json(j, al);
	if (details) {
		json_details(j, al);
		calc_group_json(j, al->group);
		calc_triage_details_json(j, al);
	}
	jsonw_object_end(j);
	buf_fini(&url);
}
