/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_corrected.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc_alert_sum.h"
#include "calc_triage.h"
#include "detect_range.h"

static int by_id(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

static void add_alert(struct detect_corrected *c, const struct uuid *id)
{
	for (size_t i = 0; i < c->n_alerts; i++)
		if (uuid_equal(&c->alerts[i], id))
			return;
	c->alerts[c->n_alerts++] = *id;
}

static void find_lost(struct detect_corrected *c, const struct run *run, const int64_t *have, size_t n_have)
{
	for (size_t i = 0; i < run->n_results; i++)
		if (!n_have || !bsearch(&run->series_ids[i], have, n_have, sizeof(*have), by_id))
			c->lost[c->n_lost++] = run->series_ids[i];
	if (c->n_lost)
		qsort(c->lost, c->n_lost, sizeof(*c->lost), by_id);
}

int detect_corrected_forget(struct detect_corrected *c, struct db *db, struct arena *a, const struct run *run,
			    const int64_t *have, size_t n_have, struct err *err)
{
	struct db_member *members, *gone;
	size_t n, n_gone = 0;

	c->lost = arena_array(a, int64_t, run->n_results + 1);
	find_lost(c, run, have, n_have);
	if (db_alerts_members_of_series(db, a, run->series_ids, run->n_results, &members, &n, err))
		return -1;
	c->alerts = arena_array(a, struct uuid, n + 1);
	gone = arena_array(a, struct db_member, n + 1);
	for (size_t i = 0; i < n; i++) {
		const struct db_change *ch = &members[i].change;

		add_alert(c, &members[i].alert_id);
		if (ch->from_kernel_id != c->kernel->id && ch->to_kernel_id != c->kernel->id)
			continue;
		/* a row that a person moved stays there as long as there is anything behind it */
		if (!members[i].moved || (c->n_lost && bsearch(&ch->series_id, c->lost, c->n_lost, sizeof(*c->lost), by_id)))
			gone[n_gone++] = members[i];
	}
	if (n_gone && db_alerts_members_delete(db, a, gone, n_gone, err))
		return -1;
	return c->n_lost ? db_alerts_changes_forget(db, c->lost, c->n_lost, c->kernel->id, err) : 0;
}

/* A range that began or ended with the kernel is as wide as the rows that are left say. */
static int set_range(const struct detect_corrected *c, const struct detect_rules *rules, struct db *db,
		     struct db_alert *al, const struct db_member *members, size_t n, struct err *err)
{
	struct detect_range range = { 0 };
	struct uuid other;
	bool taken;

	if (!n || (al->from_kernel_id != c->kernel->id && al->to_kernel_id != c->kernel->id))
		return 0;
	db_catalog_lock(rules->d->catalog);
	for (size_t i = 0; i < n; i++) {
		struct detect_range r = { db_catalog_kernel(rules->d->catalog, members[i].change.from_kernel_id),
					  db_catalog_kernel(rules->d->catalog, members[i].change.to_kernel_id) };

		if (r.from && r.to)
			range = range.from ? detect_range_narrowed(&range, &r) : r;
	}
	db_catalog_unlock(rules->d->catalog);
	if (!range.from || detect_range_order(range.from, range.to) >= 0)
		return 0;
	al->from_kernel_id = range.from->id;
	al->to_kernel_id = range.to->id;
	if (db_triage_taken(db, al, &other, &taken, err))
		return -1;
	return taken ? 0 : db_alerts_set_range(db, &al->id, range.from->id, range.to->id, err);
}

static int close_empty(const struct detect_corrected *c, const struct detect_rules *rules, struct db *db,
		       struct arena *a, const struct uuid *id, struct err *err)
{
	struct triage t = { .action = LIFECYCLE_INVALID, .who = "watch", .due_at = TM_NONE, .until = TM_NONE,
			    .restored_percent = NAN };
	struct db_member *members;
	struct db_alert *al;
	char run[UUID_TEXT];
	size_t n, left = 0;

	if (calc_alert_sum_up(rules->d->catalog, db, a, id, err) || db_alerts_get(db, a, id, &al, err) ||
	    db_alerts_members(db, a, id, &members, &n, err))
		return -1;
	if (set_range(c, rules, db, al, members, n, err))
		return -1;
	for (size_t i = 0; i < n; i++)
		left += !strcmp(members[i].change.verdict, db_alerts_direction(al->regression));
	/* what a person opened is a person's to close */
	if (left || al->merged || !strcmp(al->origin, "manual") ||
	    !(calc_lifecycle_is_open(al->state) || !strcmp(al->state, "muted")))
		return 0;
	t.text = arena_printf(a, "Nothing of it is left: the run %s is invalid (%s).", uuid_format(&c->why->run_id, run),
			      c->why->reason);
	return calc_triage_in_tx(rules->d->catalog, db, a, id, &t, err);
}

int detect_corrected_end(const struct detect_corrected *c, const struct detect_rules *rules, struct db *db,
			 struct arena *a, struct err *err)
{
	for (size_t i = 0; i < c->n_alerts; i++)
		if (close_empty(c, rules, db, a, &c->alerts[i], err))
			return -1;
	return 0;
}

int detect_corrected_closed(struct db *db, struct arena *a, const struct db_alert *al, bool *closed, struct err *err)
{
	char id[UUID_TEXT];
	struct db_event_filter f = { .kind = "alert", .object = uuid_format(&al->id, id) };
	struct db_event *last;
	size_t n;

	*closed = false;
	if (strcmp(al->state, "invalid") || al->merged)
		return 0;
	if (db_events_list(db, a, &f, 1, &last, &n, err))
		return -1;
	*closed = n && !strcmp(last->who, "watch") && !strcmp(last->action, "invalid");
	return 0;
}
