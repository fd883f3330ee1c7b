/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Alerts: the list, one with its rows, and the text that its mail has. */
#include <stdio.h>
#include <string.h>

#include "../lib/num.h"
#include "api_alerts_atom.h"
#include "api_handlers.h"
#include "api_list.h"
#include "api_shapes.h"
#include "calc_mail.h"
#include "calc_still.h"
#include "calc_words.h"

/* state= arguments; NULL when there are none. */
static int pick_states(struct req *rq, struct db_alert_filter *f, struct err *err)
{
	const char **values = web_args(rq, "state", &f->n_states);

	for (size_t i = 0; i < f->n_states; i++) {
		size_t k = 0;

		while (db_alerts_states[k] && strcmp(db_alerts_states[k], values[i]))
			k++;
		if (!db_alerts_states[k])
			return err_set(err, ERR_UNKNOWN_VALUE,
				       "state=%.100s: one of suspect, new, acknowledged, reported, fix-posted, fixed, "
				       "accepted, invalid, muted is needed", values[i]);
	}
	f->states = f->n_states ? values : NULL;
	return 0;
}

static int pick_kind(struct req *rq, struct db_alert_filter *f, struct err *err)
{
	size_t n;
	const char **values = web_args(rq, "kind", &n);

	f->regressions = f->improvements = f->silences = !n;
	for (size_t i = 0; i < n; i++) {
		bool *wanted = !strcmp(values[i], "regression") ? &f->regressions :
			       !strcmp(values[i], "improvement") ? &f->improvements :
			       !strcmp(values[i], "silence") ? &f->silences : NULL;

		if (!wanted)
			return err_set(err, ERR_UNKNOWN_VALUE, "kind=%.100s: regression, improvement or silence is needed",
				       values[i]);
		*wanted = true;
	}
	return 0;
}

/* assignee=NAME, or none; overdue=1. */
static int pick_people(struct req *rq, struct db_alert_filter *f, struct err *err)
{
	const char **values = web_args(rq, "assignee", &f->n_assignees);
	bool overdue;

	for (size_t i = 0; i < f->n_assignees; i++)
		if (!strcmp(values[i], "none"))
			values[i] = "";
	f->assignees = f->n_assignees ? values : NULL;
	if (api_shapes_flag(rq, "overdue", &overdue, err))
		return -1;
	f->overdue_at = overdue ? tm_now_usec() : 0;
	rq->no_cache |= overdue;	/* it is another list tomorrow */
	return 0;
}

/* The tracks of kernels that track= lets in, each once. */
static void pick_tracks(struct req *rq, const struct selection *sel, struct db_alert_filter *f)
{
	const struct cat_kernel *const *all;
	const char **tracks;
	size_t n;

	db_catalog_lock(rq->server->catalog);
	all = db_catalog_kernels(rq->server->catalog, &n);
	tracks = arena_array(rq->arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < f->n_tracks && strcmp(tracks[k], all[i]->track))
			k++;
		if (k == f->n_tracks && calc_select_track(sel, all[i]->track))
			tracks[f->n_tracks++] = all[i]->track;
	}
	db_catalog_unlock(rq->server->catalog);
	f->tracks = tracks;
}

static bool asks_for_rows(const struct req *rq)
{
	for (size_t i = 0; i < rq->n_args; i++)
		if (calc_select_is_selector(rq->args[i].name) && strcmp(rq->args[i].name, "track") &&
		    strcmp(rq->args[i].name, "benchmark"))
			return true;
	return false;
}

/*
 * Selectors: an alert is of its benchmark, whatever became of its rows; what else is asked for,
 * one of its rows must have.
 */
static int pick_series(struct req *rq, struct db_alert_filter *f, struct err *err)
{
	struct seen_filter seen;
	struct selection sel;
	int64_t *ids;

	if (api_shapes_selection(rq, &sel, err))
		return -1;
	if (sel.n_tracks)
		pick_tracks(rq, &sel, f);
	if (!api_shapes_seen(rq, &sel, &seen))
		return 0;
	f->benchmark_ids = seen.benchmark_ids;
	f->n_benchmarks = seen.n_benchmarks;
	if (!asks_for_rows(rq))
		return 0;
	ids = arena_array(rq->arena, int64_t, sel.n + 1);
	for (size_t i = 0; i < sel.n; i++)
		ids[i] = sel.series[i]->id;
	f->series_ids = ids;
	f->n_series = sel.n;
	return 0;
}

/* "MICROSECONDS-ID" of the last alert of the page before. */
static int pick_cursor(const struct req *rq, struct db_alert_filter *f, struct err *err)
{
	const char *cursor = web_arg(rq, "cursor");
	size_t n = cursor ? strcspn(cursor, "-") : 0;

	f->before_created_at = TM_NONE;
	if (!cursor)
		return 0;
	if (num_parse_i64(cursor, n, &f->before_created_at) || cursor[n] != '-' ||
	    uuid_parse(cursor + n + 1, &f->before_id) || f->before_created_at < 0 ||
	    f->before_created_at > API_LIST_TIME_MOST)
		return err_set(err, ERR_BAD_ARGUMENT, "cursor: take it from \"next\" of the page before");
	return 0;
}

static const char *joined(struct arena *a, const char *const *list, size_t n)
{
	const char *text = "";

	for (size_t i = 0; i < n; i++)
		text = arena_printf(a, "%s%s%s", text, i ? " " : "", list[i]);
	return text;
}

static void generated(struct req *rq, const struct calc_alert *list, size_t n)
{
	const char *text = NULL;

	for (size_t i = 0; i < n && !text; i++)
		text = calc_words_generated(list[i].machines, list[i].n_machines);
	if (text)
		table_para(&rq->out, 0, text);
}

static void list_table(struct req *rq, const struct calc_alert *list, size_t n)
{
	static const struct table_col cols[] = {
		{ .name = "id", .in = TABLE_CSV },
		{ .name = "created_at", .head = "created" },
		{ .name = "state" },
		{ .name = "kind", .in = TABLE_CSV },
		{ .name = "benchmark" },
		{ .name = "track", .in = TABLE_CSV },
		{ .name = "from" },
		{ .name = "to" },
		{ .name = "worst_percent", .head = "worst", .right = true },
		{ .name = "n_series", .head = "series", .right = true },
		{ .name = "machines" },
		{ .name = "thp", .in = TABLE_CSV },
		{ .name = "assignee", .in = TABLE_CSV },
		{ .name = "due_at", .in = TABLE_CSV },
	};
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));
	char id[UUID_TEXT], at[TM_TEXT];

	for (size_t i = 0; i < n; i++) {
		const struct calc_alert *al = &list[i];

		tm_format(al->alert->created_at, at);
		table_row(t);
		table_str(t, uuid_format(&al->alert->id, id));
		table_str(t, rq->rep == REP_CSV ? at : arena_strndup(rq->arena, at, strlen("2026-02-13")));
		table_str(t, al->alert->state);
		table_str(t, db_alerts_kind(al->alert));
		table_str(t, al->benchmark->name);
		table_str(t, al->alert->track);
		table_str(t, al->from->name);
		table_str(t, al->to->name);
		table_num(t, al->alert->worst_percent, table_percent(rq->arena, al->alert->worst_percent));
		table_i64(t, al->alert->n_series);
		table_str(t, joined(rq->arena, al->machines, al->n_machines));
		table_str(t, joined(rq->arena, al->thp, al->n_thp));
		table_str(t, al->alert->assignee);
		table_str(t, al->alert->due_at == TM_NONE ? NULL : tm_format(al->alert->due_at, at));
	}
	api_list_table(rq, t);
	if (rq->rep == REP_TEXT)
		generated(rq, list, n);
}

static void list_json(struct req *rq, const struct calc_alert *list, size_t n, const char *next, int64_t open)
{
	struct jsonw j = jsonw_begin(&rq->out);

	jsonw_object(&j);
	jsonw_key(&j, "alerts");
	jsonw_array(&j);
	for (size_t i = 0; i < n; i++)
		calc_alert_json(&j, &list[i], NULL, false);
	jsonw_array_end(&j);
	jsonw_ki64(&j, "open", open);
	jsonw_kstr(&j, "next", next);
	jsonw_object_end(&j);
}

int api_alerts_list(struct req *rq, struct err *err)
{
	struct db_alert_filter f = { 0 };
	struct calc_alert *named;
	struct db_alert *list;
	const char *next = NULL;
	char id[UUID_TEXT];
	int64_t open;
	int limit;
	size_t n;

	if (api_list_limit(rq, &limit, err) || pick_states(rq, &f, err) || pick_kind(rq, &f, err) || pick_people(rq, &f, err) || pick_cursor(rq, &f, err) ||
	    pick_series(rq, &f, err))
		return -1;
	if (db_alerts_list(rq->db, rq->arena, &f, limit + 1, &list, &n, err) ||
	    db_alerts_count_open(rq->db, &open, err) || db_catalog_refresh(rq->server->catalog, rq->db, err))
		return -1;
	if (n > (size_t)limit) {	/* one more than asked for: there is a next page */
		n = (size_t)limit;
		next = arena_printf(rq->arena, "%lld-%s", (long long)list[n - 1].created_at,
				    uuid_format(&list[n - 1].id, id));
	}
	named = arena_array(rq->arena, struct calc_alert, n);
	for (size_t i = 0; i < n; i++)
		if (calc_alert_name(rq->server->catalog, rq->arena, &list[i], &named[i], err))
			return -1;
	if (rq->rep == REP_JSON)
		list_json(rq, named, n, next, open);
	else if (rq->rep == REP_ATOM)
		api_alerts_atom(rq, named, n, next);
	else
		list_table(rq, named, n);
	return 0;
}

static int load(struct req *rq, struct calc_alert **al, struct err *err)
{
	struct uuid id;

	if (uuid_parse(rq->id, &id))
		return err_set(err, ERR_NOT_FOUND, "%.100s is no alert: an alert's id is a UUID", rq->id);
	if (calc_alert_load(rq->server->catalog, rq->db, rq->arena, &id, al, err))
		return -1;
	return *al ? 0 : err_set(err, ERR_NOT_FOUND, "there is no alert %s", rq->id);
}

static int load_mail(struct req *rq, const struct calc_alert *al, struct calc_mail **mail, struct err *err)
{
	const struct conf *c = rq->server->conf;
	const struct calc_mail_look look = { c->public_url, c->mail_from, c->broad_benchmarks };

	return calc_mail_of(rq->server->catalog, rq->db, rq->arena, al, &look, mail, err);
}

int api_alerts_get(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);
	struct calc_mail *mail;
	struct calc_alert *al;
	struct still still = { 0 };

	if (load(rq, &al, err) || (rq->rep == REP_TEXT && load_mail(rq, al, &mail, err)) ||
	    (rq->rep == REP_JSON && calc_still(rq->server->catalog, rq->db, rq->arena, al, &still, err)))
		return -1;
	al->still = &still;
	if (rq->rep == REP_CSV)
		calc_alert_csv(&rq->out, rq->arena, al);
	else if (rq->rep == REP_TEXT)
		calc_mail_text(&rq->out, mail);
	else
		calc_alert_json(&j, al, NULL, true);
	return 0;
}

/* The draft: its subject, folded as a header is, and its text; or (.eml) the message. */
int api_alerts_mail(struct req *rq, struct err *err)
{
	struct calc_mail *mail;
	struct calc_alert *al;
	struct buf subject;

	if (load(rq, &al, err) || load_mail(rq, al, &mail, err))
		return -1;
	if (rq->rep == REP_EML || rq->rep == REP_JSON) {
		struct jsonw j = jsonw_begin(&rq->out);

		rq->rep == REP_EML ? calc_mail_eml(&rq->out, mail) : calc_mail_json(&j, mail);
		return 0;
	}
	buf_init(&subject);
	buf_puts(&subject, "Subject: ");
	calc_mail_subject(&subject, mail);
	table_para(&rq->out, 1, table_clean(rq->arena, subject.p));
	buf_fini(&subject);
	buf_putc(&rq->out, '\n');
	calc_mail_text(&rq->out, mail);
	return 0;
}
