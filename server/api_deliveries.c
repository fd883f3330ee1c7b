/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Deliveries: what was, is or could not be told to whom, and "send again". */
#include <inttypes.h>
#include <string.h>

#include "../lib/jsonw.h"
#include "../lib/num.h"
#include "../lib/tm.h"
#include "api_handlers.h"
#include "api_list.h"
#include "api_shapes.h"
#include "db_outbox.h"

static int pick_states(struct req *rq, struct outbox_filter *f, struct err *err)
{
	const char **values = web_args(rq, "state", &f->n_states);

	for (size_t i = 0; i < f->n_states; i++) {
		size_t k = 0;

		while (db_outbox_states[k] && strcmp(db_outbox_states[k], values[i]))
			k++;
		if (!db_outbox_states[k])
			return err_set(err, ERR_UNKNOWN_VALUE, "state=%.100s: waiting, sent or dead is needed", values[i]);
	}
	f->states = f->n_states ? values : NULL;
	return 0;
}

static int pick_kinds(struct req *rq, struct outbox_filter *f, struct err *err)
{
	const char **values = web_args(rq, "kind", &f->n_kinds);
	enum outbox_kind kind;

	for (size_t i = 0; i < f->n_kinds; i++)
		if (db_outbox_kind_parse(values[i], &kind))
			return err_set(err, ERR_UNKNOWN_VALUE,
				       "kind=%.100s: mail, webhook, slack, mattermost or matrix is needed", values[i]);
	f->kinds = f->n_kinds ? values : NULL;
	return 0;
}

static int pick(struct req *rq, struct outbox_filter *f, struct uuid *alert, struct err *err)
{
	const char *id = web_arg(rq, "alert"), *cursor = web_arg(rq, "cursor");

	*f = (struct outbox_filter){ .before_id = INT64_MAX, .alert_id = id ? alert : NULL };
	if (id && uuid_parse(id, alert))
		return err_set(err, ERR_BAD_ARGUMENT, "alert=%.100s: an alert's id is a UUID", id);
	if (cursor && (num_parse_i64(cursor, strlen(cursor), &f->before_id) || f->before_id < 1))
		return err_set(err, ERR_BAD_ARGUMENT, "cursor: take it from \"next\" of the page before");
	return pick_states(rq, f, err) || pick_kinds(rq, f, err) ? -1 : 0;
}

static void json_time(struct jsonw *j, const char *key, int64_t usec)
{
	char text[TM_TEXT];

	jsonw_kstr(j, key, usec == TM_NONE ? NULL : tm_format(usec, text));
}

static void json_delivery(struct jsonw *j, const struct outbox_row *row)
{
	const struct outbox_item *it = &row->item;
	char alert[UUID_TEXT];

	jsonw_object(j);
	api_shapes_id(j, "id", it->id);
	jsonw_kstr(j, "state", row->state);
	jsonw_kstr(j, "kind", db_outbox_kind_word(it->kind));
	jsonw_kstr(j, "target", it->target);
	jsonw_kstr(j, "event", it->event);
	jsonw_kstr(j, "alert_id", it->has_alert ? uuid_format(&it->alert_id, alert) : NULL);
	jsonw_kstr(j, "subject", it->subject);
	jsonw_kstr(j, "idempotency_key", it->idempotency_key);
	jsonw_ki64(j, "attempts", it->attempts);
	json_time(j, "created_at", it->created_at);
	json_time(j, "next_try", strcmp(row->state, "waiting") ? TM_NONE : row->next_try);
	json_time(j, "sent_at", row->sent_at);
	json_time(j, "dead_at", row->dead_at);
	jsonw_kstr(j, "last_error", row->last_error);
	json_time(j, "again_at", row->again_at);
	jsonw_kstr(j, "again_by", row->again_by);
	jsonw_object_end(j);
}

static void list_json(struct req *rq, const struct outbox_row *list, size_t n, const char *next, int64_t waiting,
		      int64_t dead)
{
	struct jsonw j = jsonw_begin(&rq->out);

	jsonw_object(&j);
	jsonw_key(&j, "deliveries");
	jsonw_array(&j);
	for (size_t i = 0; i < n; i++)
		json_delivery(&j, &list[i]);
	jsonw_array_end(&j);
	jsonw_ki64(&j, "waiting", waiting);
	jsonw_ki64(&j, "dead", dead);
	jsonw_kstr(&j, "next", next);
	jsonw_object_end(&j);
}

static const char *day_or_all(struct req *rq, int64_t usec)
{
	char at[TM_TEXT];

	if (usec == TM_NONE)
		return NULL;
	tm_format(usec, at);
	return rq->rep == REP_CSV ? arena_strdup(rq->arena, at) : arena_strndup(rq->arena, at, strlen("2026-02-13"));
}

static void list_table(struct req *rq, const struct outbox_row *list, size_t n)
{
	static const struct table_col cols[] = {
		{ .name = "id", .right = true },
		{ .name = "created_at", .head = "created" },
		{ .name = "state" },
		{ .name = "kind" },
		{ .name = "target" },
		{ .name = "event" },
		{ .name = "alert_id", .in = TABLE_CSV },
		{ .name = "subject", .in = TABLE_CSV },
		{ .name = "attempts", .head = "tries", .right = true },
		{ .name = "next_try", .in = TABLE_CSV },
		{ .name = "sent_at", .in = TABLE_CSV },
		{ .name = "dead_at", .in = TABLE_CSV },
		{ .name = "last_error" },
	};
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));
	char alert[UUID_TEXT];

	for (size_t i = 0; i < n; i++) {
		const struct outbox_row *row = &list[i];

		table_row(t);
		table_i64(t, row->item.id);
		table_str(t, day_or_all(rq, row->item.created_at));
		table_str(t, row->state);
		table_str(t, db_outbox_kind_word(row->item.kind));
		table_str(t, row->item.target);
		table_str(t, row->item.event);
		table_str(t, row->item.has_alert ? uuid_format(&row->item.alert_id, alert) : NULL);
		table_str(t, row->item.subject);
		table_i64(t, row->item.attempts);
		table_str(t, day_or_all(rq, strcmp(row->state, "waiting") ? TM_NONE : row->next_try));
		table_str(t, day_or_all(rq, row->sent_at));
		table_str(t, day_or_all(rq, row->dead_at));
		table_str(t, row->last_error);
	}
	api_list_table(rq, t);
}

int api_deliveries_list(struct req *rq, struct err *err)
{
	struct outbox_filter f;
	struct outbox_row *list;
	int64_t waiting, dead;
	const char *next = NULL;
	struct uuid alert;
	int limit;
	size_t n;

	if (api_list_limit(rq, &limit, err) || pick(rq, &f, &alert, err) ||
	    db_outbox_list(rq->db, rq->arena, &f, limit + 1, &list, &n, err) ||
	    db_outbox_count(rq->db, &waiting, &dead, err))
		return -1;
	if (n > (size_t)limit) {	/* one more than asked for: there is a next page */
		n = (size_t)limit;
		next = arena_printf(rq->arena, "%" PRId64, list[n - 1].item.id);
	}
	if (rq->rep == REP_JSON)
		list_json(rq, list, n, next, waiting, dead);
	else
		list_table(rq, list, n);
	return 0;
}

static int id_of(const struct req *rq, int64_t *id, struct err *err)
{
	if (num_parse_i64(rq->id, strlen(rq->id), id) || *id < 1)
		return err_set(err, ERR_NOT_FOUND, "%.100s is no delivery: its id is a number", rq->id);
	return 0;
}

static int answer(struct req *rq, int64_t id, struct outbox_row **row, struct err *err)
{
	if (db_outbox_get(rq->db, rq->arena, id, row, err))
		return -1;
	return *row ? 0 : err_set(err, ERR_NOT_FOUND, "there is no delivery %" PRId64, id);
}

int api_deliveries_get(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);
	struct outbox_row *row;
	int64_t id;

	if (id_of(rq, &id, err) || answer(rq, id, &row, err))
		return -1;
	json_delivery(&j, row);
	return 0;
}

int api_deliveries_again(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);
	struct outbox_row *row;
	bool found;
	int64_t id;

	if (id_of(rq, &id, err) || db_outbox_again(rq->db, id, rq->token.name, &found, err) || answer(rq, id, &row, err))
		return -1;
	if (!found)
		return err_set(err, ERR_CONFLICT, "delivery %" PRId64 " has been sent: it is not sent twice", id);
	json_delivery(&j, row);
	return 0;
}
