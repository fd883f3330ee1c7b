/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_alerts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/buf.h"
#include "detect_range.h"
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
	const struct detect_rule *rule;		/* that the first of them breached */
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

static int make_alert(struct applying *ap, const struct group *g, struct uuid *id, struct err *err)
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

	detect_alerts_id(al.track, ap->step.from->identity, ap->step.to->identity, g->benchmark->name, g->regression,
			&al.id);
	*id = al.id;
	if (db_alerts_insert(ap->db, &al, &made, err))
		return -1;
	if (!made)	/* no alert overlapped, and its id holds its range: only a bug leads here */
		return err_set(err, ERR_BUG, "an alert's id is taken by another range");
	ap->report->alerts++;
	return detect_tell(ap->rules->d->map, ap->db, id, g->benchmark->name, g->regression, "opened", err);
}

/* The alert that the group's steps belong to: one whose range overlaps and then narrows, or a new one. */
static int find_or_make(struct applying *ap, const struct group *g, struct uuid *id, struct err *err)
{
	struct detect_range *ranges, narrowed;
	struct db_alert *list;
	size_t n;
	int at;

	if (db_alerts_of_benchmark(ap->db, ap->a, ap->step.to->track, g->benchmark->id, g->regression, &list, &n, err))
		return -1;
	ranges = arena_array(ap->a, struct detect_range, n);
	for (size_t i = 0; i < n; i++)
		if (range_of(ap, list[i].from_kernel_id, list[i].to_kernel_id, &ranges[i], err))
			return -1;
	at = detect_range_find(ranges, n, &ap->step);
	if (at < 0)
		return make_alert(ap, g, id, err);
	*id = list[at].id;
	narrowed = detect_range_narrowed(&ranges[at], &ap->step);
	if (narrowed.from == ranges[at].from && narrowed.to == ranges[at].to)
		return 0;
	return db_alerts_set_range(ap->db, id, narrowed.from->id, narrowed.to->id, err);
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

		if (m->regression != g->regression || uuid_equal(&m->alert_id, id) || !in_group(g, m->change.series_id))
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

static int raise_group(struct applying *ap, const struct group *g, struct err *err)
{
	struct db_member *members = arena_array(ap->a, struct db_member, g->n);
	struct uuid id;

	if (find_or_make(ap, g, &id, err))
		return -1;
	for (size_t i = 0; i < g->n; i++)
		members[i] = (struct db_member){ id, g->regression, *g->steps[i] };
	mark_dirty(ap, &id);
	if (db_alerts_members_write(ap->db, ap->a, members, g->n, err))
		return -1;
	return leave_others(ap, g, &id, err);
}

static int by_id(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

static size_t unique(int64_t *ids, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(ids, n, sizeof(*ids), by_id);
	for (size_t i = 0; i < n; i++)
		if (!kept || ids[kept - 1] != ids[i])
			ids[kept++] = ids[i];
	return kept;
}

/* The member that stands for the alert: the largest change among those that still say what the alert says. */
static double worst_of(const struct db_alert *al, const struct db_member *list, size_t n)
{
	double worst = NAN;

	for (int any = 0; any < 2 && isnan(worst); any++)
		for (size_t i = 0; i < n; i++) {
			const struct db_change *ch = &list[i].change;

			if (!any && strcmp(ch->verdict, db_alerts_direction(al->regression)))
				continue;
			if (isnan(worst) || fabs(log1p(ch->percent / 100)) > fabs(log1p(worst / 100)))
				worst = ch->percent;
		}
	return worst;
}

static int sum_up(struct applying *ap, const struct uuid *id, struct err *err)
{
	struct catalog *c = ap->rules->d->catalog;
	struct db_member *list;
	struct db_alert al = { .id = *id };
	size_t n;

	if (db_alerts_members(ap->db, ap->a, id, &list, &n, err))
		return -1;
	al.regression = n && list[0].regression;
	al.n_series = (int64_t)n;
	al.worst_percent = worst_of(&al, list, n);
	al.machine_ids = arena_array(ap->a, int64_t, n);
	al.config_ids = arena_array(ap->a, int64_t, n);
	db_catalog_lock(c);
	for (size_t i = 0; i < n; i++) {
		const struct cat_series *s = db_catalog_series_by_id(c, list[i].change.series_id);

		if (!s)
			continue;
		al.machine_ids[al.n_machines++] = s->machine->id;
		al.config_ids[al.n_configs++] = s->config->id;
	}
	db_catalog_unlock(c);
	al.n_machines = unique(al.machine_ids, al.n_machines);
	al.n_configs = unique(al.config_ids, al.n_configs);
	return db_alerts_set_summary(ap->db, &al, err);
}

static struct db_change change_of(const struct compare *cmp, const struct compare_row *row)
{
	return (struct db_change){
		.series_id = row->series->id,
		.from_kernel_id = cmp->base->id,
		.to_kernel_id = cmp->head->id,
		.from_center = row->base.center,
		.to_center = row->head.center,
		.percent = row->change_percent,
		.verdict = calc_compare_verdict_word(row->verdict),
		.confidence = calc_compare_confidence_word(row->confidence),
		.q = row->tested ? row->q : NAN,
		.from_boots = row->base.boots,
		.to_boots = row->head.boots,
	};
}

/* One breached row to its group; groups are few. */
static void add_step(struct arena *a, struct group *groups, size_t *n_groups, const struct compare_row *row,
		     const struct detect_rule *rule, const struct db_change *step)
{
	bool regression = row->verdict == COMPARE_REGRESSION;
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
	int64_t *ids = arena_array(a, int64_t, cmp->n_rows);
	size_t n = 0, n_groups = 0;

	for (size_t i = 0; i < cmp->n_rows; i++) {
		const struct compare_row *row = &cmp->rows[i];
		const struct detect_rule *rule = detect_rules_breached(rules, row, cmp->head->track);

		if (!isfinite(row->change_percent))
			continue;
		changes[n] = change_of(cmp, row);
		ids[n] = row->series->id;
		if (rule)
			add_step(a, groups, &n_groups, row, rule, &changes[n]);
		n++;
	}
	if (!n)
		return 0;
	if (db_alerts_changes_write(db, a, changes, n, err) ||
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
		if (sum_up(&ap, &ap.dirty[i], err))
			return -1;
	return 0;
}
