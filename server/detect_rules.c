/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_rules.h"

#include <string.h>

#include "../lib/log.h"

int detect_rules_load(struct detect_rules *rules, const struct detect *d, struct db *db, struct arena *a,
		      struct err *err)
{
	struct db_rule *list;
	size_t n;

	if (db_rules_list(db, a, true, &list, &n, err))
		return -1;
	*rules = (struct detect_rules){ .d = d, .list = arena_array(a, struct calc_rule, n + 1) };
	if (detect_mutes_load(&rules->mutes, d->catalog, db, a, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		char name[300], why[900];

		if (d->default_percent > 0 && !strcmp(list[i].name, "default"))
			list[i].percent = d->default_percent;
		if (!calc_rules_resolve(&rules->list[rules->n], &list[i], d->catalog, db, a, err)) {
			rules->n++;
			continue;
		}
		if (err->kind == ERR_UNAVAILABLE)
			return -1;
		log_event(LOG_WARN, "a rule is left out", "rule=%s error=%s", log_quote(name, sizeof(name), list[i].name),
			  log_quote(why, sizeof(why), err->message));
	}
	return 0;
}

size_t detect_rules_breached(const struct detect_rules *rules, const struct compare *cmp, const struct compare_row *row,
			     const struct calc_rule **breached, bool *regression)
{
	const struct calc_rule_step step = {
		.series = row->series, .from = cmp->base, .to = cmp->head,
		.from_center = row->base.center, .to_center = row->head.center, .percent = row->change_percent,
		.verdict = row->verdict, .confidence = row->confidence,
	};
	size_t n = 0;

	for (size_t i = 0; i < rules->n; i++) {
		struct calc_rule *r = &rules->list[i];

		if (!calc_rules_selects(r, row->series, cmp->head->track))
			continue;
		bool worse;

		r->matched = true;
		if (!calc_rules_fires(r, &step, &worse) || (n && worse != *regression))
			continue;
		*regression = worse;
		breached[n++] = r;
		r->fired = true;
	}
	return n;
}

int detect_rules_touch(const struct detect_rules *rules, struct db *db, struct arena *a, struct err *err)
{
	int64_t *matched = arena_array(a, int64_t, rules->n + 1), *fired = arena_array(a, int64_t, rules->n + 1);
	size_t n_matched = 0, n_fired = 0;

	for (size_t i = 0; i < rules->n; i++) {
		if (rules->list[i].matched)
			matched[n_matched++] = rules->list[i].rule.id;
		if (rules->list[i].fired)
			fired[n_fired++] = rules->list[i].rule.id;
	}
	return db_rules_touch(db, matched, n_matched, fired, n_fired, err);
}
