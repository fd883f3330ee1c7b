/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_alerts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/buf.h"
#include "calc_alert_sum.h"
#include "calc_change.h"
#include "calc_triage.h"
#include "detect_corrected.h"
#include "db_events.h"
#include "detect_home.h"
#include "detect_tell.h"

void detect_alerts_id(const char *track, const char *from_identity, const char *to_identity, const char *benchmark,
		     bool regression, struct uuid *id)
{
	const char *parts[] = { "nsecwatch.alert", track, from_identity, to_identity, benchmark,
				db_alerts_direction(regression) };
	uint8_t digest[32];
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		buf_add(&b, parts[i], strlen(parts[i]) + 1);	/* the NUL keeps the parts apart */
	sha256(b.p, b.len, digest);
	uuid_v8_of(id, digest);
	buf_fini(&b);
}

/* Rows that belong into one alert: same benchmark and direction. */
struct group {
	const struct cat_benchmark *benchmark;
	bool regression;
	const struct calc_rule *rule;		/* that the first of them breached */
	const struct db_change **steps;
	size_t n, cap;
};

struct applying {
	const struct detect_rules *rules;
	struct db *db;
	struct arena *a;
	struct detect_range step;		/* the two kernels compared */
	struct db_member *members;		/* of the rows' series, in any alert, before */
	size_t n_members;
	struct uuid *dirty;			/* alerts whose members changed */
	size_t n_dirty, cap_dirty;
	struct detect_report *report;
};

static void mark_dirty(struct applying *ap, const struct uuid *id)
{
	for (size_t i = 0; i < ap->n_dirty; i++)
		if (uuid_equal(&ap->dirty[i], id))
			return;
	if (ap->n_dirty == ap->cap_dirty) {
		size_t cap = ap->cap_dirty ? 2 * ap->cap_dirty : 16;

		ap->dirty = arena_grow(ap->a, ap->dirty, ap->cap_dirty * sizeof(*ap->dirty), cap * sizeof(*ap->dirty));
		ap->cap_dirty = cap;
	}
	ap->dirty[ap->n_dirty++] = *id;
}

/* A range by kernel ids. Both kernels of a stored row are in the catalogue: it was refreshed after the lock. */
static int range_of(const struct applying *ap, int64_t from, int64_t to, struct detect_range *out, struct err *err)
{
	struct catalog *c = ap->rules->d->catalog;

	db_catalog_lock(c);
	out->from = db_catalog_kernel(c, from);
	out->to = db_catalog_kernel(c, to);
	db_catalog_unlock(c);
	return out->from && out->to ? 0 : err_set(err, ERR_BUG, "an alert names a kernel the catalogue does not have");
}

static int tell(struct applying *ap, const struct uuid *id, const struct group *g, const char *event, struct err *err)
{
	ap->report->alerts++;
	return detect_tell_rule(ap->rules->d->map, ap->db, id, g->benchmark->name, g->regression, event, &g->rule->rule, err);
}

static int make_alert(struct applying *ap, const struct group *g, int64_t mute, struct uuid *id, struct err *err)
{
	struct db_alert al = {
		.track = ap->step.to->track,
		.from_kernel_id = ap->step.from->id,
		.to_kernel_id = ap->step.to->id,
		.benchmark_id = g->benchmark->id,
		.rule_id = g->rule->rule.id,
		.regression = g->regression,
		.created_at = tm_now_usec(),
	};
	bool made;

	detect_alerts_id(al.track, ap->step.from->identity, ap->step.to->identity, g->benchmark->key, g->regression,
			&al.id);
	*id = al.id;
	if (db_alerts_insert(ap->db, &al, &made, err))
		return -1;
	if (!made)	/* no alert overlapped, and its id holds its range: only a bug leads here */
		return err_set(err, ERR_BUG, "an alert's id is taken by another range");
	if (mute)
		return detect_mutes_silence(ap->rules->d, ap->db, ap->a, id, mute, err);
	return tell(ap, id, g, "opened", err);
}

/* What was fixed is back: the same alert, with its history, of the new range and the rows that say so. */
static int reopen(struct applying *ap, const struct group *g, const struct uuid *id, struct err *err)
{
	struct triage t = { .action = LIFECYCLE_REOPEN, .who = "watch", .from = ap->step.from, .to = ap->step.to,
			    .due_at = TM_NONE, .restored_percent = NAN };
	struct db_member *old;
	int64_t times;
	size_t n;

	t.text = arena_printf(ap->a, "It is back: %s against %s.", t.to->name, t.from->name);
	if (db_alerts_members(ap->db, ap->a, id, &old, &n, err) ||
	    (n && db_alerts_members_delete(ap->db, ap->a, old, n, err)) ||
	    calc_triage_in_tx(ap->rules->d->catalog, ap->db, ap->a, id, &t, err) ||
	    db_events_count(ap->db, t.event, &times, err))
		return -1;
	/* not by the event's id: the message's name is the same however often a watch was killed before it */
	return tell(ap, id, g, arena_printf(ap->a, "reopened-%lld", (long long)times), err);
}

/*
 * A selector silenced the alert, and now something moves that it does not select; or it was over for want of
 * good runs, and now there are some.
 */
static int wake(struct applying *ap, const struct uuid *id, bool muted, struct err *err)
{
	struct db_alert *al;
	struct db_mute *m = NULL;
	bool closed;

	if (db_alerts_get(ap->db, ap->a, id, &al, err) || (al->mute_id && db_mutes_get(ap->db, ap->a, al->mute_id, &m, err)) ||
	    detect_corrected_closed(ap->db, ap->a, al, &closed, err))
		return -1;
	if (closed) {
		ap->report->alerts++;
		return detect_mutes_wake(ap->rules->d, ap->db, ap->a, id, "There are good runs that show it.", err);
	}
	if (muted || strcmp(al->state, "muted") || !m || m->of_alert)
		return 0;
	ap->report->alerts++;
	return detect_mutes_wake(ap->rules->d, ap->db, ap->a, id, "More moves than what is muted.", err);
}

/* The alert that the steps belong to, made or reopened where need be. *none: they are an old story. */
static int find_or_make(struct applying *ap, const struct group *g, const struct detect_home *h, struct uuid *id,
			bool *none, struct err *err)
{
	int64_t mute = detect_mutes_of(&ap->rules->mutes, h->catalog, h->series_ids, h->n_series, h->step.to->track);
	enum detect_home_kind kind;

	if (detect_home_find(h, ap->db, ap->a, &kind, id, err))
		return -1;
	*none = kind == HOME_OLD;
	if (kind == HOME_NONE)
		return make_alert(ap, g, mute, id, err);
	if (kind == HOME_FIXED)
		return reopen(ap, g, id, err);
	return kind == HOME_FOUND ? wake(ap, id, mute != 0, err) : 0;
}

static bool in_group(const struct group *g, int64_t series_id)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->steps[i]->series_id == series_id)
			return true;
	return false;
}

/* What a series said over a wider range, before the kernel between was measured, is no longer its word elsewhere. */
static int leave_others(struct applying *ap, const struct group *g, const struct uuid *id, struct err *err)
{
	struct db_member *gone = arena_array(ap->a, struct db_member, ap->n_members);
	size_t n = 0;

	for (size_t i = 0; i < ap->n_members; i++) {
		const struct db_member *m = &ap->members[i];
		struct detect_range r;

		if (m->regression != g->regression || m->moved || uuid_equal(&m->alert_id, id) || !in_group(g, m->change.series_id))
			continue;
		if (range_of(ap, m->change.from_kernel_id, m->change.to_kernel_id, &r, err))
			return -1;
		if (!detect_range_overlap(&r, &ap->step))
			continue;
		gone[n++] = *m;
		mark_dirty(ap, &m->alert_id);
	}
	return n ? db_alerts_members_delete(ap->db, ap->a, gone, n, err) : 0;
}

/* Steps of rows that a person put into an alert go there; *g is left with the others. */
static int keep_moved(struct applying *ap, struct group *g, const struct detect_home *h, struct err *err)
{
	struct db_member *moved = arena_array(ap->a, struct db_member, g->n);
	size_t n = 0, left = 0;

	for (size_t i = 0; i < g->n; i++) {
		bool bad;
		const struct db_member *m = detect_home_moved(h, g->steps[i]->series_id, &bad);

		if (bad)
			return err_set(err, ERR_BUG, "an alert names a kernel the catalogue does not have");
		if (!m) {
			g->steps[left++] = g->steps[i];
			continue;
		}
		moved[n++] = (struct db_member){ .alert_id = m->alert_id, .regression = g->regression, .change = *g->steps[i] };
		mark_dirty(ap, &m->alert_id);
	}
	g->n = left;
	return n ? db_alerts_members_write(ap->db, ap->a, moved, n, err) : 0;
}

/* Steps of series that an alert has in this range already, between kernels that stand closer together. */
static int drop_known(struct applying *ap, struct group *g, struct err *err)
{
	size_t left = 0;

	for (size_t i = 0; i < g->n; i++) {
		bool known = false;

		for (size_t k = 0; k < ap->n_members && !known; k++) {
			const struct db_member *m = &ap->members[k];
			struct detect_range r;

			if (m->regression != g->regression || m->change.series_id != g->steps[i]->series_id)
				continue;
			if (range_of(ap, m->change.from_kernel_id, m->change.to_kernel_id, &r, err))
				return -1;
			known = detect_range_overlap(&r, &ap->step) && (r.from != ap->step.from || r.to != ap->step.to);
		}
		if (!known)
			g->steps[left++] = g->steps[i];
	}
	g->n = left;
	return 0;
}

static int raise_group(struct applying *ap, struct group *g, struct err *err)
{
	struct db_member *members = arena_array(ap->a, struct db_member, g->n);
	int64_t *ids = arena_array(ap->a, int64_t, g->n);
	struct detect_home home = { .catalog = ap->rules->d->catalog, .step = ap->step, .benchmark = g->benchmark,
				    .regression = g->regression, .series_ids = ids, .n_series = g->n,
				    .members = ap->members, .n_members = ap->n_members };
	struct uuid id;
	bool none = false;

	for (size_t i = 0; i < g->n; i++)
		ids[i] = g->steps[i]->series_id;
	if (keep_moved(ap, g, &home, err) || (ap->rules->apart && drop_known(ap, g, err)))
		return -1;
	if (!g->n)
		return 0;
	if (find_or_make(ap, g, &home, &id, &none, err) || none)
		return none ? 0 : -1;
	for (size_t i = 0; i < g->n; i++)
		members[i] = (struct db_member){ .alert_id = id, .regression = g->regression, .change = *g->steps[i] };
	mark_dirty(ap, &id);
	if (db_alerts_members_write(ap->db, ap->a, members, g->n, err))
		return -1;
	return leave_others(ap, g, &id, err);
}

/* One breached row to its group; groups are few. */
static void add_step(struct arena *a, struct group *groups, size_t *n_groups, const struct compare_row *row,
		     const struct calc_rule *rule, bool regression, const struct db_change *step)
{
	struct group *g;
	size_t i = 0;

	while (i < *n_groups && (groups[i].benchmark != row->series->benchmark || groups[i].regression != regression))
		i++;
	if (i == *n_groups)
		groups[(*n_groups)++] = (struct group){ row->series->benchmark, regression, rule, NULL, 0, 0 };
	g = &groups[i];
	if (g->n == g->cap) {
		g->cap = g->cap ? 2 * g->cap : 8;
		g->steps = arena_grow(a, g->steps, g->n * sizeof(*g->steps), g->cap * sizeof(*g->steps));
	}
	g->steps[g->n++] = step;
}

int detect_alerts_apply(const struct detect_rules *rules, struct db *db, struct arena *a, const struct compare *cmp,
			struct detect_report *report, struct err *err)
{
	struct applying ap = { .rules = rules, .db = db, .a = a, .step = { cmp->base, cmp->head }, .report = report };
	struct db_change *changes = arena_array(a, struct db_change, cmp->n_rows);
	struct group *groups = arena_array(a, struct group, 2 * cmp->n_rows);
	struct db_change *limits = arena_array(a, struct db_change, cmp->n_rows);
	int64_t *ids = arena_array(a, int64_t, cmp->n_rows);
	size_t n = 0, n_groups = 0, n_limits = 0;

	for (size_t i = 0; i < cmp->n_rows; i++) {
		const struct compare_row *row = &cmp->rows[i];
		bool regression = false;
		const struct calc_rule *rule = detect_rules_breached(rules, cmp, row, &regression);

		if (!isfinite(row->change_percent))
			continue;
		changes[n] = calc_change_of(cmp, row);
		ids[n] = row->series->id;
		if (rule)
			add_step(a, groups, &n_groups, row, rule, regression, &changes[n]);
		if (rule && rule->rule.kind == RULE_LIMIT)	/* whatever the test says of the step */
			limits[n_limits++] = changes[n];
		n++;
	}
	if (!n)
		return 0;
	if (db_alerts_changes_write(db, a, changes, n, err) || db_alerts_changes_keep(db, a, limits, n_limits, err) ||
	    db_alerts_members_of_series(db, a, ids, n, &ap.members, &ap.n_members, err))
		return -1;
	for (size_t i = 0; i < ap.n_members; i++)	/* their numbers are new, if nothing else is */
		if (ap.members[i].change.from_kernel_id == cmp->base->id &&
		    ap.members[i].change.to_kernel_id == cmp->head->id)
			mark_dirty(&ap, &ap.members[i].alert_id);
	for (size_t i = 0; i < n_groups; i++)
		if (raise_group(&ap, &groups[i], err))
			return -1;
	for (size_t i = 0; i < ap.n_dirty; i++)
		if (calc_alert_sum_up(rules->d->catalog, db, a, &ap.dirty[i], err))
			return -1;
	return 0;
}
