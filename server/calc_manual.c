/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_manual.h"

#include <math.h>
#include <string.h>

#include "../lib/tm.h"
#include "calc_alert_sum.h"
#include "calc_audit.h"
#include "calc_change.h"

#define DEADLINE_MS 5000

static int check_kernels(const struct manual *m, struct err *err)
{
	if (strcmp(m->from->track, m->to->track))
		return err_set(err, ERR_INVALID, "from is of the track %s, to of %s: one track is needed", m->from->track,
			       m->to->track);
	if (m->from->is_variant || m->to->is_variant || calc_select_kernel_order(&m->from, &m->to) >= 0)
		return err_set(err, ERR_INVALID, "%s is not before %s", m->from->name, m->to->name);
	return 0;
}

struct opening {
	struct catalog *c;
	struct arena *a;
	struct manual *m;
	const struct compare *cmp;
};

static int put_rows(struct opening *o, struct db *db, struct err *err)
{
	struct db_change *changes = arena_array(o->a, struct db_change, o->cmp->n_rows);
	struct db_member *members = arena_array(o->a, struct db_member, o->cmp->n_rows);
	size_t n = 0;

	for (size_t i = 0; i < o->cmp->n_rows; i++) {
		if (!isfinite(o->cmp->rows[i].change_percent))
			continue;
		changes[n] = calc_change_of(o->cmp, &o->cmp->rows[i]);
		members[n] = (struct db_member){ .alert_id = o->m->alert->id, .regression = o->m->regression, .change = changes[n] };
		n++;
	}
	if (!n)
		return err_set(err, ERR_INVALID, "nothing was measured with both %s and %s", o->m->from->name, o->m->to->name);
	return db_alerts_changes_keep(db, o->a, changes, n, err) || db_alerts_members_write(db, o->a, members, n, err) ? -1 : 0;
}

static int put_event(struct opening *o, struct db *db, struct err *err)
{
	struct manual *m = o->m;
	char id[UUID_TEXT];
	struct audit au;

	calc_audit_begin(&au, m->who, "alert", "open", uuid_format(&m->alert->id, id));
	au.event.to_state = "new";
	au.event.has_key = m->has_key;
	au.event.key = m->key;
	jsonw_object(&au.json);
	if (m->text)
		jsonw_kstr(&au.json, "text", m->text);
	jsonw_kstr(&au.json, "from", m->from->name);
	jsonw_kstr(&au.json, "to", m->to->name);
	jsonw_object_end(&au.json);
	m->event = arena_zalloc(o->a, sizeof(*m->event));
	return calc_audit_end(&au, db, o->a, m->event, err);
}

/* The same again: the alert that it opened. */
static int find_repeated(struct opening *o, struct db *db, struct err *err)
{
	struct manual *m = o->m;
	struct uuid id;

	m->repeated = false;
	if (!m->has_key)
		return 0;
	if (db_events_of_key(db, o->a, &m->key, &m->event, err))
		return -1;
	if (!m->event)
		return 0;
	if (strcmp(m->event->action, "open") || uuid_parse(m->event->object, &id))
		return err_set(err, ERR_CONFLICT, "event_id: another event has it");
	m->repeated = true;
	return db_alerts_get(db, o->a, &id, &m->alert, err);
}

static int open_tx(struct db *db, void *arg, struct err *err)
{
	struct opening *o = arg;
	struct manual *m = o->m;
	char text[UUID_TEXT];
	struct uuid id;
	bool taken;

	if (db_alerts_lock_wait(db, err) || find_repeated(o, db, err))
		return -1;
	if (m->repeated)
		return 0;
	m->alert = arena_zalloc(o->a, sizeof(*m->alert));
	*m->alert = (struct db_alert){
		.track = m->to->track, .from_kernel_id = m->from->id, .to_kernel_id = m->to->id,
		.benchmark_id = m->benchmark->id, .regression = m->regression, .state = "new", .origin = "manual",
	};
	uuid_v7(&m->alert->id);
	if (db_triage_taken(db, m->alert, &id, &taken, err))
		return -1;
	if (taken)
		return err_set(err, ERR_CONFLICT, "the alert %s is there for this", uuid_format(&id, text));
	if (db_triage_insert(db, m->alert, err) || put_rows(o, db, err) || calc_alert_sum_up(o->c, db, o->a, &m->alert->id, err))
		return -1;
	return put_event(o, db, err) || db_triage_wake(db, err) ? -1 : 0;
}

int calc_manual_open(struct catalog *c, struct db *db, struct arena *a, struct manual *m, struct err *err)
{
	struct opening o = { .c = c, .a = a, .m = m };
	struct compare *cmp;

	if (check_kernels(m, err) || calc_compare(c, db, a, m->sel, m->from, m->to, NULL, NULL, &cmp, err))
		return -1;
	o.cmp = cmp;
	return db_tx(db, open_tx, &o, DEADLINE_MS, err);
}
