/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_rules.h"

#include <math.h>
#include <string.h>

#include "../ingest/jread.h"
#include "../lib/log.h"

static int add_values(struct arena *a, const char *name, const struct jnode *list, struct select_arg *args, size_t *n,
		      struct err *err)
{
	for (size_t i = 0; i < jread_len(list); i++) {
		const char *value = jread_str(jread_at(list, i));

		if (!value)
			return err_set(err, ERR_INVALID, "\"%s\": a list of strings is needed", name);
		args[(*n)++] = (struct select_arg){ arena_strdup(a, name), arena_strdup(a, value) };
	}
	return 0;
}

/* The selector's pairs of name and value, as a query would have them. */
static int read_args(struct arena *a, const struct jnode *root, struct select_arg **args, size_t *n, struct err *err)
{
	const struct jmember *m;
	size_t total = 0;

	*n = 0;
	for (m = jread_first(root); m; m = jread_next(root, m)) {
		if (!calc_select_is_selector(jread_key(m)) || jread_type(jread_value(m)) != JREAD_ARRAY)
			return err_set(err, ERR_INVALID, "\"%s\" is no selector with a list of values", jread_key(m));
		if (!jread_len(jread_value(m)))	/* one of none of them: nothing, and surely not everything */
			return err_set(err, ERR_INVALID, "\"%s\": the list is empty", jread_key(m));
		total += jread_len(jread_value(m));
	}
	*args = arena_array(a, struct select_arg, total);
	for (m = jread_first(root); m; m = jread_next(root, m))
		if (add_values(a, jread_key(m), jread_value(m), *args, n, err))
			return -1;
	return 0;
}

/* Resolves a rule's selector. Values that name nothing (yet) select nothing. */
static int resolve(struct detect_rule *r, struct catalog *c, struct arena *a, struct err *err)
{
	struct jread_slice whole = { r->rule.selector, strlen(r->rule.selector), 1 };
	struct select_arg *args = NULL;
	bool syntax;
	struct jnode *root = jread_parse(&whole, &syntax, err);
	size_t n = 0;
	int ret;

	if (jread_type(root) != JREAD_OBJECT) {
		jread_free(root);
		return err_set(err, ERR_INVALID, "the selector is no JSON object");
	}
	ret = read_args(a, root, &args, &n, err);
	jread_free(root);
	if (ret)
		return -1;
	r->everything = n == 0;
	if (n)
		calc_select_known(c, a, args, n, &r->sel);
	return 0;
}

int detect_rules_load(struct detect_rules *rules, const struct detect *d, struct db *db, struct arena *a,
		      struct err *err)
{
	struct db_rule *list;
	size_t n;

	if (db_alerts_rules(db, a, &list, &n, err))
		return -1;
	*rules = (struct detect_rules){ .d = d, .list = arena_array(a, struct detect_rule, n) };
	for (size_t i = 0; i < n; i++) {
		struct detect_rule *r = &rules->list[rules->n];
		char name[300], why[900];

		r->rule = list[i];
		if (d->default_percent > 0 && !strcmp(r->rule.name, "default"))
			r->rule.percent = d->default_percent;
		if (!resolve(r, d->catalog, a, err)) {
			rules->n++;
			continue;
		}
		log_event(LOG_WARN, "a rule is left out", "rule=%s error=%s", log_quote(name, sizeof(name), r->rule.name),
			  log_quote(why, sizeof(why), err->message));
	}
	return 0;
}

static bool selects(const struct detect_rule *r, const struct cat_series *series, const char *track)
{
	size_t lo = 0, hi = r->sel.n;

	if (r->everything)
		return true;
	if (!calc_select_track(&r->sel, track))
		return false;
	while (lo < hi) {	/* the selection is in id order */
		size_t mid = lo + (hi - lo) / 2;

		if (r->sel.series[mid]->id == series->id)
			return true;
		if (r->sel.series[mid]->id < series->id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

const struct detect_rule *detect_rules_breached(const struct detect_rules *rules, const struct compare_row *row,
						const char *track)
{
	if (row->verdict != COMPARE_REGRESSION && row->verdict != COMPARE_IMPROVEMENT)
		return NULL;
	for (size_t i = 0; i < rules->n; i++) {
		const struct detect_rule *r = &rules->list[i];
		bool watched = row->verdict == COMPARE_REGRESSION ? r->rule.worse : r->rule.better;

		if (watched && fabs(row->change_percent) >= r->rule.percent && selects(r, row->series, track))
			return r;
	}
	return NULL;
}
