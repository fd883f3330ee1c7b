/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Actions on alerts, and the audit trail of these and of all else that people decide. */
#include <math.h>
#include <string.h>

#include "../lib/num.h"
#include "../lib/tm.h"
#include "api_body.h"
#include "api_handlers.h"
#include "api_list.h"
#include "api_selector.h"
#include "api_shapes.h"
#include "calc_triage.h"

#define TEXT_MOST 20000
#define LINE_MOST 200
#define SERIES_MOST 10000

/* ---- what is asked for ---- */

static enum lifecycle_action action_of(const char *word)
{
	size_t i = 0;

	while (word && calc_lifecycle_words[i] && strcmp(calc_lifecycle_words[i], word))
		i++;
	return (enum lifecycle_action)i;
}

static const char *read_commit(struct api_body *b)
{
	const char *s = api_body_line(b, "commit", false, 64);

	if (s && (strlen(s) < 7 || strspn(s, "0123456789abcdefABCDEF") != strlen(s)))
		api_body_wrong(b, "commit", "7 to 64 hexadecimal digits are needed");
	return s;
}

static void read_series(struct api_body *b, struct triage *t)
{
	size_t n;
	const char **list = api_body_texts(b, "series_ids", true, &n);
	int64_t *ids = arena_array(b->a, int64_t, n + 1);

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		if (num_parse_i64(list[i], strlen(list[i]), &ids[t->n_series]) || ids[t->n_series] <= 0) {
			problems_add(b->problems, arena_printf(b->a, "/series_ids/%zu", i), "\"%.40s\" is no series_id", list[i]);
			continue;
		}
		while (k < t->n_series && ids[k] != ids[t->n_series])
			k++;
		t->n_series += k == t->n_series;
	}
	t->series_ids = ids;
}

/* Fields that belong to one action only. */
static void read_own(struct api_body *b, struct triage *t)
{
	switch (t->action) {
	case LIFECYCLE_ASSIGN:
		if (!t->assigns && !t->sets_due)
			api_body_wrong(b, "assignee", "is needed, or due_at");
		break;
	case LIFECYCLE_COMMENT:
		if (!t->text)
			api_body_wrong(b, "text", "is needed");
		break;
	case LIFECYCLE_REPORT:
		t->url = api_body_url(b, "url", true);
		break;
	case LIFECYCLE_FIX_POSTED:
	case LIFECYCLE_FIXED:
		t->url = api_body_url(b, "url", false);
		t->commit = read_commit(b);
		if (t->action == LIFECYCLE_FIX_POSTED && !t->url && !t->commit)
			api_body_wrong(b, "url", "is needed, or commit");
		break;
	case LIFECYCLE_ACCEPT:
	case LIFECYCLE_INVALID:
	case LIFECYCLE_MUTE:
		if (!t->text)
			api_body_wrong(b, "reason", "is needed: dismissals stick, and somebody will ask why");
		break;
	case LIFECYCLE_MERGE:
		api_body_uuid(b, "into", true, &t->into);
		break;
	case LIFECYCLE_SPLIT:
		read_series(b, t);
		break;
	default:
		break;
	}
}

/* What the body says, beside names of kernels. */
struct asked {
	struct triage t;
	const char *kernel, *from, *to;
	bool unverified;
};

static void read_fields(struct api_body *b, struct asked *q)
{
	struct triage *t = &q->t;
	const char *text = api_body_text(b, "text", false, TEXT_MOST), *reason = api_body_text(b, "reason", false, TEXT_MOST);

	t->action = action_of(api_body_word(b, "action", true, calc_lifecycle_words));
	t->text = text ? text : reason;
	t->assigns = api_body_has(b, "assignee");
	t->assignee = api_body_line(b, "assignee", false, LINE_MOST);
	t->sets_due = api_body_has(b, "due_at");
	t->due_at = api_body_time(b, "due_at", false);
	t->has_key = api_body_uuid(b, "event_id", false, &t->key);
	if (t->action < LIFECYCLE_ACTIONS)
		read_own(b, t);
	if (t->action == LIFECYCLE_FIXED) {
		q->kernel = api_body_line(b, "kernel", false, LINE_MOST);
		q->unverified = api_body_bool(b, "unverified", false);
	}
	if (t->action == LIFECYCLE_MUTE) {
		t->until = api_body_time(b, "until", false);
		if (t->until != TM_NONE && t->until <= tm_now_usec())
			api_body_wrong(b, "until", "is over");
	}
	if (t->action == LIFECYCLE_NUDGE) {
		q->from = api_body_line(b, "from", false, LINE_MOST);
		q->to = api_body_line(b, "to", false, LINE_MOST);
		if (!q->from && !q->to)
			api_body_wrong(b, "to", "is needed, or from");
	}
}

/* ---- doing it ---- */

static int alert_id(const struct req *rq, struct uuid *id, struct err *err)
{
	if (!uuid_parse(rq->id, id))
		return 0;
	return err_set(err, ERR_NOT_FOUND, "%.100s is no alert: an alert's id is a UUID", rq->id);
}

/* "fixed" is what the data say; who says it against them, or before them, has to say that, too. */
static int verify(struct req *rq, const struct uuid *id, struct asked *q, struct err *err)
{
	struct calc_alert *al;
	struct still still;
	const struct cat_kernel *kernel = NULL;
	const char *sentence;

	if (api_selector_kernel(rq, "kernel", q->kernel, &kernel, err) ||
	    calc_alert_load(rq->server->catalog, rq->db, rq->arena, id, &al, err))
		return -1;
	if (!al)
		return err_set(err, ERR_NOT_FOUND, "there is no alert %s", rq->id);
	if (calc_still(rq->server->catalog, rq->db, rq->arena, al, &still, err))
		return -1;
	sentence = calc_triage_verify(rq->arena, &still, kernel, &q->t);
	if (q->t.verified || q->unverified)
		return 0;
	return err_set(err, ERR_CONFLICT, "fixed: the data do not show it (%s); \"unverified\": true says it all the same",
		       sentence ? sentence : "nothing was measured since");
}

static void tell(struct req *rq, const struct api_body *b, const struct triage *t)
{
	struct jsonw j = jsonw_begin(&rq->out);
	char id[UUID_TEXT];

	jsonw_object(&j);
	jsonw_kstr(&j, "status", t->repeated ? "duplicate" : "done");
	jsonw_key(&j, "event");
	calc_triage_event_json(&j, t->event);
	if (t->action == LIFECYCLE_SPLIT && !t->repeated)
		jsonw_kstr(&j, "alert", uuid_format(&t->made, id));
	else
		jsonw_kstr(&j, "alert", rq->id);
	api_body_warnings(&j, b);
	jsonw_object_end(&j);
}

int api_events_post(struct req *rq, struct err *err)
{
	struct asked q = { .t = { .who = rq->token.name, .due_at = TM_NONE, .restored_percent = NAN } };
	struct api_body b;
	struct uuid id;

	if (alert_id(rq, &id, err) || api_body_begin(&b, rq, err))
		return -1;
	read_fields(&b, &q);
	if (api_body_end(&b, err) || db_catalog_refresh(rq->server->catalog, rq->db, err) ||
	    api_selector_kernel(rq, "from", q.from, &q.t.from, err) || api_selector_kernel(rq, "to", q.to, &q.t.to, err))
		return -1;
	if (q.t.action == LIFECYCLE_FIXED && verify(rq, &id, &q, err))
		return -1;
	if (calc_triage_do(rq->server->catalog, rq->db, rq->arena, &id, &q.t, err))
		return -1;
	tell(rq, &b, &q.t);
	return 0;
}

/* ---- the trail ---- */

static void list_table(struct req *rq, const struct db_event *list, size_t n, bool access)
{
	static const struct table_col cols[] = {
		{ .name = "id", .right = true, .in = TABLE_CSV }, { .name = "at" }, { .name = "who" },
		{ .name = "subject" }, { .name = "object", .in = TABLE_CSV }, { .name = "action" },
		{ .name = "from_state", .head = "from" }, { .name = "to_state", .head = "to" },
		{ .name = "details", .in = TABLE_CSV },
		{ .name = "via", .in = TABLE_CSV }, { .name = "address", .in = TABLE_CSV }, { .name = "request_id", .in = TABLE_CSV },
	};
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]) - (access ? 0 : 3));
	char at[TM_TEXT];

	for (size_t i = 0; i < n; i++) {
		tm_format(list[i].at, at);
		table_row(t);
		table_i64(t, list[i].id);
		table_str(t, rq->rep == REP_CSV ? at : arena_printf(rq->arena, "%.10s", at));
		table_str(t, list[i].who);
		table_str(t, list[i].kind);
		table_str(t, list[i].object);
		table_str(t, list[i].action);
		table_str(t, list[i].from_state);
		table_str(t, list[i].to_state);
		table_str(t, list[i].details);
		if (access) {
			table_str(t, list[i].via);
			table_str(t, list[i].address);
			table_str(t, list[i].request_id);
		}
	}
	api_list_table(rq, t);
}

static int list(struct req *rq, struct db_event_filter *f, struct err *err)
{
	const char *cursor = web_arg(rq, "cursor"), *next = NULL;
	struct jsonw j = jsonw_begin(&rq->out);
	struct db_event *events;
	size_t n;
	int limit;

	if (api_list_limit(rq, &limit, err))
		return -1;
	if (cursor && (num_parse_i64(cursor, strlen(cursor), &f->before_id) || f->before_id < 1))
		return err_set(err, ERR_BAD_ARGUMENT, "cursor: take it from \"next\" of the page before");
	if (db_events_list(rq->db, rq->arena, f, limit + 1, &events, &n, err))
		return -1;
	if (n > (size_t)limit) {
		n = (size_t)limit;
		next = arena_printf(rq->arena, "%lld", (long long)events[n - 1].id);
	}
	if (rq->rep != REP_JSON) {
		list_table(rq, events, n, f->access);
		return 0;
	}
	jsonw_object(&j);
	jsonw_key(&j, "events");
	jsonw_array(&j);
	for (size_t i = 0; i < n; i++) {
		jsonw_object(&j);
		calc_triage_event_fields(&j, &events[i]);
		if (f->access) {
			jsonw_kstr(&j, "via", events[i].via);
			jsonw_kstr(&j, "address", events[i].address);
			jsonw_kstr(&j, "request_id", events[i].request_id);
		}
		jsonw_object_end(&j);
	}
	jsonw_array_end(&j);
	jsonw_kstr(&j, "next", next);
	jsonw_object_end(&j);
	return 0;
}

int api_events_of_alert(struct req *rq, struct err *err)
{
	struct db_event_filter f = { .kind = "alert", .oldest_first = true };
	struct db_alert *al;
	struct uuid id;
	char text[UUID_TEXT];

	if (alert_id(rq, &id, err) || db_alerts_get(rq->db, rq->arena, &id, &al, err))
		return -1;
	if (!al)
		return err_set(err, ERR_NOT_FOUND, "there is no alert %s", rq->id);
	f.object = uuid_format(&id, text);
	return list(rq, &f, err);
}

static bool is_one_of(const char *const *words, const char *word)
{
	while (*words && strcmp(*words, word))
		words++;
	return *words;
}

static int trail(struct req *rq, bool access, struct err *err)
{
	struct db_event_filter f = { .kind = web_arg(rq, "subject"), .object = web_arg(rq, "object"), .who = web_arg(rq, "who"),
				     .access = access };

	if (f.kind && !is_one_of(db_events_kinds, f.kind) && !(access && is_one_of(db_events_admin_kinds, f.kind)))
		return err_set(err, ERR_UNKNOWN_VALUE, "subject=%.60s: one of alert, run, machine, benchmark, rule, mute, expectation, "
			       "delivery, kernel, page%s is needed", f.kind, access ? ", token, session" : "");
	return list(rq, &f, err);
}

int api_events_list(struct req *rq, struct err *err)
{
	return trail(rq, false, err);
}

int api_events_audit(struct req *rq, struct err *err)
{
	return trail(rq, true, err);
}
