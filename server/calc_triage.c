/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_triage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/num.h"
#include "calc_alert_sum.h"
#include "calc_audit.h"
#include "db_mutes.h"

#define DEADLINE_MS 5000

/* ---- the details of an event ---- */

static void kernel_detail(struct jsonw *j, const char *key, const struct cat_kernel *k)
{
	if (k)
		jsonw_kstr(j, key, k->name);
}

static void time_detail(struct jsonw *j, const char *key, int64_t usec)
{
	char text[TM_TEXT];

	jsonw_kstr(j, key, usec == TM_NONE ? NULL : tm_format(usec, text));
}

static void text_detail(struct jsonw *j, const char *key, const char *text)
{
	if (text)
		jsonw_kstr(j, key, text);
}

static void split_details(struct jsonw *j, const struct triage *t)
{
	char text[NUM_MAX], id[UUID_TEXT];

	jsonw_kstr(j, "alert", uuid_format(&t->made, id));
	jsonw_key(j, "series_ids");
	jsonw_array(j);
	for (size_t i = 0; i < t->n_series; i++) {
		num_format_i64(text, t->series_ids[i]);
		jsonw_str(j, text);
	}
	jsonw_array_end(j);
}

/* before: the alert as it was. */
static void put_details(struct jsonw *j, struct catalog *c, const struct triage *t, const struct db_alert *before)
{
	char id[UUID_TEXT];

	jsonw_object(j);
	text_detail(j, "text", t->text);
	text_detail(j, "url", t->url);
	text_detail(j, "commit", t->commit);
	if (t->assigns)
		jsonw_kstr(j, "assignee", t->assignee);
	if (t->sets_due)
		time_detail(j, "due_at", t->due_at);
	if (t->action == LIFECYCLE_FIXED) {
		kernel_detail(j, "kernel", t->fixed_in);
		jsonw_kbool(j, "verified", t->verified);
		jsonw_knum(j, "restored_percent", t->restored_percent);
	}
	if (t->action == LIFECYCLE_MUTE) {
		time_detail(j, "until", t->until);
		if (t->mute_id)
			jsonw_ki64(j, "mute", t->mute_id);
	}
	if (t->from || t->to) {
		db_catalog_lock(c);
		kernel_detail(j, "old_from", db_catalog_kernel(c, before->from_kernel_id));
		kernel_detail(j, "old_to", db_catalog_kernel(c, before->to_kernel_id));
		db_catalog_unlock(c);
		kernel_detail(j, "from", t->from);
		kernel_detail(j, "to", t->to);
	}
	if (t->action == LIFECYCLE_MERGE)
		jsonw_kstr(j, "into", uuid_format(&t->into, id));
	if (t->action == LIFECYCLE_SPLIT)
		split_details(j, t);
	jsonw_object_end(j);
}

void calc_triage_event_fields(struct jsonw *j, const struct db_event *e)
{
	char text[NUM_MAX], at[TM_TEXT];

	num_format_i64(text, e->id);
	jsonw_kstr(j, "id", text);
	jsonw_kstr(j, "at", tm_format(e->at, at));
	jsonw_kstr(j, "who", e->who);
	jsonw_kstr(j, "subject", e->kind);
	jsonw_kstr(j, "object", e->object);
	jsonw_kstr(j, "action", e->action);
	jsonw_kstr(j, "from_state", e->from_state);
	jsonw_kstr(j, "to_state", e->to_state);
	jsonw_kraw(j, "details", e->details);
}

void calc_triage_event_json(struct jsonw *j, const struct db_event *e)
{
	jsonw_object(j);
	calc_triage_event_fields(j, e);
	jsonw_object_end(j);
}

/* ---- what an alert says of it ---- */

void calc_triage_json(struct jsonw *j, const struct calc_alert *al)
{
	const struct db_alert *row = al->alert;
	char id[UUID_TEXT];

	jsonw_kstr(j, "origin", row->origin);
	jsonw_kstr(j, "assignee", row->assignee);
	time_detail(j, "due_at", row->due_at);
	jsonw_kstr(j, "report_url", row->report_url);
	jsonw_kstr(j, "fix_url", row->fix_url);
	jsonw_kstr(j, "fix_commit", row->fix_commit);
	jsonw_kstr(j, "fixed_in", al->fixed_in ? al->fixed_in->name : NULL);
	jsonw_knum(j, "restored_percent", row->restored_percent);
	jsonw_kstr(j, "merged_into", row->merged ? uuid_format(&row->merged_into, id) : NULL);
	time_detail(j, "changed_at", row->changed_at);
}

static void still_json(struct jsonw *j, const struct still *s)
{
	struct arena *a = arena_new();

	jsonw_object(j);
	jsonw_kstr(j, "sentence", calc_still_sentence(a, s));
	jsonw_ki64(j, "measured", (int64_t)s->n);
	jsonw_ki64(j, "present", (int64_t)s->n_present);
	jsonw_kstr(j, "newest", s->n ? s->kernels[s->n - 1].kernel->name : NULL);
	jsonw_kstr(j, "first_fixed", s->first_gone ? s->first_gone->kernel->name : NULL);
	jsonw_key(j, "kernels");
	jsonw_array(j);
	for (size_t i = 0; i < s->n; i++) {
		jsonw_object(j);
		jsonw_kstr(j, "kernel", s->kernels[i].kernel->name);
		jsonw_ki64(j, "n_series", (int64_t)s->kernels[i].n_series);
		jsonw_knum(j, "percent", s->kernels[i].percent);
		jsonw_knum(j, "restored_percent", calc_still_restored(&s->kernels[i]));
		jsonw_kbool(j, "present", s->kernels[i].present);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
	jsonw_object_end(j);
	arena_free(a);
}

void calc_triage_details_json(struct jsonw *j, const struct calc_alert *al)
{
	jsonw_key(j, "still");
	if (al->still)
		still_json(j, al->still);
	else
		jsonw_null(j);
	jsonw_key(j, "events");
	jsonw_array(j);
	for (size_t i = 0; i < al->n_events; i++)
		calc_triage_event_json(j, &al->events[i]);
	jsonw_array_end(j);
}

/* ---- fixed, by the data ---- */

const char *calc_triage_verify(struct arena *a, const struct still *still, const struct cat_kernel *kernel,
			       struct triage *t)
{
	const struct still_kernel *at = still->first_gone;

	for (size_t i = 0; kernel && i < still->n; i++)
		if (still->kernels[i].kernel == kernel)
			at = &still->kernels[i];
	if (kernel && at && at->kernel != kernel)	/* not measured itself: the first that was, if it comes before */
		at = calc_select_kernel_order(&at->kernel, &kernel) <= 0 ? at : NULL;
	t->fixed_in = kernel ? kernel : at ? at->kernel : NULL;
	t->verified = at && still->first_gone && at >= still->first_gone;
	t->restored_percent = at && !isnan(at->left) ? calc_still_restored(at) : NAN;
	return calc_still_sentence(a, still);
}

/* ---- in the transaction ---- */

struct work {
	struct catalog *c;
	struct db *db;
	struct arena *a;
	struct triage *t;
	struct db_alert *al;
	struct db_alert before;
};

static int put_event(struct work *w, struct err *err)
{
	struct audit au;
	char id[UUID_TEXT];

	calc_audit_begin(&au, w->t->who, "alert", calc_lifecycle_words[w->t->action], uuid_format(&w->al->id, id));
	au.event.from_state = w->before.state;
	au.event.to_state = w->al->state;
	au.event.has_key = w->t->has_key;
	au.event.key = w->t->key;
	put_details(&au.json, w->c, w->t, &w->before);
	w->t->event = arena_zalloc(w->a, sizeof(*w->t->event));
	return calc_audit_end(&au, w->db, w->a, w->t->event, err);
}

static int sum_both(struct work *w, const struct uuid *other, struct err *err)
{
	return calc_alert_sum_up(w->c, w->db, w->a, &w->al->id, err) || calc_alert_sum_up(w->c, w->db, w->a, other, err) ?
	       -1 : 0;
}

/* The other alert's history says it, too: `key` names this one there, which n rows came from or went to. */
static int tell_other(struct work *w, const struct uuid *other, const char *state, const char *action, const char *key, int64_t n,
		      struct err *err)
{
	char id[UUID_TEXT], own[UUID_TEXT];
	struct audit au;

	calc_audit_begin(&au, w->t->who, "alert", action, uuid_format(other, id));
	au.event.to_state = state;
	jsonw_object(&au.json);
	text_detail(&au.json, "text", w->t->text);
	jsonw_kstr(&au.json, key, uuid_format(&w->al->id, own));
	jsonw_ki64(&au.json, "rows", n);
	jsonw_object_end(&au.json);
	return calc_audit_end(&au, w->db, w->a, NULL, err);
}

static int merge(struct work *w, struct err *err)
{
	struct db_alert *into;
	char id[UUID_TEXT];
	int64_t n;

	if (uuid_equal(&w->al->id, &w->t->into))
		return err_set(err, ERR_INVALID, "merge: into itself");
	if (db_alerts_get_locked(w->db, w->a, &w->t->into, &into, err))
		return -1;
	if (!into)
		return err_set(err, ERR_INVALID, "merge: there is no alert %s", uuid_format(&w->t->into, id));
	if (into->merged)
		return err_set(err, ERR_CONFLICT, "merge: that one is merged into %s itself", uuid_format(&into->merged_into, id));
	if (into->regression != w->al->regression || strcmp(into->track, w->al->track))
		return err_set(err, ERR_CONFLICT, "merge: a %s on %s and a %s on %s are two stories",
			       db_alerts_direction(w->al->regression), w->al->track, db_alerts_direction(into->regression),
			       into->track);
	w->al->merged = true;
	w->al->merged_into = w->t->into;
	return db_triage_move(w->db, &w->al->id, &w->t->into, NULL, 0, &n, err) || sum_both(w, &w->t->into, err) ||
	       tell_other(w, &w->t->into, into->state, "merge", "from", n, err) ? -1 : 0;
}

/* A merged alert takes back what was its own. */
static int unmerge(struct work *w, struct err *err)
{
	struct uuid other = w->al->merged_into;
	struct db_alert *into;
	int64_t n;

	w->al->merged = false;
	if (db_alerts_get(w->db, w->a, &other, &into, err))
		return -1;
	return db_triage_move_back(w->db, &other, &w->al->id, &n, err) || sum_both(w, &other, err) ||
	       tell_other(w, &other, into ? into->state : NULL, "unmerge", "alert", n, err) ? -1 : 0;
}

static int split(struct work *w, struct err *err)
{
	struct db_alert made = *w->al;
	int64_t n;

	if ((int64_t)w->t->n_series >= w->al->n_series)
		return err_set(err, ERR_CONFLICT, "split: a row at least has to stay; the alert has %lld", (long long)w->al->n_series);
	uuid_v7(&made.id);
	made.origin = "split";
	made.state = "new";
	w->t->made = made.id;
	if (db_triage_insert(w->db, &made, err) ||
	    db_triage_move(w->db, &w->al->id, &made.id, w->t->series_ids, w->t->n_series, &n, err))
		return -1;
	if (n != (int64_t)w->t->n_series)
		return err_set(err, ERR_INVALID, "split: %lld of the %zu series are none of this alert's",
			       (long long)((int64_t)w->t->n_series - n), w->t->n_series);
	return sum_both(w, &made.id, err) || tell_other(w, &made.id, "new", "split", "from", n, err) ? -1 : 0;
}

static int nudge(struct work *w, struct err *err)
{
	struct db_alert *al = w->al;
	const struct cat_kernel *from, *to;
	struct uuid other;
	char id[UUID_TEXT];
	bool taken;

	db_catalog_lock(w->c);
	from = w->t->from ? w->t->from : db_catalog_kernel(w->c, al->from_kernel_id);
	to = w->t->to ? w->t->to : db_catalog_kernel(w->c, al->to_kernel_id);
	db_catalog_unlock(w->c);
	if (!from || !to)
		return err_set(err, ERR_UNAVAILABLE, "an alert names a kernel that the catalogue does not have yet");
	if (strcmp(from->track, al->track) || strcmp(to->track, al->track))
		return err_set(err, ERR_INVALID, "nudge: the kernels have to be of the track %s", al->track);
	if (from->is_variant || to->is_variant || calc_select_kernel_order(&from, &to) >= 0)
		return err_set(err, ERR_INVALID, "nudge: %s is not before %s", from->name, to->name);
	if (from->id == al->from_kernel_id && to->id == al->to_kernel_id)
		return err_set(err, ERR_CONFLICT, "nudge: it stands there already");
	if (db_triage_range_add(w->db, al, "nudged", err))
		return -1;
	al->from_kernel_id = from->id;
	al->to_kernel_id = to->id;
	if (db_triage_taken(w->db, al, &other, &taken, err))
		return -1;
	return taken ? err_set(err, ERR_CONFLICT, "nudge: the alert %s is there; merge them", uuid_format(&other, id)) : 0;
}

static int mute(struct work *w, struct err *err)
{
	struct db_mute own = { .selector = "{}", .of_alert = true, .alert_id = w->al->id, .reason = w->t->text,
			       .author = w->t->who, .until = w->t->until };

	if (!w->t->mute_id && db_mutes_add(w->db, &own, err))
		return -1;
	w->al->mute_id = w->t->mute_id ? w->t->mute_id : own.id;
	return 0;
}

/* The mute of one alert ends with it; one of many goes on for the others. */
static int unmute(struct work *w, struct err *err)
{
	struct db_mute *m;

	if (db_mutes_get(w->db, w->a, w->al->mute_id, &m, err) || (m && m->of_alert && db_mutes_end(w->db, m->id, err)))
		return -1;
	w->al->mute_id = 0;
	return 0;
}

/* What the action says of the alert, beside its state. */
static int change(struct work *w, struct err *err)
{
	const struct triage *t = w->t;
	struct db_alert *al = w->al;

	if (t->assigns)
		al->assignee = t->assignee;
	if (t->sets_due)
		al->due_at = t->due_at;
	switch (t->action) {
	case LIFECYCLE_REPORT:
		al->report_url = t->url;
		return 0;
	case LIFECYCLE_FIX_POSTED:
	case LIFECYCLE_FIXED:
		al->fix_url = t->url ? t->url : al->fix_url;
		al->fix_commit = t->commit ? t->commit : al->fix_commit;
		if (t->action == LIFECYCLE_FIXED) {
			al->fixed_in_kernel_id = t->fixed_in ? t->fixed_in->id : 0;
			al->restored_percent = t->restored_percent;
		}
		return 0;
	case LIFECYCLE_MUTE:
		return mute(w, err);
	case LIFECYCLE_REOPEN:
		if (al->mute_id && unmute(w, err))
			return -1;
		al->fixed_in_kernel_id = 0;
		al->restored_percent = NAN;
		if (t->to) {	/* came back, later */
			if (db_triage_range_add(w->db, al, "reopened", err))
				return -1;
			al->from_kernel_id = t->from->id;
			al->to_kernel_id = t->to->id;
		}
		return al->merged ? unmerge(w, err) : 0;
	case LIFECYCLE_NUDGE:
		return nudge(w, err);
	case LIFECYCLE_MERGE:
		return merge(w, err);
	case LIFECYCLE_SPLIT:
		return split(w, err);
	default:
		return 0;
	}
}

/* The same event again: *repeated. Another one under its key is a mistake of the sender's. */
static int find_repeated(struct work *w, const struct uuid *alert_id, struct err *err)
{
	char id[UUID_TEXT];
	struct db_event *e = NULL;

	w->t->repeated = false;
	if (!w->t->has_key)
		return 0;
	if (db_events_of_key(w->db, w->a, &w->t->key, &e, err))
		return -1;
	if (!e)
		return 0;
	if (strcmp(e->object, uuid_format(alert_id, id)) || strcmp(e->action, calc_lifecycle_words[w->t->action]))
		return err_set(err, ERR_CONFLICT, "event_id: another event has it");
	w->t->event = e;
	w->t->repeated = true;
	return 0;
}

int calc_triage_in_tx(struct catalog *c, struct db *db, struct arena *a, const struct uuid *alert_id,
		      struct triage *t, struct err *err)
{
	struct work w = { .c = c, .db = db, .a = a, .t = t };
	bool moves = t->action == LIFECYCLE_MERGE || t->action == LIFECYCLE_SPLIT || t->action == LIFECYCLE_NUDGE ||
		     t->action == LIFECYCLE_REOPEN;
	char id[UUID_TEXT];

	if (moves && db_alerts_lock_wait(db, err))
		return -1;
	if (db_alerts_get_locked(db, a, alert_id, &w.al, err))
		return -1;
	if (!w.al)
		return err_set(err, ERR_NOT_FOUND, "there is no alert %s", uuid_format(alert_id, id));
	if (find_repeated(&w, alert_id, err) || t->repeated)
		return t->repeated ? 0 : -1;
	if (w.al->merged && t->action != LIFECYCLE_REOPEN && t->action != LIFECYCLE_COMMENT)
		return err_set(err, ERR_CONFLICT, "%s: the alert is merged into %s", calc_lifecycle_words[t->action],
			       uuid_format(&w.al->merged_into, id));
	w.before = *w.al;
	w.al->state = calc_lifecycle_next(t->action, w.al->state, err);
	if (!w.al->state || change(&w, err) || db_triage_write(db, w.al, err))
		return -1;
	return put_event(&w, err);
}

struct doing {
	struct catalog *c;
	struct arena *a;
	const struct uuid *alert_id;
	struct triage *t;
};

static int do_tx(struct db *db, void *arg, struct err *err)
{
	struct doing *d = arg;

	return calc_triage_in_tx(d->c, db, d->a, d->alert_id, d->t, err);
}

int calc_triage_do(struct catalog *c, struct db *db, struct arena *a, const struct uuid *alert_id, struct triage *t,
		   struct err *err)
{
	struct doing d = { c, a, alert_id, t };

	return db_tx(db, do_tx, &d, DEADLINE_MS, err);
}
