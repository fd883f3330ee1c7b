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
	const struct db_rule **rules;		/* that any of them breached, in order of their being found; the first is the alert's */
	size_t n_rules;
	bool proven;				/* at least one of the steps */
	const struct db_change **steps;
	size_t n, cap;
	bool raised;				/* they are in this alert now */
	struct uuid id;
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
	return detect_tell_rules(ap->rules->d->map, ap->db, id, g->benchmark->name, g->regression, event, g->rules, g->n_rules, err);
}

/* Made as a suspect: whether it is more follows in settle(). */
static int make_alert(struct applying *ap, const struct group *g, int64_t mute, struct uuid *id, struct err *err)
{
	struct db_alert al = {
		.track = ap->step.to->track,
		.from_kernel_id = ap->step.from->id,
		.to_kernel_id = ap->step.to->id,
		.benchmark_id = g->benchmark->id,
		.rule_id = g->rules[0]->id,
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
	return mute ? detect_mutes_silence(ap->rules->d, ap->db, ap->a, id, mute, err) : 0;
}

/* A second boot, or a second machine, bears a suspect out: now people are told. */
static int settle(struct applying *ap, const struct group *g, struct err *err)
{
	bool done;

	if (db_alerts_confirm(ap->db, &g->id, g->proven, &done, err))
		return -1;
	return done ? tell(ap, &g->id, g, "opened", err) : 0;
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
	*none = kind == HOME_OLD || (kind == HOME_FIXED && !g->proven);	/* one boot brings nothing back */
	if (*none)
		return 0;
	if (kind == HOME_NONE)
		return make_alert(ap, g, mute, id, err);
	if (kind == HOME_FIXED)
		return reopen(ap, g, id, err);
	return kind == HOME_FOUND && g->proven ? wake(ap, id, mute != 0, err) : 0;
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

static bool is_raised(const struct group *groups, size_t n_groups, const struct db_member *m)
{
	for (size_t i = 0; i < n_groups; i++)
		if (groups[i].regression == m->regression && in_group(&groups[i], m->change.series_id))
			return true;
	return false;
}

/*
 * Rows of suspects about these kernels that are no suspicion any more: another boot said otherwise, or a kernel
 * in between, or the next one.
 */
static int drop_suspicions(struct applying *ap, const struct group *groups, size_t n_groups, struct err *err)
{
	struct db_member *gone = arena_array(ap->a, struct db_member, ap->n_members);
	size_t n = 0;

	for (size_t i = 0; i < ap->n_members; i++) {
		const struct db_member *m = &ap->members[i];
		struct detect_range r;

		if (!m->suspect || m->moved || is_raised(groups, n_groups, m))
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
	bool none = false;

	for (size_t i = 0; i < g->n; i++)
		ids[i] = g->steps[i]->series_id;
	if (keep_moved(ap, g, &home, err) || (ap->rules->apart && drop_known(ap, g, err)))
		return -1;
	if (!g->n)
		return 0;
	if (find_or_make(ap, g, &home, &g->id, &none, err) || none)
		return none ? 0 : -1;
	for (size_t i = 0; i < g->n; i++)
		members[i] = (struct db_member){ .alert_id = g->id, .regression = g->regression, .change = *g->steps[i] };
	mark_dirty(ap, &g->id);
	g->raised = true;
	if (db_alerts_members_write(ap->db, ap->a, members, g->n, err))
		return -1;
	return leave_others(ap, g, &g->id, err);
}

/* What a row breaches: the first rule is the alert's, all of them say who is told. */
struct breach {
	const struct calc_rule **rules;		/* room for all there are */
	size_t n;
	bool regression;
};

static void add_rules(struct group *g, const struct breach *b)
{
	for (size_t i = 0; i < b->n; i++) {
		size_t k = 0;

		while (k < g->n_rules && g->rules[k] != &b->rules[i]->rule)
			k++;
		if (k == g->n_rules)
			g->rules[g->n_rules++] = &b->rules[i]->rule;
	}
}

/* One breached row to its group; groups are few. */
static void add_step(struct applying *ap, struct group *groups, size_t *n_groups, const struct compare_row *row,
		     const struct breach *b, const struct db_change *step, bool proven)
{
	struct arena *a = ap->a;
	bool regression = b->regression;
	struct group *g;
	size_t i = 0;

	while (i < *n_groups && (groups[i].benchmark != row->series->benchmark || groups[i].regression != regression))
		i++;
	if (i == *n_groups)
		groups[(*n_groups)++] = (struct group){ .benchmark = row->series->benchmark, .regression = regression,
							.rules = arena_array(a, const struct db_rule *, ap->rules->n) };
	g = &groups[i];
	add_rules(g, b);
	g->proven |= proven;
	if (g->n == g->cap) {
		g->cap = g->cap ? 2 * g->cap : 8;
		g->steps = arena_grow(a, g->steps, g->n * sizeof(*g->steps), g->cap * sizeof(*g->steps));
	}
	g->steps[g->n++] = step;
}

/* A limit is crossed whatever the test says of the step; how sure that is follows from the boots alone. */
static enum calc_worth worth(const struct compare_row *row, bool limit, const enum calc_worth *evidence, size_t i)
{
	return evidence && !limit ? evidence[i] : calc_worth_boots(row->head.boots, NULL);
}

/* Sums up what is left of each; a suspect without rows goes, one that is borne out is told. */
static int finish(struct applying *ap, const struct group *groups, size_t n_groups, struct err *err)
{
	for (size_t i = 0; i < ap->n_dirty; i++)
		if (calc_alert_sum_up(ap->rules->d->catalog, ap->db, ap->a, &ap->dirty[i], err) ||
		    db_alerts_drop_suspect(ap->db, &ap->dirty[i], err))
			return -1;
	for (size_t i = 0; i < n_groups; i++)
		if (groups[i].raised && settle(ap, &groups[i], err))
			return -1;
	return 0;
}

struct rows {
	struct db_change *changes, *limits;
	int64_t *ids;			/* of the changes' series */
	size_t n, n_limits;
	struct group *groups;
	size_t n_groups;
};

static int apply(struct applying *ap, struct rows *r, struct err *err)
{
	if (db_alerts_changes_write(ap->db, ap->a, r->changes, r->n, err) ||
	    db_alerts_changes_keep(ap->db, ap->a, r->limits, r->n_limits, err) ||
	    db_alerts_members_of_series(ap->db, ap->a, r->ids, r->n, &ap->members, &ap->n_members, err))
		return -1;
	for (size_t i = 0; i < ap->n_members; i++)	/* their numbers are new, if nothing else is */
		if (ap->members[i].change.from_kernel_id == ap->step.from->id &&
		    ap->members[i].change.to_kernel_id == ap->step.to->id)
			mark_dirty(ap, &ap->members[i].alert_id);
	if (!ap->rules->apart && drop_suspicions(ap, r->groups, r->n_groups, err))
		return -1;
	for (size_t i = 0; i < r->n_groups; i++)
		if (raise_group(ap, &r->groups[i], err))
			return -1;
	return finish(ap, r->groups, r->n_groups, err);
}

int detect_alerts_apply_as(const struct detect_rules *rules, struct db *db, struct arena *a, const struct compare *cmp,
			   const enum calc_worth *evidence, struct detect_report *report, struct err *err)
{
	struct applying ap = { .rules = rules, .db = db, .a = a, .step = { cmp->base, cmp->head }, .report = report };
	struct breach b = { .rules = arena_array(a, const struct calc_rule *, rules->n + 1) };
	struct rows r = {
		.changes = arena_array(a, struct db_change, cmp->n_rows), .limits = arena_array(a, struct db_change, cmp->n_rows),
		.ids = arena_array(a, int64_t, cmp->n_rows), .groups = arena_array(a, struct group, 2 * cmp->n_rows),
	};

	for (size_t i = 0; i < cmp->n_rows; i++) {
		const struct compare_row *row = &cmp->rows[i];
		bool limit = false;
		enum calc_worth e;

		b.n = detect_rules_breached(rules, cmp, row, b.rules, &b.regression);
		for (size_t k = 0; k < b.n; k++)
			limit |= b.rules[k]->rule.kind == RULE_LIMIT;
		e = b.n ? worth(row, limit, evidence, i) : WORTH_NONE;
		if (!isfinite(row->change_percent))
			continue;
		r.changes[r.n] = calc_change_of(cmp, row);
		r.ids[r.n] = row->series->id;
		if (e != WORTH_NONE)
			add_step(&ap, r.groups, &r.n_groups, row, &b, &r.changes[r.n], e == WORTH_PROVEN);
		if (limit)
			r.limits[r.n_limits++] = r.changes[r.n];
		r.n++;
	}
	return r.n ? apply(&ap, &r, err) : 0;
}

int detect_alerts_apply(const struct detect_rules *rules, struct db *db, struct arena *a, const struct compare *cmp,
			struct detect_report *report, struct err *err)
{
	return detect_alerts_apply_as(rules, db, a, cmp, NULL, report, err);
}
